"""`nsysql stats`: several reports of one export, each in its format to its output, as `nsys stats` would."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TypeVar

from nsysql.capture.export import Export
from nsysql.errors import MissingData, NsysqlError
from nsysql.nsys.formats import KINDS, Format, cells, read_format
from nsysql.nsys.report_rows import ReportRows, caveats
from nsysql.nsys.reports import DEFAULT_SET, RELABELED, Report, read_report
from nsysql.nsys.writers import WRITERS
from nsysql.words.atomic_file import atomic_replace


def to_file(chunks: Iterator[str], path: Path, export: Path) -> bool:
    """Write to a file, which appears only when complete and not empty. Whether there was anything to write."""
    first = next(chunks, None)
    if first is None:
        return False
    try:
        with (
            atomic_replace(path.resolve(), export) as written,
            written.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file,
        ):
            file.writelines(chain([first], chunks))
    except OSError as error:
        raise NsysqlError(f"{path} cannot be written: {error.strerror or error}.") from None
    return True


def to_command(chunks: Iterator[str], words: list[str]) -> None:
    """Write to the standard input of a command, whose own output goes to ours. Raises NsysqlError where it fails."""
    first = next(chunks, "")
    sys.stdout.flush()
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, text=True, encoding="utf-8", errors="surrogateescape")
    except (OSError, IndexError) as error:
        reason = getattr(error, "strerror", None) or "it is empty"
        raise NsysqlError(f"The command {' '.join(words)!r} cannot be run: {reason}.") from None
    assert process.stdin is not None
    try:
        with process.stdin:
            process.stdin.writelines(chain([first], chunks))
    except BrokenPipeError:
        pass  # the command has stopped reading
    finally:
        status = process.wait()
    if status:
        raise NsysqlError(f"The command {' '.join(words)!r} ended with status {status}.")


T = TypeVar("T")


@dataclass(frozen=True)
class ReportRequest:
    """The arguments of a call. The first report is written in the first format to the first output, and so on.

    The last element of a shorter list is repeated; `.` is the default format of an output, and as an output the file
    named like the export.
    """

    reports: Sequence[str] = ()
    formats: Sequence[str] = ()
    outputs: Sequence[str] = ()
    filters: dict[str, str] = field(default_factory=dict)
    time_unit: str | None = None
    quiet: bool = False
    overwrite: bool = False


Read = Callable[[str, dict[str, str], Mapping[str, Path]], Report]


def stats(run: Export, call: ReportRequest, read: Read = read_report) -> bool:
    """Give the reports. One that is unknown or cannot be given costs a line on stderr; the others go on.

    `read` understands the text of a report. Whether there was no error: data that the export lacks is none.
    Raises UsageError for unknown formats.
    """
    reports = call.reports or DEFAULT_SET
    count = len(reports)
    outputs = _as_many(call.outputs or ["-"], count, "outputs")
    formats = _as_many(call.formats or ["."], count, "output formats")
    reports_asked = [
        read_format(("column" if o == "-" else "csv") if f == "." else f, call.time_unit)
        for f, o in zip(formats, outputs, strict=True)
    ]
    for form in dict.fromkeys((form.name, form.unknown) for form in reports_asked if form.unknown):
        say(f"WARNING: the format {form[0]} has no option {', '.join(form[1])}; ignored.")
    written = [_write_report(run, call, read, *one) for one in zip(reports, reports_asked, outputs, strict=True)]
    return all(written)


def _as_many(values: Sequence[T], count: int, what: str) -> list[T]:
    if len(values) > count:
        say(f"WARNING: there are more {what} than reports; the last ones are not used.")
    return [*values, *[values[-1]] * count][:count]


def _write_report(run: Export, call: ReportRequest, read: Read, text: str, form: Format, output: str) -> bool:
    console = Console(run.path.name, call.quiet)
    try:
        report = read(text, call.filters, run.paths)
    except NsysqlError as error:
        console.begin(*text.split(":"))
        return console.failed(error)
    try:
        written = _to_output(run, call, report, form, output, console)
        flaws = [] if call.quiet else run.data_problems(report.query.name)
    except MissingData as error:
        written, flaws = console.skipped(str(error)), []
    except NsysqlError as error:
        return console.failed(error)
    for text in flaws:
        say(f"NOTE: {report.name}: {text}.")
    if not call.quiet:
        with suppress(MissingData):  # of the NVTX range that is the filter: it was reported instead of the report
            for text in caveats(run, report):  # what the report gets wrong for this export, as NVIDIA's does
                say(f"NOTE: {report.name}: {text}")
    return written


def _to_output(run: Export, call: ReportRequest, report: Report, form: Format, output: str, console: "Console") -> bool:
    write = WRITERS[form.name]
    answer = ReportRows(run, report, cells(report.query, form.units, RELABELED.get(report.name, {})))
    if output != "-" and not output.startswith("@"):
        base = str(run.path.with_suffix("")) if output == "." else output
        suffix = "_".join((report.name, *report.options)).replace("/", "_").replace(":", "_")
        path = Path(f"{base}_{suffix}.{KINDS[form.name].extension}")
        console.begin(report.name, *report.options, target=f"to [{path}]")
        if path.exists() and not call.overwrite:
            return console.skipped(f"output file {path} exists; it is overwritten with --force-overwrite true.")
        console.tell("PROCESSED\n" if to_file(write(answer, form), path, run.path) else "NO ROWS\n")
        return True
    if output == "-":
        console.begin(report.name, *report.options)
        sys.stdout.writelines(write(answer, form))
    else:
        console.begin(report.name, *report.options, target=f"to process [{output}]")
        to_command(write(answer, form), output[1:].split())
    if answer.count or form.name in ("column", "table"):  # an empty line after the report
        print(flush=True)
    return True


class Console:
    """Messages about one report: on stdout those of nsys, on stderr errors."""

    def __init__(self, export: str, quiet: bool) -> None:
        self._export = export
        self._quiet = quiet
        self._open = False

    def begin(self, report: str, *options: str, target: str = "") -> None:
        """Say what is processed; with a target the line stays open for the outcome."""
        self._open = bool(target)
        asked = f"[{report}]" + (f"({':'.join(options)})" if any(options) else "")
        self.tell(f"Processing [{self._export}] with {asked}{target and ' ' + target}... ", "" if target else "\n")

    def skipped(self, reason: str) -> bool:
        """Say that there is nothing to give, which is no error."""
        self._ended("" if self._quiet else f"SKIPPED: {reason}")
        return True

    def failed(self, error: NsysqlError) -> bool:
        self._ended(f"ERROR: {' '.join(str(error).split())}")
        return False

    def _ended(self, outcome: str) -> None:
        self.tell("", "\n" if self._open else "")
        if outcome:
            say(outcome)
        self.tell("")

    def tell(self, text: str, end: str = "\n") -> None:
        if not self._quiet:
            print(text, end=end, flush=True)


def say(text: str) -> None:
    """A line on stderr, after what stdout has got so far."""
    sys.stdout.flush()
    print(text, file=sys.stderr)
