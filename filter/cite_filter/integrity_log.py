"""The integrity log: one line of JSON for each answer that was verified. `docs/tracking.md`.

It is only ever appended to, by any number of writers, and read with what does not belong to it.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from cite_filter.errors import CiteError
from cite_filter.integrity_entry import Entry
from cite_filter.verification import VerifiedAnswer

LONGEST_LINE = 1_000_000
"""In bytes; what is longer is none of ours, and is not held in memory."""
_MODE = 0o600
_FAR = 0x7FFFFFF0
"""The byte that stands for the log in a lock of Windows, which keeps others from reading it."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A line that is no entry: torn by a crash, or somebody else's."""

    line: int
    """1-based."""
    why: str


# --- Writing -----------------------------------------------------------------------------------


def append(path: Path, verified: VerifiedAnswer, *, time: datetime) -> None:
    """Adds the line of one answer, with the `time` at which it was verified, to the log at `path`.

    Nothing that is there is changed, whoever else writes at the same time. Raises CiteError for
    what is no file or cannot be written, and ValueError for a time without a zone.
    """
    line = json.dumps(Entry.of(verified, time).to_json()).encode("ascii") + b"\n"
    try:
        with _opened(path) as log:
            if not stat.S_ISREG(os.fstat(log).st_mode):
                raise CiteError("is no file; a log is one that can be appended to", path)
            with _locked(log):
                _write(log, line)
    except OSError as error:
        raise CiteError(
            f"cannot be written ({error.strerror}); choose another place for the log", path
        ) from None


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """The log, open to be appended to. A new one is for its user alone: hashes can be guessed."""
    # A pipe without a reader would keep us waiting, and a terminal would become ours.
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    log = os.open(path, flags, _MODE)
    try:
        yield log
    finally:
        os.close(log)


def _write(log: int, line: bytes) -> None:
    """Writes in one call, so that without a lock, too, lines stay whole on a local disk."""
    left = line if _ends_in_newline(log) else b"\n" + line
    while left:  # a full disk may take a part; the next call says so
        left = left[os.write(log, left) :]


def _ends_in_newline(log: int) -> bool:
    if os.fstat(log).st_size == 0:
        return True
    os.lseek(log, -1, os.SEEK_END)
    return os.read(log, 1) == b"\n"


if sys.platform == "win32":
    import msvcrt
    import time as clock

    @contextmanager
    def _locked(log: int) -> Iterator[None]:
        os.lseek(log, _FAR, os.SEEK_SET)
        while True:
            try:
                msvcrt.locking(log, msvcrt.LK_NBLCK, 1)
                break
            except PermissionError:  # another writer has it, for a moment
                clock.sleep(0.002)
        try:
            yield
        finally:
            os.lseek(log, _FAR, os.SEEK_SET)
            msvcrt.locking(log, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextmanager
    def _locked(log: int) -> Iterator[None]:
        with suppress(OSError):  # some file systems know no locks; then one call has to do
            fcntl.flock(log, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing is not enough: a process forked meanwhile would hold the lock on.
            with suppress(OSError):
                fcntl.flock(log, fcntl.LOCK_UN)


# --- Reading -----------------------------------------------------------------------------------


def read(path: Path) -> Iterator[Entry | Foreign]:
    """The lines of a log, one after the other. Raises CiteError where it cannot be read."""
    try:
        with path.open("rb", buffering=LONGEST_LINE) as stream:
            for number, line in _lines(stream):
                yield _entry(number, line)
    except OSError as error:
        raise CiteError(f"cannot be read ({error.strerror}); name an integrity log", path) from None


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Each line that is not empty with its number; None for one that is too long to be ours."""
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield number, None
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.isspace() and line:
            yield number, line


def _entry(number: int, line: bytes | None) -> Entry | Foreign:
    if line is None:
        return Foreign(number, "too long")
    try:
        return Entry.from_line(line)
    except ValueError as error:
        return Foreign(number, str(error))
