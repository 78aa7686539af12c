"""Read the NVTX ranges of all threads once, with their names as operators, in few bytes per range.

Also the idle time attributed to each NVTX path and name, and the path of each CPU sample.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, process_of
from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.intervals import LENGTH
from nsysql.analysis.lines.python_stacks import STACK, cut_by_stack, stacks_at
from nsysql.analysis.nvtx.folded_ranges import folded
from nsysql.analysis.nvtx.paths import NO_TEXT, ordered_ranges, summed_by_path
from nsysql.analysis.operators.tree import KEY, stack, totals, under
from nsysql.analysis.view_reader import ViewReader, reads

SHAPES = r", sizes = .*$"  # PyTorch's shapes of an operator's arguments, and what follows them
SEQ, OP_ID = ", seq = ", ", op_id = "  # the texts before PyTorch's numbers of an operator, at the end of most texts
MOST_FIGURES = 18  # of a sequence number
FIGURES = "0123456789"


def operator_name(text: pl.Expr) -> pl.Expr:
    """Return texts without PyTorch's shapes and numbers of the operator, and with # for every other number.

    >>> text = "aten::mm, seq = 7, sizes = [[2, 3], [3, 4]]"
    >>> pl.select(operator_name(pl.lit(text))).item()
    'aten::mm'
    """
    return folded(text.str.replace(SHAPES, ""))


def without_counters(texts: pl.Series) -> pl.DataFrame:
    """Remove the operator's numbers at the end of texts, and read the sequence number among these: text, sequence.

    This leaves few distinct texts. The first digit of the sequence number stays; `operator_name` is the same with it.

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
    """Add to texts themselves without their final digits (cut), and whether `before` precedes these."""
    texts = texts.with_columns(cut=pl.col("text").str.strip_chars_end(FIGURES))
    is_shorter = pl.col("cut").str.len_bytes() < pl.col("text").str.len_bytes()
    return texts.with_columns(is_numbered=is_shorter & pl.col("cut").str.ends_with(before))


def sequence_number(text: pl.Expr) -> pl.Expr:
    """Return the sequence number in a text; NULL if it has none."""
    return text.str.extract(rf"{SEQ}(\d{{1,{MOST_FIGURES}}})(?:,|$)").cast(pl.Int64)


def is_backward(text: pl.Expr) -> pl.Expr:
    """Tell whether the range of a text with a sequence number is a function of the backward pass."""
    return text.str.contains(r"^(?:autograd::engine::evaluate_function: |[^,]*Backwards?\d*,)")


# patterns of texts whose numbers are #, in this order. The group is the module's name.
WRITTEN = (
    r"^nn\.Module: (.+)$",
    r"^\[pl\]\[module\][^ ]*: (.+)$",  # Lightning's PyTorchProfiler
    r"^\{'Module': '([^']+)'",  # layerwise markers of vLLM, SGLang and TensorRT-LLM
    r"^layer:(.+)$",  # PyProf
    r"^XlaModule:#.*?hlo_module=([^,]+?)(?:,|#$)",  # JAX and XLA
    r"^((?:[A-Za-z_]\w*\.)+#(?:\.(?:[A-Za-z_]\w*|#))*)$",  # a path of named_modules with a number: layers.0.mlp
)


def module_name(name: pl.Expr) -> pl.Expr:
    """Return the module whose range has this `operator_name`; NULL for other ranges.

    >>> names = ["{'Module': 'model.layers.#.mlp', 'Inputs': []}", "layers.#", "aten::mm"]
    >>> pl.select(module_name(pl.lit(pl.Series(names)))).to_series().to_list()
    ['model.layers.#.mlp', 'layers.#', None]
    """
    return pl.coalesce(*(name.str.extract(pattern) for pattern in WRITTEN))


NEVER = 2**63 - 1  # the end of a range that was never closed
RANGE = ["thread_id", "start_ns", "end_ns", "text_id", "sequence", "is_backward"]
OF_TEXT = ["text_id", "sequence", "is_backward"]  # columns read from the text of a range


class Names:
    """Reads the texts of ranges; keeps the names met, whose numbers are those of categories in this process."""

    def __init__(self, registered: pl.DataFrame) -> None:
        self._met = [pl.Series("name", [NO_TEXT], pl.Categorical)]
        registered = registered.unique("id", keep="first", maintain_order=True)
        cut = without_counters(registered["text"])
        read = self._of_texts(cut["text"]).with_columns(pl.col("sequence").fill_null(cut["sequence"]))
        self._registered = read.hstack([registered["id"]])

    def of_ranges(self, ranges: pl.DataFrame) -> pl.DataFrame:
        """Return what the texts of ranges contain (OF_TEXT): the registered text, else their own, else none."""
        cut = without_counters(ranges["plain_text"])
        read = self._of_texts(cut["text"].drop_nulls().unique())  # few, so names are made of distinct texts only
        rows = cut.join(read, on="text", how="left", maintain_order="left", suffix="_first")
        rows = rows.with_columns(sequence=pl.coalesce("sequence_first", "sequence")).select(OF_TEXT)
        if ranges["text_id"].null_count() < ranges.height:
            known = ranges.select(id="text_id").join(self._registered, on="id", how="left", maintain_order="left")
            is_known = known["text_id"].is_not_null()
            rows = rows.select(pl.when(is_known).then(known[name]).otherwise(name).alias(name) for name in OF_TEXT)
        is_short = rows["sequence"].is_between(0, 2**31 - 1).all()
        return rows.select(
            pl.col("text_id").fill_null(self._met[0].to_physical()[0]),
            pl.col("sequence").cast(pl.Int32 if is_short else pl.Int64),
            is_backward=pl.col("sequence").is_not_null() & pl.col("is_backward").fill_null(False),
        )

    def _of_texts(self, texts: pl.Series) -> pl.DataFrame:
        """Read texts that without_counters returned: text and OF_TEXT; a number that was cut is no sequence number."""
        read, text = texts.alias("text").to_frame(), pl.col("text")
        first = pl.when(text.str.contains(rf"{SEQ}[0-9]$")).then(text.str.head(-1)).otherwise(text)
        names = read.select(name=operator_name(text).cast(pl.Categorical)).to_series()
        self._met.append(names.unique())
        number = names.to_physical().alias("text_id")
        return read.with_columns(number, sequence=sequence_number(first), is_backward=is_backward(text))

    def frame(self) -> pl.DataFrame:
        """Return text_id, name and module of each name."""
        names = pl.concat(self._met).unique().drop_nulls()
        named = pl.DataFrame({"text_id": names.to_physical().cast(pl.Int64), "name": names.cast(pl.String)})
        return named.with_columns(module=module_name(pl.col("name")))


@reads("_nvtx_own_range", "_nvtx_end_time", "string")
def operator_ranges(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frames _operator_range, in parts if it is large, and _operator_name."""
    names = Names(views("string"))

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        kept = some.select("thread_id", "start_ns", "end_ns", "row_id")
        return shrink_ints(kept).hstack(names.of_ranges(some))

    ordered = ordered_ranges(views, narrow, RANGE, lambda own: _closed(own, views))
    yield from map(lambda ranges: {"_operator_range": ranges}, ordered)  # noqa: C417  keeps none
    yield {"_operator_name": names.frame()}


def _closed(ranges: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """End ranges that were never closed at the last timestamp of any range; no range ends before its start."""
    if ranges.select((pl.col("end_ns") == NEVER).any()).item():
        last = pl.lit(views("_nvtx_end_time")["range_ns"].first(), pl.Int64)
        ranges = ranges.with_columns(end_ns=pl.min_horizontal("end_ns", last))
    return ranges.with_columns(end_ns=pl.max_horizontal("start_ns", "end_ns"))


OF = ["cause", STACK]


@reads("_operator_range", "_operator_name", "_idle_piece", "_python_stretch")
def idle_operators(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _operator_idle and _operator_idle_stack."""
    pieces = views.once("_idle_piece", "thread_id", "cause", "start_ns", "end_ns")
    pieces = cut_by_stack(pieces, views("_python_stretch"))
    ranges = views.of_threads("_operator_range")
    pieces = pieces.with_columns(thread_id=_threads_with_ranges(pieces["thread_id"], ranges))

    def sums(parts: pl.DataFrame) -> pl.DataFrame:
        return parts.group_by("path", *OF).agg(idle=LENGTH.sum())

    parts, names = summed_by_path(pieces, ranges, sums), views("_operator_name")
    parts = parts.select(pl.col("cause").cast(pl.String), STACK, "idle", path=pl.col("text").cast(pl.String))
    own = parts.group_by("path").agg(pl.col("idle").sum())
    rows = totals(own, under(own["path"], names))
    stacks = parts.group_by("path", *OF).agg(value=pl.col("idle").sum())
    return {
        "_operator_idle": rows.select(*KEY, idle_total_ns="idle_total", idle_self_ns="idle_self"),
        "_operator_idle_stack": stacks.select("cause", "value", STACK, names=stack(pl.col("path"), names)),
    }


def _threads_with_ranges(threads: pl.Series, ranges: Mapping[object, pl.DataFrame]) -> pl.Series:
    """Return the threads whose ranges count: those themselves, else the main threads of their processes."""
    known = {thread: thread for thread in threads.unique().to_list()}
    for thread in known:
        if isinstance(thread, int) and thread not in ranges:
            known[thread] = main_thread_of(process_of(thread))
    return threads.cast(pl.Int64).replace(list(known), list(known.values()))


SAMPLE = ["chain_id", "stack_number"]


@reads("_operator_range", "_operator_name", "cpu_sample", "_python_stretch", "_python_sample_stack")
def operator_samples(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _operator_sample."""
    thread = pl.when(pl.col("start_ns").is_not_null()).then("thread_id").alias("thread_id")
    samples = _samples(views).select(pl.col(SAMPLE).cast(pl.Int64), "start_ns", thread, end_ns="start_ns")

    def counted(samples: pl.DataFrame) -> pl.DataFrame:
        return samples.group_by(*SAMPLE, "path").agg(value=pl.len().cast(pl.Int64))

    counts = summed_by_path(samples, views.of_threads("_operator_range"), counted)
    sums = counts.group_by(*SAMPLE, "text").agg(pl.col("value").sum())
    names = stack(pl.col("text").cast(pl.String), views("_operator_name"))
    return {"_operator_sample": sums.select(*SAMPLE, "value", names=names)}


def _samples(views: ViewReader) -> pl.DataFrame:
    """Return CPU samples with the Python stack of their thread; without any, the samples of Python stacks."""
    samples = views("cpu_sample")
    if samples.is_empty():
        stacks = views("_python_sample_stack")
        return stacks.select("thread_id", "start_ns", "stack_number", chain_id=pl.lit(None, pl.Int64))
    return samples.with_columns(stacks_at(samples, "start_ns", views("_python_stretch")))
