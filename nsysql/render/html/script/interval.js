// An interval that was selected by dragging with Shift: what GPUs and threads did in it, as small tables.

const TOP = 5; // rows of a table

// Calls `take` with each event of a track that lies in the interval, and for how long.
function within(data, track, from, to, take) {
  for (const lane of lanesOf(data, track))
    for (let i = firstAfter(data, lane, from); i < lane.to && data.start[i] < to; i++) {
      const held = Math.min(data.end[i], to) - Math.max(data.start[i], from);
      take(i, data.length[i] ? (held * data.busy[i]) / data.length[i] : 0);
    }
}

// From the first to the last work on a GPU's streams.
function windowOf(data, tracks) {
  let from = Infinity, to = -Infinity;
  for (const { track, kind } of tracks) if (kind === "stream")
    eachRow(data, track, (i) => {
      from = Math.min(from, data.start[i]);
      to = Math.max(to, data.end[i]);
    });
  return { from, to };
}

// Keys with their time, the longest first; `each` calls what it is given with both.
function sumUp(each) {
  const sums = new Map();
  each((key, ns) => sums.set(key, (sums.get(key) ?? 0) + ns));
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function sumsIn(data, tracks, from, to, keyOf) {
  return sumUp((add) => { for (const { track } of tracks) within(data, track, from, to, (i, ns) => add(keyOf(i), ns)); });
}

const total = (sums) => sums.reduce((ns, [, one]) => ns + one, 0);

// The longest, and the others together.
function rowsOf(sums, top) {
  const rest = sums.slice(top);
  return rest.length ? [...sums.slice(0, top), [`${rest.length} more`, total(rest)]] : sums;
}

// Titles with rows of name and time. Merged events count as the longest.
function tablesOf(data, { from, to }) {
  const sumsOf = (tracks, family, name) =>
    sumsIn(data, tracks.filter(({ kind }) => kind.startsWith(family)), from, to, (i) => (data.count[i] > 1 ? "mostly " : "") + name(i));
  const made = [], groups = Map.groupBy(data.tracks, (track) => track.group);
  for (const [group, tracks] of groups) {
    if (!isAny(tracks, "stream")) continue;
    const window = windowOf(data, tracks), idle = sumsOf(tracks, "idle", (i) => data.styles[data.style[i]].label);
    const length = Math.max(0, Math.min(to, window.to) - Math.max(from, window.from));
    made.push([group, [["busy", length - total(idle)], ...rowsOf(idle, TOP + 1)]]);
  }
  for (const [family, title] of [["stream", "GPU work, all streams added"], ["nvtx", "NVTX ranges, all threads and nesting added"], ["mpi", "MPI, all threads added"]]) {
    const sums = sumsOf(data.tracks, family, (i) => shortName(data, i));
    if (sums.length) made.push([title, rowsOf(sums, TOP)]);
  }
  return made;
}

function showInterval(panel, data, interval) {
  const length = interval.to - interval.from;
  panel.append(element("h3", `${duration(length)} from ${moment(data, interval.from)}`));
  for (const [name, rows] of tablesOf(data, interval)) {
    const table = element("table");
    table.createCaption().textContent = name;
    for (const [what, ns] of rows) {
      const numbers = [duration(ns), share(ns, length)].map((text) => element("td", text, "right"));
      table.insertRow().append(element("td", what), ...numbers);
    }
    panel.append(table);
  }
}
