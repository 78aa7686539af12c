"""Ten captures through the server: what a client asks and gets is recorded in transcripts/, without their texts.

An answer is recorded by its size, numbers and keys: names and rows of the captures are their authors'.
`pytest --update-golden` writes the transcripts anew.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from agents_client import ask, captures
from exports import capture_path, one_in

import nsysql
from nsysql.agents.answer import LIMIT
from nsysql.agents.captures import Captures

CASES = (
    "omp-3", "omp-4", "cp3-1", "cp3-2", "perl-3", "va-7498-1", "cs336-27B-clean", "orin-camera-2024.5",
    "gemm-wddm-2025.5", "abacus-libtorch-b1-2023.4",
)  # fmt: skip
TRANSCRIPTS = Path(__file__).parent / "transcripts"
KEYS = ("gap_id", "evidence_table", "evidence_row_id")
NUMBERS = ("code", "part_id", "gpu_id", "total_ns", "saves_ns", "bound", "certainty", "once")
CALLS = 8


def recorded(request: tuple[str, dict[str, Any]], text: str) -> dict[str, Any]:
    """A request and its answer without texts of the capture."""
    tool, arguments = request
    answer = json.loads(text)
    lists = {
        "findings": [{key: one[key] for key in NUMBERS} for one in answer.get("findings", ())],
        "rows": [{key: row[key] for key in KEYS if row.get(key) is not None} for row in answer.get("rows", ())],
        "pieces": [{key: row[key] for key in (*KEYS, "dur_ns") if key in row} for row in answer.get("pieces", ())],
        "causes": answer.get("causes", ()) and [[one["cause"], one["idle_ns"]] for one in answer["causes"]],
    }
    told = {key: value for key, value in lists.items() if value}
    told |= {key: answer[key] for key in ("cannot_be_checked", "truncated") if key in answer}
    return {"tool": tool, "arguments": arguments, "size": len(text), "answer": told}


@pytest.mark.parametrize("case", one_in(2, CASES))
def test_a_case_through_the_server(case: str, update_golden: bool) -> None:
    """The recorded requests have the recorded answers, in the bounds, with keys that resolve."""
    path, transcript = capture_path(f"more/cases/{case}"), TRANSCRIPTS / f"{case}.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with captures(path) as opened:
        if update_golden:
            write(transcript, opened, path.name)
        before = json.loads(transcript.read_text(encoding="utf-8"))
        requests = [(one["tool"], one["arguments"]) for one in before]
        texts = ask(opened, requests).texts
        assert max(map(len, texts)) <= LIMIT
        now = [recorded(*of) for of in zip(requests, texts, strict=True)]
        assert [one["answer"] for one in now] == [one["answer"] for one in before]
        for text in texts:
            keys_resolve(json.loads(text), opened.get(path.name).run)


def write(transcript: Path, opened: Captures, name: str) -> None:
    """Record the first calls of a client that follows `next`, without the captures' texts."""
    requests: list[tuple[str, dict[str, Any]]] = [("findings", {"capture": name})]
    texts: list[str] = []
    while len(texts) < min(CALLS, len(requests)):
        texts += ask(opened, [requests[len(texts)]]).texts
        following = [(of["tool"], of["arguments"]) for of in json.loads(texts[-1]).get("next", ())]
        requests += [of for of in following if of not in requests and of[0] in ("explain", "sql")]
    lines = [json.dumps(recorded(*one), ensure_ascii=False) for one in zip(requests, texts, strict=False)]
    transcript.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def keys_resolve(told: dict[str, Any], run: nsysql.Run) -> None:
    for row in [*told.get("rows", ()), *told.get("pieces", ())]:
        if row.get("evidence_row_id") is not None:
            assert run.sql(f"FROM raw.{row['evidence_table']} WHERE rowid = {row['evidence_row_id']}").height == 1
        if row.get("gap_id") is not None:
            assert run.query("idle_gaps", gap=row["gap_id"], paths=False).height == 1
