// Puts the parts together.

async function showTimeline() {
  const data = await readEvents();
  const state = { selected: null, linked: [], matches: null };
  const rows = makeRows(data);
  let isDue = false, address = null;
  const draw = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; drawing.draw(); });
  };
  const view = makeView(data, () => { draw(); address?.write(false); });
  document.getElementById("explorer").hidden = false;
  document.getElementById("still").hidden = true;
  const drawing = makeDrawing(data, view, rows, state);
  const details = makeDetails(data, select);
  const search = makeSearch(data, state, select, draw);

  function select(chosen, isShown) {
    choose(chosen, isShown);
    address.write(true);
  }

  function choose(chosen, isShown) {
    const event = chosen?.facts ? null : chosen;
    state.selected = event;
    state.linked = event ? linkedTo(data, event.row) : [];
    details.show(chosen, state.linked);
    if (event && isShown) reveal(event);
    draw();
  }

  function reveal({ track, row }) {
    const { group } = data.tracks.find((one) => one.track === track);
    if (rows.folded.has(group)) rows.toggle(group);
    const length = Math.max(data.length[row], 1), isIn = data.start[row] >= view.from && data.end[row] <= view.to;
    if (!isIn || length < view.span / 200) view.show(data.start[row], data.start[row] + length, 4);
    const frame = document.getElementById("frame"), place = rows.place(track);
    if (place.y < frame.scrollTop || place.y + place.height > frame.scrollTop + frame.clientHeight) frame.scrollTop = place.y - 40;
  }

  function step(isNext) {
    const gap = gapBeside(data, view, state, isNext);
    if (!gap) return;
    choose(gap.chosen, true);
    view.show(gap.from, gap.to, 1);
    address.write(true);
  }

  listen(data, view, rows, drawing, {
    select,
    point: details.point,
    search: search.focus,
    step,
    toggle(name) { rows.toggle(name); draw(); },
    focusSelected() { if (state.selected) view.show(data.start[state.selected.row], data.end[state.selected.row]); },
  });

  // Links of the page to a stretch of time: #t=START,END on the export's clock.
  function follow() {
    if (address.follow()) return;
    const times = /^#t=(-?\d+),(-?\d+)$/.exec(location.hash);
    if (!times) return;
    const [from, to] = [times[1], times[2]].map((time) => Number(BigInt(time) - BigInt(data.origin)));
    view.show(from, to, 0.1);
    document.getElementById("explorer").scrollIntoView({ block: "start" });
    document.getElementById("frame").focus({ preventScroll: true });
  }
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
  document.querySelectorAll("a.moment").forEach((link) => link.addEventListener("click", () => { if (link.hash === location.hash) follow(); }));
  new ResizeObserver(draw).observe(document.getElementById("frame"));
  document.getElementById("frame").addEventListener("scroll", draw);
  legend(data);
  address = makeAddress(data, view, state, choose);
  choose(null, false);
  drawing.draw();
  follow();
  document.getElementById("explorer").dataset.ready = "";
  window.nsysql = { data, view, rows, state, drawing, select, step }; // for tests, and for the curious
}

function legend(data) {
  const place = document.getElementById("legend");
  const own = data.styles.filter((style) => style.isOwn);
  const every = data.styles.filter((style) => !style.isOwn);
  if (own.length) every.push({ ...own[0], label: own.length === 1 ? "NVTX range in its own color" : "NVTX ranges in their own colors" });
  const isCause = ({ style }) => style.startsWith("cause:");
  for (const [title, styles] of [["work:", every.filter((style) => !isCause(style))], ["idle:", every.filter(isCause)]]) {
    const line = document.createElement("div");
    line.append(title);
    for (const style of [...styles].sort((one, other) => one.color.localeCompare(other.color))) {
      const key = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = style.color;
      key.append(mark, style.label);
      line.append(key);
    }
    if (styles.length) place.append(line);
  }
}

if (document.getElementById("events"))
  showTimeline().catch((error) => {
    document.getElementById("merged").textContent = `This browser cannot draw the timeline (${error.message}); below is a still picture of it.`;
    document.getElementById("explorer").hidden = true;
    document.getElementById("still").hidden = false;
    console.error(error);
  });
