"""Steps and comparisons as single pictures: their sums, their texts, and that nothing leaves them."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

import nsysql
from nsysql.errors import MissingData
from nsysql.render import html
from nsysql.render.charts.compare import NAMES, NUMBERS, SIDE
from nsysql.render.charts.frame import fills, picture, wrapped
from nsysql.render.html.page import breakable
from nsysql.words.quantities import time

pytestmark = pytest.mark.usefixtures("kept_open", "without_findings")

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>x</script>&\u202e"


def drawn(text: str) -> ET.Element:
    assert "<script" not in text and "http" not in text.replace("http://www.w3.org/2000/svg", "")
    return ET.fromstring(text)


def titles(picture: ET.Element) -> list[str]:
    return [str(one.text) for one in picture.iter(f"{SVG}title")]


def test_pictures_alone_have_the_colors_of_reports() -> None:
    style = (Path(html.__file__).parent / "report.css").read_text(encoding="utf-8")
    schemes = re.findall(r"--back: (#\w+); --text: (#\w+); --soft: (#\w+);", style)
    text = picture("title", 10, 10, [])
    assert re.findall(r"fill:(#\w+);background:(#\w+)}.ch .m{fill:(#\w+)}", text) == [
        (front, back, soft)
        for back, front, soft in schemes[:2]  # the third is print's
    ]


def test_columns_are_steps(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    assert run("steps", story("training"), "-o", tmp_path / "s.svg").code == 0
    picture = drawn((tmp_path / "s.svg").read_text(encoding="utf-8"))
    with nsysql.open(story("training")) as export:
        times = export.query("step_times").filter(gpu_id=0).to_dicts()
        assert drawn(export.pages.steps().svg()).tag == picture.tag
        assert export.pages.steps()._repr_html_().startswith("<svg")
    columns = [[str(box[0].text) for box in group.iter(f"{SVG}rect") if len(box)] for group in picture.iter(f"{SVG}g")]
    assert len(columns) == len(times)
    for column, row in zip(columns, times, strict=True):
        assert all(text.startswith(f"step {row['step']}") for text in column)
        assert all(text.split("; ")[0].endswith(time(row["period_ns"])) for text in column)
    assert "Dashed: the median of steady steps" in "".join(str(t.text) for t in picture.iter(f"{SVG}text"))


def test_heights_are_times(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as export:
        picture = drawn(export.pages.steps().svg())
        rows = export.query("step_times").filter(gpu_id=0).filter("is_steady").to_dicts()
        times = {row["step"]: row["period_ns"] for row in rows}  # none of them is cut at the top
    high = {}
    for group in picture.iter(f"{SVG}g"):
        boxes = list(group.iter(f"{SVG}rect"))
        step = re.match(r"step (\d+)", str(boxes[0][0].text))
        assert step is not None
        high[int(step[1])] = sum(float(box.attrib["height"]) for box in boxes)
    first = next(iter(times))
    assert len(times) > 3
    for step in times:
        assert high[step] / high[first] == pytest.approx(times[step] / times[first], rel=0.05)


def test_differences_lead_from_a_to_b(run: Callable[..., Ran], corpus: Path, tmp_path: Path) -> None:
    sides = [corpus / "more" / "pairs" / f"nuss-block{name}.sqlite" for name in ("16", "128")]
    assert run("compare", sides[0], "--with", sides[1], "-o", tmp_path / "c.svg").code == 0
    picture = drawn((tmp_path / "c.svg").read_text(encoding="utf-8"))
    said = titles(picture)
    view = nsysql.compare(*sides)
    document = view.document()
    assert said[0].endswith(document["sentence"])
    (kernel,) = [text for text in said if text.startswith("nussinov_gpu: ")]
    assert kernel == "nussinov_gpu: 1.315 s in A, 238.3 ms in B"
    bars = [box for box in picture.iter(f"{SVG}rect") if len(box)]
    a = sum(float(box.attrib["width"]) for box in bars if str(box[0].text).startswith("A: "))
    b = sum(float(box.attrib["width"]) for box in bars if str(box[0].text).startswith("B: "))
    assert b / a == pytest.approx(document["b_ns"] / document["a_ns"], rel=0.02)
    width = float(picture.attrib["viewBox"].split()[2])
    assert a == pytest.approx(width - SIDE, rel=0.01), "the longer bar fills the picture"
    (change,) = [float(box.attrib["width"]) for box in bars if str(box[0].text) == kernel]
    assert 0.5 < change / (width - NAMES - NUMBERS) < 1, "and the largest difference most of its own"
    assert drawn(view.svg()) is not None and view._repr_html_().startswith("<svg")


def test_pages_as_html_begin_with_their_chart(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    for command in (("steps", story("training")), ("compare", story("training"), story("idle_launch"))):
        text = run(*command, "-f", "html").text
        assert "<svg" in text and text.index("<svg") < text.index("<table"), command
    found = run("report", story("training"), "-o", "-").text
    steps = found[found.index('id="steps"') :]
    assert steps.index('class="ch"') < steps.index("<table") and "Dashed: the median of steady steps" in steps


def test_long_names_break_between_their_parts() -> None:
    assert breakable("at::f<int, a::b<c>>(x,y)") == ("at::<wbr>f&lt;<wbr>int, a::<wbr>b&lt;<wbr>c&gt;&gt;(x,<wbr>y)")
    assert breakable("1 < 2") == "1 &lt; 2"
    assert breakable("see `nsysql ranks <A>`") == "see <code>nsysql ranks &lt;<wbr>A&gt;</code>"


def test_hostile_names_stay_text(run: Callable[..., Ran], build: Callable[[str], Path], tmp_path: Path) -> None:
    def sql(length: int) -> str:
        return f"""
INSERT INTO StringIds (id, value) VALUES (1, '{HOSTILE}');
INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES
    {", ".join(f"({1000 * i}, {1000 * i + 900 + 30 * i}, 59, 16777217, '{HOSTILE} {i}')" for i in range(6))};
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, globalPid, demangledName, shortName,
    correlationId) VALUES
    {", ".join(f"({1000 * i + 100}, {1000 * i + length + 30 * i}, 0, 7, 16777216, 1, 1, {i + 1})" for i in range(6))};
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
    {", ".join(f"({1000 * i + 50}, {1000 * i + 60}, 16777217, {i + 1}, 1)" for i in range(6))};
"""

    hostile, other = build(sql(400)), build(sql(300))
    assert run("steps", hostile, "-o", tmp_path / "s.svg").code == 0
    text = (tmp_path / "s.svg").read_text(encoding="utf-8")
    drawn(text)
    assert "\u202e" not in text
    assert run("compare", hostile, "--with", other, "-o", tmp_path / "c.svg").code == 0
    text = (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert "&lt;script" in text and drawn(text) is not None


def test_without_steps_there_is_no_picture(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    ran = run("steps", story("memory"), "-o", tmp_path / "s.svg")
    assert ran.code == 1 and "Traceback" not in ran.err
    assert not (tmp_path / "s.svg").exists()
    with nsysql.open(story("memory")) as export, pytest.raises(MissingData):
        export.pages.steps().svg()


def test_no_two_styles_are_alike() -> None:
    styles = [
        "kernel",
        "communication",
        "cause:launch_call",
        "cause:launch_latency",
        "cause:first_launch",
        "path:a",
        "path:b",
    ]
    assert len(set(fills(styles).values())) == len(styles)


def test_sentences_are_wrapped() -> None:
    assert wrapped("one two three", 60) == ["one two", "three"]
    assert wrapped("x" * 40, 64)[0] == "x" * 9 + "…"
