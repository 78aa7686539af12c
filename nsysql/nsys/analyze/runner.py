"""`nsysql analyze`: several rules of one export, each in its format to its output, like `nsys analyze`."""

from dataclasses import replace

from nsysql.capture.export import Export
from nsysql.nsys.analyze.rule_advice import ADVICE
from nsysql.nsys.analyze.rules import read_rule
from nsysql.nsys.stats.runner import ReportRequest, stats


def analyze(run: Export, call: ReportRequest) -> bool:
    """Give the rules, all of them where none is named. Whether there was no error.

    Raises UsageError for unknown formats.
    """
    return stats(run, replace(call, reports=call.reports or tuple(ADVICE)), read_rule)
