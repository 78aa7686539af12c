"""A query as a command: its parameters as options, its header as help."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from inspect import Parameter as Argument
from typing import TYPE_CHECKING, Any

import typer

from nsysql.catalog.filters import with_filters
from nsysql.catalog.parameters import MOMENTS, has_no_unit, read_ns
from nsysql.catalog.query_file import Parameter, Query
from nsysql.cli.options import TAKEN, option
from nsysql.cli.rows import Draw, OutputOptions, QueryResult, is_drawn, more_rows, row_command
from nsysql.errors import PackError, UsageError

if TYPE_CHECKING:
    import polars

    from nsysql.export import Export

    Rows = tuple[polars.DataFrame, str | None]  # what is shown, and how to see more

UNITS = "With a unit: 1.5ms, 2s, 250ns."
TREE = "operators"  # the query whose paths are a tree on a terminal
SHOWN_TOP = 20  # rows of a table for queries that take `top`
KINDS = {
    "BIGINT": (int, "COUNT"),
    "INTEGER": (int, "COUNT"),
    "DOUBLE": (float, "NUMBER"),
}


def query_command(query: Query) -> Callable[..., None]:
    """The function of the query's command, its signature made from the header.

    Raises PackError where a parameter cannot be an option.
    """
    parameters = with_filters(query)
    _refuse_what_is_no_option(query)

    def ask(run: "Export", giving: OutputOptions, /, **given: Any) -> QueryResult:
        values = {p.name: _value(p, given[p.name]) for p in parameters}
        drawn = None
        if query.name == TREE and values.get("by") == "path" and is_drawn(giving):
            frame, more, drawn = _tree(run, query, values, chosen=given["top"] is not None)
        elif giving.form == "table" and giving.limit is None and "top" in values:
            frame, more = _top(run, query, values, chosen=given["top"] is not None)
        else:
            frame, more = _head(run, query, values, giving.rows)
        notes = [] if giving.quiet else [*_narrowed(run, values), *run.notes(query.name)]
        return QueryResult(frame, notes, _why_none(query, run, values), more, drawn)

    return row_command(ask, [_option(p) for p in parameters])


def _narrowed(run: "Export", values: dict[str, Any]) -> list[str]:
    """Which NVTX range was meant, where several have the name; which steps."""
    if values.get("steps") is not None:
        return [f"narrowed to {run.find_steps(values['steps'], values.get('step_range'))}."]
    found = run.find_range(values["nvtx"]) if values.get("nvtx") is not None else None
    return [f"narrowed to {found}."] if found and found.count > 1 else []


def _top(run: "Export", query: Query, values: dict[str, Any], chosen: bool) -> "Rows":
    """The rows that `top` chooses; a few where nobody chose."""
    if chosen:
        return run.query(query.name, **values), None
    frame = run.query(query.name, **{**values, "top": SHOWN_TOP + 1})
    if frame.height <= SHOWN_TOP:
        return frame, None
    return frame.head(SHOWN_TOP), f"the first {SHOWN_TOP} rows; --top COUNT shows more, --top 0 all."


def _tree(
    run: "Export", query: Query, values: dict[str, Any], chosen: bool
) -> "tuple[polars.DataFrame, str | None, Draw]":
    """All rows, of which those are drawn that `top` chooses, in the paths around them."""
    from nsysql.render.operator_tree import write

    frame = run.query(query.name, **{**values, "top": None})
    top = values["top"] if chosen else SHOWN_TOP
    more = f"the first {SHOWN_TOP} paths in those around them; --top COUNT shows more, --top 0 all."
    is_more = not chosen and frame.height > SHOWN_TOP
    return frame, more if is_more else None, partial(write, sort=values["sort"], top=top)


def _head(run: "Export", query: Query, values: dict[str, Any], rows: int) -> "Rows":
    """The first rows; 0 is all."""
    if rows == 0:
        return run.query(query.name, **values), None
    frame, total = run.head(query.name, rows, **values)
    return frame, more_rows(total - frame.height)


def _value(p: Parameter, given: Any) -> Any:
    if p.name == "top" and p.default is None and given == 0:
        return None
    return given.value if isinstance(given, StrEnum) else given


def _why_none(query: Query, run: "Export", values: dict[str, Any]) -> str:
    """Why the answer has no rows, most likely."""
    chosen = (p for p in with_filters(query) if values[p.name] != p.default or p.name == MOMENTS)
    asked = [(option_name(p), values[p.name]) for p in chosen]
    if asked:
        options = " ".join(name if value is True else f"{name} {value}" for name, value in asked)
        return f"no rows: nothing in this export passes {options}."
    tables = [name for need in query.needs for name in need if run.has(name)]
    if tables:
        return f"no rows: this export's {', '.join(dict.fromkeys(tables))} rows hold nothing of the kind."
    return "no rows: this export holds nothing of the kind."


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
    return option(p.name, kind, default, spelled, help=p.doc, metavar=metavar)


def _refuse_what_is_no_option(query: Query) -> None:
    spelled = [option_name(p) for p in with_filters(query)]
    for p in query.parameters:
        if p.name in TAKEN or spelled.count(option_name(p)) > 1:
            raise PackError(f"{query.path}: the option {option_name(p)} is taken; give {p.name} another name.")


def option_name(p: Parameter) -> str:
    """How the command line spells a parameter: min_gap_ns is --min-gap."""
    return "--" + p.name.removesuffix("_ns").replace("_", "-")


def as_ns(text: str | None) -> int | None:
    """A time of the command line in ns."""
    if text and has_no_unit(text):
        raise typer.BadParameter(f"{text} has no unit; write {text}s or {text}ns.")
    try:
        return None if text is None else read_ns(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from None
