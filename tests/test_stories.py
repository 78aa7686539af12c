"""The rules of findings say of drawn stories what an expert says, and nothing that an expert would not say."""

import re
from collections.abc import Iterator

import pytest
from drawn import STORIES, Story, read_story, story_names

import nsysql
from nsysql.capture.export import Export
from nsysql.findings.engine import code_of, find, rules

TOP = 2  # findings among which the expert's answer is


@pytest.fixture(scope="module", params=story_names())
def told(request, tmp_path_factory) -> Iterator[tuple[Story, Export]]:
    story = read_story(request.param)
    with nsysql.open(story.write(tmp_path_factory.mktemp("stories") / f"{story.name}.sqlite")) as run:
        yield story, run


def test_rules_hold_in_stories_as_drawn(told: tuple[Story, Export]) -> None:
    story, run = told
    found = [f for f in find(run).findings if f.shown]
    codes = [f.code for f in found]
    assert set(story.holds) <= set(codes), codes
    assert not set(story.never) & set(codes), codes
    if story.expect:
        assert set(story.expect) & set(codes[:TOP]), codes
    for f in found:
        assert "{" not in f.says + f.do, f


def test_every_rule_has_a_story_in_which_it_holds_and_one_in_which_it_does_not() -> None:
    stories = [read_story(name) for name in story_names()]
    with nsysql.open(STORIES.parent / "fixtures" / "training.sqlite") as run:
        codes = {code_of(rule) for rule in rules(run)}
    assert codes == {code for story in stories for code in story.holds}
    assert codes == {code for story in stories for code in story.never}


def test_stories_name_rules_that_exist() -> None:
    for name in story_names():
        text = (STORIES / f"{name}.txt").read_text()
        assert re.match(r"# [A-Z].*\.$", text.splitlines()[0]), name
