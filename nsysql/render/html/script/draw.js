// Draws the rows that are in view. What is narrower than a pixel is drawn as how much of the pixel is covered; of idle
// time the height of a pixel's column is its share, stacked by cause.

const LETTER = 5.8; // width of a letter, about
const SHADES = 16; // of how much of a pixel is covered

function makeDrawing(data, view, rows, state) {
  const frame = document.getElementById("frame");
  const picture = document.getElementById("picture"), ruler = document.getElementById("ruler");
  const context = picture.getContext("2d"), rule = ruler.getContext("2d");
  const colors = data.styles.map((style) => style.color), texts = data.styles.map((style) => style.text);
  let theme = readTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { theme = readTheme(); draw(); });
  const drawing = { width: 0, frames: 0, x: (time) => GUTTER + ((time - view.from) / view.span) * (drawing.width - GUTTER), time, draw, size, clip, theme: () => theme };

  function time(x) {
    return view.from + ((x - GUTTER) / (drawing.width - GUTTER)) * view.span;
  }

  function readTheme() {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(["back", "text", "soft", "line", "row", "accent", "gold"].map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
  }

  function size(canvas, ctx, width, height) {
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.height = `${height}px`;
    }
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.fillStyle = theme.back;
    ctx.fillRect(0, 0, width, height);
    ctx.font = "11px ui-sans-serif, system-ui, sans-serif";
    ctx.textBaseline = "middle";
  }

  function draw() {
    drawing.width = frame.clientWidth;
    drawing.frames++;
    size(picture, context, drawing.width, rows.height);
    size(ruler, rule, drawing.width, 26);
    drawRuler();
    const top = frame.scrollTop - 20, bottom = frame.scrollTop + frame.clientHeight + 20;
    for (const row of rows.tracks) if (row.y + row.height > top && row.y < bottom) drawRow(row);
    for (const group of rows.groups) drawGroup(group);
    if (state.gap) drawBand(state.gap, `gap ${state.gap.number}`, rows.place(state.gap.track.track));
    if (state.interval) drawBand(state.interval, duration(state.interval.to - state.interval.from), null);
    if (state.selected !== null) drawSelection();
  }

  // A gap or an interval: a band over all rows with its name, of a gap an outline of its pieces, too.
  function drawBand({ from, to }, name, row) {
    const left = Math.max(GUTTER, drawing.x(from)), right = Math.min(drawing.width, drawing.x(to));
    if (right < GUTTER || left > drawing.width) return;
    context.fillStyle = context.strokeStyle = theme.gold;
    context.globalAlpha = 0.12;
    context.fillRect(left, 0, Math.max(1, right - left), rows.height);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    if (row) context.strokeRect(left, row.y, Math.max(2, right - left), LANE - 1);
    context.textAlign = "right";
    context.fillText(name, Math.max(GUTTER + 60, right), (row?.y ?? Math.max(GROUP, frame.scrollTop + GROUP)) - GROUP / 2);
    context.textAlign = "left";
  }

  function drawGroup({ name, y, isFolded, tracks }) {
    context.fillStyle = theme.back;
    context.fillRect(0, y, drawing.width, GROUP - 1);
    context.fillStyle = theme.text;
    context.font = "600 11px ui-sans-serif, system-ui, sans-serif";
    const folded = isFolded ? `   (${counted(tracks.length, "row")} folded; click to unfold)` : "";
    context.fillText(`${isFolded ? "▸" : "▾"} ${name}${folded}`, 4, y + GROUP / 2 + 1);
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
  }

  function drawRow(row) {
    context.fillStyle = theme.row;
    context.fillRect(GUTTER, row.y, drawing.width - GUTTER, row.lanes * LANE);
    context.save();
    context.beginPath();
    context.rect(GUTTER, row.y, drawing.width - GUTTER, row.height);
    context.clip();
    if (row.track.kind === "curve") drawCurve(context, data.curves[row.track.curve], row.track, row.y, view, drawing);
    for (const lane of data.lanes.get(row.track.track) ?? []) if (lane.lane < row.lanes) {
      if (row.track.kind === "idle") drawIdle(lane, row.y + lane.lane * LANE);
      else drawLane(lane, row.y + lane.lane * LANE);
    }
    context.restore();
    context.fillStyle = theme.soft;
    context.fillText(clip(row.label, GUTTER - 16), 14, row.y + LANE / 2);
    if (row.more) {
      context.fillStyle = theme.accent;
      context.fillText(`${row.more.startsWith("+") ? "▸" : "▾"} ${row.more}`, GUTTER + 4, row.y + row.lanes * LANE + MORE / 2);
      context.fillStyle = theme.soft;
    }
    if (row.track.kind !== "curve") return;
    context.font = "9px ui-sans-serif, system-ui, sans-serif";
    context.fillText(`to ${amount(row.track.top, row.track.unit)}`, 14, row.y + LANE * 1.4);
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
  }

  // Pixels next to each other that look the same are drawn as one: of a large capture that is most of them.
  function drawLane(lane, y) {
    let pixel = -1, covered = 0, longest = -1, style = 0, isFaint = true;
    const { start, length, busy } = data, { from, to } = view, scale = (drawing.width - GUTTER) / view.span;
    const run = { from: 0, to: 0, style: 0, shade: 0 };
    function drawRun() {
      if (run.to === run.from) return;
      context.globalAlpha = run.shade / SHADES;
      context.fillStyle = colors[run.style];
      context.fillRect(run.from, y, run.to - run.from, LANE - 1);
      run.from = run.to;
    }
    function flush() {
      if (pixel < 0) return;
      const shade = Math.ceil((0.35 + 0.65 * Math.min(1, covered)) * (isFaint ? 0.18 : 1) * SHADES);
      if (run.to !== pixel || run.style !== style || run.shade !== shade) {
        drawRun();
        Object.assign(run, { from: pixel, style, shade });
      }
      run.to = pixel + 1;
      pixel = -1;
    }
    for (let i = firstAfter(data, lane, from); i < lane.to && start[i] <= to; i++) {
      const left = GUTTER + (start[i] - from) * scale, width = length[i] * scale;
      if (width >= 1.2) {
        flush();
        drawRun();
        drawEvent(i, left, width, y);
        continue;
      }
      const column = Math.floor(left);
      if (column !== pixel) {
        flush();
        pixel = column;
        covered = 0;
        longest = -1;
        isFaint = true;
      }
      covered += busy[i] * scale;
      isFaint = isFaint && isDimmed(i);
      if (data.longest[i] > longest) {
        longest = data.longest[i];
        style = data.style[i];
      }
    }
    flush();
    drawRun();
    context.globalAlpha = 1;
  }

  // The colored area is the idle time: nothing is drawn larger than it is.
  function drawIdle(lane, y) {
    const { start, length, busy } = data, { from, to } = view, scale = (drawing.width - GUTTER) / view.span;
    const bottom = y + LANE - 1, stacked = new Map(); // color -> share of the column
    let column = -1;
    function flush() {
      let low = bottom;
      for (const [color, { share, isFaint }] of stacked) {
        const high = share * (LANE - 1);
        context.globalAlpha = isFaint ? 0.18 : 1;
        context.fillStyle = color;
        context.fillRect(column, low - high, 1, high);
        low -= high;
      }
      stacked.clear();
    }
    function add(at, share, i) {
      if (at !== column) flush();
      column = at;
      const color = colors[data.style[i]], part = stacked.get(color) ?? { share: 0, isFaint: true };
      part.share += share;
      part.isFaint = part.isFaint && isDimmed(i);
      stacked.set(color, part);
    }
    for (let i = firstAfter(data, lane, from); i < lane.to && start[i] <= to; i++) {
      const left = Math.max(GUTTER, GUTTER + (start[i] - from) * scale);
      const right = Math.min(drawing.width, GUTTER + (start[i] + length[i] - from) * scale);
      const dense = length[i] ? busy[i] / length[i] : 0, first = Math.floor(left), last = Math.floor(right);
      if (right <= left) continue;
      if (first === last) {
        add(first, dense * (right - left), i);
        continue;
      }
      add(first, dense * (first + 1 - left), i);
      if (last > first + 1) {
        flush();
        drawWhole(i, first + 1, last, dense, bottom);
      }
      add(last, dense * (right - last), i);
    }
    flush();
    context.globalAlpha = 1;
  }

  function drawWhole(i, left, right, dense, bottom) {
    const high = dense * (LANE - 1);
    context.globalAlpha = isDimmed(i) ? 0.18 : 1;
    context.fillStyle = colors[data.style[i]];
    context.fillRect(left, bottom - high, right - left, high);
    if (data.count[i] > 1 || right - left < 28) return;
    context.fillStyle = texts[data.style[i]];
    context.fillText(clip(shortName(data, i), right - left - 6), left + 3, bottom + 1 - LANE / 2);
  }

  function isDimmed(i) {
    return (state.matches !== null && !state.matches[i]) || (state.only !== null && !state.only.has(data.style[i]));
  }

  function drawEvent(i, left, width, y) {
    const isMerged = data.count[i] > 1;
    const from = Math.max(left, GUTTER - 1), to = Math.min(left + width, drawing.width + 1);
    const share = isMerged ? Math.max(0.35, Math.min(1, data.busy[i] / data.length[i])) : 1;
    context.globalAlpha = share * (isDimmed(i) ? 0.18 : 1);
    context.fillStyle = colors[data.style[i]];
    context.fillRect(from, y, Math.max(1, to - from - (width > 4 ? 0.5 : 0)), LANE - 1);
    if (data.styles[data.style[i]].isOwn && to - from > 3) { // any color, also one that the page has
      context.strokeStyle = theme.soft;
      context.lineWidth = 0.5;
      context.strokeRect(from + 0.5, y + 0.5, to - from - 1.5, LANE - 2);
    }
    if (isMerged || to - from < 28) return;
    context.fillStyle = texts[data.style[i]];
    context.fillText(clip(shortName(data, i), to - from - 6), from + 3, y + LANE / 2);
  }

  function clip(text, width) {
    let letters = Math.floor((width / LETTER) * 1.3);
    let shown = text.length <= letters ? text : text.slice(0, Math.max(1, letters - 1)) + "…";
    for (let wide; letters > 1 && (wide = context.measureText(shown).width) > width; ) {
      letters = Math.min(shown.length - 1, Math.floor((shown.length * width) / wide));
      shown = text.slice(0, Math.max(1, letters - 1)) + "…";
    }
    return shown;
  }

  function drawRuler() {
    const least = view.span / Math.max(2, (drawing.width - GUTTER) / 100);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, [1, 2, 5, 10].map((s) => s * power).find((s) => s >= least));
    rule.fillStyle = theme.soft;
    rule.strokeStyle = theme.line;
    rule.fillText(`from ${moment(data, 0).replace(/0+ s$/, " s")}`.slice(0, 24), 4, 14);
    for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
      const x = drawing.x(at);
      rule.fillRect(x, 20, 1, 6);
      if (x < drawing.width - 30) rule.fillText(at ? `${at > 0 ? "+" : ""}${roundTime(at)}` : "0", x + 3, 12);
    }
  }

  function drawSelection() {
    const box = boxOf(state.selected.track, state.selected.lane, state.selected.row);
    if (!box) return;
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, drawing.width - GUTTER, rows.height);
    context.clip();
    context.strokeStyle = theme.gold;
    context.lineWidth = 2;
    context.strokeRect(box.left, box.y, Math.max(2, box.width), LANE - 1);
    for (const other of state.linked) drawArrow(context, theme.gold, box, boxOf(other.track, other.lane, other.row));
    context.restore();
  }

  function boxOf(track, lane, i) {
    const row = rows.place(track);
    if (!row || row.track.kind === "curve" || lane >= row.lanes) return null;
    return { left: drawing.x(data.start[i]), width: (data.length[i] / view.span) * (drawing.width - GUTTER), y: row.y + lane * LANE };
  }

  return drawing;
}
