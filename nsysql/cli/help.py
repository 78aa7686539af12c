"""Help as plain text: sections by heading, texts of query files taken literally, never as markup."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from nsysql.catalog.query import Query

TEXTS = list[str]


class UntypedOptions:
    """Skips typer's conversion for options that are absent, or already of the right type.

    Typer converts with pydantic, whose import takes longer than many queries. Absent options, text and paths need no
    conversion; numbers and choices get typer's, with its messages.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's options, including --help."""
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
        """The value converted to its option's type."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if isinstance(self._kind, type) and isinstance(value, self._kind):
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
        """Options in brackets, arguments by their names."""
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
    if query.same_as:
        formatter.write_paragraph()
        formatter.write_text(f"Same as `{query.same_as}`.")


def help_text(query: Query) -> str:
    """The query's description as text for the help page; indented lines are kept as they are."""
    paragraphs = [query.summary, *query.about.split("\n\n")]
    return "\n\n".join(f"\b\n{p}" if "\n    " in f"\n{p}" else p for p in paragraphs if p.strip())
