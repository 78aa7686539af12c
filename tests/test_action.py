"""The GitHub action: its script judges captures, annotates, writes the summary, and ends with the gate's status."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from captures import steps, write

ROOT = Path(__file__).parent.parent
ACTION = ROOT / "action"
Gate = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a script for bash")


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Runs the script with inputs, in a folder with captures whose steps take 1,000 and 1,300 ns."""
    program = tmp_path / "bin" / "nsysql"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec "{sys.executable}" -m nsysql "$@"\n')
    program.chmod(0o755)
    write(steps(1_000, name="gemm"), tmp_path / "main.digest")
    write(steps(1_300, name="gemm"), tmp_path / "slow.digest")

    def run(**inputs: str) -> subprocess.CompletedProcess[str]:
        given = {
            "BASELINE": "main.digest", "CAPTURES": "main.digest", "FAIL_IF": "period > 3%",
            "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output", "DIGEST": "new.digest", **inputs,
        }  # fmt: skip
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            [ACTION / "gate.sh"], cwd=tmp_path, env={**os.environ, **given, "PATH": path},
            capture_output=True, text=True, timeout=180,
        )  # fmt: skip

    return run


def test_the_gate_passes_and_keeps_a_digest(gate: Gate, story: Callable[[str], Path], tmp_path: Path) -> None:
    done = gate(CAPTURES=str(story("two_streams")), BASELINE=str(story("two_streams")))
    assert done.returncode == 0, done.stderr
    assert "::notice title=nsysql compare::NO DIFFERENCE SHOWN" in done.stdout
    assert "NO DIFFERENCE SHOWN" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "output").read_text() == "status=0\n"
    assert gate(BASELINE="new.digest", CAPTURES="new.digest").returncode == 0


def test_the_gate_fails_if_a_step_became_longer(gate: Gate, tmp_path: Path) -> None:
    done = gate(CAPTURES="  slow.digest\n\n", FAIL_IF="idle > 50%\nperiod > 3%\n")
    assert done.returncode == 3, done.stderr
    assert "::error" in done.stdout
    assert "SLOWER" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "output").read_text() == "status=3\n"


def test_ranks_of_a_job_are_one_capture(gate: Gate, tmp_path: Path) -> None:
    for job, capture in (("before", "main"), ("after", "slow")):
        (tmp_path / job).mkdir()
        for rank in (0, 1):
            (tmp_path / job / f"rank_{rank}.digest").write_bytes((tmp_path / f"{capture}.digest").read_bytes())
    assert gate(BASELINE="before", CAPTURES="after").returncode == 3


def test_missing_inputs_and_files_do_not_pass(gate: Gate, tmp_path: Path) -> None:
    assert gate(BASELINE=" \n").returncode == 2
    missing = gate(CAPTURES="missing.sqlite")
    assert missing.returncode == 1 and "::error title=nsysql gate::failed with status 1" in missing.stdout
    assert (tmp_path / "output").read_text() == "status=1\n"
    assert gate(BASELINE="missing.digest").returncode != 0
    assert gate(FAIL_IF="perod > 3%").returncode != 0


def test_every_input_reaches_the_script() -> None:
    text, script = (ACTION / "action.yml").read_text(), (ACTION / "gate.sh").read_text()
    inputs = re.findall(r"^  ([\w-]+):$", text.partition("inputs:\n")[2].partition("outputs:")[0], re.MULTILINE)
    assert len(inputs) == 5
    for name in inputs:
        variable = name.upper().replace("-", "_")
        assert f"{variable}: ${{{{ inputs.{name} }}}}" in text
        assert f"${{{variable}:-" in script
