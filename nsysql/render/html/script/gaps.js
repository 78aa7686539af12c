// Gaps: pieces of idle time that touch and have one number are one gap, with an outline and a sentence.

// The gap that a piece belongs to; null for anything else, and for several gaps merged into one row.
function gapAt(data, chosen) {
  const track = trackOf(data, chosen);
  if (track?.kind !== "idle" || data.count[chosen.row] > 1) return null;
  const lane = laneOf(data, chosen);
  let first = chosen.row, last = chosen.row;
  while (first > lane.from && areOne(data, first - 1, first)) first--;
  while (last + 1 < lane.to && areOne(data, last, last + 1)) last++;
  return { track, first, last, number: data.link[first], from: data.start[first], to: data.end[last] };
}

function areOne(data, i, next) {
  return data.start[next] === data.end[i] && data.link[next] === data.link[i];
}

// The piece to select of the gap after or before the selection, or the middle of what is shown; of these styles, if any are given.
function gapBeside(data, view, state, isNext) {
  const gap = state.gap, track = gap?.track ?? data.tracks.find((one) => one.kind === "idle");
  const [lane] = lanesOf(data, track?.track);
  if (!lane) return null;
  const at = gap ? gap.from : (view.from + view.to) / 2;
  let best = null;
  for (let i = lane.from; i < lane.to; ) {
    const from = data.start[i];
    let row = -1;
    do {
      if ((!state.only || state.only.has(data.style[i])) && !(data.length[i] <= data.length[row])) row = i;
      i++;
    } while (i < lane.to && areOne(data, i - 1, i));
    if (row < 0) continue;
    const found = { track: track.track, lane: lane.lane, row };
    if (isNext && from > at) return found;
    if (!isNext && (gap ? from < at : data.end[i - 1] <= at)) best = found;
  }
  return isNext ? null : best;
}

// The longest piece with that number, or of that style.
function longestPiece(data, isIt) {
  let best = null;
  for (const { track, kind } of data.tracks) if (kind === "idle")
    eachRow(data, track, (row, lane) => {
      if (isIt(row) && !(data.longest[row] <= data.longest[best?.row])) best = { track, lane, row };
    });
  return best;
}

function factsOfGap(data, gap) {
  const parts = sumUp((add) => { for (let i = gap.first; i <= gap.last; i++) add(data.style[i], data.length[i]); });
  const said = parts.slice(0, 4).map(([style, ns]) => `${data.styles[style].label} ${duration(ns)} (${share(ns, gap.to - gap.from)})`);
  if (parts.length > 4) said.push(counted(parts.length - 4, "more cause"));
  return [[`gap ${gap.number}`, `${gap.track.group} was idle for ${duration(gap.to - gap.from)}`], ["because", said.join(", ")]];
}
