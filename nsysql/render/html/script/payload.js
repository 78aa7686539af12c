// The packed events (nsysql/render/html/payload.py says how): typed arrays, a row of them an event.

async function readEvents() {
  const packed = atob(byId("events").textContent.trim());
  const deflated = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) deflated[i] = packed.charCodeAt(i);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const columns = readColumns(bytes, 4 + length, header);
  const lanes = readLanes(header, columns);
  return { ...header, ...columns, lanes, curves: readCurves(header, columns) };
}

function readColumns(bytes, from, header) {
  const columns = {};
  for (const [name, length] of header.columns) {
    columns[name] = varints(bytes, from, from + length);
    from += length;
  }
  spread(columns, "busy");
  spread(columns, "longest");
  return columns;
}

function varints(bytes, from, to) {
  let size = 0;
  for (let i = from; i < to; i++) if (bytes[i] < 128) size++;
  const numbers = new Float64Array(size);
  for (let i = from, at = 0; i < to; at++) {
    let number = 0, factor = 1;
    while (bytes[i] >= 128) {
      number += (bytes[i++] - 128) * factor;
      factor *= 128;
    }
    numbers[at] = number + bytes[i++] * factor;
  }
  return numbers;
}

// What only merged rows have, put where these are; of the others it is their length.
function spread(columns, name) {
  const some = columns[name];
  const every = columns[name] = Float64Array.from(columns.length);
  for (let i = 0, at = 0; i < every.length; i++) if (columns.count[i] > 1) every[i] = some[at++];
}

// Lanes: which rows each has. Distances between starts become starts and ends.
function readLanes(header, columns) {
  const { start, length } = columns;
  const end = columns.end = new Float64Array(start.length);
  const lanes = new Map();
  let from = 0;
  for (const [track, lane, rows] of header.lanes) {
    let at = 0;
    for (let i = from; i < from + rows; i++) {
      at += signed(start[i]);
      start[i] = at;
      end[i] = at + length[i];
    }
    if (!lanes.has(track)) lanes.set(track, []);
    lanes.get(track).push({ lane, from, to: from + rows });
    from += rows;
  }
  return lanes;
}

const isAny = (tracks, ...kinds) => tracks.some(({ kind }) => kinds.includes(kind));

const lanesOf = (data, track) => data.lanes.get(track) ?? [];

const trackOf = (data, chosen) => data.tracks.find(({ track }) => track === chosen?.track);

const laneOf = (data, chosen) => lanesOf(data, chosen?.track).find(({ lane }) => lane === chosen.lane);

// Calls `take` with each row of the track, and its lane.
function eachRow(data, track, take) {
  for (const { lane, from, to } of lanesOf(data, track)) for (let i = from; i < to; i++) take(i, lane);
}

// The first row of a lane, or value of a curve, that ends after a time.
function firstAfter(data, { from, to }, time) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (data.end[middle] > time || data.end[middle] === data.start[middle] && data.start[middle] >= time) to = middle;
    else from = middle + 1;
  }
  return from;
}

// The values of each curve: which rows of the columns it has. Distances become starts and ends, what is above the lowest a mean.
function readCurves(header, columns) {
  const { curveStart: start, curveLength: length, curveLow: low, curveMore: more, curveCount: count } = columns;
  if (!start) return [];
  const end = new Float64Array(start.length), mean = new Float64Array(start.length);
  let from = 0, merged = 0;
  return header.curves.map((size) => {
    let before = 0;
    const to = from + size;
    for (let i = from; i < to; i++) {
      start[i] = before + signed(start[i]);
      end[i] = before = start[i] + length[i];
      low[i] = signed(low[i]);
      mean[i] = low[i] + (count[i] > 1 ? columns.curveMean[merged++] / 1000 : 0);
      more[i] += low[i];
    }
    const values = { start, end, low, mean, high: more, count, from, to };
    from = to;
    return values;
  });
}

function signed(zigzag) {
  return zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
}

function shortName(data, i) {
  const style = data.styles[data.style[i]];
  if (style.style.startsWith("cause:")) return style.label;
  return data.short[data.name[i]] ?? data.names[data.name[i]];
}
