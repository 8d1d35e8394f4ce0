"""A claim in the document of an answer: its sentence, who says so, and what was found of it.

The sentence is followed by its sources; its quotation stands below it, if it stands in one. Words
and weight tell the kinds of claims apart, never a colour.
"""

from __future__ import annotations

from collections.abc import Sequence

from cite_filter import pandoc_ast as ast
from cite_filter.answer_inlines import (
    SEPARATOR,
    Writing,
    badge,
    claim_place,
    division,
    filled,
    paragraph,
    strong,
)
from cite_filter.pandoc_ast import Blocks, Inlines, Node
from cite_filter.quotations.verdicts import Passage
from cite_filter.verification import VerifiedClaim

_WHY_WITHHELD = {
    **{reason: reason for reason in ("altered", "omission", "elision_hides", "spliced", "case")},
    **{reason: reason for reason in ("accent", "punctuation", "confusable", "too_short", "elided")},
    "editorial_brackets": "bracketed",
    "found_elsewhere": "elsewhere",
}
"""The phrase for each reason why a quotation is not shown."""
_NEAR = 75
"""Similarity, of 100, from which on the passage is shown that a quotation was made of."""
_REMARKS = {"truncated": "cut", "editorial_brackets": "unbracketed"}
"""The phrase for what a reader should know of a quotation that is shown."""


def render(writing: Writing, claim: VerifiedClaim, number: int) -> Node:
    """The claim as a division, whose class says of what kind it is."""
    return division(
        "claim",
        [
            division("claim-label", [_label(writing, claim, number)]),
            *_unsupported(writing, claim),
            _sentence(writing, claim),
            *_quotation(writing, claim),
            *_invented(writing, claim),
            *_remarks(writing, claim),
        ],
        kind(claim),
        identifier=claim_place(number),
    )


def kind(claim: VerifiedClaim) -> str:
    """How much of a claim was borne out: `ok`, `minor`, `major` or `unsupported`."""
    if claim.status == "unsupported":
        return "unsupported"
    if claim.fabricated_urls:
        return "major"
    return claim.severity or ("minor" if claim.lacks_quote else "ok")


def _label(writing: Writing, claim: VerifiedClaim, number: int) -> Node:
    words = writing.words
    certainty = claim.claim.certainty
    said: str = getattr(words, certainty)
    if claim.status != "ok" or (certainty == "stated" and not claim.quote_verified):
        said = words.by_model.format(said)
    name = strong(ast.words(words.claim.format(number)))
    return paragraph([name], SEPARATOR, [badge(said, certainty)])


def _unsupported(writing: Writing, claim: VerifiedClaim) -> Blocks:
    if claim.status != "unsupported":
        return []
    words = writing.words
    why = {"fabricated": words.fabricated, "uncited": words.uncited}
    reason = why.get(claim.reason or "", words.unchecked)
    what = ast.words(words.unsupported)
    if claim.claim.quote is not None:
        what += [*SEPARATOR, *ast.words(words.withheld)]
    return [_finding(writing, "unsupported", what, ast.words(reason))]


def _finding(writing: Writing, severity: str, what: Inlines, why: Inlines) -> Node:
    words = writing.words
    grave = words.minor if severity == "minor" else words.major
    said = filled(words.finding, [strong(what)], grave, why)
    return division("finding", [paragraph(said)], severity)


def _sentence(writing: Writing, claim: VerifiedClaim) -> Node:
    cited = writing.listed([writing.source(url) for url in claim.source_urls])
    after = [ast.space(), *cited] if cited else []
    return paragraph(writing.text(claim.claim.text), after)


def _quotation(writing: Writing, claim: VerifiedClaim) -> Blocks:
    """The quotation, or that one was withheld and why: never the words of one that failed."""
    if claim.verdict is None or claim.reason == "unchecked":
        return []
    words, passages = writing.words, claim.verdict.passages
    severity = claim.severity or "minor"
    if claim.quote_verified and passages:
        return [_shown(writing, passages[:1])]
    if claim.reason == "elided" and passages:
        why = ast.words(words.elided)
        return [
            _shown(writing, passages),
            _finding(writing, severity, ast.words(words.shortened), why),
        ]
    phrase: str = getattr(words, _WHY_WITHHELD.get(claim.reason or "", "altered"))
    where = [writing.passage(passage.url, passage.link) for passage in passages[:1]]
    why = filled(phrase, *(where or [[]])) if "{}" in phrase else ast.words(phrase)
    nearest = claim.verdict.nearest
    if nearest is not None and nearest.similarity >= _NEAR:
        # What the source says there, a reader may see there; the model's words are not shown.
        why = writing.listed([why, writing.passage(nearest.url, nearest.link)])
    return [_finding(writing, severity, ast.words(words.withheld), why)]


def _shown(writing: Writing, passages: Sequence[Passage]) -> Node:
    first = passages[0]
    quoted = writing.quoted(*(passage.shown for passage in passages))
    leads = writing.passage(first.url, first.link)
    return division("quotation", [paragraph([quoted, ast.space()], leads)])


def _invented(writing: Writing, claim: VerifiedClaim) -> Blocks:
    """The addresses that were not retrieved, as text."""
    words = writing.words
    found = []
    for url in claim.fabricated_urls:
        address = writing.address(url)
        near = claim.near_urls.get(url)
        if near is not None:
            address = filled(words.nearly, address, writing.address(near))
        said = filled(words.invented, address)
        found.append(division("finding", [paragraph(said)], "major"))
    return found


def _remarks(writing: Writing, claim: VerifiedClaim) -> Blocks:
    words = writing.words
    remarks: list[Inlines] = []
    if claim.status == "ok" and claim.claim.quote is None:
        remarks.append(ast.words(words.unquoted))
    if claim.status == "ok" and claim.reason in _REMARKS:
        remarks.append(ast.words(getattr(words, _REMARKS[claim.reason])))
    if claim.missing_numbers:
        remarks.append(filled(words.numbers, writing.text(", ".join(claim.missing_numbers))))
    return [division("remark", [paragraph(said)]) for said in remarks]
