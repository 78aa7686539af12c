"""The answer to a query with all that is to be said about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.catalog.query import Parameter

if TYPE_CHECKING:
    import polars


def _in_python(parameter: Parameter, value: Any) -> str:
    return f"{parameter.name}={value!r}"


@dataclass(frozen=True)
class Answer:
    """Rows of a query, how many it has in all, what was computed without or narrowed to, and what may leave none.

    `chosen` are the parameters that leave rows out, `tables` those with rows that the query needs, `lacking` says what
    the export has not, where that is known to leave no rows.
    """

    frame: "polars.DataFrame"
    total: int
    notes: tuple[str, ...]
    chosen: tuple[tuple[Parameter, Any], ...]
    tables: tuple[str, ...]
    lacking: str | None = None

    def why_none(self, spelled: Callable[[Parameter, Any], str] = _in_python) -> str:
        """Why the answer has no rows, most likely; `spelled` writes a parameter and its value."""
        if self.lacking:
            return f"no rows: {self.lacking}"
        if self.chosen:
            return f"no rows: nothing in this export passes {' '.join(spelled(*one) for one in self.chosen)}."
        if self.tables:
            return f"no rows: this export's {', '.join(self.tables)} rows hold nothing of the kind."
        return "no rows: this export holds nothing of the kind."
