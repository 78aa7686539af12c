"""Recognize, inspect and attach each form of export; other packages see a Source."""

from pathlib import Path

from nsysql.capture.files import DIGESTS, ENDINGS
from nsysql.capture.forms.source import Source
from nsysql.capture.forms.unchanged import refuse_special
from nsysql.errors import NotAnExport
from nsysql.words.quantities import counted
from nsysql.words.sql_text import HOW_TO_EXPORT, REPORTS


def open_source(path: Path) -> Source:
    """Open the export at `path`. Raises NotAnExport with the reason and a remedy."""
    try:
        str(path).encode()
    except UnicodeEncodeError:  # surrogates stand for bytes that are not UTF-8, which DuckDB does not accept in a path
        raise NotAnExport(f"{str(path)!a} cannot be read: its name is not valid UTF-8; rename it.") from None
    if path.is_dir():
        return _folder(path)
    refuse_special(path)
    if path.suffix in REPORTS and path.exists():
        from nsysql.capture.forms import nsys_report

        return nsys_report.open_source(path)
    if path.name.endswith(DIGESTS):
        from nsysql.analysis.digest_file import is_digest

        if is_digest(path):
            raise NotAnExport(f"{path} is a digest, for `nsysql compare`, `ranks` and `runs`; give the export itself.")
    from nsysql.capture.forms import duckdb_file, sqlite

    return duckdb_file.open_source(path) if duckdb_file.is_one(path) else sqlite.open_source(path)


def _folder(path: Path) -> Source:
    files = [file for file in sorted(path.iterdir()) if file.suffix in (".parquet", ".arrow")]
    for file in files:
        refuse_special(file)
    kinds = {file.suffix for file in files}
    if len(kinds) > 1:
        raise NotAnExport(f"{path} has files of Parquet and of Arrow; an export is a folder of either.")
    if not kinds and (exports := sorted(file for file in path.iterdir() if file.suffix in ENDINGS)):
        raise NotAnExport(
            f"{path} is a folder of {counted(len(exports), 'export')}; give one, such as {exports[0]}, or all of them "
            "to `nsysql runs`; the ranks of one job to `nsysql ranks`."
        )
    if not kinds:
        raise NotAnExport(
            f"{path} is a folder without .parquet or .arrow files; give the path of an export, or {HOW_TO_EXPORT}."
        )
    if kinds == {".parquet"}:
        from nsysql.capture.forms import parquet

        return parquet.open_source(path)
    from nsysql.capture.forms import arrow

    return arrow.open_source(path)
