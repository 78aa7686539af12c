// Curves: GPU metrics and memory in use. What shares a pixel is drawn as its mean, its highest value above it in a lighter tone.

const HIGH = 2 * LANE; // of a curve

// What the values between two times are together: lowest, highest, mean by time, how many, and from when to when.
function between(curve, from, to) {
  let found = null;
  for (let i = firstAfter(curve, curve, from); i < curve.to && curve.start[i] <= to; i++) {
    const held = Math.max(Math.min(curve.end[i], to) - Math.max(curve.start[i], from), 1e-6);
    found ??= { low: Infinity, high: -Infinity, sum: 0, held: 0, count: 0, start: curve.start[i], end: 0 };
    found.low = Math.min(found.low, curve.low[i]);
    found.high = Math.max(found.high, curve.high[i]);
    found.sum += curve.mean[i] * held;
    found.held += held;
    found.count += curve.count[i];
    found.end = curve.end[i];
  }
  if (found) found.mean = found.low === found.high ? found.high : found.sum / found.held;
  return found;
}

function drawCurve(context, curve, track, y, drawing) {
  const scale = HIGH / track.top;
  let run = null; // pixels next to each other that look the same
  function flush() {
    if (!run) return;
    const { x, width, mean, high } = run;
    paint(context, track.color, 0.9, x, y + HIGH - mean * scale, width, mean * scale);
    paint(context, track.color, 0.4, x, y + HIGH - high * scale, width, (high - mean) * scale);
  }
  for (let x = GUTTER; x < drawing.width; x++) {
    const found = between(curve, drawing.time(x), drawing.time(x + 1));
    if (run && run.mean === found?.mean && run.high === found.high) {
      run.width++;
      continue;
    }
    flush();
    run = found && { ...found, x, width: 1 };
  }
  flush();
  context.globalAlpha = 1;
}

// What a curve says at a place of the picture, which is `width` of time wide.
function factsOfCurve(data, track, time, width) {
  const curve = data.curves[track.curve], at = firstAfter(curve, curve, time);
  const isWide = at < curve.to && curve.start[at] <= time && curve.end[at] - curve.start[at] >= width;
  const found = isWide
    ? { ...between(curve, time, time), start: curve.start[at], end: curve.end[at] }
    : between(curve, time - width / 2, time + width / 2);
  if (!found) return null;
  const rows = [["name", track.name]];
  if (found.count === 1) rows.push(["value", amount(found.high, track.unit)]);
  else {
    rows.push(["mean", amount(found.mean, track.unit)], ["lowest", amount(found.low, track.unit)], ["highest", amount(found.high, track.unit)]);
    rows.push(["merged", `${counted(found.count, "value")} in ${duration(found.end - found.start)}`]);
  }
  rows.push(...factsOfSpan(data, found.start, found.end), ["row", `${track.group}, ${track.label}, to ${amount(track.top, track.unit)}`]);
  return rows;
}
