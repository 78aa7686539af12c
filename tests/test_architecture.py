"""The arrows of docs/architecture.md: imports run downward, every file it names is there, SQL is in .sql files."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import nsysql

HOUSE = Path(nsysql.__file__).parent
ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = {path.relative_to(HOUSE): path.read_text(encoding="utf-8") for path in sorted(HOUSE.rglob("*.py"))}
FLOORS = [
    re.findall(r"`(\w+)`", row)
    for row in re.findall(r"^\| ((?:`\w+` ?)+)\|", PAGE.partition("All SQL")[0], re.MULTILINE)
]
LEVEL = {folder: level for level, folders in enumerate(FLOORS) for folder in folders}
SCREEN = ("typer", "rich")
LIBRARIES = {  # that a folder may not import
    "errors": ("duckdb", "polars", "pyarrow", *SCREEN),
    "catalog": ("duckdb", "polars", "pyarrow", *SCREEN),
    "compute": ("duckdb", *SCREEN),
    "comparison": ("duckdb", "polars", "pyarrow", *SCREEN),
    "engine": SCREEN,
    "export": SCREEN,
    "compat": ("polars", "pyarrow", *SCREEN),
    "pages": ("duckdb", *SCREEN),
    "render": ("duckdb", "typer"),
}


def imported(text: str, at_run_time: bool = True) -> Iterator[str]:
    """The modules that a file imports anywhere in it, those for type checkers left out unless asked for."""
    tree = ast.parse(text)
    checks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
    typing = {id(inner) for check in checks for inner in ast.walk(check)} if at_run_time else set()
    for node in ast.walk(tree):
        if id(node) not in typing and isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            yield from (f"{module}.{alias.name}" if module else alias.name for alias in node.names)


def folder_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def test_the_page_names_every_folder() -> None:
    folders = {folder_of(path) for path in FILES} - {"__init__", "__main__"}
    assert set(LEVEL) == folders


@pytest.mark.parametrize("path", [path for path in FILES if folder_of(path) in LEVEL], ids=str)
def test_imports_run_downward(path: Path) -> None:
    own = folder_of(path)
    for module in imported(FILES[path]):
        if module.startswith("nsysql."):
            other = module.split(".")[1]
            assert other == own or LEVEL.get(other, -1) < LEVEL[own] or other in FLOORS[LEVEL[own]], module
        assert module.partition(".")[0] not in LIBRARIES.get(own, ()), f"{path} imports {module}"


def test_no_module_imports_in_a_circle() -> None:
    names = {".".join(("nsysql", *path.with_suffix("").parts)).removesuffix(".__init__"): path for path in FILES}
    edges = {
        name: {
            other for module in imported(FILES[path]) for other in (module, module.rpartition(".")[0]) if other in names
        }
        - {name}
        for name, path in names.items()
        if path.name not in ("__init__.py", "__main__.py")
    }
    left = dict(edges)
    while ready := [name for name, others in left.items() if not others & left.keys()]:
        for name in ready:
            del left[name]
    assert not left, f"import each other: {sorted(left)}"


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`((?:[\w-]+/)+[\w.]*\w\.\w+|(?:[\w-]+/)+)`", PAGE)) - {"queries/PACK/"}
    assert named
    for name in named:
        assert (HOUSE / name).exists() or (ROOT / name).exists(), name


def test_sql_about_traces_is_in_sql_files() -> None:
    for path, text in FILES.items():
        assert not re.search(r"\bFROM ((raw|unfiltered)\.\w|CUPTI_|NVTX_|OSRT_|StringIds)", text), path


def test_only_the_command_line_prints_and_exits() -> None:
    for path, text in FILES.items():
        if folder_of(path) not in ("cli", "compat"):
            assert not re.search(r"(?<![\w.])print\(|sys\.(exit\(|argv|stdout|stderr)", text), path
