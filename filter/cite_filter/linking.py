"""From a document with sources to a document with links: the way through the rules.

`link` is the whole of it, and pure: no input, no output but its result. The document is read,
laid out in turns, its markers are linked, its lists written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cite_filter import metadata, options, source_list
from cite_filter import pandoc_ast as ast
from cite_filter.inlines import Context, link_run
from cite_filter.options import Options
from cite_filter.pandoc_ast import Blocks, Document, Inlines, Node
from cite_filter.sources import Sources, SourcesError, number, read_yaml
from cite_filter.style import Style, for_format
from cite_filter.turns import Scopes, Text, Turn, lay_out


@dataclass(frozen=True, slots=True)
class Result:
    """A linked document and what was found on the way."""

    document: Any
    """The document, of the kind that was given."""
    turns: Sequence[Turn]
    warnings: Sequence[str]
    """One line each, without level or program name."""
    options: Options
    changed: bool
    """False where the document has no sources: it is what it was."""

    @property
    def cited(self) -> Mapping[int, Sequence[int]]:
        """The numbers that each turn cites and that could be verified, by the turn's number."""
        return {turn.number: sorted(map(int, turn.cited)) for turn in self.turns}

    @property
    def unverified(self) -> int:
        """How many numbers of markers name no source, or one that may not be linked."""
        return sum(len(turn.unknown) + len(turn.unsafe) for turn in self.turns)


def link(
    document: Any, target: str = "", *, sources: Sources | None = None, smart: bool = False
) -> Result:
    """The document with every citation that can be verified as a link.

    `document` is Pandoc's JSON, parsed (changed in place), or a panflute `Doc` (left as it is; a
    new one is in the result). `target` is the name of Pandoc's writer. `sources`, where given,
    are the document's own and stand for its metadata. `smart` says that the reader certainly made
    dashes of `--`. Nothing is raised for what a document holds: what cannot be read stays as it
    is, with a warning.
    """
    if not isinstance(document, dict):
        from cite_filter.panflute_doc import from_json, to_json

        result = link(to_json(document), target or document.format, sources=sources, smart=smart)
        return replace(result, document=from_json(result.document, document.format))
    return _Run(document, target, sources, smart).result()


class _Run:
    """One document on its way."""

    def __init__(
        self, document: Document, target: str, sources: Sources | None, smart: bool
    ) -> None:
        self.document = document
        self.meta: dict[str, Node] = document["meta"]
        self.warnings: list[str] = []
        self.options, option_warnings = options.from_metadata(self.meta)
        self.warnings += option_warnings
        self.target = target
        self.given = sources
        self.smart = smart
        self.broken_metadata = False

    def result(self) -> Result:
        own = self.given if self.given is not None else self._metadata_sources()
        language = metadata.text(self.meta["lang"]) if "lang" in self.meta else None
        blocks: Blocks = self.document["blocks"]
        scopes = lay_out(blocks, own, self._block_sources, language)
        if own is None and not scopes.places:
            return Result(self.document, scopes.turns, self.warnings, self.options, changed=False)
        style = self._style()
        emptied = [text for text in scopes.texts if _link_text(text, style)]
        _prune(blocks, {id(text.block) for text in emptied})
        self._place_lists(scopes, style)
        self._take_out_keys()
        self.warnings += _warnings(scopes.turns, own, scopes)
        return Result(self.document, scopes.turns, self.warnings, self.options, changed=True)

    def _metadata_sources(self) -> Sources | None:
        if "sources" not in self.meta:
            return None
        try:
            return number(metadata.entries(self.meta["sources"], smart=self.smart))
        except SourcesError as error:
            self.warnings.append(f"metadata: {error.message}")
            self.broken_metadata = True
            return None

    def _block_sources(self, block: Node) -> Sources | None:
        try:
            return read_yaml(block["c"][1], after=block.get("line", 0))
        except SourcesError as error:
            line = f"line {error.line}: " if error.line else ""
            self.warnings.append(f"sources block: {line}{error.message}")
            return None

    def _style(self) -> Style:
        style = for_format(self.options, self.target)
        return (
            replace(style, taken=frozenset(_identifiers(self.document["blocks"])))
            if style.to_list
            else style
        )

    def _place_lists(self, scopes: Scopes, style: Style) -> None:
        """Puts each list where its last `sources` block stands, the document's in its own place."""
        last = {id(place.turn): place for place in scopes.places}
        lists: dict[int, Blocks] = {}
        for place in scopes.places:
            blocks = source_list.render(place.turn, style) if last[id(place.turn)] is place else []
            lists[id(place.block)] = _whole(blocks, style)
        for container in {id(place.container): place.container for place in scopes.places}.values():
            container[:] = [new for block in container for new in lists.get(id(block), [block])]
        for turn in scopes.turns:
            if turn.scope == "document":
                self._place_document_list(turn, scopes.list_division, style)

    def _place_document_list(self, turn: Turn, division: Node | None, style: Style) -> None:
        if division is None:
            self.document["blocks"] += _whole(source_list.render(turn, style), style)
            return
        held: Blocks = division["c"][1]
        titled = not any(block["t"] == "Header" for block in held)
        held += source_list.render(turn, style, titled=titled)

    def _take_out_keys(self) -> None:
        for key in options.keys(self.meta):
            del self.meta[key]
        if not self.broken_metadata:
            self.meta.pop("sources", None)


def _whole(blocks: Blocks, style: Style) -> Blocks:
    if not blocks or style.clean:
        return blocks
    return [ast.division(("sources-list",), blocks)]


def _link_text(text: Text, style: Style) -> bool:
    """Links the markers of one block; whether nothing is left of it."""
    kind = text.block["t"]
    paragraph = kind in ("Para", "Plain")
    stack = [
        (inlines, Context(text.turn, line_start=paragraph, anchored=kind != "Header"))
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
    for container in reversed(containers):
        kept: Blocks = []
        for block in container:
            if id(block) in emptied:
                continue
            if block["t"] in ("BulletList", "OrderedList"):
                items = block["c"] if block["t"] == "BulletList" else block["c"][1]
                full = [item for item in items if item]
                if len(full) < len(items):
                    items[:] = full
                    if not full:
                        continue
            kept.append(block)
        if len(kept) < len(container):
            container[:] = kept


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


def _warnings(turns: Sequence[Turn], own: Sources | None, scopes: Scopes) -> Iterator[str]:
    if own is not None and not any(turn.scope == "document" for turn in turns):
        yield "the document's sources serve nothing, for its turns bring their own"
    alone = len(turns) == 1 and turns[0].scope != "turn"
    for turn in turns:
        place = "" if alone else f"{turn.place}: "
        for message in _turn_warnings(turn):
            yield place + message


def _turn_warnings(turn: Turn) -> Iterator[str]:
    for source in turn.sources.in_order():
        if source.altered:
            yield (
                f"source {source.index}: Pandoc's reader altered the URL, so it is not linked; "
                "write it as <URL> or use a sources block"
            )
    for key, sources in turn.sources.conflicts.items():
        urls = " and ".join(dict.fromkeys(ast.clean(source.url) for source in sources))
        yield f"source {key} has several URLs ({urls}), so the number is unknown; give each its own"
    for key, lines in turn.unknown.items():
        yield f"{_shown(key)}{_times(lines)} names no source; left as written"
    for key, lines in turn.unsafe.items():
        url = ast.clean(turn.sources.by_number[key].url)
        yield f"{_shown(key)}{_times(lines)} has an unsafe URL ({url}); left as written"


def _shown(key: str) -> str:
    return f"[{key if len(key) <= 20 else key[:20] + '…'}]"


def _times(lines: Sequence[int | None]) -> str:
    return f" ({len(lines)} times)" if len(lines) > 1 else ""
