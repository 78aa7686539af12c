"""The server for agents: its answers are bounded, have the numbers of the commands, keys that resolve, and lead on."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import polars as pl
import pytest
from agents_client import ask, captures, one
from command_line import Ran
from exports import alter, capture_names, one_in
from jsonschema import Draft202012Validator

import nsysql
from nsysql.agents import answer
from nsysql.agents.answer import LIMIT, Answer, text_of
from nsysql.agents.server import make_server
from nsysql.agents.tools import NAMES, schema
from nsysql.findings.engine import find

pytestmark = pytest.mark.usefixtures("without_findings")  # in digests: the tools find theirs

CASES = (  # a capture, and accepted findings on it
    ("more/cases/perl-3", ("few-blocks",)),
    ("more/cases/va-7498-1", ("pageable-copies",)),
    ("more/cases/abacus-libtorch-b1-2023.4", ("launch-bound", "graph-candidate")),
)
CALLS, CHARACTERS = 6, 20_000  # in which a client that follows `next` has the finding and its evidence


def check_next(document: dict[str, Any]) -> None:
    """Calls that can follow are at most three, and their arguments are those of the tools."""
    assert len(document.get("next", ())) <= 3
    for following in document.get("next", ()):
        Draft202012Validator(schema(following["tool"])).validate(following["arguments"])


def rows_with_keys(document: dict[str, Any]) -> list[tuple[str, int]]:
    """The tables and rows that an answer names."""
    rows = [row for key in ("rows", "pieces") for row in document.get(key, ())]
    return [(row["evidence_table"], row["evidence_row_id"]) for row in rows if row.get("evidence_row_id") is not None]


STORIES = ("training", "idle_two_gpus", "no_cuda", "idle_per_process")


@pytest.mark.parametrize("name", one_in(2, STORIES))
def test_every_tool_answers_on_every_story(name: str, story: Callable[[str], Path]) -> None:
    every_tool_answers(story(name))


@pytest.mark.parametrize("name", one_in(2, capture_names("mfu*.sqlite", "synth-chains-a.sqlite")[::-1]) or ["(none)"])
def test_every_tool_answers_on_a_capture(name: str, corpus: Path) -> None:
    every_tool_answers(corpus / f"{name}.sqlite")


def every_tool_answers(path: Path) -> None:
    """All tools, and what they say comes next, answer in their bounds, or say what the capture lacks."""
    with captures(path) as opened:
        calls = [("open", {}), ("open", {"path": path.name}), ("findings", {}), ("doctor", {}), ("list", {})]
        calls += [("query", {"name": query}) for query in ("part_gaps", "part_work", "kernel", "idle_gaps")]
        calls += [("sql", {"text": "SELECT 1 AS one"}), ("compare", {"a": path.name, "b": path.name})]
        found = ask(opened, calls)
        steps = [(step["tool"], step["arguments"]) for document in found.documents for step in document.get("next", ())]
        followed = ask(opened, steps)
    for text, document in zip(found.texts + followed.texts, found.documents + followed.documents, strict=True):
        assert len(text) <= LIMIT
        check_next(document)
    assert not [
        document for document in followed.documents if "cannot" in document and document["kind"] != "MissingData"
    ]


def test_a_digest_is_compared_like_its_capture(
    story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]
) -> None:
    shutil.copy(story("training"), tmp_path / "a.sqlite")
    assert run("digest", tmp_path / "a.sqlite", "-o", tmp_path / "a.digest").code == 0
    with captures(tmp_path) as opened:
        told, of_exports = (one(opened, "compare", a=a, b="a.sqlite") for a in ("a.digest", "a.sqlite"))
        assert one(opened, "compare", a="../a.digest", b="a.sqlite")["kind"] == "UsageError"
    assert (told["a"], told["accounts"]) == ("a.digest", of_exports["accounts"])
    assert [step["arguments"]["capture"] for step in told["next"]] == ["a.sqlite"]


@pytest.mark.parametrize("given", ["", "run_pqtdir"])
def test_a_folder_that_is_an_export_is_a_capture(
    given: str, story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]
) -> None:
    assert run("convert", story("training"), "-o", tmp_path / "run_pqtdir", "--to", "parquet").code == 0
    with captures(tmp_path / given) as opened:
        assert one(opened, "open")["captures"] == ["run_pqtdir"]
        assert one(opened, "open", path="run_pqtdir")["capture"] == "run_pqtdir"
        assert one(opened, "findings")["findings"]


def test_findings_are_those_of_the_command(story: Callable[[str], Path]) -> None:
    path = story("training")
    with captures(path) as opened, nsysql.open(path) as run:
        told, found = one(opened, "findings", top=99), find(run)
    shown = [f for f in found.findings if f.shown]
    assert told["headline"] == found.headline and told["not_known"] == found.unsure
    kept = ("code", "part_id", "gpu_id", "subject", "total_ns", "saves_ns", "certainty")
    assert [[f[key] for key in kept] for f in told["findings"]] == [[getattr(f, key) for key in kept] for f in shown]
    assert told["cannot_be_checked"] == sorted(found.missing)


def test_rows_are_those_of_the_query(story: Callable[[str], Path]) -> None:
    path = story("training")
    with captures(path) as opened, nsysql.open(path) as run:
        told = one(opened, "query", name="cuda_gpu_kern_sum", limit=2)
        frame = run.query("cuda_gpu_kern_sum")
    assert told["rows"] == json.loads(frame.head(2).write_json())
    assert told["truncated"]["rows_total"] == frame.height and told["truncated"]["rows_shown"] == 2


def test_keys_resolve(story: Callable[[str], Path]) -> None:
    path = story("training")
    with captures(path) as opened, nsysql.open(path) as run:
        gaps = one(opened, "query", name="part_gaps", limit=50)["rows"]
        work = one(opened, "query", name="part_work", limit=50)["rows"]
        longest = run.query("idle_gaps").sort("dur_ns", descending=True).row(0, named=True)
        explained = one(opened, "explain", gap=longest["gap_id"])
        keys = rows_with_keys({"rows": [*gaps, *work], "pieces": explained["pieces"]})
        assert keys and all(run.sql(f"FROM raw.{table} WHERE rowid = {row}").height == 1 for table, row in keys)
    assert explained["gap"]["dur_ns"] == longest["dur_ns"] == sum(piece["dur_ns"] for piece in explained["pieces"])
    assert sum(cause["idle_ns"] for cause in explained["causes"]) == longest["dur_ns"]


def test_gaps_of_parts_are_the_idle_time_of_parts(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        parts = run.query("part").filter(kind="series")
        for part_id, idle_ns in parts.select("part_id", "idle_ns").rows():
            gaps = run.query("part_gaps", part=part_id)
            assert gaps["idle_ns"].sum() == idle_ns
            by_claim = [run.query("part_gaps", part=part_id, claim=claim) for claim in claims(run)]
            assert sum(int(frame["idle_ns"].sum()) for frame in by_claim) == idle_ns
            assert run.query("part_gaps", part=part_id, top=1).to_dicts() == gaps.head(1).to_dicts()


def claims(run: nsysql.Run) -> list[str]:
    return run.query("part_idle")["claim"].unique().to_list()


def test_work_of_a_part_is_its_kernels(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        sums = run.query("part_kernel")
        for part_id, name in sums.select("part_id", "name").unique().rows():
            own = run.query("part_work", part=part_id, kind="kernel", name=name)
            assert own["dur_ns"].sum() == sums.filter(part_id=part_id, name=name)["total_ns"].sum()
        kind = sums["class"][0]
        names = {*sums.filter(pl.col("class") == kind)["name"]}
        assert {*run.query("part_work", kernel_class=kind)["name"]} == names


def test_nothing_found_differs_from_cannot(story: Callable[[str], Path]) -> None:
    with captures(story("no_cuda")) as opened:
        lacks = one(opened, "query", name="idle_gaps")
        assert lacks["kind"] == "MissingData" and "--trace=cuda" in lacks["cannot"]
        told = one(opened, "explain", code="launch-bound")
        assert "cannot" in told and "none" not in told
    with captures(story("training")) as opened:
        told = one(opened, "explain", code="page-faults")
        assert told.get("none") or told.get("cannot")
        none = one(opened, "query", name="part_work", parameters={"name": "nobody"})
        assert none["rows"] == [] and none["none"].startswith("no rows")


def test_doctor_of_a_damaged_capture_keeps_its_size(story: Callable[[str], Path], tmp_path: Path) -> None:
    path = Path(shutil.copy(story("training"), tmp_path / "damaged.sqlite"))
    for table, key in (("KERNEL", "shortName"), ("MEMCPY", "bytes"), ("RUNTIME", "nameId")):
        alter(
            path,
            f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET {key} = 'x', correlationId = 900000 + rowid",
            f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET end = start - 5 WHERE rowid % 3 = 0",
            f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET end = end + 1e12 WHERE rowid % 3 = 1",
        )
    with captures(path) as opened:
        told = ask(opened, [("doctor", {})])
    document = told.documents[0]
    assert len(told.texts[0]) <= LIMIT and document["findings_total"] > 8
    assert all(len(found["touches"]) <= 8 <= found["touches_total"] for found in document["findings"])


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("findings", {"prat": 1}, "Did you mean part"),
        ("findings", {"top": "5"}, "must be of type integer"),
        ("findings", {"top": 0}, "must be from 1 to 100,000"),
        ("query", {"name": "cuda_gpu_kern_sum", "limit": 10**30}, "must be from 1 to 100,000"),
        ("findings", {"part": 99}, "There is no part 99"),
        ("explain", {}, "either code"),
        ("explain", {"code": "few-block"}, "Did you mean few-blocks"),
        ("explain", {"gap": 10**9}, "there is no gap"),
        ("query", {}, "query needs name"),
        ("query", {"name": "kernle"}, "Did you mean kernel"),
        ("query", {"name": "idle_gaps", "parameters": {"topp": 1}}, "Did you mean top"),
        ("list", {"pack": "idel"}, "Did you mean idle"),
        ("open", {"max_characters": 50_000}, "from 1000 to 40000"),
        ("fndings", {}, "Did you mean findings"),
    ],
)
def test_a_wrong_call_is_told_what_is_right(
    name: str, arguments: dict[str, Any], words: str, story: Callable[[str], Path]
) -> None:
    with captures(story("training")) as opened:
        told = one(opened, name, **arguments)
    assert words in told["cannot"] and told["kind"] == "UsageError"


def test_an_answer_keeps_its_size() -> None:
    rows = [{"n": n, "text": "x" * 100} for n in range(1000)]
    text = text_of(Answer({"rows": rows}, "rows", 1000, "ask for less"), 4000)
    told = json.loads(text)
    assert 3500 < len(text) <= 4000 and told["rows"] == rows[: len(told["rows"])]
    assert told["truncated"] == {"rows_total": 1000, "rows_shown": len(told["rows"]), "how_to_get_more": "ask for less"}
    wide = {f"column_{n}": "x" * 5000 for n in range(10)}
    assert len(text_of(Answer({"rows": [wide]}, "rows", 1), 4000)) <= 4000
    with pytest.raises(nsysql.NsysqlError, match="ask for fewer columns"):
        text_of(Answer({"rows": [{f"column_{n}": n for n in range(1000)}]}, "rows", 1), 4000)


def test_a_long_text_is_cut_and_says_so() -> None:
    assert answer.cleaned("a" * 1000) == "a" * 300 + "…400 characters…" + "a" * 300


def test_resources_and_the_prompt(story: Callable[[str], Path]) -> None:
    from mcp import Client

    async def run() -> None:
        with captures(story("training")) as opened:
            async with Client(make_server(opened)) as client:
                tools = (await client.list_tools()).tools
                assert [tool.name for tool in tools] == [*NAMES] and all(tool.description for tool in tools)
                assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
                uris = [resource.uri for resource in (await client.list_resources()).resources]
                assert "nsysql://query/idle_gaps" in uris
                header = (await client.read_resource("nsysql://query/idle_gaps")).contents[0].text
                assert header.startswith("A gap:") and "min_gap_ns" in header
                with pytest.raises(Exception, match="There is no query"):
                    await client.read_resource("nsysql://query/../../etc/passwd")
                prompt = (await client.list_prompts()).prompts[0]
                text = (await client.get_prompt(prompt.name, {"capture": "a.sqlite"})).messages[0].content.text
                assert "a.sqlite" in text

    anyio.run(run)


@pytest.mark.parametrize(("name", "codes"), CASES, ids=[name for name, _ in CASES])
def test_who_follows_next_gets_the_finding_and_its_evidence(name: str, codes: tuple[str, ...], corpus: Path) -> None:
    """Calls only what answers name under `next`, the first that was not called yet."""
    path = corpus / f"{name}.sqlite"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with captures(path) as opened, nsysql.open(path) as run:
        called: list[Any] = []
        waiting, size, found, evidence = [("findings", {})], 0, set(), set()
        while waiting and not (found & {*codes} and evidence):
            call = waiting.pop(0)
            called.append(call)
            told = ask(opened, [call])
            size += len(told.texts[0])
            document = told.documents[0]
            found |= {f["code"] for f in document.get("findings", ())}
            if document.get("code") in codes:
                evidence |= {*rows_with_keys(document)}
            evidence |= {
                ("gap", row["gap_id"])
                for row in document.get("rows", ())
                if document.get("code") in codes and "gap_id" in row
            }
            waiting = [(s["tool"], s["arguments"]) for s in document.get("next", ())] + waiting
            waiting = [one for one in waiting if one not in called]
        assert found & {*codes} and evidence
        assert len(called) <= CALLS and size <= CHARACTERS, (len(called), size)
        gaps = run.query("idle_gaps", paths=False)["gap_id"] if run.has("_idle_gap") else []
        for table, row in evidence:
            assert row in gaps if table == "gap" else run.sql(f"FROM raw.{table} WHERE rowid = {row}").height == 1


@pytest.mark.parametrize(
    "name", one_in(2, capture_names("more/cases/va-7498-1.sqlite", "synth-idle-a.sqlite")) or ["(none)"]
)
def test_every_query_answers_on_a_capture(name: str, corpus: Path) -> None:
    with captures(corpus / f"{name}.sqlite") as opened:
        calls = [("query", {"name": query}) for query in opened.queries]
        found = ask(opened, calls)
    assert max(map(len, found.texts)) <= LIMIT
    kinds = {document.get("kind") for document in found.documents}
    assert kinds <= {None, "MissingData", "UsageError"}, kinds
