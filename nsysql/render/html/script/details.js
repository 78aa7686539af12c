// What an event is, in words: in the panel below the picture, and beside the pointer. Names are only ever text nodes.

function makeDetails(data, select) {
  const panel = byId("details"), hover = byId("hover");

  function facts(chosen) {
    if (chosen.facts) return chosen.facts; // of a curve
    const i = chosen.row, track = trackOf(data, chosen);
    const style = data.styles[data.style[i]], isMerged = data.count[i] > 1, isIdle = track.kind === "idle";
    const name = isIdle ? style.label : data.names[data.name[i]];
    const rows = [[isMerged ? "mostly" : "name", name]];
    if (isMerged) {
      rows.push(["merged", `${counted(data.count[i], "event")} in ${duration(data.length[i])}, ${duration(data.busy[i])} of it covered`]);
      rows.push(["longest", duration(data.longest[i])]);
    } else {
      rows.push(["duration", `${duration(data.length[i])} (${data.length[i].toLocaleString("en")} ns)`]);
    }
    rows.push(...factsOfSpan(data, data.start[i], data.end[i]));
    rows.push(["kind", isIdle ? "idle time, by its cause" : style.label]);
    const what = isIdle ? "evidence" : ["kernel", "communication"].includes(style.style) ? "launched with" : "size";
    if (data.details[data.detail[i]] && !isMerged) rows.push([what, data.details[data.detail[i]]]);
    rows.push(["row", `${track.group}, ${track.label}`]);
    return rows;
  }

  function show(chosen, state) {
    const { linked, gap, interval } = state;
    panel.replaceChildren();
    if (interval) return showInterval(panel, data, interval);
    if (!chosen) {
      panel.textContent = "Click on something in the picture to see its name, times and what launched it. Drag with Shift to sum up an interval.";
      return;
    }
    const list = element("dl");
    for (const [what, text] of [...(gap ? factsOfGap(data, gap) : []), ...facts(chosen)]) list.append(element("dt", what), element("dd", text));
    panel.append(list);
    const why = gap && document.querySelector(`#gap-${gap.number} > p`);
    if (why) panel.append(element("p", why.textContent));
    for (const other of linked.slice(0, 8)) panel.append(link(chosen, other));
    if (linked.length > 8) panel.append(` and ${counted(linked.length - 8, "more event")} of this launch`);
  }

  function link(chosen, other) {
    const after = data.start[other.row] - data.start[chosen.row], isCall = trackOf(data, other).kind === "cuda";
    const when = `${duration(Math.abs(after))} ${after < 0 ? "before" : "later"}`;
    return button(() => select(other, true), `${isCall ? "launched by" : "launches"} ${shortName(data, other.row)} (${when})`);
  }

  function point(chosen, x, y) {
    hover.hidden = !chosen;
    if (!chosen) return;
    const [[, name], ...said] = facts(chosen), shown = chosen.facts ? said.findIndex(([what]) => what === "start") : 1;
    hover.replaceChildren(element("b", name));
    for (const [what, text] of said.slice(0, shown)) hover.append(element("br"), `${what} ${text}`);
    const wide = hover.offsetWidth, high = hover.offsetHeight;
    hover.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - wide - 8))}px`;
    hover.style.top = `${y + 18 + high > innerHeight ? Math.max(4, y - high - 10) : y + 18}px`;
  }

  return { show, point };
}
