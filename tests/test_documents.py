"""The documents that `cite build` writes, read back: every link, every citation, every list.

What a document must hold is written down here, or read from its YAML with PyYAML; nothing that is
compared with comes from the product. `Reading` is what a document was found to hold.
"""

# ruff: noqa: E501 - the transcripts in here have long lines

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import docx
import pypdf
import pytest
import yaml
from cite_filter import cli, pandoc
from conftest import Builder
from markdown_it import MarkdownIt

FILTER = Path(sys.executable).with_name("cite-filter")
EXAMPLES = Path(__file__).parents[1] / "examples"
SAMPLES = os.environ.get("CITE_FILTER_SAMPLES")

Citation = tuple[str, str]
"""The number that is drawn and the URL it leads to."""


# --- What the documents must hold --------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """One turn: its sources by number, its raised markers in order, the numbers it lists."""

    sources: Mapping[str, str]
    titles: Mapping[str, str]
    cited: Sequence[str]
    listed: Sequence[str]
    unlinked: Sequence[str] = ()
    """Listed numbers whose URL may not be linked."""
    right_to_left: bool = False


@dataclass(frozen=True)
class Document:
    name: str
    text: str
    turns: Sequence[Turn]
    links: frozenset[str]
    """Links of the text itself."""
    front: frozenset[str] = frozenset()
    """Links of the metadata, which stand in the body of no Markdown."""
    front_texts: Sequence[str] = ()
    """What of the metadata is to be read in it; not in plain text, which has the body alone."""
    texts: Sequence[str] = ()
    """What is to be read in it: questions, single sentences."""
    headings: Sequence[str] = ()

    @property
    def citations(self) -> list[Citation]:
        return [(number, turn.sources[number]) for turn in self.turns for number in turn.cited]

    @property
    def targets(self) -> set[str]:
        listed = {
            turn.sources[number]
            for turn in self.turns
            for number in turn.listed
            if number not in turn.unlinked
        }
        return listed | self.links | self.front

    @property
    def entries(self) -> list[tuple[str, str, str | None]]:
        """Number, title and URL of every entry of every list; no URL where it may not be linked."""
        return [
            (
                number,
                turn.titles[number],
                None if number in turn.unlinked else turn.sources[number],
            )
            for turn in self.turns
            for number in turn.listed
        ]


def _turn(
    found: list[dict[str, Any]],
    cited: str,
    listed: str,
    unlinked: str = "",
    right_to_left: bool = False,
) -> Turn:
    """`cited`: the numbers as they are raised, a `|` between markers."""
    return Turn(
        sources={str(source["index"]): source["url"] for source in found},
        titles={str(source["index"]): source["title"] for source in found},
        cited=cited.replace("|", " ").split(),
        listed=listed.split(),
        unlinked=unlinked.split(),
        right_to_left=right_to_left,
    )


def _blocks(text: str) -> list[list[dict[str, Any]]]:
    return [
        yaml.safe_load(block) for block in re.findall(r"^```sources\n(.*?)^```$", text, re.M | re.S)
    ]


def _answer() -> Document:
    text = (EXAMPLES / "answer.md").read_text(encoding="utf-8")
    sources = yaml.safe_load(text.split("\n---\n")[0])["sources"]
    raised = (
        "1 | 2 3 | 1 4 | 5 | 1 | 6 | 3 | 1 | 2 | 3 | 1 2 | 2 | 2 | 1 2 | 2 4 | 4 | 7 | 7 | 9 | 2 "
        "| 3 | 9 | 1 4 | 6 | 1 3"
    )
    return Document(
        name="answer",
        text=text,
        turns=[_turn(sources, raised, "1 2 3 4 5 6 7 8 9", unlinked="8")],
        links=frozenset(),
        front_texts=[
            "Heat pumps for an apartment building of 1974",
            "Options, costs and an order of steps",
            "Research agent, for the owners' association",
        ],
        texts=[
            "bought for 65,000 EUR [8]",
            "a building of this type [14]",
        ],
        headings=[
            "What the building needs",
            "Three variants and their costs",
            "Limits of the site",
            "In which order",
            "What remains uncertain",
        ],
    )


def _chat() -> Document:
    text = (EXAMPLES / "chat.md").read_text(encoding="utf-8")
    first, second, fourth, fifth = _blocks(text)
    return Document(
        name="chat",
        text=text,
        turns=[
            _turn(first, "1 | 2 | 1 | 1 3 | 3 | 2 3 | 4 | 2", "1 2 3 4"),
            _turn(second, "1 | 2 | 2 3 | 1 | 4 | 1 3 | 3 | 1 4", "1 2 3 4"),
            _turn(fourth, "1 | 1 2 | 2 | 3 | 3 4 | 4 | 1 | 2 | 3 | 3 4 | 4 | 4 | 2", "1 2 3 4"),
            _turn(fifth, "3 | 1 | 2 | 2 4 | 4 | 1 | 3 4 | 4 | 3 4", "1 2 3 4"),
        ],
        links=frozenset(
            {
                "https://example.com/compare/thresholds?from=jp&to=eu",
                "https://example.org/forms/crest-survey?step=50m",
            }
        ),
        front_texts=[
            "When the sea comes over the railway",
            "A conversation with a research agent, in five turns",
        ],
        texts=[
            "A single-track line of ours runs for 1.8 km behind a vertical sea wall.",
            "Meine Kollegin liest ab jetzt mit, bitte auf Deutsch",
            "Source [2] of your first answer has the formula we want.",
            "Gibt es etwas Besseres, als Züge anzuhalten?",
            "auf zwei Millimeter genau erfassen [12]",
            "the formula of the manual [1] no longer applies",
            '[(10, "CLOSE"), (1, "30 km/h"), (0.1, "staff off the sea side")]',
            "In Japan hat die Sache einen eigenen Namen, 越波 (eppa",
        ],
    )


_LONG = ("https://ten.example/" + "a-long_path.with~parts/" * 25)[:500]

# No sentence of it is safe. `@HERE@` is a server that must never be asked for anything.
_HOSTILE = r"""---
title: 'Nasty "title" <b>bold</b> *star* | # \textbf{x} #let x = 1'
subtitle: '<script>window.ran = 1</script>'
author: ['A <b>uthor</b>', 'Second "Author"']
date: 2026-01-02
lang: en
abstract: |
  An abstract, <img src="@HERE@/abstract.png"> ![a](@HERE@/abstract2.png), [js](javascript:window.ran=2).
header-includes: '<script src="@HERE@/header.js"></script>'
include-before: '<script>window.ran = 3</script>'
css: '@HERE@/style.css'
bibliography: /etc/passwd
csl: '@HERE@/style.csl'
cover-image: /etc/passwd
epub-cover-image: /etc/passwd
reference-doc: /etc/passwd
template: /etc/passwd
mainfont: 'x]; #read("/etc/passwd")'
papersize: '#panic()'
---

::: {.turn #doubled onclick="window.ran = 4" style="background:url(@HERE@/div.png)" typst:fill="red" typst:text:fill="panic()"}
::: {.prompt onmouseover=window.ran=5}
Question <script>window.ran = 6</script> with [1] and a heading

## Of the prompt
:::

# First "heading" #let x = 1

Quotes [1], markup [2]; both [1, 2] [3]. Right to left [4], far east [^5]. Unsafe [6], unknown [99].
Hostile [7][8][9], long [10], IDN [11], more [12].

<script>window.ran = 7; fetch("@HERE@/fetch")</script>

<img src=@HERE@/raw.png onerror="window.ran = 8">

Inline <script src="@HERE@/inline.js"></script>, <img src=@HERE@/i.png>,
<iframe src="@HERE@/frame"></iframe> <svg onload="window.ran=9"> <a href="javascript:window.ran=10">raw</a>.

[x](javascript:window.ran=11) [y](data:text/html,<script>1</script>) [z](file:///etc/passwd) [v](vbscript:x)

![a](file:///etc/passwd) ![b](@HERE@/image.png "t") ![c](//127.0.0.1/relative.png) ![d](../../etc/passwd)

[span]{onclick="window.ran = 12" .c style="position:fixed"} [typst]{typst:text:fill="panic()"} [lang]{lang="x\" onclick=\"1"}

[dangling](#nowhere) [good](#second) [double](#doubled) [text link](https://text.example/a--b?c=d&e='f'%22g#h) [relative](other.html) [mail](mailto:a@example.org)

## Second

::: {#doubled .c}
### Third
:::

```{=typst}
#panic("typst")
```

```{=latex}
\input{/etc/passwd}
```

```{=openxml}
<w:p><w:r><w:t>RAW-OPENXML</w:t></w:r></w:p>
```

```{=html}
<script>window.ran = 13</script>
```

`#panic()`{=typst} `\input{/etc/passwd}`{=latex} `<w:r/>`{=openxml} `<script>window.ran=14</script>`{=html}

| a | b [1] |
|---|---|
| `[1]` \| [2] | <script>window.ran=15</script> [3] |
| Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongwordthatcannotbreak | https://bare.example/averyveryveryveryveryveryveryveryverylong/path/without/spaces?and=query |

~~~ {.python onclick="window.ran = 16" typst:fill="red"}
print("a very long line of code that goes on and on and on and on and on and on and on and on")
~~~

$\href{javascript:window.ran=17}{x}$, $\includegraphics{/etc/passwd}$, $$\text{<script>window.ran=18</script>}$$

```sources
- {index: 1, title: 'Quotes " and '' and `back` “curly”', url: 'https://one.example/a"b''c`d'}
- {index: 2, title: '<b>bold</b> *star* $x$ | # \textbf{x} _u_ ~s~ ^t^ [l](https://x.example/) @ref #let x = 1', url: 'https://two.example/{x}|y^z%20%zz?q=[1]&amp;lt=&lt;'}
- {index: 3, title: '</a></span><script>window.ran = 19</script><img src=@HERE@/title.png>', url: 'https://three.example/(a)(b'}
- {index: 4, title: 'תוצאות 2025 [1] العربية', url: 'https://four.example/עברית'}
- {index: 5, title: '東京の駅、中文', url: 'https://five.example/東京?q=駅'}
- {index: 6, title: 'Unsafe <i>one</i>', url: 'javascript:window.ran=20'}
- {index: 7, title: 'Ends in a backslash \', url: 'https://seven.example/$x$#_a_*b*~c~'}
- {index: 8, title: '# Eight', url: 'https://eight.example/a,b;c=d@e!f:g+h'}
- {index: 9, title: 'Nine', url: 'HTTPS://Nine.Example:8443/A%2Fb/../c'}
- {index: 10, title: 'Long', url: '@LONG@'}
- {index: 11, title: 'Eleven', url: 'https://bücher.example/ü'}
- {index: 12, title: 'Twelve', url: 'https://twelve.example/#a#b##'}
```

*Tools: <script>window.ran = 21</script>*
:::

::: {.turn lang=ar}
::: {.prompt}
سؤال [1]
:::

نص عربي [1] ثم `code` نص [2].

```sources
- {index: 1, title: 'مصدر', url: 'https://rtl.example/مصدر'}
- {index: 2, title: 'English in an Arabic list', url: 'https://rtl.example/2'}
```
:::
"""


def hostile(here: str = "http://127.0.0.1:9") -> Document:
    """The worst transcript we can think of; it asks for things from the server `here`."""
    text = _HOSTILE.replace("@HERE@", here).replace("@LONG@", _LONG)
    first, second = _blocks(text)
    raised = "1 | 2 | 1 2 3 | 4 | 5 | 7 8 9 | 10 | 11 | 12 | 1 | 2 | 3"
    return Document(
        name="hostile",
        text=text,
        turns=[
            _turn(first, raised, "1 2 3 4 5 6 7 8 9 10 11 12", unlinked="6"),
            _turn(second, "1 | 2", "1 2", right_to_left=True),
        ],
        links=frozenset(
            {
                f"{here}/image.png",
                "https://text.example/a--b?c=d&e='f'%22g#h",
                "https://bare.example/averyveryveryveryveryveryveryveryverylong/path/without/spaces?and=query",
                "mailto:a@example.org",
            }
        ),
        front=frozenset({f"{here}/abstract2.png"}),
        texts=[
            "Question <script>window.ran = 6</script> with [1] and a heading",
            '<img src=@HERE@/raw.png onerror="window.ran = 8">'.replace("@HERE@", here),
            "x (javascript:window.ran=11) y (data:text/html,<script>1</script>) z (file:///etc/passwd)",
            "c (//127.0.0.1/relative.png) d (../../etc/passwd)",
            "dangling good double text link relative (other.html) mail",
            '#panic("typst")',
            r"\input{/etc/passwd}",
            "<w:p><w:r><w:t>RAW-OPENXML</w:t></w:r></w:p>",
            "Unsafe [6], unknown [99].",
            "Tools: <script>window.ran = 21</script>",
        ],
        headings=["Of the prompt", 'First "heading" #let x = 1', "Second", "Third"],
    )


DOCUMENTS = {document.name: document for document in (_answer(), _chat(), hostile())}
LINKED = ("html", "docx", "pdf", "epub", "md")
"""Formats with links."""


# --- Reading documents back --------------------------------------------------------------------


@dataclass
class Reading:
    """What a document was found to hold."""

    links: set[str] = field(default_factory=set)
    """Targets outside the document."""
    shown: set[str] = field(default_factory=set)
    """Links whose text is their very target: a reader of gfm makes one of any bare URL it sees."""
    inner: set[str] = field(default_factory=set)
    """Identifiers that links of the document lead to."""
    identifiers: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    text: str = ""


class Page(HTMLParser):
    """A page of HTML: links, raised links, text, and all tags with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.reading = Reading()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.pieces: list[str] = []
        self.stack: list[str] = []
        self.href: str | None = None
        self.label = ""
        self.feed(text)
        self.close()
        self.reading.text = "".join(self.pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.reading.identifiers.append(attributes["id"])
        if tag in ("area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"):
            return
        self.stack.append(tag)
        if tag == "a" and "href" in attributes:
            self.href, self.label = attributes["href"], ""
            if self.href.startswith("#"):
                self.reading.inner.add(self.href[1:])
            else:
                self.reading.links.add(self.href)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.stack:
            return
        while self.stack.pop() != tag:
            pass
        if tag == "a" and self.href is not None:
            if self.label == self.href:
                self.reading.shown.add(self.href)
            if "sup" in self.stack:
                self.reading.citations.append((self.label, self.href))
            self.href = None

    def handle_data(self, data: str) -> None:
        if self.href is not None:
            self.label += data
        if not {"style", "script", "title", "annotation"} & set(self.stack):
            self.pieces.append(data)


def read_html(path: Path) -> Reading:
    return Page(path.read_text(encoding="utf-8")).reading


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_P = "{http://schemas.openxmlformats.org/package/2006/relationships}"


def relationships(path: Path, part: str) -> dict[str, tuple[str, str]]:
    """Of a part of a DOCX: the kind and the target of each relationship that leads outside."""
    with zipfile.ZipFile(path) as archive:
        found = ET.fromstring(archive.read(part))  # noqa: S314
    return {
        relation.attrib["Id"]: (
            relation.attrib["Type"].rpartition("/")[2],
            relation.attrib["Target"],
        )
        for relation in found.iter(f"{_P}Relationship")
        if relation.get("TargetMode") == "External"
    }


def read_docx(path: Path) -> Reading:
    with zipfile.ZipFile(path) as archive:
        body = ET.fromstring(archive.read("word/document.xml"))  # noqa: S314
    outside = relationships(path, "word/_rels/document.xml.rels")
    reading = Reading(links={target for _, target in outside.values()})
    reading.identifiers = [mark.attrib[f"{_W}name"] for mark in body.iter(f"{_W}bookmarkStart")]
    used = set()
    for link in body.iter(f"{_W}hyperlink"):
        if f"{_R}id" not in link.attrib:
            reading.inner.add(link.attrib[f"{_W}anchor"])
            continue
        used.add(link.attrib[f"{_R}id"])
        raised = [
            position.get(f"{_W}val") == "superscript" for position in link.iter(f"{_W}vertAlign")
        ]
        if raised and all(raised):
            label = "".join(text.text or "" for text in link.iter(f"{_W}t"))
            reading.citations.append((label, outside[link.attrib[f"{_R}id"]][1]))
    assert used == set(outside)  # no link that nothing shows
    reading.text = "\n".join(_word_text(paragraph) for paragraph in body.iter(f"{_W}p"))
    return reading


def _word_text(element: ET.Element) -> str:
    drawn = {f"{_W}tab": "\t", f"{_W}br": "\n"}
    return "".join(
        drawn.get(node.tag, "") or (node.text or "" if node.tag == f"{_W}t" else "")
        for node in element.iter()
    )


def read_pdf(path: Path) -> Reading:
    reading, pages = Reading(), []
    for page in pypdf.PdfReader(path).pages:
        pages.append(page.extract_text())
        for annotation in page.get("/Annots", []):
            link = annotation.get_object()
            if "/A" not in link:
                assert "/Dest" in link
                continue
            action = link["/A"].get_object()
            assert action["/S"] in ("/URI", "/GoTo")
            if action["/S"] == "/URI":
                _take_annotation(link["/Rect"], uri(action["/URI"]), reading)
    reading.text = "\n".join(pages)
    return reading


def uri(written: Any) -> str:
    """A URI of a PDF. typst writes the URL's UTF-8, byte for byte: it percent-encodes nothing."""
    written_bytes: bytes = written.original_bytes
    return written_bytes.decode("utf-8")


def _take_annotation(rectangle: Sequence[Any], target: str, reading: Reading) -> None:
    """Notes a link; as a citation where it is as low as raised digits are (text: 9 points on)."""
    left, bottom, right, top = (float(number) for number in rectangle)
    reading.links.add(target)
    if 0 < top - bottom < 6 and right > left:
        reading.citations.append(("", target))


def read_epub(path: Path) -> Reading:
    reading = Reading()
    for text in chapters(path):
        page = Page(text).reading
        reading.links |= {
            link for link in page.links if not link.partition("#")[0].endswith(".xhtml")
        }
        reading.citations += page.citations
        reading.text += page.text
    return reading


def chapters(path: Path) -> list[str]:
    """The XHTML of an EPUB, in reading order, without its contents list; each well-formed."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("EPUB/text/")]
        first = sorted(names, key=lambda name: ("title_page" not in name, name))
        texts = [archive.read(name).decode("utf-8") for name in first]
    for text in texts:
        ET.fromstring(text)  # noqa: S314
    return texts


def read_md(path: Path) -> Reading:
    """As Pandoc's gfm reads it, metadata included."""
    html = pandoc.run(["-f", "gfm", "-t", "html", "--wrap=none"], path.read_bytes()).data.decode()
    reading = Page(html).reading
    document = json.loads(pandoc.run(["-f", "gfm", "-t", "json"], path.read_bytes()).data)
    for node in _nodes(document["meta"]):
        if node["t"] == "Link":
            _, label, (target, _) = node["c"]
            reading.links.add(target)
            if label == [{"t": "Str", "c": target}]:
                reading.shown.add(target)
    return reading


def read_md_by_another(path: Path) -> Reading:
    """As a second reader of CommonMark with GitHub's tables reads the body, URLs verbatim."""
    text = path.read_text(encoding="utf-8")
    body = text.split("\n---\n", 1)[1] if text.startswith("---\n") else text
    parser = MarkdownIt("commonmark").enable("table")
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return Page(parser.render(body)).reading


_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def read_txt(path: Path) -> Reading:
    text = path.read_text(encoding="utf-8")
    numbers = re.findall(r"(?<! m)[⁰¹²³⁴-⁹]+", text)  # m² is a unit
    citations = [(number.translate(_RAISED), "") for number in numbers]
    return Reading(citations=citations, text=text)


READERS = {
    "html": read_html,
    "docx": read_docx,
    "pdf": read_pdf,
    "epub": read_epub,
    "md": read_md,
    "txt": read_txt,
}


@cache
def read_back(path: Path) -> Reading:
    return READERS[path.suffix[1:]](path)


def squeezed(text: str) -> str:
    """`text` without what layout adds or takes: spaces, hyphens, invisible signs of direction."""
    return re.sub("[\\s\u00ad\u2010\u2060\u2066-\u2069-]", "", text)


# --- The tests ---------------------------------------------------------------------------------


def _cases(formats: Sequence[str]) -> list[Any]:
    return [
        pytest.param(document, ending, id=f"{name}.{ending}")
        for name, document in DOCUMENTS.items()
        for ending in formats
    ]


def built(build_once: Builder, document: Document, ending: str) -> Path:
    return build_once(document.name, document.text, ending)


@pytest.mark.parametrize(("document", "ending"), _cases(LINKED))
def test_the_links_are_those_of_the_sources_and_the_text(
    document: Document, ending: str, build_once: Builder
) -> None:
    """The same set for every format, byte for byte: so all formats have the same links."""
    reading = read_back(built(build_once, document, ending))
    bare = reading.shown if ending == "md" else set()
    assert reading.links - (bare - document.targets) == document.targets


@pytest.mark.parametrize(("document", "ending"), _cases(LINKED))
def test_every_citation_is_raised_and_leads_to_its_source(
    document: Document, ending: str, build_once: Builder
) -> None:
    found = read_back(built(build_once, document, ending)).citations
    if ending == "pdf":  # an annotation has no label
        assert [url for _, url in found] == [url for _, url in document.citations]
    else:
        assert found == document.citations


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_another_reader_sees_the_same_markdown(document: Document, build_once: Builder) -> None:
    reading = read_md_by_another(built(build_once, document, "md"))
    bare = {link for link in document.links if link.startswith("mailto:")}
    assert reading.links - bare == document.targets - document.front - bare
    assert reading.citations == document.citations


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_plain_text_has_the_markers(document: Document, build_once: Builder) -> None:
    numbers = [number for number, _ in read_back(built(build_once, document, "txt")).citations]
    assert numbers == [number for number, _ in document.citations]


@pytest.mark.parametrize(("document", "ending"), _cases([*LINKED, "txt"]))
def test_title_questions_and_what_stays_as_written_can_be_read(
    document: Document, ending: str, build_once: Builder
) -> None:
    path = built(build_once, document, ending)
    text = squeezed(read_back(path).text)
    front = path.read_text(encoding="utf-8") if ending == "md" else ""
    for wanted in document.texts:
        assert squeezed(wanted) in text
    for wanted in document.front_texts if ending != "txt" else ():
        assert squeezed(wanted) in text or wanted in front
    for heading in document.headings:
        assert squeezed(heading) in text


@pytest.mark.parametrize(("document", "ending"), _cases([*LINKED, "txt"]))
def test_the_lists_have_number_and_title_as_text(
    document: Document, ending: str, build_once: Builder
) -> None:
    text = squeezed(read_back(built(build_once, document, ending)).text)
    position = 0
    entries = document.entries
    if ending == "pdf":  # what is extracted of a text from right to left has another order
        left_to_right = [turn for turn in document.turns if not turn.right_to_left]
        entries = replace(document, turns=left_to_right).entries
    for number, title, _ in entries:
        if ending == "pdf" and re.search("[\u0590-\u06ff]", title):
            continue
        wanted = squeezed(f"[{number}]{title}")
        position = text.find(wanted, position)
        assert position >= 0, f"{wanted} is not there, or not after the entry before it"
        position += len(wanted)


@pytest.mark.parametrize(("document", "ending"), _cases([*LINKED, "txt"]))
def test_no_file_of_this_machine_is_read(
    document: Document, ending: str, build_once: Builder
) -> None:
    secret = Path("/etc/passwd").read_text(encoding="utf-8").partition("\n")[0]
    path = built(build_once, document, ending)
    if not zipfile.is_zipfile(path):
        assert secret not in read_back(path).text
        return
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            assert secret.encode() not in archive.read(name)


# --- HTML --------------------------------------------------------------------------------------

_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "div", "span", "p"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "hr"),
    *("a", "sup", "sub", "em", "strong", "u", "del", "code", "pre", "br", "label", "input"),
    *("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"),
    *("math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle"),
    *("msup", "msub", "msubsup", "mfrac", "msqrt", "mover", "munder"),
}
_ATTRIBUTES = {
    *("id", "class", "href", "title", "lang", "dir", "role", "tabindex", "name", "content"),
    *("charset", "http-equiv", "type", "checked", "start", "colspan", "rowspan", "style"),
    *("aria-label", "aria-labelledby", "aria-hidden", "data-url", "encoding", "xmlns"),
    *("display", "mathvariant", "stretchy", "form", "minsize", "maxsize", "width", "separator"),
    *("accent", "displaystyle", "scriptlevel", "xml:lang", "epub:type", "xmlns:epub"),
}
_STYLE = re.compile(r"(text-align: (left|center|right);?|width: [0-9.]+%;?)")


def check_tags(page: Page) -> None:
    """Only tags and attributes that neither run nor load anything."""
    assert {tag for tag, _ in page.tags} <= _TAGS
    assert {name for _, attributes in page.tags for name in attributes} <= _ATTRIBUTES
    for _, attributes in page.tags:
        assert _STYLE.fullmatch(attributes.get("style", "width: 1%"))


def check_css(css: str) -> None:
    assert not re.search(r"url\(|@import|src:|expression|javascript", css, re.I)


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_html_is_one_file_that_neither_runs_nor_loads(
    document: Document, build_once: Builder
) -> None:
    text = built(build_once, document, "html").read_text(encoding="utf-8")
    page = Page(text)
    check_tags(page)
    check_css("".join(re.findall(r"<style>(.*?)</style>", text, re.S)))
    policy = [
        attributes["content"]
        for tag, attributes in page.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(policy) == 1
    assert policy[0].startswith("default-src 'none';")


@pytest.mark.parametrize(("document", "ending"), _cases(["html", "docx"]))
def test_inner_links_lead_somewhere(document: Document, ending: str, build_once: Builder) -> None:
    reading = read_back(built(build_once, document, ending))
    assert reading.inner <= set(reading.identifiers)
    if document.name == "hostile":
        assert {"second", "doubled"} <= reading.inner
    if ending == "html":
        assert len(reading.identifiers) == len(set(reading.identifiers))


def list_entries(html: str) -> list[tuple[str, str, str | None]]:
    """The entries of the lists of sources of a page: number, title, URL."""
    found: list[tuple[str, str, str | None]] = []
    for division in re.findall(r'<div class="sources-list".*?</div>', html, re.S):
        for item in re.findall(r"<li>(.*?)</li>", division, re.S):
            page = Page(item).reading
            number, _, title = " ".join(page.text.split()).partition(" ")
            assert len(page.links) <= 1
            found.append((number.strip("[]"), title, next(iter(page.links), None)))
    return found


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_entries_of_the_html_lists(document: Document, build_once: Builder) -> None:
    html = built(build_once, document, "html").read_text(encoding="utf-8")
    assert list_entries(html) == document.entries


def test_a_run_of_markers_is_one_superscript(build_once: Builder) -> None:
    html = built(build_once, DOCUMENTS["answer"], "html").read_text(encoding="utf-8")
    runs = [
        " ".join(Page(run).reading.text.split()) for run in re.findall("<sup>.*?</sup>", html, re.S)
    ]
    assert runs[:7] == ["1", "2 3", "1 4", "5", "1", "6", "3"]


def test_building_again_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = str(EXAMPLES / "answer.md")
    for ending in ("html", "epub", "docx"):
        made = set()
        for attempt in range(4):
            target = tmp_path / f"{attempt}.{ending}"
            assert cli.main(["build", source, "-o", str(target)]) == 0
            made.add(target.read_bytes())
        assert len(made) == 1, ending


# --- DOCX, PDF, EPUB, Markdown -----------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_docx_opens_and_leads_outside_by_links_alone(
    document: Document, build_once: Builder
) -> None:
    path = built(build_once, document, "docx")
    opened = docx.Document(str(path))
    shown = [
        paragraph.text
        for paragraph in opened.paragraphs
        if paragraph.style is not None and paragraph.style.name == "Sources"
    ]
    wanted = [
        f"[{number}]\t{title}" + (f"\n{url}" if url else "")
        for number, title, url in document.entries
    ]
    assert shown == wanted
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if name.endswith(".rels")]
    kinds = {kind for part in parts for kind, _ in relationships(path, part).values()}
    assert kinds == {"hyperlink"}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_pdf_has_bookmarks_title_and_no_actions(document: Document, build_once: Builder) -> None:
    opened = pypdf.PdfReader(built(build_once, document, "pdf"))
    assert list(_titles(opened.outline)) == list(document.headings)
    front = yaml.safe_load(document.text.split("\n---\n")[0])
    expected = front["title"].replace("<b>", "").replace("</b>", "").replace("*", "")
    assert opened.metadata is not None
    assert opened.metadata.title == expected
    assert not {"/OpenAction", "/AA", "/AcroForm"} & set(opened.root_object)
    names = opened.root_object.get("/Names", {})
    assert not {"/JavaScript", "/EmbeddedFiles"} & set(names)


def _titles(outline: Sequence[Any]) -> Iterator[str]:
    for item in outline:
        if isinstance(item, list):
            yield from _titles(item)
        else:
            yield item.title


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_epub_neither_runs_nor_loads(document: Document, build_once: Builder) -> None:
    path = built(build_once, document, "epub")
    for chapter in chapters(path):
        page = Page(chapter)
        page.tags = [
            (tag, attributes) for tag, attributes in page.tags if tag not in ("section", "link")
        ]
        check_tags(page)
    with zipfile.ZipFile(path) as archive:
        assert archive.infolist()[0].filename == "mimetype"
        for name in archive.namelist():
            if name.endswith(".css"):
                check_css(archive.read(name).decode())


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)
def test_markdown_holds_no_html_but_raised_numbers(document: Document, build_once: Builder) -> None:
    text = built(build_once, document, "md").read_text(encoding="utf-8")
    assert "<div" not in text
    body = json.loads(pandoc.run(["-f", "gfm", "-t", "json"], text.encode()).data)["blocks"]
    raw = {node["c"][1] for node in _nodes(body) if node["t"] in ("RawInline", "RawBlock")}
    assert raw <= {"<sup>", "</sup>", "<sub>", "</sub>", '<span class="c">', "</span>"}


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict) and "t" in node:
        yield node
    if isinstance(node, (dict, list)):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from _nodes(inner)


def test_markdown_is_given_no_metadata(build_once: Builder) -> None:
    text = "A [1].\n\n```sources\n- {title: T, url: 'https://a.example/'}\n```\n"
    assert build_once("untitled", text, "md").read_text(encoding="utf-8").startswith("A<sup>")


# --- A title is text, whatever it holds --------------------------------------------------------

_MARKS = {
    "quotes": 'About "this"',
    "backslash": "Ends so \\",
    "pipe": "One | two",
    "heading": "= Not a heading",
    "item": "- not an item",
    "number": "1. not an item",
    "plus": "+ not an item",
    "term": "/ not: a term",
    "hash": "# Not a heading",
    "label": "See <label> and @label",
    "maths": "Costs $5 and $6",
    "comment": "A // B /* C */",
}
_URLS = {
    "quote": 'https://a.example/a"b',
    "parenthesis": "https://a.example/(a",
    "closing": "https://a.example/a)",
    "entity": "https://a.example/?a=1&lt;&copy;=2",
    "pipe": "https://a.example/a|b",
    "back-tick": "https://a.example/`a`",
    "stars": "https://a.example/*a*_b_~c~^d^",
    "braces": "https://a.example/{a}[b](c)",
    "percent": "https://a.example/%20%zz%2F%C3%BC",
    "dollar": "https://a.example/$a$#b$c#d",
    "apostrophe": "https://a.example/'a'",
    "letters": "https://bücher.example/駅/عربي",
}


def _small(title: str, url: str) -> str:
    """A marker in a paragraph and in a table, and the list."""
    source = yaml.safe_dump(
        [{"index": 1, "title": title, "url": url}], allow_unicode=True, width=9999
    )
    return f"# Heading\n\nFact [1].\n\n| a |\n|---|\n| b [1] |\n\n```sources\n{source}```\n"


def _small_cases() -> Iterator[Any]:
    for kind, values in (("title", _MARKS), ("url", _URLS)):
        for name, value in values.items():
            title, url = ("Title", value) if kind == "url" else (value, "https://a.example/")
            for ending in LINKED:
                yield pytest.param(
                    f"{kind}-{name}", title, url, ending, id=f"{kind}-{name}.{ending}"
                )


@pytest.mark.parametrize(("name", "title", "url", "ending"), list(_small_cases()))
def test_title_and_url_arrive_as_they_are(
    name: str, title: str, url: str, ending: str, build_once: Builder
) -> None:
    path = build_once(name, _small(title, url), ending)
    readings = [read_back(path)] + ([read_md_by_another(path)] if ending == "md" else [])
    for reading in readings:
        assert reading.links == {url}
        assert [target for _, target in reading.citations] == [url, url]
        line = re.sub("[\u2060\u2066-\u2069]", "", reading.text).replace("\t", " ")
        assert f"[1] {title}" in " ".join(line.split()) if ending != "pdf" else title in line
    if ending == "pdf":
        assert list(_titles(pypdf.PdfReader(path).outline)) == ["Heading"]


_PRICES = {
    "before": "It rose from $730 in 2008 to US$1,300 and then fell [1].",
    "brackets": "From ($5) [1] to ($6) it is.",
    "bold": "First **$5** [1], then **$6**.",
    "chinese": "支撑位于$3,313，构成阻力 [1] 另一区域$3,450。",
}


@pytest.mark.parametrize("name", _PRICES)
def test_prices_are_no_formula(name: str, build_once: Builder) -> None:
    text = _PRICES[name]
    block = "```sources\n- {title: T, url: 'https://a.example/'}\n```\n"
    html = build_once(f"prices-{name}", f"{text}\n\n{block}", "html").read_text("utf-8")
    page = Page(html)
    assert page.reading.citations == [("1", "https://a.example/")]
    assert text.replace(" [1]", "1").replace("*", "") in " ".join(page.reading.text.split())
    assert "math" not in html.partition("<main>")[2]


# --- The filter alone --------------------------------------------------------------------------


def by_filter(text: str) -> str:
    """The HTML of `pandoc --filter cite-filter` with the reader of `cite build`."""
    arguments = ["-f", pandoc.READER, "-t", "html", "--filter", str(FILTER), "--wrap=none"]
    return pandoc.run(arguments, text.encode()).data.decode()


def test_the_filter_alone_gives_the_same_citations_and_list(build_once: Builder) -> None:
    document = DOCUMENTS["answer"]
    html = by_filter(document.text)
    whole = built(build_once, document, "html").read_text(encoding="utf-8")
    assert Page(html).reading.citations == Page(whole).reading.citations == document.citations
    assert list_entries(whole) == document.entries
    # Pandoc reads metadata as Markdown: of `*real*` in a title, a filter sees no asterisks.
    entries = [(n, title.replace("*real*", "real"), url) for n, title, url in document.entries]
    assert list_entries(html) == entries


def test_definitions_mislead_the_filter_alone_and_not_the_tool(build_once: Builder) -> None:
    """`[1]: …` of the fourth turn holds for the whole file as Pandoc reads it; a filter is too late."""
    document = DOCUMENTS["chat"]
    first, fourth = document.turns[0], document.turns[2]
    sentence = r"closes the line three hours later(.*?)\. The discharge"
    alone = re.findall(sentence, by_filter(document.text), re.S)
    whole = built(build_once, document, "html").read_text(encoding="utf-8")
    tool = re.findall(sentence, whole.replace("\n", " "), re.S)
    assert Page(alone[0]).reading.links == {fourth.sources["1"]}
    assert Page(alone[0]).reading.citations == []  # an unchecked link of the reader's own
    assert Page(tool[0]).reading.citations == [("1", first.sources["1"])]
    assert read_back(built(build_once, document, "html")).citations == document.citations


# --- Real exports ------------------------------------------------------------------------------

# What was found by eye: the markers outside code that the lists serve, and the numbers no list has.
# (Mind maps, PromQL, [their], [2501.09554] are no markers; `[21]` stands three times in code that
# the report never closes.)
_REPORTS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "agents_dr_plato": (238, {}),
    "deerflow_inline_links": (0, {}),
    "drb_claude_004_zh_gold_mindmap": (37, {}),
    "drb_claude_019_zh_prometheus_code": (39, {}),
    "drb_claude_062_en_arxiv_ids_in_titles": (38, {}),
    "drb_claude_089_en_editorial_brackets": (29, {}),
    "gpt_researcher_gptr_0": (0, {}),
    "open_deep_research_sources_per_section": (0, {}),
}
_LIST_LINE = re.compile(r"\[([0-9]+)\]\s+(https?://\S+)(?:\s+-\s+(.*?))?\s*")


@dataclass(frozen=True)
class Report:
    name: str
    text: str
    sources: Mapping[str, str]


def reports() -> list[Report]:
    """The real exports, each with a `sources` block made of its own list, else of its own URLs."""
    if not SAMPLES:
        return []
    paths = sorted((Path(SAMPLES) / "deep_research_reports").glob("*.md"))
    return [_report(path) for path in paths if path.name != "PROVENANCE.md"]


def _report(path: Path) -> Report:
    body: list[str] = []
    listed: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        entry = _LIST_LINE.fullmatch(line)
        if entry:
            listed.append({"index": int(entry[1]), "title": entry[3] or "", "url": entry[2]})
        else:
            body.append(line)
    text = "\n".join(body)
    if not listed:
        urls = dict.fromkeys(re.findall(r"https?://[^\s)>\]]+", text))
        listed = [{"index": n, "title": "", "url": url} for n, url in enumerate(urls, 1)]
    block = yaml.safe_dump(listed, allow_unicode=True, width=9999)
    sources = {str(source["index"]): str(source["url"]) for source in listed}
    return Report(path.stem, f"{text}\n\n```sources\n{block}```\n", sources)


def markers(text: str) -> list[list[str]]:
    """The numbers of all markers of a report, counted without the product: text outside code."""
    outside, fence = [], ""
    for line in text.split("\n"):
        opened = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence:
            if opened and opened[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            elif re.fullmatch(r"```sources", line):
                break
        elif opened:
            if line == "```sources":
                break
            fence = opened[1]
        else:
            outside.append(re.sub(r"`[^`]*`", "", line))
    found = re.findall(r"\[\^?([1-9][0-9]*(?:, ?\^?[1-9][0-9]*)*)\](?!\()", "\n".join(outside))
    return [re.findall("[0-9]+", marker) for marker in found]


REPORTS = reports()
_EACH_REPORT = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)


@_EACH_REPORT
@pytest.mark.parametrize("ending", [*LINKED, "txt"])
def test_the_citations_of_a_real_export(report: Report, ending: str, build_once: Builder) -> None:
    path = build_once(report.name, report.text, ending)
    numbers = [n for marker in markers(report.text) for n in marker if n in report.sources]
    found = read_back(path).citations
    if ending == "txt":
        assert [number for number, _ in found] == numbers
    elif ending == "pdf":
        assert [url for _, url in found] == [report.sources[number] for number in numbers]
    else:
        assert found == [(number, report.sources[number]) for number in numbers]
    if ending != "txt" and numbers:
        assert {report.sources[number] for number in numbers} <= read_back(path).links


@_EACH_REPORT
def test_what_check_finds_in_a_real_export(
    report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{report.name}.md"
    path.write_text(report.text, encoding="utf-8")
    cli.main(["check", "--json", str(path)])
    (found,) = json.loads(capsys.readouterr().out)
    linked = sum(turn["linked"] for turn in found["turns"])
    unknown = {
        number: len(lines) for turn in found["turns"] for number, lines in turn["unknown"].items()
    }
    assert (linked, unknown) == _REPORTS[report.name]
    counted = markers(report.text)
    assert linked == sum(all(n in report.sources for n in marker) for marker in counted)
    assert sum(unknown.values()) == sum(n not in report.sources for m in counted for n in m)


if not REPORTS:  # no cases, rather than skipped ones
    del test_the_citations_of_a_real_export, test_what_check_finds_in_a_real_export
