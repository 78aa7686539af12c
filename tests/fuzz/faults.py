"""Faults planted in a copy of the source, each one changed word, to see whether the tests find them.

`python -m tests.fuzz.faults --count 40 --seed 1 -- -m quick` prints a line for each: the test that fails first, or that
none does. What stands after `--` chooses the tests. A fault that changes no answer cannot be found: look at each.
"""

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
SOURCES = ("nsysql", "queries")
OTHER_WORD = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "+", "and": "or",
    "or": "and", "True": "False", "False": "True", "min": "max", "max": "min", "any": "all", "all": "any",
}  # fmt: skip
OTHER_IN_SQL = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=", "+": "-", "AND": "OR", "OR": "AND",
    "INNER": "LEFT", "LEFT": "INNER", "min": "max", "max": "min", "sum": "max", "ASC": "DESC", "DESC": "ASC",
    "true": "false", "false": "true",
}  # fmt: skip
WORDS_OF_SQL = re.compile(r"--.*|'[^']*'|<>|<=|>=|[<>=+]|\b(?:AND|OR|INNER|LEFT|min|max|sum|ASC|DESC|true|false)\b")


def places(path: Path) -> Iterator[tuple[int, int, str, str]]:
    """Where a word of a file can be another: line and column from 0, the word, the other one."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.string in OTHER_WORD and token.type in (tokenize.OP, tokenize.NAME):
                yield token.start[0] - 1, token.start[1], token.string, OTHER_WORD[token.string]
    else:
        for number, line in enumerate(text.splitlines()):
            for match in WORDS_OF_SQL.finditer(line):
                if match[0] in OTHER_IN_SQL:
                    yield number, match.start(), match[0], OTHER_IN_SQL[match[0]]


def plant(copy: Path, drawn: Random) -> tuple[Path, str, str]:
    """Change one word in one file of the copy: the file, its text before, and the fault in words."""
    files = sorted(path for top in SOURCES for kind in ("*.py", "*.sql") for path in (copy / top).rglob(kind))
    path = drawn.choices(files, [path.stat().st_size for path in files])[0]
    if not (known := list(places(path))):
        return plant(copy, drawn)
    number, column, word, other = drawn.choice(known)
    before = path.read_text(encoding="utf-8")
    lines = before.splitlines(keepends=True)
    lines[number] = lines[number][:column] + other + lines[number][column + len(word) :]
    path.write_text("".join(lines), encoding="utf-8")
    return path, before, f"{path.relative_to(copy)}:{number + 1}: {word} -> {other}: {lines[number].strip()}"


def first_failure(copy: Path, chosen: list[str]) -> str | None:
    """The first test that fails in the copy, or what else went wrong; None if all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", *chosen]
    ran = subprocess.run(
        command, cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, text=True, check=False
    )
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    return None if ran.returncode == 0 else failed[1] if failed else f"pytest ends with {ran.returncode}"


def main() -> int:
    """Plant faults one after the other; the exit code is 1 if the tests fail without any."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.faults", description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="how many faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tests", nargs="*", default=["-m", "quick"], help="arguments of pytest, after --")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "nsysql"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__"))
        if failed := first_failure(copy, options.tests):
            print(f"without a fault: {failed} fails")
            return 1
        caught, drawn = 0, Random(options.seed)
        for number in range(options.count):
            path, before, fault = plant(copy, drawn)
            failed = first_failure(copy, options.tests)
            path.write_text(before, encoding="utf-8")
            caught += failed is not None
            print(f"{number:3}  {'caught  ' if failed else 'NOT SEEN'}  {fault}  {failed or ''}", flush=True)
    print(f"{caught} of {options.count} caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
