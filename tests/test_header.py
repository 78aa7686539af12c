"""A query file with a broken header is one line that names the file, the line and the mend, whatever is asked."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

from nsysql.catalog.query import EngineLine, read_engine_line

SQL = "SELECT 1::BIGINT AS x\nORDER BY x\n"
COLUMNS = "-- Columns\n--     x  BIGINT  -- Something.\n"
BEFORE = "-- A row.\n{}" + COLUMNS  # the line that is put in is the second
PARAMETER = BEFORE.format("-- Parameters\n--     {}  -- It.\n")  # the third

BROKEN = {  # a header, the line, and words of what is said
    "begins with a section": (COLUMNS, 1, "does not begin with a sentence"),
    "no columns": ("-- A row.\n", 1, "add 'Columns'"),
    "columns without any": ("-- A row.\n-- Columns\n", 2, "nothing under 'Columns'"),
    "columns misspelt": ("-- A row.\n-- Colums\n--     x  BIGINT  -- It.\n", 2, "Did you mean Columns?"),
    "another section": (BEFORE.format("-- Results\n--     y  BIGINT  -- It.\n"), 2, "is not a section"),
    "section amid sections": (BEFORE.format("-- Needs  kernel\n-- Wibble  wobble\n"), 3, "'Wibble' is not a section"),
    "needs misspelt": (BEFORE.format("-- Need  kernel\n"), 2, "Did you mean Needs?"),
    "column of no type": (
        COLUMNS.replace("BIGINT", "BIGNIT").replace("-- C", "-- A row.\n-- C"),
        3,
        "Did you mean BIGINT",
    ),
    "column twice": (BEFORE.format("") + "--     x  DOUBLE  -- It.\n", 3, "x is declared twice"),
    "columns of no view": (BEFORE.format("") + "--     kernal: name\n", 4, "takes columns of kernal, which is no view"),
    "columns of an internal view": (BEFORE.format("") + "--     _kernel_ids: name_id\n", 4, "which is no view"),
    "columns that a view has not": (BEFORE.format("") + "--     gpu: nam\n", 4, "takes nam of gpu, which has the col"),
    "column of a view twice": (BEFORE.format("") + "--     gpu: name, name\n", 4, "name is declared twice"),
    "parameter of no type": (PARAMETER.format("most  WIBBLE = 3"), 3, "is WIBBLE, which is no type"),
    "parameter twice": (PARAMETER.format("most  BIGINT = 3  -- It.\n--     most  BIGINT = 3"), 3, "declared twice"),
    "parameter named as a word of Python": (PARAMETER.format("class  BIGINT = 3"), 3, "cannot be called so in Python"),
    "parameter named as a number": (PARAMETER.format("1st  BIGINT = 3"), 3, "cannot be called so in Python"),
    "filter of another type": (PARAMETER.format("nvtx  BIGINT = 3"), 3, "one of that name is VARCHAR"),
    "top of another type": (PARAMETER.format("top  VARCHAR = '3'"), 3, "one of that name is BIGINT"),
    "default of another type": (PARAMETER.format("most  BIGINT = 'x'"), 3, "must be a whole number"),
    "default too large": (PARAMETER.format(f"most  BIGINT = {2**63}"), 3, "must be a whole number of 64 bits"),
    "default no truth": (PARAMETER.format("is_small  BOOLEAN = 3"), 3, "must be true or false"),
    "choices without any": (PARAMETER.format("kind  ENUM() = 'a'"), 3, "which is no type"),
    "choice twice": (PARAMETER.format("kind  ENUM('a', 'a') = 'a'"), 3, "the choice 'a' twice"),
    "default no choice": (PARAMETER.format("kind  ENUM('a', 'b') = 'c'"), 3, "it can be a, b"),
    "needs without any": (BEFORE.format("-- Needs\n"), 2, "nothing under 'Needs'"),
    "needs what is not": (BEFORE.format("-- Needs  kernal\n"), 2, "needs kernal, which is no view"),
    "first what is not": (BEFORE.format("-- First  z\n"), 2, "has z under 'First', which is no column"),
    "needs in another case": (BEFORE.format("-- Needs  nvtx_events\n"), 2, "Did you mean"),
    "needs and": (BEFORE.format("-- Needs  kernel and memcpy\n"), 2, "cannot be read"),
    "needs with a comma": (BEFORE.format("-- Needs  kernel,\n"), 2, "cannot be read"),
    "needs or nothing": (BEFORE.format("-- Needs  kernel or\n"), 2, "cannot be read"),
    "needs if nothing": (BEFORE.format("-- Needs  kernel if\n"), 2, "cannot be read"),
    "needs if no parameter": (BEFORE.format("-- Needs  kernel if deep\n"), 2, "which is no parameter here"),
    "needs what is internal": (BEFORE.format("-- Needs  _kernel_ids\n"), 2, "needs _kernel_ids, which is no view"),
    "engine": (BEFORE.format("-- Engine  table\n"), 2, "has 'Engine', which only nsysql's own files have"),
    "engine that computes": (BEFORE.format("-- Engine  computed by os\n"), 2, "has 'Engine'"),
    "engine like a file": (BEFORE.format("-- Engine  as ../../etc/passwd with a for b\n"), 2, "has 'Engine'"),
    "engine amid sections": (BEFORE.format("-- Needs  kernel\n-- Kept  as a table\n"), 3, "'Kept' is not a section"),
}


SHADOWS = "has the CTE {}, which shadows the view kernel; rename the CTE."
READS = {  # a SELECT, the line of the file, and words of what is said, or None if it is no mistake
    "a CTE of a view's name": (
        "WITH kernel AS (\n    SELECT 1::BIGINT AS x\n)\nFROM kernel",
        4,
        SHADOWS.format("kernel"),
    ),
    "quoted, in other letters": (
        'WITH a AS (SELECT 1::BIGINT AS x),\n"Kernel"(x) AS (FROM a)\nFROM "Kernel"',
        5,
        "CTE Kernel",
    ),
    "deeper": (
        "FROM (\nWITH kernel AS MATERIALIZED (SELECT 1::BIGINT AS x)\nFROM kernel)",
        5,
        SHADOWS.format("kernel"),
    ),
    "an internal view": ("SELECT count(*) AS x\nFROM kernel, _KERNEL_ids", 5, "reads _KERNEL_ids, a view that only"),
    "the public ones": ("SELECT count(*) AS x FROM _kernel_ids", 4, "the public views are api_call, call_site,"),
    "only in a text": ("SELECT 1::BIGINT AS x -- not _kernel_ids\nWHERE '_kernel_ids' <> ', kernel AS ('", 0, None),
}


@pytest.mark.parametrize("asked", READS)
def test_a_pack_reads_public_views_and_hides_none(
    asked: str, run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    sql, line, said = READS[asked]
    path = tmp_path / "mine.sql"
    path.write_text(f"-- A row.\n{COLUMNS}{sql}\nORDER BY x\n", encoding="utf-8")
    checked, answered = run("check", tmp_path), run("--pack", tmp_path, "mine", story("two_streams"))
    if said is None:
        assert (checked.code, answered.code) == (0, 0), checked.text + answered.err
        return
    for told in (checked.text, answered.err):
        assert f"{path}:{line} " in told
        assert said in told


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_header_is_told_in_one_line(
    broken: str, run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    header, line, said = BROKEN[broken]
    path = tmp_path / "mine.sql"
    path.write_text(f"{header}{SQL}", encoding="utf-8")
    export = story("two_streams")
    asked = [["mine", export], ["mine", "--help"], ["list"], ["stats", export, "-q", "-r", "mine"]]
    for arguments in [*asked, ["check", tmp_path]]:
        found = run("--pack", tmp_path, *arguments)
        told = found.text if arguments[0] == "check" else found.err
        assert found.code in (1, 2), arguments
        assert f"{path}:{line} " in told
        assert said in told
        assert told.count("\n") == 1


def test_the_clauses_of_an_engine_line() -> None:
    assert read_engine_line("whole; computed by nsysql.analysis.idle.ledger") == EngineLine(
        computed_by="nsysql.analysis.idle.ledger", is_whole=True
    )
    assert read_engine_line("pushdown T where a IN (1, 2); table if EXISTS (FROM v)") == EngineLine(
        pushdown=("T", "a IN (1, 2)"), is_table=True, table_if="EXISTS (FROM v)"
    )
    assert read_engine_line("skip c, d unless $x") == EngineLine(skip=(("c", "$x"), ("d", "$x")))
    found = read_engine_line("as v with unfiltered.T for raw.T, c for d")
    assert found.other == "v"
    assert found.rewritten("FROM raw.T, d, dd") == "FROM unfiltered.T, c, dd"


@pytest.mark.parametrize(
    "line",
    ["", "kept", "table; table", "table if", "stored", "computed by os", "computed by", "pushdown T",
     "skip a", "as v", "as v with a", "as ../x with a for b", "table,stored"],
)  # fmt: skip
def test_an_engine_line_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        read_engine_line(line)


def test_odd_names_and_choices_are_no_mistake(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    fields = ["kind  ENUM('', 'mro', '_x_', 'a') = 'mro'", "run  BIGINT = 1", "self  BIGINT = 1", "giving  BIGINT = 1"]
    sql = "SELECT $run + $self + $giving AS x, $kind AS kind\nORDER BY x\n"
    columns = COLUMNS + "--     kind  VARCHAR  -- It.\n"
    text = "-- A row.\n-- Parameters\n" + "".join(f"--     {field}  -- It.\n" for field in fields) + columns + sql
    (tmp_path / "mine.sql").write_text(text, encoding="utf-8-sig")
    assert run("--pack", tmp_path, "mine", story("two_streams"), "-f", "csv", "--kind", "_x_").text == "x,kind\n3,_x_\n"
    assert run("--pack", tmp_path, "mine", "--help").code == 0


def test_a_file_that_is_no_text_is_shown_and_refused(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "mine.sql").write_bytes(b"-- A row \xe9.\n" + f"{COLUMNS}{SQL}".encode())
    assert "A row \\xe9." in run("--pack", tmp_path, "show", "mine").text
    assert run("--pack", tmp_path, "mine", story("two_streams")).err.count("\n") == 1
