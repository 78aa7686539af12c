"""record: the options that a question needs and this nsys knows, quoted for a shell; where an nsys is it records."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

import nsysql
from nsysql.capture.forms.nsys import QUESTIONS, Capabilities, recording

Run = Callable[..., Ran]
REAL = os.environ.get("NSYSQL_NSYS") or shutil.which("nsys")
OLD = """#!/bin/sh
case "$*" in
  --version) echo "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0";;
  "profile --help") cat <<'END'
        --cudabacktrace=
        -s, --sample=
        -o, --output=
        --gpu-metrics-device=
        --python-sampling=
        -t, --trace=

           Possible values are 'cuda', 'nvtx',
           'osrt' or 'none'.

        -w, --show-output=
           'mpi'
END
    ;;
  "export --help") printf '\\t-o, --output=\\n\\t-t, --type=\\n';;
  profile*)
    env > environment
    for word; do case $word in --output=*) echo report > "${word#--output=}.nsys-rep";; esac; done; exit 7;;
  export*) for word; do case $word in --output=*) cp "$EXPORT" "${word#--output=}";; esac; done;;
esac
"""


@pytest.fixture
def no_nsys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("NSYSQL_NSYS", raising=False)


@pytest.fixture
def old_nsys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, story: Callable[[str], Path]) -> Path:
    """An old nsys, as a script, and a folder to work in."""
    if sys.platform == "win32":
        pytest.skip("the nsys of this test is a shell script")
    tool, folder = tmp_path / "nsys", tmp_path / "work"
    tool.write_text(OLD)
    tool.chmod(0o755)
    folder.mkdir()
    monkeypatch.setenv("NSYSQL_NSYS", str(tool))
    monkeypatch.setenv("EXPORT", str(story("training")))
    monkeypatch.chdir(folder)
    return folder


def lines(ran: Ran) -> list[list[str]]:
    """The words of the lines that were printed."""
    assert ran.code == 0, ran.err
    return [shlex.split(line) for line in ran.out.decode().splitlines()]


@pytest.mark.usefixtures("no_nsys")
@pytest.mark.parametrize("question", QUESTIONS)
def test_without_nsys_all_options_are_printed(question: str, run: Run) -> None:
    program = ["python", "my train.py", "--lr", "0.1", "$HOME; rm -rf '"]
    ran = run("record", "--for", question, "--", *program)
    profile, export = lines(ran)
    assert profile[:2] == ["nsys", "profile"]
    assert profile[-5:] == program
    assert export[:4] == ["nsys", "export", "--type=sqlite", "--include-blobs=true"]
    assert "nsys is not installed here: these are the options of the newest" in ran.err
    wanted = {
        "idle": "--cpuctxsw=process-tree", "lines": "--python-sampling=true", "memory": "--cuda-memory-usage=true",
        "metrics": "--gpu-metrics-devices=all", "ranks": "--output=my_train-ranks.%q{OMPI_COMM_WORLD_RANK}",
    }  # fmt: skip
    assert wanted[question] in profile


def test_options_that_nsys_does_not_know_are_left_out_and_told(old_nsys: Path, run: Run) -> None:
    ran = run("record", "--for", "lines", "--", "python3.11", "-m", "train")
    profile, export = lines(ran)
    assert profile == [
        "nsys", "profile", "--trace=cuda,nvtx,osrt", "--cudabacktrace=all", "--sample=process-tree",
        "--python-sampling=true", "--output=python3-lines", "python3.11", "-m", "train",
    ]  # fmt: skip
    assert export == ["nsys", "export", "--type=sqlite", "--output=python3-lines.sqlite", "python3-lines.nsys-rep"]
    told = (
        "left out, as nsys 2023.4.4.54 does not know it: --trace=openacc, --trace=python-gil, --python-backtrace=cuda"
    )
    assert told in ran.err
    assert "--include-blobs=true" in ran.err
    metrics, _ = lines(run("record", "--for", "metrics", "--", "./app"))
    assert "--gpu-metrics-device=all" in metrics  # its name then


def test_programs_that_are_not_python_have_no_option_of_python() -> None:
    found = recording("lines", ["./app", "train.txt"], "app", "openmpi", Capabilities())
    assert not [word for word in found.profile if "python" in word]


@pytest.mark.usefixtures("no_nsys")
def test_ranks_are_named_by_their_launcher(run: Run) -> None:
    for launcher, variable in {"slurm": "SLURM_PROCID", "mpich": "PMI_RANK", "torchrun": "RANK"}.items():
        ran = run("record", "--for", "ranks", "--launcher", launcher, "-o", "job", "--", "./app")
        assert f"--output=job.%q{{{variable}}}" in lines(ran)[0]
    assert "--mpi-impl=mpich" in lines(run("record", "--for", "ranks", "--launcher", "mpich", "--", "./app"))[0]
    refused = run("record", "--for", "ranks", "--", "mpirun", "-n", "4", "./app")
    assert refused.code != 0
    assert "give the program without mpirun" in refused.err
    assert "--run cannot start ranks" in run("record", "--for", "ranks", "--run", "--", "./app").err
    assert "neither on the PATH" in run("record", "--run", "--", "./app").err


def test_run_records_and_exports_and_keeps_the_status(old_nsys: Path, run: Run) -> None:
    ran = run("record", "--run", "--", "./app")
    assert ran.code == 7  # of the program
    assert "OPENBLAS" not in Path("environment").read_text()  # the program is profiled as it runs without nsysql
    with nsysql.open(old_nsys / "app-idle.sqlite") as export:
        assert export.has("CUPTI_ACTIVITY_KIND_KERNEL")
    again = run("record", "--run", "--", "./app")
    assert again.code != 0
    assert "app-idle.nsys-rep exists" in again.err


@pytest.mark.usefixtures("old_nsys")
def test_an_nsys_that_cannot_be_run_is_one_line(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("NSYSQL_NSYS", "/nowhere/nsys")
    refused = run("record", "--", "./app")
    assert refused.code != 0
    assert refused.err.count("\n") == 1
    assert "cannot be asked for its options" in refused.err


PROGRAM = """
import time

def busy():
    end = time.time() + 1
    while time.time() < end:
        sum(range(1000))

busy()
"""


@pytest.mark.skipif(REAL is None, reason="no nsys here")
def test_a_real_nsys_records_python_samples(tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "nsysql", "record", "--for", "lines", "--run", "--", sys.executable, "busy.py"]
    environment = {**os.environ, "NSYSQL_NSYS": str(REAL), "PYTHONPATH": str(Path(nsysql.__file__).parent.parent)}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=170, check=False)
    if not (tmp_path / "busy-lines.sqlite").exists():
        pytest.skip(f"nsys cannot record here: {ran.stderr.decode()[-300:]}")
    with nsysql.open(tmp_path / "busy-lines.sqlite") as run:
        counted = run.python_samples().to_dicts()
        assert counted[0]["samples"] > 100
        assert counted[0]["stacks"] > 100
        lines = run.lines(by="function")
        assert lines.filter(lines["function"] == "busy")["stack_samples"].sum() > counted[0]["samples"] / 2
