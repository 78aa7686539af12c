// Search over what is displayed: names, causes, rows and details; how many events match, their time, and one after the other.

function makeSearch(data, state, select, draw) {
  const box = byId("search"), told = byId("found");
  let found = [], at = -1, ns = 0;

  function look(text = box.value.trim().toLowerCase()) {
    box.value ||= text;
    state.search = text;
    state.matches = null;
    found = [];
    at = -1;
    if (text) match(text);
    told.textContent = text ? says() : "";
    draw();
  }

  function match(text) {
    const has = (words) => words.toLowerCase().includes(text);
    const names = data.names.map((name, i) => has(name) || has(data.short[i] ?? ""));
    const details = data.details.map(has), styles = data.styles.map(({ label, family }) => has(label) || has(family));
    state.matches = new Uint8Array(data.length.length);
    ns = 0;
    for (const { track, group, label } of data.tracks) {
      const isRow = has(`${group}, ${label}`);
      eachRow(data, track, (row, lane) => {
        if (!isRow && !names[data.name[row]] && !details[data.detail[row]] && !styles[data.style[row]]) return;
        state.matches[row] = 1;
        ns += data.busy[row];
        found.push({ track, lane, row });
      });
    }
    found.sort((a, b) => data.start[a.row] - data.start[b.row]);
  }

  function says() {
    const merged = found.some(({ row }) => data.count[row] > 1) ? ", merged ones counted once" : "";
    const sums = found.length ? `, ${duration(ns)}, ${share(ns, data.span)} of the capture` : "";
    return `${at >= 0 ? `${at + 1} of ` : ""}${counted(found.length, "event")}${sums}${merged}`;
  }

  function step(by) {
    if (!found.length) return;
    at = (at + by + found.length + (at < 0 && by < 0 ? 1 : 0)) % found.length;
    told.textContent = says();
    select(found[at], true);
  }

  on(box, "input", () => look());
  on(box, "keydown", (event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { box.value = ""; look(); box.blur(); }
  });
  on(byId("next"), "click", () => step(1));
  on(byId("previous"), "click", () => step(-1));
  return { focus: () => box.focus(), set(text) { box.value = text; look(text.toLowerCase()); } };
}
