// Curves: GPU metrics and memory in use. What shares a pixel is drawn as its mean, its highest value above it in a lighter tone.

const HIGH = 2 * LANE; // of a curve

// The first value that ends after a time.
function firstValue(curve, time) {
  let { from, to } = curve;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (curve.end[middle] > time) to = middle;
    else from = middle + 1;
  }
  return from;
}

// What the values between two times are together: lowest, highest, mean by time, how many, and from when to when.
function between(curve, from, to) {
  let found = null;
  for (let i = firstValue(curve, from); i < curve.to && curve.start[i] <= to; i++) {
    const held = Math.max(Math.min(curve.end[i], to) - Math.max(curve.start[i], from), 1e-6);
    found ??= { low: Infinity, high: -Infinity, sum: 0, held: 0, count: 0, start: curve.start[i], end: 0 };
    found.low = Math.min(found.low, curve.low[i]);
    found.high = Math.max(found.high, curve.high[i]);
    found.sum += curve.mean[i] * held;
    found.held += held;
    found.count += curve.count[i];
    found.end = curve.end[i];
  }
  return found;
}

function drawCurve(context, curve, track, y, view, drawing) {
  const scale = HIGH / track.top, right = drawing.width + 1;
  const bars = { high: [], mean: [] };
  let pixel = -1, high = 0, sum = 0, held = 0;
  function flush() {
    if (pixel >= 0) put(pixel, 1, held > 0 ? sum / held : high, high);
    pixel = -1;
  }
  function put(x, width, mean, most) {
    if (mean > 0) bars.mean.push(x, width, mean * scale);
    if (most > mean) bars.high.push(x, width, mean * scale, most * scale);
  }
  for (let i = firstValue(curve, view.from); i < curve.to && curve.start[i] <= view.to; i++) {
    const left = drawing.x(curve.start[i]), width = drawing.x(curve.end[i]) - left;
    if (width >= 1) {
      flush();
      const from = Math.max(left, GUTTER - 1), to = Math.min(left + width, right);
      put(from, to - from, curve.mean[i], curve.high[i]);
      continue;
    }
    const column = Math.floor(left);
    if (column !== pixel) {
      flush();
      [pixel, high, sum, held] = [column, curve.high[i], 0, 0];
    }
    high = Math.max(high, curve.high[i]);
    sum += curve.mean[i] * width;
    held += width;
  }
  flush();
  context.fillStyle = track.color;
  context.globalAlpha = 0.9;
  for (let i = 0; i < bars.mean.length; i += 3) context.fillRect(bars.mean[i], y + HIGH - bars.mean[i + 2], bars.mean[i + 1], bars.mean[i + 2]);
  context.globalAlpha = 0.4;
  for (let i = 0; i < bars.high.length; i += 4)
    context.fillRect(bars.high[i], y + HIGH - bars.high[i + 3], bars.high[i + 1], bars.high[i + 3] - bars.high[i + 2]);
  context.globalAlpha = 1;
}

// What a curve says at a place of the picture, which is `width` of time wide.
function factsOfCurve(data, track, time, width) {
  const curve = data.curves[track.curve], at = firstValue(curve, time);
  const isWide = at < curve.to && curve.start[at] <= time && curve.end[at] - curve.start[at] >= width;
  const found = isWide
    ? { ...between(curve, time, time), start: curve.start[at], end: curve.end[at] }
    : between(curve, time - width / 2, time + width / 2);
  if (!found) return null;
  const isOne = found.count === 1;
  const mean = found.sum / found.held;
  const rows = [["name", track.name]];
  if (isOne) rows.push(["value", amount(found.high, track.unit)]);
  else {
    rows.push(["mean", amount(mean, track.unit)], ["lowest", amount(found.low, track.unit)], ["highest", amount(found.high, track.unit)]);
    rows.push(["merged", `${counted(found.count, "value")} in ${duration(found.end - found.start)}`]);
  }
  rows.push(["start", `${moment(data, found.start)}, +${duration(found.start)}`], ["end", moment(data, found.end)]);
  rows.push(["row", `${track.group}, ${track.label}, to ${amount(track.top, track.unit)}`]);
  return rows;
}
