"""Frames into text or files, one file per form."""

import sys
from pathlib import Path


def write(frame, format, output, limit):
    text = {
        "csv": lambda: frame.write_csv(),
        "json": lambda: frame.write_json(),
        "ndjson": lambda: frame.write_ndjson(),
    }.get(format, lambda: str(frame.head(limit or None)))()
    if output == "-":
        sys.stdout.write(text)
    else:
        Path(output).write_text(text)
