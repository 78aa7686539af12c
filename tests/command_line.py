"""Running the command line in tests: in this process (the fixture `run`), or in one of its own."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

PROGRAM = [sys.executable, "-m", "nsysql"]


@dataclass(frozen=True)
class Ran:
    """What a run of the command line left."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """The standard output as text."""
        return self.out.decode()


def process(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run the command line in a process of its own."""
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
