"""Citations in the text of an answer that was copied as Markdown, in the forms of many products."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cite_filter.importers.answers import Answer, Cited, citing
from cite_filter.importers.chatgpt_citations import Citations
from cite_filter.importers.markdown_lists import DESTINATION, LABEL, address
from cite_filter.importers.marks import in_prose

_NUMBER = r"[0-9]{1,9}"
_TEXT = rf"(?!\^?[0-9]+(?:, ?[0-9]+)*\]){LABEL}"
_REFERENCE = rf"\[{_TEXT}\]\[{_NUMBER}\]"
_MARK = re.compile(
    # Gemini, and what ChatGPT's clipboard leaks: nothing of a reader's.
    r"(?P<rubble>\[cite_(?:start|end)\]|\[span_[0-9]+\]\(start_span\)"
    r"|\(\{\"attribution\":\{[^{}\n]*\}\}\))"
    r"|(?P<lost>\[cite: ?[0-9][0-9, –-]*\]|\[span_[0-9]+\]\(end_span\)"
    r"|:contentReference\[oaicite:[0-9]+\](?:\{index=[0-9]+\})?"
    r"|\[oaicite:[0-9]+\]"
    r"|(?<![^\W_])(?:file)?cite(?:turn[0-9]+[a-z]+[0-9]+)+(?!\w))"
    rf"|(?P<old>\[oai_citation[a-z_]*:[0-9]+‡(?P<site>[^\[\]\n]*)\](?:{DESTINATION.format('old_')})?)"
    # ChatGPT's copy button.
    rf"|(?P<pill>[(（]{_REFERENCE}(?:[,;，、]? ?{_REFERENCE})*[)）])"
    rf"|(?P<reference>!?\[{_TEXT}\]\[(?P<referred>{_NUMBER})\])"
    # A number as the label of a link.
    rf"|(?<!!)(?P<linked>\[(?P<dressed>\[|\\\[|【)?\^?(?P<label>{_NUMBER})\^?(?:\]|\\\]|】)?\]"
    rf"{DESTINATION.format('to_')})"
    # Numbers in a dress of their own.
    rf"|\[\^(?P<caret>{_NUMBER})\^\]"
    rf"|\[\[(?P<double>{_NUMBER})\]\]"
    rf"|\[{{1,2}}ref_(?P<named>{_NUMBER}(?:, ?ref_{_NUMBER})*)\]{{1,2}}",
    re.I,
)
_REFERRED = re.compile(rf"\]\[({_NUMBER})\]")
_OF_GEMINI = re.compile(r"\[cite(?:_start\]|: ?[0-9])|\[span_[0-9]+\]\((?:start|end)_span\)")
_OF_CHATGPT = re.compile("\ue200[a-z_]+\ue202|【[0-9]{1,18}(?::[0-9]+)?†")
_INDEXED = re.compile(r"([A-Za-z0-9_$.]+)(?:\[[^\[\]\n]*\])*\Z")
_IDENTIFIER = re.compile(
    r"[A-Za-z0-9.]*(?:_|\$|[a-z][A-Z]|[A-Za-z]\.[A-Za-z]).*"
    r"|(?i:argv?|args|arr(?:ay)?|lists?|data|items?|params?|rows?|cols?|buf(?:fer)?|vec(?:tor)?|matrix"
    r"|tuple|dict|map|str|keys?|values?|results?|matches|groups?|parts|lines|fields|output|input)"
)
_NEAR = 100
"""Characters before a marker that are looked at to see what it is an index of."""
_NOTE = re.compile(r"^ {0,3}\[\^([0-9]{1,9})\]:", re.M)
_HIGHEST = 1000
"""A number as the label of a link is a citation below it; `2024` is a word."""


@dataclass(slots=True)
class Marks:
    """The citations of one answer."""

    answer: Answer
    known: Mapping[int, Cited]
    """The sources by the numbers of the answer's own lists and definitions."""
    defined: frozenset[int] = frozenset()
    """The numbers that definitions gave a URL: labels of links refer to them."""
    listed: frozenset[int] = frozenset()
    """The numbers that lists gave a URL."""
    counts: bool = False
    """Whether a number without a source is a citation though no number has one."""
    kept: Sequence[tuple[int, int]] = ()
    """Stretches of the text that hold lists, in order; what stands there cites nothing."""
    count: int = 0
    """The citations that were found, with a source or without."""
    forms: Counter[str] = field(default_factory=Counter)
    """The citations that have a source, or are marks of a product, by form."""
    of_gemini: bool = False
    in_order: bool = False
    """Whether numbers that are labels of links are 1, 2 and so on, as they first stand there."""
    _labels: frozenset[int] = field(default_factory=frozenset)

    def put(self) -> None:
        """Puts the citations into the answer."""
        text = self.answer.text
        self.of_gemini = is_of_gemini(text)
        if self.of_gemini:  # its numbers count parts of files, not the works cited
            listed, self.known = self.known, {}
            for cited in listed.values():
                self.answer.list(cited)
        found = [match for match in in_prose(text, _MARK) if not self._is_kept(match.start())]
        self.answer.numbers = dict(self.known)
        self._number_links(found)
        for match in found:
            _PUT[next(form for form in _PUT if match[form] is not None)](self, match)
        if _OF_CHATGPT.search(text):
            before = self.answer.unresolved
            Citations(text, {}).put(self.answer, 0)
            self.count += self.answer.unresolved - before
            self.forms["lost"] += self.answer.unresolved - before
        if self.known or (self.counts and not self.of_gemini):
            self._count_numbers()

    def _is_kept(self, place: int) -> bool:
        before = bisect_right(self.kept, (place, len(self.answer.text)))
        return before > 0 and place < self.kept[before - 1][1]

    def _cite(self, match: re.Match[str], cited: Sequence[Cited], form: str) -> None:
        self.count += 1
        self.forms[form] += 1
        self.answer.cite(*match.span(), cited)

    def _miss(self, count: int = 1) -> None:
        """Counts citations that stay as they are written."""
        self.count += count
        self.answer.unresolved += count

    def _count_numbers(self) -> None:
        """Counts the text's own markers; those of its own notes are none."""
        notes = {int(number) for number in _NOTE.findall(self.answer.text)}
        for marker in citing(self.answer.text):
            if self._is_kept(marker.start):
                continue
            for written in marker.numbers:
                number = int(written) if len(written) < 10 else 0
                if number in self.known:
                    self.count += 1
                    self.forms["number"] += number in self.listed
                elif number and not (marker.caret and number in notes):
                    self._miss()

    def _number_links(self, found: Sequence[re.Match[str]]) -> None:
        """Lets numbers that are labels of links keep them, where nothing else has the number."""
        labels: dict[int, set[Cited]] = {}
        for match in found:
            if match["linked"] is not None and (cited := _target(match)):
                labels.setdefault(int(match["label"]), set()).add(cited)
        self._labels = frozenset(labels)
        bare = dict.fromkeys(
            int(match["label"])
            for match in found
            if match["linked"] is not None and match["dressed"] is None and _target(match)
        )
        self.in_order = len(bare) > 1 and [*bare] == [*range(1, len(bare) + 1)]
        taken = {n for marker in citing(self.answer.text) for n in marker.numbers}
        urls = {cited.url for cited in self.answer.numbers.values()}
        for number, sources in sorted(labels.items()):
            if number in self.known or str(number) in taken or not 0 < number < _HIGHEST:
                continue
            if len({cited.url for cited in sources}) == 1:
                cited = max(sources, key=lambda source: len(source.title))
                if cited.url not in urls:
                    urls.add(cited.url)
                    self.answer.numbers[number] = cited

    # --- Each form -------------------------------------------------------------------------------

    def _rubble(self, match: re.Match[str]) -> None:
        self.answer.replace(*match.span(), "")

    def _lost(self, match: re.Match[str]) -> None:
        self.count += 1
        self.forms["lost"] += 1
        self.answer.lose(*match.span())

    def _old(self, match: re.Match[str]) -> None:
        url = address(match["old_angle"] or match["old_plain"] or "")
        if re.match(r"https?://", url, re.I):
            self._cite(match, [Cited(url, match["site"].strip())], "lost")
        else:
            self._lost(match)

    def _pill(self, match: re.Match[str]) -> None:
        """`([site][1])`: the site says nothing that the source does not."""
        numbers = [int(number) for number in _REFERRED.findall(match[0])]
        defined = self.defined & self.known.keys()
        known = [self.known[number] for number in numbers if number in defined]
        if len(known) == len(numbers):
            self._cite(match, known, "pill")
        elif self.known or self.counts:
            self._miss(len(numbers) - len(known))

    def _reference(self, match: re.Match[str]) -> None:
        """`[words][1]` is a link of the text's own: it takes its definition's URL along."""
        number = int(match["referred"])
        if number in self.defined and number in self.known:
            start = match.start("referred") - 1
            url = self.known[number].url
            self.answer.replace(start, match.end(), f"(<{url}>)" if "(" in url else f"({url})")

    def _linked(self, match: re.Match[str]) -> None:
        number = int(match["label"])
        cited = _target(match)
        if cited is None:
            within = (match["to_plain"] or "").startswith("#")  # a link to the list
            if within and number in self.known:
                self._cite(match, [self.known[number]], "number")
        elif match["dressed"] or number in self.known or (1 in self._labels and number < _HIGHEST):
            self._cite(match, [cited], "dressed" if match["dressed"] else "label")

    def _numbered(self, match: re.Match[str]) -> None:
        numbers = [int(number) for number in re.findall(_NUMBER, match[0])]
        known = [self.known[number] for number in numbers if number in self.known]
        if len(known) == len(numbers):
            form = "number" if match["caret"] is None and match["named"] is None else "dress"
            self._cite(match, known, form if self.listed.issuperset(numbers) else "")
        elif match["double"] is None:  # else it is counted as the marker in it
            self._miss(len(numbers) - len(known))


def is_of_gemini(text: str) -> bool:
    """Whether a text has the marks of Gemini, whose numbers are none of a list."""
    return _OF_GEMINI.search(text) is not None


def cited_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Place and number of what a text cites in any form, but for what looks like an index."""
    for marker in citing(text):
        if not _is_indexed(text[max(marker.start - _NEAR, 0) : marker.start]):
            yield from ((marker.start, int(n)) for n in marker.numbers if len(n) < 10)
    for match in in_prose(text, _MARK):
        for form in ("label", "caret", "double", "named"):
            yield from ((match.start(), int(n)) for n in re.findall(_NUMBER, match[form] or ""))


def _is_indexed(before: str) -> bool:
    """Whether what stands before a number in brackets ends in a name as programs have them."""
    found = _INDEXED.search(before)
    return found is not None and _IDENTIFIER.fullmatch(found[1]) is not None


def _target(match: re.Match[str]) -> Cited | None:
    """The source that a link with a number for its label leads to."""
    url = address(match["to_angle"] or match["to_plain"] or "")
    if re.match(r"https?://", url, re.I):
        return Cited(url, match["to_title"] or "")
    return None


_PUT: Mapping[str, Callable[[Marks, re.Match[str]], None]] = {
    "rubble": Marks._rubble,
    "lost": Marks._lost,
    "old": Marks._old,
    "pill": Marks._pill,
    "reference": Marks._reference,
    "linked": Marks._linked,
    "caret": Marks._numbered,
    "double": Marks._numbered,
    "named": Marks._numbered,
}
