"""Text as a YAML scalar on one line: plain where that is safe, else in quotes."""

from __future__ import annotations

import unicodedata

from cite_filter import plain_yaml


def scalar(text: str) -> str:
    r"""`text` as a scalar that every reader of YAML takes for exactly that text.

    >>> [scalar(text) for text in ("Tides", "A: b", "It's 'so': b", "a\nb")]
    ['Tides', "'A: b'", "'It''s ''so'': b'", '"a\\nb"']
    """
    if (
        plain_yaml.value(text) == text
        and not _means_more(text)
        and unicodedata.is_normalized("NFC", text)
    ):
        return text
    if not unicodedata.is_normalized("NFC", text):
        return in_ascii(text)
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(map(_escaped, text)) + '"'


def in_ascii(text: str) -> str:
    """`text` in double quotes, in ASCII: Pandoc's readers compose characters, but no escapes."""
    return (
        '"'
        + "".join(
            character
            if " " <= character <= "~" and character not in '"\\'
            else _escaped(character, ascii_only=True)
            for character in text
        )
        + '"'
    )


def _means_more(text: str) -> bool:
    """Whether YAML gives the text a type of its own: a number, a truth value, a date, a key."""
    return text[:1].isdigit() or text.casefold() in (
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "y",
        "n",
    )


def _escaped(character: str, *, ascii_only: bool = False) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable() and not ascii_only:
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:  # half a surrogate pair, which no YAML holds
        return "\ufffd"
    if character == "\n":
        return "\\n"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
