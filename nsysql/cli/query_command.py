"""A query as a command: its parameters as options, its header as help.

Help is plain text: sections by heading, texts of query files taken literally, never as markup.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from typer.core import TyperCommand

from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.cli.options import TAKEN, UNITS, as_ns, choice, columns, nvtx_names, option
from nsysql.cli.rows import Call, known_column, more_rows, row_command
from nsysql.errors import PackError
from nsysql.render.page_views import Draw, Rows

if TYPE_CHECKING:
    import polars

    from nsysql.capture.answer import Answer
    from nsysql.capture.export import Export

TEXTS = list[str]


class UntypedOptions:
    """Skips typer's conversion for options that are absent, or already of the right type.

    Typer converts with pydantic, whose import takes longer than many queries. Absent options, text and paths need no
    conversion; numbers and choices get typer's, with its messages.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if hasattr(param, "type_descriptor") and hasattr(param, "get_runtime_param"):
                light = UntypedOption(param.type_descriptor.annotation, type(param).get_runtime_param)
                param.get_runtime_param = lambda light=light: light
        return params


class UntypedOption:
    """Stands in for typer's converter of one option; `full` creates typer's own when it is needed."""

    def __init__(self, kind: Any, full: Any) -> None:
        self._kind, self._full = kind, full

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if value in get_args(self._kind) or (isinstance(self._kind, type) and isinstance(value, self._kind)):
            return value
        if self._kind is Path and isinstance(value, str):
            return Path(value)
        if self._kind == TEXTS and not isinstance(value, str):
            return list(value)
        return self._full(param).coerce(value, param=param, ctx=ctx)


# Options in nsys's style: without a value (`--force-overwrite`), or with several (`--with b1 b2`).
Implied = Mapping[str, tuple[str, tuple[str, ...]]]  # by option: the default value, the values it can have (none: any)


def completed(arguments: list[str], implied: Implied) -> list[str]:
    """The arguments with default values inserted.

    >>> completed(["--help-reports", "-q"], {"--help-reports": ("", ())})
    ['--help-reports', '', '-q']
    """
    done: list[str] = []
    for i, argument in enumerate(arguments):
        done.append(argument)
        if argument == "--":
            return done + arguments[i + 1 :]
        value, known = implied.get(argument, (None, ()))
        following = arguments[i + 1] if i + 1 < len(arguments) else "-"
        is_given = not following.startswith("-") and (not known or following.lower() in known)
        if value is not None and not is_given:
            done.append(value)
    return done


def repeated(arguments: list[str], several: Collection[str]) -> list[str]:
    """The arguments with an option of several values repeated before each of them.

    >>> repeated(["a", "--with", "b", "c", "-q"], {"--with"})
    ['a', '--with', 'b', '--with', 'c', '-q']
    """
    done: list[str] = []
    option = None
    for i, argument in enumerate(arguments):
        if argument.startswith("-") and argument != "-":
            option = argument if argument in several else None
        elif option and arguments[i - 1] != option:
            done.append(option)
        done.append(argument)
    return done


WIDTH = 100  # widest help text, in columns


class PlainCommand(UntypedOptions, TyperCommand):
    """A command whose help has its options in sections, and a query's columns after them."""

    query: Query | None = None
    implied: Implied = {}  # noqa: RUF012
    several: frozenset[str] = frozenset()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments: options with an optional value get its default, those with several are repeated."""
        return super().parse_args(ctx, repeated(completed(args, self.implied), self.several))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = (p for p in self.get_params(ctx) if p.param_type_name == "argument")
        return ["[OPTIONS]", *(_shown(p) for p in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, own options, common options, then the columns of the result."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for p in self.get_params(ctx):
            if p.param_type_name == "argument":
                sections["Arguments"].append((_shown(p), getattr(p, "help", None) or ""))
            elif record := p.get_help_record(ctx):
                heading = getattr(p, "rich_help_panel", None) or ("Output" if p.name == "help" else "Options")
                sections.setdefault(heading, []).append((record[0], record[1].replace("\\[", "[")))
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records, col_max=24)
        if self.query:
            _columns(self.query, formatter)


def _shown(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _columns(query: Query, formatter: Any) -> None:
    """The columns of the result, and NVIDIA's titles for them."""
    with formatter.section("Columns"):
        formatter.write_dl([(c.name, f"{c.type}. {c.doc}") for c in query.columns], col_max=28)
    formatter.write_paragraph()
    formatter.write_text(f'Some of the rows: nsysql sql run.sqlite "FROM {query.name} WHERE ..."')
    if query.same_as:
        formatter.write_paragraph()
        formatter.write_text(f"Same as `{query.same_as}`.")


def help_text(query: Query) -> str:
    """The query's description as text for the help page; indented lines are kept as they are."""
    paragraphs = [query.summary, *query.about.split("\n\n")]
    return "\n\n".join(f"\b\n{p}" if "\n    " in f"\n{p}" else p for p in paragraphs if p.strip())


SHOWN_TOP = 20  # rows of a table, or of a drawing, for queries that take `top`


SORT = option(
    None, "--sort", kind=str, metavar="COLUMN", autocompletion=columns,
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
        if not TAKEN.isdisjoint({p.name, p.name.removesuffix("_ns")}) or spelled.count(option_name(p)) > 1:
            raise PackError(f"{query.path}: the option {option_name(p)} is taken; give {p.name} another name.")

    def ask(run: "Export", call: Call, /, **options: Any) -> Rows:
        values = {p.name: options[p.name] for p in parameters}
        is_chosen = values.get("top") is not None
        if any(p.name == "top" and p.default is None for p in parameters):
            values["top"] = values["top"] or None  # 0 keeps all
        if query.name == TREE and values["by"] == "path" and call.is_drawn:
            return _tree(run, values, is_chosen)
        takes_top = "top" in values and call.form == "table" and call.limit is None
        if SORT.name not in values and options[SORT.name]:
            column = known_column(options[SORT.name], query.column_names)
            answer = run.answer(query.name, **values)
            is_up = str(answer.frame.schema[column]) == "String" or UPWARDS.fullmatch(column) is not None
            rows = answer.frame.sort(column, descending=not is_up, nulls_last=True, maintain_order=True)
            shown = rows.head(call.rows or answer.total)
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


def _result(answer: "Answer", frame: "polars.DataFrame", more: str | None, drawn: Draw | None = None) -> Rows:
    def spelled(p: Parameter, value: Any) -> str:
        unit = "ns" if p.name.endswith("_ns") else ""
        return option_name(p) if value is True else f"{option_name(p)} {value}{unit}"

    return Rows(frame, list(answer.notes), answer.why_none(spelled), more, drawn)


def _tree(run: "Export", values: dict[str, Any], is_chosen: bool) -> Rows:
    """All paths of `operators`, drawn as a tree: those that `top` chooses, in those around them."""
    from nsysql.render.operator_tree import write

    answer = run.answer(TREE, **{**values, "top": None})
    top = values["top"] if is_chosen else SHOWN_TOP
    more = None if is_chosen or answer.total <= SHOWN_TOP else MORE_PATHS
    return _result(answer, answer.frame, more, partial(write, sort=values["sort"], top=top))


def _option(p: Parameter) -> Any:
    """The option of a parameter. BOOLEAN is a flag, ENUM a choice, a parameter in ns takes units."""
    spelled = option_name(p)
    default: Any = p.default
    if p.choices:
        return choice(p.choices, default, spelled, name=p.name, help=p.doc)
    if p.name.endswith("_ns") and p.type in ("BIGINT", "INTEGER"):
        default = None if default is None else f"{default}ns" if default else "0"
        about = {"help": f"{p.doc} {UNITS}", "metavar": "TIME", "callback": as_ns}
        return option(default, spelled, kind=str, name=p.name, **about)
    if p.type == "BOOLEAN":
        spelled = f"{spelled}/--no-{spelled[2:]}" if default else spelled
        return option(default, spelled, kind=bool, name=p.name, help=p.doc)
    kind, metavar = KINDS.get(p.type, (str, "TEXT"))
    names = {"autocompletion": nvtx_names} if p.name == "nvtx" else {}
    is_top = p.name == "top" and default is None
    doc = p.doc.replace("NULL keeps all.", f"0 keeps all; default for tables: {SHOWN_TOP}.") if is_top else p.doc
    return option(default, spelled, kind=kind, name=p.name, help=doc, metavar=metavar, **names)


def option_name(p: Parameter) -> str:
    """The option for a parameter: min_gap_ns is --min-gap."""
    return "--" + p.name.removesuffix("_ns").replace("_", "-")
