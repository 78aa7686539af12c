"""Questions asked in a thread and on a cursor of their own, while the main thread goes on with others."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nsysql.capture.connection import FAILURES

if TYPE_CHECKING:
    import duckdb
    import polars

PATIENCE = 3  # tenths of a second
Question = tuple[str, str, dict[str, Any]]  # a query's name, its SQL and its values


class BackgroundQueries:
    """The answers to some questions, asked one after the other; `ask` answers what fails, and any other one."""

    def __init__(
        self,
        con: "duckdb.DuckDBPyConnection",
        questions: list[Question],
        ask: "Callable[[str], polars.DataFrame]",
        check: Callable[[], None] = lambda: None,
        keep: "Callable[[str, polars.DataFrame], None]" = lambda name, found: None,
    ) -> None:
        self._con = con
        self._ask_openly = ask
        self._keep = keep  # called with an answer when it is asked for
        self._check = check  # raises where the export is no longer the one that was opened
        self._answers: dict[str, polars.DataFrame] = {}
        self._done = {name: threading.Event() for name, _, _ in questions}
        self._thread = threading.Thread(target=self._ask, args=[questions], daemon=True)
        self._thread.start()

    def answer(self, name: str) -> "polars.DataFrame":
        """The answer to that question, waited for if need be. Raises what asking it in the open raises."""
        found = self.waited_for(name)
        if found is None:
            return self._ask_openly(name)
        self._keep(name, found)
        return found

    def waited_for(self, name: str) -> "polars.DataFrame | None":
        """The same, None where asking failed."""
        if name in self._done:
            while not self._done[name].wait(0.1):  # where Ctrl-C is heard
                pass
        self._check()
        return self._answers.get(name)

    def stop(self) -> None:
        """Ask no more, and come back when nothing runs, or soon."""
        for _ in range(PATIENCE):
            if self._thread.is_alive():
                self._con.interrupt()
                self._thread.join(0.1)

    def _ask(self, questions: list[Question]) -> None:
        try:
            for name, sql, values in questions:
                self._answers[name] = self._con.execute(sql, values).pl()
                self._done[name].set()
        except (*FAILURES, MemoryError):
            pass  # it and the rest are asked in the open, where a fault is mended or reported
        finally:
            for done in self._done.values():
                done.set()
