"""Digests of ranks: ranks and compare read them as they read the exports."""

import gzip
import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command_line import Ran
from drawn import drawn
from exports import alter, capture_names, corpus_folder, each_opened, one_in

import nsysql
from nsysql import Run
from nsysql.analysis.digest import FRAMES, STEP, WORK, Digest
from nsysql.analysis.digest_file import _text, read, text_of
from nsysql.digest import gather
from nsysql.digest.gather import digest
from nsysql.errors import NotAnExport

GPU = pl.DataFrame([{"gpu_id": 0, "name": "A100"}], schema=FRAMES["gpus"])
JOBS = corpus_folder() / "more" / "ranks"
NAMES = capture_names("*.sqlite", "more/pairs/*.sqlite", "more/steps/*.sqlite", "more/ranks/mpi3-slow/*.sqlite")


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not JOBS.is_dir():
        pytest.skip(f"no jobs at {JOBS}")

    folder = tmp_path_factory.mktemp("digests")
    for job in ("mpi3-slow", "mpi3-even"):
        (folder / job).mkdir()
        for export in (JOBS / job).glob("rank_*.sqlite"):
            with nsysql.open(export) as run:
                text = text_of(digest(run))
            assert len(text) < 60_000
            (folder / job / f"{export.stem}.digest").write_bytes(text)
    return folder


def test_ranks_of_digests_are_those_of_the_exports(digests: Path, run: Callable[..., Ran]) -> None:
    of_exports = run("ranks", *sorted((JOBS / "mpi3-slow").glob("rank_*.sqlite")), "-f", "csv", "-q")
    of_digests = run("ranks", digests / "mpi3-slow", "-f", "csv", "-q")
    assert (of_digests.code, of_digests.err) == (0, of_exports.err)
    assert of_digests.text == of_exports.text


def test_two_folders_of_ranks_are_two_jobs(digests: Path, tmp_path: Path, run: Callable[..., Ran]) -> None:
    of_digests = run("compare", digests / "mpi3-slow", digests / "mpi3-even", "-f", "json", "-q")
    for job in ("mpi3-slow", "mpi3-even"):
        (tmp_path / job).mkdir()
        for export in (JOBS / job).glob("rank_*.sqlite"):
            shutil.copy(export, tmp_path / job)
    of_exports = run("compare", tmp_path / "mpi3-slow", tmp_path / "mpi3-even", "-f", "json", "-q")
    assert of_digests.code == 0, of_digests.err
    assert of_digests.text == of_exports.text
    assert '"forward"' in of_digests.text or "step > forward" in of_digests.text


def test_two_folders_are_compared_in_the_library(digests: Path, run: Callable[..., Ran]) -> None:
    found = nsysql.compare(digests / "mpi3-slow", digests / "mpi3-even").document()
    assert found == json.loads(run("compare", digests / "mpi3-slow", digests / "mpi3-even", "-f", "json", "-q").text)
    assert found["captures"] == {"a": 1, "b": 1}


def test_many_runs_can_be_digests(digests: Path, tmp_path: Path, run: Callable[..., Ran]) -> None:
    of_digests = json.loads(run("runs", digests / "mpi3-slow", "-f", "json", "-q").text)
    of_exports = json.loads(run("runs", JOBS / "mpi3-slow", "-f", "json", "-q").text)
    assert [file["status"] for file in of_digests["files"]] == ["answered"] * 3
    for found in (of_digests, of_exports):
        del found["files"]
    assert of_digests == of_exports
    refused = run("runs", digests / "mpi3-slow", "--query", "gpu_time")
    assert refused.code == 1 and "give the export" in refused.err


@each_opened(one_in(9, NAMES))
def test_a_capture_equals_itself(found_open: Run, tmp_path: Path, run: Callable[..., Ran]) -> None:
    digest = tmp_path / "run.digest.json"
    made = run("digest", found_open.path, "-o", digest)
    assert (made.code, made.out) == (0, b"")
    assert digest.stat().st_size < 60_000
    found = run("compare", digest, digest, "-f", "json", "-q")
    if found.code:
        assert (found.code, found.err.count("\n")) == (1, 1)
        assert "cannot be compared" in found.err
        return
    document = json.loads(found.text)
    assert document["verdict"] == "no_difference_shown"
    assert {row["delta_ns"] for row in document["accounts"]} == {0}
    assert {row["matched_by"] for row in document["accounts"]} == {"name"}


def test_digests_give_the_same_bytes(corpus: Path, tmp_path: Path, run: Callable[..., Ran]) -> None:
    exports = [corpus / "more" / "pairs" / f"heat1024-{name}.sqlite" for name in ("nocublas-a", "cublas")]
    made = [tmp_path / "a.digest", tmp_path / "b.digest"]
    for export, path in zip(exports, made, strict=True):
        assert run("digest", export, "-o", path).code == 0
    of_export, of_digest = (run("compare", a, "--with", made[1], "-f", "json", "-q") for a in (exports[0], made[0]))
    assert of_export.out == of_digest.out
    assert of_export.code == 0


def test_a_digest_has_no_paths_and_nothing_of_the_environment(corpus: Path, run: Callable[..., Ran]) -> None:
    export = corpus / "more" / "pairs" / "um-repeat-06.sqlite"
    text = gzip.decompress(run("digest", export).out).decode()
    db = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
    private = [
        value
        for name, value in db.execute("SELECT name, value FROM META_DATA_CAPTURE")
        if name.endswith(("COMMAND", "WORKING_DIR", "DEVICE_DISPLAY_NAME")) and len(value) > 3 and value != "UNKNOWN"
    ]
    assert private
    assert not [value for value in private if value in text]
    assert "/home" not in text
    assert str(export.parent) not in text


FAMILIES = {  # innermost frame first: (function, module)
    "MPI and UCX": [
        ("poll", "/usr/lib64/libc.so.6"),
        ("ucp_worker_progress", "/opt/libucp.so.0"),
        ("main", "/opt/app"),
    ],
    "NCCL": [("ncclProxyProgress", "/opt/libnccl.so.2")],
    "OpenMP runtime": [("gomp_team_barrier_wait", "/usr/lib64/libgomp.so.1")],
    "CUDA runtime": [("0x7f12", "/usr/lib64/libcuda.so.560"), ("main", "/opt/app")],
    "Python": [("_PyEval_EvalFrameDefault", "/usr/bin/python3.11")],
    "allocator": [("_int_malloc", "/usr/lib64/libc.so.6"), ("main", "/opt/app")],
    "profiler": [("[unknown]", "/opt/libToolsInjection64.so")],
    "program": [("entry", "[kernel.kallsyms]"), ("solve(int)", "/opt/app")],
    "system": [("entry", "[kernel.kallsyms]"), ("memcpy", "/usr/lib64/libc.so.6")],
}


def test_families_of_host_code(build: Callable[[str], Path]) -> None:
    texts = list(dict.fromkeys(text for frames in FAMILIES.values() for frame in frames for text in frame))
    strings = ", ".join(f"({100 + i}, '{text}')" for i, text in enumerate(texts))
    chains, samples = [], []
    for number, frames in enumerate(FAMILIES.values()):
        samples.append(f"({number}, {1_000 * number}, {500 << 24 | 500})")
        chains += [
            f"({number}, {depth}, {100 + texts.index(function)}, {100 + texts.index(module)}, 0)"
            for depth, (function, module) in enumerate(frames)
        ]
    export = build(
        f"INSERT INTO StringIds (id, value) VALUES {strings};\n"
        f"INSERT INTO SAMPLING_CALLCHAINS (id, stackDepth, symbol, module, unresolved) VALUES {', '.join(chains)};\n"
        f"INSERT INTO COMPOSITE_EVENTS (id, start, globalTid) VALUES {', '.join(samples)};"
    )
    with nsysql.open(export) as run:
        rows = run.query("sampled_functions")
    assert set(rows["family"]) == set(FAMILIES)
    assert set(rows["total_ns"]) == {1_000} and set(rows["count"]) == {1}
    names = dict(rows.select("family", "name").iter_rows())
    assert names["MPI and UCX"] == "ucp_worker_progress" and names["program"] == "solve(int)"
    assert names["CUDA runtime"] == "(libcuda.so.560)" and names["system"] == "entry"


WITH_A_LONG_STEP = """
every 1000 x 6
  kernel "a(float *)" 0-3 5-400
  kernel "b(float *)" 4-7 400-900
at 6000
  kernel "a(float *)" 0-3 5-400
  kernel "b(float *)" 4-7 400-900
  kernel "check(float *)" 8-11 900-4000
  kernel "check(float *)" 12-15 4000-8000
every 1000 x 6 from 15000
  kernel "a(float *)" 0-3 5-400
  kernel "b(float *)" 4-7 400-900
"""


def test_a_step_with_other_launches_is_in_no_sample(tmp_path: Path) -> None:
    """The same steps as `steps` calls steady, and their launches, but the last, whose end no next step marks."""
    with nsysql.open(drawn("long", WITH_A_LONG_STEP).write(tmp_path / "run.sqlite")) as run:
        steady = run.query("step_times").filter("is_steady").sort("step").head(-1)
        found = digest(run)
    unit = next(unit for unit in found.units if unit.kind == STEP)
    assert sum(unit.steps) == unit.total_steps == steady.height == 11
    assert sum(sum(account.ns) for account in unit.gpus[0].accounts) == steady["period_ns"].sum()
    assert {total.name: total.count for total in unit.launches} == {"a(float *)": 11, "b(float *)": 11}
    assert sum(t.count for t in next(unit for unit in found.units if unit.kind == WORK).launches) == 28


def test_work_on_an_unknown_gpu_is_in_the_digest(tmp_path: Path) -> None:
    """An export with NULL as the device of its kernels: what is written can be read."""
    path = drawn("unknown", WITH_A_LONG_STEP).write(tmp_path / "run.sqlite")
    alter(path, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = NULL, streamId = NULL")
    with nsysql.open(path) as run:
        (tmp_path / "run.digest").write_bytes(text_of(digest(run)))
    assert [device.gpu_id for device in read(tmp_path / "run.digest").facts.devices] == [None]


@pytest.mark.parametrize(
    "column",
    [
        None, "abc", {"texts": ["a"]}, {"texts": ["a"], "places": [1]}, {"texts": ["a"], "places": [-1]},
        {"texts": [1], "places": [0]}, {"texts": "a", "places": [0]}, {"texts": ["a"], "places": [0, 0]},
    ],
)  # fmt: skip
def test_a_column_of_texts_that_is_damaged_is_refused(tmp_path: Path, column: Any) -> None:
    document = json.loads(gzip.decompress(text_of(Digest(gpus=GPU))))
    assert document["digest"]["gpus"]["name"] == {"texts": ["A100"], "places": [0]}
    document["digest"]["gpus"]["name"] = column
    document["sha256"] = hashlib.sha256(_text(document["digest"])).hexdigest()
    (tmp_path / "run.digest").write_text(json.dumps(document))
    with pytest.raises(NotAnExport, match="gpus has values of other types, or columns of other lengths"):
        read(tmp_path / "run.digest")


def test_of_many_accounts_of_collectives_small_ones_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pl.DataFrame(
        [
            (1, "gpu", "computing", "gemm", 90), (1, "gpu", "computing", "add", 2), (1, "gpu", "computing", "mul", 3),
            (1, "cpu", "nvtx", "step", 60), (1, "cpu", "nvtx", "step > log", 5), (2, "gpu", "computing", "gemm", 80),
            (2, "gpu", "idle", None, 1),
        ],
        schema=["collective_id", "clock", "kind", "name", "total_ns"], orient="row",
    )  # fmt: skip
    assert gather._largest(rows) is rows
    monkeypatch.setattr(gather, "ACCOUNTS", 3)
    assert sorted(gather._largest(rows).rows()) == [
        (1, "cpu", "nvtx", "step", 60), (1, "cpu", "rest", "smaller ones", 5), (1, "gpu", "computing", "gemm", 90),
        (1, "gpu", "computing", "smaller ones", 5), (2, "gpu", "computing", "gemm", 80),
        (2, "gpu", "idle", "smaller ones", 1),
    ]  # fmt: skip
