// Where rows are: each track's place from the top, its lanes, which groups are folded and which tracks have all lanes.

const LANE = 16, SPACE = 4, GROUP = 22, GUTTER = innerWidth < 700 ? 92 : 150, MOST_LANES = 12, MORE = 14;

function makeRows(data) {
  const folded = new Set(), open = new Set();
  const groups = Map.groupBy(data.tracks, (track) => track.group);
  for (const [group, tracks] of groups) if (tracks.every(({ isFolded }) => isFolded)) folded.add(group);
  const rows = { groups: [], tracks: [], height: 0, reveal };
  rows.toggle = (name) => flip(folded, name);
  rows.unfold = (track) => flip(open, track); // all lanes of a track, or the first ones again
  rows.at = (y) => rows.tracks.find((row) => y >= row.y && y < row.y + row.height);
  rows.place = (track) => rows.tracks.find((row) => row.track.track === track);
  lay();

  function lay() {
    rows.groups = [];
    rows.tracks = [];
    let y = 0;
    for (const [name, tracks] of groups) {
      rows.groups.push({ name, y, isFolded: folded.has(name), tracks });
      y += GROUP;
      if (folded.has(name)) continue;
      for (const track of tracks) {
        const lanes = open.has(track.track) ? track.lanes : Math.min(track.lanes, MOST_LANES);
        const more = track.lanes > MOST_LANES ? (lanes < track.lanes ? `+${counted(track.lanes - lanes, "lane")}` : "fewer lanes") : "";
        rows.tracks.push({ track, y, lanes, more, height: lanes * LANE + SPACE + (more ? MORE : 0) });
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
