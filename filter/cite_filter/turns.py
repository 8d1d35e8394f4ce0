"""Which sources serve which text: turns, `sources` blocks and the document's own sources.

One pass over the blocks, without recursion (a document may be nested thousands deep), yields each
text with its turn. `docs/format.md`, section 1, "Scope".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from cite_filter import pandoc_ast as ast
from cite_filter.pandoc_ast import Blocks, Node
from cite_filter.raw_html import protected
from cite_filter.source_lists import Sources, merge

Scope = Literal["turn", "part", "document", "outside"]
Lines = list[int | None]


class Turn:
    """The scope of one set of numbers, and what was found in it."""

    __slots__ = (
        *("number", "scope", "sources", "language", "line", "linked", "cited", "named"),
        *("anchored", "unknown", "unsafe", "foreign", "footnotes", "commented", "identifiers"),
    )

    def __init__(
        self,
        number: int,
        scope: Scope,
        sources: Sources | None = None,
        *,
        language: str | None = None,
        line: int | None = None,
    ) -> None:
        self.number = number
        self.scope = scope
        """`part`: what a `sources` block serves outside turns; `outside`: what nothing serves."""
        self.sources = sources or Sources()
        self.language = language
        self.line = line
        """Where it begins; 1-based, None where lines are not known."""
        self.linked = 0
        """Markers made links."""
        self.cited: set[str] = set()
        """Numbers that markers were linked for."""
        self.named: set[str] = set()
        """Numbers of sources in any marker, also in those that had to stay as written."""
        self.anchored: set[str] = set()
        """Numbers whose first marker can be led back to from the list."""
        self.unknown: dict[str, Lines] = {}
        """Numbers that name no source, each with the lines of its markers where they are known."""
        self.unsafe: dict[str, Lines] = {}
        """Numbers whose source may not be linked."""
        self.foreign: dict[str, Lines] = {}
        """Numbers that label a link of the text to something else than the source they name."""
        self.footnotes: set[str] = set()
        """Numbers of notes of the text's own: `[^1]: …` that is no copy of source 1."""
        self.identifiers: dict[str, str] = {}
        """What stands for identifiers that the document has already."""
        self.commented: set[str] = set()
        """Numbers of notes that name the source's page and say more than the list would."""

    @property
    def is_clean(self) -> bool:
        """Whether everything that looks like a citation is one."""
        return not (self.unknown or self.unsafe or self.foreign)

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
    in_table: bool
    """It is in a cell, which begins no line of the text."""


class Place(NamedTuple):
    """A `sources` block, to be replaced by the list of its turn."""

    block: Node
    container: Blocks
    turn: Turn


class Scopes(NamedTuple):
    """Blocks laid out in turns, in the order of the text."""

    turns: list[Turn]
    texts: list[Text]
    places: list[Place]


Reader = Callable[[Node], Sources | None]
"""Reads a `sources` block; None where it is broken and stays as it is."""


class Layout:
    """Lays a document out in turns; its blocks may come in several parts."""

    def __init__(self, document: Sources | None, read: Reader, language: str | None = None) -> None:
        """`document` holds the document's own sources, if they serve it: see `turn_has_block`."""
        self.read = read
        self.language = language
        self.serves = document is not None
        self.turns: list[Turn] = []
        self.rest = Turn(1, "outside" if document is None else "document", language=language)
        """Of what no turn and no `sources` block serves."""
        if document is not None:
            self.rest.sources = document
        self.list_division: Node | None = None
        """The first Div with the class `sources-list`: the place for the document's list."""
        self._scopes = Scopes([], [], [])

    def add(self, blocks: Blocks, serving: Turn | None = None) -> Scopes:
        """The turns of the next blocks of the document, which `serving` serves where none does."""
        self._scopes = Scopes([], [], [])
        turn = serving or self.rest
        path = [self._container(blocks, turn, in_turn=False, in_table=False)]
        while path:
            inner = next(path[-1], None)
            if inner is None:
                path.pop()
            else:
                blocks, turn, in_turn, in_table = inner
                path.append(self._container(blocks, turn, in_turn=in_turn, in_table=in_table))
        return self._number()

    def part(self, container: Blocks) -> Scopes:
        """The turn of a `sources` block outside turns, alone in `container`, for what it serves."""
        self._scopes = Scopes([], [], [])
        (block,) = container
        turn = Turn(0, "part", language=self.language, line=block.get("line"))
        self._enter(turn, [(block, container)])
        return self._number()

    def _number(self) -> Scopes:
        self.turns += self._scopes.turns
        self.rest.number = len(self.turns) + 1
        return self._scopes

    def finish(self) -> list[Turn]:
        """All turns of the document, the rest as the last."""
        return [*self.turns, self.rest]

    def _container(
        self, container: Blocks, inherited: Turn, *, in_turn: bool, in_table: bool
    ) -> Iterator[tuple[Blocks, Turn, bool, bool]]:
        """Notes the texts of `container`; yields the lists of blocks inside it, and their scope."""
        serving = [inherited] * len(container) if in_turn else self._parts(container, inherited)
        kept = protected(container)
        for position, block in enumerate(container):
            turn = serving[position]
            if position in kept or ast.is_division(block, "prompt"):
                continue
            if ast.is_division(block, "turn"):
                turn = inherited if self.serves else self._turn(block)
                yield block["c"][1], turn, True, in_table
                continue
            if ast.is_sources_block(block) and not in_turn:
                self._enter(turn, [(block, container)])
            if self.list_division is None and ast.is_division(block, "sources-list"):
                self.list_division = block
            if ast.child_inlines(block):
                self._scopes.texts.append(Text(block, container, turn, in_table))
            inside = in_table or block["t"] == "Table"
            for blocks in ast.child_blocks(block):
                yield blocks, turn, in_turn, inside

    def _parts(self, container: Blocks, inherited: Turn) -> list[Turn]:
        """For each block outside turns, the turn of the next `sources` block of this container."""
        serving: list[Turn] = []
        for position, block in enumerate(container):
            if ast.is_sources_block(block):
                turn = Turn(0, "part", language=self.language, line=block.get("line"))
                serving += [turn] * (position + 1 - len(serving))
        return serving + [inherited] * (len(container) - len(serving))

    def _turn(self, division: Node) -> Turn:
        language = ast.attribute(division, "lang") or self.language
        turn = Turn(0, "turn", language=language, line=division.get("line"))
        self._enter(turn, list(_blocks_of_turn(division)))
        return turn

    def _enter(self, turn: Turn, found: list[tuple[Node, Blocks]]) -> None:
        """Numbers a turn, in the order of the text, and gives it the sources of its blocks."""
        turn.number = len(self.turns) + len(self._scopes.turns) + 1
        self._scopes.turns.append(turn)
        self._read(found, turn)

    def _read(self, found: list[tuple[Node, Blocks]], turn: Turn) -> None:
        """Gives `turn` the sources of its blocks: all of them, or, where one is broken, none."""
        lists = [self.read(block) for block, _ in found]
        whole = [sources for sources in lists if sources is not None]
        if found and len(whole) == len(lists):
            turn.sources = merge(whole)
            self._scopes.places.extend(Place(block, container, turn) for block, container in found)


def _blocks_of_turn(division: Node) -> Iterator[tuple[Node, Blocks]]:
    """The `sources` blocks of a turn at any depth, bar those of turns and prompts inside it."""
    path: list[tuple[Blocks, Iterator[Node]]] = [(division["c"][1], iter(division["c"][1]))]
    while path:
        container, rest = path[-1]
        block = next(rest, None)
        if block is None:
            path.pop()
        elif ast.is_sources_block(block):
            yield block, container
        elif not ast.is_division(block, "turn") and not ast.is_division(block, "prompt"):
            path += [(inner, iter(inner)) for inner in reversed(ast.child_blocks(block))]


def turn_has_block(blocks: Blocks) -> bool:
    """Whether any turn brings its own sources; the document's serve nothing then."""
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
