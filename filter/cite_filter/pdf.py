"""PDF by typst, in this process: no LaTeX, no file of this machine, no network."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cite_filter.errors import CiteError

_NOBODY_HAS = "\U0010fffe"  # a noncharacter: the glyph that stands for "no glyph"
_GLYPH = re.compile(rb'<use xlink:href="#(g[0-9A-F]+)"')
# Letters and signs that the fonts inside typst draw, and the two boxes that the template draws.
_DRAWN = re.compile("[\x00-\u024f\u0391-\u03ce\u0400-\u045f\u2010-\u2027\u2030-\u203a€™☐☒]+")
# Marks, spaces, controls and the like show nothing by themselves.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Mc", "Me", "Mn", "Zl", "Zp", "Zs"})
_SHOWN = 12
_PLAIN_NAME = re.compile(r"[\w .-]{1,80}")
# Families that suit a printed text, by how their names begin.
_SERIOUS = (
    *("Noto Serif", "Noto Naskh", "Source Han Serif", "Amiri", "Songti", "Hiragino Mincho"),
    *("Yu Mincho", "SimSun", "MS Mincho", "Batang", "Apple SD", "Noto Sans CJK", "Noto Sans"),
)


@dataclass(frozen=True, slots=True)
class Pdf:
    """A compiled document."""

    data: bytes
    warnings: Sequence[str]


@cache
def _fonts(folders: tuple[Path, ...]) -> Any:
    """The fonts of the system, of typst and of `folders`: looked for once in a process."""
    import typst

    return typst.Fonts(font_paths=[str(folder) for folder in folders])


def fallbacks(folders: tuple[Path, ...] = ()) -> list[str]:
    """The families at hand for scripts that the text's own font lacks, the best first."""
    families: list[str] = _fonts(folders).families()
    return [
        family
        for start in _SERIOUS
        for family in families
        if family.startswith(start) and is_plain_name(family)
    ]


def is_plain_name(text: str) -> bool:
    """Whether `text` can be a font's or a paper's name: letters, digits, spaces, dots, hyphens."""
    return _PLAIN_NAME.fullmatch(text) is not None


def compile_typst(source: bytes, root: str, folders: tuple[Path, ...] = ()) -> Pdf:
    """The PDF of a typst source, which sees files below `root` alone. Raises CiteError.

    `folders` hold further fonts.
    """
    import typst

    compiler: Any = typst.compile
    fonts = _fonts(folders)
    try:
        data = compiler(source, root=root, font_paths=fonts, format="pdf")
    except (RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        message = f"typst cannot set the PDF: {reason}; another engine may (--pdf-engine)"
        raise CiteError(message) from None
    missing = _missing(source.decode("utf-8"), compiler, root, fonts)
    return Pdf(data, [_describe(missing)] if missing else [])


def _missing(text: str, compiler: Any, root: str, fonts: Any) -> list[str]:
    """The characters of `text` that no font at hand draws, found by asking typst to draw them."""
    asked = sorted(
        character
        for character in set(_DRAWN.sub("", text))
        if unicodedata.category(character) not in _INVISIBLE
    )
    if not asked:
        return []
    pages = "#pagebreak()\n".join(
        f'#text("\\u{{{ord(character):x}}}")\n' for character in (_NOBODY_HAS, *asked)
    )
    source = f"#set page(width: auto, height: auto)\n{pages}".encode()
    drawn = compiler(source, root=root, font_paths=fonts, format="svg")
    nothing, *glyphs = [frozenset(_GLYPH.findall(page)) for page in drawn]
    return [character for character, used in zip(asked, glyphs, strict=True) if nothing <= used]


def _describe(missing: Sequence[str]) -> str:
    shown = ", ".join(f"{character} (U+{ord(character):04X})" for character in missing[:_SHOWN])
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    return (
        f"no font here draws {shown}{more}: boxes stand for them in the PDF; install fonts that "
        "have them (such as Noto) or name a folder of fonts with --fonts"
    )
