// The strip above the picture: the whole capture, how busy each GPU was (without GPUs: the first threads), and what of it is shown.

const STRIP = 12, MOST_STRIPS = 6; // height of a row, and how many

function makeStrip(data, view, drawing, rows) {
  const canvas = document.getElementById("strip"), context = canvas.getContext("2d");
  const groups = rows.groups.filter(({ tracks }) => tracks.some(({ kind }) => kind === "stream"));
  const shown = (groups.length ? groups : rows.groups.filter(({ isFolded }) => !isFolded)).slice(0, MOST_STRIPS);
  let kept = null, isDragged = false;

  const x = (time) => GUTTER + (time / data.span) * (drawing.width - GUTTER);
  const kinds = groups.length ? ["stream"] : ["nvtx", "cuda", "mpi", "os"];

  const kindOf = (tracks) => kinds.find((one) => tracks.some((track) => track.kind === one));

  // How much of each pixel's time some row of the group covers, at most all of it.
  function covered(tracks, size) {
    const sums = new Float64Array(size + 1), wide = data.span / size;
    const kind = kindOf(tracks);
    for (const track of tracks) if (track.kind === kind)
      for (const { lane, from, to } of data.lanes.get(track.track) ?? []) if (kind === "stream" || lane === 0)
        for (let i = from; i < to; i++) {
          const dense = data.length[i] ? data.busy[i] / data.length[i] : 0;
          for (let at = Math.floor(data.start[i] / wide); at <= Math.min(size, data.end[i] / wide); at++)
            sums[at] += (dense * (Math.min(data.end[i], (at + 1) * wide) - Math.max(data.start[i], at * wide))) / wide;
        }
    return sums.map((sum) => Math.min(1, sum));
  }

  function draw() {
    const width = drawing.width, scale = window.devicePixelRatio || 1, high = shown.length * (STRIP + 2);
    drawing.size(canvas, context, width, high);
    if (kept?.width !== width) kept = { width, rows: shown.map(({ tracks }) => covered(tracks, Math.max(1, width - GUTTER))), colors: null };
    kept.rows.forEach((sums, place) => {
      const y = place * (STRIP + 2);
      context.fillStyle = drawing.theme().row;
      context.fillRect(GUTTER, y, width - GUTTER, STRIP);
      const kind = kindOf(shown[place].tracks), style = kind === "stream" ? "kernel" : kind;
      context.fillStyle = data.styles.find((one) => one.style === style)?.color ?? drawing.theme().accent;
      for (let at = 0; at < sums.length; ) { // equal neighbors at once
        let to = at;
        while (to < sums.length && sums[to] === sums[at]) to++;
        if (sums[at] > 0) context.fillRect(GUTTER + at, y + STRIP * (1 - sums[at]), to - at, STRIP * sums[at]);
        at = to;
      }
      context.fillStyle = drawing.theme().soft;
      context.fillText(drawing.clip(shown[place].name, GUTTER - 8), 4, y + STRIP / 2);
    });
    context.strokeStyle = drawing.theme().gold;
    context.lineWidth = 2;
    context.strokeRect(Math.max(GUTTER, x(view.from)) + 1, 1, Math.max(4, Math.min(width, x(view.to)) - Math.max(GUTTER, x(view.from)) - 2), high - 2);
  }

  function go(pointer) {
    const at = ((pointer.clientX - canvas.getBoundingClientRect().left - GUTTER) / (drawing.width - GUTTER)) * data.span;
    view.set(at - view.span / 2, at + view.span / 2);
  }

  canvas.addEventListener("pointerdown", (pointer) => { isDragged = true; canvas.setPointerCapture(pointer.pointerId); go(pointer); });
  canvas.addEventListener("pointermove", (pointer) => { if (isDragged) go(pointer); });
  canvas.addEventListener("pointerup", () => { isDragged = false; });
  canvas.addEventListener("pointercancel", () => { isDragged = false; });
  return { draw };
}
