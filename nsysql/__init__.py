"""nsysql: answers from NVIDIA Nsight Systems exports.

    import nsysql
    run = nsysql.open("run.sqlite")
    run.cuda_gpu_kern_sum(name="base")     # a polars DataFrame
    run.kernel(nvtx="step/2")              # the rows of a view
    run.pages.summary()                          # a page: print it, or end a notebook's cell with it

    nsysql.compare("before.sqlite", "after.sqlite")  # what changed, and whether that is more than noise
    nsysql.ranks("job/")                             # which rank keeps the others waiting
    nsysql.timelines("job/")                         # what ran on all ranks, on one clock
    nsysql.open_runs("job/").cuda_gpu_kern_sum()     # the rows of many exports, read by worker processes

Every query and view of `nsysql list` is a method of the export, and every query a function of `nsysql.queries`.
"""

TYPE_CHECKING = False  # as in typing, whose import would take longer than all else here
__version__ = "0.1.0"
__all__ = ["Export", "NsysqlError", "Run", "Runs", "compare", "open", "open_runs", "ranks", "timelines"]
HOMES = {"Export": "capture.export", "NsysqlError": "errors", "Runs": "fleet.runs", "open_runs": "fleet.runs"}

if TYPE_CHECKING:
    from typing import Any

    from nsysql.api.facade import Run, compare, open, ranks, timelines
    from nsysql.capture.export import Export
    from nsysql.errors import NsysqlError
    from nsysql.fleet.runs import Runs, open_runs


def __getattr__(name: str) -> "Any":
    """The public names, imported when first asked for: `--help` and completion need no database."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'nsysql' has no attribute {name!r}")
    return getattr(import_module(f"nsysql.{HOMES.get(name, 'api.facade')}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
