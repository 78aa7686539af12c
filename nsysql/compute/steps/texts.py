"""Texts of NVTX ranges, of which many mean one: numbers in them are left out."""

import re

import polars as pl

COUNTERS = r", (?:seq|op_id) = \d+"  # PyTorch's numbers of an operator
DIGITS = r"\d+"
OPERATOR = r"^aten::|op_id = "
LAYERS = re.compile(r"(?i)\b(?:blocks?|layers?)[.\[ _]?#")  # numbers of modules: a forward pass has one of each


def folded(text: pl.Expr) -> pl.Expr:
    """Texts with `, seq = N` and `, op_id = N` left out, and # for every other number."""
    return text.str.replace_all(COUNTERS, "").str.replace_all(DIGITS, "#")


def folded_name(text: str) -> str:
    """The same for one text.

    >>> folded_name("step 12")
    'step #'
    """
    return re.sub(DIGITS, "#", re.sub(COUNTERS, "", text))


def numbers_layers(name: str) -> bool:
    """Whether the numbers of a folded text count modules of a model, not steps.

    >>> numbers_layers("model.layers.#"), numbers_layers("step #")
    (True, False)
    """
    return LAYERS.search(name) is not None
