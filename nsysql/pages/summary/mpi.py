"""The summary's section about MPI: ranks with their time in calls, and the functions."""

from collections.abc import Iterator

from nsysql.pages.elements import Bar, Cell, Column, Section
from nsysql.pages.phrases import counted, percent, share
from nsysql.pages.summary.gather import Summary
from nsysql.pages.summary.top_sections import named
from nsysql.words.quantities import size, time


def mpi(found: Summary, top: int) -> Iterator[Section]:
    """The ranks, and the MPI functions by time."""
    if found.mpi_ranks.is_empty():
        return
    rows: list[tuple[Cell, ...]] = []
    shown = max(top, RANKS)
    for row in found.mpi_ranks.head(shown).to_dicts():
        rank = "?" if row["rank"] is None else str(row["rank"])
        part = share(row["mpi_ns"], row["span_ns"])
        rows.append(
            (
                *(rank, str(row["pid"]), percent(row["mpi_ns"], row["span_ns"]), Bar(part, 6), time(row["mpi_ns"])),
                *(f"{row['call_count']:,}", sent(row["sent_bytes"]), time(row["main_ns"]), row["main_call"]),
            )
        )
    headings = ("rank", "process", "in MPI", "", "time", "calls", "sent", "longest")
    columns = (*map(Column, headings), Column("function", right=False))
    rest = found.mpi_ranks.height - shown
    after = (f"{counted(rest, 'more process', 'more processes')} (nsysql mpi-ranks).",) if rest > 0 else ()
    meaning = "share of the time from first to last call, without MPI_Init and MPI_Finalize"
    yield Section("MPI", meaning, (), columns, tuple(rows), after)
    functions = found.mpi_calls.rename({"instances": "count"})
    yield from named("MPI functions", "time in the calls, all ranks and threads", functions, top)


def sent(count: int | None) -> str:
    """Bytes in words; nothing where they are not recorded."""
    return "" if count is None else size(count)


RANKS = 8  # shown at least
