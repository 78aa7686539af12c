"""Read NCCL's data about collectives, and match collectives across ranks.

NCCL records communicator, rank, number of ranks and operation in payloads of NVTX ranges. A payload begins with four
numbers of 8 bytes: domain, schema, size, and where it begins; the schema names the fields. Collectives are matched by
communicator and position in its sequence, if all ranks have the same number.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from nsysql.analysis.digest import FRAMES, Digest
from nsysql.analysis.ranks.identity import Member

if TYPE_CHECKING:
    from nsysql.capture.export_facts import Payloads

HEADER = 32  # bytes
WIDTHS = {5: 4, 18: 8, 22: 8}  # bytes of NVIDIA's types of whole numbers
FIELDS = {  # the names of fields, in the basic and in the detailed trace of NCCL
    "communicator": re.compile(r"(?i)^(nccl communicator id|commHash|communicator ?hash)$"),
    "rank": re.compile(r"(?i)^(rank|commRank)$"),
    "rank_count": re.compile(r"(?i)^(no\. of ranks|nRanks|commSize)$"),
    "device": re.compile(r"(?i)^cuda device$"),
    "operation": re.compile(r"(?i)^operationId$"),
}
CALL = pl.Schema({"row_id": pl.Int64(), "pid": pl.Int64(), **dict.fromkeys(FIELDS, pl.UInt64())})


def nccl_calls(payloads: "Payloads") -> pl.DataFrame:
    """Return a row for each range whose payload names a communicator: row_id, pid and the fields, NULL if absent."""
    if not payloads.rows:
        return CALL.to_frame()
    rows = pl.DataFrame(payloads.rows, schema={"row_id": pl.Int64, "pid": pl.Int64, "hex": pl.String}, orient="row")
    data = rows.with_columns(data=pl.col("hex").str.decode("hex", strict=False)).drop("hex")
    data = data.filter(pl.col("data").bin.size() > HEADER)
    data = data.with_columns(schema=_number(8, 8).cast(pl.Int64, strict=False))
    frames = [CALL.to_frame()]
    for schema in sorted({number for number, *_ in payloads.fields}):
        places = _places(payloads, schema)
        if "communicator" in places:
            own = data.filter(pl.col("schema") == schema)
            fields = [_number(HEADER + offset, width).alias(name) for name, (offset, width) in places.items()]
            missing = [pl.lit(None, pl.UInt64).alias(name) for name in FIELDS if name not in places]
            frames.append(own.select("row_id", "pid", *fields, *missing).select(CALL.names()).cast(CALL))
    return pl.concat(frames).drop_nulls("communicator").sort("row_id")


def _places(payloads: "Payloads", schema: int) -> dict[str, tuple[int, int]]:
    """Return offset and width of each field of a schema."""
    own = [row[1:] for row in payloads.fields if row[0] == schema and row[2] in WIDTHS]
    names = ((name, *row) for row in own for name, pattern in FIELDS.items() if pattern.match(row[0]))
    return {name: (offset, WIDTHS[kind]) for name, _, kind, offset in names}


def _number(offset: int, width: int) -> pl.Expr:
    """Read a whole number from the bytes, lowest byte first; NULL if they end before."""
    part = pl.col("data").bin.slice(offset, width)
    whole = pl.when(part.bin.size() == width).then(part)
    kind = pl.UInt64 if width == 8 else pl.UInt32
    return whole.bin.reinterpret(dtype=kind, endianness="little").cast(pl.UInt64)


def nccl_ranks(calls: pl.DataFrame) -> pl.DataFrame:
    """Return each process and CUDA device with its rank in the largest communicator: pid, device, nccl_rank."""
    known = calls.drop_nulls(["rank", "rank_count"]).sort("rank_count", "row_id", descending=[True, False])
    first = known.unique(["pid", "device"], keep="first", maintain_order=True)
    return first.select("pid", pl.col("device").cast(pl.Int64), nccl_rank=pl.col("rank").cast(pl.Int64))


def with_communicators(collectives: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """Add `shared`, a name of the communicator common to all ranks, its size, and `operation` to the collectives.

    They are NULL if the range around the launch has no payload.
    """
    shared, operation = pl.format("{}", "communicator"), pl.col("operation").cast(pl.String)
    size = pl.col("rank_count").max().over("communicator").cast(pl.Int64)
    calls = messages.select(range_row_id="row_id", shared=shared, size=size, operation=operation)
    named = collectives.join(calls, on="range_row_id", how="left", maintain_order="left")
    return named.with_columns(rank_count=pl.coalesce("size", "rank_count")).drop("size")


COLLECTIVE = FRAMES["collectives"]
TIMES = ("arrived_at_ns", "start_ns", "end_ns")
OWN = ("source", "name", "communicator", "rank_count", "shared", "operation", "collective_id", *TIMES)  # per member
ROWS = pl.Schema({**{name: COLLECTIVE[name] for name in OWN}, "member": pl.Int64(), "kind": pl.String()})
SIDES = pl.Schema(
    {"match_id": pl.Int64()}
    | {name: ROWS[name] for name in ("member", "source", "name", "collective_id", *TIMES, "rank_count")}
)
KEY = ["communicator_key", "place"]
ABSENT = "ranks that take part are not given"
UNEVEN = "ranks have different numbers of them"
MOST_APART = 0.1  # share of matches that may fail to overlap in time; with more, the matching itself is wrong
UNEVEN_MESSAGES = "ranks send and receive different numbers of messages"
SEND_OR_RECEIVE = r"(send|recv)( \d.*)?"  # torch adds the ranks
ROOTED = rf"(?i)^(nccl:)?(broadcast|bcast|reduce|gather|scatter|{SEND_OR_RECEIVE})$"  # left before others enter
SEND_AND_RECEIVE = "SendRecv"  # a kernel of either, or of all-to-all
POINT_TO_POINT = rf"(?i)^(nccl:)?({SEND_OR_RECEIVE}|{SEND_AND_RECEIVE})$"


@dataclass(frozen=True)
class Matched:
    """The collectives that all members took part in, and why others are left out.

    `sides` has one row per matched collective and member, by match_id (in order of the first member's arrival) and
    member (its index in the list of members); times are on the clock of the member's own export.
    """

    sides: pl.DataFrame
    total: int
    left_out: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        """The number of matched collectives."""
        return self.sides["match_id"].n_unique()


def nothing(total: int, left_out: tuple[tuple[str, int], ...]) -> Matched:
    """Return a result without matches."""
    return Matched(SIDES.to_frame(), total, left_out)


def match(exports: Sequence[Digest], members: Sequence[Member]) -> Matched:
    """Match the collectives of one job across its members."""
    own = [of_member(exports[member.file], member, place) for place, member in enumerate(members)]
    every = pl.concat(own)
    left_out: list[tuple[str, int]] = []
    if every.is_empty() or len(members) < 2:
        why = "one rank only" if len(members) < 2 else ""
        return nothing(every.height, ((why, every.height),) if why and every.height else ())
    kept = _drop(every, pl.col("name").str.contains(ROOTED), "a rank can leave it before the others came", left_out)
    is_part = pl.col("rank_count") < len(members)
    kept = _drop(kept, is_part.fill_null(False), "communicators of fewer ranks", left_out)
    kept = _with_sequence(kept.with_columns(is_message=pl.col("name") == SEND_AND_RECEIVE))
    of_members = kept.group_by("communicator_key", "member").agg(count=pl.len()).group_by("communicator_key")
    counts = of_members.agg(members=pl.len(), least=pl.col("count").min(), most=pl.col("count").max())
    kept = kept.join(counts, on="communicator_key", maintain_order="left")
    is_of_some = (pl.col("members") < len(members)) | (pl.col("least") < pl.col("most"))
    kept = _drop(kept, pl.col("is_message") & is_of_some, UNEVEN_MESSAGES, left_out)
    kept = _drop(kept, pl.col("members") < len(members), "communicators that not all ranks use", left_out)
    kept = _drop(kept, pl.col("least") < pl.col("most"), UNEVEN, left_out)
    kinds = pl.col("kind").drop_nulls().n_unique().over(KEY)
    kept = _drop(kept, kinds > 1, "ranks call different ones at one place", left_out)
    kept = kept.sort("communicator_key", "place", "member")
    first = kept.filter(pl.col("member") == 0).sort("arrived_at_ns", "communicator_key", "place")
    numbers = first.select(*KEY, match_id=pl.int_range(pl.len()))
    sides = kept.join(numbers, on=KEY).sort("match_id", "member")
    names = pl.col("name").filter(pl.col("kind").is_not_null()).first().over("match_id")
    sides = sides.with_columns(name=pl.coalesce(names, "name"))
    return Matched(sides.select(SIDES.names()).cast(SIDES), every.height, tuple(left_out))


def of_member(one: Digest, member: Member, place: int) -> pl.DataFrame:
    """Return the collectives of one member, in order of arrival; `kind` is NULL if the name is ambiguous."""
    if one.collectives.is_empty():
        return ROWS.to_frame()
    rows = one.collectives.filter(pl.col("pid") == member.pid)
    is_own = (pl.col("source") == "mpi") | pl.col("gpu_id").eq_missing(pl.lit(member.gpu_id, pl.Int64))
    rows = rows.filter(is_own).sort("arrived_at_ns", "collective_id")
    is_vague = (pl.col("source") == "nccl") & ~pl.col("name").str.starts_with("nccl:")
    return rows.select(
        *OWN,
        member=pl.lit(place, pl.Int64),
        kind=pl.when(~is_vague).then(pl.col("name").str.to_lowercase()),
    ).cast(ROWS)


def _with_sequence(rows: pl.DataFrame) -> pl.DataFrame:
    """Add a communicator key that is the same on all ranks, and the position in that communicator's sequence.

    The key is the operation's number, or the communicator's name if all ranks share it; else the index of the
    communicator among those of the member, in order of first use. Messages have keys of their own.
    """
    own = ["member", "is_message", "communicator"]
    used = rows.group_by(own, maintain_order=True).agg(pl.col("arrived_at_ns", "collective_id").first())
    used = used.sort("member", "arrived_at_ns", "collective_id")
    order = used.select(*own, order=pl.int_range(pl.len()).over("member", "is_message"))
    placed = rows.join(order, on=own, nulls_equal=True, maintain_order="left")
    has_operations = placed["operation"].null_count() == 0
    has_names = placed["shared"].null_count() == 0
    key = pl.col("operation" if has_operations else "shared") if has_operations or has_names else pl.col("order")
    placed = placed.with_columns(communicator_key=pl.format("{} {}", "is_message", key))
    return placed.with_columns(place=pl.int_range(pl.len()).over("member", "communicator_key"))


def _drop(rows: pl.DataFrame, dropped: pl.Expr, why: str, left_out: list[tuple[str, int]]) -> pl.DataFrame:
    """Drop the rows for which `dropped` is true; their number and the reason are appended to `left_out`."""
    is_out = rows.select(dropped.fill_null(False).alias("is_out")).to_series()
    if is_out.any():
        left_out.append((why, int(is_out.sum())))
    return rows.filter(~is_out)


def among(matched: Matched, count: int) -> Matched:
    """Drop matches whose communicator can have more than these ranks: the last to come may not be one of them."""
    return _only(matched, (pl.col("rank_count") <= count).fill_null(False).all().over("match_id"), ABSENT)


def together(matched: Matched, offsets: pl.Series, slack_ns: int) -> Matched:
    """Drop matches that do not overlap in time on all members, as no rank leaves a collective before the last enters.

    If there are many, the members form groups with separate communicators, and nothing is matched. `offsets` are
    added to each row's times, which may be wrong by slack_ns.
    """
    if matched.sides.is_empty():
        return matched
    times = matched.sides.select("match_id", entered=pl.col("start_ns") + offsets, left=pl.col("end_ns") + offsets)
    entered, left = pl.col("entered").max().over("match_id"), pl.col("left").min().over("match_id")
    is_one = times.select((entered <= left + slack_ns).alias("is_one")).to_series()
    apart = int((~is_one).sum())
    if apart > MOST_APART * is_one.len():
        why = "they do not run at one time on all ranks, which may form groups"
        return nothing(matched.total, (*matched.left_out, (why, is_one.len())))
    return _only(matched, is_one, "they do not run at one time on all ranks")


def _only(matched: Matched, is_kept: pl.Series | pl.Expr, why: str) -> Matched:
    """Keep these sides, with matches numbered anew."""
    kept = matched.sides.filter(is_kept).with_columns(match_id=pl.col("match_id").rank("dense").cast(pl.Int64) - 1)
    left_out = ((why, matched.sides.height - kept.height),) if kept.height < matched.sides.height else ()
    return Matched(kept, matched.total, (*matched.left_out, *left_out))


def split(sides: pl.DataFrame, offsets: pl.Series) -> pl.DataFrame:
    """Split each collective of each member into waiting for the last rank to arrive, and transfer (the rest).

    `offsets` are added to each row's times. New columns: at_ns (arrival on the common clock), wait_ns and transfer_ns,
    whose sum is end_ns - arrived_at_ns, and is_last (if several members tie, the first of them).
    """
    placed = sides.with_columns(at_ns=pl.col("arrived_at_ns") + offsets)
    last, dur = pl.col("at_ns").max().over("match_id"), pl.col("end_ns") - pl.col("arrived_at_ns")
    wait = pl.min_horizontal(last - pl.col("at_ns"), dur)
    is_last = pl.col("at_ns").arg_max().over("match_id") == pl.int_range(pl.len()).over("match_id")
    return placed.with_columns(wait_ns=wait, transfer_ns=dur - wait, is_last=is_last)
