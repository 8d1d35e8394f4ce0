"""Ways to mark a source up: entities, emphasis, links, blocks, reference markers."""

from __future__ import annotations

import random
import re
import unicodedata
from dataclasses import replace
from html.entities import codepoint2name

from drafts import BEGIN, LETTER, Draft, substituted


def entities(draft: Draft, chance: random.Random) -> Draft | None:
    """S15."""
    if draft.form not in ("html", "markdown"):
        return None
    held = [draft]

    def entity(match: re.Match[str]) -> str:
        code = ord(match[0])
        names = [f"&#{code};", f"&#x{code:X};"]
        if code in codepoint2name:
            names.append(f"&{codepoint2name[code]};")
        held[0], signs = held[0].with_raw(chance.choice(names))
        return signs[0]

    passage = re.sub(
        r"[^\x00-\x7f\ue000-\uf8ff]|[a-z](?=[a-z])",
        lambda match: entity(match) if chance.random() < 0.08 and _is_plain(match) else match[0],
        draft.passage,
    )
    return held[0].with_passage(passage)


def _is_plain(match: re.Match[str]) -> bool:
    return unicodedata.category(match[0])[0] != "M"


def markup(draft: Draft, chance: random.Random) -> Draft | None:
    """S16: emphasis, links, code; in HTML their elements."""
    kinds = {
        "markdown": (
            ("**", "**"), ("*", "*"), ("~~", "~~"), ("[", "](https://example.org/a_b?c=d)"),
            ("[", "](/wiki/Page_(place) \"Its title\")"), ("<em>", "</em>"), ("***", "***"),
            ("[", "][3]"),
        ),
        "html": (
            ("<b>", "</b>"), ('<a href="https://example.org/?a=1&amp;b=2">', "</a>"),
            ("<em class='x'>", "</em>"), ("<span>", "</span>"), ("<code>", "</code>"),
        ),
    }.get(draft.form)  # fmt: skip
    if not kinds:
        return None
    draft, signs = draft.with_raw(*chance.choice(kinds))
    spaced = rf"(?<=[ {BEGIN}]){LETTER}[^ ]*(?: [^ ]+){{0,2}}"
    pattern = spaced if draft.language.is_spaced else f"{LETTER}+(?![\u3099\u309a])"
    return substituted(
        draft, pattern, lambda match: f"{signs[0]}{match[0]}{signs[1]}", chance, 0.15
    )


def code(draft: Draft, chance: random.Random) -> Draft | None:
    """S16: back-ticks, whose content is no mark-up."""
    if draft.form != "markdown" or not draft.language.is_spaced:
        return None
    return substituted(draft, f"(?<= ){LETTER}+(?= )", lambda match: f"`{match[0]}`", chance, 0.15)


def blocks(draft: Draft, chance: random.Random) -> Draft | None:
    """S16: a quotation, a list, a heading."""
    if draft.form != "markdown":
        return None
    return replace(draft, block=chance.choice(["> ", "- ", "* ", "1. ", "## ", "> > "]))


def reference_markers(draft: Draft, chance: random.Random) -> Draft | None:
    """S18."""
    options = {
        "markdown": ["[12]", "[3, 5–7]", "[^4]", "<sup>[1]</sup>", " [2]", "[14](#fn14)"],
        "html": ["[12]", '<sup><a href="#r1">[1]</a></sup>', "<sup>[3]</sup>", " [3, 5-7]"],
    }.get(draft.form, ["[12]", " [3, 5-7]", "[7]", "[2][3]", " [ 2 , 6 , 7 ]"])
    if draft.language.code == "en" and draft.form != "pdf":
        options = [*options, "[citation needed]"]
    if any(raw.startswith("](") for raw in draft.raws):  # no link within a link
        options = [option for option in options if "](" not in option and "<a" not in option]
    draft, signs = draft.with_raw(chance.choice(options))
    gap = "(?=[ ,.;])" if draft.language.is_spaced else "(?=[，。、])"
    return substituted(draft, f"(?<={LETTER}){gap}", lambda match: signs[0], chance, 0.15)
