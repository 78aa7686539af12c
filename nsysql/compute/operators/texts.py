"""Texts of NVTX ranges as names of operators."""

import polars as pl

from nsysql.compute.steps.texts import folded

SHAPES = r", sizes = .*$"  # PyTorch's shapes of an operator's arguments, and what follows them


def operator_name(text: pl.Expr) -> pl.Expr:
    """Texts without PyTorch's shapes and numbers of the operator, and # for every other number.

    >>> text = "aten::mm, seq = 7, sizes = [[2, 3], [3, 4]]"
    >>> pl.select(operator_name(pl.lit(text))).item()
    'aten::mm'
    """
    return folded(text.str.replace(SHAPES, ""))
