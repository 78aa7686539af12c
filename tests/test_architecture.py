"""Which room of the house may import which, and what stands where."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nsysql

HOUSE = Path(nsysql.__file__).parent
FILES = {path.relative_to(HOUSE): path.read_text(encoding="utf-8") for path in sorted(HOUSE.rglob("*.py"))}

# What a room may not import when it runs: text is read without a database, frames are shown without queries.
SCREEN = ("nsysql.cli", "nsysql.render", "typer", "rich")
WALLS = {
    "errors": ("nsysql", "duckdb", "polars", *SCREEN),
    "sqlfile": ("nsysql.export", "nsysql.lay", "nsysql.pack", "duckdb", "polars", *SCREEN),
    "pack": ("nsysql.export", "nsysql.lay", "duckdb", "polars", *SCREEN),
    "raw": ("nsysql.export", "nsysql.lay", "duckdb", "polars", *SCREEN),
    "parameters": ("nsysql.export", "nsysql.lay", "duckdb", "polars", *SCREEN),
    "inputs": ("nsysql.export", "nsysql.lay", "polars", *SCREEN),
    "lay": ("nsysql.export", *SCREEN),
    "prepare": ("nsysql.export", "polars", *SCREEN),
    "export": ("nsysql.check", "nsysql.stats", *SCREEN),
    "check": SCREEN,
    "idle": ("nsysql.export", "duckdb", *SCREEN),
    "nvtx": ("nsysql.export", "duckdb", *SCREEN),
    "render": ("nsysql.export", "nsysql.lay", "nsysql.pack", "nsysql.cli", "duckdb", "typer"),
    "stats": ("polars", "pyarrow", "nsysql.render"),
    "stream": ("nsysql", "polars", *SCREEN),
    "texts": ("nsysql.export", "nsysql.lay", "polars", *SCREEN),
}


def imported(text: str) -> Iterator[str]:
    """The modules that a file imports at run time, anywhere in it."""
    tree = ast.parse(text)
    checks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    typing = {id(inner) for check in checks for inner in ast.walk(check)}
    for node in ast.walk(tree):
        if id(node) not in typing and isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            yield from (f"{module}.{alias.name}" if module else alias.name for alias in node.names)


def test_no_room_reaches_where_it_may_not() -> None:
    for path, text in FILES.items():
        room = path.parts[0].removesuffix(".py")
        for module in imported(text):
            for wall in WALLS.get(room, ()):
                inside = f"{module}.".startswith(f"nsysql.{room}.")
                assert inside or not f"{module}.".startswith(f"{wall}."), f"{path} imports {module}"


def test_sql_about_traces_stands_in_sql_files() -> None:
    for path, text in FILES.items():
        assert not re.search(r"\bFROM ((raw|whole)\.\w|CUPTI_|NVTX_|OSRT_|StringIds)", text), path


def test_only_the_faces_print_and_exit() -> None:
    for path, text in FILES.items():
        if path.parts[0] not in ("cli", "stats"):
            assert not re.search(r"(?<![\w.])print\(|sys\.(exit\(|argv|stdout|stderr)", text), path
