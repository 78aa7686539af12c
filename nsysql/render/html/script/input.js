// Wheel, drag and keys.

const STEP = 0.75, FAR = 0.15; // how much a key zooms, and how far it pans

function listen(data, view, rows, drawing, actions) {
  const frame = document.getElementById("frame"), picture = document.getElementById("picture");
  let drag = null;

  function event(pointer) {
    const box = picture.getBoundingClientRect();
    const x = pointer.clientX - box.left, y = pointer.clientY - box.top;
    const row = x >= GUTTER ? rows.at(y) : undefined;
    if (!row) return { x, y, chosen: null };
    if (row.track.kind === "curve") {
      const facts = factsOfCurve(data, row.track, drawing.time(x), view.span / (drawing.width - GUTTER));
      return { x, y, chosen: facts && { facts } };
    }
    const place = Math.floor((y - row.y) / LANE);
    const lane = data.lanes.get(row.track.track).find((l) => l.lane === place);
    return { x, y, chosen: lane ? hit(lane, x, row) : null };
  }

  // The event at a place, or the nearest within two pixels.
  function hit(lane, x, row) {
    const near = (2 / (drawing.width - GUTTER)) * view.span, time = drawing.time(x);
    let best = null, least = near;
    for (let i = firstAfter(data, lane, time - near); i < lane.to && data.start[i] <= time + near; i++) {
      const away = Math.max(data.start[i] - time, time - data.end[i], 0);
      if (away <= least) [best, least] = [i, away];
      if (away === 0) break;
    }
    return best === null ? null : { track: row.track.track, lane: lane.lane, row: best };
  }

  frame.addEventListener("wheel", (wheel) => {
    const isSideways = Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY) || wheel.shiftKey;
    if (isSideways) view.pan((wheel.deltaX || wheel.deltaY) / 1000);
    else if (wheel.ctrlKey || document.activeElement === frame)
      view.zoom(Math.exp(Math.max(-120, Math.min(120, wheel.deltaY)) / 300), drawing.time(event(wheel).x));
    else return;
    wheel.preventDefault();
  }, { passive: false });

  frame.addEventListener("pointerdown", (pointer) => {
    if (pointer.button) return;
    const at = event(pointer);
    drag = { x: pointer.clientX, from: view.from, span: view.span, at, hasMoved: false };
  });
  addEventListener("pointermove", (pointer) => {
    if (!drag) return;
    const moved = pointer.clientX - drag.x;
    drag.hasMoved ||= Math.abs(moved) > 3;
    if (!drag.hasMoved) return;
    const from = drag.from - (moved / (drawing.width - GUTTER)) * drag.span;
    view.set(from, from + drag.span);
  });
  addEventListener("pointerup", () => {
    if (drag && !drag.hasMoved) {
      const group = rows.groups.find(({ y }) => drag.at.y >= y && drag.at.y < y + GROUP);
      if (group) actions.toggle(group.name);
      else actions.select(drag.at.chosen, false);
    }
    drag = null;
  });
  picture.addEventListener("mousemove", (pointer) => { if (!drag?.hasMoved) actions.point(event(pointer).chosen, pointer.clientX, pointer.clientY); });
  picture.addEventListener("mouseleave", () => actions.point(null));
  picture.addEventListener("dblclick", () => actions.focusSelected());

  const KEYS = {
    w: () => view.zoom(STEP, (view.from + view.to) / 2),
    s: () => view.zoom(1 / STEP, (view.from + view.to) / 2),
    a: () => view.pan(-FAR),
    d: () => view.pan(FAR),
    f: actions.focusSelected,
    n: () => actions.step(true),
    p: () => actions.step(false),
    0: view.all,
    "/": actions.search,
    Escape: () => actions.select(null, false),
  };
  addEventListener("keydown", (key) => {
    if (key.ctrlKey || key.metaKey || key.altKey || /INPUT|TEXTAREA|SELECT/.test(key.target.tagName)) return;
    const act = KEYS[key.key] ?? KEYS[key.key.toLowerCase()];
    if (!act) return;
    act();
    key.preventDefault();
  });
  document.getElementById("all").addEventListener("click", view.all);
}
