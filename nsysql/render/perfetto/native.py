"""A trace in Perfetto's own protobuf, written while its events are read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import IO, TYPE_CHECKING

import polars as pl

from nsysql.pages.timeline.streamed import Streamed
from nsysql.render.perfetto import gpu_stages, measures, slices
from nsysql.render.perfetto.descriptions import ANNOTATION_TEXTS, EVENT_NAMES, Interned, Stages, Tracks, begun

if TYPE_CHECKING:
    from gzip import GzipFile

LAUNCHED = {"link": pl.Int64, "event_id": pl.Int64}


def write(found: Streamed, file: "IO[bytes] | GzipFile") -> int:
    """Write the trace and return its number of events; all times are moved to 0 or later, as Perfetto requires."""
    for part in parts(found):
        file.write(part)
    return found.count


def parts(found: Streamed) -> Iterator[bytes]:
    """The trace in chunks of bytes."""
    return _Writer(found).parts()


def moved_by(found: Streamed) -> int:
    """The offset added to all times, so that none is negative."""
    return max(0, -found.start_ns)


@dataclass
class _Writer:
    found: Streamed
    names: Interned = field(default_factory=lambda: Interned(EVENT_NAMES))
    texts: Interned = field(default_factory=lambda: Interned(ANNOTATION_TEXTS))

    def __post_init__(self) -> None:
        self.moved = moved_by(self.found)
        self.stages = Stages(self.found.tracks)
        self.tracks = Tracks(self.found.tracks, self.found.merged is not None)

    def parts(self) -> Iterator[bytes]:
        yield begun([name for name, _ in slices.ARGUMENTS.values()], self.stages)
        yield from self.tracks.described()
        launched: list[pl.DataFrame] = []
        yield from self._work(launched)
        yield from self._slices(slices.Launched(pl.concat([pl.DataFrame(schema=LAUNCHED), *launched])))
        yield from measures.samples(self.found.samples(), self.moved)
        yield from measures.counters(self.found.counters(), self.moved, self.tracks)

    def _work(self, launched: list[pl.DataFrame]) -> Iterator[bytes]:
        """The GPU work; `launched` gets the link and the number of each piece that has a link."""
        first = 1
        for batch in self.found.work():
            number, new = self.names.numbers(batch["name"])
            yield new
            work = batch.with_columns(
                pl.col("start_ns") + self.moved,
                event_id=pl.int_range(first, first + pl.len()),
                name_number=pl.Series(number),
                queue=pl.col("track").replace_strict(self.stages.queue, return_dtype=pl.Int64),
                stage=pl.col("style").replace_strict(self.stages.stage, return_dtype=pl.Int64),
                context=pl.col("pid").replace_strict(self.stages.context, return_dtype=pl.Int64),
            ).with_columns(pl.col("end_ns") + self.moved)
            first += work.height
            launched.append(work.filter(pl.col("link") != 0).select(*LAUNCHED))
            yield gpu_stages.packets(work)

    def _slices(self, launched: slices.Launched) -> Iterator[bytes]:
        for track, several in groupby(self.found.events(), lambda one: one[0]):
            for lane, events, at in slices.laid(part for _, part in several):
                uuid, new = self.tracks.lane(track, lane)
                yield new
                yield from slices.packets(uuid, events, at, self.moved, self.names, self.texts, launched)
