"""Exports and answers in odd places: several readers, logs beside the file, a full disk, files beyond 4 GB."""

import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import PROGRAM

import nsysql

Story = Callable[[str], Path]


@pytest.fixture
def export(story: Story, tmp_path: Path) -> Path:
    """A small export alone in a folder."""
    (tmp_path / "here").mkdir()
    return Path(shutil.copy(story("two_streams"), tmp_path / "here" / "run.sqlite"))


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Reading --------------------------------------------------------------------------------------------


def test_several_processes_read_one_export(export: Path) -> None:
    before = state(export.parent)
    command = [*PROGRAM, "launches", str(export), "-q", "-f", "csv"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    answers = {process.communicate(timeout=120) for process in running}
    assert len(answers) == 1
    (out, err) = answers.pop()
    assert (out.count(b"\n"), err) == (4, b"")
    assert state(export.parent) == before


def test_changes_that_were_not_committed_do_not_count(export: Path, tmp_path: Path) -> None:
    """As a writer that was killed leaves it: pages are changed, and a journal beside the file has the old ones."""
    writer = sqlite3.connect(export)
    writer.execute("PRAGMA cache_spill = 1")
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
    writer.execute("CREATE TABLE padding AS SELECT randomblob(4000) FROM StringIds, StringIds, StringIds, StringIds")
    left = tmp_path / "left"
    shutil.copytree(export.parent, left)
    writer.rollback()
    writer.close()
    before = state(left)
    assert before.keys() == {"run.sqlite", "run.sqlite-journal"}
    with nsysql.open(left / "run.sqlite") as run:
        assert run.cuda_gpu_kern_sum()["instances"].sum() == 3
    assert state(left) == before


def test_a_folder_of_an_odd_name(export: Path) -> None:
    folder = export.parent.rename(export.parent.with_name("50% of #1's «läufe» 走"))
    found = subprocess.run(
        [*PROGRAM, "launches", "run.sqlite", "-f", "csv", "-o", "answer 100%.csv"], cwd=folder, capture_output=True
    )
    assert (found.returncode, found.stdout) == (0, b"")
    assert (folder / "answer 100%.csv").read_bytes().count(b"\n") == 4


@pytest.mark.skipif(os.name == "nt", reason="Windows makes no sparse files by itself")
def test_a_file_beyond_4_gb(export: Path) -> None:
    """The table of kernels lies on the last of 70,000 pages of 64 kB."""
    page, last = 65_536, 70_000
    db = sqlite3.connect(export)
    db.execute(f"PRAGMA page_size = {page}")
    db.execute("VACUUM")
    (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'").fetchone()
    db.execute("PRAGMA writable_schema = 1")
    db.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'", [last])
    db.commit()
    db.close()
    with export.open("r+b") as file:
        file.seek((root - 1) * page)
        leaf = file.read(page)
        file.seek((root - 1) * page)
        file.write(b"\xa5" * page)
        file.seek((last - 1) * page)
        file.write(leaf)
        file.seek(28)
        file.write(struct.pack(">I", last))
    assert export.stat().st_size > 2**32
    with nsysql.open(export) as run:
        assert run.cuda_gpu_kern_sum()["instances"].sum() == 3


# Writing where the disk is full -----------------------------------------------------------------------

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
from nsysql.cli import main
main(sys.argv[1:])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="limits no files")
@pytest.mark.parametrize(
    ("command", "made", "before"),
    [
        (["cuda-gpu-trace", "-f", "csv", "-o", "x.csv"], "x.csv", b""),
        (["cuda-gpu-trace", "-f", "parquet", "-o", "x.csv"], "x.csv", b"what was there"),
        (["cuda-gpu-trace", "-f", "arrow", "-o", "x.csv"], "x.csv", b""),
        (["cuda-gpu-trace", "-f", "json", "-o", "x.csv"], "x.csv", b"what was there"),
        (["cuda-gpu-trace", "-f", "table", "-o", "x.csv"], "x.csv", b"what was there"),
        (["summary", "-f", "markdown", "-o", "x.csv"], "x.csv", b""),
        (["doctor", "-o", "x.csv", "-f", "json"], "x.csv", b"what was there"),
        (
            ["stats", "-r", "cuda_gpu_trace", "-f", "csv", "-o", "x", "--force-overwrite", "true"],
            "x_cuda_gpu_trace.csv",
            b"what was there",
        ),
    ],
)
def test_a_full_disk_leaves_what_was_there(
    command: list[str], made: str, before: bytes, story: Story, tmp_path: Path
) -> None:
    if before:
        (tmp_path / made).write_bytes(before)
    found = subprocess.run(  # -B, or compiled modules would be cut off, too
        [sys.executable, "-B", "-c", LIMITED, command[0], str(story("training")), *command[1:]],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 1, found.stderr
    assert "File too large" in found.stderr
    assert "Traceback" not in found.stderr
    assert state(tmp_path) == ({made: before} if before else {})
