// Times and counts as people read them.

const inThousands = (...names) => names.map((name, i) => [1000 ** i, name]);
const UNITS = inThousands("ns", "µs", "ms", "s");
const AMOUNTS = { B: inThousands("B", "kB", "MB", "GB", "TB"), Hz: inThousands("Hz", "kHz", "MHz", "GHz") };

// The largest unit that a value has at least one of.
function unitOf(value, units) {
  return units.findLast(([factor]) => Math.abs(value) >= factor) ?? units[0];
}

function duration(ns) {
  const [factor, unit] = unitOf(ns, UNITS);
  if (factor === 1) return `${Math.round(ns).toLocaleString("en")} ns`;
  const number = ns / factor;
  const digits = Math.max(0, 4 - String(Math.trunc(Math.abs(number))).length);
  return `${number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

// A moment of the timeline on the export's clock; exact, as the clock may have more digits than a number holds.
function moment(data, ns) {
  const exact = BigInt(data.origin) + BigInt(Math.round(ns));
  const sign = exact < 0n ? "-" : "";
  const digits = String(exact < 0n ? -exact : exact).padStart(10, "0");
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)} s`;
}

function factsOfSpan(data, from, to) {
  return [["start", `${moment(data, from)}, +${duration(from)}`], ["end", moment(data, to)]];
}

function roundTime(ns) {
  const [factor, unit] = unitOf(ns, UNITS);
  return `${Number((ns / factor).toFixed(Math.log10(factor)))} ${unit}`;
}

function share(part, whole) {
  const percent = whole ? (100 * part) / whole : 0;
  return `${percent && percent < 0.1 ? "<0.1" : percent.toFixed(percent < 10 ? 1 : 0)}%`;
}

const byId = (id) => document.getElementById(id);

// Calls `act` at each of these events, which blanks separate.
function on(target, events, act, options) {
  for (const event of events.split(" ")) target.addEventListener(event, act, options);
}

// An element with a text, which is never anything but text.
function element(tag, text = "", className = "") {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

function button(act, text) {
  const made = element("button", text);
  on(made, "click", act);
  return made;
}

function counted(count, one) {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

// A value of a curve with its unit; exact where it is whole and small.
function amount(value, unit) {
  const units = AMOUNTS[unit];
  if (!units) return `${value.toLocaleString("en", { maximumFractionDigits: 1 })}${unit ? ` ${unit}` : ""}`;
  const [factor, name] = unitOf(value, units);
  return `${(value / factor).toLocaleString("en", { maximumSignificantDigits: 4 })} ${name}`;
}
