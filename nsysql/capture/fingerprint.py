"""A digest of what computes views in Python: stored rows with another one are computed anew."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from nsysql.catalog.packs import sql_folder


@cache
def fingerprint() -> str:
    """A digest of the SQL and the Python that these rows come from."""
    return digest_of(sql_folder(), Path(__file__).parent.parent / "analysis")


def digest_of(sql: Path, compute: Path) -> str:
    """The digest of the views in a folder of SQL, and of every module below a folder, wherever it lies."""
    digest = sha256()
    views = [*sql.glob("*.sql"), *(sql / "views").rglob("*.sql")]
    for folder, parts in ((sql, views), (compute, [*compute.rglob("*.py")])):
        for part in sorted(parts, key=lambda part: part.relative_to(folder).parts):
            digest.update(f"{part.relative_to(folder).as_posix()} {part.stat().st_size} ".encode() + part.read_bytes())
    return digest.hexdigest()
