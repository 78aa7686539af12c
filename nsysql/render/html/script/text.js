// What the picture shows, as a table for those who do not see it; made when it is unfolded.

const LINES = 40; // rows at most

function makeText(data, view, rows) {
  const place = document.getElementById("text"), table = place.querySelector("table");
  function write() {
    if (!place.open) return;
    table.replaceChildren();
    table.createCaption().textContent = `From ${moment(data, view.from)} to ${moment(data, view.to)}`;
    const head = table.createTHead().insertRow();
    for (const text of ["row", "events", "covered", "mostly"]) head.append(Object.assign(document.createElement("th"), { textContent: text }));
    const body = table.createTBody();
    for (const { track } of rows.tracks.filter(({ track }) => track.kind !== "curve").slice(0, LINES)) {
      const [most] = sumsIn(data, [track], view.from, view.to, (i) => shortName(data, i));
      let count = 0, ns = 0;
      within(data, track.track, view.from, view.to, (i, held) => { count += data.count[i]; ns += held; });
      const row = body.insertRow();
      for (const text of [`${track.group}, ${track.label}`, count.toLocaleString("en"), duration(ns), most ? `${most[0]} (${duration(most[1])})` : "nothing"])
        row.insertCell().textContent = text;
    }
  }
  place.addEventListener("toggle", write);
  return { write };
}
