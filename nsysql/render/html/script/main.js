// Puts the parts together.

async function showTimeline() {
  const data = await readEvents();
  const state = { selected: null, linked: [], gap: null, interval: null, matches: null, only: null, search: "" };
  const rows = makeRows(data);
  let isDue = false, address = null, text = null, strip = null, due = 0;
  const draw = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; drawAll(); });
  };
  function drawAll() {
    drawing.draw();
    strip?.draw();
    clearTimeout(due);
    due = setTimeout(() => text?.write(), 200);
  }
  const changed = () => { draw(); address?.write(false); };
  const view = makeView(data, changed);
  showPicture(true);
  const frame = byId("frame");
  const drawing = makeDrawing(data, view, rows, state);
  const details = makeDetails(data, select);
  const search = makeSearch(data, state, select, changed);
  const legend = makeLegend(data, state, changed);
  strip = makeStrip(data, view, drawing, rows);
  text = makeText(data, view, rows);

  function select(chosen, isShown) {
    choose(chosen, isShown);
    address.write(true);
  }

  function choose(chosen, isShown) {
    const event = chosen?.facts ? null : chosen;
    state.selected = event;
    state.gap = gapAt(data, event);
    state.interval = null;
    state.linked = event && !state.gap ? linkedTo(data, event.row) : [];
    details.show(chosen, state);
    if (event && isShown) reveal(event);
    draw();
  }

  function reveal({ track, lane, row }) {
    rows.reveal(track, lane);
    const length = Math.max(data.length[row], 1), isIn = data.start[row] >= view.from && data.end[row] <= view.to;
    if (!isIn || length < view.span / 200) view.show(data.start[row], data.start[row] + length, 4);
    const place = rows.place(track), y = place.y + lane * LANE;
    if (y < frame.scrollTop || y + LANE > frame.scrollTop + frame.clientHeight) frame.scrollTop = y - 40;
  }

  function shownSpan() {
    const row = state.selected?.row;
    return state.interval ?? state.gap ?? (state.selected && { from: data.start[row], to: data.end[row] });
  }

  function showGap(chosen) {
    if (!chosen) return;
    choose(chosen, true);
    const shown = shownSpan();
    view.show(shown.from, shown.to, 1);
    address.write(true);
  }

  // The event after or before the selected one in its lane.
  function beside(by) {
    const { selected } = state, lane = laneOf(data, selected);
    const row = lane ? selected.row + by : -1;
    if (lane && row >= lane.from && row < lane.to) select({ ...selected, row }, true);
  }

  function markInterval(interval, isDone = true) {
    if (interval) Object.assign(state, { interval, selected: null, gap: null, linked: [] });
    details.show(null, state);
    draw();
    if (isDone) address.write(true);
  }

  listen(data, view, rows, drawing, {
    select,
    beside,
    interval: markInterval,
    point: details.point,
    search: search.focus,
    step: (isNext) => showGap(gapBeside(data, view, state, isNext)),
    toggle(name) { rows.toggle(name); draw(); },
    unfold(track) { rows.unfold(track); draw(); },
    focusSelected() {
      const shown = shownSpan();
      if (shown) view.show(shown.from, shown.to);
    },
  });

  function come() {
    byId("explorer").scrollIntoView({ block: "start" });
    frame.focus({ preventScroll: true });
  }

  const follow = () => address.follow();
  on(window, "hashchange popstate", follow);
  document.querySelectorAll("a.moment").forEach((link) => on(link, "click", () => {
    if (link.hash === location.hash) follow();
  }));
  new ResizeObserver(draw).observe(frame);
  on(frame, "scroll", draw);
  address = makeAddress(data, view, state, {
    choose,
    only: legend.set,
    search: search.set,
    interval: (interval) => markInterval(interval, false),
    gap(chosen) { showGap(chosen); come(); },
    find(words) { search.set(words); come(); },
    stretch(from, to) { choose(null, false); view.show(from, to, 0.1); come(); },
  });
  choose(null, false);
  drawAll();
  follow();
  if (!location.hash) address.write(false); // so that Back returns to what was first
  byId("explorer").dataset.ready = "";
  window.nsysql = { data, view, rows, state, drawing }; // for tests, and for the curious
}

function showPicture(isDrawn) {
  byId("explorer").hidden = !isDrawn;
  byId("still").hidden = isDrawn;
}

if (byId("events"))
  showTimeline().catch((error) => {
    byId("merged").textContent = `This browser cannot draw the timeline (${error.message}); below is a still picture of it.`;
    showPicture(false);
    console.error(error);
  });
