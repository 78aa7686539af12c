"""Print the manual page nsysql(1), made from the commands' help: python tools/man_page.py | man -l -"""

from collections.abc import Iterator
from typing import Any

import typer

from nsysql import __version__
from nsysql.cli.app import GROUPS, QUERY, app

STATUS = {
    "0": "Done, also if there are no rows.",
    "1": "Could not: the file is missing or damaged, or the export lacks the data.",
    "2": "Wrong usage.",
    "3": "A gate failed: a condition of compare --fail-if holds beyond noise.",
}
VARIABLES = {
    "NSYSQL_PACKS": "Folders of further queries, as --pack.",
    "NSYSQL_NSYS": "The nsys that exports reports and records; by default that on the PATH.",
    "NSYSQL_MEMORY_LIMIT": "Memory limit of the process, such as 4GB, as --memory-limit.",
    "NSYSQL_THREADS": "Number of DuckDB's threads, as --threads.",
}


def page() -> Iterator[str]:
    """The lines of the page, in roff."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("nsysql", [], resilient_parsing=True)
    yield f'.TH NSYSQL 1 "" "nsysql {__version__}"'
    yield from (".SH NAME", "nsysql \\- answers from NVIDIA Nsight Systems exports")
    yield from (".SH SYNOPSIS", ".B nsysql", "COMMAND run.sqlite [OPTIONS]")
    yield from (
        ".SH DESCRIPTION",
        "Begin with: nsysql summary run.sqlite. Each query of nsysql list is a command, too.",
    )
    for heading, names in GROUPS.items():
        yield f'.SH "{heading.upper()}"'
        for name in names:
            yield from _command(group.get_command(context, name), name, context)
    for heading, entries in {"EXIT STATUS": STATUS, "ENVIRONMENT": VARIABLES}.items():
        yield f'.SH "{heading}"'
        for term, text in entries.items():
            yield from (".TP", f".B {term}", _roff(text))


def _command(command: Any, name: str, parent: Any) -> Iterator[str]:
    """A command: what it does, then its options."""
    inner = command.make_context(name, [], parent=parent, resilient_parsing=True)
    pieces = [] if name == QUERY else command.collect_usage_pieces(inner)[1:]
    yield from (f'.SS "nsysql {" ".join([name, *pieces])}"', _roff(command.help or ""))
    for p in command.get_params(inner):
        if p.param_type_name == "option" and p.name != "help" and (record := p.get_help_record(inner)):
            yield from (".TP", f".B {_roff(record[0])}", _roff(record[1]))


def _roff(text: str) -> str:
    """The text on one line, with what roff reads as commands escaped."""
    line = " ".join(text.replace("\b", "").split()).replace("\\[", "[")
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


if __name__ == "__main__":
    print("\n".join(page()))
