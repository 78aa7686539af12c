"""The report in a real browser: it draws, zooms, searches, selects, asks nobody for anything, and has every event."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browser import Opened, browser
from exports import story_names
from idle_timelines import even_gaps

import nsysql

Report = Callable[[str], Path]
GPU = 4711 << 24
HOSTILE = "</script><script>window.stolen=1</script><img src=x onerror=window.stolen=1>&amp;\u2028\u202e"
DRAWN = f"""
INSERT INTO StringIds (id, value) VALUES (1, '{HOSTILE}'), (2, 'cudaLaunchKernel_v7000'), (3, 'my_kernel(int)');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
    demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ) VALUES
    (1000, 2000, 0, 1, 7, 1, {GPU}, 3, 3, 1, 1, 1, 32, 1, 1), (9000, 12345, 0, 1, 7, 2, {GPU}, 1, 1, 1, 1, 1, 32, 1, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
    (500, 600, {GPU + 1}, 1, 2), (8000, 8500, {GPU + 1}, 2, 2);
INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, textId, text) VALUES
    (400, 9000, 59, {GPU + 1}, 1, NULL), (450, 700, 59, {GPU + 1}, NULL, 'inner');
"""
FIND = """([text, kind]) => {
  const { data } = window.nsysql;
  for (const [track, lanes] of data.lanes)
    if (data.tracks.find((t) => t.track === track).kind === kind)
      for (const { lane, from, to } of lanes)
        for (let i = from; i < to; i++) if (data.names[data.name[i]].includes(text)) return { track, lane, row: i };
  return null;
}"""
PLACE = """(chosen) => {
  const { rows, drawing, data } = window.nsysql, row = rows.place(chosen.track);
  const box = document.getElementById("picture").getBoundingClientRect();
  const middle = (data.start[chosen.row] + data.end[chosen.row]) / 2;
  return [box.left + drawing.x(middle), box.top + row.y + chosen.lane * 16 + 8];
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as running:
        yield running


@pytest.fixture(scope="module")
def report(build: Report, story: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Write the report of a story, or of an export made from SQL, once."""
    folder = tmp_path_factory.mktemp("reports")

    @cache
    def written(of: str) -> Path:
        target = folder / f"{written.cache_info().misses}.html"
        with nsysql.open(story(of) if of in story_names() else build(of)) as run:
            run.pages.report().write(target)
        return target

    return written


def test_it_draws_and_asks_nobody(chromium: Any, report: Report) -> None:
    opened = Opened(chromium.new_page(viewport={"width": 1200, "height": 900}))
    page = opened.open(path := report(DRAWN))
    assert opened.errors == []
    assert opened.requests == [path.as_uri()]
    colors = page.evaluate(
        """() => { const c = document.getElementById("picture");
        const p = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        const seen = new Set(); for (let i = 0; i < p.length; i += 4) seen.add(p[i] << 16 | p[i+1] << 8 | p[i+2]);
        return [...seen]; }"""
    )
    assert {0x2B72C4, 0x7F8EA3, 0x5B9A68} <= set(colors)  # kernel, call, range
    assert page.evaluate("window.stolen") is None
    assert page.locator("img, iframe, link, script[src]").count() == 0


def test_a_click_says_name_times_and_launch(chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page(viewport={"width": 1200, "height": 900})).open(report(DRAWN))
    place = page.evaluate(PLACE, page.evaluate(FIND, ["stolen", "stream"]))
    page.evaluate("document.getElementById('frame').scrollIntoView()")
    place = page.evaluate(PLACE, page.evaluate(FIND, ["stolen", "stream"]))
    page.mouse.click(*place)
    said = page.locator("#details").inner_text()
    assert "</script><script>" in said
    assert "3,345 ns" in said and "0.000009000 s" in said and "grid 1 x 1 x 1, block 32 x 1 x 1" in said
    assert "launched by cudaLaunchKernel" in said
    page.locator("#details button").click()
    assert "500.0 ns" in page.locator("#details").inner_text() or "500 ns" in page.locator("#details").inner_text()


def test_wheel_drag_and_keys_move_the_view(chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page(viewport={"width": 1200, "height": 900})).open(report(DRAWN))

    def view() -> tuple[float, float]:
        page.wait_for_timeout(50)
        found = page.evaluate("[window.nsysql.view.from, window.nsysql.view.to]")
        return found[0], found[1]

    first = view()
    page.keyboard.press("w")
    zoomed = view()
    assert zoomed[1] - zoomed[0] < first[1] - first[0]
    page.keyboard.press("d")
    assert view()[0] > zoomed[0]
    page.keyboard.press("Home")
    assert view() == first
    box = page.locator("#picture").bounding_box()
    page.mouse.click(box["x"] + 600, box["y"] + 10)
    page.locator("#frame").focus()
    page.mouse.move(box["x"] + 600, box["y"] + 60)
    page.mouse.wheel(0, -200)
    wheeled = view()
    assert wheeled[1] - wheeled[0] < first[1] - first[0]
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 60, steps=4)
    page.mouse.up()
    assert view()[0] > wheeled[0]


def test_search_finds_names_and_goes_to_them(chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page(viewport={"width": 1200, "height": 900})).open(report(DRAWN))
    page.keyboard.press("/")
    page.keyboard.type("cudalaunch")
    assert page.locator("#found").inner_text() == "4 events, 1.600 µs, 13% of the capture"
    page.keyboard.press("Enter")
    assert page.locator("#found").inner_text().startswith("1 of 4 events, 1.600 µs")
    assert "cudaLaunchKernel" in page.locator("#details").inner_text()
    page.locator("#search").fill("nowhere")
    assert page.locator("#found").inner_text() == "0 events"


def test_links_go_to_the_moment_of_a_gap(chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page(viewport={"width": 1200, "height": 900})).open(report(DRAWN))
    page.locator("a.moment").first.click()
    page.wait_for_timeout(100)
    start, end, origin = page.evaluate(
        "[window.nsysql.view.from, window.nsysql.view.to, Number(window.nsysql.data.origin)]"
    )
    assert start + origin < 2000 < 9000 < end + origin
    assert end - start < 20_000


def test_without_scripting_tables_and_pictures_stay(chromium: Any, report: Report) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    Opened(page).open(report(DRAWN), script=False)
    assert page.locator("#explorer").is_hidden()
    assert page.locator("#still svg").first.is_visible()
    assert page.locator(".gap svg").first.is_visible()
    assert "What limits the run" in page.locator("main").inner_text()


def test_tables_are_sorted_by_what_numbers_say(chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page()).open(report("training"))
    table = page.locator("#ran table.sortable").first
    heading = table.locator("th", has_text="total").first
    heading.click()
    down = table.locator("tbody tr").all_inner_texts()
    heading.click()
    assert table.locator("tbody tr").all_inner_texts() == down[::-1]


def test_tables_are_whole_on_a_phone(chromium: Any, report: Report) -> None:
    """No table scrolls sideways; each cell says what it is, and why the GPU was idle is within the screen."""
    page = Opened(chromium.new_page(viewport={"width": 390, "height": 844})).open(report("training"))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tables = page.locator("section table")
    assert tables.count() > 10
    cut = """(tables) => tables.filter((table) => table.parentElement.scrollWidth > table.parentElement.clientWidth)
        .map((table) => table.innerText)"""
    assert tables.evaluate_all(cut) == []
    why = page.locator("#verdict td[data-name='why idle']:not(:empty)").first
    box = why.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert "why idle" in why.evaluate("(cell) => getComputedStyle(cell, '::before').content")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


SEEN = """() => {
  const box = (one) => one.getBoundingClientRect();
  const bars = [...document.querySelectorAll(".hundred a")].map((bar) => [bar, bar.firstElementChild]);
  const seen = bars.filter(([bar, name]) => box(name).top < box(bar).bottom);
  return {
    names: seen.map(([, name]) => name.innerText),
    cut: seen.filter(([bar, name]) => box(name).right > box(bar).right + 1).length,
    keys: [...document.querySelectorAll(".key")].filter((key) => key.offsetWidth).map((key) => key.innerText.trim()),
  }; }"""


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_what_a_bar_names_is_whole_and_said_once(width: int, chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page(viewport={"width": width, "height": 900})).open(report("training"))
    seen = page.evaluate(SEEN)
    assert seen["cut"] == 0
    said = [*seen["names"], *(key.removeprefix("idle: ") for key in seen["keys"])]
    assert any(one.startswith("kernels ") for one in said)
    if width > 1000:
        assert seen["names"] and len(said) == len(set(said))
    else:
        assert {"kernels", "Host"} <= {key.removeprefix("idle: ").split()[0] for key in seen["keys"]}


def test_print_has_the_sharp_picture_and_nothing_is_cut(chromium: Any, report: Report) -> None:
    page = Opened(chromium.new_page(viewport={"width": 760, "height": 1000})).open(report("training"))
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("#still svg").first.is_visible()
    assert page.locator("#explorer").is_hidden() and page.locator("nav").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    cut = "(every) => every.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)"
    assert page.locator(".wide").evaluate_all(cut) == []


def test_pictures_are_read_without_scrolling_on_a_phone(chromium: Any, report: Report) -> None:
    """Those for phones are as wide as the screen, their text is not scaled; all pictures are there in both sizes."""
    page = Opened(chromium.new_page(viewport={"width": 390, "height": 844})).open(report("training"))
    sizes = """(every) => every.filter((one) => one.checkVisibility()).map((one) =>
        [one.getBoundingClientRect().right, one.getBoundingClientRect().width / one.viewBox.baseVal.width])"""
    phone = page.locator("main svg").evaluate_all(sizes)
    assert len(phone) >= 3  # gaps, steps, ranges
    assert all(right <= 390 and scale > 0.95 for right, scale in phone)
    page.set_viewport_size({"width": 1440, "height": 900})
    wide = page.locator("main svg").evaluate_all(sizes)
    assert len(wide) == len(phone) and all(right > 900 for right, _ in wide)


def test_it_holds_every_event_at_its_time(chromium: Any, report: Report, story: Report) -> None:
    page = Opened(chromium.new_page()).open(report("training"))
    found = page.evaluate(
        """() => { const d = window.nsysql.data, out = [], origin = Number(d.origin);
        for (const [track, lanes] of d.lanes) if (d.tracks[track].kind !== "idle") for (const l of lanes)
          for (let i = l.from; i < l.to; i++) out.push([d.names[d.name[i]], origin + d.start[i], d.length[i]]);
        return out; }"""
    )
    with nsysql.open(story("training")) as run:
        answers = [run.query(q).select("name", "start_ns", "end_ns").rows() for q in ("gpu_events", "thread_events")]
    expected = [(name, start, end - start) for rows in answers for name, start, end in rows]
    assert sorted(map(tuple, found)) == sorted(expected)


def test_two_hundred_thousand_events_pan_without_a_stutter(chromium: Any, report: Report) -> None:
    path = report(
        DRAWN
        + f"""
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999)
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text)
        SELECT 20000 + i * 1000, 20000 + i * 1000 + 600, 59, {GPU + 1}, 'range ' || (i % 50) FROM n;
        """
    )
    assert path.stat().st_size < 15_000_000
    opened = Opened(chromium.new_page(viewport={"width": 1400, "height": 900}))
    page = opened.open(path)
    slowest = page.evaluate(
        """() => { const { view, drawing } = window.nsysql; let slowest = 0;
        for (let i = 0; i < 20; i++) {
          view.pan(i % 2 ? 0.05 : -0.05);
          const began = performance.now();
          drawing.draw();
          slowest = Math.max(slowest, performance.now() - began);
        }
        return slowest; }"""
    )
    assert opened.errors == []
    assert slowest < 250, "ms of a frame, on a busy machine"


def test_curves_say_their_values(chromium: Any, report: Report) -> None:
    opened = Opened(chromium.new_page(viewport={"width": 1150, "height": 900}))
    page = opened.open(report("gpu_metrics"))
    page.evaluate("document.getElementById('frame').scrollIntoView()")
    place = """(time) => { const { rows, drawing, data } = window.nsysql;
        const box = document.getElementById("picture").getBoundingClientRect();
        const row = rows.tracks.find((one) => one.track.kind === "curve");
        return [box.left + drawing.x(time - Number(data.origin)), box.top + row.y + 25]; }"""

    def said(time: int) -> str:
        page.mouse.move(*page.evaluate(place, time))
        return str(page.locator("#hover").inner_text())

    assert said(350) == "SMs Active\nvalue 60 %"
    assert page.locator("#hover").is_visible()
    assert said(650) == "SMs Active\nvalue 30 %"
    page.mouse.move(*page.evaluate(place, 500))
    assert not page.locator("#hover").is_visible()  # nothing was sampled there
    page.mouse.click(*page.evaluate(place, 250))
    assert "90 %" in page.locator("#details").inner_text() and "0.000000200 s" in page.locator("#details").inner_text()
    page.evaluate("() => { const { view } = window.nsysql; view.set(-1e5, 1e5); }")
    together = page.evaluate(
        """() => { const { data } = window.nsysql, track = data.tracks.find((one) => one.kind === "curve");
        return Object.fromEntries(factsOfCurve(data, track, 340, 10000)); }"""
    )
    mean = (95 * 20 + 100 * 90 + 100 * 60 + 190 * 30) / 485
    assert together["mean"] == f"{mean:.1f} %" and together["lowest"] == "20 %" and together["highest"] == "90 %"
    assert together["merged"].startswith("5 values in 685")
    assert opened.errors == []


IDLE_AREA = """() => {
  const { rows, drawing, data } = window.nsysql, canvas = document.getElementById("picture");
  const context = canvas.getContext("2d"), scale = window.devicePixelRatio || 1;
  const row = rows.tracks.find((one) => one.track.kind === "idle"), from = 150, high = 15;
  const pixels = context.getImageData(from * scale, row.y * scale, canvas.width - from * scale, high * scale).data;
  const back = getComputedStyle(document.documentElement).getPropertyValue("--row").trim();
  const lane = data.lanes.get(row.track.track)[0], full = data.styles[data.style[lane.from]].color;
  const blank = document.createElement("canvas").getContext("2d");
  blank.fillStyle = back;
  blank.fillRect(0, 0, 1, 1);
  const [r, g, b] = blank.getImageData(0, 0, 1, 1).data;
  blank.fillStyle = full;
  blank.fillRect(0, 0, 1, 1);
  const [red, green, blue] = blank.getImageData(0, 0, 1, 1).data;
  const most = Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b);
  const apart = (i) => Math.abs(pixels[i] - r) + Math.abs(pixels[i + 1] - g) + Math.abs(pixels[i + 2] - b);
  let colored = 0; // a pixel that is covered in part is as much lighter
  for (let i = 0; i < pixels.length; i += 4) colored += apart(i) / most;
  return (100 * colored * 4) / pixels.length;
}"""


@pytest.mark.parametrize("gap_pct", [0.2, 27.0, 94.0])
def test_the_colored_area_of_the_idle_row_is_the_idle_share(
    gap_pct: float, chromium: Any, report: Report, build: Report
) -> None:
    """Of 4,000 short gaps between kernels, a few of which share a pixel."""
    sql = even_gaps(gap_pct)
    page = Opened(chromium.new_page(viewport={"width": 1200, "height": 900})).open(report(sql))
    with nsysql.open(build(sql)) as run:
        window, idle = run.query("gpu_time").select("window_ns", "idle_ns").row(0)
    assert page.evaluate(IDLE_AREA) == pytest.approx(100 * idle / window, abs=2)


def test_gaps_are_stepped_through_and_the_address_has_view_and_selection(chromium: Any, report: Report) -> None:
    opened = Opened(chromium.new_page(viewport={"width": 1200, "height": 900}))
    page = opened.open(path := report(even_gaps(27.0, count=5)))
    gap = "() => window.nsysql.data.start[window.nsysql.state.selected.row]"
    shown = "() => [window.nsysql.view.from, window.nsysql.view.to]"
    page.evaluate("() => window.nsysql.view.set(0, 1000)")
    starts = []
    for _ in range(5):
        page.keyboard.press("n")
        starts.append(page.evaluate(gap))
    assert starts[:4] == sorted(set(starts[:4])) and starts[4] == starts[3]  # four gaps, then no more
    page.keyboard.press("p")
    assert page.evaluate(gap) == starts[2]
    address, view = page.url, page.evaluate(shown)
    assert view[0] < starts[2] < view[1]
    page.keyboard.press("p")
    assert page.evaluate(gap) == starts[1] and page.url != address
    page.go_back()
    page.wait_for_function(f"() => window.nsysql.data.start[window.nsysql.state.selected?.row] === {starts[2]}")
    assert page.evaluate(shown) == pytest.approx(view, abs=1)
    other = Opened(chromium.new_page(viewport={"width": 1200, "height": 900}))
    again = other.page
    again.goto(address)
    again.wait_for_selector("#explorer[data-ready]", timeout=20_000)
    assert again.evaluate(gap) == starts[2] and again.evaluate(shown) == pytest.approx(view, abs=1)
    assert opened.errors == other.errors == [] and opened.requests[:1] == [path.as_uri()]
