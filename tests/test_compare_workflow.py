"""The workflow of docs/compare.md: its last step, run as the shell script that it is."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from captures import steps, write

DOC = Path(__file__).parent.parent / "docs" / "compare.md"
STEP = re.compile(r"- name: Compare\n\s+run: \|\n((?:\s{10}.*\n)+)")


@pytest.fixture
def script(tmp_path: Path) -> Callable[[], int]:
    """Runs the step beside `new.sqlite`, with this program as nsysql, and gives its exit status."""
    text = STEP.findall(DOC.read_text(encoding="utf-8"))[0]
    program = tmp_path / "bin" / "nsysql"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nsysql "$@"\n')
    program.chmod(0o755)
    root = Path(__file__).parent.parent
    environment = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(root),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }

    def run() -> int:
        command = ["bash", "-eo", "pipefail", "-c", text]  # as GitHub runs it
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=120).returncode

    return run


@pytest.mark.skipif(os.name == "nt", reason="a script for bash")
def test_the_step_passes_and_writes_a_summary(
    script: Callable[[], int], story: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "new.sqlite").symlink_to(story("two_streams"))
    assert script() == 1  # there is no digest of main yet
    (tmp_path / "new.digest.json").rename(tmp_path / "main.digest.json")
    assert script() == 0
    assert "NO DIFFERENCE SHOWN" in (tmp_path / "summary.md").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="a script for bash")
def test_the_step_fails_where_a_step_became_longer(
    script: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(steps(1_000, name="gemm"), tmp_path / "main.digest.json")
    write(steps(1_300, name="gemm"), tmp_path / "made.json")
    program = tmp_path / "bin" / "nsysql"
    own = program.read_text()
    program.write_text(own.replace("exec", '[ "$1" = digest ] && exec cp made.json new.digest.json\nexec'))
    assert script() == 3
    assert "SLOWER" in (tmp_path / "summary.md").read_text(encoding="utf-8")
