"""What editors and type checkers are told of the queries."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import nsysql

ROOT = Path(__file__).parent.parent
RIGHT = """
import nsysql

with nsysql.open("run.sqlite") as opened:
    opened.pages.summary(steps=(1, 3))
run = nsysql.open("run.sqlite")
frame = run.idle_gaps(min_gap_ns="10us", steps="steady").filter(gpu_id=0)
kernels: int = run.kernel(nvtx="step").height
run.close()
runs = nsysql.open_runs("job")
rows: int = runs.cuda_gpu_kern_sum(name="base").height
"""
WRONG = {
    "run.launchez()": "has no attribute",
    "run.launches(topp=3)": "Unexpected keyword argument",
    "run.idle_groups(by='thred')": "incompatible type",
    "runs.launchez()": "has no attribute",
    "run.pages.summary(stepz='steady')": "Unexpected keyword argument",
}


def test_the_typed_functions_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NSYSQL_PACKS", raising=False)
    for path, text in runpy.run_path(str(ROOT / "tools" / "stubs.py"))["stubs"]().items():
        assert path.read_text(encoding="utf-8") == text, "write them anew with: python tools/stubs.py"


def test_every_query_and_view_is_a_method_with_its_columns(story: object) -> None:
    text = (ROOT / "nsysql" / "capture" / "methods.pyi").read_text(encoding="utf-8")
    with nsysql.open(story("training")) as run:  # type: ignore[operator]
        for name in (*run.paths, *run.views):
            assert f"    def {name}(\n" in text, name
            assert not hasattr(type(run), name), f"{name} is hidden by a member of Run"


def test_a_type_checker_refuses_names_that_are_none(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(RIGHT + "\n".join(WRONG) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(ROOT / ".mypy_cache")]
    done = subprocess.run([*command, script], cwd=ROOT, capture_output=True, text=True, timeout=300)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    begin = RIGHT.count("\n") + 1
    for number, (statement, reason) in enumerate(WRONG.items(), begin):
        assert any(f":{number}: " in line and reason in line for line in errors), (statement, done.stdout)
    assert len(errors) == len(WRONG), done.stdout
