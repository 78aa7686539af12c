"""Parts of a result one after the other: the next one computed ahead, those that are used freed."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

END = object()
Part = TypeVar("Part")


def prefetch(parts: Iterator[Part]) -> Generator[Part]:
    """The same, each but the first made in another thread while the one before it is used."""
    with ThreadPoolExecutor(1) as pool:
        part = next(parts, END)
        while part is not END:
            following = pool.submit(next, parts, END)
            yield part  # type: ignore[misc]
            part = following.result()


def drain(parts: list[Part]) -> Iterator[Part]:
    """The parts; none is in the list any more when it is drawn."""
    parts.reverse()
    while parts:
        yield parts.pop()
