// Where rows are: each track's place from the top, its lanes, which groups are folded and which tracks have all lanes.

const LANE = 16, SPACE = 4, GROUP = 22, GUTTER = 150, MOST_LANES = 12, MORE = 14;
const QUIET = 0.01; // of the capture: threads that are in OS calls for less did hardly anything

function makeRows(data) {
  const folded = new Set(), open = new Set();
  const groups = new Map();
  const byName = Map.groupBy(data.tracks, (track) => track.group);
  const quiet = [...byName].filter(([, tracks]) => isQuiet(tracks)).map(([name]) => name);
  const together = quiet.length > 1 ? `${quiet.length} threads with nothing but short OS calls and the profiler's` : null;
  let threads = 0;
  for (const [group, tracks] of byName) {
    if (together && quiet.includes(group)) continue;
    groups.set(group, tracks.map((track) => ({ track, label: track.label })));
    if (tracks.every((t) => t.isFolded !== undefined)) { // curves, and what ranks have
      if (tracks.every((t) => t.isFolded)) folded.add(group);
      continue;
    }
    const isGpu = isAny(tracks, "idle", "stream");
    const isMain = isAny(tracks, "cuda", "mpi", "nvtx", "nvtx_start_end");
    if (!isGpu && (!isMain || threads >= 6) && threads > 0) folded.add(group);
    if (!isGpu) threads++;
  }
  if (together) {
    groups.set(together, quiet.flatMap((name) => byName.get(name).map((track) => ({ track, label: `${/thread \d+.*/.exec(name)?.[0] ?? name}, ${track.label}` }))));
    folded.add(together);
  }
  const rows = { groups: [], tracks: [], height: 0, reveal };
  rows.toggle = (name) => flip(folded, name);
  rows.unfold = (track) => flip(open, track); // all lanes of a track, or the first ones again
  rows.at = (y) => rows.tracks.find((row) => y >= row.y && y < row.y + row.height);
  rows.place = (track) => rows.tracks.find((row) => row.track.track === track);
  lay();

  function isQuiet(tracks) {
    if (!tracks.every(({ kind, isFolded }) => isFolded === undefined && (kind === "os" || kind === "off_cpu"))) return false;
    let ns = 0;
    for (const { track, kind } of tracks) if (kind === "os")
      eachRow(data, track, (i) => { if (!data.names[data.name[i]].startsWith("[NSys")) ns += data.busy[i]; });
    return ns < QUIET * data.span;
  }

  function lay() {
    rows.groups = [];
    rows.tracks = [];
    let y = 0;
    for (const [name, lines] of groups) {
      rows.groups.push({ name, y, isFolded: folded.has(name), tracks: lines.map(({ track }) => track) });
      y += GROUP;
      if (folded.has(name)) continue;
      for (const { track, label } of lines) {
        const lanes = open.has(track.track) ? track.lanes : Math.min(track.lanes, MOST_LANES);
        const more = track.lanes > MOST_LANES ? (lanes < track.lanes ? `+${counted(track.lanes - lanes, "lane")}` : "fewer lanes") : "";
        rows.tracks.push({ track, label, y, lanes, more, height: lanes * LANE + SPACE + (more ? MORE : 0) });
        y += rows.tracks.at(-1).height;
      }
    }
    rows.height = y + SPACE;
  }

  function flip(names, name) {
    if (!names.delete(name)) names.add(name);
    lay();
  }

  // Unfolds what hides a lane.
  function reveal(track, lane) {
    folded.delete(rows.groups.find(({ tracks }) => tracks.some((one) => one.track === track)).name);
    if (lane >= MOST_LANES) open.add(track);
    lay();
  }

  return rows;
}
