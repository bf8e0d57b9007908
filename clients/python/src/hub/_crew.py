"""Work in parallel, and in groups that fit into a request."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional, Sequence

#: Files of one request.
BATCH = 100


def bind(function: Callable[..., Any], *values: Any) -> Callable[[], Any]:
    return lambda: function(*values)


class Crew:
    """Works in threads, or with one job in the caller's own."""

    def __init__(self, pool: Optional[ThreadPoolExecutor]) -> None:
        self._pool = pool

    def all(self, tasks: Sequence[Callable[[], Any]]) -> List[Any]:
        """The results in order. The first failure keeps what has not begun from beginning."""
        if self._pool is None:
            return [task() for task in tasks]
        futures = [self._pool.submit(task) for task in tasks]
        wait(futures, return_when=FIRST_EXCEPTION)
        failed = next((f for f in futures if f.done() and f.exception() is not None), None)
        if failed is not None:
            for future in futures:
                future.cancel()
            failed.result()
        return [future.result() for future in futures]


@contextmanager
def crew(jobs: int) -> Iterator[Crew]:
    if jobs <= 1:
        yield Crew(None)
    else:
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            yield Crew(pool)


def batches(items: Sequence[Any], weight: Callable[[Any], int], most: int) -> Iterator[List[Any]]:
    """Groups of at most ``BATCH`` items and at most ``most`` in weight, or of one item that is heavier."""
    group: List[Any] = []
    total = 0
    for item in items:
        if group and (len(group) >= BATCH or total + weight(item) > most):
            yield group
            group, total = [], 0
        group.append(item)
        total += weight(item)
    if group:
        yield group
