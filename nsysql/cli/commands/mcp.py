"""`nsysql mcp`: a server that answers agents, over standard input and output or HTTP."""

from pathlib import Path
from typing import Any

from nsysql.cli.options import CONTEXT, MEMORY, THREADS, argument, option, with_options

FILES = "Captures, and folders of captures, that may be read; by default the current folder."
HTTP = "Serve HTTP at 127.0.0.1:PORT/mcp instead of standard input and output."
SECONDS = "Time limit of one question, in seconds."


def _mcp(ctx: Any, files: list[Path] | None, http: int | None, seconds: float, threads: Any, memory_limit: Any) -> None:
    """A server for agents (Model Context Protocol): findings with evidence, queries, SQL and comparisons.

    Needs nsysql[mcp]. Nothing outside of FILES is read; answers are bounded in size.
    """
    from nsysql.agents.captures import Captures
    from nsysql.agents.server import serve_http, serve_stdio
    from nsysql.cli.chosen_packs import packs

    captures = Captures(files or [Path()], tuple(map(Path, packs(ctx))), threads, memory_limit, seconds)
    try:
        if http is None:
            serve_stdio(captures)
        else:
            serve_http(captures, http)
    finally:
        captures.close()


mcp = with_options(
    _mcp,
    [
        CONTEXT,
        argument("files", list[Path] | None, metavar="[FILES]...", help=FILES, default=None),
        option("http", int, None, "--http", metavar="PORT", min=1, max=65535, help=HTTP),
        option("seconds", float, 300.0, "--seconds", metavar="SECONDS", min=1, help=SECONDS),
        THREADS, MEMORY,
    ],
)  # fmt: skip
