"""A bound for the HTTP client of the Anthropic SDK, which by itself reads whatever comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any


class TooMuch(Exception):  # noqa: N818
    """A response is larger than it may be."""


def bounded(most_bytes: int, seconds: float) -> Callable[[Any], None]:
    """A hook for responses. Reading one raises TooMuch, or TimeoutError after so many seconds.

    The hook puts itself in the place of the method by which the client reads a body, an error's
    too; a timeout of the client is for each piece of it alone.
    """

    def bound(response: Any) -> None:
        read = response.iter_bytes

        def iter_bytes(*arguments: Any) -> Iterator[bytes]:
            size, end = 0, time.monotonic() + seconds
            for chunk in read(*arguments):
                size += len(chunk)
                if size > most_bytes:
                    raise TooMuch
                if time.monotonic() > end:
                    raise TimeoutError
                yield chunk

        response.iter_bytes = iter_bytes

    return bound
