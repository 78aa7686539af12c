"""Read the results of all runs as one table: DuckDB over their Parquet files."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from nsysql.capture import arrow_stream
from nsysql.capture.connection import hide_progress
from nsysql.capture.frame_views import whole_sums
from nsysql.errors import QueryError
from nsysql.fleet.question import RUN
from nsysql.fleet.store import Store
from nsysql.words.sql_text import NOTHING_FETCHED, literal, quoted

if TYPE_CHECKING:
    import polars

Answered = Mapping[str, Sequence[str]]  # the runs that answered a question, by its name
GLOB = re.compile(r"[\[*?]")  # characters that DuckDB takes for a pattern in a path


def rows(
    store: Store, question: str, runs: Sequence[str], memory_limit: str | None = None, most: int | None = None
) -> "polars.DataFrame":
    """The rows of a question, by run in the given order, then in the query's order; the first column is `run`.

    All of them, or the first `most`.
    """
    with _connected(store, {question: runs}, memory_limit) as con:
        return arrow_stream.frame(arrow_stream.ask(con, f"FROM {quoted(question)} LIMIT $most", {"most": most}))


def select(
    store: Store, answered: Answered, text: str, parameters: Mapping[str, Any] | None, memory_limit: str | None = None
) -> "polars.DataFrame":
    """The result of one SELECT over the rows of all runs, with a table per question. Raises QueryError."""
    with _connected(store, answered, memory_limit) as con:
        try:
            statements = con.extract_statements(text)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise QueryError("sql: it takes one SELECT, and nothing else.")
            return whole_sums(arrow_stream.frame(con.sql(text, params=dict(parameters or {}) or None)))
        except duckdb.Error as error:
            raise QueryError(f"sql: {str(error).strip()}") from None


@contextmanager
def _connected(store: Store, answered: Answered, memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB connection with a view per question, which can read only the folder of results."""
    with ExitStack() as stack:
        folder = store.folder.resolve()
        if GLOB.search(str(folder)):
            link = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nsysql-"))) / "answers"
            link.symlink_to(folder, target_is_directory=True)
            folder = link
        con = stack.enter_context(duckdb.connect(config=dict(NOTHING_FETCHED)))
        hide_progress(con)
        con.execute("SET python_enable_replacements = false")
        if memory_limit:
            con.execute(f"SET memory_limit = {literal(memory_limit)}")
        for question, runs in answered.items():
            if runs:
                _create(con, Store(folder), question, runs)
        con.execute(f"SET allowed_directories = [{literal(str(folder))}]")
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        yield con


def _create(con: duckdb.DuckDBPyConnection, store: Store, question: str, runs: Sequence[str]) -> None:
    """A view of the question's rows with the run's name, in order."""
    import pyarrow as pa

    files = [str(store.rows(question, run)) for run in runs]
    con.register("_given", pa.table({"file": files, RUN: list(runs), "place": list(range(len(runs)))}))
    name = quoted(f"_file of {question}")
    con.execute(f"CREATE TEMP TABLE {name} AS FROM _given")
    con.unregister("_given")
    con.execute(
        f"CREATE TEMP VIEW {quoted(question)} AS "
        f"SELECT f.{RUN}, p.* EXCLUDE (_file, file_row_number) FROM read_parquet("
        f"[{', '.join(map(literal, files))}], filename = '_file', file_row_number = true, hive_partitioning = false) p "
        f"JOIN {name} f ON f.file = p._file ORDER BY f.place, p.file_row_number"
    )
