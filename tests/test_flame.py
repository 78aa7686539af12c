"""Flame graphs: boxes are as wide as their stacks, every form says the same, names stay text, nothing is requested."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from browser import Opened, browser

import nsysql
import nsysql.cli.entry
from nsysql.errors import MissingData
from nsysql.render.flame import boxes

pytestmark = pytest.mark.usefixtures("kept_open")

THREAD = "500 << 24 | 500"
NASTY = '<script>alert(1)</script> & "q" ]]> $x {{ 7 }} ; é'


def given(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """The exit status of a command and what it printed."""
    with pytest.raises(SystemExit) as left:
        nsysql.cli.entry.main(["flame", *arguments])
    printed = capsys.readouterr()
    return int(left.value.code or 0), printed.out, printed.err


def nasty(build: Callable[[str], Path]) -> Path:
    """An export with a range and a kernel of a name that is markup."""
    text = NASTY.replace("'", "''")
    return build(
        f"""
        INSERT INTO StringIds (id, value) VALUES (1, '{text}'), (2, 'cudaLaunchKernel_v7000');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES (0, 100, 59, {THREAD}, '{text}');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
            (start, "end", eventClass, globalTid, correlationId, nameId, returnValue) VALUES
            (10, 20, 0, {THREAD}, 1, 2, 0);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
            (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
            VALUES (30, 80, 0, 1, 7, 1, 500 << 24, 1, 1);
        """
    )


def test_boxes_lie_as_drawn() -> None:
    stacks = pl.DataFrame({"stack": ["a;b", "a b;c", "a", "a;b;d", "z"], "value": [3, 5, 2, 4, 6]})
    found = boxes(stacks, 0)
    assert found.rows() == [
        (0, 0, 9, "a", True),
        (0, 9, 5, "a b", False),
        (0, 14, 6, "z", True),
        (1, 2, 7, "b", True),
        (1, 9, 5, "c", True),
        (2, 5, 4, "d", True),
    ]
    assert boxes(stacks, 6)["name"].to_list() == ["a", "z", "b"]


def test_collapsed_stacks(story: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = given(str(story("operators_torch")), capsys=capsys)
    assert code == 0
    assert out.splitlines() == [
        "step #;aten::linear;aten::linear;k 150",
        "step #;aten::linear;k 100",
        "step #;k 40",
        "(no range);k 10",
    ]


def test_speedscope_has_the_documented_shape(story: Callable[[str], Path], tmp_path: Path) -> None:
    target = tmp_path / "flame.json"
    with pytest.raises(SystemExit):
        nsysql.cli.entry.main(["flame", str(story("operators_torch")), "-q", "-o", str(target)])
    found = json.loads(target.read_text(encoding="utf-8"))
    assert found["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert found.keys() == {"$schema", "name", "activeProfileIndex", "exporter", "shared", "profiles"}
    frames = [frame["name"] for frame in found["shared"]["frames"]]
    assert len(set(frames)) == len(frames)
    (profile,) = found["profiles"]
    assert profile.keys() == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
    assert (profile["type"], profile["unit"]) == ("sampled", "nanoseconds")
    assert profile["startValue"] == 0
    assert profile["endValue"] == sum(profile["weights"]) == 300
    stacks = {";".join(frames[i] for i in s): w for s, w in zip(profile["samples"], profile["weights"], strict=True)}
    assert stacks["step #;aten::linear;aten::linear;k"] == 150


def test_svg_is_xml_with_boxes_in_proportion(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        picture = ET.fromstring(run.pages.flame().svg(1000))
    boxed = {}
    for group in picture.findall("{*}g"):
        title, rect = group.find("{*}title"), group.find("{*}rect")
        assert title is not None
        assert rect is not None
        boxed[title.text] = float(rect.attrib["width"])
    assert boxed["step #: 290 ns, 96.67%"] == pytest.approx(966.27, abs=0.01)
    assert "k: 150 ns, 50.00%" in boxed


@pytest.mark.parametrize("ending", ["html", "svg"])
def test_names_are_text(ending: str, build: Callable[[str], Path], tmp_path: Path) -> None:
    target = tmp_path / f"flame.{ending}"
    with pytest.raises(SystemExit):
        nsysql.cli.entry.main(["flame", str(nasty(build)), "-q", "-o", str(target)])
    text = target.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(#)" in text
    assert not re.findall(r"(?:src|href)=", text)


def test_the_page_zooms_searches_and_asks_for_nothing(build: Callable[[str], Path], tmp_path: Path) -> None:
    target = tmp_path / "flame.html"
    with nsysql.open(nasty(build)) as run:
        run.pages.flame().write(target)
    with browser() as running:
        opened = Opened(running.new_page())
        page = opened.open(target, script=False)
        page.fill("#search", "script")
        assert page.inner_text("#found") == "100.00% in 2 boxes"
        page.locator("g[data-x]").nth(1).click()
        page.keyboard.press("Escape")
        assert opened.errors == []
        assert opened.requests == [target.as_uri()]


@pytest.mark.parametrize("weight", ["gpu", "idle", "launches", "samples"])
def test_what_is_missing_is_said(weight: str, story: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = given(str(story("no_cuda")), "--weight", weight, capsys=capsys)
    assert (code, out) == (1, "")
    assert "capture with --" in err
    assert len(err.splitlines()) == 1


def test_a_range_that_there_is_not_is_named(story: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = given(str(story("training")), "--nvtx", "stop", capsys=capsys)
    assert code == 2 and err.startswith("nsysql: No NVTX range is named 'stop'")


def test_an_unknown_ending_is_wrong_usage(
    story: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = given(str(story("training")), "-o", str(tmp_path / "x.doc"), capsys=capsys)
    assert code == 2
    assert "choose what to write with --format" in err


def test_the_library_refuses_what_there_is_not(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("no_cuda")) as run, pytest.raises(MissingData, match="no GPU work"):
        run.pages.flame()
