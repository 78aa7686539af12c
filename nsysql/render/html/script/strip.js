// The strip above the picture: the whole capture, how busy each GPU was (without GPUs: the first threads), and what of it is shown.

const STRIP = 12, MOST_STRIPS = 8; // height of a row, and how many

function makeStrip(data, view, drawing, rows) {
  const canvas = byId("strip"), context = canvas.getContext("2d");
  const groups = rows.groups.filter(({ tracks }) => isAny(tracks, "stream"));
  const every = groups.length ? groups : rows.groups.filter(({ isFolded }) => !isFolded);
  const shown = every.slice(0, MOST_STRIPS), more = every.length - shown.length;
  let kept = null, isDragged = false;

  const x = (time) => GUTTER + (time / data.span) * drawing.room;
  const kinds = groups.length ? ["stream"] : ["nvtx", "cuda", "mpi", "os"];

  const kindOf = (tracks) => kinds.find((kind) => isAny(tracks, kind));

  // How much of each pixel's time some row of the group covers, at most all of it; and the color of what does most.
  function covered(tracks, size) {
    const sums = new Float64Array(size + 1), wide = data.span / size;
    const kind = kindOf(tracks), [most] = sumsIn(data, tracks.filter((track) => track.kind === kind), 0, data.span, (i) => data.style[i]);
    for (const track of tracks) if (track.kind === kind)
      eachRow(data, track.track, (i, lane) => {
        if (kind !== "stream" && lane) return;
        const dense = data.length[i] ? data.busy[i] / data.length[i] : 0;
        for (let at = Math.floor(data.start[i] / wide); at <= Math.min(size, data.end[i] / wide); at++)
          sums[at] += (dense * (Math.min(data.end[i], (at + 1) * wide) - Math.max(data.start[i], at * wide))) / wide;
      });
    return { sums: sums.map((sum) => Math.min(1, sum)), color: data.styles[most?.[0]]?.color };
  }

  function draw() {
    const width = drawing.width, high = (shown.length + (more > 0)) * (STRIP + 2);
    drawing.size(canvas, context, width, high);
    if (kept?.width !== width) kept = { width, rows: shown.map(({ tracks }) => covered(tracks, Math.max(1, drawing.room))) };
    kept.rows.forEach(({ sums, color }, place) => {
      const y = place * (STRIP + 2);
      paint(context, drawing.theme().row, 1, GUTTER, y, drawing.room, STRIP);
      context.fillStyle = color ?? drawing.theme().accent;
      for (let at = 0; at < sums.length; ) { // equal neighbors at once
        let to = at;
        while (to < sums.length && sums[to] === sums[at]) to++;
        if (sums[at] > 0) context.fillRect(GUTTER + at, y + STRIP * (1 - sums[at]), to - at, STRIP * sums[at]);
        at = to;
      }
      context.fillStyle = drawing.theme().soft;
      context.fillText(drawing.clip(shown[place].name, GUTTER - 8), 4, y + STRIP / 2);
    });
    if (more) context.fillText(`and ${more} more`, 4, high - STRIP / 2 - 2);
    const left = Math.max(GUTTER, x(view.from)), right = Math.min(width, x(view.to));
    outline(context, drawing.theme().gold, 2, left + 1, 1, Math.max(4, right - left - 2), high - 2);
  }

  function go(pointer) {
    const at = ((pointer.clientX - canvas.getBoundingClientRect().left - GUTTER) / drawing.room) * data.span;
    view.set(at - view.span / 2, at + view.span / 2);
  }

  on(canvas, "pointerdown", (pointer) => { isDragged = true; canvas.setPointerCapture(pointer.pointerId); go(pointer); });
  on(canvas, "pointermove", (pointer) => { if (isDragged) go(pointer); });
  on(canvas, "pointerup pointercancel", () => { isDragged = false; });
  return { draw };
}
