"""From a document with sources to a document with links: the way through the rules.

`link` is the whole of it, and pure: no input, no output but its result. The document is read,
laid out in turns, its markers are linked, its lists written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cite_filter import metadata, options, source_list
from cite_filter import pandoc_ast as ast
from cite_filter.inlines import Context, link_run, note_footnotes
from cite_filter.messages import messages
from cite_filter.options import Options
from cite_filter.pandoc_ast import Blocks, Inlines, Node
from cite_filter.source_lists import Sources, SourcesError, numbered, read_yaml
from cite_filter.style import Style, for_format
from cite_filter.turns import Layout, Scopes, Text, Turn, turn_has_block

_PARAGRAPHS = ("Para", "Plain")


class Result(NamedTuple):
    """A linked document and what was found on the way."""

    document: Any
    """The document, of the kind that was given."""
    turns: Sequence[Turn]
    warnings: Sequence[str]
    """One line each, without level or program name."""
    options: Options
    changed: bool
    """False where the document has no sources: it is what it was."""
    broken: int = 0
    """Lists of sources that could not be read."""

    @property
    def cited(self) -> Mapping[int, Sequence[int]]:
        """The numbers that each turn cites and that could be verified, by the turn's number."""
        return {turn.number: sorted(map(int, turn.cited)) for turn in self.turns}

    @property
    def unverified(self) -> int:
        """How many numbers look like citations and could not be verified, and broken lists."""
        numbers = (len(t.unknown) + len(t.unsafe) + len(t.foreign) for t in self.turns)
        return self.broken + sum(numbers)


def link(document: Any, target: str = "", *, sources: Sources | None = None) -> Result:
    """The document with every citation that can be verified as a link.

    `document` is Pandoc's JSON, parsed (changed in place), or a panflute `Doc` (left as it is; a
    new one is in the result). `target` is the name of Pandoc's writer. `sources`, where given,
    are the document's own and stand for its metadata. Nothing is raised for what a document
    holds: what cannot be read stays as it is, with a warning.
    """
    if not isinstance(document, dict):
        from cite_filter.panflute_doc import from_json, to_json

        result = link(to_json(document), target or document.format, sources=sources)
        return result._replace(document=from_json(result.document, document.format))
    linker = Linker(document["meta"], target, sources=sources)
    blocks: Blocks = document["blocks"]
    if linker.own is not None and turn_has_block(blocks):
        linker.keep_apart()
    if linker.style.to_list:
        linker.style = linker.style._replace(taken=frozenset(_identifiers(blocks)))
    linker.add(blocks)
    turns, last = linker.finish()
    blocks += last
    return linker.result(document, turns)


class Linker:
    """Links one document, whose blocks may come in several parts.

    The parts must be such that no part needs another: see `cite_filter.stream`.
    """

    def __init__(
        self,
        meta: dict[str, Node],
        target: str = "",
        *,
        sources: Sources | None = None,
    ) -> None:
        self.meta = meta
        self.warnings: list[str] = []
        """What was said so far, without what is to be said of turns."""
        self.options, warnings = options.from_metadata(meta)
        self.warnings += warnings
        self.style = for_format(self.options, target)
        self.broken = 0
        self.own = self._metadata_sources() if sources is None else sources
        """The document's own sources."""
        language = metadata.text(meta["lang"]) if "lang" in meta else None
        serving = self.own if self.own is not None and self.own.by_number else None
        self.layout = Layout(serving, self._block_sources, language)
        self.found_places = False

    def keep_apart(self) -> None:
        """Says that a turn brings its own sources: the document's serve nothing then."""
        if self.own is not None and self.own.by_number:
            self.warnings.append(
                "the document's sources serve nothing, for its turns bring their own"
            )
            self.layout = Layout(None, self._block_sources, self.layout.language)

    def add(self, blocks: Blocks, *, definitions: bool = True) -> None:
        """Links the next blocks of the document, in place, and puts their lists in.

        `definitions` tells whether a line of them may begin with `[^`.
        """
        scopes = self.layout.add(blocks)
        self.found_places = self.found_places or bool(scopes.places)
        if definitions:
            _note_footnotes(scopes)
        self._link(blocks, scopes)

    def open_part(self, container: Blocks) -> Scopes:
        """Opens the part of the document that a `sources` block, alone in `container`, serves."""
        scopes = self.layout.part(container)
        self.found_places = self.found_places or bool(scopes.places)
        return scopes

    def note_definitions(self, blocks: Blocks, turn: Turn) -> None:
        """Notes down the definitions in blocks of a part, before any of its blocks is linked."""
        _note_footnotes(self.layout.add(blocks, turn))

    def add_to_part(self, blocks: Blocks, turn: Turn) -> None:
        """Links blocks of a part, in place."""
        self._link(blocks, self.layout.add(blocks, turn))

    def close_part(self, part: Scopes) -> None:
        """Puts the list of a part in the place of its `sources` block."""
        _place_lists(part, self.style)

    def _link(self, blocks: Blocks, scopes: Scopes) -> None:
        emptied = [text for text in scopes.texts if _link_text(text, self.style)]
        _prune(blocks, {id(text.block) for text in emptied})
        _place_lists(scopes, self.style)

    def result(self, document: Any, turns: Sequence[Turn]) -> Result:
        """What `link` gives back."""
        return Result(document, turns, self.warnings, self.options, self.changed, self.broken)

    @property
    def changed(self) -> bool:
        """Whether the document has any sources; without, it is what it was."""
        return self.own is not None or self.found_places

    def finish(self) -> tuple[list[Turn], Blocks]:
        """The turns, and the blocks to stand at the end; takes the filter's keys out of `meta`."""
        if not self.changed:
            return [], []
        for key in options.keys(self.meta):
            del self.meta[key]
        if self.own is not None:
            self.meta.pop("sources", None)
        turns = self.layout.finish()
        rest = turns[-1]
        if rest.scope == "outside" and rest.is_clean:
            turns.pop()
        self.warnings += messages(turns)
        return turns, self._document_list(rest) if rest.scope == "document" else []

    def _document_list(self, turn: Turn) -> Blocks:
        """The document's list, or nothing where the document has a div for it, which takes it."""
        division = self.layout.list_division
        if division is None:
            return _whole(source_list.render(turn, self.style), self.style)
        held: Blocks = division["c"][1]
        titled = not any(block["t"] == "Header" for block in held)
        held += source_list.render(turn, self.style, titled=titled)
        return []

    def _metadata_sources(self) -> Sources | None:
        if "sources" not in self.meta:
            return None
        try:
            return numbered(metadata.entries(self.meta["sources"]))
        except SourcesError as error:
            self.warnings.append(f"metadata: {error.message}")
            self.broken += 1
            return None

    def _block_sources(self, block: Node) -> Sources | None:
        try:
            return read_yaml(block["c"][1], after=block.get("line", 0))
        except SourcesError as error:
            line = f"line {error.line}: " if error.line else ""
            self.warnings.append(f"sources block: {line}{error.message}")
            self.broken += 1
            return None


def _note_footnotes(scopes: Scopes) -> None:
    for text in scopes.texts:
        if text.block["t"] in _PARAGRAPHS and not text.in_table:
            note_footnotes(text.block["c"], text.turn)


def _place_lists(scopes: Scopes, style: Style) -> None:
    """Puts each list where the last `sources` block of its turn stands."""
    last = {id(place.turn): place for place in scopes.places}
    lists: dict[int, Blocks] = {}
    for place in scopes.places:
        blocks = source_list.render(place.turn, style) if last[id(place.turn)] is place else []
        lists[id(place.block)] = _whole(blocks, style)
    for container in {id(place.container): place.container for place in scopes.places}.values():
        container[:] = [new for block in container for new in lists.get(id(block), [block])]


def _whole(blocks: Blocks, style: Style) -> Blocks:
    if not blocks or style.clean:
        return blocks
    return [ast.division(("sources-list",), blocks)]


def _link_text(text: Text, style: Style) -> bool:
    """Links the markers of one block; whether nothing is left of it."""
    kind = text.block["t"]
    paragraph = kind in _PARAGRAPHS
    line_start = paragraph and not text.in_table
    stack = [
        (inlines, Context(text.turn, line_start=line_start, anchored=kind != "Header"))
        for inlines in reversed(ast.child_inlines(text.block))
    ]
    while stack:
        inlines, context = stack.pop()
        seen = link_run(inlines, context, style)
        for node in reversed(seen.inner):
            stack += reversed(list(_inside(node, context)))
    return paragraph and not text.block["c"]


def _inside(node: Node, context: Context) -> Iterator[tuple[Inlines, Context]]:
    inner = ast.inner_inlines(node)
    if inner is not None:
        raised = context.raised or node["t"] == "Superscript"
        yield inner, context._replace(line_start=False, raised=raised)
        return
    pending: list[Blocks] = [node["c"]]  # a Note
    while pending:
        for block in pending.pop():
            for inlines in ast.child_inlines(block):
                yield inlines, Context(context.turn, anchored=False)
            pending += ast.child_blocks(block)


def _prune(blocks: Blocks, emptied: set[int]) -> None:
    """Takes out the paragraphs of which nothing is left, and the list items they leave empty."""
    if not emptied:
        return
    containers = [blocks]
    for container in containers:
        for block in container:
            containers += ast.child_blocks(block)
    left_empty: set[int] = set()
    for container in reversed(containers):
        kept: Blocks = []
        for block in container:
            if id(block) in emptied:
                continue
            if block["t"] in ("BulletList", "OrderedList"):
                items = block["c"] if block["t"] == "BulletList" else block["c"][1]
                items[:] = [item for item in items if id(item) not in left_empty]
                if not items:
                    continue
            kept.append(block)
        if len(kept) < len(container):
            container[:] = kept
            if not kept:
                left_empty.add(id(container))


def _identifiers(blocks: Blocks) -> Iterator[str]:
    """Every identifier of the document: of any element with attributes, at any depth."""
    stack: list[Any] = [blocks]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list):
            if len(value) == 3 and isinstance(value[0], str) and isinstance(value[1], list):
                yield value[0]
            stack += value
