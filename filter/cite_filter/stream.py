"""A large document, block by block: only what may hold a citation is ever built as a tree.

A tree of Python objects takes twenty times the memory of its JSON. Blocks are parsed one at a time
as Pandoc sends them, linked, and written; a block that can hold no marker passes as the bytes it
came in. Where one part of a document needs another, `link` takes it whole instead: the rules are
`linking`'s in both cases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cite_filter import json_text
from cite_filter import pandoc_ast as ast
from cite_filter.linking import Linker, Result
from cite_filter.pandoc_ast import Blocks, Node
from cite_filter.raw_html import keeps

_HEAD = re.compile(r'\s*\{"pandoc-api-version":\[[0-9,]+\],"meta":')
_BODY = ',"blocks":['
# What a block must hold somewhere to be of interest: a marker's beginning, a note, or a link
# that may look like a citation.
_CANDIDATE = re.compile(r'\[\^?[1-9]|"Note"|"Link"|"Image"')
# What may begin a scope of its own.
_SCOPE = re.compile('"sources"|"turn"')
_FOOTNOTE = re.compile(r'"\[\^[1-9][0-9]*\]:')
_SOURCES_BLOCK = '"sources"'
_LIST_DIVISION = '"sources-list"'


class _NotInParts(Exception):  # noqa: N818 - no error: the document goes another way
    """One part of the document needs another."""


@dataclass(slots=True)
class _Slot:
    """One block of the document: the text it came as, or what is written in its place."""

    start: int
    end: int
    written: list[bytes] | None = None


def link_bytes(data: bytes, target: str) -> tuple[bytes, Result] | None:
    """What `link` would make of `data`, as bytes; None where it must be taken whole."""
    try:
        return _Stream(data.decode("utf-8"), target).run()
    except (_NotInParts, ValueError, LookupError, StopIteration, RecursionError):
        return None


class _Stream:
    def __init__(self, text: str, target: str) -> None:
        self.text = text
        decoder = json.JSONDecoder()
        self.scan: Callable[[str, int], tuple[Any, int]] = decoder.scan_once  # type: ignore[attr-defined]
        head = _HEAD.match(text)
        if head is None:
            raise _NotInParts
        self.meta_start = head.end()
        meta, self.meta_end = self.scan(text, self.meta_start)
        if not text.startswith(_BODY, self.meta_end):
            raise _NotInParts
        self.linker = Linker(meta, target)
        self.slots: list[_Slot] = []
        self.pending: list[_Slot] = []
        """Blocks outside turns, which the next `sources` block will serve."""

    def run(self) -> tuple[bytes, Result]:
        body = self.meta_end + len(_BODY)
        self._check_parts(body)
        end = self._blocks(body)
        self._flush([])
        turns, last = self.linker.finish()
        written = self._written(last, end) if self.linker.changed else b""
        return written, self.linker.result(None, turns)

    def _check_parts(self, body: int) -> None:
        """The document's own sources serve all, or, if any turn brings some, nothing."""
        if self.linker.style.to_list:
            raise _NotInParts
        if self.linker.own is not None:
            if _FOOTNOTE.search(self.text, body):
                raise _NotInParts  # it decides about markers before it
            for needed in (_SOURCES_BLOCK, _LIST_DIVISION):
                if self.text.find(needed, body) >= 0:
                    raise _NotInParts

    def _blocks(self, position: int) -> int:
        """Goes through the blocks; the place of the bracket that ends them."""
        text = self.text
        while text[position] != "]":
            block, end = self.scan(text, position)
            self._block(block, _Slot(position, end))
            position = end + 1 if text[end] == "," else end
        return position

    def _block(self, block: Node, slot: _Slot) -> None:
        self.slots.append(slot)
        kind = block["t"]
        if kind == "RawBlock" and keeps(block):
            raise _NotInParts
        if ast.is_division(block, "turn"):
            self.linker.add([block])
            slot.written = [dump(block)]
        elif ast.is_sources_block(block):
            self._flush([block], slot)
        elif _SCOPE.search(self.text, slot.start, slot.end):
            raise _NotInParts  # within a quotation or a list
        elif _CANDIDATE.search(self.text, slot.start, slot.end):
            self.pending.append(slot)

    def _flush(self, last: Blocks, slot: _Slot | None = None) -> None:
        """Links the pending blocks with the `sources` block that serves them, if there is one."""
        parsed = [self.scan(self.text, waiting.start)[0] for waiting in self.pending]
        owners = {id(block): waiting for block, waiting in zip(parsed, self.pending, strict=True)}
        blocks = [*parsed, *last]
        self.linker.add(blocks)
        for replaced in (*self.pending, *([slot] if slot else [])):
            replaced.written = []
        for block in blocks:
            owner = owners.get(id(block), slot)
            if owner is not None and owner.written is not None:
                owner.written.append(dump(block))
        self.pending = []

    def _written(self, last: Blocks, end: int) -> bytes:
        text = self.text
        pieces: list[bytes] = []
        for slot in self.slots:
            if slot.written is None:
                pieces.append(text[slot.start : slot.end].encode())
            else:
                pieces += slot.written
        pieces += map(dump, last)
        head = text[: self.meta_start].encode() + dump(self.linker.meta) + _BODY.encode()
        return head + b",".join(pieces) + text[end:].encode()


def dump(value: Any) -> bytes:
    """`value` as JSON."""
    import orjson

    try:
        return orjson.dumps(value)
    except TypeError:  # half a surrogate pair, or nesting deeper than orjson writes
        return json_text.dumps(value).encode("ascii")
