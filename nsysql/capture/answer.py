"""Define the answer to a query: its rows with notes about them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.catalog.query import Parameter

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Answer:
    """The rows of a query with its total row count, notes, and what explains an answer without rows.

    `chosen` are the parameters that filter rows, `tables` those with rows that the query needs; `lacking` says what is
    missing from the export if that is known to be the reason for no rows.
    """

    frame: "polars.DataFrame"
    total: int
    notes: tuple[str, ...]
    chosen: tuple[tuple[Parameter, Any], ...]
    tables: tuple[str, ...]
    lacking: str | None = None

    def why_none(self, spelled: Callable[[Parameter, Any], str] = lambda p, value: f"{p.name}={value!r}") -> str:
        """Say why the answer most likely has no rows; `spelled` writes a parameter and its value."""
        if self.lacking:
            return f"no rows: {self.lacking}"
        if self.chosen:
            return f"no rows: nothing in this export passes {' '.join(spelled(*one) for one in self.chosen)}."
        if self.tables:
            return f"no rows: this export's {', '.join(self.tables)} rows hold nothing of the kind."
        return "no rows: this export holds nothing of the kind."
