"""Queries whose rows people read in a form of their own: what a terminal draws of them, and what they say for NULL."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

    from nsysql.cli.rows import Draw

SHOWN_TOP = 20  # rows of a table, or of a drawing, for queries that take `top`
Values = Mapping[str, Any]  # of the query's parameters


@dataclass(frozen=True)
class QueryForm:
    """`is_drawn`: whether a terminal gets a drawing with these values; `draw` makes it of the rows that `top` chooses.

    `more` says how to see the others; `read` gives rows as a table for people has them.
    """

    is_drawn: Callable[[Values], bool]
    draw: Callable[[Values, int | None], "Draw"]
    more: str
    read: Callable[["polars.DataFrame", Values], "polars.DataFrame"]


def _operator_tree(values: Values, top: int | None) -> "Draw":
    from nsysql.render.operator_tree import write

    return partial(write, sort=values["sort"], top=top)


def _with_nowhere(rows: "polars.DataFrame", values: Values) -> "polars.DataFrame":
    """The rows of `operators` with words for what lies in no range."""
    return rows.with_columns(rows["name"].fill_null("(no module)" if values["by"] == "module" else "(no range)"))


FORMS = {  # by query
    "operators": QueryForm(
        is_drawn=lambda values: values["by"] == "path",
        draw=_operator_tree,
        more=f"the first {SHOWN_TOP} paths in those around them; --top COUNT shows more, --top 0 all.",
        read=_with_nowhere,
    ),
}
