// View and selection in the address: #v=FROM,TO&s=TRACK,LANE,START on the export's clock, so that a link shows the same.

function makeAddress(data, view, state, select) {
  let due = 0, written = "";

  const onClock = (time) => (BigInt(Math.round(time)) + BigInt(data.origin)).toString();
  const fromClock = (text) => Number(BigInt(text) - BigInt(data.origin));

  function hash() {
    const chosen = state.selected;
    const selection = chosen ? `&s=${chosen.track},${chosen.lane},${onClock(data.start[chosen.row])}` : "";
    return `#v=${onClock(view.from)},${onClock(view.to)}${selection}`;
  }

  // A selection is a step that Back undoes; zoom and pan change the step that is there.
  function write(isStep) {
    clearTimeout(due);
    const put = () => {
      written = hash();
      if (written === location.hash) return;
      try {
        history[isStep ? "pushState" : "replaceState"](null, "", written);
      } catch { /* within a notebook there is no address */ }
    };
    if (isStep) put();
    else due = setTimeout(put, 300);
  }

  // Returns whether the address is one of these.
  function follow() {
    const found = /^#v=(-?\d+),(-?\d+)(?:&s=(\d+),(\d+),(-?\d+))?$/.exec(location.hash);
    if (!found) return false;
    if (location.hash === written) return true;
    written = location.hash;
    const lane = found[3] && data.lanes.get(Number(found[3]))?.find((one) => one.lane === Number(found[4]));
    const row = lane ? firstAfter(data, lane, fromClock(found[5])) : -1;
    const isThere = lane && row < lane.to && data.start[row] === fromClock(found[5]);
    select(isThere ? { track: Number(found[3]), lane: Number(found[4]), row } : null);
    view.set(fromClock(found[1]), fromClock(found[2]));
    return true;
  }

  return { write, follow };
}

// The gap after or before a selection, or after or before the middle of what is shown: pieces of idle time that touch.
function gapBeside(data, view, state, isNext) {
  const tracks = data.tracks.filter((one) => one.kind === "idle").map((one) => one.track);
  const chosen = state.selected && tracks.includes(state.selected.track) ? state.selected : null;
  const track = chosen?.track ?? tracks[0], lane = data.lanes.get(track)?.[0];
  if (!lane) return null;
  const at = chosen ? data.start[chosen.row] : (view.from + view.to) / 2;
  let best = null;
  for (let i = lane.from; i < lane.to; ) {
    let last = i, longest = i;
    while (last + 1 < lane.to && data.start[last + 1] === data.end[last]) {
      last++;
      if (data.length[last] > data.length[longest]) longest = last;
    }
    const gap = { from: data.start[i], to: data.end[last], chosen: { track, lane: lane.lane, row: longest } };
    const holds = gap.from <= at && at < gap.to;
    if (isNext && gap.from > at && !holds) return gap;
    if (!isNext && gap.to <= at) best = gap;
    i = last + 1;
  }
  return isNext ? null : best;
}
