"""Which URLs may become links, and which host a browser would open for them.

A URL is accepted or it is text: nothing is repaired, nothing is fetched. The rule is in
`docs/format.md`, section 3; the parser consulted is the WHATWG one of browsers.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SHAPE = re.compile(
    r"https?://([^\s<>\\/?#\x00-\x1f\x7f-\x9f]+)[^\s<>\\\x00-\x1f\x7f-\x9f]*", re.I | re.A
)
# Invisible, bidirectional, private: what a reader cannot see must not decide where a link goes.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"})
# Variation selectors, fillers and the like, which have other categories.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufffe\uffff"
    "\U000e0100-\U000e01ef]"
)
# A host that every parser reads alike: letters first in the last label, so no IPv4 in disguise.
_PLAIN_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z_-][a-z0-9_-]{0,62}\.?", re.I | re.A)
_ASCII_HOST = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
_IPV4 = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")


def is_linkable(url: str) -> bool:
    """Whether `url` may be written out as the target of a link.

    >>> is_linkable("https://example.org/a--b"), is_linkable("https://user@example.org/")
    (True, False)
    """
    return host(url) is not None


@lru_cache(maxsize=4096)
def host(url: str) -> str | None:
    """The host a browser would go to, in lower-case ASCII; None for a URL that may not be linked.

    >>> host("https://bücher.example/x"), host("javascript:alert(1)")
    ('xn--bcher-kva.example', None)
    """
    shape = _SHAPE.fullmatch(url)
    if shape is None or (not url.isascii() and _has_hidden_character(url)):
        return None
    written, port = _split_port(shape[1])
    if port is not None and not _is_port(port):
        return None
    if "@" in written or "%" in written:
        return None
    if _PLAIN_HOST.fullmatch(written) and "xn--" not in written.lower():
        return written.lower()
    return _browser_host(url, written)


def visible(url: str) -> str:
    """`url` to be read, not followed: what a reader could not see is written as an escape.

    >>> visible("https://example.org/\u202e x")
    'https://example.org/\\\\u202e x'
    """
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if character != " " and _has_hidden_character(character)
        else character
        for character in url
    )


def _has_hidden_character(url: str) -> bool:
    return _IGNORABLE.search(url) is not None or any(
        unicodedata.category(character) in _HIDDEN_CATEGORIES for character in url
    )


def _split_port(authority: str) -> tuple[str, str | None]:
    written, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        return authority, None
    return written, port


def _is_port(port: str) -> bool:
    return port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535


def _browser_host(url: str, written: str) -> str | None:
    """The host as the WHATWG parser reads it, or None where it refuses it or would go elsewhere."""
    import ada_url

    try:
        hostname: str = ada_url.URL(url).hostname
    except (ValueError, UnicodeError):
        return None
    if hostname.startswith("["):
        return hostname
    if _ASCII_HOST.fullmatch(hostname) is None:
        return None
    if _IPV4.fullmatch(hostname) and hostname != written:
        return None  # 0x7f.1, 2130706433: an address in disguise
    return hostname
