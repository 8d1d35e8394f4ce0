"""From a transcript to Pandoc's document: the one way in for `cite build` and `cite check`."""

from __future__ import annotations

from collections import Counter

from cite_filter import json_text, pandoc, positions
from cite_filter import pandoc_ast as ast
from cite_filter.errors import CiteError
from cite_filter.pandoc_ast import Document
from cite_filter.source_text import SourceText


def read(source: SourceText, *, with_lines: bool = False) -> Document:
    """The document as Pandoc reads it; each element with its line, where that is asked for.

    Raises CiteError where Pandoc fails, or sees a `sources` block as part of something else.
    """
    reader = pandoc.READER + ("+sourcepos" if with_lines else "")
    try:
        output = pandoc.run(["-f", reader, "-t", "json"], source.text.encode("utf-8", "replace"))
    except CiteError as error:
        raise CiteError(error.message, source.path) from None
    document: Document = json_text.loads(output.data.decode("utf-8"))
    if with_lines:
        positions.unwrap(document)
    _check_places(source, document)
    return document


def _check_places(source: SourceText, document: Document) -> None:
    """Raises CiteError for a `sources` block that did not arrive: its turn would go unlinked."""
    blocks = ast.sources_blocks(document["blocks"])
    arrived = Counter(block["c"][1].rstrip("\n") for block in blocks)
    for place in source.scopes.places:
        text = place.block["c"][1].rstrip("\n")
        if not arrived[text]:
            raise CiteError(
                "Pandoc does not see this sources block; close the code or the list before it",
                source.path,
                place.block["line"],
            )
        arrived[text] -= 1
