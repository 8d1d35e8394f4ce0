"""Which sources serve which text: turns, `sources` blocks and the document's own sources.

One pass over the blocks, without recursion (a document may be nested thousands deep), yields each
text with its turn. `docs/format.md`, section 1, "Scope".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter.pandoc_ast import Blocks, Node
from cite_filter.raw_html import protected
from cite_filter.sources import Sources, merge

Scope = Literal["turn", "part", "document", "outside"]


@dataclass(slots=True, eq=False)
class Turn:
    """The scope of one set of numbers, and what was found in it."""

    number: int
    scope: Scope
    """`part`: what a `sources` block serves outside turns; `outside`: what nothing serves."""
    sources: Sources = field(default_factory=Sources)
    language: str | None = None
    line: int | None = None
    linked: int = 0
    """Markers made links."""
    cited: set[str] = field(default_factory=set)
    """Numbers that markers were linked for."""
    named: set[str] = field(default_factory=set)
    """Numbers of sources in any marker, also in those that had to stay as written."""
    anchored: set[str] = field(default_factory=set)
    """Numbers whose first marker can be led back to from the list."""
    unknown: dict[str, list[int | None]] = field(default_factory=dict)
    """Numbers that name no source, each with the lines of its markers where they are known."""
    unsafe: dict[str, list[int | None]] = field(default_factory=dict)
    """Numbers whose source may not be linked."""

    @property
    def place(self) -> str:
        """What a message calls it."""
        if self.scope == "document":
            return "document"
        if self.scope == "outside":
            return "outside the turns"
        return f"{self.scope} {self.number}"


class Text(NamedTuple):
    """A block with text of its own, the list that holds it, and the turn it belongs to."""

    block: Node
    container: Blocks
    turn: Turn


class Place(NamedTuple):
    """A `sources` block, to be replaced by the list of its turn."""

    block: Node
    container: Blocks
    turn: Turn


@dataclass(slots=True)
class Scopes:
    """A document laid out in turns, in the order of the text."""

    turns: list[Turn] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    list_division: Node | None = None
    """The first Div with the class `sources-list`: the place for the document's list."""


Reader = Callable[[Node], Sources | None]
"""Reads a `sources` block; None where it is broken and stays as it is."""


def lay_out(
    blocks: Blocks, document: Sources | None, read: Reader, language: str | None = None
) -> Scopes:
    """The turns of `blocks`, where `document` holds the document's own sources if it has any."""
    return _Layout(read, language).run(blocks, document)


class _Layout:
    def __init__(self, read: Reader, language: str | None) -> None:
        self.read = read
        self.language = language
        self.scopes = Scopes()
        self.serves = False
        """Whether the document's own sources serve all that no block serves, turns included."""

    def run(self, blocks: Blocks, document: Sources | None) -> Scopes:
        self.serves = document is not None and not _turn_has_block(blocks)
        rest = Turn(0, "document" if self.serves else "outside", language=self.language)
        if self.serves and document is not None:
            rest.sources = document
        path = [self._container(blocks, rest, False)]
        while path:
            inner = next(path[-1], None)
            if inner is None:
                path.pop()
            else:
                path.append(self._container(*inner))
        scopes = self.scopes
        rest.number = len(scopes.turns) + 1
        if self.serves or any(text.turn is rest for text in scopes.texts):
            scopes.turns.append(rest)
        return scopes

    def _container(
        self, container: Blocks, inherited: Turn, in_turn: bool
    ) -> Iterator[tuple[Blocks, Turn, bool]]:
        """Notes the texts of `container`; yields what `_container` wants to see of its insides."""
        serving = [inherited] * len(container) if in_turn else self._parts(container, inherited)
        kept = protected(container)
        for position, block in enumerate(container):
            turn = serving[position]
            if position in kept or ast.is_division(block, "prompt"):
                continue
            if ast.is_division(block, "turn"):
                yield block["c"][1], inherited if self.serves else self._turn(block), True
                continue
            if self.scopes.list_division is None and ast.is_division(block, "sources-list"):
                self.scopes.list_division = block
            if ast.child_inlines(block):
                self.scopes.texts.append(Text(block, container, turn))
            for blocks in ast.child_blocks(block):
                yield blocks, turn, in_turn

    def _parts(self, container: Blocks, inherited: Turn) -> list[Turn]:
        """For each block outside turns, the turn of the next `sources` block of this container."""
        serving: list[Turn] = []
        for position, block in enumerate(container):
            if ast.is_sources_block(block):
                turn = self._add("part", self.language, block)
                self._read([(block, container)], turn)
                serving += [turn] * (position + 1 - len(serving))
        return serving + [inherited] * (len(container) - len(serving))

    def _turn(self, division: Node) -> Turn:
        turn = self._add("turn", ast.attribute(division, "lang") or self.language, division)
        self._read(list(_blocks_of_turn(division)), turn)
        return turn

    def _add(self, scope: Scope, language: str | None, block: Node) -> Turn:
        turn = Turn(len(self.scopes.turns) + 1, scope, language=language, line=block.get("line"))
        self.scopes.turns.append(turn)
        return turn

    def _read(self, found: list[tuple[Node, Blocks]], turn: Turn) -> None:
        """Gives `turn` the sources of its blocks: all of them, or, where one is broken, none."""
        lists = [self.read(block) for block, _ in found]
        whole = [sources for sources in lists if sources is not None]
        if found and len(whole) == len(lists):
            turn.sources = merge(whole)
            self.scopes.places += [Place(block, container, turn) for block, container in found]


def _blocks_of_turn(division: Node) -> Iterator[tuple[Node, Blocks]]:
    """The `sources` blocks of a turn at any depth, bar those of turns and prompts inside it."""
    stack: list[Blocks] = [division["c"][1]]
    while stack:
        container = stack.pop()
        inner: list[Blocks] = []
        for block in container:
            if ast.is_sources_block(block):
                yield block, container
            elif not ast.is_division(block, "turn") and not ast.is_division(block, "prompt"):
                inner += ast.child_blocks(block)
        stack.extend(reversed(inner))


def _turn_has_block(blocks: Blocks) -> bool:
    """Whether any turn of the document brings its own sources."""
    stack: list[tuple[Blocks, bool]] = [(blocks, False)]
    while stack:
        container, in_turn = stack.pop()
        for block in container:
            if in_turn and ast.is_sources_block(block):
                return True
            if not ast.is_division(block, "prompt"):
                inside = in_turn or ast.is_division(block, "turn")
                stack += [(inner, inside) for inner in ast.child_blocks(block)]
    return False
