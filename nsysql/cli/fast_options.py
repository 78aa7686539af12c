"""Skip typer's conversion for options that are absent or already of the right type.

Typer converts with pydantic, whose import takes longer than many queries. Absent options, text and paths need no
conversion; numbers and choices get typer's, with its messages.
"""

from pathlib import Path
from typing import Any

TEXTS = list[str]


class UntypedOptions:
    """Wraps the options of a command; options of a typer that converts without pydantic are unchanged."""

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
