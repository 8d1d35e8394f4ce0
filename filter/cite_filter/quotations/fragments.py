"""Links that open a page at a passage: text fragments, as browsers read them.

https://wicg.github.io/scroll-to-text-fragment/
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from cite_filter import urls

_WHOLE = 300
"""Characters up to which a passage is named whole; of a longer one, its first and last words."""
_WORDS = 6
_SIGNS = 20
"""What is named of a text without spaces."""


def link(url: str, passage: str, ends: tuple[str, str] | None = None) -> str | None:
    """`url` with a fragment that shows `passage`; the URL alone where a browser finds none there.

    `ends` are the text of its first block and of its last, where it goes over several: a browser
    finds a text within one. None for a URL that may not be linked.

    >>> link("https://example.org/a", "re-read, twice")
    'https://example.org/a#:~:text=re%2Dread%2C%20twice'
    """
    if not urls.is_linkable(url):
        return None
    words = passage.split()
    if not words or urlsplit(url).path.lower().endswith(".pdf"):
        return url
    address, _, place = url.partition("#")
    base = f"{address}#{place.partition(':~:')[0]}"
    if ends is not None:
        fragment = f"{_first(ends[0])},{_last(ends[1])}"
    elif len(passage) > _WHOLE:
        fragment = f"{_first(passage)},{_last(passage)}"
    else:
        fragment = _encoded(" ".join(words))
    result = f"{base}:~:text={fragment}"
    return result if urls.is_linkable(result) else url


def _first(text: str) -> str:
    words = text.split()[:_WORDS]
    return _encoded(" ".join(words) if len(words) > 1 else text[:_SIGNS])


def _last(text: str) -> str:
    words = text.split()[-_WORDS:]
    return _encoded(" ".join(words) if len(words) > 1 else text[-_SIGNS:])


def _encoded(text: str) -> str:
    return quote(text.encode("utf-8", "replace"), safe="").replace("-", "%2D")
