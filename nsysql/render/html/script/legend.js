// The legend: colors with totals, a family of causes as one entry with its members; a click shows only what is clicked.

const OWN = "NVTX ranges in their own colors";
const KINDS_WITH_TIME = ["idle", "stream"]; // of rows; on threads calls and ranges lie in each other, so that they are counted

function makeLegend(data, state, changed) {
  const place = document.getElementById("legend");
  const totals = data.styles.map(() => ({ ns: 0, count: 0, hasTime: false }));
  for (const { track, kind } of data.tracks)
    for (const { from, to } of data.lanes.get(track) ?? [])
      for (let i = from; i < to; i++) {
        const total = totals[data.style[i]];
        total.ns += data.busy[i];
        total.count += data.count[i];
        total.hasTime ||= KINDS_WITH_TIME.includes(kind);
      }
  const idle = data.styles.reduce((sum, { family }, i) => sum + (family ? totals[i].ns : 0), 0);
  const entries = Map.groupBy(data.styles.keys(), (i) => data.styles[i].family || (data.styles[i].isOwn ? OWN : data.styles[i].label));
  const buttons = [];

  function said(styles) {
    const ns = styles.reduce((sum, i) => sum + totals[i].ns, 0);
    if (!totals[styles[0]].hasTime) return styles.reduce((sum, i) => sum + totals[i].count, 0).toLocaleString("en");
    return data.styles[styles[0]].family ? `${duration(ns)}, ${share(ns, idle)}` : duration(ns);
  }

  function button(styles, name) {
    const made = element("button", ""), { base, color } = data.styles[styles[0]];
    const mark = Object.assign(element("i", ""), { style: `background: ${styles.length > 1 ? base : color}` });
    made.append(mark, name, " ", element("span", said(styles)));
    made.addEventListener("click", () => toggle(styles));
    buttons.push([made, styles]);
    return made;
  }

  function toggle(styles) {
    const only = new Set(state.only ?? []), isOn = styles.every((i) => only.has(i));
    for (const i of styles) only[isOn ? "delete" : "add"](i);
    set(only);
  }

  function set(only) {
    state.only = only?.size ? only : null;
    for (const [made, styles] of buttons) made.setAttribute("aria-pressed", styles.every((i) => state.only?.has(i)));
    changed();
  }

  const lines = { "idle because of": [], "work and calls": [] };
  for (const [name, styles] of entries) lines[data.styles[styles[0]].family ? "idle because of" : "work and calls"].push([name, styles]);
  for (const [title, every] of Object.entries(lines)) {
    if (!every.length) continue;
    const line = element("div", title), sum = ([, styles]) => styles.reduce((ns, i) => ns + totals[i].ns, 0);
    for (const [name, styles] of every.sort((a, b) => sum(b) - sum(a))) {
      const one = line.appendChild(element("span", ""));
      one.append(button(styles, styles.length > 1 ? name : data.styles[styles[0]].label));
      if (data.styles[styles[0]].family && styles.length > 1) for (const i of styles.sort((a, b) => totals[b].ns - totals[a].ns)) one.append(button([i], data.styles[i].label));
    }
    place.append(line);
  }
  set(null);
  return { set };
}
