"""Ways to set the letters, signs, spaces and lines of a source anew."""

from __future__ import annotations

import random
import re
import unicodedata
from dataclasses import replace

from drafts import LETTER, Draft, one_of, substituted

LATIN = ("de", "en", "es", "fr")
CASED = (*LATIN, "el", "ru", "tr")
INSIDE_WORD = f"(?<={LETTER}{LETTER})(?={LETTER}{LETTER})"


def capitals_in_source(draft: Draft, chance: random.Random) -> Draft | None:
    """S21: a heading in capitals."""
    if draft.language.code not in CASED:
        return None
    return draft.with_passage(upper(draft.passage, draft.language.code))


def upper(text: str, language: str) -> str:
    return (text.replace("i", "İ") if language == "tr" else text).upper()


def decomposed(draft: Draft, chance: random.Random) -> Draft | None:
    """S12: letters and their marks apart, in the source or in the quotation."""
    if chance.random() < 0.5:
        return draft.with_passage(unicodedata.normalize("NFD", draft.passage))
    quote = unicodedata.normalize("NFD", draft.quote)
    return replace(draft, quote=quote) if quote != draft.quote else None


def dotless(draft: Draft, chance: random.Random) -> Draft | None:
    """S26: the i without a dot that a PDF's font leaves."""
    if draft.language.code not in LATIN:
        return None
    return substituted(draft, "i", lambda match: "ı", chance, 0.8)


def ligatures(draft: Draft, chance: random.Random) -> Draft | None:
    """S13."""
    signs = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "st": "ﬆ"}
    return substituted(draft, "ffi|ffl|ff|fi|fl|st", lambda match: signs[match[0]], chance, 0.8)


def full_width(draft: Draft, chance: random.Random) -> Draft | None:
    """S14: full-width digits and letters, signs that hold a unit."""
    units = {"km": "㎞", "kg": "㎏", "mg": "㎎", "°C": "℃", "µ": "μ", "℃": "°C"}
    if draft.language.code not in ("zh", "ja", "ko"):
        return substituted(draft, "°C|µ", lambda match: units[match[0]], chance, 0.9)
    if draft.language.code == "zh" and chance.random() < 0.3:
        return substituted(
            draft, "[，：；（）]", lambda match: chr(ord(match[0]) - 0xFEE0), chance, 0.9
        )
    if chance.random() < 0.3:
        return substituted(draft, "km|kg|mg|°C|µ|℃", lambda match: units[match[0]], chance, 0.9)

    def wide(match: re.Match[str]) -> str:
        return "".join(chr(ord(c) + 0xFEE0) for c in match[0])

    return substituted(draft, r"[0-9A-Za-z%]+", wide, chance)


def subscripts(draft: Draft, chance: random.Random) -> Draft | None:
    """S27."""
    if draft.form in ("html", "markdown") and chance.random() < 0.5:
        draft, signs = draft.with_raw("<sub>2</sub>")
        return draft.with_passage(draft.passage.replace("₂", signs[0]))
    return draft.with_passage(draft.passage.replace("₂", "2"))


def quotation_marks(draft: Draft, chance: random.Random) -> Draft | None:
    """S6."""
    pair = chance.choice(['""', "“”", "„“", "«»", "‟”", "＂＂", "„”"])
    passage = re.sub("['’]", chance.choice("'’ʼ＇"), _marked(draft.passage, pair))
    return draft.with_passage(passage)


def nested_marks(draft: Draft, chance: random.Random) -> Draft | None:
    """S7."""
    return draft.with_passage(_marked(draft.passage, chance.choice(["‘’", "''"])))


def _marked(passage: str, pair: str) -> str:
    """The passage with this pair of quotation marks; only guillemets have spaces within."""
    opening, closing = "„“" if "„" in passage else ("«»" if "«" in passage else "“”")
    if pair != "«»":
        passage = passage.replace(f"{opening}\u00a0", opening).replace(f"\u00a0{closing}", closing)
    return passage.translate(str.maketrans(opening + closing, pair))


def hyphens(draft: Draft, chance: random.Random) -> Draft | None:
    """S8."""
    return substituted(draft, f"(?<={LETTER})-(?={LETTER})", one_of("‐‑﹣－", chance), chance, 0.9)


def dashes(draft: Draft, chance: random.Random) -> Draft | None:
    """S9."""
    options = ["—", " — ", " – ", "–", "--", "---", "\u2009—\u2009"]
    if draft.form != "markdown":  # alone on a line they would be a rule or a heading there
        options += [" -- ", " --- "]
    return substituted(draft, "(?<=[^ ]) [–—] (?=[^ ])", one_of(options, chance), chance, 1)


def minus(draft: Draft, chance: random.Random) -> Draft | None:
    """S10."""
    return draft.with_passage(draft.passage.replace("−", "-"))


def ellipsis(draft: Draft, chance: random.Random) -> Draft | None:
    """S11."""
    return substituted(draft, "(?<= )…(?= )", one_of(("...", ". . ."), chance), chance, 1)


def thousands(draft: Draft, chance: random.Random) -> Draft | None:
    """S28."""
    options = (" ", "\u2009", "\u00a0")
    return substituted(draft, r"(?<=\d)\u202f(?=\d)", one_of(options, chance), chance, 0.9)


def invisible(draft: Draft, chance: random.Random) -> Draft | None:
    """S3."""
    options = ("\u200b", "\u2060", "\ufeff", "\u200e", "\ufe00", "\u034f", "\ufeff\U000e0131")
    return substituted(draft, f"(?<={LETTER})(?={LETTER})", one_of(options, chance), chance, 0.1)


def soft_hyphens(draft: Draft, chance: random.Random) -> Draft | None:
    """S4."""
    if not draft.language.hyphenates:
        return None
    options = ["\u00ad"] if chance.random() < 0.6 else ["\u00ad\n"]
    if draft.form in ("html", "markdown") and chance.random() < 0.3:
        draft, options = draft.with_raw("&shy;")
    return substituted(draft, INSIDE_WORD, one_of(options, chance), chance, 0.08)


def broken_words(draft: Draft, chance: random.Random) -> Draft | None:
    """S5."""
    if not draft.language.hyphenates or draft.form == "html":
        return None

    def broken(match: re.Match[str]) -> str:
        word = match[0]
        if not word[2:].islower():
            return word
        at = chance.randint(2, len(word) - 2)
        return f"{word[:at]}-\n{word[at:]}"

    return substituted(draft, f"{LETTER}{{5,}}", broken, chance, 0.2)


def control_characters(draft: Draft, chance: random.Random) -> Draft | None:
    """S23."""
    if draft.form not in ("text", "pdf"):
        return None
    options = ("\x00", " \x02", "\x1f ", "\x0c", "\x13")
    return substituted(draft, " (?=[^ ])", one_of(options, chance), chance, 0.1)


def spaces(draft: Draft, chance: random.Random) -> Draft | None:
    """S2."""
    options = ("\u00a0", "\u2003", "\u2009", "\u202f", "\u205f", "\u3000", "\u1680", "\u2002")
    return substituted(draft, "(?<=[^ ]) (?=[^ ])", one_of(options, chance), chance, 0.3)


def lines(draft: Draft, chance: random.Random) -> Draft | None:
    """S1: lines, tabs, runs of spaces, and in HTML blocks."""
    if draft.form == "html" and chance.random() < 0.4:
        draft, signs = draft.with_raw(chance.choice(["<br>", "</p>\n<p>", "<br />\n", "</p><p>"]))
        return substituted(draft, "(?<=[.;,]) ", lambda match: signs[0], chance, 0.8)
    if not draft.language.is_spaced:
        width = chance.randint(12, 30)
        pattern = f"{LETTER}{{2}}(?={LETTER})"
        return substituted(draft, pattern, lambda match: f"{match[0]}\n", chance, 1 / width)
    newline = chance.choice(["\n", "\r\n", "  \n", "\n"])
    if chance.random() < 0.3:
        return substituted(
            draft, "(?<=[^ ]) (?=[^ ])", one_of(("  ", "\t", " \n"), chance), chance, 0.3
        )
    share = 1 / chance.randint(5, 14)
    return substituted(draft, "(?<=[^ ]) (?=[^ =<>#+*-])", lambda match: newline, chance, share)
