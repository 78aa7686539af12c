// What the picture shows, as a table for those who do not see it; made when it is unfolded.

const LINES = 40; // rows at most

function makeText(data, view, rows) {
  const place = byId("text"), table = place.querySelector("table");
  function write() {
    if (!place.open) return;
    table.replaceChildren();
    table.createCaption().textContent = `From ${moment(data, view.from)} to ${moment(data, view.to)}`;
    table.createTHead().insertRow().append(...["row", "events", "covered", "mostly"].map((text) => element("th", text)));
    const body = table.createTBody();
    for (const { track } of rows.tracks.filter(({ track }) => track.kind !== "curve").slice(0, LINES)) {
      const [most] = sumsIn(data, [track], view.from, view.to, (i) => shortName(data, i));
      let count = 0, ns = 0;
      within(data, track.track, view.from, view.to, (i, held) => { count += data.count[i]; ns += held; });
      const said = [`${track.group}, ${track.label}`, count.toLocaleString("en"), duration(ns), most ? `${most[0]} (${duration(most[1])})` : "nothing"];
      body.insertRow().append(...said.map((text) => element("td", text)));
    }
  }
  on(place, "toggle", write);
  return { write };
}
