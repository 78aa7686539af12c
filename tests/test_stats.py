"""`nsysql stats`: formats, units, outputs and messages, as nsys 2023.4.4 gives them.

The expected texts of formats are nsys's own, for the same cells.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran, process

from nsysql.capture import arrow_stream
from nsysql.errors import UsageError
from nsysql.nsys import report_rows, writers
from nsysql.nsys.formats import Units, read_format, read_units, title
from nsysql.nsys.reports import DEFAULT_SET, TITLES, filters, listed, time_unit

Run = Callable[..., Ran]

KERNELS = """
INSERT INTO StringIds (id, value) VALUES
    (1, 'saxpy(int, float)'), (2, 'saxpy'), (3, 'init'), (4, 'cudaLaunchKernel_v7000');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, end, deviceId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
    (1000, 3000, 0, 7, 1, 16777216, 1, 2), (4000, 5001, 0, 7, 2, 16777216, 1, 2), (6000, 6000, 0, 7, 3, 16777216, 3, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, returnValue) VALUES
    (500, 600, 16777217, 1, 4, 0), (700, 900, 16777217, 2, 4, 0), (950, 960, 16777217, 3, 4, 0);
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET eventClass = 0;
"""
CSV = """\
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
100.0,3001,2,1500.5,1500.5,1001,2000,706.4,"saxpy(int, float)"
0.0,0,1,0.0,0.0,0,0,0.0,init
"""
COLUMN = """
 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)        Name       
 --------  ---------------  ---------  --------  --------  --------  --------  -----------  -----------------
    100.0             3001          2    1500.5    1500.5      1001      2000        706.4  saxpy(int, float)
      0.0                0          1       0.0       0.0         0         0          0.0  init             
"""

SHEET = r"""-- A row of odd texts.
-- Columns
--     number  BIGINT   -- [Num] A number.
--     text    VARCHAR  -- [T,ex"t] A text.
SELECT
    unnest([1, 2, 3, 4, 5, 6, 7, NULL]) AS number,
    unnest(['a, b', 'say "hi"', 'q, "x", y', '<b> & ''c''', 'tab' || chr(9) || 'x', '5', 'true', NULL]) AS text
ORDER BY number ASC NULLS LAST
"""
UNITS = """-- A value in the units of NVIDIA's titles.
-- Columns
--     start_ns  BIGINT  -- [Queue Start (ns)] A timestamp.
--     avg_ns    DOUBLE  -- [Avg (ns)] A duration.
--     bytes     BIGINT  -- [Size (MB)] A size.
--     speed     DOUBLE  -- [Speed (MB/s)] A throughput.
--     share     DOUBLE  -- [Share (%)] A share.
--     address   BIGINT  -- [Address (hex)] An address.
SELECT
    unnest([50, 1234567]) AS start_ns,
    unnest([636.5::DOUBLE, 1234567.84::DOUBLE]) AS avg_ns,
    unnest([500, 1234567]) AS bytes,
    unnest([1000::DOUBLE, 2.5::DOUBLE]) AS speed,
    unnest([12.34::DOUBLE, 0.05::DOUBLE]) AS share,
    unnest([305441741, NULL]) AS address
ORDER BY start_ns ASC
"""
MIXED = """-- Numbers and texts in columns.
-- Columns
--     a  VARCHAR  -- [a] Mostly numbers.
--     b  VARCHAR  -- [b] Mostly texts.
--     c  VARCHAR  -- [c] With an exponent.
--     d  BIGINT   -- [d] Whole numbers.
--     n  BIGINT   -- The order.
SELECT
    unnest(['5', '1.5', '22.125', 'abcdefghijkl']) AS a,
    unnest(['abc', '5', '1.25', 'x']) AS b,
    unnest(['1.25', '-7', '1e-05', 'zz']) AS c,
    unnest([1, 20, 300, 4000]) AS d,
    unnest([1, 2, 3, 4]) AS n
ORDER BY n ASC
"""
MANY = """-- A number, and a name that grows.
-- Parameters
--     count  BIGINT = 130  -- Rows.
-- Columns
--     number  BIGINT   -- [Number] From 1.
--     name    VARCHAR  -- [Name] So many letters.
SELECT range AS number, repeat('x', range::INTEGER) AS name
FROM range(1, $count + 1)
ORDER BY number ASC
"""
PLAIN = """-- A row without NVIDIA's titles.
-- Columns
--     dur_ns  BIGINT   -- Duration.
--     ratio   DOUBLE   -- Unrounded.
--     name    VARCHAR  -- Name.
SELECT 1500 AS dur_ns, 0.123456::DOUBLE AS ratio, 'a' AS name
ORDER BY dur_ns ASC
"""
ODD = """-- CUDA &lt; R&D & <i>.
-- Columns
--     number  BIGINT  -- [Number] One.
SELECT 1 AS number
ORDER BY number ASC
"""
PACK = {"odd": ODD, "sheet": SHEET, "units": UNITS, "mixed": MIXED, "many": MANY, "plain": PLAIN}


@pytest.fixture(scope="module")
def export(build: Callable[[str], Path]) -> Path:
    return build(KERNELS)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name, text in PACK.items():
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def shown(run: Run, export: Path, pack: Path) -> Callable[..., str]:
    """What a report of the pack prints in a format."""

    def show(report: str, form: str) -> str:
        ran = run("stats", "-q", "--report-dir", pack, "-r", report, "-f", form, export)
        assert (ran.code, ran.err) == (0, "")
        return ran.text

    return show


# Formats ------------------------------------------------------------------------------------------------


def test_csv_and_column_of_a_report(run: Run, export: Path) -> None:
    assert run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv", export).text == CSV + "\n"
    assert run("stats", "-q", "-r", "cuda_gpu_kern_sum", export).text == COLUMN + "\n"


def test_csv_quotes_commas_and_nothing_else(shown: Callable[..., str]) -> None:
    assert shown("sheet", "csv") == (
        'Num,"T,ex"t"\n1,"a, b"\n2,say "hi"\n3,"q, "x", y"\n4,<b> & \'c\'\n5,tab\tx\n6,5\n7,true\n,\n\n'
    )


def test_tsv_has_no_tabs_in_texts(shown: Callable[..., str]) -> None:
    lines = 'Num\tT,ex"t\n1\ta, b\n2\tsay "hi"\n3\tq, "x", y\n4\t<b> & \'c\'\n5\ttab{}x\n6\t5\n7\ttrue\n\t\n\n'
    assert shown("sheet", "tsv") == lines.format(" ")
    assert shown("sheet", "tsv:esc") == lines.format("\\t")
    assert shown("sheet", "tsv:nohdr").startswith("1\ta, b\n")


def test_json_writes_numbers_and_keywords_bare(shown: Callable[..., str]) -> None:
    text = shown("sheet", "json")
    assert text.startswith('[\n  {\n    "Num": 1,\n    "T,ex\\"t": "a, b"\n  },\n  {\n')
    assert text.endswith('  {\n    "Num": "",\n    "T,ex\\"t": ""\n  }\n]\n\n')
    assert [row['T,ex"t'] for row in json.loads(text)] == [
        "a, b", 'say "hi"', 'q, "x", y', "<b> & 'c'", "tab\tx", 5, True, "",
    ]  # fmt: skip


def test_json_is_json_whatever_a_name_is(run: Run, build: Callable[[str], Path]) -> None:
    names = ["line\nend", "cr\rx", "esc\x1b[31m", "back\\slash", "+5", "5.", "007", "µ😀", "\x7f", "1e400", "-0"]
    rows = ", ".join(f"({i}, '{name}')" for i, name in enumerate(names))
    calls = ", ".join(f"({i}, {i + 1}, 1, {i}, {i})" for i in range(len(names)))
    odd = build(
        f"INSERT INTO StringIds (id, value) VALUES {rows};\n"
        f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES {calls};"
    )
    found = json.loads(run("stats", "-q", "-r", "cuda_api_trace", "-f", "json", odd).text, parse_float=str)
    assert [row["Name"] for row in found] == [*names[:9], "1e400", 0]


def test_html_escapes_texts(shown: Callable[..., str]) -> None:
    table = shown("sheet", "htable")
    row = "    <tr>\n      <td>4</td>\n      <td>&lt;b&gt; &amp; 'c'</td>\n    </tr>\n"
    assert table.startswith(
        '<table>\n  <thead>\n    <tr>\n      <th>Num</th>\n      <th>T,ex"t</th>\n    </tr>\n  </thead>\n'
    )
    assert row in table
    assert table.endswith("    </tr>\n  </tbody>\n</table>\n\n")
    page = shown("sheet", "hdoc:title=A <b> page:css=http://host/style.css")
    assert "<title>A &lt;b&gt; page</title>" in page
    assert '<link rel="stylesheet" href="http://host/style.css">' in page
    assert "<h1>A row of odd texts (sheet)</h1>\n<table>\n" in page
    assert page.endswith("</table>\n</body>\n</html>\n\n")
    assert "<h1>CUDA &amp;lt; R&amp;D & &lt;i&gt; (odd)</h1>" in shown("odd", "hdoc")


MIXED_TABLE = """
 ** Numbers and texts in columns (mixed):

+--------------+------+-------+------+
|      a       |  b   |   c   |  d   |
+--------------+------+-------+------+
|        5     | abc  |  1.25 |    1 |
|        1.5   | 5    | -7    |   20 |
|       22.125 | 1.25 | 1e-05 |  300 |
| abcdefghijkl | x    |    zz | 4000 |
+--------------+------+-------+------+

"""


def test_numbers_stand_below_each_other_by_the_point(shown: Callable[..., str]) -> None:
    assert shown("mixed", "table") == MIXED_TABLE


def test_widths_hide_clip_and_measure(shown: Callable[..., str]) -> None:
    assert shown("mixed", "table:4:2:.:0") == (
        "\n ** Numbers and texts in columns (mixed):\n\n"
        "+------+----+-------+--+\n|  a   | b  |   c   |  |\n+------+----+-------+--+\n"
        "| 5  … | a… |  1.25 |  |\n| 1.5… | 5… | -7    |  |\n| 22.… | 1… | 1e-05 |  |\n| abc… | x  |    zz |  |\n"
        "+------+----+-------+--+\n\n"
    )
    assert shown("mixed", "column:nohdr:nofmt:colmax=5").split("\n")[3:7] == [
        "     5  abc    1.25     1",
        "   1.5  5        -7    20",
        " 22.1…  1.25  1e-05   300",
        " abcd…  x        zz  4000",
    ]


def test_the_first_lines_give_the_widths(shown: Callable[..., str]) -> None:
    lines = shown("many", "column:colmax=0").split("\n")
    assert lines[4] == " ------  " + "-" * 100
    assert lines[5 + 99] == "    100  " + "x" * 100
    assert lines[5 + 100] == "    101  " + "x" * 99 + "…"
    assert lines[5 + 129] == "    130  " + "x" * 99 + "…"
    assert shown("many:count=130", "column:autolines=5").split("\n")[5 + 129] == "    130  xxxx…"
    assert shown("many:count=5", "column:autolines=2").split("\n")[9] == "      5  xxx…"
    whole = shown("many", "column:autolines=0:colmax=0").split("\n")
    assert whole[5 + 129] == "    130  " + "x" * 130


def test_more_rows_than_are_kept_are_laid_out_alike(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = shown("many:count=130", "table:autolines=5")
    monkeypatch.setattr(report_rows, "ROWS_REMEMBERED", 10)
    assert shown("many:count=130", "table:autolines=5") == kept
    monkeypatch.setattr(arrow_stream, "CHUNK", 7)
    for way in (arrow_stream._by_rows, arrow_stream._by_arrow):
        monkeypatch.setattr(report_rows, "text_chunks", way)
        assert shown("many:count=130", "table:autolines=5") == kept
        assert len(json.loads(shown("many:count=130", "json"))) == 130


def test_numbers_have_the_separators_of_the_locale(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "separators", lambda: ("'", ","))
    assert shown("units", "column:mem=B:nohdr").split("\n")[3:5] == [
        "               50        636,5        500         0,001       12,3  0x1234ABCD",
        "        1'234'567  1'234'567,8  1'234'567         0,000        0,1            ",
    ]


# Units --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "titles", "rows"),
    [
        ("", "Queue Start (ns),Avg (ns),Size (MB),Speed (MB/s),Share (%),Address",
         ["50,636.5,0.001,0.001,12.3,0x1234ABCD", "1234567,1234567.8,1.235,0.000,0.1,"]),
        (":time=us", "Queue Start (us),Avg (us),Size (MB),Speed (MB/s),Share (%),Address",
         ["0.050,0.637,0.001,0.001,12.3,0x1234ABCD", "1234.567,1234.568,1.235,0.000,0.1,"]),
        (":ts=ms:dur=SEC", "Queue Start (ms),Avg (sec),Size (MB),Speed (MB/s),Share (%),Address",
         ["0.0000,0.0000,0.001,0.001,12.3,0x1234ABCD", "1.2346,0.0012,1.235,0.000,0.1,"]),
        (":bytes=kib", "Queue Start (ns),Avg (ns),Size (KiB),Speed (KiB/s),Share (%),Address",
         ["50,636.5,0.49,0.98,12.3,0x1234ABCD", "1234567,1234567.8,1205.63,0.00,0.1,"]),
        (":mem=KB:thru=B:addr=uint", "Queue Start (ns),Avg (ns),Size (KB),Speed (B/s),Share (%),Address",
         ["50,636.5,0.50,1000,12.3,305441741", "1234567,1234567.8,1234.57,2.5,0.1,"]),
        (":noconv:mem=KB", "Queue Start (ns),Avg (ns),Size (B),Speed (B/s),Share (%),Address",
         ["50,636.5,500,1000,12.3,305441741", "1234567,1234567.8,1234567,2.5,0.1,"]),
        (":nohdrunit", "Queue Start,Avg,Size,Speed,Share,Address",
         ["50,636.5,0.001,0.001,12.3,0x1234ABCD", "1234567,1234567.8,1.235,0.000,0.1,"]),
    ],
)  # fmt: skip
def test_units_of_values_and_titles(shown: Callable[..., str], options: str, titles: str, rows: list[str]) -> None:
    assert shown("units", f"csv{options}") == "\n".join([titles, *rows, "", ""])


def test_time_unit_is_that_of_all_formats(run: Run, export: Path) -> None:
    text = run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv:dur=sec", "--timeunit", "micro", export).text
    assert text.startswith("Time (%),Total Time (us),Instances,Avg (us)")
    assert '100.0,3.001,2,1.500,1.500,1.001,2.000,0.706,"saxpy(int, float)"\n' in text
    assert [time_unit(t) for t in ("ns", "us", "nanoseconds", "u", "sec", None)] == [
        "ns",
        "us",
        "ns",
        "us",
        "sec",
        None,
    ]
    for wrong in ("m", "foo", ""):
        with pytest.raises(UsageError, match="--timeunit"):
            time_unit(wrong)


def test_units_that_are_none_are_no_units() -> None:
    assert read_units("time=ms") == {"ts": "ms", "dur": "ms"}
    assert read_units("mem=ms") == read_units("mem=") == read_units("foo=ms") == read_units("nohdr") == {}
    assert title("StartEnd (ns)", Units({"dur": "us"})) == "StartEnd (us)"
    assert title("Send wait rate (ticks/ms)", Units()) == "Send wait rate (ticks/ms)"


def test_a_pack_query_without_titles_prints_its_columns(shown: Callable[..., str]) -> None:
    assert shown("plain", "csv") == "dur_ns,ratio,name\n1500,0.123456,a\n\n"


def test_a_median_that_is_a_recorded_size_is_whole(run: Run, build: Callable[[str], Path]) -> None:
    copies = "(1, 2, 1, 10, 0, 0), (2, 3, 1, 20, 0, 0), (3, 4, 2, 7, 0, 0), (4, 5, 2, 7, 0, 0)"
    sizes = build(
        f"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, copyKind, bytes, srcKind, dstKind) VALUES {copies};"
    )
    lines = run("stats", "-q", "-r", "cuda_gpu_mem_size_sum", "-f", "csv:mem=B:nohdr", sizes).text.split("\n")
    assert lines[:2] == [
        "30,2,15.0,15.0,10,20,7.0710678118654755,[CUDA memcpy Host-to-Device]",
        "14,2,7.0,7,7,7,0.0,[CUDA memcpy Device-to-Host]",
    ]


# Reports, outputs, messages -----------------------------------------------------------------------------


def test_reports_formats_and_outputs_go_together_one_by_one(run: Run, export: Path, tmp_path: Path) -> None:
    ran = run(
        "stats", "-r", "cuda_gpu_kern_sum:base,cuda_api_sum", "-r", "cuda_gpu_kern_sum", "-f", "json,.",
        "-o", f"{tmp_path}/a,-,{tmp_path}/b", export,
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a_cuda_gpu_kern_sum_base.json", "b_cuda_gpu_kern_sum.csv"]
    assert (tmp_path / "b_cuda_gpu_kern_sum.csv").read_text() == CSV
    begin = f"Processing [{export.name}] with"
    assert ran.text.startswith(
        f"{begin} [cuda_gpu_kern_sum](base) to [{tmp_path}/a_cuda_gpu_kern_sum_base.json]... PROCESSED\n\n"
        f"{begin} [cuda_api_sum]... \n\n ** CUDA API Summary (cuda_api_sum):\n\n"
    )
    assert json.loads((tmp_path / "a_cuda_gpu_kern_sum_base.json").read_text())[0]["Name"] == "saxpy"


def test_the_usual_files_are_named_as_the_export(run: Run, export: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run.v2.sqlite"
    copy.write_bytes(export.read_bytes())
    for form in (".", "column", "tsv", "json", "htable"):
        assert run("stats", "-q", "-r", "cuda_gpu_kern_sum:mangled:base", "-f", form, "-o", ".", copy).out == b""
    endings = ("csv", "html", "json", "tsv", "txt")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "run.v2.sqlite", *(f"run.v2_cuda_gpu_kern_sum_mangled_base.{ending}" for ending in endings)
    ]  # fmt: skip


def test_files_are_kept_unless_overwriting_is_asked_for(run: Run, export: Path, tmp_path: Path) -> None:
    target = tmp_path / "x_cuda_gpu_kern_sum.csv"
    target.write_text("mine")
    call = ("stats", "-r", "cuda_gpu_kern_sum", "-o", tmp_path / "x")
    kept = run(*call, export)
    assert kept.code == 0
    assert kept.err.startswith(f"SKIPPED: output file {target} exists")
    assert run(*call, "--force-overwrite=false", export).code == 0
    assert target.read_text() == "mine"
    assert run(*call, "--force-overwrite", export).err == ""
    assert target.read_text() == CSV
    assert run(*call, "--force-overwrite", "maybe", export).code == 2


def test_reports_that_cannot_be_given_cost_a_line_each(run: Run, export: Path, tmp_path: Path) -> None:
    ran = run(
        "stats", "-r", "nosuch,osrt_sum,cuda_gpu_kern_sum:rows=3,um_sum:rows=x,cuda_gpu_kern_sum", "-o",
        f"-,{tmp_path}/x", export,
    )  # fmt: skip
    assert ran.code == 1
    lines = ran.err.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("ERROR: Report 'nosuch' could not be found.")
    assert lines[1].startswith("SKIPPED: osrt_sum cannot be computed") and "--trace=osrt" in lines[1]
    assert lines[2] == "ERROR: Invalid argument passed to report 'cuda_gpu_kern_sum': rows=3."
    assert lines[3] == "ERROR: Invalid argument passed to report 'um_sum': rows=x is no number."
    assert [p.name for p in tmp_path.iterdir()] == ["x_cuda_gpu_kern_sum.csv"]


def test_missing_data_alone_is_no_error(run: Run, export: Path) -> None:
    assert run("stats", "-r", "osrt_sum", export).code == 0
    quiet = run("stats", "-q", "-r", "osrt_sum", export)
    assert (quiet.code, quiet.out, quiet.err) == (0, b"", "")


@pytest.mark.parametrize(
    ("form", "text"),
    [("csv", ""), ("tsv", ""), ("json", "[\n]\n"), ("htable", None), ("column", None), ("table", None)],
)
def test_a_report_without_rows(run: Run, export: Path, tmp_path: Path, form: str, text: str | None) -> None:
    call = ("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", form, "--filter-time", "1h/")
    ran = run(*call, export)
    assert (ran.code, ran.err) == (0, "")
    assert text is None or ran.text == text
    if form in ("column", "table"):
        assert ran.text == "\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\nThe report has no rows.\n\n"
    assert run(*call, "-o", tmp_path / "x", export).code == 0
    assert len(list(tmp_path.iterdir())) == (0 if text == "" else 1)


def test_no_file_is_left_where_a_report_is_skipped(run: Run, export: Path, tmp_path: Path) -> None:
    for form in ("csv", "json", "hdoc", "htable", "column", "table", "tsv"):
        assert run("stats", "-r", "osrt_sum", "-f", form, "-o", tmp_path / "x", export).code == 0
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_cannot_be_written_is_an_error(run: Run, export: Path, tmp_path: Path) -> None:
    ran = run("stats", "-r", "cuda_gpu_kern_sum,cuda_api_sum", "-o", f"{tmp_path}/no/x,{tmp_path}/y", export)
    assert ran.code == 1
    assert ran.err == f"ERROR: {tmp_path}/no/x_cuda_gpu_kern_sum.csv cannot be written: No such file or directory.\n"
    assert (tmp_path / "y_cuda_api_sum.csv").exists()


def test_output_to_a_command(export: Path) -> None:
    upper = process("stats", "-q", "-r", "cuda_gpu_kern_sum,cuda_api_sum", "-o", "@tr a-z A-Z", export)
    assert upper.returncode == 0
    assert upper.stdout.startswith("TIME (%),TOTAL TIME (NS)") and upper.stdout.count("\n\n") == 2
    missing = process("stats", "-r", "cuda_gpu_kern_sum,cuda_api_sum", "-o", "@no-such-command,-", export)
    assert missing.returncode == 1
    assert "ERROR: The command 'no-such-command' cannot be run: No such file or directory." in missing.stderr
    assert "CUDA API Summary" in missing.stdout
    failing = process("stats", "-q", "-r", "cuda_gpu_kern_sum", "-o", "@false", export)
    assert (failing.returncode, failing.stderr) == (1, "ERROR: The command 'false' ended with status 1.\n")


def test_the_default_set_in_one_call(run: Run, export: Path) -> None:
    ran = run("stats", export)
    assert ran.code == 0
    assert [line.split("[")[2].partition("]")[0] for line in ran.text.splitlines() if "Processing" in line] == list(
        DEFAULT_SET
    )
    assert ran.text.count(" ** ") == 2
    assert ran.err.count("SKIPPED: ") == len(DEFAULT_SET) - 2


def test_more_formats_than_reports_are_told(run: Run, export: Path) -> None:
    ran = run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv,json", export)
    assert (ran.code, ran.text) == (0, CSV + "\n")
    assert ran.err == "WARNING: there are more output formats than reports; the last ones are not used.\n"


def test_options_that_a_format_lacks_are_told_and_ignored(run: Run, export: Path) -> None:
    ran = run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv:wide:dur=days", export)
    assert (ran.code, ran.text) == (0, CSV + "\n")
    assert ran.err == "WARNING: the format csv has no option wide, dur=days; ignored.\n"


def test_wrong_usage_ends_with_2(run: Run, export: Path, tmp_path: Path) -> None:
    for arguments, word in [
        (("-f", "xml", export), "Unknown format name 'xml'"),
        ((), "Which export?"),
        (("--filter-time", "5", export), "START/END"),
        (("--filter-time", "/", export), "START/END"),
        (("--filter-time", "2s/1s", export), "after its end"),
        (("--filter-time", "5xx/", export), "is not a time"),
        (("--timeunit", "days", export), "--timeunit"),
        (("--sqlite", tmp_path / "x", export), "--sqlite"),
        (("--help-reports", "cuda_gpu_kern_sun"), "cuda_gpu_kern_sum"),
        (("--help-formats", "csw"), "csv"),
    ]:
        ran = run("stats", *arguments)
        assert ran.code == 2, arguments
        assert word in ran.err


def test_base_names_win_over_mangled_ones(run: Run, export: Path) -> None:
    both = [run("stats", "-q", "-r", f"cuda_gpu_kern_sum:{o}", export).text for o in ("base:mangled", "mangled:base")]
    assert both[0] == both[1] == run("stats", "-q", "-r", "cuda_gpu_kern_sum:base", export).text
    assert " saxpy" in both[0] and "saxpy(" not in both[0]


def test_old_names_still_answer(run: Run, export: Path) -> None:
    ran = run("stats", "-q", "-r", "gpukernsum", export)
    assert (
        ran.text
        == COLUMN.replace(
            "CUDA GPU Kernel Summary (cuda_gpu_kern_sum)", "DEPRECATED - Use cuda_gpu_kern_sum instead (gpukernsum)"
        )
        + "\n"
    )
    new = run("stats", "-q", "-r", "cuda_gpu_trace", "-f", "csv", export).text
    old = run("stats", "-q", "-r", "gputrace", "-f", "csv", export).text
    assert "Ctx,GreenCtx,Strm" in new and "Ctx,Strm" in old
    assert old.count(",") == new.count(",") - 4


def test_help_lists_reports_and_formats(run: Run, pack: Path) -> None:
    reports = run("stats", "--help-reports", "--report-dir", pack)
    assert reports.code == 0
    for name in ("cuda_gpu_kern_sum", "nvtx_sum", "sheet"):
        assert f"\n  {name} " in reports.text
    one = run("stats", "--help-reports", "gpukernsum").text
    assert one.startswith("cuda_gpu_kern_sum: CUDA GPU Kernel Summary (formerly gpukernsum)\n")
    assert "\n    base  " in one and "\n    total_time_ns " in one and "as_nsys" not in one
    assert "cuda_gpu_kern_sum[:base|:mangled][:nvtx-name]" in one and "nvtx_name" not in one
    assert "rows=N        Rows to show, 10 without it; -1 shows all." in run("stats", "--help-reports=um_sum").text
    every = run("stats", "--help-reports", "ALL").text
    assert all(f"{name}: {heading}" in every for name, heading in TITLES.items())
    assert "hdoc" in run("stats", "--help-formats").text
    assert "autolines=LINES" in run("stats", "--help-formats", "column").text


def test_a_report_file_is_read_through_its_export(run: Run, export: Path, tmp_path: Path) -> None:
    report = tmp_path / "run.nsys-rep"
    report.write_bytes(b"no report really")
    missing = run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv", report)
    assert missing.code == 1 and "nsys export --type sqlite" in missing.err
    report.with_suffix(".sqlite").write_bytes(export.read_bytes())
    assert run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv", report).text == CSV + "\n"
    other = tmp_path / "other.sqlite"
    other.write_bytes(export.read_bytes())
    assert run("stats", "-q", "-r", "cuda_gpu_kern_sum", "-o", ".", "--sqlite", other, report).code == 0
    assert (tmp_path / "other_cuda_gpu_kern_sum.csv").read_text() == CSV
    assert run("stats", tmp_path / "none.nsys-rep").code == 1


def test_a_missing_export_is_made_by_nsys(export: Path, tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "nsys"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nfor a; do case $a in --output=*) cp "{export}" "${{a#--output=}}";; esac; done\n')
    tool.chmod(0o755)
    report = tmp_path / "run.nsys-rep"
    report.write_bytes(b"no report really")
    ran = process(
        "stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv", report, env={"PATH": f"{tool.parent}:/usr/bin:/bin"}
    )
    assert (ran.stdout, ran.returncode) == (CSV + "\n", 0)


def test_messages_stand_where_they_belong_in_a_terminal(export: Path) -> None:
    """stdout and stderr on one screen keep their order."""
    command = [sys.executable, "-c", "from nsysql.cli import main; main()"]
    both = subprocess.run(
        [*command, "stats", "-r", "osrt_sum,cuda_gpu_kern_sum", "-f", "csv", str(export)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True,
    )  # fmt: skip
    lines = both.stdout.split("\n")
    assert lines[0].endswith("with [osrt_sum]... ") and lines[1].startswith("SKIPPED: ") and lines[2] == ""
    assert lines[3].endswith("with [cuda_gpu_kern_sum]... ") and "\n".join(lines[4:]) == CSV + "\n"


def test_lists_and_filters_of_the_command_line() -> None:
    assert listed(["a,b:c", "d,"]) == ["a", "b:c", "d"]
    assert filters("5/5", None) == {"start": "5", "end": "5"}
    assert filters("1s/2s", "step") == {"nvtx": "step"}
    assert filters("/1us", None) == {"start": "-9223372036854775808", "end": "1000"}
    assert filters("-1us/", None) == {"start": "-1000", "end": "9223372036854775807"}


def test_a_format_knows_its_options() -> None:
    form = read_format("table:nohdr:autolines=7:3:.:time=us:zz", None)
    assert (form.flags, form.values, form.widths, form.unknown) == ({"nohdr"}, {"autolines": "7"}, ("3", "."), ("zz",))
    assert read_format("csv:3").unknown == ("3",)
