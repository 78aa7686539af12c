// What belongs together: a call and the work that it launched, by their common link; and the arrow between them.

const MOST_ARROWS = 200;

function linkedTo(data, i) {
  const found = [];
  if (!data.link[i]) return found;
  for (const { track, kind } of data.tracks) if (kind !== "idle") // whose link is the number of the gap
    eachRow(data, track, (row, lane) => {
      if (data.link[row] === data.link[i] && row !== i && found.length < MOST_ARROWS) found.push({ track, lane, row });
    });
  return found;
}

function drawArrow(context, color, one, other) {
  if (!other) return;
  const [from, to] = one.left <= other.left ? [one, other] : [other, one];
  const x = from.left + Math.min(from.width, 2), y = from.y + (from.y < to.y ? LANE : 0);
  const endX = to.left, endY = to.y + (from.y < to.y ? 0 : LANE), bend = Math.max(20, (endX - x) / 2);
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y);
  context.bezierCurveTo(x + bend, y, endX - bend, endY, endX, endY);
  context.stroke();
  context.beginPath();
  context.arc(endX, endY, 3, 0, 7);
  context.fill();
}
