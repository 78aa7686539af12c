"""Frames as texts: cells for people, exact values for programs, pages within their width."""

import io
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import process_time

import polars as pl
import pytest
from command_line import Ran
from planted import hidden_under_nulls

from nsysql.errors import UsageError
from nsysql.pages.elements import Bar, Column, Page, Section
from nsysql.render import table
from nsysql.render.page import write_markdown, write_terminal
from nsysql.words.kernel_names import TIED, Naming
from nsysql.words.quantities import cell, columns_of, heading, safe, size, time
from nsysql.words.truncate import cut, cut_arguments, cut_name, cut_names

pytestmark = pytest.mark.usefixtures("kept_open")

KERNEL = "void at::native::elementwise_kernel<(int)128, (int)2, at::native::add<float>>(int, T3)"


def written(form: str, frame: pl.DataFrame) -> str:
    file = io.BytesIO()
    table.WRITERS[form](frame, file)
    return file.getvalue().decode()


def shown(frame: pl.DataFrame, width: int | None = None) -> tuple[list[str], list[str]]:
    """The table's lines, and the columns that had no room."""
    file = io.StringIO()
    hidden = table.write(frame, file, width)
    return file.getvalue().splitlines(), hidden


# Cells --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("dur_ns", 0, "0 ns"),
        ("dur_ns", 999, "999 ns"),
        ("dur_ns", 1_000, "1.000 µs"),
        ("dur_ns", 999_999, "1.000 ms"),
        ("dur_ns", 123_456_789, "123.5 ms"),
        ("dur_ns", 4_096_000_000_000, "4,096 s"),
        ("dur_ns", -1_500, "-1.500 µs"),
        ("avg_ns", 4_606.36, "4.606 µs"),
        ("avg_ns", 0.25, "0.250 ns"),
        ("start_ns", 1_234_567_890_123, "1234.567890123 s"),
        ("api_start_ns", -5, "-0.000000005 s"),
        ("time_pct", 99.96, "100.0"),
        ("window_pct", 0.049, "<0.1"),
        ("window_pct", 0.0, "0.0"),
        ("moment_ns", 72_908_240_001, "72.908240001 s"),
        ("total_bytes", 26_896, "26.90 kB"),
        ("bytes", 12, "12 B"),
        ("throughput_bytes_per_s", 1.555e12, "1.555 TB/s"),
        ("clock_rate_hz", 1_410_000_000, "1.410 GHz"),
        ("num_calls", 1_234_567, "1,234,567"),
        ("correlation_id", 1_234_567, "1234567"),
        ("pid", 4_194_303, "4194303"),
        ("virtual_address", 139_780_387_024_896, "0x7f212850b000"),
        ("share", 1234.5678, "1,234.568"),
        ("is_open", True, "yes"),
        ("name", None, ""),
        ("name", "a\tb\x1b[31m\x9b\u202e\u2028", "a\\tb\\x1b[31m\\x9b\\u202e\\u2028"),
        ("day", date(2026, 1, 2), "2026-01-02"),
    ],
)
def test_a_cell_is_scaled_by_its_columns_name(name: str, value: object, text: str) -> None:
    assert cell(name, value) == text


def test_a_heading_leaves_the_unit_to_the_cells() -> None:
    names = ("total_time_ns", "time_pct", "throughput_bytes_per_s", "grid_x", "bytes")
    assert [heading(n) for n in names] == ["total time", "time %", "throughput", "grid x", "bytes"]


def test_scaling_never_shows_a_thousand_of_a_smaller_unit() -> None:
    for ns in (999_499, 999_500, 999_999, 1_000_000, 999_999_999):
        assert not time(ns).startswith(("1000", "1,000"))
    assert size(999_999) == "1.000 MB"


@pytest.mark.parametrize("width", range(8, 90))
def test_a_cut_text_fits(width: int) -> None:
    for text in (KERNEL, "日本語のカーネル" * 10, "plain name " * 9, "f<a>", "operator<<"):
        for short in (cut(text, width), cut_name(text, width)):
            assert columns_of(short) <= width
            assert short == text or "…" in short or text.endswith(short.rpartition("::")[2])


def test_a_templates_name_stays_whole() -> None:
    assert cut_name(KERNEL, 40).startswith("elementwise_kernel<")
    assert cut_name(KERNEL, 60).startswith("void at::native::elementwise_kernel<")
    assert cut_name("a::<unnamed>::kernel<int, float, double>", 20).startswith("kernel<")


def test_long_nested_arguments_are_cut_in_linear_time() -> None:
    started = process_time()
    assert cut_arguments("ab<" * 8000, 40) == "ab<" * 9 + "…" + ">" * 10
    assert process_time() - started < 0.5


@pytest.mark.parametrize("width", [*range(8, 40), 60])
def test_names_that_differ_are_told_apart_where_they_do(width: int) -> None:
    sizes = ["64x64x8_stage3", "64x256x8_stage3", "128x64x8_stage3", "128x128x8_stage3", "128x128x16_stage3"]
    names = [f"sm80_xmma_gemm_f32_tilesize{size}_warpsize1x4x1_execute_kernel__5x_cublas" for size in sizes]
    shown = cut_names([*names, "short", names[0]], width)
    assert all(columns_of(text) <= width for text in shown)
    assert shown[-2:] == ["short", shown[0]]
    if width >= 24:
        assert len(set(shown)) == len(names) + 1
    templates = [
        f"void at::native::vectorized_elementwise_kernel<(int)4, {t}>(int, {t}, long)" for t in ("float", "half")
    ]
    assert width < 40 or len(set(cut_names(templates, width))) == 2


def test_safe_text_is_one_line_without_controls() -> None:
    every = "".join(map(chr, range(0x2100)))
    found = safe(every)
    assert found.isprintable() or not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in found)
    assert len((found + "x").splitlines()) == 1
    assert not set("\u200e\u200f\u061c\u202a\u202e\u2066\u2069").intersection(found)


# Tables -------------------------------------------------------------------------------------------


def wide(rows: int = 2) -> pl.DataFrame:
    numbers = {f"value{i}_ns": [10**i * 7 + 1] * rows for i in range(9)}
    return pl.DataFrame({**numbers, "empty": [None] * rows, "name": [KERNEL] * rows})


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 132])
def test_a_table_fits_its_width_and_names_what_it_left_out(width: int) -> None:
    lines, hidden = shown(wide(), width)
    assert len(lines) == 3
    assert all(columns_of(line) <= width for line in lines)
    assert lines[0].endswith("name")
    assert hidden == [
        n for n in wide().columns if n not in ("name", *(c for c in wide().columns if heading(c) in lines[0]))
    ]
    if width <= 100:
        assert "empty" in hidden


def test_a_table_without_bounds_shows_all() -> None:
    lines, hidden = shown(wide())
    assert hidden == []
    assert lines[1].endswith("elementwise_kernel<add<float>>")
    file = io.StringIO()
    table.write(wide(), file, 80, Naming(is_full=True))
    assert KERNEL in file.getvalue()


def test_numbers_stand_to_the_right() -> None:
    lines, _ = shown(pl.DataFrame({"calls": [7, 1234567], "name": ["a", "b"]}))
    assert lines == ["    calls  name", "        7  a", "1,234,567  b"]


def test_a_table_takes_names_literally_and_has_no_color() -> None:
    lines, _ = shown(pl.DataFrame({"name": ["[CUDA memcpy Host-to-Device]", "[red]x[/red]", "a\nb\x1b[2J"]}))
    assert lines == ["name", "[CUDA memcpy Host-to-Device]", "[red]x[/red]", "a\\nb\\x1b[2J"]


def test_free_types_have_cells() -> None:
    frame = pl.DataFrame(
        {"list": [[1, 2]], "struct": [{"a": "x"}], "bytes_": [b"\xaa"], "day": [date(2026, 1, 2)]}
    ).with_columns(pl.lit("1.5").cast(pl.Decimal(10, 1)).alias("decimal"))
    lines, _ = shown(frame)
    assert lines[1].split() == ["[1,2]", '{"a":"x"}', "aa", "2026-01-02", "1.500"]


# Programs' forms ----------------------------------------------------------------------------------


def test_json_keeps_values_and_knows_no_nan() -> None:
    frame = pl.DataFrame(
        {
            "n": [2**62 + 1, None],
            "x": [0.1, float("nan")],
            "y": [1e300, float("inf")],
            "t": ['a"b\n\x1b', "é"],
        }
    )
    text = written("json", frame)
    assert json.loads(text, parse_constant=pytest.fail) == [
        {"n": 2**62 + 1, "x": 0.1, "y": 1e300, "t": 'a"b\n\x1b'},
        {"n": None, "x": None, "y": None, "t": "é"},
    ]
    assert [json.loads(line) for line in written("ndjson", frame).splitlines()] == json.loads(text)


def test_long_json_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "ROWS", 7)
    frame = pl.DataFrame({"n": range(20)})
    assert json.loads(written("json", frame)) == frame.to_dicts()
    assert [json.loads(line) for line in written("ndjson", frame).splitlines()] == frame.to_dicts()
    assert json.loads(written("json", frame.head(0))) == []
    assert json.loads(written("json", pl.DataFrame())) == []


def test_sums_of_free_sql_are_numbers() -> None:
    total = pl.Series("total", ["12345678901234567890"]).cast(pl.Decimal(38, 0))
    assert json.loads(written("json", total.to_frame())) == [{"total": 12345678901234567890}]
    assert written("csv", total.to_frame()) == "total\n12345678901234567890\n"


def test_csv_tells_nothing_from_empty() -> None:
    frame = pl.DataFrame({"a": ["", None, 'x,"y"\nz'], "b": [1, 2, 3]})
    assert written("csv", frame) == 'a,b\n"",1\n,2\n"x,""y""\nz",3\n'
    assert written("csv", pl.DataFrame({"l": [[1, 2]]})) == 'l\n"[1,2]"\n'


def test_bytes_within_lists_are_refused() -> None:
    with pytest.raises(UsageError, match="cast it to VARCHAR"):
        written("csv", pl.DataFrame({"l": [[b"x"]]}))


def test_files_of_columns_come_back_as_they_were() -> None:
    frame = pl.DataFrame({"n": [2**62 + 1, None], "x": [0.1, None], "t": ["a\nb", None], "b": [True, None]})
    for form, read in (("parquet", pl.read_parquet), ("arrow", pl.read_ipc)):
        file = io.BytesIO()
        table.WRITERS[form](frame, file)
        assert read(io.BytesIO(file.getvalue())).equals(frame)


def test_arrow_shows_nothing_of_the_memory_before() -> None:
    frame = pl.DataFrame(hidden_under_nulls())
    file = io.BytesIO()
    table.write_arrow(frame, file)
    assert pl.read_ipc(io.BytesIO(file.getvalue())).equals(frame)
    assert b"first" in file.getvalue()
    assert b"sesame" not in file.getvalue()


def test_arrow_is_read_by_others() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    file = io.BytesIO()
    table.write_arrow(pl.DataFrame({"t": ["a"]}), file)
    assert pyarrow.ipc.open_file(file.getvalue()).read_all().to_pydict() == {"t": ["a"]}


def test_markdown_cells_are_single_and_literal() -> None:
    frame = pl.DataFrame({"n": [1234], "name": ["a|b\n<x> `c` [d](e) *f* _g_ snake_case"]})
    file = io.BytesIO()
    table.write_markdown(frame, file)
    lines = file.getvalue().decode().splitlines()
    assert lines[:2] == ["| n | name |", "|---:|---|"]
    assert lines[2] == r"| 1,234 | a\|b\\n\<x> \`c\` \[d\](e) \*f\* \_g\_ snake_case |"
    assert len(lines) == 3


# Pages --------------------------------------------------------------------------------------------

PAGE = Page(
    "a title\x1b[31m",
    (
        Section(
            "Names",
            "what a row means",
            ("Said before the rows, in a sentence longer than the page is wide, so that it is wrapped.",),
            (Column("share"), Column(), Column("name", right=False)),
            (("50.0%", Bar(0.5), KERNEL), ("1.0%", Bar(0.01), "[red]x|y[/red]")),
            ("Said after.",),
        ),
        Section(
            "Facts",
            rows=(("export", "word " * 40),),
            columns=(Column(right=False), Column(right=False, wrap=True)),
        ),
    ),
)


@pytest.mark.parametrize("width", [40, 60, 80, None])
def test_a_page_fits_its_width(width: int | None) -> None:
    file = io.StringIO()
    write_terminal(PAGE, file, width)
    text = file.getvalue()
    assert all(columns_of(line) <= (width or 120) for line in text.splitlines())
    assert width or max(map(columns_of, text.splitlines())) > 80
    assert "\x1b" not in text
    assert "[red]x|y[/red]" in text
    assert text.count("word") == 40
    assert all(line == line.rstrip() for line in text.splitlines())


def test_texts_are_cut_once_more_where_a_page_has_no_more_room() -> None:
    texts = ("cudaStreamSynchronize", "aten::layer_norm, seq = 1", "vectorized_layer…<float>")
    columns = (Column("first", whole=True, right=False), *(Column("text", right=False) for _ in texts))
    file = io.StringIO()
    write_terminal(Page("page", (Section("s", columns=columns, rows=(("so long that it", *texts),)),)), file, 50)
    assert file.getvalue().splitlines()[-1] == "  so long that it  cuda…nize  aten… = 1  vectoriz…"


def test_a_number_is_never_shown_in_part() -> None:
    """What is tied parts in a narrow column, and of a number that is cut nothing is left."""
    causes = ("first launch of kernel 47.8 ms,", "memory management 18.0 ms")
    columns = (Column("part", right=False), Column("length"), Column("why idle", right=False, wrap=True))
    row = ("24 repeats of 83.79 ms", "1.99 s", " ".join(cause.replace(" ", TIED) for cause in causes))
    file = io.StringIO()
    write_terminal(Page("x", (Section("s", columns=columns, rows=(row,)),)), file, 44)
    lines = [line.split("  ") for line in file.getvalue().splitlines()[4:]]
    assert lines[0][1] == "24 repea… ms"
    assert " ".join(line[-1] for line in lines) == " ".join(causes)


def test_a_page_in_markdown() -> None:
    file = io.BytesIO()
    write_markdown(PAGE, file)
    text = file.getvalue().decode()
    assert text.startswith("# a title\\\\x1b\\[31m\n\n## Names\n\nwhat a row means\n\n- Said before")
    assert "| share | name |\n|---:|---|\n| 50.0% | void at::native" in text
    assert r"| 1.0% | \[red\]x\|y\[/red\] |" in text
    assert "█" not in text
    assert "\n\n\n" not in text


def test_a_bar_is_as_long_as_its_share() -> None:
    assert [str(Bar(s, 4)) for s in (0, 0.01, 0.5, 0.99, 1, 2)] == ["", "", "██", "████", "████", "████"]
    assert str(Bar(0.6, 4)) == "██▍"


def test_the_column_that_rows_are_sorted_by_is_never_left_out() -> None:
    frame = pl.DataFrame(
        {"name": ["a" * 20], "total_ns": [10**9], "count": [10**9], "idle_ns": [5], "idle_self_ns": [4]}
    )
    for sort, left in (("", "idle_ns"), ("idle", "total_ns")):
        text = io.StringIO()
        hidden = table.write(frame, text, 34, first=(sort,))
        assert left in hidden
        assert sort == "" or "idle" in text.getvalue()
    assert table.write(frame, io.StringIO(), 46, first=("count", "idle_self_ns")) == ["total_ns", "idle_ns"]


def test_the_columns_that_a_header_names_first_stay(
    run: Callable[..., Ran], story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    found = run("occupancy", story("training"))
    for name in ("gpu occupancy %", "limited by", "time %"):
        assert name in found.text.splitlines()[0]
    assert "no room for" in found.err and "registers_per_thread" in found.err
