// Search by name: which names match, and the events of these, one after the other in time.

function makeSearch(data, state, select, draw) {
  const box = document.getElementById("search"), told = document.getElementById("found");
  let found = [], at = -1;

  function look() {
    const text = box.value.trim().toLowerCase();
    state.matches = text ? matching(text) : null;
    found = text ? events() : [];
    at = -1;
    told.textContent = text ? says() : "";
    draw();
  }

  function matching(text) {
    return Uint8Array.from(data.names, (name, i) => name.toLowerCase().includes(text) || (data.short[i] ?? "").toLowerCase().includes(text));
  }

  function events() {
    const rows = [];
    for (const [track, lanes] of data.lanes)
      for (const { lane, from, to } of lanes)
        for (let i = from; i < to; i++) if (state.matches[data.name[i]]) rows.push({ track, lane, row: i });
    return rows.sort((a, b) => data.start[a.row] - data.start[b.row]);
  }

  function says() {
    const merged = found.some(({ row }) => data.count[row] > 1) ? ", merged ones counted once" : "";
    return `${at >= 0 ? `${at + 1} of ` : ""}${counted(found.length, "event")}${merged}`;
  }

  function step(by) {
    if (!found.length) return;
    at = (at + by + found.length + (at < 0 && by < 0 ? 1 : 0)) % found.length;
    told.textContent = says();
    select(found[at], true);
  }

  box.addEventListener("input", look);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { box.value = ""; look(); box.blur(); }
  });
  document.getElementById("next").addEventListener("click", () => step(1));
  document.getElementById("previous").addEventListener("click", () => step(-1));
  return { focus: () => box.focus() };
}
