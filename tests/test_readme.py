"""The README's commands run, and print what it shows; its table of queries is the one that the headers give.

`pytest --update-golden` rewrites the outputs, and `cog -r README.md` the table.
"""

import doctest
import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import nsysql.cli.entry
from nsysql.nsys.stats.titles import TITLES

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """The README's blocks of a language."""
    return [text for found, text in BLOCK.findall(README.read_text(encoding="utf-8")) if found == language]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like the checkout, with the pack that the README writes."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "longest.sql").write_text(blocks("sql")[0])
    _job(tmp_path / "job")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def _job(folder: Path) -> None:
    """Four ranks, of which the third takes a third longer for all it does, and an export that was cut off."""
    folder.mkdir()
    sample = ROOT / "tests" / "fixtures" / "training.sqlite"
    for rank in range(4):
        shutil.copyfile(sample, folder / f"rank_{rank}.sqlite")
    (folder / "rank_4.sqlite").write_bytes(sample.read_bytes()[:50_000])
    with closing(sqlite3.connect(folder / "rank_2.sqlite")) as db, db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            if {"start", "end"} <= columns:
                db.execute(f'UPDATE {table} SET start = start * 4 / 3, "end" = "end" * 4 / 3')


@pytest.mark.parametrize("command", [c for block in blocks("console") for c, _ in commands(block)])
def test_a_command_prints_what_is_shown(
    command: str, checkout: Path, capsys: pytest.CaptureFixture[str], update_golden: bool
) -> None:
    shown = dict(pair for block in blocks("console") for pair in commands(block))[command]
    program, *arguments = shlex.split(command)
    assert program == "nsysql"
    with pytest.raises(SystemExit) as left:
        nsysql.cli.entry.main(arguments)
    printed = capsys.readouterr()
    assert left.value.code == 0, printed.err
    found = "\n".join(line.rstrip() for line in printed.out.rstrip("\n").split("\n"))
    found = found + "\n" if found else ""
    if update_golden:
        text = README.read_text(encoding="utf-8")
        README.write_text(text.replace(f"$ {command}\n{shown}", f"$ {command}\n{found}"), encoding="utf-8")
        shown = found
    assert found == shown


def test_the_library_gives_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = "\n".join(blocks("pycon"))  # one prompt, with text in between
    test = doctest.DocTestParser().get_doctest(session, {}, "README", str(README), 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_the_table_of_queries_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    from cogapp import Cog

    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("NSYSQL_PACKS", raising=False)
    assert Cog().main(["cog", "--check", "README.md"]) == 0, "write it anew with: cog -r README.md"


def test_the_first_two_commands_are_the_ones_to_run_and_to_test() -> None:
    run, test = (block.strip() for block in blocks("sh")[:2])
    assert run.endswith("nsysql summary tests/fixtures/training.sqlite")
    assert test in (ROOT / ".ci" / "run").read_text(encoding="utf-8").split("\n")


def test_every_file_that_is_linked_exists() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_the_table_of_equal_cells_adds_up() -> None:
    """It is what tools/verify_corpus.py printed, for reports that there are."""
    text = README.read_text(encoding="utf-8").partition("### Cells equal to those of nsys stats")[2]
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")] for line in re.findall(r"^\| .*$", text, re.MULTILINE)
    ]
    total, of = re.search(r"([\d,]+) of ([\d,]+) cells are equal", text).groups()
    counts = [int(cell.replace(",", "")) for _, *cells in rows[2:] for cell in cells if cell]
    assert total == of == f"{sum(counts):,}"
    assert {name for name, *_ in rows[2:]} <= TITLES.keys()
