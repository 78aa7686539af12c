// Times and counts as people read them.

const UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];

function duration(ns) {
  let [factor, unit] = UNITS[0];
  for (const [larger, name] of UNITS) if (Math.abs(ns) >= larger) [factor, unit] = [larger, name];
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

function roundTime(ns) {
  let [factor, unit] = UNITS[0];
  for (const [larger, name] of UNITS) if (Math.abs(ns) >= larger) [factor, unit] = [larger, name];
  return `${Number((ns / factor).toFixed(factor === 1e9 ? 9 : factor === 1e6 ? 6 : 3))} ${unit}`;
}

function share(part, whole) {
  const percent = whole ? (100 * part) / whole : 0;
  return `${percent && percent < 0.1 ? "<0.1" : percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

// An element with a text, which is never anything but text.
function element(tag, text, className = "") {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

function counted(count, one) {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

const AMOUNTS = { B: [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]], Hz: [[1, "Hz"], [1e3, "kHz"], [1e6, "MHz"], [1e9, "GHz"]] };

// A value of a curve with its unit; exact where it is whole and small.
function amount(value, unit) {
  const units = AMOUNTS[unit];
  if (!units) return `${value.toLocaleString("en", { maximumFractionDigits: 1 })}${unit ? ` ${unit}` : ""}`;
  const [factor, name] = units.findLast(([factor]) => Math.abs(value) >= factor) ?? units[0];
  return `${(value / factor).toLocaleString("en", { maximumSignificantDigits: 4 })} ${name}`;
}
