"""Ways to misquote: edits that a verification must not let pass, each with the reasons it may give.

An edit that turns out to change nothing, or to give words that stand in the source after all, is
thrown away by `is_real`, which compares by rules of its own.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quotation_prose import Language

LETTER = r"[^\W\d_]"
_CONFUSABLE = dict(zip("aceopxyіаеорсху", "асеорхуiaeopcxy", strict=True)) | {"ο": "o", "ν": "v"}
_SIGNS = str.maketrans(
    {**dict.fromkeys("’‘ʼ“”„«»‟", "'"), **dict.fromkeys("–—", "-"), "−": "-", "\u202f": " "}
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """An honest quotation."""

    text: str
    language: Language

    def swapped(self, kind: str, chance: random.Random) -> str | None:
        """The quotation with a word of this class made another; None where it has none."""
        places = [
            (at, old, new) for old, new in self.language.swaps[kind] for at in self._places(old)
        ]
        if not places:
            return None
        at, old, new = chance.choice(places)
        return self.text[:at] + new + self.text[at + len(old) :]

    def _places(self, word: str) -> list[int]:
        found = [match.start() for match in re.finditer(re.escape(word), self.text)]
        if not self.language.is_spaced or self.language.code == "ko":
            return found
        return [at for at in found if _is_whole(self.text, at, at + len(word))]


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit goes on beyond the ends."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() and text[start].isalnum()) and not (
        after.isalnum() and text[end - 1].isalnum()
    )


Edit = Callable[[Quoted, random.Random], str | None]


def _one(pattern: str, make: Callable[[re.Match[str], random.Random], str]) -> Edit:
    """The edit that makes one of the matches something else."""
    compiled = re.compile(pattern)

    def edit(quoted: Quoted, chance: random.Random) -> str | None:
        found = list(compiled.finditer(quoted.text))
        if not found:
            return None
        match = chance.choice(found)
        made = make(match, chance)
        return quoted.text[: match.start()] + made + quoted.text[match.end() :]

    return edit


def _swap(kind: str) -> Edit:
    return lambda quoted, chance: quoted.swapped(kind, chance)


_OPERATORS = "<>=≥≤+±"


def _other_digit(match: re.Match[str], chance: random.Random) -> str:
    value = int(match[0])
    return chr(ord(match[0]) - value + (value + chance.randint(1, 9)) % 10)


def _other_operator(match: re.Match[str], chance: random.Random) -> str:
    return chance.choice(_OPERATORS.replace(match[0], ""))


def _flipped(match: re.Match[str], chance: random.Random) -> str:
    first = match[0][0]
    return (first.lower() if first.isupper() else first.upper()) + match[0][1:]


def _bare_letter(match: re.Match[str], chance: random.Random) -> str:
    parts = unicodedata.normalize("NFD", match[0])
    return "".join(part for part in parts if not unicodedata.combining(part))


def accent(quoted: Quoted, chance: random.Random) -> str | None:
    if quoted.language.code not in ("de", "fr", "es", "el", "tr"):
        return None
    return _one("[äöüéèêàâçôûñáíóúάέήίόύώşğç]", _bare_letter)(quoted, chance)


def case(quoted: Quoted, chance: random.Random) -> str | None:
    if quoted.text.upper() == quoted.text.lower():
        return None
    edit = _one(rf"(?<=[ (“„«]){LETTER}+", _flipped)
    if quoted.language.code == "tr":
        edit = _one(rf"(?<=[ (“„«])[^\W\d_iIİı]{LETTER}+", _flipped)
    edited = edit(quoted, chance)
    first = re.search(r"\w", quoted.text)
    if edited is None or first is None or edited[first.start()] != first[0]:
        return None  # the case of the first letter is free
    return edited


def _words(quoted: Quoted) -> list[str] | None:
    return quoted.text.split(" ") if quoted.language.is_spaced else None


def reordered(quoted: Quoted, chance: random.Random) -> str | None:
    words = _words(quoted)
    if words is None or len(words) < 5:
        return None
    at = chance.randrange(1, len(words) - 2)
    if not any(map(str.isalnum, words[at])) or not any(map(str.isalnum, words[at + 1])):
        return None
    words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def inserted(quoted: Quoted, chance: random.Random) -> str | None:
    return _at_a_gap(quoted, chance, chance.choice(quoted.language.inserts))


def bracketed(quoted: Quoted, chance: random.Random) -> str | None:
    word = chance.choice(quoted.language.inserts).strip().strip(",")
    return _at_a_gap(quoted, chance, f"[{word}]" + " " * quoted.language.is_spaced)


def _at_a_gap(quoted: Quoted, chance: random.Random, what: str) -> str | None:
    """The quotation with something put in between two words, or after a Chinese comma."""
    pattern = " (?=[^ ])" if quoted.language.is_spaced else "[，、]"
    gaps = [match.end() for match in re.finditer(pattern, quoted.text[:-8]) if match.start() > 8]
    if not gaps:
        return None
    at = chance.choice(gaps)
    return quoted.text[:at] + what + quoted.text[at:]


def omitted(quoted: Quoted, chance: random.Random) -> str | None:
    return _without_a_run(quoted, chance, " ")


def elided(quoted: Quoted, chance: random.Random) -> str | None:
    return _without_a_run(quoted, chance, chance.choice([" … ", " ... ", " […] ", " . . . "]))


def spliced(quoted: Quoted, chance: random.Random) -> str | None:
    made = _without_a_run(quoted, chance, "\n")
    if made is None:
        return None
    first, second = made.split("\n")
    return f"{second} … {first}"


def _without_a_run(quoted: Quoted, chance: random.Random, joint: str) -> str | None:
    """Two pieces of the quotation, each of at least 25 characters, without what is between."""
    words = _words(quoted)
    if words is None or len(words) < 14:
        return None
    begin = chance.randrange(5, len(words) - 8)
    end = begin + chance.randint(2, 5)
    first, second = " ".join(words[:begin]), " ".join(words[end:])
    is_plain = first[-1:].isalpha() and second[:1].isalpha() and words[end - 1][-1:].isalpha()
    if min(len(first), len(second)) < 25 or not is_plain:
        return None
    return first + joint + second


def tail(quoted: Quoted, chance: random.Random) -> str | None:
    return quoted.text.rstrip(".,;:。，； ") + chance.choice(quoted.language.tails)


def other_tail(quoted: Quoted, chance: random.Random) -> str | None:
    words = _words(quoted)
    if words is None or len(words) < 10:
        return None
    return " ".join(words[: len(words) * 7 // 10]) + chance.choice(quoted.language.tails)


def head(quoted: Quoted, chance: random.Random) -> str | None:
    return chance.choice(quoted.language.heads) + quoted.text


def cut_inside(quoted: Quoted, chance: random.Random) -> str | None:
    """The quotation cut in the midst of its last or first word or number."""
    if not quoted.language.is_spaced or quoted.language.code == "ko":
        return None
    first, *between, last = quoted.text.split(" ")
    last = last.rstrip(".,;:)”“»")
    if chance.random() < 0.6:
        return " ".join([first, *between, last[: -chance.randint(1, 2)]]) if len(last) > 4 else None
    return " ".join([first[chance.randint(1, 2) :], *between, last]) if len(first) > 4 else None


def short(quoted: Quoted, chance: random.Random) -> str | None:
    words = _words(quoted)
    return " ".join(words[: chance.randint(1, 2)]).rstrip(".,") if words else quoted.text[:3]


_CONFUSABLES = "[" + "".join(_CONFUSABLE) + "]"
_COMMA = r"(?<=\w)[,;，；、؛،·](?=[ \u202f]|(?<=[，；、]))(?!$)"
_THOUSANDS = r"(?<=\d)[.,\u202f](?=\d{3}(?!\d))"
MISQUOTATIONS: Sequence[tuple[str, Edit, frozenset[str]]] = [
    (name, edit, frozenset(reasons.split()))
    for name, edit, reasons in [
        ("U1 digit", _one(r"\d", _other_digit), "altered"),
        ("U1 point", _one(r"(?<=\d)[.,٫](?=\d)", lambda match, chance: ""), "altered"),
        ("U1 sign", _one(r"−(?=\d)", lambda match, chance: ""), "altered"),
        ("U1 sign added", _one(r"(?<= )(?=\d)", lambda match, chance: "-"), "altered"),
        ("U1 percent", _one("\u00a0?[%٪]", lambda match, chance: ""), "altered"),
        ("U1 range end", _one(r"(?<=\d)–\d", lambda match, chance: ""), "altered"),
        ("U1 thousands", _one(_THOUSANDS, lambda match, chance: ""), "altered"),
        ("U2", _one("[<=≥±×]", _other_operator), "altered"),
        ("U3", cut_inside, "altered"),
        *[(kind, _swap(kind), "altered") for kind in ("U4", "U5", "U6", "U7", "U8", "U12", "U17")],
        ("U9", _one("[²⁶]", lambda match, chance: {"²": "2", "⁶": "6"}[match[0]]), "altered"),
        ("U10", _one(r"\((?=[^()]*[$元ド])([^()]*)\)", lambda match, chance: match[1]), "altered"),
        ("U11", omitted, "omission altered"),
        ("U12 order", reordered, "altered"),
        ("U12 insertion", inserted, "altered"),
        ("U13 tail", tail, "altered"),
        ("U13 other tail", other_tail, "altered"),
        ("U13 head", head, "altered"),
        ("U14", case, "case"),
        ("U15", accent, "accent"),
        ("U16", _one(_CONFUSABLES, lambda match, chance: _CONFUSABLE[match[0]]), "confusable"),
        ("U18", _one(_COMMA, lambda match, chance: ""), "punctuation"),
        ("U19", bracketed, "editorial_brackets"),
        ("U20", elided, "elided elision_hides"),
        ("U20 spliced", spliced, "spliced"),
        ("U24", short, "too_short"),
    ]
]  # fmt: skip
"""Class, edit, and the reasons that fit it."""


def is_real(edited: str, quoted: Quoted, text: str) -> bool:
    """Whether `edited` is another wording than that of `text`, and not the quotation set anew."""
    quote = quoted.text
    if not edited or edited == quote or (edited.isupper() and not quote.isupper()):
        return False
    words, source = wording(edited), wording(text)
    for variant in (words, words[:1].swapcase() + words[1:]):
        at = source.find(variant)
        while at >= 0:
            if not quoted.language.is_spaced or _is_whole(source, at, at + len(variant)):
                return False
            at = source.find(variant, at + 1)
    return words[1:] != wording(quote)[1:]


def wording(text: str) -> str:
    """The text with one kind of quotation mark, dash and space, and no mark at its ends."""
    text = unicodedata.normalize("NFC", text).translate(_SIGNS)
    text = re.sub(r"\s*--?\s+", " - ", text).replace("ß", "ss").replace("œ", "oe")
    return re.sub(r"\s+", " ", text).strip(" '.,;:。，；")
