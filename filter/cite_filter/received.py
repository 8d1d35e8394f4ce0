"""Standard input, read while Pandoc is still writing it."""

from __future__ import annotations

from typing import BinaryIO

STEP = 1 << 17
"""Bytes that are asked for at a time."""


class Received:
    """What a stream delivers, read as far as it is needed and kept as it came."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.chunks: list[bytes] = []
        self.size = 0
        self.ended = False

    def more(self, least: int) -> bytes:
        """The next bytes: a step, and at least so many, unless the stream ends."""
        first, goal = len(self.chunks), self.size + max(least, STEP)
        while self.size < goal and not self.ended:
            chunk = self._stream.read1(STEP)  # type: ignore[attr-defined]
            self.chunks.append(chunk)
            self.size += len(chunk)
            self.ended = not chunk
        return b"".join(self.chunks[first:])

    def whole(self) -> bytes:
        """All bytes, with those that were read before."""
        self.chunks = [b"".join((*self.chunks, self._stream.read()))]
        self.size, self.ended = len(self.chunks[0]), True
        return self.chunks[0]
