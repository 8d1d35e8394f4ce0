"""Answers that were copied or saved as Markdown, from any product: what their text shows is all.

Lists of sources (`markdown_lists`) serve the text before them, back to the list before: text behind
a list is of another answer. Definitions of numbers serve all the text, until one gives a number
another source. What in the text is a citation, `markdown_marks` says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from cite_filter import fences, source_lists, source_text
from cite_filter.importers import Imported
from cite_filter.importers.answers import Answer, Cited, without_tracking
from cite_filter.importers.chats import Chat
from cite_filter.importers.exports import Export
from cite_filter.importers.markdown_lists import Block, blocks
from cite_filter.importers.markdown_marks import Marks, cited_numbers, is_of_gemini
from cite_filter.importers.thoughts import end_of_thoughts

NAME = "markdown"
OWN_LIST = "the sources are those that the text itself lists; no record of a tool vouches for them"

_HINT = re.compile(
    "\\[\\^?[0-9]|\\[\\[|\\[\\\\\\[|\\[【|\\[ref_|\\[cite|\\[span_|oaicite|\\[oai_citation|citeturn"
    "|\ue200|【[0-9]+(?::[0-9]+)?†"
)
# Markers right behind the fence that ends code: it would not end it.
_CLOSING_FENCE = re.compile(r"^([ \t]*`{3,})[ \t]+((?:\[\^?[0-9]+\])+)[ \t]*$", re.M)
# What a list goes on with: an indented paragraph, or another entry of its kind.
_NOTE = r"\s*\n(?:[ \t]{2,}\S|[ \t]*"
_MORE_ORDERED = re.compile(_NOTE + r"[0-9]{1,3}[.)][ \t])")
_MORE_IN_BRACKETS = re.compile(_NOTE + r"\[\^?[0-9]{1,3}\][ \t:])")
_EMPTY_LINES = re.compile(r"\n*+")
_HTML = re.compile(r"\s*<(?:!doctype|html)\b", re.I)
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M | re.S)
_WORD = re.compile(r"\w")
_TRACE = re.compile(r"[?&]utm_source=(?:chatgpt\.com|openai)\b")
_KEPT = frozenset(("title", "date", "lang"))
_PLAIN = _KEPT | {"author"}
"""Metadata that copies of answers have; other keys are of a document that someone writes."""
_MARKUP = re.compile(r"[*_`$<>\[\]\\^~]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_SHORT = 2000
"""Characters of text behind a list, without a citation, that may belong to its answer."""


def recognises(export: Export) -> bool:
    """Whether this cannot be but a copy of an answer; a document that someone writes is none."""
    text = export.text
    if _HINT.search(text) is None or export.data is not None or export.lines or _HTML.match(text):
        return False
    if source_text.is_transcript(text):
        return False
    if text.startswith("% ") or _has_divs(text):
        return False
    metadata, parts = _read(export)
    if "sources" in metadata or not (_is_plain(metadata) or _TRACE.search(text)):
        return False
    forms = sum((part.marks.forms for part in parts), Counter[str]())
    return (
        forms["lost"] > 0
        or forms["dress"] > 0
        or max(forms["number"], forms["pill"], forms["dressed"]) > 1
        or any(part.marks.in_order for part in parts)
    )


def _has_divs(text: str) -> bool:
    """Whether Pandoc would find divs in a text; those in code are none."""
    if ":::" not in text:
        return False
    lines = text.splitlines()
    kinds = fences.read(lines)  # which may add lines
    return any(
        kind.kind != "code" and line.lstrip(" \t>").startswith(":::")
        for line, kind in zip(lines, kinds, strict=False)
    )


def _is_plain(metadata: Mapping[str, str]) -> bool:
    """Whether metadata says no more than a copy would say."""
    values = metadata.values()
    return (
        _PLAIN.issuperset(metadata)
        and all(values)
        and not _MARKUP.search(metadata.get("title", ""))
    )


def transcripts(export: Export) -> Iterator[Imported]:
    """The one conversation of the text; what nothing parts is one answer."""
    metadata, parts = _read(export)
    chat = Chat(metadata.get("title", ""), metadata.get("date"))
    for part in parts:
        turns = len(chat.turns)
        chat.answer(deepcopy(part.answer))  # which it changes
        if len(chat.turns) > turns:
            for note in part.notes():
                chat.note(note)
    if not any(part.marks.count or part.known for part in parts):
        chat.messages.append("no citation of a form that is known was found; the text is kept")
    if any(part.known for part in parts):
        chat.messages.append(OWN_LIST)
    if not {*_KEPT, "sources"}.issuperset(metadata):
        chat.messages.append("of the metadata only title, date and lang are kept")
    done = chat.imported()
    if _LANGUAGE.fullmatch(metadata.get("lang", "")):
        done = done._replace(transcript=replace(done.transcript, language=metadata["lang"]))
    yield done


_Text = tuple[dict[str, str], list["_Part"]]
_TEXTS: WeakKeyDictionary[Export, _Text] = WeakKeyDictionary()


def _read(export: Export) -> _Text:
    """The metadata and the parts of a text, which are read once."""
    if export not in _TEXTS:
        metadata, body = _front_matter(export.text.replace("\r\n", "\n"))
        body = body[end_of_thoughts(body) :]  # before a list in a thought parts the text
        _TEXTS[export] = metadata, list(_parts(_CLOSING_FENCE.sub(r"\1\n\n\2", body)))
    return _TEXTS[export]


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The scalars of the metadata at the top, others as empty; and what follows it."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    try:
        node = source_lists.compose(found[1])
        pairs = source_lists.pairs(node) if node is not None and node.id == "mapping" else {}
    except source_lists.SourcesError:
        return {}, text
    if not pairs:
        return {}, text
    scalars = {key: node.value if node.id == "scalar" else "" for key, node in pairs.items()}
    return scalars, text[found.end() :]


@dataclass(slots=True)
class _Part:
    """A stretch of text that one set of numbers serves."""

    text: str
    blocks: Sequence[Block]
    """Its lists and definitions; places in `text`."""
    follows: bool
    """Whether another part stands before it."""
    keeps: bool = False
    """Its blocks disagree and stay."""
    answer: Answer = field(init=False)
    marks: Marks = field(init=False)
    known: dict[int, Cited] = field(init=False)

    def __post_init__(self) -> None:
        pieces: list[str] = []
        kept: list[tuple[int, int]] = []
        done = length = 0
        for block in self.blocks:
            goes = block.is_understood() and not self.keeps and not _goes_on(self.text, block)
            pieces.append(self.text[done : block.start if goes else block.end])
            length += len(pieces[-1])
            if goes:
                done = _behind(self.text, block)
            else:
                kept.append((length - (block.end - block.start), length))
                done = block.end
        whole = "".join([*pieces, self.text[done:]])
        self.answer = Answer(whole)
        self.answer.leave_thoughts()
        cut = len(whole) - len(self.answer.text)
        kept = [(max(start - cut, 0), max(end - cut, 0)) for start, end in kept]
        self.known = _merged(self.blocks)
        for number in _of_several(self.blocks):
            del self.known[number]
        lists = [block for block in self.blocks if block.is_list]
        self.marks = Marks(
            self.answer,
            self.known,
            kept=kept,
            defined=frozenset(n for block in self.blocks if block.defines for n in block.sources()),
            listed=frozenset(n for block in lists for n in block.sources()),
            counts=bool(lists) or self.follows,
        )
        self.marks.put()

    def notes(self) -> Iterator[str]:
        """What is to be said of it, beside the citations without a source."""
        if self.marks.of_gemini:
            yield "what Gemini's marks cite is not in its copies; the works cited are listed"
        for block in self.blocks:
            if not block.is_understood():
                lost = sum(number not in block.sources() for number, _ in block.entries)
                yield f"{lost} of {len(block.entries)} entries of the list name no one URL; kept"


def _behind(text: str, block: Block) -> int:
    """Where the text goes on behind a block: an empty line before it and one behind are one."""
    if block.start and not text.endswith("\n\n", 0, block.start):
        return block.end
    return _EMPTY_LINES.match(text, block.end).end()  # type: ignore[union-attr] # it may be empty


def _parts(text: str) -> Iterator[_Part]:
    """The parts of a text: each ends behind a list, or where a number is another source."""
    start = 0
    held: list[Block] = []
    urls: dict[int, str] = {}
    found = blocks(text)
    evidence = _Evidence(text) if any(block.is_ordered for block in found) else None
    listed = 0  # where the last list ended
    for block in found:
        since, listed = listed, block.end if block.is_list else listed
        if block.is_ordered and not (evidence and evidence.is_for(block, since)):
            continue
        brought = {number: cited.url for number, cited in block.sources().items()}
        words = bool(held) and _WORD.search(text, held[-1].end, block.start) is not None
        differs = any(urls.get(number, url) != url for number, url in brought.items())
        if words and (held[-1].is_list or differs):
            yield _part(text, start, held[-1].end, held)
            start, held, urls = held[-1].end, [], {}
        held.append(block)
        urls |= brought
    tail = text[held[-1].end :].strip() if held and not _goes_on(text, held[-1]) else ""
    if tail and (_is_another(tail) if held[-1].is_list else start):
        yield _part(text, start, held[-1].end, held)
        start, held = held[-1].end, []
    yield _part(text, start, len(text), held)


class _Evidence:
    """Which ordered lists are lists of sources, whatever their names: those that are cited."""

    def __init__(self, text: str) -> None:
        self._is_of_gemini = is_of_gemini(text)
        self._cited = sorted(cited_numbers(text))

    def is_for(self, block: Block, start: int) -> bool:
        """Whether what stands from `start` up to a list cites at least half of its entries."""
        if self._is_of_gemini:
            return True
        numbers = {number for number, _ in block.entries}
        low, high = (bisect_left(self._cited, (place, 0)) for place in (start, block.start))
        return 2 * len(numbers.intersection(n for _, n in self._cited[low:high])) >= len(numbers)


def _is_another(tail: str) -> bool:
    """Whether text behind a list is an answer of its own: it may cite, or is long."""
    return len(tail) > _SHORT or _HINT.search(tail) is not None


def _part(text: str, start: int, end: int, held: Sequence[Block]) -> _Part:
    moved = [block._replace(start=block.start - start, end=block.end - start) for block in held]
    return _Part(text[start:end], moved, follows=start > 0, keeps=bool(_of_several(held)))


def _goes_on(text: str, block: Block) -> bool:
    """Whether a list has entries or notes on entries behind what was read of it."""
    more = _MORE_ORDERED if block.is_ordered else _MORE_IN_BRACKETS
    return block.is_list and more.match(text, block.end) is not None


def _of_several(held: Sequence[Block]) -> set[int]:
    """The numbers that blocks with nothing between them give to several sources."""
    urls: dict[int, set[str]] = {}
    for block in held:
        for number, cited in block.sources().items():
            urls.setdefault(number, set()).add(without_tracking(cited.url))
    return {number for number, found in urls.items() if len(found) > 1}


def _merged(held: Sequence[Block]) -> dict[int, Cited]:
    """The sources of all blocks, each with a title where one of them has it."""
    merged: dict[int, Cited] = {}
    for block in held:
        for number, cited in block.sources().items():
            if number not in merged or not merged[number].title:
                merged[number] = cited
    return merged
