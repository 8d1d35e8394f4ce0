"""Ways to set a text anew that leave its words as they are: what a quotation must survive.

They are applied in the order of `RETYPESETTINGS`: letters first, mark-up and lines of the source
then, and last what is done to the quotation.
"""

from __future__ import annotations

import random
from dataclasses import replace

import marking
import typesetting
from drafts import Draft, Retypesetting
from typesetting import CASED, LATIN, upper


def capitals_in_quote(draft: Draft, chance: random.Random) -> Draft | None:
    """S21: the whole quotation in capitals."""
    if draft.language.code not in CASED:
        return None
    quote = upper(draft.quote, draft.language.code)
    return replace(draft, quote=quote) if quote != draft.quote else None


def spelt_out(draft: Draft, chance: random.Random) -> Draft | None:
    """S25: ß, œ and æ as two letters in the quotation."""
    if draft.language.code not in LATIN:
        return None
    quote = draft.quote.replace("ß", "ss").replace("œ", "oe").replace("æ", "ae")
    return replace(draft, quote=quote) if quote != draft.quote else None


def first_letter(draft: Draft, chance: random.Random) -> Draft | None:
    """S20."""
    first, second = draft.quote[0], draft.quote[1]
    if second.isupper() or not first.isalpha():
        return None
    if first.isupper():
        other = {"I": "ı", "İ": "i"}.get(first) if draft.language.code == "tr" else None
        return replace(draft, quote=(other or first.lower()) + draft.quote[1:])
    other = upper(first, draft.language.code)
    return replace(draft, quote=other + draft.quote[1:]) if other != first else None


def last_mark(draft: Draft, chance: random.Random) -> Draft | None:
    """S22."""
    quote = draft.quote
    if quote[-1] in ",;:":
        return replace(draft, quote=quote[:-1] + ".")
    if quote[-1] == ".":
        return replace(draft, quote=quote[:-1] + ",")
    if not quote[-1].isalpha():
        return None
    return replace(draft, quote=quote + ("." if draft.language.is_spaced else "。"))


def wrapped(draft: Draft, chance: random.Random) -> Draft | None:
    """S17."""
    quote = draft.quote
    if quote[0] in "“„«\"'" or quote[-1] in "”“»\"'":
        return None
    options = ("“{}”", '"{}"', "«{}»", "‘{}’", "**{}**", "`{}`", "“{}", '{}"', "*“{}”*", "„{}“")
    return replace(draft, quote=chance.choice(options).replace("{}", quote))


RETYPESETTINGS: dict[str, Retypesetting] = {
    "S21 source": typesetting.capitals_in_source,
    "S21 quote": capitals_in_quote,
    "S12": typesetting.decomposed,
    "S26": typesetting.dotless,
    "S25": spelt_out,
    "S13": typesetting.ligatures,
    "S14": typesetting.full_width,
    "S27": typesetting.subscripts,
    "S6": typesetting.quotation_marks,
    "S7": typesetting.nested_marks,
    "S8": typesetting.hyphens,
    "S9": typesetting.dashes,
    "S10": typesetting.minus,
    "S11": typesetting.ellipsis,
    "S28": typesetting.thousands,
    "S3": typesetting.invisible,
    "S4": typesetting.soft_hyphens,
    "S5": typesetting.broken_words,
    "S15": marking.entities,
    "S16 inline": marking.markup,
    "S16 code": marking.code,
    "S16 block": marking.blocks,
    "S18": marking.reference_markers,
    "S23": typesetting.control_characters,
    "S2": typesetting.spaces,
    "S1": typesetting.lines,
    "S20": first_letter,
    "S22": last_mark,
    "S17": wrapped,
}
OF_THE_QUOTE = frozenset({"S21 quote", "S25", "S20", "S22", "S17"})
APART = (
    {"S21 source", "S21 quote"}, {"S21 quote", "S20"}, {"S21 quote", "S26"}, {"S21 source", "S26"},
    {"S12", "S3"}, {"S12", "S4"}, {"S12", "S5"}, {"S15", "S4"}, {"S16 block", "S4"},
    {"S16 block", "S5"}, {"S16 code", "S16 inline"}, {"S16 code", "S15"}, {"S16 code", "S18"},
    {"S15", "S5"},
)  # fmt: skip
"""Pairs that no text has at once, or of which one undoes what the other needs."""
