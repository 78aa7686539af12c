"""A query as a command: its parameters as options, its header as help."""

import re
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from inspect import Parameter as Argument
from typing import TYPE_CHECKING, Any

from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.cli.options import TAKEN, UNITS, as_ns, columns, nvtx_names, option
from nsysql.cli.rows import Call, known_column, more_rows, row_command
from nsysql.errors import PackError
from nsysql.render.page_views import Draw, Rows

if TYPE_CHECKING:
    import polars

    from nsysql.capture.answer import Answer
    from nsysql.capture.export import Export

SHOWN_TOP = 20  # rows of a table, or of a drawing, for queries that take `top`


SORT = option(
    "sort", str, None, "--sort", metavar="COLUMN", autocompletion=columns,
    help="Order rows by a column: texts, ids and starts upwards, all else from the largest.",
)  # fmt: skip
UPWARDS = re.compile(r"(.*_)?(id|start_ns|end_ns|step)")
TREE = "operators"  # the query whose answer is a tree, which is drawn on terminals
FOR_READING = ("table", "markdown")  # formats in which it has words for what lies in no range
MORE_PATHS = f"the first {SHOWN_TOP} paths in those around them; --top COUNT shows more, --top 0 all."
MORE_TOP = f"the first {SHOWN_TOP} rows; --top COUNT shows more, --top 0 all."
KINDS = {"BIGINT": (int, "COUNT"), "INTEGER": (int, "COUNT"), "DOUBLE": (float, "NUMBER")}


def query_command(query: Query) -> Callable[..., None]:
    """The function of the query's command, with a signature made from the header.

    Raises PackError if a parameter cannot be an option.
    """
    parameters = with_filters(query)
    spelled = [option_name(p) for p in parameters]
    for p in query.parameters:
        if p.name in TAKEN or spelled.count(option_name(p)) > 1:
            raise PackError(f"{query.path}: the option {option_name(p)} is taken; give {p.name} another name.")

    def ask(run: "Export", call: Call, /, **options: Any) -> Rows:
        values = {p.name: _value(p, options[p.name]) for p in parameters}
        is_chosen = options.get("top") is not None
        if query.name == TREE and values["by"] == "path" and call.is_drawn:
            return _tree(run, values, is_chosen)
        takes_top = "top" in values and call.form == "table" and call.limit is None
        if SORT.name not in values and options[SORT.name]:
            column = known_column(options[SORT.name], query.column_names)
            answer = run.answer(query.name, **values)
            shown = _sorted(answer.frame, column).head(call.rows or answer.total)
            return replace(_result(answer, shown, more_rows(answer.total - shown.height)), first=(column, *query.first))
        if takes_top and not is_chosen:
            answer = run.answer(query.name, **{**values, "top": SHOWN_TOP + 1})
            more = MORE_TOP if answer.total > SHOWN_TOP else None
        else:
            answer = run.answer(query.name, None if takes_top else call.rows or None, **values)
            more = more_rows(answer.total - answer.frame.height)
        frame = answer.frame.head(SHOWN_TOP) if more == MORE_TOP else answer.frame
        if query.name == TREE and call.form in FOR_READING:
            nowhere = "(no module)" if values["by"] == "module" else "(no range)"
            frame = frame.with_columns(frame["name"].fill_null(nowhere))
        return replace(_result(answer, frame, more), first=(str(values.get("sort") or ""), *query.first))

    options = [_option(p) for p in parameters]
    return row_command(ask, options if any(p.name == SORT.name for p in parameters) else [*options, SORT])


def _sorted(frame: "polars.DataFrame", by: str) -> "polars.DataFrame":
    """The rows in order of a column; those that are alike there stay in the query's order."""
    from polars import String

    is_up = frame.schema[by] == String or UPWARDS.fullmatch(by) is not None
    return frame.sort(by, descending=not is_up, nulls_last=True, maintain_order=True)


def _result(answer: "Answer", frame: "polars.DataFrame", more: str | None, drawn: Draw | None = None) -> Rows:
    return Rows(frame, list(answer.notes), answer.why_none(_as_option), more, drawn)


def _tree(run: "Export", values: dict[str, Any], is_chosen: bool) -> Rows:
    """All paths of `operators`, drawn as a tree: those that `top` chooses, in those around them."""
    from nsysql.render.operator_tree import write

    answer = run.answer(TREE, **{**values, "top": None})
    top = values["top"] if is_chosen else SHOWN_TOP
    more = None if is_chosen or answer.total <= SHOWN_TOP else MORE_PATHS
    return _result(answer, answer.frame, more, partial(write, sort=values["sort"], top=top))


def _value(p: Parameter, value: Any) -> Any:
    if p.name == "top" and p.default is None and value == 0:
        return None
    return value.value if isinstance(value, StrEnum) else value


def _as_option(p: Parameter, value: Any) -> str:
    """A parameter as given on the command line."""
    return option_name(p) if value is True else f"{option_name(p)} {value}"


def _option(p: Parameter) -> Argument:
    """The option of a parameter. BOOLEAN is a flag, ENUM a choice, a parameter in ns takes units."""
    spelled = option_name(p)
    default: Any = p.default
    if p.choices:
        choices = StrEnum(p.name, [(f"choice{i}", c) for i, c in enumerate(p.choices)])  # type: ignore[misc]
        return option(p.name, choices, default and choices(default), spelled, help=p.doc)
    if p.name.endswith("_ns") and p.type in ("BIGINT", "INTEGER"):
        default = None if default is None else f"{default}ns" if default else "0"
        return option(p.name, str, default, spelled, help=f"{p.doc} {UNITS}", metavar="TIME", callback=as_ns)
    if p.type == "BOOLEAN":
        spelled = f"{spelled}/--no-{spelled[2:]}" if default else spelled
        return option(p.name, bool, default, spelled, help=p.doc)
    kind, metavar = KINDS.get(p.type, (str, "TEXT"))
    names = {"autocompletion": nvtx_names} if p.name == "nvtx" else {}
    return option(p.name, kind, default, spelled, help=p.doc, metavar=metavar, **names)


def option_name(p: Parameter) -> str:
    """The option for a parameter: min_gap_ns is --min-gap."""
    return "--" + p.name.removesuffix("_ns").replace("_", "-")
