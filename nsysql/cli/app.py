"""The `nsysql` command and its subcommands, each created when it is needed."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nsysql.catalog.packs import find_packs, query_paths
from nsysql.catalog.query_file import read_query
from nsysql.cli.chosen_packs import HEADINGS, first_line, packs
from nsysql.cli.fast_options import UntypedOptions
from nsysql.cli.help import WIDTH, PlainCommand, help_text
from nsysql.cli.query_command import query_command
from nsysql.errors import UsageError, suggestion

# The commands that are not just one query: heading, name, and the command's function.
# A function is imported when its command is run or help is asked for. It hides a query of its name.
COMMANDS = {
    "Pages": {
        "summary": "nsysql.cli.commands.summary:summary",
        "idle-gaps": "nsysql.cli.commands.idle_gaps:idle_gaps",
        "steps": "nsysql.cli.commands.steps:steps",
        "lines": "nsysql.cli.commands.lines:lines",
        "doctor": "nsysql.cli.commands.doctor:doctor",
        "compare": "nsysql.cli.commands.compare:compare",
        "ranks": "nsysql.cli.commands.ranks:ranks",
    },
    "Many exports": {
        "runs": "nsysql.cli.commands.runs:runs",
    },
    "Pictures": {
        "report": "nsysql.cli.commands.report:report",
        "timeline": "nsysql.cli.commands.timeline:timeline",
        "trace": "nsysql.cli.commands.trace:trace",
        "flame": "nsysql.cli.commands.flame:flame",
    },
    "As in nsys": {
        "stats": "nsysql.cli.commands.stats:stats",
        "verify": "nsysql.cli.commands.verify:verify",
        "analyze": "nsysql.cli.commands.analyze:analyze",
    },
    "Files": {
        "record": "nsysql.cli.commands.record:record",
        "redact": "nsysql.cli.commands.redact:redact",
        "convert": "nsysql.cli.commands.convert:convert",
        "digest": "nsysql.cli.commands.digest:digest",
        "cache": "nsysql.cli.commands.cache:cache",
    },
    "Queries": {
        "list": "nsysql.cli.commands.queries:list_queries",
        "show": "nsysql.cli.commands.queries:show",
        "sql": "nsysql.cli.commands.queries:sql",
        "check": "nsysql.cli.commands.queries:check",
    },
}
OWN = {name: target for commands in COMMANDS.values() for name, target in commands.items()}


class LazyGroup(UntypedOptions, TyperGroup):
    """A group that creates its commands lazily: those of COMMANDS, then a command per query."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All command names; queries with hyphens."""
        return [*OWN, *(name for name in _queries(ctx) if name not in OWN)]

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command of this name, with hyphens or underscores, or None."""
        spelled = name.replace("_", "-")
        if spelled in OWN:
            module, _, function = OWN[spelled].partition(":")
            return _command(spelled, getattr(import_module(module), function))
        path = _queries(ctx).get(spelled)
        if path is None:
            return None
        query = read_query(path)
        command = _command(spelled, query_command(query), help_text(query))
        command.query = query
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name. Raises UsageError, suggesting similar names."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            if Path(args[0]).exists():
                raise UsageError(f"Which command for {args[0]}? For an overview: nsysql summary {args[0]}")
            offer = _offer(args[0].replace("_", "-"), self.list_commands(ctx))
            raise UsageError(f"There is no command {args[0]!r}; see `nsysql --help`.{offer}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands by heading, each with the first line of its help."""
        for heading, rows in _sections(self, ctx):
            with formatter.section(heading):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """The command names with this prefix; underscores complete too."""
        return super().shell_complete(ctx, incomplete.replace("_", "-"))


def _sections(group: LazyGroup, ctx: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Headings with their commands and summaries."""
    for heading, commands in COMMANDS.items():
        yield heading, [(name, group.get_command(ctx, name).get_short_help_str(200)) for name in commands]
    by_pack: dict[Path, list[tuple[str, str]]] = {}
    for name, path in _queries(ctx).items():
        if name not in OWN:
            by_pack.setdefault(path.parent, []).append((name, first_line(path)))
    for folder, rows in by_pack.items():
        yield HEADINGS.get(folder.name, folder.name), rows


def _queries(ctx: Any) -> dict[str, Path]:
    """The query files by command name."""
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


def _version(asked: bool) -> None:
    if asked:
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
    """Answers from NVIDIA Nsight Systems exports.

    Begin with `nsysql summary run.sqlite`. `nsysql COMMAND --help` says what a command's rows are.
    """
