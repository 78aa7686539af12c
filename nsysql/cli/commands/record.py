"""`nsysql record`: the nsys command line that captures what a question needs."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import typer

from nsysql.capture.forms.nsys import LAUNCHERS, QUESTIONS, STARTERS, Capabilities, Recording, ask, recording
from nsysql.capture.forms.nsys_report import add_payloads, payloads_are_missing
from nsysql.cli.options import QUIET, argument, choice, option
from nsysql.cli.rows import Call, command
from nsysql.errors import NsysqlError, UsageError

FOR = "The question: why the GPU is idle, which lines cost what, memory, GPU metrics, or several ranks."
LAUNCHER = "What starts the ranks, for --for ranks: its variable with the rank is in the report's name."
RUN = "Run both commands; nsys must be on the PATH or named by NSYSQL_NSYS."
NAME = "Name of the report, without extension; by default that of the program and the question."
RANKS_START = ("mpirun", "mpiexec", "srun", "torchrun")


@command([QUIET])
def record(
    call: Call,
    program: list[str] = argument(metavar="-- PROGRAM...", help="The program to record, with its arguments."),
    question: str = choice(QUESTIONS, "idle", "--for", help=FOR),
    launcher: str = choice(LAUNCHERS, "openmpi", "--launcher", help=LAUNCHER),
    run: bool = option(False, "--run", help=RUN),
    output: str | None = option(None, "--output", "-o", metavar="NAME", help=NAME),
) -> None:
    """The nsys command lines that record what nsysql needs for a question, and export it.

    nsysql record --for lines -- python train.py prints both; with --run they are run. Options that the installed nsys
    does not have are left out and listed. Without nsys the options are those of the newest version.
    """
    first = Path(program[0]).name
    if question == "ranks" and first in RANKS_START:
        between = f"nsys goes between the two, so {first} starts the line that is printed"
        raise UsageError(f"give the program without {first}: {between}.")
    if run and question == "ranks":
        raise UsageError("--run cannot start ranks: give the line that is printed to the launcher.")
    tool = os.environ.get("NSYSQL_NSYS") or shutil.which("nsys")
    if run and tool is None:
        raise NsysqlError("nsys is neither on the PATH nor named by NSYSQL_NSYS; without --run it is not needed.")
    known = _known(tool)
    recording_ = recording(question, program, output or _name(program, question), launcher, known)
    for line in recording_.lines():
        print(line)
    call.note(*_notes(recording_, known, tool, question, launcher))
    if run:
        _run(recording_, str(tool))


def _known(tool: str | None) -> Capabilities:
    """What the installed nsys supports. Raises NsysqlError if it cannot be asked."""
    if tool is None:
        return Capabilities()
    try:
        return ask(tool)
    except (OSError, subprocess.SubprocessError) as error:
        why = getattr(error, "strerror", None) or "it does not answer"
        raise NsysqlError(f"{tool} cannot be asked for its options: {why}; NSYSQL_NSYS names another.") from None


def _name(program: list[str], question: str) -> str:
    """The report's name: the script's or the program's name, and the question."""
    script = next((word for word in program if word.endswith(".py")), program[0])
    return f"{re.sub(r'[^A-Za-z0-9_.-]', '_', Path(script).stem) or 'run'}-{question}"


def _notes(recording: Recording, known: Capabilities, tool: str | None, question: str, launcher: str) -> list[str]:
    notes = []
    if tool is None:
        newest = "these are the options of the newest version; an older one may not have all"
        notes.append(f"nsys is not installed here: {newest}.")
    if recording.left_out:
        notes.append(f"left out, as nsys {known.version or 'here'} does not know it: {', '.join(recording.left_out)}.")
    if "--include-blobs=true" in recording.left_out:
        lines = f"nsysql lines {recording.report}"
        notes.append(f"that export lacks Python stacks; nsysql reads them from the report: {lines}.")
    if question == "ranks":
        notes.append(f"each rank runs the first line: {STARTERS[launcher]} {recording.lines()[0]}")
        notes.append("the second line exports rank 0; run it for each report.")
    return notes


def _run(recording: Recording, tool: str) -> None:
    """Run both commands. Raises NsysqlError if there is no report, Exit with the status of the command that fails."""
    if Path(recording.report).exists():
        raise UsageError(f"{recording.report} exists; remove it, or give another name with --output.")
    status = _status([tool, *recording.profile[1:]])
    if not Path(recording.report).exists():
        raise NsysqlError(f"nsys wrote no {recording.report} (status {status}).")
    exported = _status([tool, *recording.export[1:]])
    export = Path(recording.report).with_suffix(".sqlite")
    if not exported and export.exists() and payloads_are_missing(export):
        add_payloads(tool, Path(recording.report), export, None)
    if status or exported:
        raise typer.Exit(status or exported)


def _status(words: list[str]) -> int:
    try:
        return subprocess.run(words, check=False, env=os.environ).returncode  # without what tunes nsysql's libraries
    except OSError as error:
        raise NsysqlError(f"{shlex.quote(words[0])} cannot be run: {error.strerror or error}.") from None
