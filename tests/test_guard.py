"""A pack is somebody's program: nothing but one SELECT over the export runs, by any way around."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from exports import alter

import nsysql
from nsysql.capture.export import Export
from nsysql.errors import QueryError

HEADER = "-- A row of somebody's.\n-- Columns\n--     x  BIGINT  -- Something.\n"
SECRET = "flour 500 g"

# {f} is a text file, {d} another database, {o} a file that must not come to be.
STATEMENTS = {
    "attach": "ATTACH '{d}' AS other (TYPE sqlite)",
    "attach writable": "ATTACH '{d}' (TYPE sqlite); SELECT 1",
    "detach": "DETACH file",
    "call": "CALL sqlite_attach('{d}')",
    "copy out": "COPY (SELECT 1) TO '{o}'",
    "copy in": "COPY kernel FROM '{f}'",
    "export": "EXPORT DATABASE '{o}'",
    "pragma": "PRAGMA database_list",
    "set": "SET enable_external_access = true",
    "install": "INSTALL httpfs",
    "load": "LOAD sqlite_scanner",
    "create": "CREATE TABLE main.kept AS SELECT 1",
    "insert": "INSERT INTO raw.StringIds VALUES (1, 'x')",
    "drop": "DROP VIEW kernel",
    "update": "UPDATE file.main.StringIds SET value = 'x'",
    "prepare": "PREPARE p AS SELECT 1",
    "two": "SELECT 1 AS x; SELECT 2",
    "second": "SELECT 1 AS x; COPY (SELECT 1) TO '{o}'",
    "explain": "EXPLAIN ANALYZE SELECT 1",
    "nothing": ";",
    "comment": "/* nothing */",
    "insert in a CTE": "WITH x AS (INSERT INTO raw.StringIds VALUES (1, 'x') RETURNING 1) SELECT * FROM x",
}
READS = {
    "sqlite_scan": "SELECT * FROM sqlite_scan('{d}', 'cake')",
    "upper case": "SELECT * FROM SQLITE_SCAN('{d}', 'cake')",
    "quoted": """SELECT * FROM "sqlite_scan"('{d}', 'cake')""",
    "qualified": "SELECT * FROM main.sqlite_scan('{d}', 'cake')",
    "system": "SELECT * FROM system.main.sqlite_scan('{d}', 'cake')",
    "sqlite_query": "SELECT * FROM sqlite_query('file', 'SELECT 1')",
    "sqlite_attach": "SELECT * FROM sqlite_attach('{d}')",
    "read_csv": "SELECT * FROM read_csv('{f}')",
    "read_text": "SELECT * FROM read_text('{f}')",
    "read_blob": "SELECT * FROM read_blob('{f}')",
    "read_json": "SELECT * FROM read_json('{f}')",
    "read_parquet": "SELECT * FROM read_parquet('{f}')",
    "sniff_csv": "SELECT * FROM sniff_csv('{f}')",
    "glob": "SELECT * FROM glob('{f}')",
    "query": "SELECT * FROM query('SELECT content FROM read_text(''{f}'')')",
    "query_table": "SELECT * FROM query_table('{f}')",
    "serialized": "SELECT * FROM json_execute_serialized_sql('x')",
    "settings": "SELECT * FROM duckdb_settings()",
    "databases": "SELECT * FROM duckdb_databases()",
    "file by name": "SELECT * FROM '{f}'",
    "file by quoted name": 'SELECT * FROM "{f}"',
    "in a CTE": "WITH x AS (SELECT * FROM sqlite_scan('{d}', 'cake')) SELECT * FROM x",
    "in a nested CTE": "WITH x AS (WITH y AS (FROM read_text('{f}')) FROM y) SELECT * FROM x",
    "in a recursive CTE": "WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT 1 FROM read_text('{f}')) FROM x",
    "in a subquery": "SELECT * FROM (SELECT * FROM read_text('{f}'))",
    "in an expression": "SELECT (SELECT content FROM read_text('{f}')) AS x",
    "in EXISTS": "SELECT 1 WHERE EXISTS (SELECT * FROM read_text('{f}'))",
    "in a join": "SELECT * FROM kernel JOIN read_text('{f}') ON true",
    "in a comma": "SELECT * FROM kernel, read_text('{f}')",
    "lateral": "SELECT * FROM kernel, LATERAL (SELECT * FROM read_text('{f}'))",
    "in a union": "SELECT 1 AS x UNION ALL SELECT count(*) FROM read_text('{f}')",
    "in ORDER BY": "SELECT 1 AS x ORDER BY (SELECT content FROM read_text('{f}'))",
    "in LIMIT": "SELECT 1 AS x LIMIT (SELECT count(*) FROM read_text('{f}'))",
    "in a window": "SELECT sum(1) OVER (ORDER BY (SELECT size FROM read_text('{f}'))) AS x",
    "in a lambda": "SELECT list_transform([1], x -> (SELECT count(*) FROM read_text('{f}'))) AS x",
    "in FILTER": "SELECT count(*) FILTER (WHERE 1 IN (SELECT size FROM read_text('{f}'))) AS x",
    "in VALUES": "FROM (VALUES ((SELECT content FROM read_text('{f}')))) AS t (x)",
    "pivot": "PIVOT (SELECT * FROM read_text('{f}')) ON size USING count(*)",
    "summarize": "SUMMARIZE SELECT * FROM read_text('{f}')",
    "describe": "DESCRIBE SELECT * FROM read_text('{f}')",
    "from first": "FROM read_text('{f}') SELECT content",
    "plan of a text": "SELECT json_serialize_plan('SELECT * FROM sqlite_scan(''{d}'', ''cake'')') AS x",
    "plan by a dot": "SELECT 'FROM sqlite_scan(''{d}'', ''cake'')'.JSON_SERIALIZE_PLAN() AS x",
    "plan in a lambda": "SELECT list_transform(['FROM glob(''/*'')'], lambda t: json_serialize_plan(t)) AS x",
    "plan qualified": "SELECT system.main.json_serialize_plan('FROM read_text(''{f}'')') AS x",
    "plan in a filter": "SELECT 1 AS x WHERE json_serialize_plan('FROM sqlite_scan(''{d}'', ''cake'')') IS NULL",
    "log": "SELECT write_log('x') AS x",
    "list of databases": "SELECT path FROM duckdb_databases",
    "list of databases by pragma": "SELECT file FROM pragma_database_list",
    "list of databases in upper case": 'SELECT path FROM main."DUCKDB_DATABASES"',
    "list of tables": "SELECT sql FROM sqlite_master",
    "list of temporary tables": "SELECT sql FROM sqlite_temp_master",
    "list of views in a subquery": "SELECT (SELECT max(sql) FROM duckdb_views) AS x",
    "show all": "SHOW ALL TABLES",
    "show databases": "SHOW DATABASES",
    "show in FROM": "SELECT * FROM (SHOW ALL TABLES)",
    "describe nothing": "DESCRIBE",
    "setting": "SELECT current_setting('secret_directory') AS x",
    "setting by a dot": "SELECT 'home_directory'.CURRENT_SETTING() AS x",
    "setting computed": "SELECT current_setting('secret' || '_directory') AS x",
    "setting qualified": "SELECT system.main.current_setting('extension_directory') AS x",
    "other database": "SELECT * FROM file.main.StringIds",
    "other schema": "SELECT * FROM information_schema.tables",
    "other catalog": "SELECT * FROM system.information_schema.tables",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A text file, a database, and a path at which nothing is."""

    folder = tmp_path_factory.mktemp("files")
    files = {"f": folder / "cake.csv", "d": folder / "cake.sqlite", "o": folder / "out.csv"}
    files["f"].write_text(SECRET)
    alter(files["d"], f"CREATE TABLE cake (x TEXT); INSERT INTO cake VALUES ('{SECRET}')")
    return files


WAYS = {**STATEMENTS, **READS}


@pytest.fixture(scope="module")
def asked(
    files: dict[str, Path], story: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Export]:
    """An open export, with each of WAYS as a query of a pack."""
    pack = tmp_path_factory.mktemp("pack")
    for number, text in enumerate(WAYS.values()):
        (pack / f"way_{number}.sql").write_text(HEADER + text.format(**files))
    with nsysql.open(story("two_streams"), packs=[pack]) as run:
        yield run


@pytest.mark.parametrize("way", WAYS)
def test_no_way_around(way: str, files: dict[str, Path], asked: Export) -> None:
    query, before = f"way_{list(WAYS).index(way)}", files["d"].read_bytes()
    for ask in (
        lambda: asked.sql(WAYS[way].format(**files)),
        lambda: asked.query(query),
        lambda: asked.arrow(query),
        lambda: asked.relation(query).fetchall(),
    ):
        with pytest.raises(nsysql.NsysqlError) as refused:
            ask()
        assert SECRET not in str(refused.value)
        assert " Error: " not in str(refused.value), "refused by DuckDB's luck, not by the guard"
    assert asked.cuda_gpu_kern_sum().height == 3
    assert not files["o"].exists()
    assert files["d"].read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        "SELECT name FROM kernel ORDER BY start_ns",
        "FROM kernel SELECT name",
        "SELECT k.name FROM kernel AS k, memcpy AS m WHERE k.start_ns = m.start_ns",
        "SELECT n FROM generate_series(3) AS s (n)",
        "SELECT unnest(range(3)) AS n",
        "SELECT count(*) FROM raw.StringIds",
        'SELECT count(*) FROM "kernel"',
        "SELECT count(*) FROM KERNEL",
        "DESCRIBE kernel",
        "SELECT current_setting('threads') AS n",
        "SUMMARIZE kernel",
        "VALUES (1)",
        "SELECT 'ATTACH; COPY read_csv(1)' AS text -- INSTALL",
    ],
)
def test_what_a_question_needs_is_let_through(text: str, story: Callable[[str], Path]) -> None:
    with nsysql.open(story("two_streams")) as run:
        run.sql(text)


def test_the_refusal_names_file_and_line(story: Callable[[str], Path], tmp_path: Path) -> None:
    path = tmp_path / "somebodys.sql"
    path.write_text(HEADER + "SELECT content AS x FROM read_text('x')")
    with nsysql.open(story("two_streams"), packs=[tmp_path]) as run, pytest.raises(QueryError) as refused:
        run.somebodys()
    assert str(refused.value).startswith(f"{path}:4: the table function read_text is not allowed")


def test_files_are_read_where_allowed(files: dict[str, Path], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("two_streams"), allow_files=True) as run:
        assert run.sql(f"SELECT content FROM read_text('{files['f']}')").item() == SECRET
        with pytest.raises(QueryError, match="no SELECT"):
            run.sql(f"COPY (SELECT 1) TO '{files['o']}'")


def test_python_variables_are_no_tables(story: Callable[[str], Path]) -> None:
    import polars

    mine = polars.DataFrame({"x": [1]})
    with nsysql.open(story("two_streams")) as run, pytest.raises(QueryError, match="mine"):
        run.sql("SELECT x FROM mine")
    assert mine.height == 1
