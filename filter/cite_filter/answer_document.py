"""The document of a verified answer: what is claimed, on whose word, and what is not covered.

The summary comes first, and says that it is the model's own. What the sources do not cover has a
heading of its own, with the weight of the answer. `docs/answers.md` shows the parts.
"""

from __future__ import annotations

import re
from typing import Any

from cite_filter import answer_claims, urls
from cite_filter import pandoc_ast as ast
from cite_filter.answer_inlines import (
    SEPARATOR,
    Writing,
    bullets,
    division,
    filled,
    heading,
    ltr,
    paragraph,
    strong,
)
from cite_filter.answer_words import sources_title, words_for
from cite_filter.pandoc_ast import Blocks, Document, Inlines
from cite_filter.verification import VerifiedAnswer, VerifiedSource

API_VERSION = [1, 23, 1]
"""Of Pandoc's types, as its JSON states it; every Pandoc from 3.0 on reads it."""
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*", re.I | re.A)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?=T|\s|$)", re.A)
_HASH = 12
"""Digits that are shown of a hash."""


def render(
    verified: VerifiedAnswer, *, target: str = "html", language: str | None = None
) -> Document:
    """The document, as Pandoc's JSON is parsed.

    `target` is Pandoc's writer: what is safe text in one format may be a link in another.
    `language`, a tag of BCP 47, stands for the answer's own.
    """
    language = (language or verified.asked.language or "").replace("_", "-")
    writing = Writing.of(verified, words_for(language), language, target)
    return {
        "pandoc-api-version": API_VERSION,
        "meta": _metadata(writing),
        "blocks": [
            *_question(writing),
            *_summary(writing),
            *_tally(writing),
            *_claims(writing),
            *_uncovered(writing),
            *_sources(writing),
            *_integrity(writing),
        ],
    }


def _metadata(writing: Writing) -> dict[str, Any]:
    asked = writing.verified.asked
    meta: dict[str, Any] = {}
    if asked.question and ast.clean(asked.question) and not writing.is_markdown:
        meta["title"] = {"t": "MetaInlines", "c": writing.text(asked.question)}
    model = asked.more.get("model")
    if isinstance(model, str) and ast.clean(model):
        meta["author"] = {"t": "MetaList", "c": [{"t": "MetaInlines", "c": writing.text(model)}]}
    day = _DAY.match(asked.date or "")
    if day:
        meta["date"] = {"t": "MetaInlines", "c": ltr(day[0])}
    if writing.language and _TAG.fullmatch(writing.language):
        meta["lang"] = {"t": "MetaString", "c": writing.language}
    return meta


def _question(writing: Writing) -> Blocks:
    """The question, for formats that show no title."""
    question = writing.verified.asked.question or ""
    if not writing.is_markdown or not ast.clean(question):
        return []
    return [{"t": "Header", "c": [1, ["", [], []], writing.text(question)]}]


def _summary(writing: Writing) -> Blocks:
    summary = writing.verified.asked.answer.summary
    if not ast.clean(summary):
        return []
    label = paragraph([strong(ast.words(writing.words.summary))])
    return [division("summary", [label, paragraph(writing.text(summary))])]


def _tally(writing: Writing) -> Blocks:
    """What was found, in a line: at the top, where a reader looks."""
    words, integrity = writing.words, writing.verified.integrity
    counts = [
        (words.claims, integrity.claims),
        (words.n_unsupported, integrity.unsupported_claims),
        (words.n_mismatched, integrity.quote_mismatches),
        (words.n_fabricated, integrity.fabricated_urls),
        (words.n_unquoted, integrity.claims_without_quote if integrity.stated_without_quote else 0),
        (words.uncovered, len(_unanswered(writing))),
    ]
    line: Inlines = []
    for name, number in counts:
        if number or name == words.claims:
            line += SEPARATOR if line else []
            line += filled(words.counted, name, str(number))
    return [division("tally", [paragraph(line)])]


def _claims(writing: Writing) -> Blocks:
    words, claims = writing.words, writing.verified.claims
    blocks = [
        answer_claims.render(writing, claim, number) for number, claim in enumerate(claims, start=1)
    ]
    return [heading(words.claims), *(blocks or [paragraph(ast.words(words.no_claims))])]


def _uncovered(writing: Writing) -> Blocks:
    words = writing.words
    items = [writing.text(item) for item in _unanswered(writing)]
    block = bullets(items) if items else paragraph(ast.words(words.all_covered))
    return [heading(words.uncovered), division("uncovered", [block])]


def _unanswered(writing: Writing) -> list[str]:
    return [item for item in writing.verified.asked.answer.unanswered if ast.clean(item)]


def _sources(writing: Writing) -> Blocks:
    sources = writing.verified.sources
    if not sources:
        block = paragraph(ast.words(writing.words.no_sources))
    else:
        citing = _citing(writing)
        block = bullets(
            [
                _entry(writing, source, number, citing[number - 1])
                for number, source in enumerate(sources, start=1)
            ]
        )
    title = heading(sources_title(writing.language))
    return [title, division("sources-list", [block], "retrieved") if sources else block]


def _citing(writing: Writing) -> list[list[int]]:
    """For each source the numbers of the claims that cite it."""
    citing: list[list[int]] = [[] for _ in writing.verified.sources]
    for number, claim in enumerate(writing.verified.claims, start=1):
        for position, source in enumerate(writing.verified.sources):
            if source.source.url in claim.source_urls:  # a page may have been read in parts
                citing[position].append(number)
    return citing


def _entry(writing: Writing, source: VerifiedSource, number: int, citing: list[int]) -> Inlines:
    """The number, the title, the host; the whole URL, for on paper a link leads nowhere."""
    words, url = writing.words, source.source.url
    host, title = urls.host(url), ast.clean(source.source.title)
    names = [writing.text(title)] if title else []
    if host is not None and host != title:
        names.append(ltr(host))
    says: list[Inlines] = []
    if host is None:
        says.append(ast.words(words.unlinked))
    if source.source.retrieved:
        says.append(filled(words.retrieved, _day(writing, source.source.retrieved)))
    if source.source.truncated:
        says.append([strong(ast.words(words.partly))])
    if not source.is_readable:
        says.append([strong(ast.words(words.unread))])
    claims = writing.listed([writing.to_claim(number) for number in citing])
    says.append(filled(words.cited_in, claims) if claims else ast.words(words.never_cited))
    return [
        *[ast.string(f"[{number}]"), ast.space()],
        *_separated(names),
        {"t": "LineBreak"},
        *writing.whole(url),
        {"t": "LineBreak"},
        *_separated(says),
    ]


def _separated(parts: list[Inlines]) -> Inlines:
    joined: Inlines = []
    for part in parts:
        joined += [*SEPARATOR, *part] if joined else part
    return joined


def _integrity(writing: Writing) -> Blocks:
    words, verified = writing.words, writing.verified
    return [
        heading(words.checked),
        division(
            "integrity",
            [
                paragraph([strong(ast.words(_verdict(writing)))]),
                paragraph(ast.words(words.scope)),
                bullets([*_counts(writing), filled(words.counted, words.method, verified.method)]),
                *_hashes(writing),
            ],
        ),
    ]


def _verdict(writing: Writing) -> str:
    words, integrity = writing.words, writing.verified.integrity
    if integrity.unsupported_claims or integrity.quote_mismatches or integrity.fabricated_urls:
        return words.unclean
    return words.clean if integrity.is_clean else words.nothing


def _counts(writing: Writing) -> list[Inlines]:
    """The counts in words; of what is wrong, those that are not 0 have weight."""
    words, found = writing.words, writing.verified.integrity
    counted = [
        (words.claims, found.claims, False),
        (words.n_unsupported, found.unsupported_claims, True),
        (words.n_unquoted, found.claims_without_quote, found.stated_without_quote > 0),
        (words.n_ok, found.quotes_ok, False),
        (words.n_warned, found.quotes_with_warning, False),
        (words.n_mismatched, found.quote_mismatches, True),
        (words.n_elsewhere, found.found_elsewhere, True),
        (words.n_fabricated, found.fabricated_urls, True),
        (sources_title(writing.language), found.sources, False),
        (words.n_unread, found.unchecked_sources, True),
        (words.n_partly, found.truncated_sources, True),
    ]
    lines = []
    for name, number, is_grave in counted:
        shown = (
            f"{number}\u00a0/\u00a0{found.quotes_checked}" if name == words.n_ok else str(number)
        )
        line = filled(words.counted, name, ltr(shown))
        lines.append([strong(line)] if is_grave and number else line)
    return lines


def _hashes(writing: Writing) -> Blocks:
    """How the texts that were read can be known again."""
    if not writing.verified.sources:
        return []
    hashes = [
        ltr(f"[{number}]\u00a0{source.sha256[:_HASH]}")
        for number, source in enumerate(writing.verified.sources, start=1)
    ]
    said = filled(writing.words.counted, "SHA-256", writing.listed(hashes))
    return [division("hashes", [paragraph(said)])]


def _day(writing: Writing, date: str) -> Inlines:
    """The day of a date of ISO 8601; any other text as it is."""
    found = _DAY.match(date)
    return ltr(found[0]) if found else writing.text(date)
