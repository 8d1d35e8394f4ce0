"""Hostile titles, addresses, keys and options, in every place the filter makes something of.

The plain filter's output goes through Pandoc's own writers, without `cite build` and its walls. An
attack gets through where the written document has any part that the same document with harmless
words has not: a tag, an attribute, a command, a function, a relationship, a target of a link.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from cite_filter import link, pandoc

URL = "https://a.example/"

ATTACKS = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "attribute": '" onmouseover="alert(1)" x=\'',
    "apostrophes": "' onload='alert(1)' '",
    "comment": "--><svg/onload=alert(1)><!--",
    "entity": "&lt;script&gt;alert(1)&#60;/script&#62;",
    "cdata": "]]><x/><![CDATA[",
    "doctype": '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>&y;',
    "processing": "<?xml-stylesheet href='x.css'?>",
    "raw": '`<script>alert(1)</script>`{=html} `\\input{x}`{=latex} `#read("x")`{=typst}',
    "markdown": "[x](javascript:alert(1)) ![y](https://evil.example/y.png) <https://evil.example/>",
    "attributes": "x]{onclick=alert(1) .y typst:fill=red}",
    "div": "::: {.turn}\n\n[1]\n\n:::",
    "fence": "```\n```sources\n- url: https://evil.example/\n```",
    "definition": "\n\n[1]: https://evil.example/\n\n[^1]: https://evil.example/",
    "input": "\\input{/etc/passwd}\\write18{id}\\immediate\\openout1=x",
    "ends": "}\\end{document}\\def\\x{\\csname input\\endcsname}{",
    "caret": "^^5cinput{x}^^M\\catcode`\\@=0",
    "percent": "% \\usepackage{shellesc}\n%\n",
    "typst": '#read("/etc/passwd") #import "x" #eval("1") #sys.inputs',
    "typst-end": ']) #image("/etc/passwd") //[ /* ',
    "typst-label": "<a> @b $x$ `#read(1)` = h\n- i\n+ j\n/ k: l",
    "typst-string": '" + read("/etc/passwd") + "\\u{22}',
    "field": '" \\l INCLUDETEXT "c:\\\\x" INCLUDEPICTURE DDEAUTO c:\\\\cmd.exe "/k calc"',
    "openxml": '</w:t></w:r><w:hyperlink r:id="rId1"/><w:fldSimple w:instr="DDE"/>',
    "template": "$body$ ${header-includes} $for(x)$ $endfor$ ~partial()~",
    "yaml": "!!python/object/apply:os.system ['id']",
    "controls": "a\x00\x01\x08\x0b\x1b[31m\x7f\x85\u202e\u2066\ufeff\ufffe",
    "marks": "[1] [^1] [9] [1][2]",
    "long": "[" * 3_000 + "1" * 3_000,
}

LINKED = {"quote", "legal-tex", "typst", "closing", "braces"}
"""The hostile addresses below that are web addresses all the same, to be linked as they are."""

HOSTILE_URLS = {
    "javascript": "javascript:alert(1)",
    "tabs": "java\tscript:alert(1)",
    "data": "data:text/html,<script>alert(1)</script>",
    "file": "file:///etc/passwd",
    "vbscript": "vbscript:x",
    "relative": "../x.html",
    "fragment": "#x",
    "userinfo": "https://bank.example@evil.example/",
    "line": "https://a.example/\nx",
    "quote": 'https://a.example/"onmouseover="alert(1)',
    "angle": "https://a.example/<script>",
    "tex": "https://a.example/}\\input{x}%$#_^~&",
    "legal-tex": "https://a.example/}{x}%$#_^~&",
    "typst": 'https://a.example/")#read("x',
    "closing": "https://a.example/)[x](javascript:alert(1))",
    "braces": "https://a.example/x]{onclick=alert(1)}",
}


def text(value: str) -> dict[str, Any]:
    return {"t": "MetaString", "c": value}


def entry(**fields: str) -> dict[str, Any]:
    return {"t": "MetaMap", "c": {key: text(value) for key, value in fields.items()}}


def document(meta: dict[str, Any], *more: Any) -> dict[str, Any]:
    words = [{"t": "Str", "c": "Fact"}, {"t": "Space"}, {"t": "Str", "c": "[1][2]."}]
    return {
        "pandoc-api-version": [1, 23, 1],
        "meta": meta,
        "blocks": [{"t": "Para", "c": words}, *more],
    }


def sources(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"t": "MetaList", "c": list(entries)}


def block(yaml: str) -> dict[str, Any]:
    return {"t": "CodeBlock", "c": [["", ["sources"], []], yaml]}


TWO = entry(title="Two", url="https://2.example/")


def in_title(value: str) -> dict[str, Any]:
    return document({"sources": sources(entry(title=value, url=URL), TWO)})


def in_another_key(value: str) -> dict[str, Any]:
    return document({"sources": sources(entry(title="One", url=URL, snippet=value), TWO)})


def in_block(value: str) -> dict[str, Any]:
    return document({}, block(f"- title: {json.dumps(value)}\n  url: {URL}\n- url: {URL}2"))


def as_block(value: str) -> dict[str, Any]:
    return document({}, block(value))


def in_list_title(value: str) -> dict[str, Any]:
    held = {"sources": sources(entry(title="One", url=URL), TWO)}
    return document({**held, "cite-filter": {"t": "MetaMap", "c": {"title": text(value)}}})


def in_options(value: str) -> dict[str, Any]:
    names = ("heading", "list", "marker", "target", "space", "host", "strict", value)
    held = {"sources": sources(entry(title="One", url=URL), TWO)}
    choices = {"t": "MetaMap", "c": {name: text(value) for name in names}}
    return document({**held, "cite-filter": choices})


def in_language(value: str) -> dict[str, Any]:
    held = {"sources": sources(entry(title="One", url=URL), TWO), "lang": text(value)}
    return document(held)


def at_list(value: str) -> dict[str, Any]:
    """The numbers lead to the list: identifiers are made of the turn and the number."""
    held = {"sources": sources(entry(title=value, url=URL), TWO)}
    return document({**held, "cite-filter": {"t": "MetaMap", "c": {"target": text("list")}}})


PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    function.__name__: function
    for function in (
        *(in_title, in_another_key, in_block, as_block, in_list_title, in_options, at_list),
        in_language,
    )
}


def written(writer: str, *made: dict[str, Any]) -> bytes:
    """What Pandoc writes of the linked documents, one behind the other in one.

    Standalone where the format is a whole file; without metadata, which is Pandoc's business.
    """
    blocks = [block for each in made for block in link(each, writer).document["blocks"]]
    data = json.dumps({"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}).encode()
    whole = ["--standalone"] if writer in ("docx", "epub") else []
    return pandoc.run(["-f", "json", "-t", writer, *whole, "-o", "-"], data).data


# --- What is in a document ---------------------------------------------------------------------


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        for name, value in attrs:
            self.found.add(f"{tag}@{name}")
            if name in ("href", "src", "action", "style"):
                self.found.add(f"{tag}@{name}={value}")

    def handle_comment(self, data: str) -> None:
        self.found.add("comment")

    def handle_decl(self, decl: str) -> None:
        self.found.add("declaration")

    def handle_pi(self, data: str) -> None:
        self.found.add("instruction")


def html_parts(data: bytes) -> set[str]:
    tags = _Tags()
    tags.feed(data.decode())
    tags.close()
    return tags.found


# What LaTeX needs to show a character, and a line that begins with a bracket.
_TEX_SHOWN = {
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
    *("textquotesingle", "textquotedbl", "ldots", "textasciigrave", "textquotedblleft"),
    *("{", "}", "^", "%", "$", "#", "_", "&", " ", "\n", "/", "-", "slash", "par", "relax"),
}


def latex_parts(data: bytes) -> set[str]:
    """Commands, bare specials and the targets of links."""
    source = re.sub(r"(?s)\\begin\{(verbatim|Highlighting)\}.*?\\end\{\1\}", "", data.decode())
    targets = set(re.findall(r"\\href\{((?:[^{}\\]|\\.)*)\}", source))
    commands = set(re.findall(r"\\([A-Za-z]+|[^A-Za-z])", source)) - _TEX_SHOWN
    text = re.sub(r"\\href\{((?:[^{}\\]|\\.)*)\}", "", source)
    bare = re.sub(r"\\([A-Za-z]+|[^A-Za-z])", "", text)
    return {
        *(f"\\{name}" for name in commands),
        *(sign for sign in "%$&#^~_" if sign in bare),
        *targets,
        f"braces {bare.count('{') - bare.count('}')}",
    }


def typst_parts(data: bytes) -> set[str]:
    """Functions called in markup, the targets of links; text is escaped or quoted."""
    source = data.decode()
    source = re.sub(r"(?s)(`{3,}).*?\n\1(?!`)", "", source)  # code is no markup
    strings = set(re.findall(r'#link\("((?:[^"\\]|\\.)*)"\)', source))
    code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', source)
    bare = re.sub(r"\\.", "", code)
    return {
        *(f"#{name}" for name in re.findall(r"#([\w.-]*)", bare)),
        *(sign for sign in "$@`*_" if sign in bare),
        *(f"label {name}" for name in re.findall(r"<([\w:.-]+)>", bare)),
        *strings,
    }


def _xml_parts(data: bytes, name: str) -> Iterator[str]:
    assert b"<!DOCTYPE x" not in data
    assert b"<!ENTITY" not in data
    for element in ElementTree.fromstring(data).iter():  # noqa: S314 - it has no entities
        yield f"{name} {element.tag}"
        for key, value in element.attrib.items():
            yield f"{name} {element.tag}@{key}"
            if key.rpartition("}")[2] in ("href", "src", "Target", "instr", "TargetMode"):
                yield f"{name} {key}={value}"
        if element.tag.endswith("}instrText"):
            yield f"{name} field {element.text}"


def archive_parts(data: bytes) -> set[str]:
    """Files, elements, attributes, targets and fields."""
    found: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            found.add(name)
            if name.endswith((".xml", ".rels", ".xhtml", ".opf", ".ncx")):
                found.update(_xml_parts(archive.read(name), name))
    return {part for part in found if "identifier" not in part}


def markdown_parts(data: bytes) -> set[str]:
    """What a reader of Markdown makes of it: the filter writes some of it by itself."""
    return html_parts(pandoc.run(["-f", "gfm", "-t", "html"], data).data)


PARTS: dict[str, Callable[[bytes], set[str]]] = {
    "gfm": markdown_parts,
    "commonmark_x": markdown_parts,
    "html": html_parts,
    "latex": latex_parts,
    "typst": typst_parts,
    "docx": archive_parts,
    "epub": archive_parts,
}


HARMLESS = ("Some harmless words", "Two\nlines", "2", "", "{}", "true")


@pytest.mark.parametrize("writer", PARTS)
@pytest.mark.parametrize("place", PLACES)
def test_no_text_becomes_a_part_of_the_document(place: str, writer: str) -> None:
    parts_of, put = PARTS[writer], PLACES[place]
    allowed = parts_of(written(writer, *map(put, HARMLESS)))
    attacks = dict(ATTACKS)
    if place == "as_block":
        del attacks["controls"]  # a code block that is no list stays as it is, for Pandoc to write
    if parts_of(written(writer, *map(put, attacks.values()))) <= allowed:
        return
    for name, attack in attacks.items():  # which of them was it?
        found = parts_of(written(writer, put(attack)))
        assert found <= allowed, (name, found - allowed)
    raise AssertionError("only all of them together")


def _targets(parts: set[str], writer: str) -> set[str]:
    """What the links among `parts` lead to; each part that is no target, as it is."""
    if writer in ("latex", "typst"):
        unescaped = {re.sub(r"\\([{}%#&_$^~\"\\])", r"\1", part) for part in parts}
    else:
        unescaped = {re.sub(r"^(a@|[\w/.]+ )(href|Target)=", "", part) for part in parts}
    return {unquote(part) for part in unescaped}


@pytest.mark.parametrize("writer", PARTS)
@pytest.mark.parametrize("name", HOSTILE_URLS)
def test_no_address_leads_elsewhere(name: str, writer: str) -> None:
    """A hostile address is no link at all, or the link to exactly this web address."""
    url = HOSTILE_URLS[name]
    made = document({"sources": sources(entry(title="One", url=url), TWO)})
    is_linked = 1 in link(json.loads(json.dumps(made)), writer).cited[1]
    assert is_linked == (name in LINKED)
    plain = document({"sources": sources(entry(title="One", url=URL), TWO)})
    unlinked = document({"sources": sources(entry(title="One", url="x:"), TWO)})
    parts = PARTS[writer](written(writer, plain)) | PARTS[writer](written(writer, unlinked))
    found = PARTS[writer](written(writer, made))
    assert _targets(found - parts, writer) <= ({unquote(url)} if is_linked else set())


def test_an_attack_would_be_seen() -> None:
    """The parts do tell: raw parts of each format are found."""
    for writer, raw in {
        "html": "<script>x</script>",
        "latex": "\\input{x}",
        "typst": '#read("x")',
    }.items():
        made = document({}, {"t": "RawBlock", "c": [writer, raw]})
        data = pandoc.run(["-f", "json", "-t", writer], json.dumps(made).encode()).data
        assert PARTS[writer](data) - PARTS[writer](written(writer, document({})))
