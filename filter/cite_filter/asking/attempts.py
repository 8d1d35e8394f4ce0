"""Trying again what failed for a while: waits that double, with jitter, or as long as asked for."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from cite_filter.errors import CiteError

Done = TypeVar("Done")


class PassingFault(Exception):  # noqa: N818 - what it is: a fault, and it may pass
    """A fault that a second attempt may not meet: too many requests, a server in trouble."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after
        """How many seconds the server asks to wait."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try, and how long to wait in between, in seconds."""

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 20.0
    """A server that asks for more is not tried again."""


PATIENCE = Patience()


def attempt(work: Callable[[], Done], patience: Patience = PATIENCE) -> Done:
    """What `work` returns in the end. Raises CiteError where every attempt met a PassingFault."""
    failed = 0
    while True:
        try:
            return work()
        except PassingFault as fault:
            failed += 1
            asked = fault.retry_after
            if asked is not None and asked > patience.longest_wait:
                wait = f"{asked:.0f} s" if asked < 1e6 else "very long"
                raise CiteError(f"{fault.message}; it asks to wait {wait}") from None
            if failed == patience.attempts:
                raise CiteError(f"{fault.message} ({failed} attempts)") from None
            time.sleep(_wait(failed, asked, patience))


def _wait(failed: int, asked: float | None, patience: Patience) -> float:
    # Jitter parts requests that failed together, such as those for the pages of one question.
    jitter = random.random()  # noqa: S311 - no secret
    if asked is not None:
        return asked + jitter * patience.first_wait
    return min(patience.first_wait * 2.0 ** (failed - 1) * (0.5 + jitter), patience.longest_wait)


def retry_after(written: str | None) -> float | None:
    """The seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3); None where it is none.

    >>> retry_after("3"), retry_after("soon")
    (3.0, None)
    """
    if written is None:
        return None
    try:
        seconds = float(written)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(written) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)
