"""Fold texts of NVTX ranges that differ in numbers only."""

import re

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.view_reader import ViewReader

COUNTERS = r", (?:seq|op_id) = \d+"  # PyTorch's counters of operators
DIGITS = r"\d+"
OPERATOR = r"^aten::|op_id = "
WARM_UP = r"(?i)warm[-_ ]?up"
LAYERS = re.compile(r"(?i)\b(?:blocks?|layers?)[.\[ _]?#")  # indexes of modules: each occurs once per forward pass


def folded(text: pl.Expr) -> pl.Expr:
    """The texts without `, seq = N` and `, op_id = N`, and with # for every other number."""
    return text.str.replace_all(COUNTERS, "").str.replace_all(DIGITS, "#")


def folded_texts(views: ViewReader) -> pl.DataFrame:
    """The registered texts, folded: text, text_id."""
    return views("string").select(folded(pl.col("text")).alias("text"), text_id="id")


def folded_ranges(views: ViewReader, threads: pl.Series) -> dict[int, pl.DataFrame]:
    """The rows of _nvtx_own_range of each of these threads, without its number and with their own texts folded."""
    parts: dict[int, list[pl.DataFrame]] = {}

    def split(some: pl.DataFrame) -> pl.DataFrame:
        """Of a batch the rows of each thread; the first one is empty, also where the question is asked again."""
        if some.is_empty():
            parts.clear()
        own = some.filter(pl.col("thread_id").is_in(threads.implode()))
        own = shrink_ints(own.with_columns(folded(pl.col("plain_text")).cast(pl.Categorical)))
        for (thread,), part in own.partition_by("thread_id", as_dict=True, include_key=False).items():
            parts.setdefault(int(thread), []).append(part)
        return some.clear()

    none = views("_nvtx_own_range", narrow=split, stream=True).with_columns(pl.col("plain_text").cast(pl.Categorical))
    return {
        thread: pl.concat(parts.pop(thread, [none.drop("thread_id")]), how="vertical_relaxed")
        for thread in threads.to_list()
    }


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
