// Gaps: pieces of idle time that touch and have one number are one gap, with an outline and a sentence.

// The gap that a piece belongs to; null for anything else, and for several gaps merged into one row.
function gapAt(data, chosen) {
  const track = chosen && data.tracks.find((one) => one.track === chosen.track);
  if (track?.kind !== "idle" || data.count[chosen.row] > 1) return null;
  const lane = data.lanes.get(chosen.track).find((one) => one.lane === chosen.lane);
  let first = chosen.row, last = chosen.row;
  while (first > lane.from && areOne(data, first - 1, first)) first--;
  while (last + 1 < lane.to && areOne(data, last, last + 1)) last++;
  return { track, lane: lane.lane, first, last, number: data.link[first], from: data.start[first], to: data.end[last] };
}

function areOne(data, i, next) {
  return data.start[next] === data.end[i] && data.link[next] === data.link[i];
}

// The piece to select of the gap after or before the selection, or the middle of what is shown; of these styles, if any are given.
function gapBeside(data, view, state, isNext) {
  const gap = state.gap, track = gap?.track ?? data.tracks.find((one) => one.kind === "idle");
  const lane = track && data.lanes.get(track.track)?.[0];
  if (!lane) return null;
  const at = gap ? gap.from : (view.from + view.to) / 2;
  let best = null;
  for (let i = lane.from; i < lane.to; ) {
    let last = i, longest = -1;
    for (let piece = i; ; piece++) {
      if ((!state.only || state.only.has(data.style[piece])) && (longest < 0 || data.length[piece] > data.length[longest])) longest = piece;
      last = piece;
      if (piece + 1 >= lane.to || !areOne(data, piece, piece + 1)) break;
    }
    const found = { from: data.start[i], to: data.end[last], chosen: { track: track.track, lane: lane.lane, row: longest } };
    i = last + 1;
    if (longest < 0) continue;
    if (isNext && found.from > at && !(found.from <= at && at < found.to)) return found;
    if (!isNext && (gap ? found.from < at : found.to <= at)) best = found;
  }
  return isNext ? null : best;
}

// The longest piece with that number, or of that style.
function longestPiece(data, isIt) {
  let best = null;
  for (const { track, kind } of data.tracks) if (kind === "idle")
    for (const { lane, from, to } of data.lanes.get(track) ?? [])
      for (let i = from; i < to; i++)
        if (isIt(i) && (best === null || data.longest[i] > data.longest[best.row])) best = { track, lane, row: i };
  return best;
}

function factsOfGap(data, gap) {
  const sums = new Map();
  for (let i = gap.first; i <= gap.last; i++) sums.set(data.style[i], (sums.get(data.style[i]) ?? 0) + data.length[i]);
  const parts = [...sums].sort((a, b) => b[1] - a[1]);
  const said = parts.slice(0, 4).map(([style, ns]) => `${data.styles[style].label} ${duration(ns)} (${share(ns, gap.to - gap.from)})`);
  if (parts.length > 4) said.push(counted(parts.length - 4, "more cause"));
  return [[`gap ${gap.number}`, `${gap.track.group} was idle for ${duration(gap.to - gap.from)}`], ["because", said.join(", ")]];
}
