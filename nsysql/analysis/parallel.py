"""Process parts in several threads; without importing polars, as reading exports uses this too."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Made = TypeVar("Made")


def parallel_map(work: Callable[[Part], Made], parts: Iterable[Part], threads: int | None = None) -> Iterator[Made]:
    """Yield `work` of each part, in order, a few ahead of what is consumed; as many threads as polars by default."""
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
    """Yield the parts, each removed from the list before it is yielded."""
    parts.reverse()
    while parts:
        yield parts.pop()
