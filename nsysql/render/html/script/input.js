// Wheel, drag, fingers and keys.

const STEP = 0.75, FAR = 0.15; // how much a key zooms, and how far it pans

function listen(data, view, rows, drawing, actions) {
  const help = byId("help");
  const frame = byId("frame"), picture = byId("picture");
  let drag = null;

  function event(pointer) {
    const box = picture.getBoundingClientRect();
    const x = pointer.clientX - box.left, y = pointer.clientY - box.top;
    const row = x >= GUTTER ? rows.at(y) : undefined;
    if (!row) return { x, y, chosen: null };
    if (row.track.kind === "curve") {
      const facts = factsOfCurve(data, row.track, drawing.time(x), view.span / drawing.room);
      return { x, y, chosen: facts && { facts } };
    }
    const place = Math.floor((y - row.y) / LANE);
    const lane = laneOf(data, { track: row.track.track, lane: place });
    return { x, y, chosen: lane ? hit(lane, x, row) : null };
  }

  // The event at a place, or the nearest within two pixels.
  function hit(lane, x, row) {
    const near = (2 / drawing.room) * view.span, time = drawing.time(x);
    let best = null, least = near;
    for (let i = firstAfter(data, lane, time - near); i < lane.to && data.start[i] <= time + near; i++) {
      const away = Math.max(data.start[i] - time, time - data.end[i], 0);
      if (away <= least) [best, least] = [i, away];
      if (away === 0) break;
    }
    return best === null ? null : { track: row.track.track, lane: lane.lane, row: best };
  }

  on(frame, "wheel", (wheel) => {
    const isSideways = Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY) || wheel.shiftKey;
    if (isSideways) view.pan((wheel.deltaX || wheel.deltaY) / 1000);
    else if (wheel.ctrlKey || document.activeElement === frame)
      view.zoom(Math.exp(Math.max(-120, Math.min(120, wheel.deltaY)) / 300), drawing.time(event(wheel).x));
    else return;
    wheel.preventDefault();
  }, { passive: false });

  // One pointer pans, or selects an interval with Shift; two zoom.
  const fingers = new Map();
  on(frame, "pointerdown", (pointer) => {
    if (pointer.button) return;
    fingers.set(pointer.pointerId, pointer.clientX);
    const at = event(pointer);
    drag = { x: pointer.clientX, from: view.from, span: view.span, at, hasMoved: fingers.size > 1, isInterval: pointer.shiftKey };
    if (pointer.shiftKey) pointer.preventDefault();
  });
  on(window, "pointermove", (pointer) => {
    if (!drag) return;
    const before = [...fingers.values()];
    if (fingers.has(pointer.pointerId)) fingers.set(pointer.pointerId, pointer.clientX);
    if (fingers.size === 2) return pinch(before, [...fingers.values()]);
    const moved = pointer.clientX - drag.x;
    drag.hasMoved ||= Math.abs(moved) > 3;
    if (!drag.hasMoved) return;
    if (drag.isInterval) {
      const ends = [drag.at.x, event(pointer).x].map((x) => drawing.time(Math.max(GUTTER, x))).sort((a, b) => a - b);
      return actions.interval({ from: Math.round(ends[0]), to: Math.round(ends[1]) }, false);
    }
    const from = drag.from - (moved / drawing.room) * drag.span;
    view.set(from, from + drag.span);
  });
  function pinch([a, b], [c, d]) {
    const left = picture.getBoundingClientRect().left;
    view.zoom(Math.max(1, Math.abs(a - b)) / Math.max(1, Math.abs(c - d)), drawing.time((c + d) / 2 - left));
    panFrom((c + d) / 2);
  }
  function panFrom(x) {
    drag = { ...drag, x, from: view.from, span: view.span, hasMoved: true };
  }
  function lift(pointer) {
    fingers.delete(pointer.pointerId);
    if (fingers.size) return panFrom([...fingers.values()][0]); // one of two is left
    if (drag && !drag.hasMoved && pointer.type === "pointerup") click(drag.at);
    else if (drag?.isInterval && drag.hasMoved) actions.interval(null, true);
    drag = null;
  }
  on(window, "pointerup pointercancel", lift);

  function click({ y, chosen }) {
    const group = rows.groups.find((one) => y >= one.y && y < one.y + GROUP), row = rows.at(y);
    if (group) actions.toggle(group.name);
    else if (row?.more && y >= row.y + row.lanes * LANE) actions.unfold(row.track.track);
    else actions.select(chosen, false);
  }
  on(picture, "mousemove", (pointer) => { if (!drag?.hasMoved) actions.point(event(pointer).chosen, pointer.clientX, pointer.clientY); });
  on(picture, "mouseleave", () => actions.point(null));
  on(picture, "dblclick", () => actions.focusSelected());

  const zoom = (factor) => () => view.zoom(factor, (view.from + view.to) / 2), pan = (part) => () => view.pan(part);
  const KEYS = {
    w: zoom(STEP), "+": zoom(STEP), "=": zoom(STEP),
    s: zoom(1 / STEP), "-": zoom(1 / STEP),
    a: pan(-FAR), ArrowLeft: pan(-FAR),
    d: pan(FAR), ArrowRight: pan(FAR),
    Home: view.home,
    ".": () => actions.beside(1),
    ",": () => actions.beside(-1),
    "?": () => help.showModal(),
    f: actions.focusSelected,
    n: () => actions.step(true),
    p: () => actions.step(false),
    0: view.all,
    "/": actions.search,
    Escape: () => actions.select(null, false),
  };
  on(window, "keydown", (key) => {
    if (key.ctrlKey || key.metaKey || key.altKey || help.open || /INPUT|TEXTAREA|SELECT/.test(key.target.tagName)) return;
    const act = KEYS[key.key] ?? KEYS[key.key.toLowerCase()];
    if (!act) return;
    act();
    key.preventDefault();
  });
  for (const [name, act] of [["all", view.all], ["home", view.home], ["ask", () => help.showModal()]])
    on(byId(name), "click", act);
}
