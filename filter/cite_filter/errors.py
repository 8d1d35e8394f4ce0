"""What stops work on one file, said so that its author can mend it."""

from __future__ import annotations

from pathlib import Path


class CiteError(Exception):
    """One line for the user: the file, the place in it, what is wrong and what to do."""

    def __init__(
        self, message: str, path: Path | None = None, line: int | None = None, *, status: int = 2
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        """1-based."""
        self.status = status
        """The exit status it leads to."""

    def __str__(self) -> str:
        place = "" if self.path is None else f"{self.path}:"
        if self.line is not None:
            place += f"{self.line}:"
        return f"{place} {self.message}".lstrip()
