"""nsysql: answers from NVIDIA Nsight Systems exports.

    import nsysql
    run = nsysql.open("run.sqlite")
    run.cuda_gpu_kern_sum(name="base")     # a polars DataFrame
    run.idle_gaps(min_gap_ns=10_000)

Every query of `nsysql list` is a method of the export and a function of `nsysql.queries`.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Export", "NsysqlError", "open"]

if TYPE_CHECKING:
    from nsysql.errors import NsysqlError
    from nsysql.export import Export, open


def __getattr__(name: str) -> Any:
    """The public names, imported when first asked for: `--help` and completion need no database."""
    if name in ("Export", "open"):
        from nsysql import export

        return getattr(export, name)
    if name == "NsysqlError":
        from nsysql.errors import NsysqlError

        return NsysqlError
    raise AttributeError(f"module 'nsysql' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
