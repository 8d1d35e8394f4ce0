"""Answers that were copied or saved as Markdown, from any product: what their text shows is all.

Lists of sources and definitions of numbers (`markdown_lists`) serve the text before them, back to
the list before; where they give a number another source, a new answer has begun. What in the text
is a citation, `markdown_marks` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cite_filter import source_lists, source_text
from cite_filter.importers import Imported
from cite_filter.importers.answers import Answer, Cited
from cite_filter.importers.chats import Chat
from cite_filter.importers.exports import Export
from cite_filter.importers.markdown_lists import Block, blocks
from cite_filter.importers.markdown_marks import Marks

NAME = "markdown"
OWN_LIST = "the sources are those that the text itself lists; no record of a tool vouches for them"

_HINT = re.compile(
    "\\[\\^?[0-9]|\\[\\[|\\[\\\\\\[|\\[【|\\[ref_|\\[cite|\\[span_|oaicite|\\[oai_citation|citeturn"
    "|\ue200|【[0-9]+(?::[0-9]+)?†"
)
# Markers right behind the fence that ends code: it would not end it.
_CLOSING_FENCE = re.compile(r"^([ \t]*`{3,})[ \t]+((?:\[\^?[0-9]+\])+)[ \t]*$", re.M)
_EMPTY_LINES = re.compile(r"\n*+")
_HTML = re.compile(r"\s*<(?:!doctype|html)\b", re.I)
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M | re.S)


def recognises(export: Export) -> bool:
    """Whether the text cites in a form that is known, and is no transcript already."""
    text = export.text
    if _HINT.search(text) is None or export.data is not None or export.lines or _HTML.match(text):
        return False
    if source_text.is_transcript(text):
        return False
    metadata, body = _front_matter(text.replace("\r\n", "\n"))
    return "sources" not in metadata and any(part.marks.count for part in _parts(body))


def transcripts(export: Export) -> Iterator[Imported]:
    """The one conversation of the text; what nothing parts is one answer."""
    metadata, body = _front_matter(export.text.replace("\r\n", "\n"))
    body = _CLOSING_FENCE.sub(r"\1\n\n\2", body)
    chat = Chat(metadata.get("title", ""), metadata.get("date"))
    parts = list(_parts(body))
    for part in parts:
        turns = len(chat.turns)
        chat.answer(part.answer)
        if len(chat.turns) > turns:
            for note in part.notes():
                chat.note(note)
    if not any(part.marks.count or part.known for part in parts):
        chat.messages.append("no citation of a form that is known was found; the text is kept")
    if any(part.known for part in parts):
        chat.messages.append(OWN_LIST)
    if not {"title", "date", "sources"}.issuperset(metadata):
        chat.messages.append("of the metadata only title and date are kept")
    yield chat.imported()


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
    answer: Answer = field(init=False)
    marks: Marks = field(init=False)
    known: dict[int, Cited] = field(init=False)

    def __post_init__(self) -> None:
        pieces: list[str] = []
        kept: list[tuple[int, int]] = []
        done = length = 0
        for block in self.blocks:
            goes = block.is_understood()
            pieces.append(self.text[done : block.start if goes else block.end])
            length += len(pieces[-1])
            if goes:
                done = _behind(self.text, block)
            else:
                kept.append((length - (block.end - block.start), length))
                done = block.end
        self.answer = Answer("".join([*pieces, self.text[done:]]))
        self.known = _merged(self.blocks)
        defined = {n for block in self.blocks if not block.is_list for n, _ in block.entries}
        self.marks = Marks(self.answer, self.known, frozenset(defined), kept)
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
    """The parts of a text: each ends behind the lists after which a number is another source."""
    start = 0
    held: list[Block] = []
    urls: dict[int, str] = {}
    for block in blocks(text):
        brought = {number: cited.url for number, cited in block.sources().items()}
        if any(urls.get(number, url) != url for number, url in brought.items()):
            yield _part(text, start, held[-1].end, held)
            start, held, urls = held[-1].end, [], {}
        held.append(block)
        urls |= brought
    if start and text[held[-1].end :].strip():
        yield _part(text, start, held[-1].end, held)
        start, held = held[-1].end, []
    yield _part(text, start, len(text), held)


def _part(text: str, start: int, end: int, held: Sequence[Block]) -> _Part:
    moved = [block._replace(start=block.start - start, end=block.end - start) for block in held]
    return _Part(text[start:end], moved)


def _merged(held: Sequence[Block]) -> dict[int, Cited]:
    """The sources of all blocks, each with a title where one of them has it."""
    merged: dict[int, Cited] = {}
    for block in held:
        for number, cited in block.sources().items():
            if number not in merged or not merged[number].title:
                merged[number] = cited
    return merged
