// Tables that are sorted by a click on a heading; numbers by what they say, whatever their unit.

const FACTORS = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

function numberOf(text) {
  const found = /^[<>]?(-?[\d,]*\.?\d+)\s*([a-zµA-Z]*)/.exec(text.trim());
  return found ? Number(found[1].replaceAll(",", "")) * (FACTORS[found[2].replace("/s", "")] ?? 1) : null;
}

function makeSortable(table) {
  table.querySelectorAll("th").forEach((heading, place) => {
    if (!heading.textContent) return;
    heading.tabIndex = 0;
    const sort = () => {
      const isDescending = heading.getAttribute("aria-sort") !== "descending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      const body = table.tBodies[0], sign = isDescending ? -1 : 1;
      body.append(...[...body.rows].sort((a, b) => sign * compare(a.cells[place].textContent, b.cells[place].textContent)));
    };
    heading.addEventListener("click", sort);
    heading.addEventListener("keydown", (key) => { if (key.key === "Enter") sort(); });
  });
}

function compare(a, b) {
  const x = numberOf(a), y = numberOf(b);
  if (x !== null && y !== null) return x - y;
  return a.localeCompare(b);
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
