"""The citations of one ChatGPT message: marks in its text, and what its metadata says of them.

A mark is a run of private-use characters (U+E200 kind U+E202 token … U+E201) or lenticular
brackets. A content reference says what stands behind the mark at its place. Tokens like
`turn0search3` are numbers of one message: the same token is another page in the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from cite_filter.importers.answers import Answer, Cited, without_tracking
from cite_filter.importers.chatgpt_references import (
    Reference,
    grouped,
    is_valid,
    old_citations,
    reference_of,
    tokens_of_items,
    tokens_of_results,
    unanimous,
)
from cite_filter.importers.values import list_of, maps_of, spans, text_of
from cite_filter.prose import OPAQUE, mask_code
from cite_filter.source_text import UNRESOLVED

_MARK = re.compile(
    "\ue200(?P<run>[^\ue200\ue201]*)\ue201"
    "|\ue200(?P<open>[a-z_]+(?:\ue202[^\ue200-\ue206\\s]*)*)"  # of an answer that was stopped
    "|(?P<single>[\ue200-\ue206])"
    "|【(?P<bracket>[^【】\n]{1,400})】"
)
_TOKEN = re.compile(r"(?<![^\W_])turn\d+[a-z_]+\d+(?!\w)")
_CITING = frozenset(("cite", "filecite", "url"))
_WIDGETS = frozenset(("image_group", "genui", "map", "products", "i", "video", "navlist", "entity"))
_SHOWN_ONLY = frozenset(("nav_list", "url", "video"))
"""References that are no citation where no mark calls for them."""
_NUMBERED = re.compile(r"(\d{1,18})(?::\d+)?†")
_TERMINAL = re.compile(r"[0-9a-f]{6}†L\d")
"""Output of a terminal that a coding agent ran: no source of the web."""
_FENCE = re.compile(r"^:::(?:contextList|writing)\b[^\n]*\n?", re.M)
_END_OF_FENCE = re.compile(r"^:::[ \t]*(?:\n|$)", re.M)
_NEAR = 2
"""How far from its brackets an old citation's offset was seen, and one more."""


class Citations:
    """What the metadata of one message says of the marks in its text."""

    def __init__(
        self, text: str, metadata: dict[str, Any], found: Iterable[dict[str, Any]] = ()
    ) -> None:
        """`found` is the metadata of the tool messages that went before the answer."""
        self.text = text
        raw = [item for item in maps_of(metadata.get("content_references")) if is_valid(item)]
        self.references = [reference_of(item) for item in raw]
        self.at = self._places(raw)
        self.alike = grouped((one.matched, one) for one in self.references if one.sources)
        self.tokens = [
            unanimous(tokens_of_items(raw)),
            unanimous(tokens_of_results([metadata])),
            unanimous(tokens_of_results(found)),
        ]
        self.old = list(old_citations(metadata))
        self.numbered = grouped((old.number, old) for old in self.old)
        self.used: set[int] = set()
        """The references and old citations whose mark was met, by `id`."""
        self.widgets = 0
        """Images, maps and the like that are left out."""

    def put(self, answer: Answer, base: int) -> None:
        """Puts the citations into an answer in whose text the message begins at `base`."""
        masked = mask_code(self.text)
        run_end, run = -1, set[str]()
        for mark in _MARK.finditer(self.text):
            start, end = mark.span()
            if mark["bracket"] is None:
                label, cited, lost = self._run(mark)
            else:
                resolved = self._bracket(mark, in_code=masked[start] == OPAQUE)
                if resolved is None:
                    continue
                label, cited, lost = "", *resolved
            if start != run_end:
                run = set()
            new = [source for source in cited if without_tracking(source.url) not in run]
            run |= {without_tracking(source.url) for source in new}
            run_end = end
            in_code = masked[start] == OPAQUE
            _put(answer, (base + start, base + end), label, new, lost=lost, in_code=in_code)
        for start, end in [*self._plain_spans(answer, base), *_fences(self.text, masked)]:
            answer.replace(base + start, base + end, "")
        for source in self._unplaced():
            answer.list(source)

    # --- Marks -----------------------------------------------------------------------------------

    def _run(self, mark: re.Match[str]) -> tuple[str, list[Cited], bool]:
        """What a run shows, what it cites, and whether it cites what nothing resolves."""
        reference = self._reference_of(mark)
        sources = list(reference.sources) if reference else []
        if mark["single"]:
            return "", sources, False
        kind, *fields = (mark["run"] if mark["run"] is not None else mark["open"]).split("\ue202")
        tokens = [token for field in fields for token in _TOKEN.findall(field)]
        label = _label(kind, fields)
        if not sources and kind not in _CITING and (kind in _WIDGETS or not tokens):
            sources = [source for token in tokens if (source := self._source_of(token))]
            self.widgets += not label and not sources
            return label, sources if kind in ("navlist", "video") else [], False
        missing = tokens
        if reference and sources:
            missing = [t for t in tokens if reference.tokens and t not in reference.tokens]
        resolved = [self._source_of(token) for token in missing]
        sources += [source for source in resolved if source]
        return label, sources, None in resolved or not sources

    def _bracket(self, mark: re.Match[str], *, in_code: bool) -> tuple[list[Cited], bool] | None:
        """What brackets cite, and whether nothing resolves it; None for text in brackets."""
        if in_code and mark.span() not in self.at:  # what the answer speaks of
            return None
        old = self._old_of(mark)
        reference = self._reference_of(mark)
        if reference and reference.sources:
            return list(reference.sources), False
        if old:
            return [old], False
        body = mark["bracket"]
        if body.startswith("{") or (reference and reference.kind.startswith("image")):
            self.widgets += 1
            return [], False
        if _NUMBERED.match(body) and not _TERMINAL.match(body):
            return [], True
        return None

    def _reference_of(self, mark: re.Match[str]) -> Reference | None:
        """The reference at a mark; else that of another mark of the same text, if all say one."""
        found = self.at.get(mark.span())
        if found is None and len(mark[0]) > 1:
            same = self.alike.pop(mark[0], [])
            if len({reference.sources for reference in same}) == 1:
                found = same[0]
                self.alike[mark[0]] = same[:1]  # the others are used up
                self.used |= {id(reference) for reference in same}
        if found is not None:
            self.used.add(id(found))
        return found

    def _source_of(self, token: str) -> Cited | None:
        return next((level[token] for level in self.tokens if token in level), None)

    def _old_of(self, mark: re.Match[str]) -> Cited | None:
        """The source of an old citation: at the place of the brackets, else by their number."""
        numbered = _NUMBERED.match(mark["bracket"])
        if numbered is None:
            return None
        number = int(numbered[1])
        same = self.numbered.get(number, [])
        near = [
            old
            for old in [*same, *self.numbered.get(None, [])]
            if old.start is not None and abs(old.start - mark.start()) <= _NEAR
        ]
        same = near or same
        if len({old.source.url for old in same}) != 1:
            return None
        self.used |= {id(old) for old in same}
        return same[0].source

    # --- What no mark stands for -----------------------------------------------------------------

    def _places(self, raw: list[dict[str, Any]]) -> dict[tuple[int, int], Reference]:
        """The references by the span that they name, if it holds the text that they name."""
        found = spans(
            self.text,
            [(item.get("start_idx"), item.get("end_idx")) for item in raw],
            lambda n, start, end: (
                start < end and self.text[start:end] == self.references[n].matched
            ),
        )
        places: dict[tuple[int, int], Reference] = {}
        for reference, place in zip(self.references, found, strict=True):
            if place and (place not in places or not places[place].sources):
                places[place] = reference
        return places

    def _plain_spans(self, answer: Answer, base: int) -> Iterator[tuple[int, int]]:
        """Cites at the end of words that a reference names, and yields what is to go."""
        for (start, end), reference in self.at.items():
            if id(reference) in self.used or _MARK.fullmatch(reference.matched):
                continue
            if reference.kind == "attribution" and reference.matched.startswith("({"):
                yield start, end
            elif reference.sources and reference.matched.strip():
                self.used.add(id(reference))
                if "](" not in reference.matched:  # a link of the text's own cites by itself
                    answer.cite(base + end, base + end, reference.sources)

    def _unplaced(self) -> Iterator[Cited]:
        for reference in self.references:
            if id(reference) not in self.used and reference.kind not in _SHOWN_ONLY:
                yield from reference.sources
        yield from (old.source for old in self.old if id(old) not in self.used)


# --- Text ----------------------------------------------------------------------------------------


def _put(
    answer: Answer,
    span: tuple[int, int],
    label: str,
    cited: list[Cited],
    *,
    lost: bool,
    in_code: bool,
) -> None:
    """Puts what a mark stands for in its place: words, markers, the sign that one is lost."""
    start, end = span
    if in_code:  # where a marker would be code
        if lost:
            answer.lose(start, end, label + UNRESOLVED)
        else:
            answer.replace(start, end, label)
        answer.cite(end, end, cited)
        return
    if label:
        answer.replace(start, start + 1, label)
        start += 1
    if lost:
        end -= 1
        answer.lose(end, end + 1)
    answer.cite(start, end, cited)


def _label(kind: str, fields: list[str]) -> str:
    """The words that a run shows."""
    if kind in ("url", "video", "navlist") and fields and not _TOKEN.fullmatch(fields[0]):
        return fields[0]
    if kind in ("entity", "product_entity", "product") and fields:
        try:
            values = list_of(json.loads(fields[0]))
        except (ValueError, RecursionError):
            return ""
        return text_of(values[1]) if len(values) > 1 else ""
    return ""


def _fences(text: str, masked: str) -> Iterator[tuple[int, int]]:
    """The lines that open and close boxes of the product's own."""
    end = _END_OF_FENCE.search(masked)
    for fence in _FENCE.finditer(masked):
        yield fence.span()
        if end is not None and end.start() < fence.end():
            end = _END_OF_FENCE.search(masked, fence.end())
        if end is not None:
            yield end.span()
