"""The command: `python -m tests.fuzz --count 100000 --seed 7`."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz import columns, flips
from fuzz.hunt import hunt, judged


def main() -> int:
    """Hunt, or show one mutant; the exit code is 1 where a fault was found."""
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    asked.add_argument("--count", type=int, default=2000, help="how many mutants")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    asked.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    asked.add_argument("--faults", type=int, default=10, help="stop after so many")
    asked.add_argument("--only", type=int, help="show this mutant alone")
    asked.add_argument("--keep", type=Path, help="with --only: the folder to put the export in")
    asked.add_argument("--columns", nargs="?", const="", metavar="TABLE", help="each column dropped, NULL, 0 instead")
    asked.add_argument("--form", choices=flips.FORMS, help="change one byte of exports of this form, instead")
    given = asked.parse_args()
    if given.columns is not None:
        return _columns(given.columns)
    judge = partial(flips.judged, given.form) if given.form else judged
    if given.only is not None:
        return _show(judge, given.seed, given.only, given.keep)
    began, done, wrong = time.monotonic(), 0, 0
    again = f"--seed {given.seed}" + (f" --form {given.form}" if given.form else "")
    numbers = iter(range(given.first, given.first + given.count))
    until = began + given.minutes * 60
    for number, fault in hunt(numbers, given.seed, given.workers, faults=given.faults, until=until, judge=judge):
        done += 1
        if fault:
            wrong += 1
            print(f"--- mutant {number} ({again} --only {number})\n{fault}", flush=True)
    print(f"{done:,} mutants in {time.monotonic() - began:.0f} s, {wrong} faults")
    return 1 if wrong else 0


def _show(judge: Callable[..., str | None], seed: int, number: int, keep: Path | None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        fault = judge(Path(folder), seed, number, print)
        if keep:
            shutil.copytree(Path(folder) / "m", keep, dirs_exist_ok=True)
    print(f"FAULT: {fault}" if fault else "no fault")
    return 1 if fault else 0


def _columns(like: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        whole = columns.base(Path(folder) / "unfiltered.sqlite").read_bytes()
        cases = list(columns.every(like))
        faults = [wrong for case in cases if (wrong := columns.wrong(case, whole, Path(folder)))]
    print(*faults, f"{len(cases):,} pages, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
