"""`nsysql analyze`: several rules of one export, each in its format to its output, like `nsys analyze`."""

from dataclasses import replace

from nsysql.analyze.advice import ADVICE
from nsysql.analyze.spec import read_rule
from nsysql.export import Export
from nsysql.stats.face import Call, stats


def analyze(run: Export, call: Call) -> bool:
    """Give the rules, all of them where none is named. Whether there was no error.

    Raises UsageError for unknown formats.
    """
    return stats(run, replace(call, reports=call.reports or tuple(ADVICE)), read_rule)
