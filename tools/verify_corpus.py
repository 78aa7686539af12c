"""How many cells of NVIDIA's reports nsysql repeats, by report and schema version, as a Markdown table.

    python tools/verify_corpus.py FOLDER

FOLDER holds exports and, in expected/NAME/REPORT.csv.gz, what `nsys stats` printed for NAME.sqlite. The README
has the table of the last run.
"""

import gzip
import sys
from collections import Counter
from pathlib import Path

import nsysql
from nsysql.nsys.compare import check, read_sheet
from nsysql.nsys.reports import TITLES

Count = Counter[tuple[str, str]]  # by report and schema version


def count(folder: Path) -> tuple[Count, Count]:
    """The cells of all recorded reports, and those of them that are equal here."""
    cells: Count = Counter()
    equal: Count = Counter()
    for export in sorted(folder.glob("*.sqlite")):
        with nsysql.open(export) as run:
            schema = run.info.schema_version or "none"
            for name in sorted(TITLES):
                recorded = folder / "expected" / export.stem / f"{name}.csv.gz"
                if recorded.exists():
                    text = gzip.decompress(recorded.read_bytes()).decode("utf-8", "replace")
                    found = check(run, name, read_sheet(text))
                    cells[name, schema] += found.cells
                    equal[name, schema] += found.equal
    return cells, equal


def table(folder: Path) -> str:
    """A row per report, a column per schema version: cells that are equal, and of how many where not all are."""
    cells, equal = count(folder)
    schemas = sorted({schema for _, schema in cells}, key=_version)
    lines = ["| report | " + " | ".join(schemas) + " |", "| --- |" + " ---: |" * len(schemas)]
    for name in sorted({name for name, _ in cells}):
        row = (_cell(equal[name, schema], cells[name, schema]) for schema in schemas)
        lines.append(f"| {name} | {' | '.join(row)} |")
    lines.append("")
    lines.append(f"{sum(equal.values()):,} of {sum(cells.values()):,} cells are equal.")
    return "\n".join(lines) + "\n"


def _version(schema: str) -> tuple[int, ...]:
    return tuple(int(part) for part in schema.split(".")) if schema != "none" else ()


def _cell(equal: int, cells: int) -> str:
    if not cells:
        return ""
    return f"{equal:,}" if equal == cells else f"{equal:,} of {cells:,}"


if __name__ == "__main__":
    print(table(Path(sys.argv[1])), end="")
