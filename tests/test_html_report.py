"""The report as a file: whole or not at all, of every export, with the numbers of the pages."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from exports import RICHEST, corpus_folder, corpus_names

import nsysql
from nsysql.findings.engine import find
from nsysql.pages import first_screen
from nsysql.pages.elements import Bar
from nsysql.pages.report.gather import Report, collect
from nsysql.pages.report.page import TITLE, chapters, launch_shapes
from nsysql.pages.scope import PageScope
from nsysql.render.html import report
from nsysql.render.html.page import script, short_names, tables
from nsysql.words.kernel_names import Naming
from nsysql.words.quantities import time

pytestmark = pytest.mark.usefixtures("kept_open")


@pytest.fixture(scope="module")
def whole(story: Callable[[str], Path], kept_open: None) -> Report:
    """What the report of the richest story holds."""
    with nsysql.open(story(RICHEST)) as run:
        return collect(run, PageScope(), 5)


@pytest.mark.parametrize("name", [RICHEST, "no_cuda", "gpu_metrics"])  # pages and timelines are asked of all
def test_a_story_has_a_report(name: str, run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    ran = run("report", story(name), "-o", tmp_path / "r.html")
    assert ran.code == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and text.rstrip().endswith("</html>")
    assert not re.search(r"(src|href)=.?https?:", text)
    assert text.count("<script") == 1 + ('id="events"' in text)
    if name == RICHEST:
        for words in (
            "<h2>Steps</h2>", "Step by step", "<h2>What changes would save</h2>", "Critical path",
            "<h2>GPU time by NVTX range</h2>", 'class="fl"',
        ):  # fmt: skip
            assert words in text


@pytest.mark.parametrize("name", [n for n in corpus_names() if n.startswith("um-")])
def test_its_tables_are_those_of_the_pages(name: str) -> None:
    with nsysql.open(corpus_folder() / f"{name}.sqlite") as run:
        found = collect(run, PageScope(), 5)
        texts = []
        steps = run.pages.steps() if found.steps else None
        known = find(run)
        told = first_screen.findings_section(first_screen.worth_telling(known.findings, known.parts), 99)
        texts += [str(cell) for row in told.rows for cell in row]
        for one in (
            run.pages.summary(all=True, top=5),
            run.pages.idle_gaps(all=True) if found.idle else None,
            steps,
            run.pages.doctor(),
            run.pages.what_if() if found.what_if else None,
        ):
            if one is not None:
                texts += [
                    str(cell) for s in one._page.sections for row in s.rows for cell in row if not isinstance(cell, Bar)
                ]
    sections = [section for chapter in chapters(found, 5) for section in chapter.sections]
    every = [section for section in sections if not section.title.startswith(("What GPU", TITLE))]
    shown = {
        cell.title or cell.text
        for table in tables(tuple(every), short_names(every, Naming()))
        for row in table["rows"]
        for cell in row
    }
    assert {text for text in shown if re.search(r"\d", text)} - {str(t).replace("\u00a0", " ") for t in texts} <= {
        text for text in shown if text.startswith("nsysql ")
    }


def test_kernels_by_launch_shape_are_the_rows_of_occupancy(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("occupancy")) as run:
        (section,) = launch_shapes(collect(run, PageScope(), 5).launch_shapes, 5)
        longest = run.occupancy().sort("total_ns", descending=True, maintain_order=True)
    headings = [column.heading for column in section.columns]
    rows = [dict(zip(headings, map(str, row), strict=True)) for row in section.rows]
    assert [row["total"] for row in rows] == [time(ns) for ns in longest["total_ns"].head(5)]
    assert [(row["occupancy"], row["limited by"], row["waves"], row["last wave full"]) for row in rows] == [
        ("100.0%", "registers, threads", "2.50", "50.0%"), ("62.5%", "shared memory", "4.00", "100.0%"),
        ("12.5%", "registers", "0.25", "25.0%"), ("", "", "", ""), ("100.0%", "threads", "0.25", "25.0%"),
    ]  # fmt: skip
    assert [(row["GPU"], row["grid"], row["block"], row["shared"]) for row in rows][1:3] == [
        ("0", "40", "256", "30.00 kB"), ("0", "1", "32 x 4", "0 B"),
    ]  # fmt: skip
    assert section.after == (
        "1 more launch shape (nsysql occupancy).",
        "Theoretical occupancy of 1 of these is not known: thread block cluster of 2 blocks (nsysql occupancy).",
    )


def test_without_occupancy_the_reason_stands_in_place_of_its_columns(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("occupancy")) as run:
        (section,) = launch_shapes(run.occupancy(gpu=2), 5)
    assert "occupancy" not in [column.heading for column in section.columns] and not section.before
    assert section.after == (
        "Theoretical occupancy is not known: limits of compute capability 5.2 are not known (nsysql occupancy).",
    )
    assert not list(launch_shapes(pl.DataFrame(), 5))


def test_what_a_gpu_did_is_its_accounts(whole: Report, story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        accounts = run.gpu_accounts()
    (shown,) = [s for chapter in chapters(whole, 5) for s in chapter.sections if s.title == "What GPU 0 did"]
    assert [row[2] for row in shown.rows] == [time(ns) for ns in accounts["total_ns"].head(len(shown.rows))]
    assert [row[4] for row in shown.rows] == accounts["kind"].head(len(shown.rows)).to_list()
    assert time(int(accounts["total_ns"].sum())) in shown.meaning


def test_a_part_without_steps_has_no_chapter_of_them(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    run("report", story("training"), "--start", "20ms", "--end", "30ms", "-o", tmp_path / "r.html")
    assert "<h2>Steps</h2>" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_bars_are_about_the_time_of_the_headline(story: Callable[[str], Path]) -> None:
    """Memory that the host reads migrates long after the only kernel."""
    with nsysql.open(story("verdict_migrations")) as run:
        found = collect(run, PageScope(), 5).overview
    reading = "then the host reads unified memory for 4.960 ms"
    moving = "but for 40% of it pages of unified memory move while kernels run"
    assert found is not None
    assert found.headline == f"The GPU is busy 100% of the time from first to last work, {moving}; {reading}."
    ((_, segments),) = found.bars
    assert [(one.title, one.ns, one.share) for one in segments] == [("kernels", 1_000_000, 1.0)]
    assert found.savable == (
        "Kernels run in all of 1.00 ms: only faster kernels can save time there."
        " What comes before or after, with 60.0 µs of GPU work, is not in it."
    )


def test_a_share_is_as_long_as_it_says(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("report", story("training"), "-o", "-").text
    table = text[text.index("What GPU 0 did") :]
    widths = re.findall(r"width: ?([0-9.]+)%", table[: table.index("</table>")])
    with nsysql.open(story("training")) as export:
        times = export.query("gpu_accounts").filter(gpu_id=0)["total_ns"].sort(descending=True)
    assert len(widths) > 3
    assert list(map(float, widths)) == [round(100 * ns / times.sum(), 1) for ns in times.to_list()[: len(widths)]]


def test_findings_have_bars_of_one_scale(whole: Report, story: Callable[[str], Path]) -> None:
    """A share is said of its part, the bar is of the window: the longer bar saves more."""
    found = whole.overview
    with nsysql.open(story("training")) as run:
        shown = [one for one in find(run).findings if one.shown]
    assert found is not None
    lines = {one.code: one for one in found.lines}
    window = sum(one.ns for _, segments in found.bars for one in segments)
    for one in shown:
        if (line := lines.get(one.code)) and one.saves_ns:
            assert line.share == min(1.0, one.saves_ns / window)
            assert line.of_part == "once" if one.once else line.of_part.endswith(f"% of {one.place}")
    assert any(one.share for one in found.lines)


def test_a_failure_leaves_what_was_there(run: Callable[..., Ran], corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    target.write_text("before")
    assert run("report", corpus / "v100-nometa.sqlite", "--gpu", 7, "-o", target).code == 2
    assert target.read_text() == "before" and list(tmp_path.iterdir()) == [target]
    assert "is no folder" in run("report", corpus / "v100-nometa.sqlite", "-o", tmp_path / "none" / "r.html").err


def test_a_stretch_is_kept_in_full(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    assert run("report", story("training"), "--start", "0ns", "--end", "1s", "-o", tmp_path / "r.html").code == 0
    assert "each as it was recorded" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (
        "nothing was under way there"
        in run("report", story("training"), "--start", "99s", "-o", tmp_path / "q.html").err
    )


def test_the_script_is_small_and_of_the_house() -> None:
    modules = list((Path(report.__file__).parent / "script").glob("*.js"))
    assert {path.stem for path in modules} == set(report.SCRIPT)
    assert sum(path.stat().st_size for path in modules) < 59_000
    assert "http" not in script(report.SCRIPT)


def test_a_notebook_shows_it(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        view = run.pages.report()
        assert "write(PATH)" in repr(view)
        shown = view._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<!doctype html>" in unescape(shown)


@pytest.mark.parametrize("command", ["summary", "idle-gaps", "doctor", "steps", "compare"])
def test_every_page_is_html_too(
    command: str, run: Callable[..., Ran], build: Callable[[str], Path], tmp_path: Path
) -> None:
    hostile = build("""
INSERT INTO StringIds (id, value) VALUES (1, '<script>alert(1)</script>');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, globalPid, demangledName, shortName) VALUES
    (5, 60, 0, 7, 16777216, 1, 1), (500, 900, 0, 7, 16777216, 1, 1);
""")
    more = ["--with", hostile] if command == "compare" else []
    target = tmp_path / "page.html"
    assert run(command, hostile, *more, "-o", target).code == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "default-src 'none'" in text
    assert text.count("<script") == 1 and "<script>alert" not in text
    if command == "summary":
        assert run(command, hostile, "-f", "html").text == text


def test_a_query_is_no_page(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    ran = run("gpu-time", story("training"), "-o", tmp_path / "rows.html")
    assert ran.code == 2 and "ends in none of" in ran.err


def test_the_doctors_findings_are_a_chapter(
    run: Callable[..., Ran], story: Callable[[str], Path], build: Callable[[str], Path], tmp_path: Path
) -> None:
    odd = build("""
INSERT INTO StringIds (id, value) VALUES (1, 'a');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, globalPid, demangledName, shortName) VALUES
    (50, 5, 0, 7, 16777216, 1, 1), (500, 900, 0, 7, 16777216, 1, 1);
""")
    run("report", odd, "-o", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert '<article id="doctor">' in text and "Can it be analyzed?" in text
    assert "<details><summary>Yes: it has 2 events. What it answers" in text.split('<article id="doctor">')[1]
    with nsysql.open(odd) as export:
        (finding,) = [row for row in export.pages.doctor().document()["findings"] if row["found"]][:1]
    assert finding["table"] in text.split('id="doctor"')[1]
    run("report", odd, "--start", "0ns", "--end", "1us", "-o", tmp_path / "r.html")
    assert '<article id="doctor">' not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_each_chapter_says_how_to_see_its_numbers(
    whole: Report, run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    path = story("training")
    with nsysql.open(path) as export:
        part = chapters(collect(export, PageScope(0, 60_000_000, 90_000_000), 5), 5)
    of_part = {command for chapter in part for command in chapter.commands if "flame" not in command}
    known = {command.split()[1] for command in of_part}
    for chapter in chapters(whole, 5):
        assert chapter.commands or chapter.anchor == "notes"
        for command in chapter.commands:
            assert command.split()[2] == "training.sqlite"
            name, *options = command.split()[1:2] + command.split()[3:]
            more = ["-o", tmp_path / "f.html"] if name == "flame" else options
            assert name in known or run(name, path, *more).code == 0, command
    (verdict,) = [chapter for chapter in part if chapter.anchor == "verdict"]
    assert verdict.commands == (
        "nsysql idle-gaps training.sqlite --gpu 0 --start 60000000ns --end 90000000ns",
        "nsysql summary training.sqlite --start 60000000ns --end 90000000ns",
    )
    for command in of_part:
        assert run(command.split()[1], path, *command.split()[3:]).code == 0, command
