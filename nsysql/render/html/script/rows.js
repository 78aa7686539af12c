// Where rows are: each track's place from the top, its lanes, which groups are folded and which tracks have all lanes.

const LANE = 16, SPACE = 4, GROUP = 22, GUTTER = 150, MOST_LANES = 12, MORE = 14;
const QUIET = 0.01; // of the capture: threads that are in OS calls for less did hardly anything

function makeRows(data) {
  const folded = new Set(), open = new Set();
  const groups = new Map(), groupOf = new Map();
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
    const isGpu = tracks.some((t) => t.kind === "idle" || t.kind === "stream");
    const isMain = tracks.some((t) => t.kind === "cuda" || t.kind === "mpi" || t.kind.startsWith("nvtx"));
    if (!isGpu && (!isMain || threads >= 6) && threads > 0) folded.add(group);
    if (!isGpu) threads++;
  }
  if (together) {
    groups.set(together, quiet.flatMap((name) => byName.get(name).map((track) => ({ track, label: `${/thread \d+.*/.exec(name)?.[0] ?? name}, ${track.label}` }))));
    folded.add(together);
  }
  for (const [name, lines] of groups) for (const { track } of lines) groupOf.set(track.track, name);
  const rows = { groups: [], tracks: [], height: 0, folded, toggle, unfold, reveal, at, place };
  const places = new Map();
  lay();

  function isQuiet(tracks) {
    if (!tracks.every(({ kind, isFolded }) => isFolded === undefined && (kind === "os" || kind === "off_cpu"))) return false;
    let ns = 0;
    for (const { track, kind } of tracks) if (kind === "os")
      for (const { from, to } of data.lanes.get(track) ?? [])
        for (let i = from; i < to; i++) if (!data.names[data.name[i]].startsWith("[NSys")) ns += data.busy[i];
    return ns < QUIET * data.span;
  }

  function lay() {
    rows.groups = [];
    rows.tracks = [];
    places.clear();
    let y = 0;
    for (const [name, lines] of groups) {
      rows.groups.push({ name, y, isFolded: folded.has(name), tracks: lines.map(({ track }) => track) });
      y += GROUP;
      if (folded.has(name)) continue;
      for (const { track, label } of lines) {
        const lanes = open.has(track.track) ? track.lanes : Math.min(track.lanes, MOST_LANES);
        const more = track.lanes > MOST_LANES ? (lanes < track.lanes ? `+${counted(track.lanes - lanes, "lane")}` : "fewer lanes") : "";
        const row = { track, label, y, lanes, more, height: lanes * LANE + SPACE + (more ? MORE : 0) };
        rows.tracks.push(row);
        places.set(track.track, row);
        y += row.height;
      }
    }
    rows.height = y + SPACE;
  }

  function toggle(name) {
    if (!folded.delete(name)) folded.add(name);
    lay();
  }

  // All lanes of a track, or the first ones again.
  function unfold(track) {
    if (!open.delete(track)) open.add(track);
    lay();
  }

  // Unfolds what hides a lane.
  function reveal(track, lane) {
    folded.delete(groupOf.get(track));
    if (lane >= MOST_LANES) open.add(track);
    lay();
  }

  function at(y) {
    return rows.tracks.find((row) => y >= row.y && y < row.y + row.height);
  }

  function place(track) {
    return places.get(track);
  }

  return rows;
}
