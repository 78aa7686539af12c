"""What NCCL says of its calls in payloads of their NVTX ranges: communicator, rank, number of ranks, operation.

A payload begins with four numbers of 8 bytes: domain, schema, size, and where it begins. The schema names the fields.
"""

import re
from typing import TYPE_CHECKING

import polars as pl

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


def calls(payloads: "Payloads") -> pl.DataFrame:
    """A row for each range with a payload that names a communicator: row_id, pid and the fields, NULL for none."""
    if not payloads.rows:
        return CALL.to_frame()
    rows = pl.DataFrame(payloads.rows, schema={"row_id": pl.Int64, "pid": pl.Int64, "hex": pl.String}, orient="row")
    data = rows.with_columns(pl.col("hex").str.decode("hex", strict=False).alias("data")).drop("hex", strict=False)
    data = data.filter(pl.col("data").bin.size() > HEADER).with_columns(
        schema=_number(8, 8).cast(pl.Int64, strict=False)
    )
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
    """Offset and width of each field of a schema."""
    return {
        name: (offset, WIDTHS[kind])
        for number, text, kind, offset in payloads.fields
        for name, pattern in FIELDS.items()
        if number == schema and kind in WIDTHS and pattern.match(text)
    }


def _number(offset: int, width: int) -> pl.Expr:
    """A whole number in the bytes, lowest byte first; NULL where they end before."""
    part = pl.col("data").bin.slice(offset, width)
    whole = pl.when(part.bin.size() == width).then(part)
    kind = pl.UInt64 if width == 8 else pl.UInt32
    return whole.bin.reinterpret(dtype=kind, endianness="little").cast(pl.UInt64)


def ranks(calls: pl.DataFrame) -> pl.DataFrame:
    """Each process and CUDA device with its rank in the largest communicator: pid, device, nccl_rank."""
    known = calls.drop_nulls(["rank", "rank_count"]).sort("rank_count", "row_id", descending=[True, False])
    first = known.unique(["pid", "device"], keep="first", maintain_order=True)
    return first.select("pid", pl.col("device").cast(pl.Int64), nccl_rank=pl.col("rank").cast(pl.Int64))


def named(collectives: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """The collectives with `shared`, a name of their communicator that all ranks have, its size, and `operation`.

    NULL where the range around the launch has no payload.
    """
    sizes = (
        messages.drop_nulls("rank_count").group_by("communicator").agg(size=pl.col("rank_count").max().cast(pl.Int64))
    )
    calls = messages.join(sizes, on="communicator", how="left").select(
        range_row_id="row_id",
        shared=pl.format("{}", "communicator"),
        size="size",
        operation=pl.col("operation").cast(pl.String),
    )
    named = collectives.join(calls, on="range_row_id", how="left", maintain_order="left")
    return named.with_columns(rank_count=pl.coalesce("size", "rank_count")).drop("size")
