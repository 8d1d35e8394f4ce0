"""Reading typed values from parsed JSON, with errors that name the place and the value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_LONGEST = 60
"""Characters of a value that a message shows."""


class InvalidTranscript(ValueError):  # noqa: N818 - what it says, not what it is
    """Data that is no transcript: one line, with the place, the value and what is expected."""


class Fields:
    """The fields of one JSON object."""

    def __init__(self, value: Any, place: str) -> None:
        """Raises InvalidTranscript for what is no object. `place` is a path such as `turns[2]`."""
        if not isinstance(value, dict):
            raise InvalidTranscript(_message(place or "the file", value, "an object"))
        self._left: dict[str, Any] = dict(value)
        self._place = place

    def text(self, key: str, *, required: bool = False) -> str | None:
        """The text under `key`; None where there is none or null."""
        value = self._left.pop(key, None)
        if value is None and not required:
            return None
        if not isinstance(value, str):
            raise InvalidTranscript(_message(self.at(key), value, "text"))
        return value

    def value(self, key: str) -> Any:
        """Whatever is under `key`."""
        return self._left.pop(key, None)

    def integer(self, key: str) -> int:
        """The whole number from 1 on under `key`."""
        value = self._left.pop(key, None)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidTranscript(_message(self.at(key), value, "a whole number from 1 on"))
        return value

    def items(self, key: str, *, required: bool = False) -> Iterator[tuple[Any, str]]:
        """The items of the list under `key`, each with its place; none where there is no list."""
        value = self._left.pop(key, None)
        if value is None and not required:
            return
        if not isinstance(value, list):
            raise InvalidTranscript(_message(self.at(key), value, "a list"))
        for position, item in enumerate(value):
            yield item, f"{self.at(key)}[{position}]"

    def texts(self, key: str) -> dict[str, str]:
        """The map from text to text under `key`; empty where there is none."""
        value = self._left.pop(key, None)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise InvalidTranscript(_message(self.at(key), value, "an object of texts"))
        return value

    def rest(self) -> dict[str, Any]:
        """The fields that were not asked for."""
        return self._left

    def at(self, key: str) -> str:
        """The place of a field."""
        return f"{self._place}.{key}" if self._place else key


def _message(place: str, value: Any, expected: str) -> str:
    shown = "missing" if value is None else json.dumps(value, ensure_ascii=False)
    if len(shown) > _LONGEST:
        shown = shown[:_LONGEST] + "…"
    return f"{place}: {shown}; expected {expected}"
