"""A client of the server for agents, in the same process."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio

from nsysql.agents.captures import Captures
from nsysql.agents.server import make_server

Call = tuple[str, dict[str, Any]]


class Asked:
    """What a client got: texts of answers as they came, and as documents."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.documents = [json.loads(text) for text in texts]


@contextmanager
def captures(*given: Path, **options: Any) -> Iterator[Captures]:
    """The captures of a server, closed at the end."""
    opened = Captures(given, **options)
    try:
        yield opened
    finally:
        opened.close()


def ask(opened: Captures, calls: Sequence[Call]) -> Asked:
    """The answers to these calls, one after the other."""

    from mcp import Client  # 0.9 s, which every process of pytest would take

    async def run() -> list[str]:
        async with Client(make_server(opened)) as client:
            return [(await client.call_tool(name, arguments)).content[0].text for name, arguments in calls]

    return Asked(anyio.run(run))


def one(opened: Captures, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The answer to one call."""
    return ask(opened, [(tool, arguments)]).documents[0]
