"""Damaged, odd and hostile folders of Arrow files: an answer, or one clear line; never a crash."""

import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from folders import create_folder
from pyarrow import ipc

import nsysql
from nsysql.capture.forms import arrow
from nsysql.errors import ExportChanged, NotAnExport

Story = Callable[[str], Path]
KERNELS = "SELECT count(*), sum(start) FROM raw.CUPTI_ACTIVITY_KIND_KERNEL"
NAMES = "SELECT value FROM raw.StringIds ORDER BY id"
FORMS = ("file", "stream")


@pytest.fixture(params=FORMS)
def folder(request: pytest.FixtureRequest, story: Story, tmp_path: Path) -> Path:
    """The story two_streams as Arrow files in NVIDIA's form, the stream, or in that of nsysql convert."""
    made = create_folder(story("two_streams"), tmp_path / "run", "arrow")
    if request.param == "file":
        for file in made.iterdir():
            write(file, read(file))
    return made


def write(file: Path, table: pa.Table, form: str = "file") -> None:
    """Write a table as an Arrow file or stream."""
    with (ipc.new_file if form == "file" else ipc.new_stream)(file, table.schema) as out:
        out.write_table(table, max_chunksize=100)


def read(file: Path) -> pa.Table:
    """The table in a file, which may be written anew then."""
    whole = file.read_bytes()
    return (ipc.open_file(whole) if form_of(file) == "file" else ipc.open_stream(whole)).read_all()


def form_of(file: Path) -> str:
    """The form that a file has."""
    return "file" if file.read_bytes().startswith(b"ARROW1") else "stream"


def names(file: Path, texts: list[bytes | None]) -> None:
    """Write StringIds anew with these texts, UTF-8 or not."""
    cells = pa.array(texts, pa.binary()).view(pa.string())
    write(file, pa.table({"id": pa.array(range(len(texts)), pa.uint64()), "value": cells}), form_of(file))


def answer(export: Path, sql: str) -> str:
    """What nsysql answers in a process of its own, whose crash or hunger is a failure here."""
    bounded = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2); from nsysql.cli import main; main()"
    )
    words = [sys.executable, "-c", bounded, "sql", str(export), sql, "--format", "csv"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0 or (ran.returncode == 1 and len(ran.stderr.splitlines()) == 1), ran
    return ran.stdout + ran.stderr


def test_an_offset_beyond_the_texts(folder: Path) -> None:
    file = folder / "StringIds.arrow"
    names(file, [b"one", b"two", b"three"])
    whole = file.read_bytes()
    offsets = struct.pack("<4i", 0, 3, 6, 11)
    assert whole.count(offsets) == 1
    file.write_bytes(whole.replace(offsets, struct.pack("<4i", 0, 3, 0x7F000006, 11)))
    assert "StringIds.arrow is damaged" in answer(folder, NAMES)


@pytest.mark.parametrize("few", [1, 100_000])
def test_texts_that_are_not_utf8_are_shown_as_those_of_sqlite(
    few: int, folder: Path, tmp_path: Path, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow, "FEW_ROWS_COPIED", few)
    texts = [b"plain", b"a\xffb", b"\xc3\xa9", b"\xc3", None, b"it's\xfe\n", b""]
    names(folder / "StringIds.arrow", texts)
    export = Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))
    db = sqlite3.connect(export)
    db.execute("DELETE FROM StringIds")
    for place, text in enumerate(texts):
        db.execute("INSERT INTO StringIds VALUES (?, CAST(? AS TEXT))", (place, text))
    db.commit()
    db.close()
    with nsysql.open(folder) as run, nsysql.open(export) as same:
        assert run.sql(NAMES).rows() == same.sql(NAMES).rows()
        assert ("a\\xFFb",) in run.sql(NAMES).rows()
        assert run.launches().rows() == same.launches().rows()


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_a_table_without_end(form: str, story: Story, tmp_path: Path) -> None:
    folder = create_folder(story("two_streams"), tmp_path / "run", form)
    file = folder / f"StringIds.{form}"
    file.unlink()
    file.symlink_to("/dev/zero")
    assert "is read from regular files" in answer(folder, NAMES)


def test_an_export_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.sqlite")
    assert "is read from regular files" in answer(tmp_path / "run.sqlite", NAMES)


def test_a_table_may_be_a_link_to_a_file(folder: Path, tmp_path: Path) -> None:
    file = folder / "StringIds.arrow"
    file.symlink_to(file.rename(tmp_path / "elsewhere"))
    with nsysql.open(folder) as run:
        assert run.launches().height == 3


@pytest.mark.parametrize("few", [1, 100_000])
@pytest.mark.parametrize("left", [0, 300, 0.5])
def test_a_file_cut_short_while_it_is_open(
    left: float, few: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow, "FEW_ROWS_COPIED", few)
    file = folder / "CUPTI_ACTIVITY_KIND_KERNEL.arrow"
    write(file, pa.concat_tables([read(file)] * 1000), form_of(file))
    with nsysql.open(folder) as run:
        os.truncate(file, int(file.stat().st_size * left if left < 1 else left))
        with pytest.raises(ExportChanged, match=r"KERNEL\.arrow was replaced, rewritten or removed"):
            run.sql(KERNELS)


def test_a_file_cut_short_while_it_is_read(folder: Path) -> None:
    file = folder / "CUPTI_ACTIVITY_KIND_KERNEL.arrow"
    write(file, pa.concat_tables([read(file)] * 1000).combine_chunks(), form_of(file))
    reads = (
        "import os, sys; from pathlib import Path; from nsysql.capture.forms.arrow import ArrowTable\n"
        "rows = ArrowTable(Path(sys.argv[1]))._batches(['start']); next(rows); os.truncate(sys.argv[1], 300); [*rows]"
    )
    ran = subprocess.run([sys.executable, "-c", reads, str(file)], capture_output=True, text=True, check=False)
    assert ran.returncode >= 0, ran  # no bus error; what was not read is found out as above


@pytest.mark.parametrize("columns", [["start", "START"], ["start", "en\0d"], ["start", "end", "start"], []])
def test_columns_without_a_name_of_their_own(columns: list[str], folder: Path) -> None:
    file = folder / "CUPTI_ACTIVITY_KIND_KERNEL.arrow"
    write(file, pa.table([pa.array([1, 2])] * len(columns), names=columns), form_of(file))
    with pytest.raises(NotAnExport, match=r"KERNEL\.arrow is damaged"):
        nsysql.open(folder)


def test_only_the_columns_of_a_question_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "FEW_ROWS_COPIED", 1)
    file = folder / "NVTX_EVENTS.arrow"
    texts = pa.array(["text", "more"])
    write(file, pa.table({"start": pa.array([1, 2]), "text": texts}), form_of(folder / "StringIds.arrow"))
    file.write_bytes(file.read_bytes().replace(struct.pack("<3i", 0, 4, 8), struct.pack("<3i", 0, -5, 8)))
    with nsysql.open(folder) as run:
        assert run.sql("SELECT sum(start) FROM raw.NVTX_EVENTS").item() == 3
        with pytest.raises(NotAnExport, match=r"NVTX_EVENTS\.arrow is damaged"):
            run.sql("SELECT text FROM raw.NVTX_EVENTS")
