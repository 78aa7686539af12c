"""Commands that answer with a page."""

from pathlib import Path
from typing import Annotated

import typer


def summary(export: Annotated[Path, typer.Argument(metavar="EXPORT")]) -> None:
    """What was captured, what ran, and where the time went: one screen."""
    raise NotImplementedError
