// View and selection in the address, so that a link shows the same and Back returns:
// #v=FROM,TO&s=TRACK,LANE,START&i=FROM,TO&o=STYLES&q=TEXT, times on the export's clock.
// The page's links have #gap=NUMBER, #only=STYLES (and the longest gap of these), #find=TEXT, #t=FROM,TO.

function makeAddress(data, view, state, acts) {
  let due = 0, written = "";

  const onClock = (time) => (BigInt(Math.round(time)) + BigInt(data.origin)).toString();
  const fromClock = (text) => Number(BigInt(text) - BigInt(data.origin));
  const stretch = (text) => (/^-?\d+,-?\d+$/.test(text ?? "") ? text.split(",").map(fromClock) : null);

  const ends = ({ from, to }) => `${onClock(from)},${onClock(to)}`;

  function hash() {
    const said = new URLSearchParams({ v: ends(view) }), chosen = state.selected;
    if (chosen) said.set("s", `${chosen.track},${chosen.lane},${onClock(data.start[chosen.row])}`);
    if (state.interval) said.set("i", ends(state.interval));
    if (state.only) said.set("o", [...state.only].map((i) => data.styles[i].style).join());
    if (state.search) said.set("q", state.search);
    return `#${String(said).replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
  }

  // A selection is a step that Back undoes; zoom and pan change the step that is there.
  function write(isStep) {
    clearTimeout(due);
    const put = () => {
      written = hash();
      if (written === location.hash) return;
      try {
        history[isStep ? "pushState" : "replaceState"](null, "", written);
      } catch { /* within a notebook there is no address */ }
    };
    if (isStep) put();
    else due = setTimeout(put, 300);
  }

  function placeOf(text) {
    const [track, number, start] = (text ?? "").split(",");
    const place = { track: Number(track), lane: Number(number) };
    const lane = /^-?\d+$/.test(start ?? "") && laneOf(data, place);
    const row = lane ? firstAfter(data, lane, fromClock(start)) : -1;
    return lane && row < lane.to && data.start[row] === fromClock(start) ? { ...place, row } : null;
  }

  const stylesOf = (text) => new Set((text ?? "").split(",").map((one) => data.styles.findIndex(({ style }) => style === one)).filter((i) => i >= 0));

  function follow() {
    if (location.hash === written) return;
    const said = new URLSearchParams(location.hash.slice(1)), shown = stretch(said.get("v"));
    if (shown) {
      written = location.hash;
      const between = stretch(said.get("i"));
      acts.only(stylesOf(said.get("o")));
      acts.search(said.get("q") ?? "");
      acts.choose(placeOf(said.get("s")), false);
      if (between) acts.interval({ from: between[0], to: between[1] });
      view.set(...shown);
    } else if (said.has("gap")) {
      acts.gap(longestPiece(data, (i) => data.count[i] === 1 && data.link[i] === Number(said.get("gap"))));
    } else if (said.has("only")) {
      const styles = stylesOf(said.get("only"));
      acts.only(styles);
      acts.gap(longestPiece(data, (i) => styles.has(data.style[i])));
    } else if (said.has("find")) {
      acts.find(said.get("find"));
    } else if (stretch(said.get("t"))) {
      acts.stretch(...stretch(said.get("t")));
    }
  }

  return { write, follow };
}
