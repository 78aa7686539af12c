"""`nsysql mcp` and `nsysql skill`: a server that answers agents, and how they use it."""

from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from nsysql.cli.options import FILE, MEMORY, THREADS, argument, formats, option
from nsysql.cli.output import opened
from nsysql.cli.rows import Call, command

FILES = "Captures, and folders of captures, that may be read; by default the current folder."
HTTP = "Serve HTTP at 127.0.0.1:PORT/mcp instead of standard input and output."
SECONDS = "Time limit of one question, in seconds."


@command([THREADS, MEMORY])
def mcp(
    call: Call,
    files: list[Path] | None = argument(None, metavar="[FILES]...", help=FILES),
    http: int | None = option(None, "--http", metavar="PORT", min=1, max=65535, help=HTTP),
    seconds: float = option(300.0, "--seconds", metavar="SECONDS", min=1, help=SECONDS),
) -> None:
    """A server for agents (Model Context Protocol): findings with evidence, queries, SQL and comparisons.

    Needs nsysql[mcp]. Nothing outside of FILES is read; answers are bounded in size.
    """
    from nsysql.agents.captures import Captures
    from nsysql.agents.server import serve_http, serve_stdio

    captures = Captures(files or [Path()], call.packs, call.threads, call.memory_limit, seconds)
    try:
        if http is None:
            serve_stdio(captures)
        else:
            serve_http(captures, http)
    finally:
        captures.close()


SKILL, SECTION = "skill", "agents"


@command([FILE])
def skill(call: Call, format: Any = formats((SKILL, SECTION), SKILL)) -> None:
    """How an agent uses nsysql, on one page: SKILL.md, or with -f agents a section for AGENTS.md."""
    text = resources("nsysql.agents").joinpath("SKILL.md").read_text(encoding="utf-8")
    if format == SECTION:
        text = text.partition("\n---\n")[2].lstrip().replace("\n## ", "\n### ").replace("# nsysql", "## nsysql", 1)
    with opened(call.output) as file:
        file.write(text.encode())
