"""What is made part by part, in several threads; without polars, as also exports are read so."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Made = TypeVar("Made")


def parallel_map(work: Callable[[Part], Made], parts: Iterable[Part], threads: int | None = None) -> Iterator[Made]:
    """What `work` makes of each part, in their order, a few ahead of what is drawn; by default in polars' threads."""
    if threads is None:
        from polars import thread_pool_size

        threads = thread_pool_size()
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[Made]] = deque()
        for part in parts:
            ahead.append(pool.submit(work, part))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def drain(parts: list[Part]) -> Iterator[Part]:
    """The parts; none is in the list any more when it is drawn."""
    parts.reverse()
    while parts:
        yield parts.pop()
