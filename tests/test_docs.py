"""README and docs: their commands run and print what is shown, their pictures and tables are current.

`pytest --update-golden` rewrites outputs and pictures, and `cog -r docs/queries.md docs/findings.md` the
tables of queries and rules.
"""

import doctest
import itertools
import re
import runpy
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import typer

import nsysql.cli.entry
from nsysql.catalog.packs import own_queries
from nsysql.cli.app import GROUPS, app
from nsysql.nsys.reports import TITLES

pytestmark = pytest.mark.usefixtures("kept_open")

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SAMPLE = ROOT / "tests" / "fixtures" / "training.sqlite"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(nsysql [^`]+)`")


def blocks(page: Path, language: str) -> list[str]:
    """A page's blocks of a language."""
    return [text for found, text in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def sessions(page: Path) -> Iterator[tuple[str, str]]:
    """The commands of a page's console blocks, each with the output that is shown."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


# What several pages show alike is run once, as of the first.
SESSIONS = [*{shown: (page, shown[0]) for page in reversed(PAGES) for shown in sessions(page)}.values()]


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the checkout, with the pack, the job and the captures that the pages speak of."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "tests").symlink_to(ROOT / "tests")
    (folder / "lab").mkdir()
    (folder / "lab" / "longest.sql").write_text(blocks(ROOT / "docs" / "queries.md", "sql")[0])
    _job(folder / "job")
    shutil.copyfile(folder / "job" / "rank_2.sqlite", folder / "before.sqlite")
    shutil.copyfile(SAMPLE, folder / "after.sqlite")
    return folder


@pytest.fixture
def checkout(lent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as the working folder."""
    monkeypatch.chdir(lent)
    monkeypatch.setenv("COLUMNS", "100")


def _job(folder: Path) -> None:
    """Four ranks, of which the third takes a third longer for all it does, and an export that was cut off."""
    folder.mkdir()
    for rank in range(4):
        shutil.copyfile(SAMPLE, folder / f"rank_{rank}.sqlite")
    (folder / "rank_4.sqlite").write_bytes(SAMPLE.read_bytes()[:50_000])
    with closing(sqlite3.connect(folder / "rank_2.sqlite")) as db, db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            if {"start", "end"} <= columns:
                db.execute(f'UPDATE {table} SET start = start * 4 / 3, "end" = "end" * 4 / 3')


@pytest.mark.parametrize(("page", "command"), SESSIONS, ids=[f"{page.stem}: {line}" for page, line in SESSIONS])
def test_a_command_prints_what_is_shown(
    page: Path, command: str, checkout: None, capsys: pytest.CaptureFixture[str], update_golden: bool
) -> None:
    shown = dict(sessions(page))[command]
    program, *arguments = shlex.split(command)
    assert program == "nsysql"
    with pytest.raises(SystemExit) as left:
        nsysql.cli.entry.main(arguments)
    printed = capsys.readouterr()
    assert left.value.code == 0, printed.err
    found = "\n".join(line.rstrip() for line in printed.out.rstrip("\n").split("\n"))
    found = found + "\n" if found else ""
    if shown.endswith("\n...\n"):  # only the beginning is shown
        found = "".join([*found.splitlines(keepends=True)[: shown.count("\n") - 1], "...\n"])
    if update_golden:
        for one in PAGES:
            text = one.read_text(encoding="utf-8")
            one.write_text(text.replace(f"$ {command}\n{shown}", f"$ {command}\n{found}"), encoding="utf-8")
        shown = found
    assert found == shown


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")], ids=lambda page: page.stem)
def test_the_library_gives_what_is_shown(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = "\n".join(blocks(page, "pycon"))  # one prompt, with text in between
    test = doctest.DocTestParser().get_doctest(session, {}, page.stem, str(page), 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_and_option_exists(page: Path) -> None:
    """Of blocks for a shell and of code in sentences, which are not run."""
    lines = [line for block in blocks(page, "sh") for line in block.replace("\\\n", " ").splitlines()]
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    found = [words for line in [*lines, *INLINE.findall(text)] for words in commands(line)]
    wrong = [" ".join(words) for words in found if not is_known(words)]
    assert wrong == []


def commands(line: str) -> Iterator[list[str]]:
    """The words of each call of nsysql in a line, without those of the program that `--` separates."""
    for call in re.findall(r"(?:^|\s|/)nsysql ([^|#;&>()]*)", line):
        words = call.split()
        yield words[: words.index("--")] if "--" in words else words


def is_known(words: list[str]) -> bool:
    """Whether there is such a command, and whether it has all these options."""
    group = typer.main.get_command(app)
    while words and words[0] == "--pack":
        words = words[2:]
    context = group.make_context("nsysql", [], resilient_parsing=True)
    name = words[0] if words else "--help"
    if name.isupper() or name.startswith("-") or "." in name:
        return True
    command = group.get_command(context, words[1] if name == "query" and len(words) > 1 else name)  # type: ignore[attr-defined]
    if name == "query" and (len(words) == 1 or words[1].isupper()):
        return True
    if command is None:
        return False
    inner = command.make_context(name, [], resilient_parsing=True)
    options = {o for p in command.get_params(inner) for o in [*p.opts, *p.secondary_opts]}
    return all(word.partition("=")[0] in options for word in words[1:] if re.match(r"--?[a-z]", word))


def test_the_manual_has_every_command_and_is_sound() -> None:
    text = subprocess.run(
        [sys.executable, ROOT / "tools" / "man_page.py"], capture_output=True, text=True, check=True
    ).stdout
    for name in itertools.chain(*GROUPS.values()):
        assert f'.SS "nsysql {name} ' in text or f'.SS "nsysql {name}"' in text, name
    if shutil.which("groff"):
        checked = subprocess.run(["groff", "-man", "-ww", "-z"], input=text, capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, "")


def test_the_site_has_the_columns_of_every_query() -> None:
    hook = runpy.run_path(str(ROOT / "tools" / "docs_columns.py"))
    text = "\n".join(hook["columns"]())
    for query in own_queries():
        assert f"### {query.name}\n" in text
        assert all(f"| `{column.name}` | {column.type} |" in text for column in query.columns)


def test_the_picture_is_the_one_that_the_command_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], update_golden: bool
) -> None:
    picture = ROOT / "docs" / "timeline.svg"
    with pytest.raises(SystemExit):
        nsysql.cli.entry.main(["timeline", str(SAMPLE), "-q", "-o", str(tmp_path / "timeline.svg")])
    drawn = (tmp_path / "timeline.svg").read_text(encoding="utf-8")
    if update_golden:
        picture.write_text(drawn, encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == drawn


def test_the_table_of_queries_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    from cogapp import Cog

    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("NSYSQL_PACKS", raising=False)
    for page in ("docs/queries.md", "docs/findings.md"):
        assert Cog().main(["cog", "--check", page]) == 0, f"write it anew with: cog -r {page}"


def test_the_readme_is_short_and_begins_with_the_commands_to_run_and_to_test() -> None:
    assert len(PAGES[0].read_bytes()) < 10_000
    run, test = (block.strip() for block in blocks(PAGES[0], "sh")[:2])
    assert run.endswith("nsysql summary tests/fixtures/training.sqlite")
    assert test in (ROOT / ".ci" / "run").read_text(encoding="utf-8").split("\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_that_is_linked_exists(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_table_of_equal_cells_adds_up() -> None:
    """It is what tools/verify_corpus.py printed, for reports that there are."""
    text = (
        (ROOT / "docs" / "trust.md").read_text(encoding="utf-8").partition("## Cells equal to those of nsys stats")[2]
    )
    rows = [
        [cell.strip() for cell in line.strip("| \n").split("|")] for line in re.findall(r"^\| .*$", text, re.MULTILINE)
    ]
    total, of = re.search(r"([\d,]+) of ([\d,]+) cells are equal", text).groups()
    counts = [int(cell.replace(",", "")) for _, *cells in rows[2:] for cell in cells if cell]
    assert total == of == f"{sum(counts):,}"
    assert {name for name, *_ in rows[2:]} <= TITLES.keys()
    readme = PAGES[0].read_text(encoding="utf-8")
    assert f"All {total} cells of {len(rows) - 2} reports" in readme


def test_the_index_for_agents_has_every_page() -> None:
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    linked = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): ", text, re.MULTILINE)
    assert sorted(linked) == sorted(page.name for page in PAGES if page.name != "README.md")
