"""What the document of an answer says around it, in the language of the answer.

Each language is a module of `languages`; `words_for` finds the one of a language tag. `{}` stands
for what is put in: an address, a number, a date.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import NamedTuple

from cite_filter.source_list import TITLES

_ELSEWHERE = {"no": "nb", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant"}
"""Tags whose words are those of another."""


class Words(NamedTuple):
    """The phrases of one language. Those that begin small go on with a line."""

    open: str
    """What stands before an inline quotation, and after it."""
    close: str
    comma: str
    """Between the parts of a list."""
    counted: str
    """What is counted, and how many."""
    finding: str
    """What was found, how grave it is, why."""

    summary: str
    claims: str
    claim: str
    no_claims: str
    stated: str
    """How certain the model says a claim is."""
    implied: str
    inferred: str
    by_model: str
    """One of these where nothing bears it out."""
    passage: str
    """The name of the link that opens a page at the quotation."""
    unquoted: str

    minor: str
    major: str
    unsupported: str
    fabricated: str
    """Why a claim is not supported."""
    uncited: str
    unchecked: str
    withheld: str
    altered: str
    """Why a quotation is withheld."""
    omission: str
    elision_hides: str
    spliced: str
    bracketed: str
    case: str
    accent: str
    punctuation: str
    confusable: str
    elsewhere: str
    too_short: str
    shortened: str
    elided: str
    cut: str
    """What a reader should know of a quotation that is shown."""
    unbracketed: str
    numbers: str
    invented: str
    """Of an address that was not retrieved."""
    nearly: str

    uncovered: str
    all_covered: str

    no_sources: str
    retrieved: str
    partly: str
    unread: str
    unlinked: str
    cited_in: str
    never_cited: str

    checked: str
    """The heading of the integrity block, what it says, and what it counts."""
    scope: str
    clean: str
    unclean: str
    nothing: str
    n_unsupported: str
    n_ok: str
    n_warned: str
    n_mismatched: str
    n_elsewhere: str
    n_unquoted: str
    n_fabricated: str
    n_unread: str
    n_partly: str
    method: str


def words_for(language: str | None) -> Words:
    """The phrases for a language tag of BCP 47; those of English where there are none.

    >>> words_for("zh-Hant-TW").claims, words_for("de_AT").claims, words_for("tlh").claims
    ('論斷', 'Aussagen', 'Claims')
    """
    return _words(_known(language))


def sources_title(language: str | None) -> str:
    """What the list of sources is called."""
    return TITLES[_known(language)]


def _known(language: str | None) -> str:
    """The longest beginning of a tag that is a language here."""
    tag = (language or "en").lower().replace("_", "-")
    while tag and tag not in TITLES and tag not in _ELSEWHERE:
        tag = tag.rpartition("-")[0]
    tag = _ELSEWHERE.get(tag, tag)
    return tag or "en"


@cache
def _words(tag: str) -> Words:
    words: Words = import_module(f"cite_filter.languages.{tag.replace('-', '_')}").WORDS
    return words
