"""Columns that are dropped, NULL or 0 in all rows: every page is given, and says what it was computed without.

Here many columns at once; `python -m tests.fuzz --columns` takes each alone, on every page.
"""

from pathlib import Path

import pytest
from fuzz.columns import CHANGES, PAGES, Case, base, batches, wrong

# Without these there is little on a page; and of copies and sets one has times where the other has none.
KEPT = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY")
SUMMARY, IDLE, EXPLAIN, DOCTOR = PAGES
SOME, OTHERS, SOME_KEPT, OTHERS_KEPT = batches(KEPT)
CASES = [
    *(Case(change, batch, page) for change in CHANGES for batch in (SOME, OTHERS) for page in (SUMMARY, IDLE)),
    *(Case("null", batch, SUMMARY) for batch in (SOME_KEPT, OTHERS_KEPT)),
    Case("null", OTHERS, EXPLAIN),
    Case("null", SOME, DOCTOR),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An export with rows in every table."""
    return base(tmp_path_factory.mktemp("whole") / "export.sqlite").read_bytes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.change}-{case.columns[0][1]}-{case.page}")
def test_every_page_is_given_without_columns(case: Case, whole: bytes, tmp_path: Path) -> None:
    assert wrong(case, whole, tmp_path) is None
