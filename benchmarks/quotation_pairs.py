"""Pairs of a source and a quotation, honest or not: the same for the same seed everywhere."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drafts import BEGIN, END, FIRST_RAW, FORMS, Draft
from misquoting import MISQUOTATIONS, Quoted, is_real
from quotation_prose import Language, languages
from retypesetting import APART, OF_THE_QUOTE, RETYPESETTINGS


@dataclass(frozen=True, slots=True)
class Pair:
    """A quotation, and the source or sources that it is looked for in."""

    language: str
    form: str
    """Of the source: markdown, html, text or pdf (as text taken from one)."""
    source: str
    quote: str
    kind: str
    """The class that it was made for: of a retypesetting or of a misquotation."""
    is_safe: bool
    """Whether the source says it in these words."""
    others: Sequence[str] = ()
    """Other ways in which source and quotation were set anew."""
    reasons: frozenset[str] = frozenset()
    """Those that fit a misquotation."""
    start: int = 0
    """Of the honest quotation in the source, in code points."""
    end: int = 0
    elsewhere: str | None = None
    """Another source, which is retrieved and not cited."""


SAFE = ("as it is", *RETYPESETTINGS)
UNSAFE = (*(name for name, _, _ in MISQUOTATIONS), "U22", "absent")
_EDITS = {name: (edit, reasons) for name, edit, reasons in MISQUOTATIONS}
_DRAWS = 300
"""How often a draft is drawn before a class is given up for this time."""


def pairs(count: int, seed: int = 1, *, furniture: bool = False) -> Iterator[Pair]:
    """So many pairs, all classes alike; with `furniture`, the pages of a PDF have feet."""
    held = languages()
    made = number = 0
    while made < count:
        number += 1
        chance = random.Random(f"{seed}:{number}")  # noqa: S311 - not for secrets
        kind = (*SAFE, *UNSAFE)[number % (len(SAFE) + len(UNSAFE))]
        make = _safe if kind in SAFE else _unsafe
        for _ in range(_DRAWS):
            draft = _draft(chance.choice(held), chance)
            pair = make(draft, kind, chance, furniture) if draft else None
            if pair is not None:
                made += 1
                yield pair
                break


def _draft(language: Language, chance: random.Random) -> Draft | None:
    """A source of four to eight paragraphs with a slice of one of them marked."""
    paragraphs = chance.sample(list(language.paragraphs), chance.randint(4, 8))
    at = chance.randrange(len(paragraphs))
    quote = language.slice_of(paragraphs[at], chance)
    if quote is None or paragraphs[at].count(quote) != 1:
        return None
    paragraphs[at] = paragraphs[at].replace(quote, f"{BEGIN}{quote}{END}")
    return Draft(language, chance.choice(FORMS), paragraphs, at, quote)


def _set_anew(
    draft: Draft, chance: random.Random, wanted: str | None, more: int, without: frozenset[str]
) -> tuple[Draft, list[str]] | None:
    """The draft set anew as `wanted` and in up to so many more ways; None if that one cannot be."""
    drawn = [wanted] if wanted else []
    for name in chance.sample(list(RETYPESETTINGS), 4 * more):
        apart = any({name, other} in APART for other in drawn)
        if name not in (*without, *drawn) and not apart:
            drawn.append(name)
    done: list[str] = []
    for name in sorted(drawn, key=list(RETYPESETTINGS).index):
        if name != wanted and more <= len(set(done) - {wanted}):
            continue
        made = RETYPESETTINGS[name](draft, chance)
        if made is not None:
            draft = made
            done.append(name)
    return None if wanted and wanted not in done else (draft, done)


def _safe(draft: Draft, kind: str, chance: random.Random, furniture: bool) -> Pair | None:
    wanted = None if kind == SAFE[0] else kind
    more = chance.choice([0, 0, 0, 1, 1, 2]) if wanted else 0
    held = _set_anew(draft, chance, wanted, more, frozenset())
    if held is None:
        return None
    draft, done = held
    source, start, end = finished(draft, chance, furniture)
    return Pair(
        language=draft.language.code,
        form=draft.form,
        source=source,
        quote=draft.quote,
        kind=kind,
        is_safe=True,
        others=[name for name in done if name != kind],
        start=start,
        end=end,
    )


def _unsafe(draft: Draft, kind: str, chance: random.Random, furniture: bool) -> Pair | None:
    text = "\n\n".join(draft.paragraphs).replace(BEGIN, "").replace(END, "")
    misquoted = _misquoted(draft, kind, chance, text)
    hiding = frozenset({"S21 source", "S5", "S4"} if kind in ("U3", "U14") else ())
    more = chance.choice([0, 0, 1, 2])
    held = _set_anew(draft, chance, None, more, OF_THE_QUOTE | hiding)
    if misquoted is None or held is None:
        return None
    quote, reasons = misquoted
    draft, done = held
    if "S21 source" in done:  # what capitals hide cannot be named
        reasons |= {"altered"}
    source, start, end = finished(draft, chance, furniture)
    elsewhere = None
    if kind == "U22":
        elsewhere, source = source, "\n\n".join(_others(draft))
    return Pair(
        language=draft.language.code,
        form=draft.form,
        source=source,
        quote=quote,
        kind=kind,
        is_safe=False,
        others=done,
        reasons=reasons,
        start=start,
        end=end,
        elsewhere=elsewhere,
    )


def _misquoted(
    draft: Draft, kind: str, chance: random.Random, text: str
) -> tuple[str, frozenset[str]] | None:
    """A quotation misquoted, and the reasons that fit; None if it cannot be or is not real."""
    if kind == "U22":
        return draft.quote, frozenset({"found_elsewhere"})
    if kind == "absent":
        others = [p for p in draft.language.paragraphs if p not in text]
        quote = draft.language.slice_of(chance.choice(others), chance)
        return (quote, frozenset({"fabricated", "altered"})) if quote else None
    edit, reasons = _EDITS[kind]
    quoted = Quoted(draft.quote, draft.language)
    quote = edit(quoted, chance)
    if quote is None or (kind != "U24" and not is_real(quote, quoted, text)):
        return None
    return quote, reasons


def _others(draft: Draft) -> list[str]:
    return [p for position, p in enumerate(draft.paragraphs) if position != draft.at]


def finished(draft: Draft, chance: random.Random, furniture: bool) -> tuple[str, int, int]:
    """The source as it was retrieved, and where the quoted passage begins and ends in it."""
    paragraphs = list(draft.paragraphs)
    if draft.block:
        paragraphs[draft.at] = _block(draft.passage, draft.block)
    if draft.form == "html":
        paragraphs = [f"<p>{html.escape(p, quote=False)}</p>" for p in paragraphs]
        title = f"<title>{draft.language.code}</title><style>p {{ margin: 0 }}</style>"
        text = "\n".join(
            ["<!DOCTYPE html>", f"<html><head>{title}</head><body>", *paragraphs, "</body></html>"]
        )
    elif draft.form == "pdf":
        text = _pages([_wrapped(p, draft.language, chance) for p in paragraphs], furniture)
    else:
        text = "\n\n".join(paragraphs)
    for position, raw in enumerate(draft.raws):
        text = text.replace(chr(FIRST_RAW + position), raw)
    if any(raw == "][3]" for raw in draft.raws):
        text += "\n\n[3]: https://example.org/three\n"
    start = text.index(BEGIN)
    text = text.replace(BEGIN, "")
    end = text.index(END)
    return text.replace(END, ""), start, end


def _block(passage: str, before: str) -> str:
    """The paragraph as a block of Markdown."""
    if before == "## " and "\n" in passage:
        before = "> "
    after = before if before.startswith(">") else " " * len(before)
    return before + passage.replace("\n", f"\n{after}")


def _wrapped(paragraph: str, language: Language, chance: random.Random) -> str:
    """The paragraph in lines, as the text of a page has them."""
    width = chance.randint(55, 78)
    if not language.is_spaced:
        width //= 2
        return re.sub(rf"([^\s\d]{{{width}}})(?=[^\W\d_])(?<=[^\W\d_])", r"\1\n", paragraph)
    lines, length = [""], 0
    for word in paragraph.split(" "):
        if lines[-1] and length + len(word) > width:
            lines.append(word)
            length = len(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
            length += len(word) + 1
    return "\n".join(lines)


def _pages(paragraphs: Sequence[str], furniture: bool) -> str:
    """The paragraphs, three to a page; with `furniture` a foot that parts the text of a page."""
    pages = ["\n\n".join(paragraphs[at : at + 3]) for at in range(0, len(paragraphs), 3)]
    if furniture:
        total = len(pages)
        pages = [f"{page}\nPage {number} of {total}" for number, page in enumerate(pages, 1)]
    return "\n\f".join(pages)
