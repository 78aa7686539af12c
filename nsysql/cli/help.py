"""Help as plain text: sections by heading, texts of query files taken literally, never as markup."""

from typing import Any

from typer.core import TyperCommand

from nsysql.catalog.query import Query
from nsysql.cli.fast_options import UntypedOptions
from nsysql.cli.implied_values import Implied, completed, repeated

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
