"""The bound that a user gives holds for the process, by the operating system's count."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from exports import create_export
from test_explosions import TEXTS, launches, ranges

import nsysql
from nsysql.capture.turns import MemoryBound

HERE = Path(__file__).parent  # where peak_memory is
ASK = """
import sys
import nsysql
from peak_memory import peak_mb

with nsysql.open(sys.argv[1], memory_limit=sys.argv[2]) as run:
    try:
        print(run.query(sys.argv[3]).height)
    except nsysql.NsysqlError as error:
        print(error)
print(peak_mb())
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of 80 MB: 300,000 launches under 300,000 ranges."""
    count = 300_000
    script = TEXTS + launches(count, "n") + ranges(count, "n * 100", "n * 100 + 60")
    return create_export(script, tmp_path_factory.mktemp("large") / "large.sqlite")


@pytest.mark.parametrize("query", ["idle_gaps", "nvtx_gpu_proj_trace"])
def test_the_limit_bounds_the_process(query: str, large: Path) -> None:
    peaks = {}
    for limit in (250, 2000):
        command = [sys.executable, "-c", ASK, str(large), f"{limit}MB", query]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, cwd=HERE)
        said, peak = done.stdout.splitlines()
        peaks[limit] = int(peak)
        assert peaks[limit] <= 1.5 * limit
        assert said.isdigit() or f"needs more memory than the limit of {limit}MB" in said
    assert peaks[2000] > 250  # the lower limit was one


def test_a_question_beyond_the_limit_ends_and_the_next_is_answered(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with nsysql.open(story("training"), memory_limit="300MB") as run:
        whole = run.gpu_time()
        monkeypatch.setattr(MemoryBound, "is_exceeded", lambda _: True)
        with pytest.raises(
            nsysql.NsysqlError, match="more memory than the limit of 300MB; give more with --memory-limit"
        ):
            run.sql("SELECT count(*) FROM range(3000000000) AS a")
        monkeypatch.undo()
        assert run.gpu_time().equals(whole)
