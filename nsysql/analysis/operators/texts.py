"""Texts of NVTX ranges as names of operators."""

import polars as pl

from nsysql.analysis.steps.texts import folded

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
    found = _without_figures(texts.alias("text").to_frame(), OP_ID)
    left = found.select(text=pl.when(is_numbered).then(cut.str.strip_suffix(OP_ID)).otherwise(text))
    found = _without_figures(left, SEQ)
    found = found.with_columns(figures=pl.when(is_numbered).then(text.str.slice(cut.str.len_chars())))
    return found.select(
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
