"""Waiting for several things at once, and not longer than one wants to."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from cite_filter.errors import CiteError

Task = TypeVar("Task")
Done = TypeVar("Done")


def side_by_side(
    work: Callable[[Task], Done],
    tasks: Sequence[Task],
    seconds: float,
    step: Callable[[int], None],
) -> list[Done | CiteError]:
    """What `work` made of each task, in their order, or the CiteError that it raised.

    A task that is not done after `seconds` is given up. `step` is told how many are done. The
    threads are daemons, and not those of an executor, which Python waits for at its end: an
    interruption ends the program while they still wait for a server.
    """
    finished: queue.SimpleQueue[tuple[int, Done | Exception]] = queue.SimpleQueue()

    def one(position: int, task: Task) -> None:
        try:
            finished.put((position, work(task)))
        except Exception as error:  # raised below, where it is seen
            finished.put((position, error))

    for position, task in enumerate(tasks):
        threading.Thread(target=one, args=(position, task), daemon=True).start()
    late = CiteError(f"takes longer than {seconds:g} s")
    found: list[Done | CiteError] = [late] * len(tasks)
    end = time.monotonic() + seconds
    for count in range(len(tasks)):
        step(count)
        try:
            position, done = finished.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        if isinstance(done, Exception) and not isinstance(done, CiteError):
            raise done
        found[position] = done
    return found
