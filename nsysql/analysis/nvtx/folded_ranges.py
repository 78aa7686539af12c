"""Read the NVTX ranges of all threads once, with numbers in their texts as #, in few bytes per range."""

import re
from collections.abc import Iterator

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.nvtx.paths import NO_TEXT, ordered_ranges
from nsysql.analysis.view_reader import ViewReader, reads

COUNTERS = r", (?:seq|op_id) = \d+"  # PyTorch's counters of operators
DIMENSION = r"(?:c10|[1-4])[dD](?:_|(?-u:\b))"  # of conv2d, 3D_backbone, c10d: a name; other numbers count or vary
OPERATOR = r"^aten::|op_id = "
WARM_UP = r"(?i)warm[-_ ]?up"
LAYERS = re.compile(r"(?i)\b(?:blocks?|layers?)[.\[ _]?#")  # indexes of modules: each occurs once per forward pass


def folded(text: pl.Expr) -> pl.Expr:
    """Return the texts without `, seq = N` and `, op_id = N`, and with # for every other number but dimensions.

    >>> pl.select(folded(pl.lit(pl.Series(["c10d 12", "3D_1 13d", "mm, seq = 7"])))).to_series().to_list()
    ['c10d #', '3D_# #d', 'mm']
    """
    text = text.str.replace_all(COUNTERS, "")
    few = pl.when(text.str.contains(DIMENSION)).then(text)  # groups take several times as long
    kept = few.str.replace_all(f"({DIMENSION})|[0-9]+", "${1}#").str.replace_all("([0-4][dD]_?)#", "$1")
    return pl.coalesce(kept, text.str.replace_all("[0-9]+", "#"))


def numbers_epochs(text: pl.Expr) -> pl.Expr:
    """Tell whether texts name passes over the training data, which contain steps.

    >>> pl.select(numbers_epochs(pl.lit(pl.Series(["Epoch #", "epoch # step #"])))).to_series().to_list()
    [True, False]
    """
    return text.str.contains("(?i)epoch") & ~text.str.contains("(?i)step|iter|batch")


def folded_name(text: str) -> str:
    """Return folded() of one text.

    >>> folded_name("step 12")
    'step #'
    """
    return str(pl.select(folded(pl.lit(text))).item())


def numbers_layers(name: str) -> bool:
    """Tell whether the numbers in a folded text are indexes of a model's modules, not steps.

    >>> numbers_layers("model.layers.#"), numbers_layers("step #")
    (True, False)
    """
    return LAYERS.search(name) is not None


RANGE = ["thread_id", "start_ns", "end_ns", "text_id"]


@reads("_nvtx_own_range", "string")
def folded_ranges(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frames _folded_range, in parts if it is large, and _folded_name."""
    registered = views("string").select(text_id="id", registered=folded(pl.col("text")).cast(pl.Categorical))
    name = pl.coalesce("registered", folded(pl.col("plain_text")).cast(pl.Categorical), pl.lit(NO_TEXT, pl.Categorical))
    names = [pl.DataFrame(schema={"name": pl.Categorical})]

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        named = some.join(registered, on="text_id", how="left", maintain_order="left").with_columns(name=name)
        names.append(named.select(pl.col("name").unique()))
        text_id = pl.col("name").to_physical()
        return shrink_ints(named.select("thread_id", "start_ns", "end_ns", "row_id", text_id=text_id))

    ordered = ordered_ranges(views, narrow, RANGE)
    yield from map(lambda ranges: {"_folded_range": ranges}, ordered)  # noqa: C417  keeps none
    text_id = pl.col("name").to_physical().cast(pl.Int64)
    yield {"_folded_name": pl.concat(names).unique().select(text_id=text_id, name=pl.col("name").cast(pl.String))}


def names_of(views: ViewReader) -> pl.Expr:
    """Return the name of a range as an expression of its text_id."""
    names = views("_folded_name")
    return pl.col("text_id").replace_strict(names["text_id"], names["name"], return_dtype=pl.String)
