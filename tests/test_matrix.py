"""Every public export through every command, report and rule: an answer, or the reason why there is none.

Each export is opened once and asked by the command line; the forms of the answers take turns from export to
export. What the doctor says beforehand is what then happens.
"""

import io
import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import Ran
from exports import RICHEST, corpus_names, each_opened, one_in

import nsysql
from nsysql.catalog.packs import find_packs, own_queries, query_paths
from nsysql.cli.output import FORMATS
from nsysql.cli.rows import Call, write_rows
from nsysql.errors import MissingData
from nsysql.pages.examination import CANNOT
from nsysql.render.page_views import Rows
from nsysql.words.quantities import columns_of

Run = Callable[..., Ran]
PAGES = (("summary", "--all"), ("idle-gaps", "--by", "api", "--all"))  # first screens are asked in test_summary.py
PAGE_FORMS = ("table", "markdown", "html", "json", "csv", "ndjson", "parquet", "arrow")
TURNS, OF_CANNOT = 6, 3  # one of so many questions that are answered, and that are not, is asked of an export
SMALL = 700_000  # bytes; the traces of larger ones are long, and compared with NVIDIA's elsewhere
REPORT_FORMS = ("column", "table", "csv", "tsv", "json", "hdoc", "htable")


ASKED = one_in(5, corpus_names())  # one for each turn


@each_opened(ASKED)
def test_every_command_answers_or_says_why_not(
    found_open: nsysql.Run, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, turn = found_open.path, corpus_names().index(found_open.path.stem)
    told = json.loads(run("doctor", path, "-f", "json").out)
    assert told["can_be_analysed"] == (told["events"] > 0)
    verdict = {(a["kind"], a["name"]): a["verdict"] for a in told["answers"]}
    for name in in_turn(sorted(found_open.paths.keys() - {"idle_gaps"}), turn, verdict, "query"):
        check_rows(run(name, path, "-f", "csv"), verdict["query", name])
    causes = run("idle-ledger", path, "-f", "csv", "--columns", "cause").text.split()[1:]
    assert [cause for cause in causes if verdict["cause", cause] == CANNOT] == []
    ran = run("idle-gaps", path, "-f", PAGE_FORMS[turn % len(PAGE_FORMS)])
    assert (ran.code == 1) == (verdict["query", "idle_gaps"] == CANNOT)
    check_reports(run, path, turn, verdict)
    if turn % 2:
        check_page(run, path, turn // 2, monkeypatch)


def in_turn(names: list[str], turn: int, verdict: dict[tuple[str, str], str], kind: str) -> list[str]:
    """A part of the questions: the next export is asked other ones."""
    turns = {name: OF_CANNOT if verdict[kind, name] == CANNOT else TURNS for name in names}
    return [name for at, name in enumerate(names) if at % turns[name] == turn % turns[name]]


def check_rows(ran: Ran, verdict: str) -> None:
    """A query's rows in CSV, or the reason why there are none."""
    if verdict == CANNOT:
        assert (ran.code, ran.out) == (1, b""), ran.err
        assert "the export has no" in ran.err
        assert ran.err.count("\n") == 1
    else:
        assert ran.code == 0, ran.err
        assert ran.out.count(b"\n") > 1 or "no rows" in ran.err


def check_reports(run: Run, path: Path, turn: int, verdict: dict[tuple[str, str], str]) -> None:
    """Reports and rules, each in one of their forms; those that cannot be answered are skipped with the reason."""
    small = path.stat().st_size < SMALL
    for command, kind in ("stats", "report"), ("analyze", "rule"):
        all_names = [name for of, name in verdict if of == kind and (small or not name.endswith("_trace"))]
        names = in_turn(all_names, turn, verdict, kind)
        if not names:
            continue
        forms = [REPORT_FORMS[(turn + i) % len(REPORT_FORMS)] for i in range(len(names))]
        ran = run(command, "-r", ",".join(names), "-f", ",".join(forms), "-o", "-", path)
        assert ran.code == 0
        skipped = [line for line in ran.err.splitlines() if line.startswith("SKIPPED: ")]
        assert [line.split()[1] for line in skipped] == [n for n in names if verdict[kind, n] == CANNOT]
        assert all("the export has no" in line for line in skipped)
        assert "Traceback" not in ran.err


def check_page(run: Run, path: Path, turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page fits a narrow terminal and holds no control characters."""
    monkeypatch.setenv("COLUMNS", "80")
    command, *options = PAGES[turn % len(PAGES)]
    found = run(command, path, *options)
    assert found.code == 0 or (found.code == 1 and command == "idle-gaps")
    assert max(map(columns_of, found.text.splitlines()), default=0) <= 80
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", found.text)
    assert found.err == "" or command == "idle-gaps"


def test_every_answer_has_every_form(corpus: Path, story: Callable[[str], Path]) -> None:
    """Of each query the first answer with rows that one of the exports has."""
    public = [f"synth-{kind}-a" for kind in ("chains", "gfx", "graphtrace", "mem", "mpi", "omp", "um")]
    left = set(query_paths(find_packs())) - {rule.name for rule in own_queries() if rule.finding}
    stories = map(story, (RICHEST, "gpu_metrics", "memory_steps", "nvtx_domains"))
    for path in (*stories, *(corpus / f"{name}.sqlite" for name in (*public, "wsl2-vecadd-2026.1"))):
        with nsysql.open(path) as run:
            left -= {query for query in sorted(left) if has_every_form(run, query)}
    assert left == {"endless_work", "idle_gap_middles", "syscall_sum"}  # which have no rows in any of these


def has_every_form(run: nsysql.Export, query: str) -> bool:
    """Whether the query has rows, which every form then has."""
    with suppress(MissingData):
        frame = run.query(query)
        for form in FORMATS if frame.height else ():
            written = io.BytesIO()
            write_rows(Rows(frame), Call(form, "file", quiet=True), written)
            assert written.tell(), f"{query} as {form}"
        return bool(frame.height)
    return False
