"""The command line: commands from headers, forms and files, notes, and every mistake told in one line."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from command_line import PROGRAM, Ran, process

import nsysql
from nsysql.capture.connection import IN_PLACE
from nsysql.catalog.header import public_names, view_names
from nsysql.catalog.packs import find_packs, query_paths
from nsysql.cli import open_export as progress
from nsysql.cli.app import OWN

pytestmark = pytest.mark.usefixtures("kept_open")

FORMS = ("table", "csv", "json", "ndjson", "markdown", "parquet", "arrow")
PACK = {
    "thirty": """-- A number from 1 to 30 [bold red]loud[/].
--
-- Read no markup here: [link=x]y[/link].
-- Parameters
--     top          BIGINT = NULL           -- Numbers to keep [dim].
--     at_least_ns  BIGINT = 0              -- Least number (ns).
--     even         BOOLEAN = false         -- Only even ones.
--     small        BOOLEAN = true          -- Only below 100.
--     order_by     ENUM('up', 'down') = 'up'  -- Which first.
-- Columns
--     number_ns    BIGINT  -- The number.
SELECT range AS number_ns
FROM range(1, 31)
WHERE range >= $at_least_ns AND (NOT $even OR range % 2 = 0) AND (NOT $small OR range < 100)
ORDER BY CASE WHEN $order_by = 'up' THEN range ELSE -range END ASC
LIMIT $top
""",
    "hostile": r"""-- A name that wants to rule the terminal.
-- Columns
--     name  VARCHAR  -- Name.
SELECT '[bold]' || chr(27) || '[31m|' || chr(10) || chr(8238) || '`_x_`' AS name
ORDER BY name ASC
""",
    "failing": """-- A row that cannot be computed.
-- Columns
--     number  BIGINT  -- Number.
SELECT 'x'::BIGINT AS number
ORDER BY number ASC
""",
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name, text in PACK.items():
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def export(story: Callable[[str], Path]) -> Path:
    return story("two_streams")


# Memory -------------------------------------------------------------------------------------------

KEPT = """
import ctypes
from nsysql.cli.entry import tune_libraries

tune_libraries()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def filled(size):
    block = libc.malloc(size)
    ctypes.memset(block, 1, size)
    return block

libc.free(filled(2**24))  # from which on glibc would take such blocks from its heap, if it were left to itself
before = resident()
blocks = [filled(2**22) for _ in range(32)]
pinned = filled(2**19)  # behind them
for block in blocks:
    libc.free(block)
print(resident() - before)
"""


@pytest.mark.skipif(
    not hasattr(os, "confstr_names") or "CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="no glibc"
)
def test_freed_memory_is_given_back() -> None:
    found = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 2**24


# Help ---------------------------------------------------------------------------------------------


def test_help_has_the_commands_by_purpose_on_one_screen(run: Callable[..., Ran]) -> None:
    text = run("--help").text
    lines = text.split("\n")
    assert (len(lines) <= 26, max(map(len, lines)) <= 100, len(text.split()) <= 220) == (True, True, True)
    assert re.search(r"^ +idle-gaps +why the GPU was idle", text, re.MULTILINE)
    for name in OWN:
        assert any(name in line.split() for line in lines), name
    assert "idle-patterns" not in " ".join(lines)


def test_no_arguments_is_help(run: Callable[..., Ran]) -> None:
    assert run().text == run("--help").text


def test_help_of_a_query_is_its_header(run: Callable[..., Ran]) -> None:
    text = run("cuda_gpu_kern_sum", "--help").text
    assert "GPU time by kernel name." in text
    assert "demangled|base|mangled" in text
    assert "BIGINT. Number of executions." in text
    assert "Same as `nsys stats --report cuda_gpu_kern_sum`." in text
    assert 'Some of the rows: nsysql sql run.sqlite "FROM cuda_gpu_kern_sum WHERE ..."' in text


def test_help_takes_texts_of_a_pack_literally(run: Callable[..., Ran], pack: Path) -> None:
    text = run("--pack", pack, "thirty", "--help").text
    assert "[bold red]loud[/]" in text
    assert "[link=x]y[/link]" in text
    assert "Numbers to keep [dim]." in text
    for option in ("--at-least TIME", "--even", "--no-small", "up|down", "--top COUNT"):
        assert option in text


def test_version(run: Callable[..., Ran]) -> None:
    assert run("--version").text == f"nsysql {nsysql.__version__}\n"


def test_a_pack_is_headed_by_its_folder(run: Callable[..., Ran], pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = run("--pack", pack, "list").text
    assert "\nlab\n" in text
    assert "A number from 1 to 30 [bold red]loud[/]." in text
    monkeypatch.setenv("NSYSQL_PACKS", str(pack))
    assert re.search(r"^lab +.*thirty", run("--help").text, re.MULTILINE)


def test_an_export_alone_is_its_summary(run: Callable[..., Ran], export: Path) -> None:
    assert run(export).text == run("summary", export).text
    assert run(export, "--top", "1").text == run("summary", export, "--top", "1").text


def test_a_folder_of_exports_offers_them(run: Callable[..., Ran], export: Path, tmp_path: Path) -> None:
    for name in "ab":
        shutil.copy(export, tmp_path / f"{name}.sqlite")
    for command in (), ("summary",), ("idle-gaps",), ("launches",):
        found = run(*command, tmp_path)
        assert found.code == 1
        assert f"is a folder of 2 exports; give one, such as {tmp_path / 'a.sqlite'}, or all of them" in found.err


def test_query_runs_a_query_by_its_name(run: Callable[..., Ran], export: Path) -> None:
    assert run("query", "idle_causes", export).text == run("idle-causes", export).text
    assert "Did you mean idle-patterns" in run("query", "idle-paterns", export).err
    assert "nsysql list" in run("query", "--help").text
    assert "0 keeps all; default for tables: 20" in " ".join(run("operators", "--help").text.split())


# Start-up -----------------------------------------------------------------------------------------

HEAVY = "{'duckdb', 'polars', 'pyarrow', 'pydantic'}"


def loaded(arguments: list[str], *, environment: dict[str, str] | None = None, heavy: str = HEAVY) -> str:
    """Which heavy modules a run loads."""
    script = (
        "import sys\nfrom nsysql.__main__ import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        f"print('LOADED', sorted({heavy} & set(sys.modules)))"
    )
    env = {**os.environ, **(environment or {})}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=60)
    return done.stdout.rpartition("LOADED")[2].strip()


def test_help_loads_no_engine() -> None:
    assert loaded(["--help"]) == "[]"
    assert loaded(["cuda-gpu-kern-sum", "--help"]) == "[]"


def test_completion_loads_no_engine_and_knows_the_queries() -> None:
    environment = {
        "_NSYSQL_COMPLETE": "complete_bash",
        "COMP_WORDS": "nsysql cuda_gpu_kern",
        "COMP_CWORD": "1",
    }
    assert loaded([], environment=environment) == "[]"
    found = process(env={**os.environ, **environment})
    assert found.stdout.split() == ["cuda-gpu-kern-gb-sum", "cuda-gpu-kern-sum"]


def test_completion_of_show_knows_views() -> None:
    environment = {"_NSYSQL_COMPLETE": "complete_bash", "COMP_WORDS": "nsysql show kernel", "COMP_CWORD": "2"}
    assert "kernel_nvtx_range" in process(env={**os.environ, **environment}).stdout.split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("idle-gaps-not", []),
        ("gpu-time {} --columns gpu_id,wind", ["gpu_id,window_start_ns", "gpu_id,window_end_ns", "gpu_id,window_ns"]),
        ("stats {} -r cuda_gpu_sum,osrt", ["cuda_gpu_sum,osrt_sum"]),
        ("summary {} --nvtx ba", ["backward"]),
        ("operators {} --nvtx lo", ["loss.item()"]),
        ("summary missing.sqlite --nvtx lo", []),
    ],
)
def test_completion_knows_columns_reports_and_ranges(story: Callable[[str], Path], line: str, found: list[str]) -> None:
    words = f"nsysql {line}".format(story("training"))
    environment = {"_NSYSQL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    shown = process(env={**os.environ, **environment}).stdout.splitlines()
    assert sorted(filter(None, shown)) == sorted(found)


def test_stats_loads_no_frames(export: Path) -> None:
    assert loaded(["stats", "-q", "-r", "cuda_gpu_kern_sum", str(export)]) == "['duckdb']"


@pytest.mark.skipif(not IN_PLACE, reason="DuckDB before 2.0 hands out frames by pyarrow")
def test_a_small_export_is_read_without_pyarrow(export: Path) -> None:
    assert loaded(["cuda-gpu-kern-sum", str(export)], heavy="{'pyarrow', 'numpy'}") == "[]"
    assert loaded(["summary", str(export)], heavy="{'pyarrow'}") == "[]"
    assert loaded(["idle-gaps", str(export)], heavy="{'pyarrow'}") == "[]"


def test_no_command_loads_pandas(export: Path, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("print('pandas is loaded')\n__version__ = '3.0'\n")
    done = process("summary", export, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0
    assert "pandas" not in done.stdout


# Forms and files ----------------------------------------------------------------------------------


def frame_of(form: str, data: bytes) -> pl.DataFrame:
    """The rows that a form holds, types left to the form."""
    readers: dict[str, Callable[[], pl.DataFrame]] = {
        "csv": lambda: pl.read_csv(data),
        "json": lambda: pl.DataFrame(json.loads(data)),
        "ndjson": lambda: pl.read_ndjson(data),
        "parquet": lambda: pl.read_parquet(data),
        "arrow": lambda: pl.read_ipc(data),
    }
    return readers[form]()


@pytest.mark.parametrize("form", ["csv", "json", "ndjson", "parquet", "arrow"])
def test_programs_get_exact_values(run: Callable[..., Ran], export: Path, form: str) -> None:
    with nsysql.open(export) as opened:
        expected = opened.cuda_gpu_kern_sum()
    found = run("cuda-gpu-kern-sum", export, "--format", form)
    assert (found.code, found.err) == (0, "")
    assert frame_of(form, found.out).rows() == expected.rows()


@pytest.mark.parametrize("form", FORMS)
def test_a_file_holds_what_is_printed(run: Callable[..., Ran], export: Path, tmp_path: Path, form: str) -> None:
    printed = run("launches", export, "-q", "-f", form).out
    target = tmp_path / "answer"
    assert run("launches", export, "-f", form, "-o", target).out == b""
    assert target.read_bytes() == printed
    assert [path.name for path in tmp_path.iterdir()] == ["answer"]


def test_the_ending_of_the_file_chooses_the_form(run: Callable[..., Ran], export: Path, tmp_path: Path) -> None:
    for ending, form in (
        (".jsonl", "ndjson"),
        (".md", "markdown"),
        (".parquet", "parquet"),
        (".txt", "table"),
    ):
        target = tmp_path / f"answer{ending}"
        run("launches", export, "-o", target)
        assert target.read_bytes() == run("launches", export, "-q", "-f", form).out
    run("launches", export, "-o", tmp_path / "a.csv", "-f", "json")
    assert json.loads((tmp_path / "a.csv").read_text())


def test_csv_is_csv(run: Callable[..., Ran], export: Path) -> None:
    found = run("sql", export, "SELECT 'a\"b,' || chr(10) || 'c' AS t, NULL AS n, '' AS e", "-f", "csv")
    assert list(csv.reader(io.StringIO(found.text))) == [["t", "n", "e"], ['a"b,\nc', "", ""]]


def test_a_failure_leaves_the_file_as_it_was(run: Callable[..., Ran], export: Path, pack: Path, tmp_path: Path) -> None:
    target = tmp_path / "answer.csv"
    target.write_text("before")
    found = run("--pack", pack, "failing", export, "-o", target)
    assert (found.code, target.read_text()) == (1, "before")
    assert "failing.sql:4" in found.err
    assert {path.name for path in tmp_path.iterdir()} == {"answer.csv", "lab"}


def test_the_export_is_never_overwritten(run: Callable[..., Ran], export: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run.sqlite"
    copy.write_bytes(export.read_bytes())
    (tmp_path / "link.csv").symlink_to(copy)
    for target in (copy, tmp_path / "link.csv"):
        assert run("launches", copy, "-f", "csv", "-o", target).code == 2
    assert copy.read_bytes() == export.read_bytes()


def test_a_device_takes_output(run: Callable[..., Ran], export: Path) -> None:
    assert run("launches", export, "-q", "-o", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no /dev/full")
def test_a_full_disk_is_one_line(export: Path) -> None:
    for form in ("csv", "table"):
        command = [*PROGRAM, "launches", str(export), "-q", "-f", form]
        with Path("/dev/full").open("wb") as full:
            found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        said = "nsysql: the output cannot be written: No space left on device.\n"
        assert (found.returncode, found.stderr) == (1, said)


# Parameters and rows ------------------------------------------------------------------------------


def numbers(found: Ran) -> list[int]:
    return [row["number_ns"] for row in json.loads(found.out)]


def test_parameters_become_options(run: Callable[..., Ran], export: Path, pack: Path) -> None:
    def thirty(*options: str) -> list[int]:
        return numbers(run("--pack", pack, "thirty", export, "-f", "json", *options))

    assert thirty() == list(range(1, 31))
    assert thirty("--at-least", "0.028us") == [28, 29, 30]
    assert thirty("--at-least", "28ns", "--even") == [28, 30]
    assert thirty("--order-by", "down", "--top", "2", "--no-small") == [30, 29]
    assert thirty("--top", "0") == list(range(1, 31))


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("limit BIGINT = 1", "the option --limit is taken; give limit another name"),
        ("limit_ns BIGINT = 1", "the option --limit is taken; give limit_ns another name"),
        ("start BIGINT = 1", "the option --start is taken; give start another name"),
        ("which ENUM('a', 'b') = 'c'", "which is 'c'; it can be a, b"),
        ("day DATE = NULL", ""),
    ],
)
def test_a_parameter_that_cannot_be_an_option_is_refused(
    run: Callable[..., Ran], export: Path, pack: Path, parameter: str, said: str
) -> None:
    name = parameter.split()[0]
    text = f"-- A row.\n-- Parameters\n--     {parameter} -- It.\n-- Columns\n--     x BIGINT -- X.\n"
    (pack / "odd.sql").write_text(f"{text}SELECT 1 AS x WHERE ${name} IS NULL OR true ORDER BY x ASC")
    found = run("--pack", pack, "odd", export)
    assert found.code == (2 if said else 0)
    assert said in found.err
    assert run("--pack", pack, "--help").code == 0


def test_a_table_shows_the_top(run: Callable[..., Ran], export: Path, pack: Path) -> None:
    found = run("--pack", pack, "thirty", export)
    assert len(found.text.splitlines()) == 1 + 20
    assert found.err == "note: the first 20 rows; --top COUNT shows more, --top 0 all.\n"
    assert len(run("--pack", pack, "thirty", export, "--top", "25").text.splitlines()) == 1 + 25
    assert len(run("--pack", pack, "thirty", export, "--limit", "3").text.splitlines()) == 1 + 3


def test_a_table_says_how_many_rows_more(run: Callable[..., Ran], export: Path) -> None:
    select = "SELECT range AS n FROM range(1000000)"
    found = run("sql", export, select)
    assert len(found.text.splitlines()) == 1 + 50
    assert found.err == "note: 999,950 more rows; --limit 0 shows all.\n"
    assert len(run("sql", export, "SELECT range AS n FROM range(60)", "--limit", "0").text.splitlines()) == 61
    assert run("launches", export, "--limit", "1").err.startswith("note: ")


@pytest.mark.parametrize("form", ["csv", "ndjson", "markdown"])
def test_a_limit_holds_in_every_form(run: Callable[..., Ran], export: Path, form: str) -> None:
    for asking in (["launches", export], ["sql", export, "SELECT * FROM kernel ORDER BY row_id"]):
        all_of_it = run(*asking, "-f", form).text.splitlines()
        found = run(*asking, "-f", form, "--limit", "2")
        head = {"csv": 1, "ndjson": 0, "markdown": 2}[form]
        assert found.text.splitlines() == all_of_it[: head + 2]
        assert "--limit 0 shows all." in found.err


def test_a_pack_is_checked_beside_those_of_the_command_line(run: Callable[..., Ran], tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        text = "-- A row.\n-- Columns\n--     x  BIGINT  -- X.\nSELECT row_id AS x\nFROM kernel\nORDER BY x\n"
        (tmp_path / name / "mine.sql").write_text(text)
    assert run("check", tmp_path / "one").code == 0
    found = run("--pack", tmp_path / "other", "check", tmp_path / "one")
    assert (found.code, "mine" in found.text) == (1, True)


def test_what_goes_to_a_pipe_is_whole_in_any_locale(export: Path) -> None:
    plain = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    others = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    asking = [*PROGRAM, "sql", str(export), "SELECT 1500 AS dur_ns"]
    ran = subprocess.run(asking, capture_output=True, env=others | plain, check=True)
    assert "1.500 \u00b5s" in ran.stdout.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="names of other systems are Unicode")
def test_a_name_that_is_no_text_is_refused(run: Callable[..., Ran], export: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.sqlite")
    shutil.copy(export, odd)
    found = run("launches", odd)
    assert (found.code, found.out, found.err.count("\n")) == (1, b"", 1)
    assert "its name is not valid UTF-8" in found.err


def test_columns_are_chosen(run: Callable[..., Ran], export: Path) -> None:
    found = run("launches", export, "-f", "csv", "--columns", "name,dur-ns")
    assert found.text.splitlines()[0] == "name,dur_ns"
    wrong = run("launches", export, "--columns", "nam")
    assert wrong.code == 2
    assert "Did you mean name?" in wrong.err


def test_rows_are_sorted_by_any_column(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    path = story("training")

    def sorted_by(column: str, *options: str) -> pl.DataFrame:
        return pl.read_csv(run("query", "idle-gaps", path, "--sort", column, "-f", "csv", *options).out)

    with nsysql.open(path) as opened:
        gaps = opened.idle_gaps()
    names = ["gap_id", "start_ns", "host_code_ns", "next_name"]
    assert (
        sorted_by("host-code-ns")
        .select(names)
        .equals(gaps.select(names).sort("host_code_ns", descending=True, maintain_order=True))
    )
    assert sorted_by("start_ns")["gap_id"].to_list() == gaps.sort("start_ns")["gap_id"].to_list()
    assert sorted_by("next_name", "--limit", "2")["next_name"].to_list() == gaps["next_name"].sort()[:2].to_list()
    assert sorted_by("start_ns", "--top", "3")["gap_id"].sort().to_list() == gaps["gap_id"][:3].sort().to_list()
    table = run("query", "idle-gaps", path, "--sort", "start_ns")
    assert len(table.text.splitlines()) == 51 and f"{gaps.height - 50} more rows" in table.err
    assert "Did you mean start_ns" in run("launches", path, "--sort", "startns").err
    assert run("operators", path, "--sort", "idle").code == 0  # its own choice


def test_notes_are_quiet_when_asked(run: Callable[..., Ran], export: Path) -> None:
    note = "note: times are relative to the start of the capture.\n"
    assert run("launches", export, "-f", "json").err == note
    assert run("launches", export, "-f", "json", "-q").err == ""


def test_no_rows_are_explained(run: Callable[..., Ran], export: Path, pack: Path) -> None:
    found = run("--pack", pack, "thirty", export, "--at-least", "31ns", "--even")
    assert (found.code, found.text) == (0, "")
    assert found.err == "note: no rows: nothing in this export passes --at-least 31ns --even.\n"
    assert run("--pack", pack, "thirty", export, "--at-least", "31ns", "-f", "csv").text == "number_ns\n"
    assert run("--pack", pack, "thirty", export, "--at-least", "31ns", "-f", "json").text == "[]\n"


def test_names_do_not_rule_the_terminal(run: Callable[..., Ran], export: Path, pack: Path) -> None:
    for form in ("table", "markdown"):
        text = run("--pack", pack, "hostile", export, "-f", form).text
        assert not set("\x1b\u202e").intersection(text)
        for piece in ("bold", "x1b", "x0a" if "x0a" in text else "n", "u202e"):
            assert piece in text
    assert "[bold]\\x1b[31m|\\n\\u202e`_x_`" in run("--pack", pack, "hostile", export).text


# Other commands -----------------------------------------------------------------------------------


def test_sql_reads_views_and_standard_input(export: Path) -> None:
    found = process("sql", export, "-", "-f", "csv", input="SELECT count(*) AS kernels FROM kernel")
    assert found.returncode == 0
    assert found.stdout.startswith("kernels\n")


def test_show_gives_the_file(run: Callable[..., Ran]) -> None:
    assert run("show", "cuda-gpu-kern-sum").text == query_paths(find_packs())["cuda_gpu_kern_sum"].read_text()
    assert run("show", "kernel").text.startswith("-- Kernels: one row per execution of a GPU function.\n")


def test_list_names_queries_and_public_views(run: Callable[..., Ran]) -> None:
    text = run("list").text
    rows = json.loads(run("list", "-f", "json").out)
    assert {row["name"] for row in rows} == set(query_paths(find_packs())) | public_names()
    assert all(row["name"] in text and row["summary"] in text for row in rows)
    assert "\n  _" not in text
    assert {row["name"] for row in rows if row["columns"]} == public_names()
    assert max(map(len, text.splitlines())) < 160


def test_list_all_names_internal_views_too(run: Callable[..., Ran]) -> None:
    rows = json.loads(run("list", "--all", "-f", "json").out)
    assert {row["name"] for row in rows} == set(query_paths(find_packs())) | view_names()
    assert "  _kernel_ids " in run("list", "--all").text


def test_check_says_what_is_amiss(run: Callable[..., Ran], pack: Path) -> None:
    for name in ("untidy", "what_if"):
        (pack / f"{name}.sql").write_text("SELECT 1" if name == "untidy" else (pack / "failing.sql").read_text())
    found = run("check", pack)
    assert found.code == 1
    assert "untidy.sql:1" in found.text and "what_if is already a command" in found.text
    for name in ("untidy", "what_if", "failing"):
        (pack / f"{name}.sql").unlink()
    assert run("check", pack) == Ran(0, b"", "")


# Mistakes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["launchs"], 2, "There is no command 'launchs'; see `nsysql --help`. Did you mean launches"),
        (["kern-sum"], 2, "Did you mean cuda-gpu-kern-sum"),
        (["no-such.sqlite"], 2, "There is no file and no command 'no-such.sqlite'"),
        (
            ["explain", "input-wiat"],
            2,
            "There is no rule 'input-wiat' of the findings; `nsysql list` has them. Did you mean",
        ),
        (["--qiet"], 2, "There is no option --qiet; see `nsysql --help`."),
        (["launches", "--pack", "lab", "EXPORT"], 2, "--pack goes before the command: nsysql --pack FOLDER COMMAND"),
        (["launches"], 2, "Missing argument 'EXPORT'; see `nsysql launches --help`."),
        (["launches", "EXPORT", "--ouput", "x"], 2, "There is no option --ouput"),
        (["launches", "EXPORT", "--ouput", "x"], 2, "Did you mean --output"),
        (["launches", "EXPORT", "-f", "xml"], 2, "'table', 'csv', 'json'"),
        (["launches", "EXPORT", "--start", "3 fortnights"], 2, "write it as 250ns, 10us, 1.5ms or 2s"),
        (["launches", "EXPORT", "--threads", "0"], 2, "--threads"),
        (["launches", "EXPORT", "--memory-limit", "much"], 2, "memory_limit is 'much'"),
        (["launches", "EXPORT", "-o", "/no/such/folder/x.csv"], 2, "which is no folder"),
        (["launches", "EXPORT", "-o", "."], 2, "is a folder"),
        (["launches", "/no/such.sqlite"], 1, "/no/such.sqlite does not exist"),
        (["launches", "/"], 1, "/ is a folder"),
        (["cuda-gpu-kern-sum", "EXPORT", "--name", "short"], 2, "'short' is not one of"),
        (["osrt-sum", "EXPORT"], 1, "capture with --trace=osrt"),
        (["show", "kernle"], 2, "Did you mean kernel?"),
        (["sql", "EXPORT", "DROP TABLE x"], 2, "only a single SELECT"),
        (["sql", "EXPORT", "SELECT nam FROM kernel"], 2, "name"),
        (["sql", "EXPORT", "SELECT INTERVAL 3 DAY AS x"], 1, "write it as text: x::VARCHAR"),
        (["--pack", "/no/pack", "launches", "EXPORT"], 2, "/no/pack is not a folder of queries"),
        (["launches", "EXPORT", "-o", "/tmp/table.xlsx"], 2, "choose what to write with --format"),
        (["findings", "EXPORT", "-o", "/tmp/findings.csv"], 2, "choose what to write with --format"),
        (["timeline", "EXPORT", "--step-range", "step"], 2, "say with --steps which ones"),
        (["check", "/no/pack"], 2, "/no/pack is not a folder of queries"),
    ],
)
def test_a_mistake_is_one_line(
    run: Callable[..., Ran], export: Path, arguments: list[str], code: int, said: str
) -> None:
    found = run(*(str(export) if a == "EXPORT" else a for a in arguments))
    assert (found.code, found.out) == (code, b"")
    assert found.err.startswith("nsysql: ")
    assert found.err.count("\n") == 1
    assert said in found.err


def test_a_damaged_export_is_one_line(run: Callable[..., Ran], export: Path, tmp_path: Path) -> None:
    whole = export.read_bytes()
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(whole[:200] + os.urandom(len(whole) - 200))
    found = run("launches", broken)
    assert found.code == 1
    assert found.err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_an_interrupt_is_quick_and_quiet(export: Path, tmp_path: Path, name: str, code: int) -> None:
    select = "SELECT count(*) AS n FROM range(1000000) AS a, range(10000000) AS b WHERE a.range * b.range % 7 = 3"
    asking = [*PROGRAM, "sql", str(export), select, "-o", str(tmp_path / "counted.csv")]
    if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        pytest.skip("the program ignores it, too, as under nohup")
    running = subprocess.Popen(asking, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    begun = time.monotonic()
    while not list(tmp_path.iterdir()) and time.monotonic() - begun < 30:  # the file that it writes
        time.sleep(0.1)
    time.sleep(0.5)
    running.send_signal(getattr(signal, name))
    asked = time.monotonic()
    try:
        out, err = running.communicate(timeout=30)
    finally:
        running.kill()
    assert (running.returncode, out, err) == (code, b"", b"")
    assert time.monotonic() - asked < 5
    assert list(tmp_path.iterdir()) == []


def test_a_reader_who_leaves_early_is_no_failure_to_talk_about(export: Path) -> None:
    select = "SELECT range AS n FROM range(100000)"
    for form in ("csv", "table", "json"):
        running = subprocess.Popen(
            [*PROGRAM, "sql", str(export), select, "--limit", "0", "-f", form],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert (running.stderr.read(), running.wait(60)) == (b"", 141)


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["launches", "-f", "parquet"], "parquet is not for a terminal; write it with --output FILE, or into a pipe."),
        (["digest"], "a digest is a file: nsysql digest {export} -o run.digest"),
    ],
)
def test_bytes_do_not_reach_a_terminal(asked: list[str], message: str, export: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [*PROGRAM, *asked, str(export)]
    found = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert found.returncode == 2
    assert found.stderr == f"nsysql: {message.format(export=export.name)}\n"


# Waiting ------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_question_shows_a_spinner_that_is_gone_before_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "AGAIN", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress.waiting("Reading [b]run[/b]")():
        time.sleep(0.2)
    assert "Reading [b]run[/b]" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_nothing_is_shown_of_a_short_question_or_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.waiting("Reading")():
        pass
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    for quiet in (False, True):
        with progress.waiting("Reading", quiet)():
            pass
    assert terminal.getvalue() == ""


def test_a_failure_does_not_end_who_has_threads_of_its_own(run: Callable[..., Ran]) -> None:
    over = threading.Event()
    threading.Thread(target=over.wait, daemon=True).start()
    assert run("summary", "nowhere.sqlite").code == 1  # and this process is still there
    over.set()


def test_columns_that_name_none(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    answer = run("launches", story("two_streams"), "--columns", ",")
    assert (answer.code, answer.out, answer.err.startswith("nsysql: --columns names none; there is")) == (2, b"", True)


def test_moments_at_which_nothing_is_open(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    assert "nothing in this export passes --moments 0" in run("nvtx-stack", story("training")).err


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_streams_that_the_caller_closed_or_filled(story: Callable[[str], Path]) -> None:
    def left(redirection: str) -> tuple[int, str, str]:
        command = [*PROGRAM, "gpu-time", str(story("two_streams")), "-f", "csv"]
        ran = subprocess.run(
            ["sh", "-c", f'"$@" {redirection}', "sh", *command], capture_output=True, text=True, check=False
        )
        return ran.returncode, ran.stdout, ran.stderr

    code, answer, _ = left("")
    assert (code, answer.count("\n")) == (0, 2)
    assert left(">&-") == (1, "", "nsysql: the standard output is closed; open it, or write with --output FILE.\n")
    assert left("2>&-") == (0, answer, "")
    if Path("/dev/full").exists():
        assert left("2>/dev/full") == (0, answer, "")


def test_an_interrupt_that_duckdb_hears_first(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("nsysql.capture.forms.sqlite.SqliteFile.attach", interrupted)
    answer = run("gpu-time", shutil.copy(story("two_streams"), tmp_path))  # opened anew
    assert (answer.code, answer.err) == (130, "")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("module", ["nsysql.cli.entry", "nsysql.capture.export", "duckdb"])
def test_an_interrupt_while_modules_load_is_quiet(module: str, export: Path) -> None:
    code = f"""
import os, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Interrupting())
from nsysql.cli import main
main()
"""
    command = [sys.executable, "-c", code, "gpu-time", str(export)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("gpu-time", "--nvtx", "nosuch"), ("summary", "--nvtx", "step/99"), ("lines", "--nvtx", "nosuch"),
        ("summary", "--steps", "99"), ("steps", "--step-range", "nosuch"), ("idle-gaps", "--gpu", "7"),
        ("idle-gaps", "--explain", "999"), ("timeline", "--gap", "999"), ("gpu-time", "--columns", "nosuch"),
        ("findings", "--ignore", "nosuch"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_wrong_usage(
    run: Callable[..., Ran], story: Callable[[str], Path], arguments: tuple[str, ...]
) -> None:
    command, *options = arguments
    assert run(command, story("training"), *options).code == 2


@pytest.mark.parametrize("sql", ["FROM nosuch", "SELECT nosuch FROM kernel", "SELEC", "DROP TABLE kernel"])
def test_sql_that_is_wrong_is_wrong_usage(run: Callable[..., Ran], story: Callable[[str], Path], sql: str) -> None:
    assert run("sql", story("training"), sql).code == 2


def test_a_summary_as_csv_says_which_table_it_is(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    assert "this is the table of kernels" in run("summary", story("training"), "-f", "csv").err


def test_ranks_of_which_a_file_is_no_export_could_not(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "none.sqlite").write_text("none")
    ran = run("ranks", story("training"), tmp_path / "none.sqlite")
    assert ran.code == 1 and "none.sqlite is not a SQLite file" in " ".join(ran.text.split())


@pytest.mark.parametrize("command", sorted({*OWN} - {"mcp", "stats", "analyze"}))
def test_no_message_names_an_internal_view(command: str, story: Callable[[str], Path], run: Callable[..., Ran]) -> None:
    ran = run(command, story("no_cuda"))
    assert not re.search(r"(?<!\w)_[a-z]\w+ ", ran.err), ran.err
