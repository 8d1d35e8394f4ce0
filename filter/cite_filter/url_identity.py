"""Which URLs a model may cite: those that were retrieved, whatever way they are written.

Two URLs are one where the URL parser of browsers reads them alike, but for the fragment, for
percent escapes of characters that need none, and for keys that only track where a reader came from
(a vendor appends `utm_source` to real URLs). Nothing is compared in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import unquote_to_bytes

_TRACKING = re.compile(r"(?:utm_[a-z_]+|gclid|fbclid|ref_src)(?:=.*)?", re.I | re.S)
_ESCAPE = re.compile(r"%([0-9a-f]{2})", re.I)
_UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")
_MOBILE = re.compile(r"\A(?:www|m|mobile|amp)\.(?=[^.]+\.)")


@lru_cache(maxsize=8192)
def identity(url: str) -> str:
    """What two ways of writing one URL have in common; the URL itself if no browser reads it.

    >>> identity("HTTPS://Example.org:443/%7Ea/./b?utm_source=x#c")
    'https://example.org/~a/b'
    """
    import ada_url

    try:
        parsed = ada_url.URL(url.strip())
    except (ValueError, UnicodeError):
        return url
    if parsed.protocol not in ("http:", "https:"):
        return url
    parsed.hash = ""
    if parsed.search:
        kept = [pair for pair in parsed.search[1:].split("&") if not _TRACKING.fullmatch(pair)]
        parsed.search = "&".join(kept)
    return _ESCAPE.sub(_unescaped, str(parsed.href))


def _unescaped(match: re.Match[str]) -> str:
    byte = unquote_to_bytes(match[0])
    return byte.decode("ascii") if _UNRESERVED.fullmatch(byte) else match[0].upper()


def _nearly(address: str) -> str:
    """What URLs have in common that differ by a slip of the pen: scheme, `www`, the last slash."""
    _, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    host, _, path = place.partition("/")
    path = re.sub(r"/amp$", "", path.rstrip("/"))
    return f"{_MOBILE.sub('', host, count=1)}/{path}?{'&'.join(sorted(query.split('&')))}"


class Retrieved:
    """The URLs that were retrieved for an answer."""

    def __init__(self, urls: Iterable[tuple[str, ...]]) -> None:
        """`urls` are, for each source, the ways to write its address; the first is its name."""
        self._positions: dict[str, list[int]] = {}
        self._near: dict[str, str] = {}
        for position, ways in enumerate(urls):
            for url in ways:
                held = self._positions.setdefault(identity(url), [])
                if position not in held[-1:]:
                    held.append(position)
                if "://" in url:
                    self._near.setdefault(_nearly(identity(url)), ways[0])

    def find(self, url: str) -> Sequence[int]:
        """The positions of the sources that `url` is the address of, parts of one page."""
        return self._positions.get(identity(url), ())

    def near(self, url: str) -> str | None:
        """A retrieved URL that one which was not is nearly; for a reader, never for a link."""
        return self._near.get(_nearly(identity(url))) if "://" in url else None
