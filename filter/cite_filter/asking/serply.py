"""Searching and reading pages with Serply (https://serply.io/docs), version 1 of its API.

    GET  /v1/search/q=QUESTION&num=10    JSON: {"results": [{"title", "link", "description"}, …]}
    POST /v1/request                     {"url", "method", "response_type"}: the page as Markdown

The query of a search stands in the path. The text of a page is the body itself, no JSON.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from cite_filter import __version__
from cite_filter.asking import environment
from cite_filter.asking.attempts import PATIENCE, Patience, attempt
from cite_filter.asking.interfaces import Page, Result
from cite_filter.asking.web import Body, Service
from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import clean

KEY = "SERPLY_API_KEY"
BASE = "https://api.serply.io"
MOST_RESULT_BYTES = 4_000_000
MOST_TITLE_CHARACTERS = 300
_WIDEST = 4
"""Bytes of a code point in UTF-8, at most."""
_CHARSETS = frozenset(
    ["iso-8859-1", "iso-8859-2", "iso-8859-15", "windows-1250", "windows-1251", "windows-1252",
     "koi8-r", "shift_jis", "euc-jp", "gb2312", "gbk", "gb18030", "big5", "euc-kr"]
)  # fmt: skip


class Serply:
    """A `Search`."""

    def __init__(
        self,
        key: str,
        *,
        base: str = BASE,
        country: str = "US",
        seconds: float = 30.0,
        patience: Patience = PATIENCE,
    ) -> None:
        """`country`, two letters, is where one searches from; `seconds` are for an attempt."""
        self._base = base
        self._patience = patience
        self._service = Service("Serply", KEY, seconds)
        # The User-Agent of Python's own is turned away by what stands before the service.
        self._headers = {
            "X-Api-Key": key,
            "X-Proxy-Location": country,
            "User-Agent": f"cite-filter/{__version__}",
        }

    @classmethod
    def from_environment(cls, country: str = "US") -> Serply:
        """With the key in `SERPLY_API_KEY`, at `SERPLY_BASE_URL`. Raises CiteError."""
        base = environment.address("SERPLY_BASE_URL", BASE)
        return cls(environment.key(KEY, "Serply, https://serply.io"), base=base, country=country)

    def results(self, question: str, number: int) -> Sequence[Result]:
        """Up to `number` results. Raises CiteError."""
        path = urlencode({"q": question, "num": number}, quote_via=quote, errors="replace")
        body = self._fetch(f"/v1/search/{path}", None, MOST_RESULT_BYTES)
        if not body.is_whole:
            raise CiteError("Serply sends more results than can be read")
        try:
            found = json.loads(body.data)
        except (ValueError, RecursionError):
            raise CiteError("Serply answers a search with something else than JSON") from None
        return list(_results(found))[:number]

    def page(self, url: str, most_characters: int) -> Page:
        """The page at `url` as Markdown, up to so many code points. Raises CiteError."""
        order = {"url": url, "method": "GET", "response_type": "markdown"}
        # So many bytes hold more than so many code points, or all there are: more is not read.
        most_bytes = _WIDEST * (most_characters + 1)
        text = _decoded(self._fetch("/v1/request", order, most_bytes))
        if "\0" in text or text.count("\ufffd") > len(text) / 10:
            raise CiteError("Serply sends something else than text")
        if not text.strip():
            raise CiteError("Serply finds nothing on it")
        return Page(text[:most_characters], truncated=len(text) > most_characters)

    def _fetch(self, path: str, order: dict[str, str] | None, most_bytes: int) -> Body:
        headers = dict(self._headers)
        data = None
        if order is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(order).encode("ascii")
        request = urllib.request.Request(self._base + path, data, headers)  # noqa: S310 - checked
        return attempt(lambda: self._service.fetch(request, most_bytes), self._patience)


def _results(found: Any) -> Iterator[Result]:
    listed = found.get("results") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise CiteError("Serply answers a search without a list of results")
    for item in listed:
        link = item.get("link") if isinstance(item, dict) else None
        if isinstance(link, str) and link.strip():
            title = item.get("title")
            shown = clean(_encodable(title)) if isinstance(title, str) else ""
            yield Result(_encodable(link).strip(), shown[:MOST_TITLE_CHARACTERS])


def _encodable(text: str) -> str:
    """`text` without halves of surrogate pairs, which JSON may hold and UTF-8 may not."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _decoded(body: Body) -> str:
    charset = body.charset if body.charset in _CHARSETS else "utf-8"
    return body.data.decode(charset, "replace").removeprefix("\ufeff")
