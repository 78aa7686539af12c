"""The `nsysql` command: which commands it has, each made when it is asked for."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nsysql.cli.query import query_command
from nsysql.errors import NsysqlError, UsageError, near
from nsysql.pack import find_packs, query_paths, read_query

# The commands that are more than one query: heading, name, and the function that is the command.
COMMANDS = {
    "Pages": {
        "summary": "nsysql.cli.pages:summary",
    },
    "As in nsys": {
        "stats": "nsysql.stats.command:stats",
    },
    "Queries": {
        "list": "nsysql.cli.library:list_queries",
        "show": "nsysql.cli.library:show",
        "sql": "nsysql.cli.library:sql",
        "check": "nsysql.cli.library:check",
    },
}
HEADINGS = {"cuda": "CUDA", "nvtx": "NVTX", "osrt": "OS runtime", "um": "Unified memory"}


class LazyGroup(TyperGroup):
    """A group whose commands are made one by one: those of COMMANDS, then a command per query."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All command names, queries with hyphens."""
        own = [name for commands in COMMANDS.values() for name in commands]
        queries = (name.replace("_", "-") for name in query_paths(find_packs(packs(ctx))))
        return [*own, *(name for name in queries if name not in own)]

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command of that name, hyphens or underscores, or None."""
        spelled = name.replace("_", "-")
        for heading, commands in COMMANDS.items():
            if spelled in commands:
                return _own_command(spelled, commands[spelled], heading)
        path = query_paths(find_packs(packs(ctx))).get(spelled.replace("-", "_"))
        if path is None:
            return None
        query = read_query(path)
        return _as_command(query_command(query), spelled, HEADINGS.get(query.pack, query.pack), query.doc)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name. Raises UsageError with near matches."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            offer = near(args[0].replace("_", "-"), self.list_commands(ctx))
            raise UsageError(f"There is no command {args[0]!r}; see `nsysql --help`.{offer}")
        return super().resolve_command(ctx, args)


def packs(ctx: Any) -> tuple[Path, ...]:
    """The folders that --pack named."""
    return tuple(ctx.find_root().params.get("pack") or ())


def _own_command(name: str, target: str, heading: str) -> Any:
    module, _, function = target.partition(":")
    return _as_command(getattr(import_module(module), function), name, heading, None)


def _as_command(function: Any, name: str, heading: str, text: str | None) -> Any:
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command(name, help=text, rich_help_panel=heading)(function)
    return typer.main.get_command(one)


def _version(asked: bool) -> None:
    if asked:
        from nsysql import __version__

        typer.echo(f"nsysql {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="nsysql", cls=LazyGroup, rich_markup_mode=None, no_args_is_help=True, pretty_exceptions_enable=False
)


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
