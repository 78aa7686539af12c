"""The page of findings: what limits each part of a run, what to do, what it saves and what is not known."""

from dataclasses import dataclass
from typing import Any

from nsysql.findings.finding import Findings
from nsysql.pages import first_screen
from nsysql.pages.elements import Page, Section

SCHEMA = "nsysql.findings/1"
SHOWN = 5  # most findings without --all; as many as fit a first screen


@dataclass(frozen=True)
class FindingsPage:
    """The findings of an export; with `is_whole` all of them, also those below 1 % of their part."""

    name: str
    findings: Findings
    is_whole: bool

    def page(self) -> Page:
        """The headline, findings with what they save, and what is not known."""
        title = f"{self.name}: what limits the run, and what to do"
        headline = Section("", before=(first_screen.sentence(self.findings.headline),))
        shown = [one for one in self.findings.findings if one.shown or self.is_whole]
        if not shown and not self.findings.parts["busy_ns"].sum():
            more = first_screen.closing(self.findings.unsure, "nsysql doctor | summary | explain CODE run.sqlite")
            return Page(title, (headline, more), first_screen.COLUMNS)

        def layout(most: int) -> tuple[Section, ...]:
            left = "" if len(shown) <= most else f"{len(shown) - most} more: --all | "
            return (
                headline,
                first_screen.findings_section(shown, most, self.findings.parts),
                first_screen.closing(
                    self.findings.unsure, f"{left}nsysql explain CODE run.sqlite | idle-gaps | what-if"
                ),
            )

        counts = (len(shown),) if self.is_whole else range(SHOWN, 0, -1)
        return Page(title, first_screen.first_that_fits(title, map(layout, counts)), first_screen.COLUMNS)

    def document(self) -> dict[str, Any]:
        """Parts, findings and what is not known, for programs; at most 4 kB unless whole."""
        return {"schema": SCHEMA, **self.findings.document(self.is_whole)}
