"""Our own query files keep the promises of a query file, and a file that breaks one is told so."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from exports import FIXTURES

import nsysql
from nsysql.capture import check
from nsysql.capture.check import check_pack
from nsysql.capture.connection import empty_export
from nsysql.catalog.header import public_names
from nsysql.catalog.packs import find_packs, own_queries, query_paths, read_views
from nsysql.catalog.query import reads
from nsysql.catalog.query_file import read_query
from nsysql.catalog.raw_schema import read_raw
from nsysql.cli.app import command_names
from nsysql.errors import PackError

GOOD = """\
-- A kernel and how long it ran.
--
-- Needs  kernel
-- Parameters
--     top  BIGINT = NULL  -- Longest to keep; NULL keeps all.
-- Columns
--     name    VARCHAR  -- Kernel.
--     dur_ns  BIGINT   -- How long it ran.
SELECT
    name,
    dur_ns
FROM kernel
ORDER BY dur_ns DESC, row_id ASC
LIMIT $top
"""
BREAKS = {  # what is replaced, by what, and the line and words of the complaint
    "no sentence": ("-- A kernel and how long it ran.", "-- kernels", "1 does not begin with a sentence"),
    "about the query": ("-- A kernel and", "-- This query shows", "1 talks about the query"),
    "no header": (GOOD[: GOOD.index("SELECT")], "", "1 has no header"),
    "no select": (GOOD[GOOD.index("SELECT") :], "", "8 has a header but no SELECT"),
    "unreadable field": ("dur_ns  BIGINT   -- How long it ran.", "dur_ns BIGINT", "8 cannot be read as"),
    "no default": ("BIGINT = NULL", "BIGINT", "5 parameter top needs a default"),
    "default of another type": ("= NULL", "= 'many'", "5 the default does not fit"),
    "unused parameter": ("\nLIMIT $top", "", "5 parameter top is declared but not used"),
    "undeclared parameter": ("LIMIT $top", "LIMIT $most", "14 parameter most is used but not declared"),
    "unknown type": ("BIGINT = NULL", "HUGEINT = NULL", "5 parameter top is HUGEINT"),
    "column not given": ("    dur_ns\n", "    end_ns\n", "8 column dur_ns is declared but not returned"),
    "column not declared": (
        "    name,\n",
        "    name,\n    pid,\n",
        "9 returns the column pid, which is not declared",
    ),
    "column of another type": (
        "    name,\n",
        "    dur_ns AS name,\n",
        "7 column name is declared VARCHAR but is BIGINT",
    ),
    "another order": (
        "    name,\n    dur_ns\n",
        "    dur_ns,\n    name\n",
        "9 returns its columns in another order",
    ),
    "declared twice": ("--     dur_ns  BIGINT ", "--     name    BIGINT ", "7 name is declared twice"),
    "no unit": ("--     dur_ns ", "--     dur ", "8 column dur does not say its unit"),
    "scaled": ("--     dur_ns ", "--     dur_ms ", "8 column dur_ms is scaled"),
    "label without unit": (
        "-- How long",
        "-- [Time (%)] How long",
        "8 column dur_ns has the label 'Time (%)'",
    ),
    "upper case": ("--     dur_ns ", "--     Dur_ns ", "8 column Dur_ns is not in lower snake case"),
    "no order": ("ORDER BY dur_ns DESC, row_id ASC\n", "", "9 does not end in an ORDER BY"),
    "fixed limit": ("LIMIT $top", "LIMIT 5", "14 has a LIMIT that is not a parameter"),
    "raw table": ("FROM kernel\n", "FROM raw.StringIds\n", "12 reads raw.StringIds"),
    "unknown column": ("    name,", "    nam,", '10: Binder Error: Referenced column "nam"'),
    "two statements": ("LIMIT $top", "LIMIT $top; SELECT 1", "9: there are 2 statements"),
    "file reader": ("FROM kernel\n", "FROM read_csv('x')\n", "9: the table function read_csv is not allowed"),
}


@pytest.mark.parametrize("folder", find_packs(), ids=lambda folder: folder.name)
def test_our_packs_keep_their_promises(folder: Path) -> None:
    assert check_pack(folder) == []


def test_our_queries_have_expected_answers_or_a_test() -> None:
    texts = [path.read_text() for path in [*FIXTURES.parent.glob("*.py"), *FIXTURES.parent.glob("stories/*.txt")]]
    named = set(re.findall(r"[a-z0-9_]+", "\n".join(texts).replace("-", "_")))
    golden = {path.stem for path in FIXTURES.glob("*/*.csv")}
    assert not [
        query.name for query in own_queries() if not {query.name, query.name.removesuffix("_rule")} & (named | golden)
    ]


def test_our_views_keep_their_promises() -> None:
    con, layout = empty_export()
    for name, view in read_views().items():
        assert [*check._prose(view), *check._columns(view)] == []
        assert not view.parameters
        layout.create(frozenset({name}))
        types = check._described(f"SELECT * FROM {name}", {}, view, con)
        plain = {column: kind.partition("(")[0] for column, kind in types.items()}  # without the values of an ENUM
        declared = {column.name: column.type.partition("(")[0] for column in view.columns}
        assert declared == {column: plain.get(column) for column in declared}, name


def test_a_view_has_the_columns_that_it_declares() -> None:
    con, layout = empty_export()
    layout.create(public_names())
    found = {name: tuple(con.sql(f"FROM {name}").columns) for name in public_names()}
    assert found == {name: read_views()[name].column_names for name in found}


def test_the_length_of_an_interval_has_one_name() -> None:
    ours = [query for query in map(read_query, query_paths(find_packs()).values()) if not query.same_as]
    columns = {c for query in [*ours, *map(read_views().get, public_names())] for c in query.column_names}
    assert not columns & {f"{word}_ns" for word in ("gap", "duration", "length", "cpu", "lasted")} - {"length_ns"}
    for golden in FIXTURES.glob("*/*.csv"):
        frame = pl.read_csv(golden, infer_schema_length=None)
        for side in (name.removesuffix("dur_ns") for name in frame.columns if name.endswith("dur_ns")):
            if {f"{side}start_ns", f"{side}end_ns"} <= set(frame.columns):
                of_row = frame[f"{side}end_ns"] - frame[f"{side}start_ns"]
                assert of_row.equals(frame[f"{side}dur_ns"], check_names=False), golden


def test_a_good_pack_has_no_problem(tmp_path: Path) -> None:
    (tmp_path / "longest.sql").write_text(GOOD)
    assert check_pack(tmp_path) == []


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_promise_is_told_with_file_and_line(broken: str, tmp_path: Path) -> None:
    old, new, complaint = BREAKS[broken]
    assert old in GOOD
    path = tmp_path / "longest.sql"
    path.write_text(GOOD.replace(old, new, 1))
    problems = check_pack(tmp_path)
    assert any(problem.startswith(f"{path}:{complaint}") for problem in problems), problems
    assert not any("LINE " in problem for problem in check_pack(tmp_path))  # of DuckDB: the file's line is there


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("kernel", "shares its name with a view"),
        ("launches", "shares its name with "),
        ("sql", "could not be called"),
        ("what_if", "could not be called"),
        ("query", "could not be called"),
        ("Longest", "use lower case"),
    ],
)
def test_a_name_that_is_taken_is_told(name: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.sql").write_text(GOOD)
    assert any(complaint in problem for problem in check_pack(tmp_path, commands=command_names()))


def test_a_pack_is_a_folder_with_queries(tmp_path: Path) -> None:
    assert check_pack(tmp_path) == [f"{tmp_path} holds no .sql file."]
    with pytest.raises(PackError, match="is not a folder of queries"):
        check_pack(tmp_path / "nowhere")


def test_what_is_needed_exists() -> None:
    known = {*read_views(), *read_raw()}
    files = [path for folder in find_packs() for path in folder.glob("*.sql")]
    for query in [*read_views().values(), *map(read_query, files)]:
        unknown = {name for need in query.needs for name in need} - known
        assert not unknown, f"{query.path} needs {unknown}"


def test_a_function_computes_the_views_that_name_it(story: Callable[[str], Path]) -> None:
    functions = {view.engine.computed_by for view in read_views().values()} - {None}
    with nsysql.open(story("training")) as run:
        for function in map(str, functions):
            module, _, name = function.rpartition(".")
            frames = getattr(import_module(module), name)(run._engine.layout)
            found = set().union(*([frames] if isinstance(frames, dict) else frames))
            assert {*reads(function), *found} <= read_views().keys()
            named = {name for name, view in read_views().items() if view.engine.computed_by == function}
            assert named == {name for name in found if not read_views()[name].sql}
