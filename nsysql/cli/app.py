"""The `nsysql` command and its subcommands, each created when it is needed."""

from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nsysql.catalog.header import is_own
from nsysql.catalog.packs import find_packs, query_paths
from nsysql.catalog.query_file import read_query
from nsysql.cli.options import packs
from nsysql.cli.query_command import WIDTH, PlainCommand, UntypedOptions, help_text, query_command
from nsysql.errors import UsageError, escaped, suggestion

# `nsysql --help`: the commands by purpose. A command that is not just a query names the module of `commands` with its
# function, which is imported when the command is run or its help is asked for; it hides a query of its name.
COMMANDS = {
    "Look": {
        "summary:pages": "what limits the run, what to do, what that saves",
        "findings:pages explain:pages": "all advice; the rule behind one",
        "idle-gaps:pages": "why the GPU was idle, and the longest gaps",
        "steps:pages": "how long a step takes; why some are slow",
        "operators lines:pages": "cost by operator or NVTX range; by source line",
        "memory occupancy metrics": "GPU memory in use; what limits a launch; GPU metrics",
        "doctor:pages": "what the export lacks, and how to record it",
    },
    "Compare": {
        "compare:compare what-if:pages": "did a change help, beyond noise; what would help",
        "ranks:jobs runs:runs digest:compare": "the late rank; many exports; a small file for one",
    },
    "Pictures": {
        "report:jobs": "everything in one HTML file: -o report.html",
        "timeline:pictures flame:pictures trace:jobs": "terminal or SVG; flame graph; for ui.perfetto.dev",
    },
    "Ask": {
        "sql:queries query": "your own SELECT; a query",
        "list:queries show:queries check:queries": "all queries; their SQL; mistakes in yours",
    },
    "Files": {
        "record:record": "the nsys command for a good capture",
        "convert:files redact:files cache:files": "a faster form; a copy without names; exports of reports",
    },
    "Agents": {"mcp:agents skill:agents": "a server; instructions"},
    "As nsys": {"stats:nsys analyze:nsys verify:nsys": "same output; a comparison"},
}
GROUPS = {heading: [word.partition(":")[0] for word in " ".join(of).split()] for heading, of in COMMANDS.items()}
OWN = dict(word.split(":") for of in COMMANDS.values() for word in " ".join(of).split() if ":" in word)
QUERY = "query"  # `nsysql query NAME` runs a query, as `nsysql NAME` does


class QueryGroup(UntypedOptions, TyperGroup):
    """A group of the queries, each command created when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_queries(ctx))

    def get_command(self, ctx: Any, name: str) -> Any:
        """The query of this name, with hyphens or underscores, or None."""
        spelled = name.replace("_", "-")
        path = _queries(ctx).get(spelled)
        if path is None:
            return None
        query = read_query(path)
        command = _command(spelled, query_command(query), help_text(query))
        command.query = query
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The query that the arguments name. Raises UsageError, suggesting similar names."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            offer = _offer(args[0].replace("_", "-"), self.list_commands(ctx))
            raise UsageError(f"There is no query {args[0]!r}; see `nsysql list`.{offer}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Nothing: they are too many for a help page."""

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        return super().shell_complete(ctx, incomplete.replace("_", "-"))


class LazyGroup(QueryGroup):
    """The `nsysql` command: those of OWN, then a command per query."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for names in GROUPS.values() for name in names if _is_command(ctx, name)]

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command of this name, with hyphens or underscores, or None."""
        spelled = name.replace("_", "-")
        if spelled == QUERY:
            about = "The rows of a query, as `nsysql NAME run.sqlite`; `nsysql list` has all queries, by pack."
            return QueryGroup(name=QUERY, help=about, rich_markup_mode=None)
        if spelled not in OWN:
            return super().get_command(ctx, name)
        known = vars(import_module(f"nsysql.cli.commands.{OWN[spelled]}"))
        function = spelled.replace("-", "_")
        return _command(spelled, known.get(function) or known[f"{function}_"])  # list_, as `list` is Python's

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name; `summary` for an export. Raises UsageError, suggesting similar names."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            if not Path(args[0]).exists():
                if Path(args[0]).suffix:
                    raise UsageError(f"There is no file and no command {args[0]!r}; see `nsysql --help`.")
                offer = _offer(args[0].replace("_", "-"), [*OWN, QUERY, *_queries(ctx)])
                raise UsageError(f"There is no command {args[0]!r}; see `nsysql --help`.{offer}")
            args = ["summary", *args]
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The commands by purpose, in lines; `nsysql COMMAND --help` has the rest."""
        formatter.write("Usage: nsysql COMMAND run.sqlite          Begin with: nsysql summary run.sqlite\n\n")
        for heading, rows in COMMANDS.items():
            for at, (words, purpose) in enumerate(rows.items()):
                names = [word.partition(":")[0] for word in words.split()]
                spelled = "  ".join("query NAME" if n == QUERY else n for n in names if _is_command(ctx, n))
                formatter.write(f"{'' if at else heading:10}{spelled:28}{purpose}\n")
        lines: dict[str, list[str]] = {}
        for name, path in _queries(ctx).items():
            if not is_own(path):
                lines.setdefault(path.parent.name, []).append(name)
        for heading, others in lines.items():
            indent = f"{escaped(heading):8}  "
            formatter.write(fill("  ".join(others), WIDTH, initial_indent=indent, subsequent_indent=" " * 10) + "\n")
        formatter.write(EPILOGUE)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        queries = QueryGroup(name=QUERY)
        inner = queries.make_context(QUERY, [], parent=ctx, resilient_parsing=True)
        return super().shell_complete(ctx, incomplete) or queries.shell_complete(inner, incomplete)


def command_names() -> set[str]:
    """The names of the commands that are not a query, which no query can have."""
    return {name.replace("-", "_") for name in (*OWN, QUERY)} - query_paths(find_packs()).keys()


def _is_command(ctx: Any, name: str) -> bool:
    return name == QUERY or name in OWN or name in _queries(ctx)


EPILOGUE = """
nsysql COMMAND --help has the options. Each query of nsysql list is a command, too.
Exit status: 0 done, 1 could not, 2 wrong usage, 3 a gate failed.
Options   --pack FOLDER (further queries)  --version  --install-completion
"""


def _queries(ctx: Any) -> dict[str, Path]:
    return {name.replace("_", "-"): path for name, path in query_paths(find_packs(packs(ctx))).items()}


def _offer(word: str, names: list[str]) -> str:
    """The commands that contain the word, else similar ones."""
    holding = [name for name in names if word in name][:3]
    return f" Did you mean {' or '.join(holding)}?" if holding else suggestion(word, names)


def _command(name: str, function: Any, text: str | None = None) -> Any:
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command(name, cls=PlainCommand, help=text, context_settings={"max_content_width": WIDTH})(function)
    command: Any = typer.main.get_command(one)
    command.implied = getattr(function, "implied", {})
    command.several = getattr(function, "several", frozenset())
    return command


def _version(is_asked: bool) -> None:
    if is_asked:
        from nsysql import __version__

        typer.echo(f"nsysql {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="nsysql", cls=LazyGroup, rich_markup_mode=None, no_args_is_help=True, pretty_exceptions_enable=False,
    context_settings={"max_content_width": WIDTH, "help_option_names": ["--help", "-h"]},
)  # fmt: skip


@app.callback()
def nsysql(
    pack: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", is_eager=True, help="A folder of further queries; also NSYSQL_PACKS."),
    ] = None,
    version: Annotated[
        bool | None, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = None,
) -> None:
    """Answers from NVIDIA Nsight Systems exports."""
