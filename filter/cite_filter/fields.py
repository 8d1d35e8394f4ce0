"""Reading typed values from parsed JSON, with errors that name the place and the value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

_LONGEST = 60
"""Characters of a value that a message shows."""


class InvalidData(ValueError):  # noqa: N818 - what it says, not what it is
    """Data of another shape: one line, with the place, the value and what is expected."""


class Fields:
    """The fields of one JSON object."""

    def __init__(self, value: Any, place: str) -> None:
        """Raises InvalidData for what is no object. `place` is a path such as `turns[2]`."""
        if not isinstance(value, dict):
            raise InvalidData(_message(place or "the file", value, "an object"))
        self._left: dict[str, Any] = dict(value)
        self._place = place

    def text(self, key: str, *, required: bool = False) -> str | None:
        """The text under `key`; None where there is none or null."""
        value = self._left.pop(key, None)
        if value is None and not required:
            return None
        if not isinstance(value, str):
            raise InvalidData(_message(self.at(key), value, "text"))
        return value

    def value(self, key: str) -> Any:
        """Whatever is under `key`."""
        return self._left.pop(key, None)

    def integer(self, key: str) -> int:
        """The whole number from 1 on under `key`."""
        value = self._left.pop(key, None)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidData(_message(self.at(key), value, "a whole number from 1 on"))
        return value

    def items(self, key: str, *, required: bool = False) -> Iterator[tuple[Any, str]]:
        """The items of the list under `key`, each with its place; none where there is no list."""
        value = self._left.pop(key, None)
        if value is None and not required:
            return
        if not isinstance(value, list):
            raise InvalidData(_message(self.at(key), value, "a list"))
        for position, item in enumerate(value):
            yield item, f"{self.at(key)}[{position}]"

    def strings(self, key: str, *, required: bool = False) -> list[str]:
        """The texts of the list under `key`; none where there is no list."""
        found = []
        for value, place in self.items(key, required=required):
            if not isinstance(value, str):
                raise InvalidData(_message(place, value, "text"))
            found.append(value)
        return found

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        """One of `choices`; `default`, where there is one and the field is missing."""
        value = self._left.pop(key, None)
        if value is None and default is not None:
            return default
        if value not in choices:
            raise InvalidData(_message(self.at(key), value, f"one of {', '.join(choices)}"))
        return str(value)

    def truth(self, key: str) -> bool:
        """Whether `key` is true; false where it is missing."""
        value = self._left.pop(key, None)
        if value is not None and not isinstance(value, bool):
            raise InvalidData(_message(self.at(key), value, "true or false"))
        return bool(value)

    def texts(self, key: str) -> dict[str, str]:
        """The map from text to text under `key`; empty where there is none."""
        value = self._left.pop(key, None)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise InvalidData(_message(self.at(key), value, "an object of texts"))
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
