"""The verdict for people: the first section of a page."""

from nsysql.pages.elements import Column, Section
from nsysql.pages.verdict.facts import Verdict

LABEL, PROSE = Column(right=False), Column(right=False, wrap=True)


def section(found: Verdict) -> Section:
    """The verdict, then what to do first, and what next."""
    return Section("Verdict", columns=(LABEL, PROSE), rows=tuple((one.title, one.text) for one in found.sentences))
