"""What `x[1]` is: an element of a variable, or a word of one letter and a citation."""

from __future__ import annotations

import re
from functools import cached_property

from cite_filter import dollars
from cite_filter.importers import mathematics
from cite_filter.markers import Marker
from cite_filter.prose import OPAQUE, mask_code

_LETTER = re.compile(r"(?<![^\W_])[a-z]\Z")
_VARIABLES = frozenset("ijxy")
"""Letters that in running text are hardly ever a word, a unit or a name (vitamin c, 5 m)."""
_INDEXED = re.compile(r"(?<![^\W_])([a-z])\[(?:0|-[0-9]+|[a-z](?: ?[-+] ?[0-9]+)?)\](?!\()")
_IN_CODE = re.compile(r"(?<![\w.'’-])([a-z])(?=\s*[^\w\s\"'’]|\Z)")
_OPAQUE = re.compile(f"{OPAQUE}+")
_END_OF_SENTENCE = re.compile(r"[.!?;:。！？；：\n]")
_LONGEST_SENTENCE = 300
_PARAGRAPH = re.compile(r"(?:.+\n?)+")


class Indices:
    """The indices of one text, among what could be markers."""

    def __init__(self, text: str) -> None:
        self.text = text

    def has(self, marker: Marker) -> bool:
        """Whether it is an index: behind a letter that is, here or everywhere, a variable's."""
        letter = _LETTER.search(self.text[max(marker.start - 2, 0) : marker.start])
        return letter is not None and (
            letter[0] in _VARIABLES
            or self._begins_sentence(marker.start - 1)
            or letter[0] in self._variables
        )

    def _begins_sentence(self, place: int) -> bool:
        """Whether no word stands before it: no sentence begins with a small letter and a source."""
        before = self.text[max(place - _LONGEST_SENTENCE, 0) : place]
        return not any(map(str.isalnum, _END_OF_SENTENCE.split(before)[-1]))

    @cached_property
    def _variables(self) -> frozenset[str]:
        """The letters with an index that is no number of a source, and those of formal text."""
        code = mask_code(self.text)
        found = {match[1] for match in _INDEXED.finditer(self.text)}
        spans = [match.span() for match in _OPAQUE.finditer(code)]
        spans += [(start, end) for start, end, _ in mathematics.formulas(code)]
        for paragraph in _PARAGRAPH.finditer(code):
            base = paragraph.start()
            spans += [(base + start, base + end) for start, end in dollars.formulas(paragraph[0])]
        for start, end in spans:
            found |= {match[1] for match in _IN_CODE.finditer(self.text[start:end])}
        return frozenset(found)
