"""Fold texts of NVTX ranges that differ in numbers only."""

import re

import polars as pl

COUNTERS = r", (?:seq|op_id) = \d+"  # PyTorch's counters of operators
DIGITS = r"\d+"
OPERATOR = r"^aten::|op_id = "
WARM_UP = r"(?i)warm[-_ ]?up"
LAYERS = re.compile(r"(?i)\b(?:blocks?|layers?)[.\[ _]?#")  # indexes of modules: each occurs once per forward pass


def folded(text: pl.Expr) -> pl.Expr:
    """The texts without `, seq = N` and `, op_id = N`, and with # for every other number."""
    return text.str.replace_all(COUNTERS, "").str.replace_all(DIGITS, "#")


def folded_name(text: str) -> str:
    """folded() for one text.

    >>> folded_name("step 12")
    'step #'
    """
    return re.sub(DIGITS, "#", re.sub(COUNTERS, "", text))


def numbers_layers(name: str) -> bool:
    """Whether the numbers in a folded text are indexes of a model's modules, not steps.

    >>> numbers_layers("model.layers.#"), numbers_layers("step #")
    (True, False)
    """
    return LAYERS.search(name) is not None
