"""The NVTX range that a filter names."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.errors import MissingData, suggestion

if TYPE_CHECKING:
    pass


LABELS = """
SELECT label
FROM _nvtx_range_label
WHERE label IS NOT NULL
GROUP BY label
ORDER BY starts_with(label, $label || '@') DESC, count(*) DESC, label ASC
LIMIT 5000
"""


@dataclass(frozen=True)
class NvtxRange:
    """A range that a filter names: the one at `index` of `count` with that label; no thread if it is the main one's."""

    label: str
    index: int
    count: int
    start_ns: int
    end_ns: int
    thread_id: int | None
    process_id: int

    def __str__(self) -> str:
        if self.count == 1:
            return f"the NVTX range {self.label}"
        return f"the NVTX range {self.label}/{self.index}, one of {self.count} of that name (/0 is the first)"


def split_range(text: str) -> tuple[str, int]:
    """The label and the index in NAME[@DOMAIN][/INDEX].

    >>> split_range("step@train/2"), split_range("a/b")
    (('step@train', 2), ('a/b', 0))
    """
    found = re.fullmatch(r"(.*)/([0-9]+)", text, re.DOTALL)
    return (found[1], int(found[2])) if found else (text, 0)


def find_range(text: str, ask: Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]) -> NvtxRange:
    """The NVTX range that `text` names. Raises MissingData with near matches."""
    label, index = split_range(text)
    found = ask("SELECT * FROM _nvtx_range_label WHERE label = $label ORDER BY start_ns, row_id", {"label": label})
    if index < len(found):
        _, _, start, end, thread, process, is_main = found[index]
        return NvtxRange(label, index, len(found), start, end, None if is_main else thread, process)
    if found:
        raise MissingData(f"The NVTX range {label!r} occurs {len(found)} times; {index} is no index of it.")
    labels = [str(row[0]) for row in ask(LABELS, {"label": label})]
    domain, _, name = label.partition(":")  # as reports show it
    meant = [known for known in labels if known.startswith(f"{label}@") or known == f"{name}@{domain}"]
    offer = f" Did you mean {' or '.join(sorted(meant)[:3])}?" if meant else suggestion(label, labels)
    raise MissingData(f"No NVTX range is named {label!r}; write NAME, or NAME@DOMAIN where it has a domain.{offer}")
