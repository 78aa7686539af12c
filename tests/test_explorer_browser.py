"""The report's timeline in a real browser: gaps, intervals, legend, search, keys, fingers, and its layout."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from browser import Opened, browser
from drawn import read_story
from exports import create_export

import nsysql
from nsysql.render.html.payload import _folded

GPU = 4711 << 24
THREAD, SPAN = GPU + 1, 100_000
MANY = f"""
INSERT INTO StringIds (id, value) VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'my_kernel'), (3, 'poll'), (4, '[NSys]');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
    demangledName, shortName) VALUES
    (40000, 41000, 0, 1, 7, 1, {GPU}, 2, 2), (45000, 46000, 0, 1, 7, 2, {GPU}, 2, 2),
    (46500, 47000, 0, 1, 7, 3, {GPU}, 2, 2), (59000, 60000, 0, 1, 7, 4, {GPU}, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
    (39000, 39500, {THREAD}, 1, 1), (44000, 44500, {THREAD}, 2, 1), (45200, 45300, {THREAD}, 3, 1),
    (58000, 58500, {THREAD}, 4, 1);
INSERT INTO OSRT_API (start, "end", globalTid, nameId, eventClass) VALUES
    (100, 200, {THREAD + 1}, 3, 27), (100, 90000, {THREAD + 2}, 4, 27), (300, 400, {THREAD + 3}, 3, 27);
INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
    SELECT i * 100, {SPAN} - i * 100, 59, {THREAD}, 'level ' || i FROM n;
"""
STATE = """() => { const { data, state, view, rows } = window.nsysql, { selected, gap, interval, only } = state;
    const styles = (set) => [...set].map((i) => data.styles[i].style);
    return { start: selected && data.start[selected.row] + Number(data.origin), gap: gap?.number, interval,
      only: only && styles(only), from: view.from, to: view.to, height: rows.height }; }"""
MORE = """() => { const { rows } = window.nsysql, box = document.getElementById("picture").getBoundingClientRect();
    const row = rows.tracks.find(({ more }) => more);
    document.getElementById("frame").scrollTop = row.y;
    const top = document.getElementById("picture").getBoundingClientRect().top;
    return [box.left + 200, top + row.y + row.lanes * 16 + 7, row.more, row.lanes]; }"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("many")
    with nsysql.open(create_export(MANY, folder / "many.sqlite")) as run:
        run.pages.report().write(folder / "report.html")
    with browser() as running:
        opened = Opened(running.new_page(viewport={"width": 1440, "height": 900}))
        yield opened.open(folder / "report.html")
        assert opened.errors == []


@pytest.fixture(scope="module")
def many_accounts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Time of the GPU by the cause of idle time; of work, which has no cause, under an empty name."""
    with nsysql.open(create_export(MANY, tmp_path_factory.mktemp("accounts") / "many.sqlite")) as run:
        rows = run.gpu_accounts().select("kind", "name", "total_ns").rows()
    sums: dict[str, int] = {}
    for kind, name, ns in rows:
        cause = name if kind == "idle" else ""
        sums[cause] = sums.get(cause, 0) + ns
    return sums


@pytest.fixture
def page(many: Any) -> Any:
    """The report of MANY as it is first seen."""
    url = many.url.partition("#")[0]
    many.goto("about:blank")
    many.goto(url)
    many.wait_for_selector("#explorer[data-ready]")
    many.evaluate("document.getElementById('explorer').scrollIntoView()")
    return many


def test_the_first_screen_has_bars_that_lead_into_the_timeline(page: Any, many_accounts: dict[str, int]) -> None:
    page.evaluate("scrollTo(0, 0)")
    assert page.locator("#explorer").bounding_box()["y"] < 900, "the timeline begins on the first screen"
    bars = page.locator(".hundred a")
    widths = [one.bounding_box()["width"] for one in bars.all()]
    expected = sorted(many_accounts.values())
    shares = sorted(100 * width / sum(widths) for width in widths)
    assert shares == pytest.approx([100 * ns / sum(expected) for ns in expected], abs=0.5)
    assert "At most 16.5 µs of 20.0 µs (83%) can be saved" in page.locator(".savable").inner_text()
    assert page.locator("#todo li").count() > 0
    page.locator(".hundred a.idle").first.click()
    page.wait_for_function("() => window.nsysql.state.gap")
    assert page.evaluate(STATE)["only"] == ["cause:" + max(many_accounts, key=lambda n: many_accounts[n] * (n != ""))]


def test_a_finding_leads_to_the_events_that_it_is_about(many: Any, tmp_path: Path) -> None:
    with nsysql.open(read_story("few_blocks").write(tmp_path / "run.sqlite")) as run:
        run.pages.report().write(tmp_path / "report.html")
    page = Opened(many.context.browser.new_page()).open(tmp_path / "report.html")
    link = page.locator("#todo a[href^='#find=']").first
    words = link.get_attribute("href").removeprefix("#find=")
    link.click()
    page.wait_for_function("() => window.nsysql.state.search")
    assert page.evaluate("() => window.nsysql.state.search") == unquote(words).lower()
    assert page.evaluate("() => window.nsysql.state.matches.some(Boolean)")
    page.close()


def test_the_first_view_is_the_gpus_and_the_strip_the_capture(page: Any) -> None:
    first = page.evaluate(STATE)
    assert (first["from"], first["to"]) == (40_000 - 200, 60_000 + 200)
    box = page.locator("#strip").bounding_box()
    page.mouse.click(box["x"] + 150 + (box["width"] - 150) * 0.9, box["y"] + 5)
    moved = page.evaluate(STATE)
    assert (moved["from"] + moved["to"]) / 2 == pytest.approx(90_000, abs=200)
    page.keyboard.press("Home")
    assert page.evaluate(STATE)["from"] == first["from"]
    page.keyboard.press("0")
    assert (page.evaluate(STATE)["from"], page.evaluate(STATE)["to"]) == (0, SPAN)


def test_lanes_that_do_not_fit_are_named_and_unfolded(page: Any) -> None:
    x, y, more, lanes = page.evaluate(MORE)
    assert (more, lanes) == ("+8 lanes", 12)
    before = page.evaluate(STATE)["height"]
    page.mouse.click(x, y)
    assert page.evaluate(STATE)["height"] == before + 8 * 16
    assert page.evaluate(MORE)[2:] == ["fewer lanes", 20]


def test_the_legend_says_totals_and_is_a_filter_of_gaps(page: Any) -> None:
    legend = page.locator("#legend")
    assert "kernel 3.500 µs" in legend.inner_text() and "NVTX range 20" in legend.inner_text()
    page.evaluate("() => window.nsysql.view.set(0, 1000)")
    page.keyboard.press("n")
    assert page.evaluate(STATE)["start"] == 41_000
    assert "idle for 4.000 µs" in page.locator("#details").inner_text()
    latency = legend.locator("button", has_text="Launch latency").first
    latency.click()
    assert page.evaluate(STATE)["only"] == ["cause:launch_latency"]
    assert latency.get_attribute("aria-pressed") == "true"
    pieces = page.evaluate(
        """() => { const { data } = window.nsysql;
        const style = data.styles.findIndex(({ style }) => style === "cause:launch_latency");
        return [...data.style.keys()].filter((i) => data.style[i] === style).map((i) => data.link[i]); }"""
    )
    page.keyboard.press("n")
    assert page.evaluate(STATE)["gap"] in pieces
    latency.click()
    assert page.evaluate(STATE)["only"] is None


def test_shift_and_drag_sums_up_an_interval_that_the_address_keeps(page: Any) -> None:
    box = page.locator("#picture").bounding_box()
    place = "(time) => window.nsysql.drawing.x(time)"
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + page.evaluate(place, 40_500), box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + page.evaluate(place, 45_500), box["y"] + 60, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    interval = page.evaluate(STATE)["interval"]
    assert interval["from"] == pytest.approx(40_500, abs=40) and interval["to"] == pytest.approx(45_500, abs=40)
    said = page.locator("#details").inner_text()
    assert "GPU 0" in said and "my_kernel" in said and "level 0" in said
    rows = page.evaluate("(interval) => tablesOf(window.nsysql.data, interval)", {"from": 40_500, "to": 45_500})
    gpu = dict(rows[0][1])
    assert gpu.pop("busy") == 1_000 and sum(gpu.values()) == 4_000
    assert rows[1] == ["GPU work, all streams added", [["my_kernel", 1_000]]]
    title, (*longest, rest) = rows[2]
    assert title == "NVTX ranges, all threads and nesting added" and len(longest) == 5
    assert rest == ["15 more", 15 * 5_000]
    assert "&i=" in page.url
    page.keyboard.press("Escape")
    assert page.evaluate(STATE)["interval"] is None
    page.go_back()
    page.wait_for_function("() => window.nsysql.state.interval")
    assert page.evaluate(STATE)["interval"] == interval


def test_sums_of_merged_events_are_those_of_the_longest_at_most(page: Any) -> None:
    merged = "const { data, state } = window.nsysql, merged = { ...data, count: data.count.map(() => 2) };"
    gpu, work, *_ = page.evaluate(f"() => {{ {merged} return tablesOf(merged, {{ from: 40_500, to: 45_500 }}); }}")
    assert work[1] == [["mostly my_kernel", 1_000]]
    assert all(name.startswith("mostly ") for name, _ in gpu[1][1:])
    legend = """const lines = document.getElementById("legend").children, before = lines.length;
        makeLegend(merged, { ...state }, () => {});
        return [...lines].slice(before).map((line) => { line.remove(); return line.textContent; });"""
    idle, work = page.evaluate(f"() => {{ {merged} {legend} }}")
    assert "Host code about " in idle and "kernel about " in work


def test_numbers_of_gaps_in_tables_select_them(page: Any) -> None:
    page.locator("#gaps summary").click()
    link = page.locator("#gaps td a.moment").first
    number = int(link.inner_text())
    link.click()
    page.wait_for_function("() => window.nsysql.state.gap")
    found = page.evaluate(STATE)
    assert found["gap"] == number
    assert found["start"] == 47_000 or found["start"] > 47_000  # a piece of the longest one
    assert page.locator("#frame").evaluate("(frame) => document.activeElement === frame")


def test_keys_fingers_and_text(page: Any) -> None:
    page.keyboard.press("?")
    assert page.locator("#help").is_visible() and "next and previous gap" in page.locator("#help").inner_text()
    page.keyboard.press("Escape")
    first = page.evaluate(STATE)
    page.keyboard.press("+")
    assert page.evaluate(STATE)["to"] < first["to"]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STATE)["from"] > first["from"]
    page.keyboard.press("Home")
    page.evaluate(
        """() => { const frame = document.getElementById("frame"), box = frame.getBoundingClientRect();
        const put = (type, pointerId, x) => frame.dispatchEvent(new PointerEvent(type,
          { pointerId, clientX: box.left + x, clientY: box.top + 60, bubbles: true, button: 0 }));
        put("pointerdown", 1, 500); put("pointerdown", 2, 600); put("pointermove", 1, 400); put("pointermove", 2, 700);
        put("pointerup", 1, 400); put("pointerup", 2, 700); }"""
    )
    pinched = page.evaluate(STATE)
    assert (first["to"] - first["from"]) / (pinched["to"] - pinched["from"]) == pytest.approx(3, rel=0.01)
    page.keyboard.press("Home")
    page.locator("#text summary").click()
    page.wait_for_function("() => document.querySelectorAll('#text tbody tr').length > 2")
    said = page.locator("#text table").inner_text()
    assert "GPU 0, stream 7\t4\t3.500 µs\tmy_kernel (3.500 µs)" in said


def test_threads_that_did_nothing_are_one_group(page: Any) -> None:
    groups = page.evaluate("() => window.nsysql.rows.groups.map(({ name, isFolded }) => [name, isFolded])")
    assert ["3 threads with nothing but short OS calls and the profiler's", True] in groups
    assert sum("thread" in name for name, _ in groups) == 2


def test_details_stand_beside_the_picture_where_there_is_room(page: Any) -> None:
    for width, is_beside in ((1440, True), (390, False)):
        page.set_viewport_size({"width": width, "height": 900})
        frame, details = (page.locator(name).bounding_box() for name in ("#frame", "#details"))
        assert (details["x"] >= frame["x"] + frame["width"]) == is_beside
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 1440, "height": 900})


def test_search_is_over_what_is_displayed(page: Any) -> None:
    for text, said in (("stream 7", "4 events, 3.500 µs"), ("level 1", "11 events"), ("thread 4711,", "0 events")):
        page.locator("#search").fill(text)
        assert page.locator("#found").inner_text().startswith(said)
    page.locator("#search").fill("idle by cause")
    assert "16.50 µs, 17% of the capture" in page.locator("#found").inner_text()
    page.locator("#search").fill("")


COPIES = f"""
INSERT INTO StringIds (id, value) VALUES (1, 'my_kernel');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
    demangledName, shortName) VALUES (0, 1000, 0, 1, 7, 1, {GPU}, 1, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, "end", deviceId, contextId, streamId, correlationId, globalPid, bytes,
    copyKind) VALUES (1000, 10000, 0, 1, 7, 2, {GPU}, 4096, 1);
"""
STRIP = """() => { const canvas = document.getElementById("strip"), { data } = window.nsysql;
    const at = (part) => [...canvas.getContext("2d").getImageData(
      Math.round((150 + (canvas.clientWidth - 150) * part) * devicePixelRatio), 7, 1, 1).data].slice(0, 3);
    const hex = data.styles.find(({ style }) => style === "h2d").color;
    return [at(0.5), [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]; }"""


def test_the_strip_has_the_color_of_what_a_gpu_does_most(many: Any, tmp_path: Path) -> None:
    with nsysql.open(create_export(COPIES, tmp_path / "copies.sqlite")) as run:
        run.pages.report().write(tmp_path / "report.html")
    opened = Opened(many.context.browser.new_page(viewport={"width": 1440, "height": 900}))
    drawn, copy = opened.open(tmp_path / "report.html").evaluate(STRIP)
    assert drawn == copy and opened.errors == []


MORE_STRIPS = """() => { const canvas = document.getElementById("strip"), context = canvas.getContext("2d");
    const said = [], write = context.fillText;
    context.fillText = (text, ...place) => { said.push(text); write.call(context, text, ...place); };
    window.nsysql.view.all();
    return new Promise((done) => { setTimeout(() => done([said, canvas.clientHeight]), 200); }); }"""


def test_the_strip_says_how_many_gpus_it_leaves_out(many: Any, tmp_path: Path) -> None:
    kernel = ', "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)'
    rows = ", ".join(f"(0, 1000, {gpu}, {gpu}, 7, {gpu}, {GPU}, 1, 1)" for gpu in range(10))
    sql = "INSERT INTO StringIds (id, value) VALUES (1, 'k');\n"
    sql += f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start{kernel} VALUES {rows};"
    with nsysql.open(create_export(sql, tmp_path / "ten.sqlite")) as run:
        run.pages.report().write(tmp_path / "report.html")
    page = Opened(many.context.browser.new_page(viewport={"width": 1440, "height": 900})).open(tmp_path / "report.html")
    said, height = page.evaluate(MORE_STRIPS)
    assert "and 2 more" in said and height == 9 * 14


def test_threads_beyond_the_first_are_folded() -> None:
    def track(group: str, kind: str) -> dict[str, object]:
        return {"group": group, "label": kind, "kind": kind}

    names = [f"run, thread {i}" for i in range(9)]
    groups: dict[object, list[dict[str, object]]] = {"GPU 0": [track("GPU 0", "stream")]}
    groups |= {name: [track(name, "cuda" if i != 1 else "os")] for i, name in enumerate(names)}
    found = _folded(groups, {"run, thread 8"})  # one alone is no group
    assert [name for name, tracks in found.items() if tracks and tracks[0]["isFolded"]] == [names[1], *names[6:]]
    assert [one["label"] for one in [*_folded(groups, set(names[7:])).values()][-1]] == [
        f"thread {i}, cuda" for i in (7, 8)
    ]
