"""The table of docs/architecture.md: imports run downward, every file it names is there, SQL is in .sql files."""

import ast
import re
from functools import cache
from pathlib import Path

import nsysql

HOUSE = Path(nsysql.__file__).parent
ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILES = {path.relative_to(HOUSE): path.read_text(encoding="utf-8") for path in sorted(HOUSE.rglob("*.py"))}
LAYERS = re.findall(r"^\| `(\w+)` \|", PAGE.partition("All SQL")[0], re.MULTILINE)  # the lowest first
SCREEN = ("typer", "rich")
FRAMES = ("polars", "pyarrow")
LIBRARIES = {  # that a folder may not import
    "errors": ("duckdb", *FRAMES, *SCREEN),
    "catalog": ("duckdb", *FRAMES, *SCREEN),
    "analysis": ("duckdb", *SCREEN),
    "analysis/compare": FRAMES,
    "capture": SCREEN,
    "nsys": (*FRAMES, *SCREEN),
    "pages": ("duckdb", *SCREEN),
    "render": ("duckdb", "typer"),
}


@cache
def imported(text: str) -> tuple[str, ...]:
    """The modules that a file imports anywhere in it, except those for type checkers."""
    found, waiting = [], list(ast.parse(text).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            found += [f"{module}.{alias.name}" if module else alias.name for alias in node.names]
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            waiting += [
                one for name in ("body", "orelse", "handlers", "finalbody", "cases") for one in getattr(node, name, ())
            ]
    return tuple(found)


def layer_of(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def refused(path: Path, module: str) -> bool:
    """Whether a file may not import a module: one of a layer above it, or a library that its folder does without."""
    if module.startswith("nsysql.") and module != "nsysql.__version__":
        own, other = layer_of(path), module.split(".")[1]
        return own != other and (other not in LAYERS or LAYERS.index(other) > LAYERS.index(own))
    library = module.partition(".")[0]
    return any(library in LIBRARIES.get(folder.as_posix().removesuffix(".py"), ()) for folder in (path, *path.parents))


def test_imports_run_downward_and_the_page_names_every_folder() -> None:
    inside = [path for path in FILES if path.name != "__main__.py" and path != Path("__init__.py")]
    assert set(LAYERS) == {layer_of(path) for path in inside}
    wrong = [f"{path} imports {module}" for path in inside for module in imported(FILES[path]) if refused(path, module)]
    assert not wrong, "\n".join(wrong)


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
        if layer_of(path) not in ("cli", "nsys"):
            assert not re.search(r"(?<![\w.])print\(|sys\.(exit\(|argv|stdout|stderr)", text), path
