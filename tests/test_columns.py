"""Columns that are dropped, NULL or 0 in all rows: every page is given, and says what it was computed without.

Here many columns at once; `python -m tests.fuzz --columns` takes each alone, on every page.
"""

from pathlib import Path

import pytest
from fuzz.columns import PAGES, Case, batches, wrong

# Without these there is little on a page; and of copies and sets one has times where the other has none.
KEPT = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY")
SUMMARY, IDLE, EXPLAIN, DOCTOR = PAGES
SOME, OTHERS, SOME_KEPT, OTHERS_KEPT = batches(KEPT)
CASES = [
    Case("gone", SOME, SUMMARY),
    Case("gone", OTHERS, IDLE),
    Case("null", SOME, IDLE),
    *(Case("null", batch, SUMMARY) for batch in (OTHERS, SOME_KEPT, OTHERS_KEPT)),
    Case("zero", SOME, SUMMARY),
    Case("zero", OTHERS, IDLE),
    Case("null", OTHERS, EXPLAIN),
    Case("null", SOME, DOCTOR),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.change}-{case.columns[0][1]}-{case.page}")
def test_every_page_is_given_without_columns(case: Case, every_table_filled: Path, tmp_path: Path) -> None:
    assert wrong(case, every_table_filled.read_bytes(), tmp_path) is None
