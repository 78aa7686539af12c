"""The mark of what computes views in Python: rows that were kept under another mark are computed anew."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from nsysql.pack import sql_folder

MAKERS = ("idle", "nvtx")  # the rooms that compute


@cache
def mark() -> str:
    """A digest of the SQL and the Python that these rows come from."""
    folder = Path(__file__).parent
    parts = [sql_folder() / "raw.sql", *(sql_folder() / "views").glob("*.sql")]
    parts += [file for maker in MAKERS for file in (folder / maker).glob("*.py")]
    digest = sha256()
    for part in sorted(parts, key=lambda part: (part.parent.name, part.name)):
        digest.update(part.name.encode() + part.read_bytes())
    return digest.hexdigest()
