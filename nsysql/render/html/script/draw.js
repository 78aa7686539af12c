// Draws the rows that are in view. What is narrower than a pixel is drawn as how much of the pixel is covered; of idle
// time the height of a pixel's column is its share, stacked by cause.

const LETTER = 5.8; // width of a letter, about
const FAINT = 0.18; // how much is left of what is not chosen
const SHADES = 16; // of how much of a pixel is covered

function setFont(context, size) {
  context.font = `${size} ui-sans-serif, system-ui, sans-serif`;
}

function outline(context, color, line, x, y, width, height) {
  context.strokeStyle = color;
  context.lineWidth = line;
  context.strokeRect(x, y, width, height);
}

function paint(context, color, alpha, x, y, width, height) {
  context.globalAlpha = alpha;
  context.fillStyle = color;
  context.fillRect(x, y, width, height);
}

function makeDrawing(data, view, rows, state) {
  const frame = byId("frame");
  const picture = byId("picture"), ruler = byId("ruler");
  const context = picture.getContext("2d"), rule = ruler.getContext("2d");
  const colors = data.styles.map((style) => style.color), texts = data.styles.map((style) => style.text);
  let theme = readTheme();
  on(matchMedia("(prefers-color-scheme: dark)"), "change", () => { theme = readTheme(); draw(); });
  const drawing = {
    width: 0, frames: 0, time, draw, size, clip, theme: () => theme,
    get room() { return drawing.width - GUTTER; },
    x: (time) => GUTTER + ((time - view.from) / view.span) * drawing.room,
  };

  function time(x) {
    return view.from + ((x - GUTTER) / drawing.room) * view.span;
  }

  function readTheme() {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(["back", "text", "soft", "row", "accent", "gold"].map((n) => [n, style.getPropertyValue(`--${n}`).trim()]));
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
    setFont(ctx, "11px");
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
    paint(context, theme.gold, 0.12, left, 0, Math.max(1, right - left), rows.height);
    context.globalAlpha = 1;
    if (row) outline(context, theme.gold, 2, left, row.y, Math.max(2, right - left), LANE - 1);
    context.textAlign = "right";
    context.fillText(name, Math.max(GUTTER + 60, right), (row?.y ?? Math.max(GROUP, frame.scrollTop + GROUP)) - GROUP / 2);
    context.textAlign = "left";
  }

  function drawGroup({ name, y, isFolded, tracks }) {
    paint(context, theme.back, 1, 0, y, drawing.width, GROUP - 1);
    context.fillStyle = theme.text;
    setFont(context, "600 11px");
    const folded = isFolded ? `   (${counted(tracks.length, "row")} folded; click to unfold)` : "";
    context.fillText(`${isFolded ? "▸" : "▾"} ${name}${folded}`, 4, y + GROUP / 2 + 1);
    setFont(context, "11px");
  }

  // Until it is restored, nothing is drawn in the margin, or above or below.
  function keepWithin(y, height) {
    context.save();
    context.beginPath();
    context.rect(GUTTER, y, drawing.room, height);
    context.clip();
  }

  function drawRow(row) {
    paint(context, theme.row, 1, GUTTER, row.y, drawing.room, row.lanes * LANE);
    keepWithin(row.y, row.height);
    if (row.track.kind === "curve") drawCurve(context, data.curves[row.track.curve], row.track, row.y, drawing);
    for (const lane of lanesOf(data, row.track.track)) if (lane.lane < row.lanes) {
      if (row.track.kind === "idle") drawIdle(lane, row.y + lane.lane * LANE);
      else drawLane(lane, row.y + lane.lane * LANE);
    }
    context.restore();
    context.fillStyle = theme.soft;
    context.fillText(clip(row.track.label, GUTTER - 16), 14, row.y + LANE / 2);
    if (row.more) {
      context.fillStyle = theme.accent;
      context.fillText(`${row.more.startsWith("+") ? "▸" : "▾"} ${row.more}`, GUTTER + 4, row.y + row.lanes * LANE + MORE / 2);
      context.fillStyle = theme.soft;
    }
    if (row.track.kind !== "curve") return;
    setFont(context, "9px");
    context.fillText(`to ${amount(row.track.top, row.track.unit)}`, 14, row.y + LANE * 1.4);
    setFont(context, "11px");
  }

  // Pixels next to each other that look the same are drawn as one: of a large capture that is most of them.
  function drawLane(lane, y) {
    let pixel = null;
    const { start, length, busy } = data, { from, to } = view, scale = drawing.room / view.span;
    const run = { from: 0, to: 0, style: 0, shade: 0 };
    function drawRun() {
      if (run.to === run.from) return;
      paint(context, colors[run.style], run.shade / SHADES, run.from, y, run.to - run.from, LANE - 1);
      run.from = run.to;
    }
    function flush() {
      if (!pixel) return;
      const { column, covered, style, isFaint } = pixel;
      const shade = Math.ceil((0.35 + 0.65 * Math.min(1, covered)) * (isFaint ? FAINT : 1) * SHADES);
      if (run.to !== column || run.style !== style || run.shade !== shade) {
        drawRun();
        Object.assign(run, { from: column, style, shade });
      }
      run.to = column + 1;
      pixel = null;
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
      if (column !== pixel?.column) {
        flush();
        pixel = { column, covered: 0, longest: -1, style: 0, isFaint: true };
      }
      pixel.covered += busy[i] * scale;
      pixel.isFaint &&= isDimmed(i);
      if (data.longest[i] > pixel.longest) {
        pixel.longest = data.longest[i];
        pixel.style = data.style[i];
      }
    }
    flush();
    drawRun();
    context.globalAlpha = 1;
  }

  // The colored area is the idle time: nothing is drawn larger than it is.
  function drawIdle(lane, y) {
    const { start, length, busy } = data;
    const bottom = y + LANE - 1, stacked = new Map(); // color -> share of the column
    let column = -1;
    function flush() {
      let low = bottom;
      for (const [color, { share, isFaint }] of stacked) {
        const high = share * (LANE - 1);
        paint(context, color, isFaint ? FAINT : 1, column, low - high, 1, high);
        low -= high;
      }
      stacked.clear();
    }
    function add(at, share, i) {
      if (at !== column) flush();
      column = at;
      const color = colors[data.style[i]], part = stacked.get(color) ?? { share: 0, isFaint: true };
      part.share += share;
      part.isFaint &&= isDimmed(i);
      stacked.set(color, part);
    }
    for (let i = firstAfter(data, lane, view.from); i < lane.to && start[i] <= view.to; i++) {
      const left = Math.max(GUTTER, drawing.x(start[i])), right = Math.min(drawing.width, drawing.x(data.end[i]));
      const dense = length[i] ? busy[i] / length[i] : 0, first = Math.floor(left), last = Math.floor(right);
      if (right <= left) continue;
      add(first, dense * (Math.min(first + 1, right) - left), i);
      if (last > first + 1) {
        const high = dense * (LANE - 1);
        flush();
        paint(context, colors[data.style[i]], isDimmed(i) ? FAINT : 1, first + 1, bottom - high, last - first - 1, high);
        drawName(i, first + 1, last, bottom + 1 - LANE / 2);
      }
      if (last > first) add(last, dense * (right - last), i);
    }
    flush();
    context.globalAlpha = 1;
  }

  function drawName(i, left, right, y) {
    if (data.count[i] > 1 || right - left < 28) return;
    context.fillStyle = texts[data.style[i]];
    context.fillText(clip(shortName(data, i), right - left - 6), left + 3, y);
  }

  function isDimmed(i) {
    return (state.matches !== null && !state.matches[i]) || (state.only !== null && !state.only.has(data.style[i]));
  }

  function drawEvent(i, left, width, y) {
    const from = Math.max(left, GUTTER - 1), to = Math.min(left + width, drawing.width + 1);
    const share = data.count[i] > 1 ? Math.max(0.35, Math.min(1, data.busy[i] / data.length[i])) : 1;
    const shown = Math.max(1, to - from - (width > 4 ? 0.5 : 0));
    paint(context, colors[data.style[i]], share * (isDimmed(i) ? FAINT : 1), from, y, shown, LANE - 1);
    if (data.styles[data.style[i]].isOwn && to - from > 3) // any color, also one that the page has
      outline(context, theme.soft, 0.5, from + 0.5, y + 0.5, to - from - 1.5, LANE - 2);
    drawName(i, from, to, y + LANE / 2);
  }

  function clip(text, width) {
    const cut = () => (text.length <= letters ? text : text.slice(0, Math.max(1, letters - 1)) + "…");
    let letters = Math.floor((width / LETTER) * 1.3), shown = cut();
    for (let wide; letters > 1 && (wide = context.measureText(shown).width) > width; ) {
      letters = Math.min(shown.length - 1, Math.floor((shown.length * width) / wide));
      shown = cut();
    }
    return shown;
  }

  function drawRuler() {
    const least = view.span / Math.max(2, drawing.room / 100);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, [1, 2, 5, 10].map((s) => s * power).find((s) => s >= least));
    rule.fillStyle = theme.soft;
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
    keepWithin(0, rows.height);
    outline(context, theme.gold, 2, box.left, box.y, Math.max(2, box.width), LANE - 1);
    for (const other of state.linked) drawArrow(context, theme.gold, box, boxOf(other.track, other.lane, other.row));
    context.restore();
  }

  function boxOf(track, lane, i) {
    const row = rows.place(track);
    if (!row || row.track.kind === "curve" || lane >= row.lanes) return null;
    return { left: drawing.x(data.start[i]), width: (data.length[i] / view.span) * drawing.room, y: row.y + lane * LANE };
  }

  return drawing;
}
