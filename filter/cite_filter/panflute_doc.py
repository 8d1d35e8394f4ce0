"""The bridge to panflute: its `Doc` to Pandoc's JSON and back."""

from __future__ import annotations

import io
import json

import panflute

from cite_filter.pandoc_ast import Document


def to_json(doc: panflute.Doc) -> Document:
    """A new JSON document with the content of `doc`."""
    stream = io.StringIO()
    panflute.dump(doc, stream)
    document: Document = json.loads(stream.getvalue())
    return document


def from_json(document: Document, target: str) -> panflute.Doc:
    """The panflute document of `document`, with `target` as its output format."""
    doc = panflute.load(io.StringIO(json.dumps(document)))
    doc.format = target
    return doc
