"""What the file of an open export says of itself: the capture, the tables, and what is wrong with them."""

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path

from nsysql.capture.capture_info import Info, read_info
from nsysql.capture.connection import FAILURES, Engine
from nsysql.capture.data_problems import DataProblems
from nsysql.capture.failures import explain_failure
from nsysql.capture.forms.source import Source
from nsysql.capture.full_read import read_all
from nsysql.capture.payloads import Payloads, read_payloads
from nsysql.capture.session import Session, read_session
from nsysql.errors import QueryError
from nsysql.privacy.launcher import launcher_rank


class ExportFacts:
    """The facts of one open export, each looked up once, when it is asked for."""

    def __init__(self, path: Path, file: Source, engine: Engine) -> None:
        self._path, self._file, self._engine = path, file, engine
        self._problems = DataProblems(file, engine)

    @cached_property
    def info(self) -> Info:
        """What was captured: file, versions, length, tables with rows."""
        with self._file.unchanged.during():
            return read_info(self._file)

    @cached_property
    def session(self) -> Session:
        """When and where the capture was taken."""
        with self._file.unchanged.during():
            return read_session(self._file)

    @cached_property
    def payloads(self) -> Payloads:
        """The payloads of NVTX ranges, as NVIDIA's bytes and the schemas that explain them."""
        with self._file.unchanged.during():
            return read_payloads(self._file)

    @cached_property
    def launcher_rank(self) -> tuple[int, str] | None:
        """The rank that the launcher gave the program, and its variable; nothing else is read of the environment."""
        try:
            return self._engine.run(lambda: launcher_rank(self._engine.plain()[0], self._file))
        except FAILURES as error:
            raise QueryError(f"{self._path} cannot be read: {explain_failure(error) or error}.") from None

    @property
    def tables(self) -> Mapping[str, Mapping[str, str]]:
        """NVIDIA's tables, each with its columns and their types in the file."""
        return {name: columns for name, columns in self._file.tables.items() if not name.startswith("sqlite_")}

    def filled(self, tables: Collection[str]) -> Mapping[str, list[str]]:
        """The columns of these tables, without those that every nsys fills and that have no value in any row."""
        return self._problems.filled(tables)

    @property
    def wrong_cells(self) -> Mapping[str, int]:
        """Tables of which cells of a wrong type were met so far, with the number of such cells."""
        return {table: cells for table, cells in self._engine.layout.raw.bad_cells.items() if cells}

    def problems(self, tables: frozenset[str]) -> list[str]:
        """Sentences on what no export should have in these tables.

        They lack columns that every nsys writes, or names, or have cells of a wrong type; those met so far are named.
        """
        wrong = {table: count for table, count in self.wrong_cells.items() if table in tables}
        cells = [f"{n:,} of the cells of {t} are not of their column's type; read as NULL" for t, n in wrong.items()]
        return [*self._problems.sentences(tables), *cells]

    def read_all(self) -> tuple[dict[str, int], dict[str, str]]:
        """Read every cell that nsysql can ask for: tables with their rows, and those that fail with the reason."""
        try:
            return self._engine.run(lambda: read_all(*self._engine.plain(), self._file))
        except FAILURES as error:
            raise QueryError(f"{self._path} cannot be read: {explain_failure(error) or error}.") from None
