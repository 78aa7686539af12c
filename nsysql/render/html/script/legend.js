// The legend: colors with totals, a family of causes as one entry with its members; a click shows only what is clicked.

const OWN = "NVTX ranges in their own colors";

function makeLegend(data, state, changed) {
  const place = byId("legend");
  const totals = data.styles.map(() => ({ ns: 0, count: 0 }));
  for (const { track, kind } of data.tracks)
    eachRow(data, track, (i) => {
      const total = totals[data.style[i]];
      total.ns += data.busy[i];
      total.count += data.count[i];
      total.merged ||= data.count[i] > 1;
      total.hasTime ||= kind === "idle" || kind === "stream"; // on threads ranges nest: counted
    });
  const sum = (styles, of) => styles.reduce((all, i) => all + totals[i][of], 0);
  const familyOf = ([i]) => data.styles[i].family;
  const idle = sum([...data.styles.keys()].filter((i) => familyOf([i])), "ns");
  const entries = Map.groupBy(data.styles.keys(), (i) => data.styles[i].family || (data.styles[i].isOwn ? OWN : data.styles[i].label));
  const buttons = [];

  function said(styles) {
    const ns = sum(styles, "ns");
    if (!totals[styles[0]].hasTime) return sum(styles, "count").toLocaleString("en");
    const time = `${styles.some((i) => totals[i].merged) ? "about " : ""}${duration(ns)}`;
    return familyOf(styles) ? `${time}, ${share(ns, idle)}` : time;
  }

  function entry(styles, name) {
    const made = button(() => toggle(styles)), { base, color } = data.styles[styles[0]];
    const mark = Object.assign(element("i"), { style: `background: ${styles.length > 1 ? base : color}` });
    made.append(mark, name, " ", element("span", said(styles)));
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

  for (const [title, isIdle] of [["idle because of", true], ["work and calls", false]]) {
    const every = [...entries].filter(([, styles]) => Boolean(familyOf(styles)) === isIdle);
    if (!every.length) continue;
    const line = place.appendChild(element("div", title));
    for (const [name, styles] of every.sort(([, a], [, b]) => sum(b, "ns") - sum(a, "ns"))) {
      const one = line.appendChild(element("span"));
      one.append(entry(styles, styles.length > 1 ? name : data.styles[styles[0]].label));
      if (!isIdle || styles.length === 1) continue;
      for (const i of styles.sort((a, b) => totals[b].ns - totals[a].ns)) one.append(entry([i], data.styles[i].label));
    }
  }
  set(null);
  return { set };
}
