"""Every JSON that nsysql writes satisfies its schema in docs/schemas, and its page fits a narrow terminal.

`pytest --update-golden -n 0 tests/test_schemas.py` extends the schemas by what the stories have; a schema that is to be
narrower is deleted first.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import schemas
from agents_client import ask, captures
from command_line import Ran
from exports import capture_names, each_opened, one_in, story_names
from jobs import mpi_job
from jsonschema import Draft202012Validator

import nsysql
from nsysql.errors import NsysqlError
from nsysql.pages.idle import explain
from nsysql.pages.scope import PageScope
from nsysql.render.page import named, write_terminal
from nsysql.render.page_views import PageView
from nsysql.words.quantities import columns_of

pytestmark = pytest.mark.usefixtures("kept_open")

SMALL = ("synth-idle-a", "more/cases/va-7498-1", "mordred-nometa", "um-intro-2024.5", "spin-nocuda-2022.4")
NARROW = ("summary", "idle_gaps")  # pages that fit 80 columns
THOROUGH = ("training", "lines_calls", "no_cuda", *SMALL)  # exports that are examined and attributed to lines, too


def pages(run: nsysql.Run, name: str) -> Iterator[tuple[str, Any]]:
    """The documents of an export by the names of their schemas, without those that it cannot have."""
    asked: dict[str, Callable[[], PageView]] = {
        "findings": run.pages.findings,
        "summary": lambda: run.pages.summary(all=True),
        "idle_gaps": lambda: run.pages.idle_gaps(all=True, by="nvtx"),
        "steps": run.pages.steps,
        "what_if": run.pages.what_if,
    }
    if name in THOROUGH:
        asked |= {"doctor": run.pages.doctor, "lines": run.pages.lines}
    for page, made in asked.items():
        with suppress(NsysqlError):
            view = made()
            if page in NARROW:
                assert_fits(view)
            yield page, view.document()
    with suppress(NsysqlError):
        yield "what_if", run.pages.what_if("scale kernel:a=0.5").document()
    with suppress(NsysqlError):
        yield "idle_gap", explain.document(explain.collect(run, PageScope(), _longest_gap(run)))


def assert_fits(view: PageView) -> None:
    """The page fits 80 columns and has no control characters."""
    text = StringIO()
    write_terminal(named(view.page(), view._naming, 80), text, 80)
    assert max(map(columns_of, text.getvalue().splitlines()), default=0) <= 80
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text.getvalue())


def _longest_gap(run: nsysql.Run) -> int:
    gaps = run.query("idle_gaps", top=1)
    if gaps.is_empty():
        raise NsysqlError("there is no gap.")
    return int(gaps["gap_id"][0])


def check(name: str, document: Any, update: bool) -> None:
    """The document as JSON satisfies its schema."""
    document = json.loads(json.dumps(document, allow_nan=False))
    if update:
        schemas.add(name, document)
    errors = [*Draft202012Validator(schemas.read(name)).iter_errors(document)]
    assert not errors, [(error.json_path, error.message[:200]) for error in errors[:5]]


@each_opened(sorted({*one_in(6, story_names(), 2), *(name for name in THOROUGH if name in story_names())}))
def test_pages_of_a_story_satisfy_their_schemas(opened: nsysql.Run, update_golden: bool) -> None:
    with opened.remembering():
        found = dict(pages(opened, opened.path.stem))
    assert {"findings", "summary"} <= found.keys()
    for name, document in found.items():
        check(name, document, update_golden)


@each_opened(one_in(2, [name for name in capture_names() if name in SMALL]))
def test_pages_of_a_capture_satisfy_their_schemas(opened: nsysql.Run) -> None:
    with opened.remembering():
        for name, document in pages(opened, opened.path.stem):
            check(name, document, update=False)


def test_pages_about_several_exports_satisfy_their_schemas(
    story: Callable[[str], Path],
    build: Callable[[str], Path],
    tmp_path: Path,
    run: Callable[..., Ran],
    update_golden: bool,
) -> None:
    job = mpi_job(build, tmp_path, [[step * 1_000_000 + rank * 5_000 for rank in range(3)] for step in range(1, 12)])
    pairs = [(story("training"), story(name)) for name in ("steps_nvtx", "two_streams")]
    for a, b in pairs:
        check("compare", nsysql.compare(a, b).document(), update_golden)
    check("ranks", nsysql.ranks(job).document(), update_golden)
    check("ranks", nsysql.ranks([story("ranks_nccl")]).document(), update_golden)
    ran = run("runs", story("training"), story("no_cuda"), story("idle_two_gpus"), "-f", "json")
    assert ran.code == 0, ran.err
    check("runs", json.loads(ran.out), update_golden)


def test_answers_to_agents_satisfy_their_schemas(story: Callable[[str], Path], update_golden: bool) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("open", {}), ("open", {"path": "training.sqlite"}), ("findings", {}), ("explain", {"gap": 3}),
        ("explain", {"code": "startup"}), ("explain", {"code": "page-faults"}), ("query", {"name": "kernel"}),
        ("query", {"name": "idle_gaps", "limit": 2}), ("sql", {"text": "FROM kernel LIMIT 1"}), ("doctor", {}),
        ("compare", {"a": "training.sqlite", "b": "training.sqlite"}), ("list", {}), ("list", {"pack": "idle"}),
        ("query", {"name": "nobody"}),
    ]  # fmt: skip
    with captures(story("training")) as opened:
        found = ask(opened, calls)
    for (tool, _), document in zip(calls, found.documents, strict=True):
        check("mcp_cannot" if "cannot" in document else f"mcp_{tool}", document, update_golden)


def test_rows_of_queries_are_a_list_of_objects(story: Callable[[str], Path], run: Callable[..., Ran]) -> None:
    for name in ("cuda-gpu-kern-sum", "idle-gaps"):
        ran = run("query", name, story("training"), "-f", "json")
        check("rows", json.loads(ran.out), update=False)
