"""One export asked by several threads and after a fork: everyone gets the answer to the own question, or an error."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from pathlib import Path
from threading import Barrier
from typing import Any

import polars as pl
import pytest

import nsysql
from nsysql.errors import UsageError

Story = Callable[[str], Path]
THREADS, TIMES = 4, 2
NAMES = ("cuda_gpu_kern_sum", "cuda_api_trace", "nvtx_gpu_proj_trace", "gpu_time")
FORKED = """
import multiprocessing, sys
import nsysql

def shared(name):
    return asked(lambda: run.query(name))

def own(name):
    return asked(lambda: nsysql.open(sys.argv[1]).query(name))

def asked(ask):
    try:
        return str(ask().height)
    except nsysql.NsysqlError as error:
        return str(error)

run = nsysql.open(sys.argv[1])
if sys.argv[2] == "asked":
    run.query("idle_ledger")
with multiprocessing.get_context("fork").Pool(2) as pool:
    for line in pool.map_async(globals()[sys.argv[3]], ["cuda_gpu_kern_sum", "idle_ledger"]).get(30):
        print(line)
print(run.query("idle_ledger").height)
"""


def texts(run: nsysql.Export, name: str) -> str:
    """The rows of a query as the faces of nsys read them, part by part."""
    query = run.find(name)
    shown = " || '|' || ".join(f"coalesce({c.name}::VARCHAR, '')" for c in query.columns)
    return "".join(text for _, text in run.texts(query, f"SELECT {shown} || '\n'", {}))


ASKED: dict[str, Callable[[nsysql.Export, str], Any]] = {
    "query": lambda run, name: run.query(name),
    "arrow": lambda run, name: pl.DataFrame(run.arrow(name)),
    "answer": lambda run, name: run.answer(name, 5).frame,
    "relation": lambda run, name: run.relation(name).pl(),
    "sql": lambda run, name: run.sql(f"SELECT '{name}' AS name, count(*) AS n FROM kernel"),
    "texts": lambda run, name: pl.DataFrame({"text": [texts(run, name)]}),
    "in a window": lambda run, name: run.query(name, start_ns=0, end_ns=50_000_000),
}


@pytest.mark.parametrize("way", ASKED)
def test_every_thread_gets_its_own_answer(way: str, story: Story) -> None:
    ask, begin = ASKED[way], Barrier(THREADS)
    with nsysql.open(story("training")) as run:
        expected = {name: ask(run, name) for name in NAMES}

        def thread(number: int) -> list[tuple[str, pl.DataFrame]]:
            begin.wait(20)
            names = NAMES[number:] + NAMES[:number]
            return [(name, ask(run, name)) for name in chain.from_iterable(repeat(names, TIMES))]

        with ThreadPoolExecutor(THREADS) as pool:
            found = [answer for answers in pool.map(thread, range(THREADS)) for answer in answers]
    assert len(found) == THREADS * TIMES * len(NAMES)
    assert [name for name, frame in found if not frame.equals(expected[name])] == []


def test_threads_can_ask_all_ways_at_once(story: Story) -> None:
    with nsysql.open(story("training")) as run:
        expected = {way: ask(run, NAMES[0]) for way, ask in ASKED.items()}
        with ThreadPoolExecutor(THREADS) as pool:
            ways = list(ASKED) * TIMES
            found = list(pool.map(lambda way: ASKED[way](run, NAMES[0]), ways))
    assert [way for way, frame in zip(ways, found, strict=True) if not frame.equals(expected[way])] == []


def test_a_relation_is_not_changed_by_the_next_question(story: Story) -> None:
    with nsysql.open(story("training")) as run:
        kernels, calls = run.relation("cuda_gpu_kern_sum"), run.relation("cuda_api_sum")
        run.query("nvtx_gpu_proj_trace")
        expected = run.query("cuda_gpu_kern_sum"), run.query("cuda_api_sum")
        assert (kernels.pl().equals(expected[0]), calls.pl().equals(expected[1])) == (True, True)


def test_an_answer_that_is_being_read_is_not_mixed_with_another(story: Story) -> None:
    with nsysql.open(story("training")) as run:
        query = run.find("cuda_api_trace")
        rows = run.texts(query, "SELECT name", {})
        next(rows)
        with pytest.raises(UsageError, match="still giving the rows of another answer; read them all first"):
            run.query("cuda_api_sum")
        rows.close()  # type: ignore[attr-defined]
        assert run.query("cuda_api_sum").height


def test_a_question_of_a_closed_export_says_so_in_every_thread(story: Story) -> None:
    run = nsysql.open(story("training"))

    def until_closed(name: str) -> str:
        try:
            while True:
                run.query(name)
        except nsysql.NsysqlError as error:
            return str(error)

    with ThreadPoolExecutor(THREADS) as pool:
        said = pool.map(until_closed, NAMES)
        run.query("idle_ledger")
        run.close()
        assert [text for text in said if "was closed; open it again" not in text] == []


def forked(path: Path, *arguments: str) -> list[str]:
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_process_is_refused(story: Story) -> None:
    *said, answer = forked(story("training"), "asked", "shared")
    assert [line for line in said if "was opened by another process" not in line or "'spawn'" not in line] == []
    assert (len(said), answer) == (2, "9")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.parametrize("before", ["asked", "not asked"])
def test_a_forked_process_opens_an_export_where_polars_is_not_broken(before: str, story: Story) -> None:
    *said, answer = forked(story("training"), before, "own")
    if before == "asked":
        assert [line for line in said if "forked from one that asked" not in line or "'spawn'" not in line] == []
    else:
        assert said == ["8", "9"]
    assert answer == "9"
