"""A query as a command: its parameters as options, its header as help."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from inspect import Parameter as Argument
from typing import TYPE_CHECKING, Any

import typer

from nsysql.catalog.parameters import has_no_unit, read_ns, with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.cli.completion import columns, nvtx_names
from nsysql.cli.options import TAKEN, option
from nsysql.cli.rows import Draw, OutputOptions, QueryResult, is_drawn, known_column, more_rows, row_command
from nsysql.errors import PackError, UsageError

if TYPE_CHECKING:
    import polars

    from nsysql.capture.answer import Answer
    from nsysql.capture.export import Export

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


SORT = option(
    "sort", str, None, "--sort", metavar="COLUMN", autocompletion=columns,
    help="Order rows by a column: texts, ids and starts upwards, all else from the largest.",
)  # fmt: skip
UPWARDS = re.compile(r"(.*_)?(id|start_ns|end_ns|step)")
UNITS = "With a unit: 1.5ms, 2s, 250ns."
FOR_READING = ("table", "markdown")  # formats in which a query's own form is shown
MORE_TOP = f"the first {SHOWN_TOP} rows; --top COUNT shows more, --top 0 all."
KINDS = {
    "BIGINT": (int, "COUNT"),
    "INTEGER": (int, "COUNT"),
    "DOUBLE": (float, "NUMBER"),
}


def query_command(query: Query) -> Callable[..., None]:
    """The function of the query's command, with a signature made from the header.

    Raises PackError if a parameter cannot be an option.
    """
    parameters = with_filters(query)
    _refuse_what_is_no_option(query)

    def ask(run: "Export", giving: OutputOptions, /, **given: Any) -> QueryResult:
        values = {p.name: _value(p, given[p.name]) for p in parameters}
        is_chosen = given.get("top") is not None
        form = FORMS.get(query.name)
        if form and form.is_drawn(values) and is_drawn(giving):
            return _drawn(run, query, form, values, is_chosen)
        takes_top = "top" in values and giving.form == "table" and giving.limit is None
        if SORT.name not in values and given[SORT.name]:
            column = known_column(given[SORT.name], query.column_names)
            answer = run.answer(query.name, **values)
            shown = _sorted(answer.frame, column).head(giving.rows or answer.total)
            return replace(_result(answer, shown, more_rows(answer.total - shown.height)), first=(column, *query.first))
        if takes_top and not is_chosen:
            answer = run.answer(query.name, **{**values, "top": SHOWN_TOP + 1})
            more = MORE_TOP if answer.total > SHOWN_TOP else None
        else:
            answer = run.answer(query.name, None if takes_top else giving.rows or None, **values)
            more = more_rows(answer.total - answer.frame.height)
        frame = answer.frame.head(SHOWN_TOP) if more == MORE_TOP else answer.frame
        found = _result(answer, form.read(frame, values) if form and giving.form in FOR_READING else frame, more)
        return replace(found, first=(str(values.get("sort") or ""), *query.first))

    options = [_option(p) for p in parameters]
    return row_command(ask, options if any(p.name == SORT.name for p in parameters) else [*options, SORT])


def _sorted(frame: "polars.DataFrame", by: str) -> "polars.DataFrame":
    """The rows in order of a column; those that are alike there stay in the query's order."""
    from polars import String

    is_up = frame.schema[by] == String or UPWARDS.fullmatch(by) is not None
    return frame.sort(by, descending=not is_up, nulls_last=True, maintain_order=True)


def _result(answer: "Answer", frame: "polars.DataFrame", more: str | None, drawn: "Draw | None" = None) -> QueryResult:
    return QueryResult(frame, list(answer.notes), answer.why_none(_as_option), more, drawn)


def _drawn(run: "Export", query: Query, form: QueryForm, values: dict[str, Any], is_chosen: bool) -> QueryResult:
    """All rows, with a drawing of those that `top` chooses."""
    answer = run.answer(query.name, **{**values, "top": None})
    top = values["top"] if is_chosen else SHOWN_TOP
    more = None if is_chosen or answer.total <= SHOWN_TOP else form.more
    return _result(answer, answer.frame, more, form.draw(values, top))


def _value(p: Parameter, given: Any) -> Any:
    if p.name == "top" and p.default is None and given == 0:
        return None
    return given.value if isinstance(given, StrEnum) else given


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


def _refuse_what_is_no_option(query: Query) -> None:
    spelled = [option_name(p) for p in with_filters(query)]
    for p in query.parameters:
        if p.name in TAKEN or spelled.count(option_name(p)) > 1:
            raise PackError(f"{query.path}: the option {option_name(p)} is taken; give {p.name} another name.")


def option_name(p: Parameter) -> str:
    """The option for a parameter: min_gap_ns is --min-gap."""
    return "--" + p.name.removesuffix("_ns").replace("_", "-")


def as_ns(text: str | None) -> int | None:
    """A time of the command line in ns."""
    if text and has_no_unit(text):
        raise typer.BadParameter(f"{text} has no unit; write {text}s or {text}ns.")
    try:
        return None if text is None else read_ns(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from None


def time(name: str, spelled: str, help: str) -> Argument:
    """An option that takes a time with its unit."""
    return option(name, str, None, spelled, metavar="TIME", callback=as_ns, help=f"{help} {UNITS}")


NARROWING = [
    time("start", "--start", "Narrow the page to what is in progress at this time or later."),
    time("end", "--end", "Narrow the page to what starts before this time."),
    option(
        "nvtx", str, None, "--nvtx", metavar="TEXT", autocompletion=nvtx_names,
        help="Narrow the page to NVTX ranges: NAME[@DOMAIN], all of that name; NAME/0, the first. Busy and idle time "
        "stay those of the whole GPU; calls, kernels and copies are those of the range's process.",
    ),
    option(
        "steps", str, None, "--steps", metavar="TEXT",
        help="Narrow the page to steps of the program: steady, 5, or 5:10 with both. See nsysql steps.",
    ),
    option("step_range", str, None, "--step-range", metavar="TEXT", help="The NVTX range that marks the steps."),
]  # fmt: skip
