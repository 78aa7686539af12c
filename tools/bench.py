#!/usr/bin/env python3
"""Score `nsysql findings` on drawn stories whose answer an expert gave before: bench.py [STORY ...]

A story of tests/stories is right if one of the codes that it expects is among the first two findings, all rules that it
says hold are found, and none that it rules out; partly if only the order is wrong. Exit status 1 unless all are right.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from drawn import Story, read_story, story_names

import nsysql
from nsysql.findings.engine import find

TOP = 2  # findings among which the expert's answer is


def judged(story: Story, codes: list[str]) -> str:
    """Right, partly or wrong: what the shown findings say of the story, in order."""
    if not set(story.holds) <= set(codes) or set(story.never) & set(codes):
        return "wrong"
    return "right" if not story.expect or set(story.expect) & set(codes[:TOP]) else "partly"


def codes_of(story: Story, folder: Path) -> list[str]:
    """The codes of the shown findings of a story."""
    with nsysql.open(story.write(folder / f"{story.name}.sqlite")) as run:
        return [f.code for f in find(run).findings if f.shown]


def main(names: list[str]) -> int:
    """Print each story that is not right, and the score."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name in names or story_names():
            story = read_story(name)
            codes = codes_of(story, Path(folder))
            result = judged(story, codes)
            counts[result] += 1
            if result != "right":
                print(f"{result:7} {name}: {', '.join(codes)}")
    print(", ".join(f"{count} {result}" for result, count in counts.items()), f"of {counts.total()} stories")
    return int(counts["right"] < counts.total())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
