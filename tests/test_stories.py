"""The rules of findings say of drawn stories what an expert says, and nothing that an expert would not say."""

import re
import sys
from pathlib import Path

import pytest
from drawn import STORIES, read_story, story_names

import nsysql
from nsysql.findings.engine import find, rules

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))


@pytest.mark.parametrize("name", story_names())
def test_rules_hold_in_stories_as_drawn(name: str, tmp_path: Path) -> None:
    """All rules if the story says which are first, else those that it is about."""
    from bench import judged

    story = read_story(name)
    with nsysql.open(story.write(tmp_path / f"{name}.sqlite")) as run:
        codes = set(rules(run.paths)) if not story.expect else set()
        found = find(run, ignore=codes - {*story.holds, *story.never, *story.places})
    shown = [one.code for one in found.findings if one.shown]
    assert judged(story, shown) == "right", (shown, story.expect, story.holds, story.never)
    texts = [text for one in found.findings if one.shown for text in (one.says, one.do)]
    assert [words for words in story.says if not any(words in text for text in texts)] == [], texts
    assert story.first in ([], shown[:1]), shown
    assert story.headline in ([], [found.headline]), found.headline
    assert [words for words in story.unsure if not any(text.startswith(words) for text in found.unsure)] == []
    for code, kind in story.places.items():
        assert {one.part_kind for one in found.findings if one.shown and one.code == code} == {kind}, code


def test_every_rule_has_a_story_in_which_it_holds_and_one_in_which_it_does_not() -> None:
    stories = [read_story(name) for name in story_names()]
    with nsysql.open(STORIES.parent / "fixtures" / "training.sqlite") as run:
        codes = set(rules(run.paths))
    assert codes == {code for story in stories for code in story.holds}
    assert codes == {code for story in stories for code in story.never}
    assert codes >= {code for story in stories for code in story.expect}


def test_stories_begin_with_what_happens() -> None:
    for name in story_names():
        text = (STORIES / f"{name}.txt").read_text()
        assert re.match(r"# [A-Z].*\.$", text.splitlines()[0]), name
