"""The NVTX ranges of all threads with their names as operators: read once, in few bytes a range."""

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.nvtx.folded_ranges import folded
from nsysql.analysis.nvtx.paths import NO_TEXT, by_thread
from nsysql.analysis.view_reader import ViewReader, reads

SHAPES = r", sizes = .*$"  # PyTorch's shapes of an operator's arguments, and what follows them
SEQ, OP_ID = ", seq = ", ", op_id = "  # what PyTorch's numbers of an operator follow, at the end of most texts
MOST_FIGURES = 18  # of a sequence number
FIGURES = "0123456789"


def operator_name(text: pl.Expr) -> pl.Expr:
    """Texts without PyTorch's shapes and numbers of the operator, and # for every other number.

    >>> text = "aten::mm, seq = 7, sizes = [[2, 3], [3, 4]]"
    >>> pl.select(operator_name(pl.lit(text))).item()
    'aten::mm'
    """
    return folded(text.str.replace(SHAPES, ""))


def without_counters(texts: pl.Series) -> pl.DataFrame:
    """Texts without the numbers of the operator at their end, and the sequence number among these: text, sequence.

    Few texts are left of many. Of the sequence number its first figure stays, which changes no `operator_name`.

    >>> without_counters(pl.Series(["aten::mm, seq = 71, op_id = 8"])).row(0)
    ('aten::mm, seq = 7', 71)
    """
    text, cut, is_numbered = pl.col("text"), pl.col("cut"), pl.col("is_numbered")
    rows = _without_figures(texts.alias("text").to_frame(), OP_ID)
    left = rows.select(text=pl.when(is_numbered).then(cut.str.strip_suffix(OP_ID)).otherwise(text))
    rows = _without_figures(left, SEQ)
    rows = rows.with_columns(figures=pl.when(is_numbered).then(text.str.slice(cut.str.len_chars())))
    return rows.select(
        pl.when(is_numbered).then(text.str.head(cut.str.len_chars() + 1)).otherwise(text).alias("text"),
        sequence=pl.when(pl.col("figures").str.len_bytes() <= MOST_FIGURES).then("figures").cast(pl.Int64),
    )


def _without_figures(texts: pl.DataFrame, before: str) -> pl.DataFrame:
    """Texts, themselves without the figures at their end (cut), and whether `before` stands before these."""
    texts = texts.with_columns(cut=pl.col("text").str.strip_chars_end(FIGURES))
    is_shorter = pl.col("cut").str.len_bytes() < pl.col("text").str.len_bytes()
    return texts.with_columns(is_numbered=is_shorter & pl.col("cut").str.ends_with(before))


def sequence_number(text: pl.Expr) -> pl.Expr:
    """The sequence number that a text has; NULL if none."""
    return text.str.extract(rf"{SEQ}(\d{{1,{MOST_FIGURES}}})(?:,|$)").cast(pl.Int64)


def is_backward(text: pl.Expr) -> pl.Expr:
    """Whether the range of a text with a sequence number is a function of the backward pass."""
    return text.str.contains(r"^(?:autograd::engine::evaluate_function: |[^,]*Backwards?\d*,)")


# Of texts whose numbers are #, in this order. The group is the module's name.
WRITTEN = (
    r"^nn\.Module: (.+)$",
    r"^\[pl\]\[module\][^ ]*: (.+)$",  # Lightning's PyTorchProfiler
    r"^\{'Module': '([^']+)'",  # layerwise markers of vLLM, SGLang and TensorRT-LLM
    r"^layer:(.+)$",  # PyProf
    r"^XlaModule:#.*?hlo_module=([^,]+?)(?:,|#$)",  # JAX and XLA
    r"^((?:[A-Za-z_]\w*\.)+#(?:\.(?:[A-Za-z_]\w*|#))*)$",  # a path of named_modules with a number: layers.0.mlp
)


def module_name(name: pl.Expr) -> pl.Expr:
    """The module whose range has this name, which is an `operator_name`; NULL of another range.

    >>> names = ["{'Module': 'model.layers.#.mlp', 'Inputs': []}", "layers.#", "aten::mm"]
    >>> pl.select(module_name(pl.lit(pl.Series(names)))).to_series().to_list()
    ['model.layers.#.mlp', 'layers.#', None]
    """
    return pl.coalesce(*(name.str.extract(pattern) for pattern in WRITTEN))


RANGES = "_nvtx_own_range"
NEVER = 2**63 - 1  # the end of a range that was never closed
RANGE = ["thread_id", "start_ns", "end_ns", "text_id", "sequence", "is_backward"]
OF_TEXT = ["text_id", "sequence", "is_backward"]  # what a text says of its range


class Names:
    """Names as numbers, in the order in which they come."""

    def __init__(self, registered: pl.DataFrame) -> None:
        self._numbers: dict[str | None, int] = {}
        self._none = self._number(pl.Series([NO_TEXT]))[0]
        registered = registered.unique("id", keep="first", maintain_order=True)
        cut = without_counters(registered["text"])
        read = self._of_texts(cut["text"]).with_columns(pl.col("sequence").fill_null(cut["sequence"]))
        self._registered = read.hstack([registered["id"]])

    def of_ranges(self, ranges: pl.DataFrame) -> pl.DataFrame:
        """What the texts of ranges say (OF_TEXT): the registered text, else their own, else none."""
        cut = without_counters(ranges["plain_text"])
        read = self._of_texts(cut["text"].drop_nulls().unique())  # few, so that names are made of these
        rows = cut.join(read, on="text", how="left", maintain_order="left", suffix="_first")
        rows = rows.with_columns(sequence=pl.coalesce("sequence_first", "sequence")).select(OF_TEXT)
        if ranges["text_id"].null_count() < ranges.height:
            known = ranges.select(id="text_id").join(self._registered, on="id", how="left", maintain_order="left")
            is_known = known["text_id"].is_not_null()
            rows = rows.select(pl.when(is_known).then(known[name]).otherwise(name).alias(name) for name in OF_TEXT)
        is_short = rows["sequence"].is_between(0, 2**31 - 1).all()
        return rows.select(
            pl.col("text_id").cast(pl.UInt32).fill_null(self._none),
            pl.col("sequence").cast(pl.Int32 if is_short else pl.Int64),
            is_backward=pl.col("sequence").is_not_null() & pl.col("is_backward").fill_null(False),
        )

    def _of_texts(self, texts: pl.Series) -> pl.DataFrame:
        """What texts, as without_counters leaves them, say: text and OF_TEXT, a number cut short being no sequence."""
        read, text = texts.alias("text").to_frame(), pl.col("text")
        first = pl.when(text.str.contains(rf"{SEQ}[0-9]$")).then(text.str.head(-1)).otherwise(text)
        names = self._number(read.select(operator_name(text)).to_series())
        return read.with_columns(names.alias("text_id"), sequence=sequence_number(first), is_backward=is_backward(text))

    def _number(self, names: pl.Series) -> pl.Series:
        """The numbers of names."""
        distinct = names.unique(maintain_order=True)
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in distinct.to_list()]
        return names.replace_strict(distinct, pl.Series(numbers, dtype=pl.UInt32), return_dtype=pl.UInt32)

    def frame(self) -> pl.DataFrame:
        """text_id, name and module of each."""
        names = pl.DataFrame(
            {"text_id": range(len(self._numbers)), "name": list(self._numbers)},
            schema={"text_id": pl.Int64, "name": pl.String},
        )
        return names.with_columns(module=module_name(pl.col("name")))


@reads("_nvtx_own_range", "_nvtx_end_time", "string")
def operator_ranges(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _operator_range and _operator_name."""
    names = Names(views("string"))

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        kept = some.select("thread_id", "start_ns", "end_ns", "row_id")
        return shrink_ints(kept).hstack(names.of_ranges(some))

    ranges = by_thread(_closed(views(RANGES, narrow=narrow, stream=True), views), RANGE)
    return {"_operator_range": ranges, "_operator_name": names.frame()}


def _closed(ranges: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """The ranges; those never closed end at the last timestamp of any range, none ends before its start."""
    if ranges.select((pl.col("end_ns") == NEVER).any()).item():
        last = views("_nvtx_end_time")["range_ns"].to_list()
        ends = pl.col("end_ns").clip(upper_bound=last[0]) if last else pl.col("end_ns")
        ranges = ranges.with_columns(end_ns=ends)
    return ranges.with_columns(end_ns=pl.max_horizontal("start_ns", "end_ns"))
