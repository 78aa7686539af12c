"""`nsysql` and `python -m nsysql`: the command line in a process of its own."""

import sys
from importlib.machinery import ModuleSpec

from nsysql import cli


class _Absent:
    """Finds pandas and fails to load it.

    DuckDB and pyarrow import pandas where it is installed, only to ask whether a value is one of its own: 2 s of CPU
    time on each command, of the 3 s that `summary` takes of a small export.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """What import asks each finder."""
        return ModuleSpec(name, self) if name == "pandas" else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """What import asks a loader first. Raises ModuleNotFoundError."""
        raise ModuleNotFoundError(name=spec.name)

    def exec_module(self, module: object) -> None:
        """A loader has this method; it is never reached."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, without pandas, and exit with its code."""
    sys.meta_path.insert(0, _Absent())
    cli.main(arguments)


if __name__ == "__main__":
    main()
