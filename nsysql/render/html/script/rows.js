// Where rows are: each track's place from the top, its lanes, and which groups are folded.

const LANE = 16, SPACE = 4, GROUP = 22, GUTTER = 150, MOST_LANES = 12;

function makeRows(data) {
  const folded = new Set();
  const groups = new Map();
  for (const track of data.tracks) {
    if (!groups.has(track.group)) groups.set(track.group, []);
    groups.get(track.group).push(track);
  }
  let threads = 0;
  for (const [group, tracks] of groups) {
    if (tracks.every((t) => t.kind === "curve")) {
      if (tracks.every((t) => t.isFolded)) folded.add(group);
      continue;
    }
    const isGpu = tracks.some((t) => t.kind === "idle" || t.kind === "stream");
    const isMain = tracks.some((t) => t.kind === "cuda" || t.kind.startsWith("nvtx"));
    if (!isGpu && (!isMain || threads >= 6) && threads > 0) folded.add(group);
    if (!isGpu) threads++;
  }
  const rows = { groups: [], tracks: [], height: 0, folded, toggle, at, place };
  const places = new Map();
  lay();

  function lay() {
    rows.groups = [];
    rows.tracks = [];
    places.clear();
    let y = 0;
    for (const [name, tracks] of groups) {
      rows.groups.push({ name, y, isFolded: folded.has(name), tracks });
      y += GROUP;
      if (folded.has(name)) continue;
      for (const track of tracks) {
        const lanes = Math.min(track.lanes, MOST_LANES);
        const row = { track, y, lanes, height: lanes * LANE + SPACE };
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

  function at(y) {
    return rows.tracks.find((row) => y >= row.y && y < row.y + row.height);
  }

  function place(track) {
    return places.get(track);
  }

  return rows;
}
