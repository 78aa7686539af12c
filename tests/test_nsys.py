"""An nsys that misbehaves, as a script: no bad export is kept, none that others may read, and nothing runs on."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from answers import kernels
from command_line import Ran
from exports import alter

import nsysql
from nsysql.errors import NsysqlError, UsageError
from nsysql.words.atomic_file import closed

Story = Callable[[str], Path]
Run = Callable[..., Ran]
Install = Callable[[str], None]
GOOD = 'cp "$EXPORT" "$out"'
HERE = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the nsys of these tests is a shell script")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("NSYSQL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report that only its owner may read."""
    path = tmp_path / "run.nsys-rep"
    path.write_bytes(b"no report really")
    path.chmod(0o600)
    return path


@pytest.fixture
def nsys(story: Story, tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install an nsys that does these commands; $out is the export to make, $EXPORT a good one."""
    tool = tmp_path / "nsys"
    monkeypatch.setenv("EXPORT", str(story("two_streams")))
    monkeypatch.setenv("NSYSQL_NSYS", str(tool))

    def install(commands: str) -> None:
        tool.write_text(
            f'#!/bin/sh\nfor word; do case $word in --output=*) out="${{word#--output=}}";; esac; done\n{commands}\n'
        )
        tool.chmod(0o755)

    return install


def mode(path: Path) -> int:
    """What owner, group and others may do with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def is_running(pid_file: Path) -> bool:
    """Whether the process whose number a script wrote is there, and no zombie, 5 s later: a killed one ends late."""
    command = ["ps", "-o", "stat=", "-p", pid_file.read_text().strip()]
    until = time.monotonic() + 5
    while time.monotonic() < until:
        state = subprocess.run(command, capture_output=True, text=True)
        if not state.stdout.strip() or "Z" in state.stdout:
            return False
        time.sleep(0.05)
    return True


# What nsys leaves -----------------------------------------------------------------------------------

BAD = {
    "nothing": "true",
    "an empty file": ': > "$out"',
    "half a file": 'head -c 9000 "$EXPORT" > "$out"',
    "another file": 'echo "no database" > "$out"',
    "a database of another kind": 'cp "$OTHER" "$out"',
    "a journal": 'cp "$EXPORT" "$out"; echo x > "$out-journal"',
}


@pytest.mark.parametrize("commands", BAD.values(), ids=BAD)
def test_a_bad_export_is_not_kept(
    commands: str, report: Path, nsys: Install, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    alter(tmp_path / "other.sqlite", "CREATE TABLE t (x)")
    monkeypatch.setenv("OTHER", str(tmp_path / "other.sqlite"))
    nsys(commands)
    with pytest.raises(NsysqlError, match=str(report)) as failed:
        nsysql.open(report)
    assert str(place) not in str(failed.value)
    assert list(place.iterdir()) == []
    nsys(GOOD)
    assert kernels(report) == 3


def test_a_bad_export_is_not_put_beside_the_report(report: Path, nsys: Install, run: Run) -> None:
    nsys(BAD["half a file"])
    answer = run("stats", "-q", "-r", "cuda_gpu_kern_sum", "--force-export=true", report)
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert not report.with_suffix(".sqlite").exists()


def test_a_bad_export_in_the_cache_is_made_again(report: Path, nsys: Install, place: Path) -> None:
    nsys(GOOD)
    kernels(report)
    cached = next(place.iterdir())
    cached.write_bytes(cached.read_bytes()[:9000])
    assert kernels(report) == 3


# Who may read it ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "kept"), [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o400, 0o600)])
def test_an_export_may_be_read_by_those_who_may_read_the_report(
    given: int, kept: int, report: Path, nsys: Install, place: Path
) -> None:
    nsys(f"{GOOD}; chmod 666 $out")
    report.chmod(given)
    assert kernels(report) == 3
    assert (mode(place), mode(next(place.iterdir())) & 0o644) == (0o700, kept)


def test_the_export_beside_a_report_keeps_its_mode(report: Path, nsys: Install, run: Run) -> None:
    nsys(GOOD)
    assert run("stats", "-q", "-r", "cuda_gpu_kern_sum", "--force-export=true", report).code == 0
    assert mode(report.with_suffix(".sqlite")) == 0o600


def test_a_cache_of_before_is_closed_and_another_folder_is_not(
    report: Path, nsys: Install, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nsys(GOOD)
    place.mkdir(mode=0o755)
    kernels(report)
    assert mode(place) == 0o700
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    (other / "mine.txt").write_text("mine")
    monkeypatch.setenv("NSYSQL_CACHE", str(other))
    kernels(report)
    assert mode(other) == 0o755


@pytest.mark.parametrize(("form", "given"), [("parquet", 0o600), ("arrow", 0o644), ("duckdb", 0o600)])
def test_a_converted_export_may_be_read_by_those_who_may_read_the_export(
    form: str, given: int, story: Story, tmp_path: Path, run: Run
) -> None:
    export = tmp_path / "run.sqlite"
    export.write_bytes(story("two_streams").read_bytes())
    export.chmod(given)
    target = tmp_path / f"out.{form}"
    assert run("convert", "-q", export, "-o", target).code == 0
    files = [target, *(target.iterdir() if target.is_dir() else ())]
    assert {mode(path) & 0o666 for path in files} == {given}


def test_a_folder_is_as_open_as_the_least_open_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").touch(mode=0o644)
    (tmp_path / "b.parquet").touch(mode=0o640)
    tmp_path.chmod(0o755)
    assert closed(tmp_path) == 0o027
    tmp_path.chmod(0o700)
    assert closed(tmp_path) == 0o077


# How long it takes ----------------------------------------------------------------------------------


def test_an_nsys_that_hangs_is_stopped(
    report: Path, nsys: Install, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nsys(f'sleep 60 & echo $! > "{tmp_path}/pid"; wait')
    monkeypatch.setenv("NSYSQL_NSYS_TIMEOUT", "0.5")
    began = time.monotonic()
    with pytest.raises(NsysqlError, match=r"no progress for 0\.5 s.*NSYSQL_NSYS_TIMEOUT"):
        nsysql.open(report)
    assert time.monotonic() - began < 10
    assert not is_running(tmp_path / "pid")
    assert list(place.iterdir()) == []


def test_an_nsys_that_works_on_is_not_stopped(report: Path, nsys: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    nsys(f"for i in 1 2 3 4 5 6; do echo x >> $out; sleep 0.5; done; {GOOD}")
    monkeypatch.setenv("NSYSQL_NSYS_TIMEOUT", "2")
    assert kernels(report) == 3


@pytest.mark.parametrize("given", ["soon", "-1", "0", "nan"])
def test_a_time_that_is_none(given: str, report: Path, nsys: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    nsys(GOOD)
    monkeypatch.setenv("NSYSQL_NSYS_TIMEOUT", given)
    with pytest.raises(UsageError, match=f"NSYSQL_NSYS_TIMEOUT is '{given}'"):
        nsysql.open(report)


def test_a_child_that_holds_the_output_is_not_waited_for(report: Path, nsys: Install, tmp_path: Path) -> None:
    nsys(f'sleep 60 & echo $! > "{tmp_path}/pid"; {GOOD}')
    began = time.monotonic()
    assert kernels(report) == 3
    assert time.monotonic() - began < 30
    assert not is_running(tmp_path / "pid")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_stops_nsys_and_what_it_started(
    sent: signal.Signals, report: Path, nsys: Install, place: Path, tmp_path: Path
) -> None:
    nsys(f'trap "" TERM INT HUP; sh -c "trap \'\' TERM INT HUP; sleep 60" & echo $! > "{tmp_path}/pid"; wait')
    command = subprocess.Popen([sys.executable, "-m", "nsysql", "gpus", report], stderr=subprocess.PIPE, cwd=HERE)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.05)
    time.sleep(0.5)  # the script can be that far before nsysql knows that it has started
    began = time.monotonic()
    command.send_signal(sent)
    assert command.communicate()[1] == b""
    assert (command.returncode, time.monotonic() - began < 10) == (128 + sent, True)
    assert not is_running(tmp_path / "pid")
    assert list(place.iterdir()) == []


def test_what_nobody_waits_for_may_be_cut_off_from_the_terminal(report: Path, nsys: Install) -> None:
    nsys(f"sleep 1; {GOOD}")
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = subprocess.Popen(
        ["nohup", sys.executable, "-m", "nsysql", "gpus", report],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=HERE, env=environment,
    )  # fmt: skip
    time.sleep(0.5)
    command.send_signal(signal.SIGHUP)
    assert command.wait() == 0


FILES = {
    "report.html": ["report"], "run.pftrace": ["trace"], "a.json": ["digest"], "c.html": ["compare"],
    "flame.html": ["flame"], "t.svg": ["timeline"], "k.parquet": ["query", "cuda-gpu-kern-sum"],
    "redacted.sqlite": ["redact"],
}  # fmt: skip


def test_files_from_a_private_export_are_private(
    run: Callable[..., Ran],
    story: Callable[[str], Path],
    tmp_path: Path,
    keep: Callable[[Path], nsysql.Run],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    export = tmp_path / "run.sqlite"
    shutil.copy(story("training"), export)
    export.chmod(0o600)
    monkeypatch.setattr("nsysql.api.facade.open", lambda *_, **__: keep(export))
    for name, command in FILES.items():
        for _ in range(2 if name in ("a.json", "k.parquet") else 1):  # whatever was there before
            run(*command, export, *(["--with", export] if name == "c.html" else []), "-o", tmp_path / name)
            assert mode(tmp_path / name) == 0o600, name
            (tmp_path / name).chmod(0o644)


def test_answers_of_runs_and_what_is_spilled_are_private(story: Callable[[str], Path], tmp_path: Path) -> None:
    export = tmp_path / "run.sqlite"
    shutil.copy(story("training"), export)
    export.chmod(0o600)
    with nsysql.open_runs(export, output=tmp_path / "out", workers=1) as runs:
        runs.osrt_sum()
    found = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert {path.name for path in found} == {"part.parquet", "status.csv", "store.json", "run.json"}
    assert {mode(path) for path in found} == {0o600}
    with nsysql.open(export) as opened:
        spilled = opened._engine.con.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
        assert mode(Path(spilled)) == 0o700
    assert not Path(spilled).exists()
