"""Links that open a page at a passage: text fragments, as browsers read them.

https://wicg.github.io/scroll-to-text-fragment/
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from cite_filter import urls

_WHOLE = 300
"""Characters up to which a passage is named whole; of a longer one, its first and last words."""
_WORDS = 6


def link(url: str, passage: str) -> str | None:
    """`url` with a fragment that shows `passage`; the URL alone where a browser finds none there.

    None for a URL that may not be linked.

    >>> link("https://example.org/a", "re-read, twice")
    'https://example.org/a#:~:text=re%2Dread%2C%20twice'
    """
    if not urls.is_linkable(url):
        return None
    words = passage.split()
    if not words or urlsplit(url).path.lower().endswith(".pdf"):
        return url
    base, _, _ = url.partition(":~:")
    fragment = _encoded(" ".join(words))
    if len(passage) > _WHOLE:
        if len(words) < 2 * _WORDS:  # a script without spaces
            fragment = f"{_encoded(passage[:20])},{_encoded(passage[-20:])}"
        else:
            first, last = " ".join(words[:_WORDS]), " ".join(words[-_WORDS:])
            fragment = f"{_encoded(first)},{_encoded(last)}"
    result = f"{base}{'' if '#' in base else '#'}:~:text={fragment}"
    return result if urls.is_linkable(result) else url


def _encoded(text: str) -> str:
    return quote(text.encode("utf-8", "replace"), safe="").replace("-", "%2D")
