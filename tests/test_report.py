"""Reports of nsys: exported once, by an nsys that is a script here; and exports that are older than their report."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from answers import kernels
from command_line import Ran

import nsysql
from nsysql.capture.forms import report_cache
from nsysql.errors import NotAnExport, NsysqlError

Story = Callable[[str], Path]
Run = Callable[..., Ran]
NSYS = """#!/bin/sh
echo run >> "{log}"
for word; do case $word in --output=*) out="${{word#--output=}}";; esac; done
head -c 1000 "{export}" > "$out"
echo "Processing events: [=====   50%]"
{then}
cp "{export}" "$out"
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the nsys of these tests is a shell script")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no nsys on the PATH."""
    monkeypatch.setenv("NSYSQL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "cache"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report alone in a folder."""
    (tmp_path / "here").mkdir()
    path = tmp_path / "here" / "run.nsys-rep"
    path.write_bytes(b"no report really")
    return path


@pytest.fixture
def nsys(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable[[], int]]:
    """Install an nsys that exports a story, after doing `then`; what comes back counts its runs."""

    def install(then: str = "") -> Callable[[], int]:
        tool, log = tmp_path / "my nsys", tmp_path / "log"
        tool.write_text(NSYS.format(export=story("two_streams"), log=log, then=then))
        tool.chmod(0o755)
        monkeypatch.setenv("NSYSQL_NSYS", str(tool))
        return lambda: log.read_text().count("run") if log.exists() else 0

    return install


def test_a_report_is_exported_once_and_again_when_it_changed(
    report: Path, nsys: Callable[..., Callable[[], int]], place: Path
) -> None:
    runs = nsys()
    assert (kernels(report), kernels(report), runs()) == (3, 3, 1)
    assert [path.name for path in report.parent.iterdir()] == ["run.nsys-rep"]
    report.write_bytes(b"captured again")
    assert (kernels(report), runs()) == (3, 2)
    assert len(list(place.iterdir())) == 1


def test_the_nsys_on_the_path_will_do(
    report: Path, nsys: Callable[..., Callable[[], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nsys()
    (tmp_path / "my nsys").rename(tmp_path / "nsys")
    monkeypatch.delenv("NSYSQL_NSYS")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert kernels(report) == 3


def test_every_command_takes_a_report(report: Path, nsys: Callable[..., Callable[[], int]], run: Run) -> None:
    runs = nsys()
    assert run("launches", report, "-f", "csv").code == 0
    assert run("stats", "-q", "-r", "cuda_gpu_kern_sum", report).code == 0
    assert run("analyze", "-q", "-r", "gpu_gaps", report).code == 0
    assert run("convert", report, "-o", report.with_name("run.duckdb")).code == 0
    assert runs() == 1


def test_without_nsys_the_command_is_told(report: Path, run: Run) -> None:
    with pytest.raises(NotAnExport, match=f"nsys export --type sqlite {report}"):
        nsysql.open(report)
    answer = run("summary", report)
    assert (answer.code, answer.err.count("\n")) == (1, 1)


def test_an_nsys_that_fails_is_quoted(report: Path, nsys: Callable[..., Callable[[], int]], place: Path) -> None:
    nsys('echo "Report was made by a newer version." >&2; exit 3')
    with pytest.raises(NsysqlError, match="Report was made by a newer version"):
        nsysql.open(report)
    assert list(place.iterdir()) == []


def test_an_nsys_that_cannot_be_run(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSYSQL_NSYS", "/no/such/nsys")
    with pytest.raises(NsysqlError, match="/no/such/nsys cannot be run"):
        nsysql.open(report)


def test_two_at_once(report: Path, nsys: Callable[..., Callable[[], int]], place: Path) -> None:
    nsys("sleep 0.3")
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(kernels, [report] * 3)) == [3, 3, 3]
    assert len(list(place.iterdir())) == 1


def test_a_folder_that_another_process_removes_meanwhile(
    report: Path, nsys: Callable[..., Callable[[], int]], place: Path
) -> None:
    nsys()
    place.mkdir()
    (place / ".part-gone").symlink_to("gone")  # in the list of files, but its state cannot be read
    assert kernels(report) == 3


def test_an_export_in_the_cache_is_read_on_while_others_ask_for_it(
    report: Path, nsys: Callable[..., Callable[[], int]]
) -> None:
    nsys()
    with nsysql.open(report) as run:
        run.launches()
        assert kernels(report) == 3
        run.launches()


def test_what_two_made_at_once_stays_what_the_first_one_opened(place: Path, report: Path) -> None:
    def make(export: Path) -> None:
        export.write_bytes(b"second")
        nonlocal first
        first = report_cache.cached_export(report, lambda path: path.write_bytes(b"first") and None, Path.exists)

    first = Path()
    assert report_cache.cached_export(report, make, Path.exists) == first
    assert first.read_bytes() == b"first"
    assert list(place.iterdir()) == [first]


def test_an_interruption_leaves_nothing(report: Path, nsys: Callable[..., Callable[[], int]], place: Path) -> None:
    runs = nsys("exec sleep 30")
    command = subprocess.Popen(
        [sys.executable, "-m", "nsysql", "gpus", str(report)], stderr=subprocess.PIPE, cwd=Path(__file__).parent.parent
    )
    while not runs():
        time.sleep(0.05)
    time.sleep(0.2)
    began = time.monotonic()
    command.send_signal(2)
    assert command.communicate()[1] == b""
    assert (command.returncode, time.monotonic() - began < 5) == (130, True)
    assert list(place.iterdir()) == []


def test_a_bar_is_shown_on_a_terminal(report: Path, nsys: Callable[..., Callable[[], int]]) -> None:
    import pty

    nsys("sleep 2")
    leader, follower = pty.openpty()
    command = subprocess.Popen(
        [sys.executable, "-m", "nsysql", "gpus", str(report)],
        stdout=subprocess.DEVNULL, stderr=follower, env={**os.environ, "TERM": "xterm"},
        cwd=Path(__file__).parent.parent,
    )  # fmt: skip
    os.close(follower)
    assert command.wait() == 0
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert "Exporting run.nsys-rep" in shown
    assert "50%" in shown


# Stale exports --------------------------------------------------------------------------------------


def older(path: Path, than: Path) -> None:
    """Let a file have changed a minute before another."""
    os.utime(path, ns=(0, than.stat().st_mtime_ns - 60 * 10**9))


def test_the_export_beside_a_report_is_read_unless_it_is_older(
    report: Path, story: Story, nsys: Callable[..., Callable[[], int]], run: Run
) -> None:
    runs = nsys()
    beside = report.with_suffix(".sqlite")
    beside.write_bytes(story("training").read_bytes())
    assert (kernels(report), runs()) == (67, 0)
    older(beside, report)
    assert (kernels(report), runs()) == (3, 1)
    for command in (
        ["launches"],
        ["stats", "-q", "-r", "cuda_gpu_kern_sum"],
        ["convert", "-q", "-o", report.parent / "x"],
    ):
        assert "is older than" in run(command[0], report, *command[1:]).err


@pytest.mark.parametrize("command", [["launches", "-q"], ["stats", "-q", "-r", "cuda_gpu_kern_sum"], ["analyze", "-q"]])
def test_an_export_older_than_its_report_is_named(command: list[str], report: Path, story: Story, run: Run) -> None:
    export = report.with_suffix(".sqlite")
    export.write_bytes(story("two_streams").read_bytes())
    assert "older" not in run(command[0], export, *command[1:]).err
    older(export, report)
    answer = run(command[0], export, *command[1:])
    assert (answer.code, f"{export} is older than {report}" in answer.err) == (0, True)


# The cache ------------------------------------------------------------------------------------------


def test_the_cache_is_shown_and_cleared(
    report: Path, nsys: Callable[..., Callable[[], int]], place: Path, run: Run
) -> None:
    assert "0 exports, 0 bytes" in run("cache").text
    nsys()
    kernels(report)
    assert f"1 export, {next(place.iterdir()).stat().st_size:,} bytes, in {place}" in run("cache").text
    assert "removed 1 export" in run("cache", "--clear").text
    assert list(place.iterdir()) == []


def test_the_cache_keeps_below_its_size(
    report: Path, nsys: Callable[..., Callable[[], int]], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nsys()
    monkeypatch.setattr(report_cache, "CACHE_BYTES", 1)
    (place / f"{report_cache.PART}left").mkdir(parents=True)
    os.utime(place / f"{report_cache.PART}left", (0, 0))
    for name in ("a.nsys-rep", "b.nsys-rep"):
        report.with_name(name).write_bytes(b"another")
        assert kernels(report.with_name(name)) == 3
    assert len(list(place.iterdir())) == 1


# Threads, memory, spilling --------------------------------------------------------------------------


def test_threads_and_memory_come_from_the_environment(story: Story, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("NSYSQL_THREADS", "3")
    monkeypatch.setenv("NSYSQL_MEMORY_LIMIT", "123MiB")
    asked = "SELECT current_setting('threads')::BIGINT, current_setting('memory_limit')"
    with nsysql.open(story("two_streams")) as export:
        assert export.sql(asked).rows() == [(3, "61.5 MiB")]  # half of what the process may take
    with nsysql.open(story("two_streams"), threads=2, memory_limit="99MiB") as export:
        assert export.sql(asked).rows() == [(2, "49.5 MiB")]
    monkeypatch.setenv("NSYSQL_THREADS", "many")
    answer = run("launches", story("two_streams"))
    assert (answer.code, "threads is 'many'" in answer.err) == (2, True)


def test_what_was_spilled_is_gone_after_an_error(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []
    with nsysql.open(story("two_streams"), memory_limit="20MB", threads=1) as export:
        rows = (
            "SELECT (a.range * 7919) % 1000003 AS x, a.range AS y, a.range + 1 AS z FROM range(2000000) AS a ORDER BY x"
        )
        with pytest.raises(NsysqlError):
            export.sql(f"SELECT max(error(CAST(x AS VARCHAR))) FROM ({rows} LIMIT 1999999)")
        seen = [path.name for path in tmp_path.glob("nsysql-*")]
    assert seen
    assert not list(tmp_path.glob("nsysql-*"))
