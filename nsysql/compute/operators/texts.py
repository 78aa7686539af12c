"""Texts of NVTX ranges as names of operators."""

import polars as pl

from nsysql.compute.steps.texts import folded

SHAPES = r", sizes = .*$"  # PyTorch's shapes of an operator's arguments, and what follows them
NUMBERED = (", op_id = ", ", seq = ")  # what PyTorch's numbers of an operator follow, at the end of most texts
FIGURES = "0123456789"


def operator_name(text: pl.Expr) -> pl.Expr:
    """Texts without PyTorch's shapes and numbers of the operator, and # for every other number.

    >>> text = "aten::mm, seq = 7, sizes = [[2, 3], [3, 4]]"
    >>> pl.select(operator_name(pl.lit(text))).item()
    'aten::mm'
    """
    return folded(text.str.replace(SHAPES, ""))


def without_last_counter(text: pl.Expr) -> pl.Expr:
    """Texts without a number of the operator at their end, which changes no `operator_name`: few are left of many.

    >>> pl.select(without_last_counter(pl.lit("aten::mm, seq = 7, op_id = 8"))).item()
    'aten::mm, seq = 7'
    """
    cut = text.str.strip_chars_end(FIGURES)
    is_numbered = cut.str.len_bytes() < text.str.len_bytes()
    found = [cut.str.strip_suffix(before) for before in NUMBERED]
    ends = [is_numbered & cut.str.ends_with(before) for before in NUMBERED]
    return pl.when(ends[0]).then(found[0]).when(ends[1]).then(found[1]).otherwise(text)
