"""A series of steps in words: steps marked by ranges, or repeats of a launch sequence, which may be parts of a step."""

import shlex

from nsysql.pages.phrases import Row, counted
from nsysql.words.quantities import safe

LAUNCHES = "launches"  # found_by of a series that is not marked by ranges


def of_launches(series: Row) -> bool:
    """Whether the steps are known by the launch sequence only, so that a repeat may not be a whole step."""
    return bool(series["found_by"] == LAUNCHES)


def unit(series: Row) -> str:
    """One step of the series in a word: step or repeat."""
    return "repeat" if of_launches(series) else "step"


def described(series: Row, count: int, what: str = "step") -> str:
    """`count` steps of the series in words: '6 steps (step)', '15 steady repeats of one sequence of 157 launches'."""
    word = what.replace("step", unit(series))
    if not of_launches(series):
        return f"{counted(count, word)} ({safe(series['name'])})"
    launches, equal = counted(int(series["name"].split()[0]), "launch", "launches"), series["equal_count"]
    if equal == series["step_count"]:
        return f"{counted(count, word)} of one sequence of {launches}"
    return f"{counted(count, word)} of about {launches} ({equal:,} of {series['step_count']:,} are one sequence)"


def doubt(series: Row) -> str:
    """The doubt whether repeats of a launch sequence are steps, as text to follow `described`."""
    if not of_launches(series):
        return ""
    return f" ({safe(series['note'] or 'perhaps layers and not whole steps')})"


def choice(series: Row) -> str:
    """Another series and the option that chooses it: '10 steps (warm-up #): --step-range "warm-up #"'."""
    text = described(series, series["step_count"])
    if series["step_range"] is None:
        return f"{text}, process {series['pid']}"
    return f"{text}, process {series['pid']}: --step-range {safe(shlex.quote(series['step_range']))}"
