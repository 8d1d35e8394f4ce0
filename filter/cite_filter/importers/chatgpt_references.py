"""What the metadata of a ChatGPT message says of sources: content references, tokens, citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from cite_filter.importers.answers import Cited, without_tracking
from cite_filter.importers.chats import file_source
from cite_filter.importers.values import map_of, maps_of, text_of, whole_of

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Reference:
    """A content reference that says what stands behind a stretch of the text."""

    kind: str
    matched: str
    sources: tuple[Cited, ...]
    tokens: frozenset[str]
    """The tokens that its sources stand for; empty where it does not say."""


def is_valid(item: dict[str, Any]) -> bool:
    """Whether a content reference says anything: what is hidden are characters that go anyway."""
    return item.get("invalid") is not True and item.get("type") != "hidden"


def reference_of(item: dict[str, Any]) -> Reference:
    """The content reference in parsed JSON."""
    kind = text_of(item.get("type"))
    pages = _pages(kind, item)
    sources = dict.fromkeys(source for page in pages for source in _sources(page))
    tokens = {token for page in pages for token in _tokens(page.get("refs"))}
    return Reference(kind, text_of(item.get("matched_text")), tuple(sources), frozenset(tokens))


def _pages(kind: str, item: dict[str, Any]) -> list[dict[str, Any]]:
    """The pages and files that a reference cites; none for a panel, a picture, a widget."""
    if kind.startswith("grouped_webpages") or kind == "nav_list":
        return maps_of(item.get("items")) or maps_of(item.get("fallback_items"))
    if kind == "url":
        return [map_of(item.get("item")) or item]
    if kind in ("webpage", "webpage_extended", "file", "video"):
        return [item]
    return []


def _sources(page: dict[str, Any]) -> Iterator[Cited]:
    """The source that a page is, and those that the product shows behind it."""
    if source := _source(page):
        yield source
    for other in maps_of(page.get("supporting_websites")):
        if source := _source(other):
            yield source


def _source(page: dict[str, Any]) -> Cited | None:
    url, title = text_of(page.get("url")).strip(), text_of(page.get("title"))
    if re.match(r"https?://", url, re.I):
        return Cited(url, title)
    name = text_of(page.get("name")) or (title if page.get("type") == "file" else "")
    return file_source(name.strip()) if name.strip() else None


def _tokens(refs: Any) -> list[str]:
    """The tokens of a list of references to results; of one, too."""
    return [
        f"turn{ref['turn_index']}{ref['ref_type']}{ref['ref_index']}"
        for ref in ([refs] if isinstance(refs, dict) else maps_of(refs))
        if whole_of(ref.get("turn_index")) is not None
        and whole_of(ref.get("ref_index")) is not None
        and isinstance(ref.get("ref_type"), str)
    ]


def tokens_of_items(raw: list[dict[str, Any]]) -> Iterator[tuple[str, Cited]]:
    """Tokens and sources of items that name one token: several do not say which is whose."""
    for item in raw:
        for page in _pages(text_of(item.get("type")), item):
            tokens, source = _tokens(page.get("refs")), _source(page)
            if len(tokens) == 1 and source:
                yield tokens[0], source


def tokens_of_results(found: Iterable[dict[str, Any]]) -> Iterator[tuple[str, Cited]]:
    """Tokens and sources of what searches found, from the metadata of several messages."""
    for metadata in found:
        for group in maps_of(metadata.get("search_result_groups")):
            for entry in maps_of(group.get("entries")):
                for token in _tokens(entry.get("ref_id")):
                    if source := _source(entry):
                        yield token, source


def unanimous(pairs: Iterable[tuple[str, Cited]]) -> dict[str, Cited | None]:
    """The source of each token; None for a token that stands for several."""
    found: dict[str, Cited | None] = {}
    for token, source in pairs:
        known = found.setdefault(token, source)
        if known and without_tracking(known.url) != without_tracking(source.url):
            found[token] = None
    return found


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key, in order."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


@dataclass(frozen=True, slots=True)
class OldCitation:
    """A citation as answers of 2023 have it."""

    source: Cited
    start: int | None
    """Where its brackets stand, in code points, more or less."""
    number: int | None


def old_citations(metadata: dict[str, Any]) -> Iterator[OldCitation]:
    """The citations that name a source; newer answers have others, which say nothing."""
    for citation in maps_of(metadata.get("citations")):
        cited = map_of(citation.get("metadata"))
        number = whole_of(map_of(cited.get("extra")).get("cited_message_idx"))
        if source := _source(cited):
            yield OldCitation(source, whole_of(citation.get("start_ix")), number)
