"""Mutations of an export's bytes: what a full disk, a broken copy or an enemy leaves of a file."""

from random import Random

PAGE = 4096


def cut(raw: bytearray, rng: Random) -> None:
    """The file ends at any byte."""
    del raw[rng.randrange(len(raw)) :]


def cut_pages(raw: bytearray, rng: Random) -> None:
    """The last pages are missing, and the header knows nothing of them."""
    pages = max(1, rng.randrange(len(raw) // PAGE + 1))
    del raw[pages * PAGE :]
    raw[28:32] = pages.to_bytes(4, "big")


def overwrite(raw: bytearray, rng: Random) -> None:
    """A stretch of the file is zeros, noise or one letter."""
    start, size = rng.randrange(len(raw)), rng.choice([1, 16, 512, PAGE, 3 * PAGE])
    filler = rng.choice([b"\0" * size, b"\xff" * size, rng.randbytes(size), b"A" * size])
    raw[start : start + size] = filler[: max(0, len(raw) - start)]


def swap_pages(raw: bytearray, rng: Random) -> None:
    """A page lies where another one should."""
    here, there = (PAGE * rng.randrange(max(1, len(raw) // PAGE)) for _ in range(2))
    raw[here : here + PAGE] = raw[there : there + PAGE]


def flip(raw: bytearray, rng: Random) -> None:
    """A few bits are wrong."""
    for _ in range(rng.choice([1, 3, 50])):
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)


def header(raw: bytearray, rng: Random) -> None:
    """A byte of the file's header is another one."""
    raw[rng.randrange(min(100, len(raw)))] = rng.choice([0, 1, 2, 255, rng.randrange(256)])


def schema(raw: bytearray, rng: Random) -> None:
    """A byte of the first page, where the tables are listed, is another one."""
    raw[rng.randrange(100, min(PAGE, len(raw)))] = rng.choice([0, 39, 40, 255, rng.randrange(256)])


def tail(raw: bytearray, rng: Random) -> None:
    """Something follows the file."""
    raw += rng.randbytes(rng.choice([1, 100, PAGE]))


def nothing_but(raw: bytearray, rng: Random) -> None:
    """A file of something else."""
    raw[:] = rng.choice([b"", b"SQLite format 3\0", b"\0" * 100, rng.randbytes(8192), b"PK\3\4" + bytes(96), b"{}"])


DAMAGES = (cut, cut_pages, overwrite, swap_pages, flip, header, schema, tail, nothing_but)
