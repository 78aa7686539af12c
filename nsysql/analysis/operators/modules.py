"""Names of NVTX ranges that are those of a model's modules, as the programs that write them write them."""

import polars as pl

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
