"""Pictures are true: areas and heights are the shares that they stand for."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran
from idle_timelines import even_gaps

import nsysql
from nsysql.pages.elements import Column, Page, Section, Slices
from nsysql.render.html.page import element
from nsysql.render.page import SLICE_HEIGHT, slices_svg
from nsysql.render.timeline.palette import CAUSES, legend
from nsysql.render.timeline.svg import GUTTER, LANE

RECT = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="([^"]+)"')
SLICE = re.compile(r'<rect x="(\d+)" width="\d+" y="[\d.]+" height="([\d.]+)" fill="#2b72c4"><title>([\d.]+)%</title>')


@pytest.mark.parametrize("gap_pct", [0.2, 5.0, 27.0, 94.0])
def test_the_idle_row_of_a_picture_has_the_area_of_the_idle_time(gap_pct: float, build: Callable[[str], Path]) -> None:
    with nsysql.open(build(even_gaps(gap_pct))) as run:
        window, idle = run.query("gpu_time").select("window_ns", "idle_ns").row(0)
        picture = run.pages.timeline(start_ns=0, end_ns=window).svg(1000)
    rects = [tuple(map(float, found[:4])) for found in RECT.findall(picture) if found[4] in CAUSES.values()]
    area = sum(width * height for _, _, width, height in rects if (width, height) != (9, 9))  # not the legend
    assert 100 * area / ((1000 - GUTTER) * (LANE - 1)) == pytest.approx(100 * idle / window, abs=2)


def test_a_family_of_causes_is_one_entry_of_the_legend() -> None:
    causes = ("os_sleep", "host_code", "os_wait_io")
    entries = legend(["kernel", *(f"cause:{cause}" for cause in causes)], {"os_sleep": "Sleeping", "host_code": "Host"})
    assert entries == [
        ("", [("kernel", "kernel")]),
        ("waiting on the CPU", [("cause:os_sleep", "Sleeping"), ("cause:os_wait_io", "os_wait_io")]),
        ("", [("cause:host_code", "Host")]),
    ]


def test_slices_are_as_high_as_their_shares() -> None:
    cell = Slices((0.0, 0.25, None, 1.0), " ░ █")
    found = [(int(x), float(high), float(share)) for x, high, share in SLICE.findall(slices_svg(cell))]
    assert found == [(0, 0, 0), (9, SLICE_HEIGHT / 4, 25), (27, SLICE_HEIGHT, 100)]
    page = Page("a", (Section("b", columns=(Column(whole=True),), rows=((cell,),)),))
    assert slices_svg(cell) in element(page)


@pytest.mark.usefixtures("without_findings")
def test_many_runs_show_when_each_was_busy(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    """GPUs that are idle most of the time do not look busy."""
    ran = run("runs", build(even_gaps(94.0)), build(even_gaps(94.0)), "-f", "html")
    assert ran.code == 0, ran.err
    found = [(float(high), float(share)) for _, high, share in SLICE.findall(ran.text)]
    assert len(found) > 20
    assert all(
        share == pytest.approx(6, abs=2) and high == pytest.approx(0.01 * share * SLICE_HEIGHT, abs=0.1)
        for high, share in found
    )
