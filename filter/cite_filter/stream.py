"""A large document, block by block, as it comes in: only what may hold a citation becomes a tree.

A tree of Python objects takes twenty times the memory of its JSON, and Pandoc takes as long to
write a document as it takes to link it. So blocks are parsed one at a time while Pandoc is still
writing, linked, and written; a block that can hold no marker passes as the text it came in. Where
one part of a document needs another, `link` takes it whole instead: the rules are `linking`'s in
both cases.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

from cite_filter import json_text
from cite_filter import pandoc_ast as ast
from cite_filter.linking import Linker, Result
from cite_filter.pandoc_ast import Blocks, Node
from cite_filter.raw_html import keeps
from cite_filter.received import Received

_HEAD = re.compile(r'\s*\{"pandoc-api-version":\[[0-9,]+\],"meta":')
_BODY = re.compile(r',"blocks":\[')
# What a block must hold somewhere to be of interest: a marker's beginning, a note, or a link
# that may look like a citation.
_CANDIDATE = re.compile(r'\[\^?(?:[1-9]|"\},\{"t":"Str")|"Note"|"Link"|"Image"')
# What may begin a scope of its own.
_SCOPE = re.compile('"sources"|"turn"')
# What may begin with a definition `[^1]:`, in one Str or, after other filters, in several.
_DEFINITION = re.compile(
    r'(?:"|\\n)\[(?:\^(?:[1-9][0-9]*)?)?(?:\]:|\]?"\},\{"t":"Str")|"c":"\[?\^?"\},\{"t":"Str"'
)
_SOURCES_BLOCK = '"sources"'
_LIST_DIVISION = '"sources-list"'


class _NotInParts(Exception):  # noqa: N818 - no error: the document goes another way
    """One part of the document needs another."""


class _Slot:
    """One block of the document: its text, and what is written in its place."""

    __slots__ = ("text", "written")

    def __init__(self, text: str) -> None:
        self.text = text
        self.written: list[bytes] = []

    def pass_on(self) -> None:
        """Has the block written as it came."""
        self.written, self.text = [self.text.encode()], ""

    def write(self, blocks: Blocks) -> None:
        """Has `blocks` written in its place."""
        self.written, self.text = [dump(block) for block in blocks], ""


def link_stream(received: Received, target: str) -> tuple[bytes, Result] | None:
    """What `link` would make of the document, as bytes; None where it must be taken whole."""
    try:
        return _Stream(received, target).run()
    except (_NotInParts, ValueError, LookupError, RecursionError):
        return None


class _Window:
    """The text of a document from one place on, read on as far as it is needed."""

    def __init__(self, received: Received) -> None:
        self.received = received
        self.decode = codecs.getincrementaldecoder("utf-8")().decode
        self.scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
        self.text = self.decode(b"".join(received.chunks), received.ended)
        self.position = 0

    def pass_over(self, expected: re.Pattern[str]) -> str:
        """Goes behind what must stand here, and returns it."""
        while not (found := expected.match(self.text, self.position)):
            self.widen()
        self.position = found.end()
        return found[0]

    def character(self) -> str:
        """The character that stands here."""
        while self.position == len(self.text):
            self.widen()
        return self.text[self.position]

    def value(self) -> tuple[Any, int]:
        """The JSON value that stands here, a map or a list, and the place of its end."""
        while True:
            try:
                value, end = self.scan(self.text, self.position)
            except (StopIteration, ValueError):
                end = len(self.text)
            if end < len(self.text):
                return value, end
            self.widen()

    def widen(self) -> None:
        """Reads on, and drops the text before this place."""
        if self.received.ended:
            raise _NotInParts
        rest = self.text[self.position :]
        # A step as long as what is there: a long block is tried few times.
        more = self.received.more(len(rest))
        self.text, self.position = rest + self.decode(more, self.received.ended), 0

    def read_all(self) -> str:
        """Reads to the end; the text from here on."""
        while not self.received.ended:
            self.widen()
        return self.text[self.position :]


class _Stream:
    def __init__(self, received: Received, target: str) -> None:
        self.window = _Window(received)
        self.head = self.window.pass_over(_HEAD)
        meta, self.window.position = self.window.value()
        self.body = self.window.pass_over(_BODY)
        self.linker = Linker(meta, target)
        self.slots: list[_Slot] = []
        self.pending: list[_Slot] = []
        """Blocks outside turns, which the next `sources` block will serve."""

    def run(self) -> tuple[bytes, Result]:
        self._check_parts()
        self._blocks()
        self._flush(None)
        turns, last = self.linker.finish()
        written = self._written(last) if self.linker.changed else b""
        return written, self.linker.result(None, turns)

    def _check_parts(self) -> None:
        """The document's own sources serve all, or, if any turn brings some, nothing."""
        if self.linker.style.to_list:
            raise _NotInParts
        if self.linker.own is not None:
            self.window.read_all()
            if _DEFINITION.search(self.window.text):
                raise _NotInParts  # it decides about markers before it
            for needed in (_SOURCES_BLOCK, _LIST_DIVISION):
                if needed in self.window.text:
                    raise _NotInParts

    def _blocks(self) -> None:
        """Goes through the blocks; leaves the window at the bracket that ends them."""
        window = self.window
        while window.character() != "]":
            block, end = window.value()
            self._block(block, window.position, end)
            window.position = end + 1 if window.text[end] == "," else end

    def _block(self, block: Node, start: int, end: int) -> None:
        slot = _Slot(self.window.text[start:end])
        self.slots.append(slot)
        kind = block["t"]
        if kind == "RawBlock" and keeps(block):
            raise _NotInParts
        if ast.is_division(block, "turn"):
            self.linker.add([block], definitions=_DEFINITION.search(slot.text) is not None)
            slot.write([block])
        elif ast.is_sources_block(block):
            self._flush(slot)
        elif _SCOPE.search(slot.text):
            raise _NotInParts  # within a quotation or a list
        elif _CANDIDATE.search(slot.text):
            self.pending.append(slot)
        else:
            slot.pass_on()

    def _flush(self, last: _Slot | None) -> None:
        """Links the pending blocks, for the `sources` block in `last` or what serves the rest."""
        linker, pending, self.pending = self.linker, self.pending, []
        container = [json.loads(last.text)] if last else []
        part = linker.open_part(container) if last else None
        turn = part.turns[0] if part else linker.layout.rest
        for slot in pending:
            if _DEFINITION.search(slot.text):
                linker.note_definitions([json.loads(slot.text)], turn)
        for slot in pending:
            blocks: Blocks = [json.loads(slot.text)]
            linker.add_to_part(blocks, turn)
            slot.write(blocks)
        if last and part:
            linker.close_part(part)
            last.write(container)

    def _written(self, last: Blocks) -> bytes:
        pieces = [piece for slot in self.slots for piece in slot.written]
        pieces += map(dump, last)
        rest = self.window.read_all()
        head = self.head.encode() + dump(self.linker.meta) + self.body.encode()
        return head + b",".join(pieces) + rest.encode()


def dump(value: Any) -> bytes:
    """`value` as JSON."""
    import orjson

    try:
        return orjson.dumps(value)
    except TypeError:  # half a surrogate pair, or nesting deeper than orjson writes
        return json_text.dumps(value).encode("ascii")
