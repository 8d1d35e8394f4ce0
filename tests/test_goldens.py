"""The examples in every family of formats, as they were when somebody last read them.

`pytest --accept tests/test_goldens.py` writes the goldens; read the difference before it is
committed. They hold what the documents are made of, not how they look: HTML without its head,
typst without its template, Word's text with its styles and links.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cite_filter import cli, pandoc, pdf
from conftest import Builder

GOLDENS = Path(__file__).with_name("goldens")
EXAMPLES = Path(__file__).parents[1] / "examples"
FILTER = Path(sys.executable).with_name("cite-filter")
_PANDOC = "pandoc 3.9"


@pytest.fixture(autouse=True)
def _pandoc_of_the_goldens() -> None:
    version = pandoc.run(["--version"], b"", sandbox=False).data.decode().split("\n")[0]
    if not re.match(rf"{_PANDOC}\b", version):
        pytest.skip(f"the goldens are those of {_PANDOC}, not of {version}")


@pytest.fixture(params=["answer", "chat"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def compare(golden: str, text: str, accept: bool) -> None:
    path = GOLDENS / golden
    if accept:
        GOLDENS.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def example(name: str, ending: str, build_once: Builder) -> Path:
    text = (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")
    return build_once(name, text, ending)


def test_html(name: str, build_once: Builder, accept: bool) -> None:
    text = example(name, "html", build_once).read_text(encoding="utf-8")
    compare(f"{name}.html", _tidy(text[text.index("<body>") :]), accept)


_BLOCK = "body|header|main|div|p|h[1-6]|ul|ol|li|blockquote|table|thead|tbody|tr|colgroup|col|th|td"
_TAG = re.compile(r'<(\w+)((?:\s+[\w:-]+="[^"]*")+)\s*(/?)>')


def _tidy(html: str) -> str:
    """A block a line, attributes by name: where Pandoc breaks a line is not what we look at."""
    parts = re.split(r"(<pre.*?</pre>)", html, flags=re.S)
    for index in range(0, len(parts), 2):
        text = _TAG.sub(_sorted_tag, parts[index])
        text = re.sub(r"\s+", " ", text)
        text = re.sub(rf" ?(</?(?:{_BLOCK})\b)", r"\n\1", text)
        parts[index] = re.sub(r"\n(</(?:p|h[1-6]|li|th|td|tr|div)>)", r"\1", text)
    return "".join(parts).strip() + "\n"


def _sorted_tag(tag: re.Match[str]) -> str:
    attributes = sorted(re.findall(r'[\w:-]+="[^"]*"', tag[2]))
    return f"<{' '.join([tag[1], *attributes])}{tag[3]}>"


def test_gfm(name: str, build_once: Builder, accept: bool) -> None:
    compare(f"{name}.gfm", example(name, "md", build_once).read_text(encoding="utf-8"), accept)


def test_plain(name: str, build_once: Builder, accept: bool) -> None:
    compare(f"{name}.plain", example(name, "txt", build_once).read_text(encoding="utf-8"), accept)


def test_latex(name: str, accept: bool) -> None:
    """The filter alone, as a user of LaTeX runs it."""
    arguments = ["-f", pandoc.READER, "-t", "latex", "--filter", str(FILTER)]
    source = (EXAMPLES / f"{name}.md").read_bytes()
    compare(f"{name}.tex", pandoc.run(arguments, source).data.decode(), accept)


def test_typst(name: str, accept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources: list[bytes] = []

    def keep(source: bytes, *_: object) -> pdf.Pdf:
        sources.append(source)
        return pdf.Pdf(b"%PDF", [])

    monkeypatch.setattr(pdf, "compile_typst", keep)
    monkeypatch.setattr(pdf, "fallbacks", lambda *_: [])  # the fonts of this machine
    target = tmp_path / "out.pdf"
    assert cli.main(["build", str(EXAMPLES / f"{name}.md"), "-o", str(target)]) == 0
    (source,) = sources
    compare(f"{name}.typ", source.decode().split("\n// The title -", 1)[1], accept)


# --- Word --------------------------------------------------------------------------------------

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def test_docx(name: str, build_once: Builder, accept: bool) -> None:
    with zipfile.ZipFile(example(name, "docx", build_once)) as archive:
        body = ET.fromstring(archive.read("word/document.xml"))[0]  # noqa: S314
        relations = ET.fromstring(archive.read("word/_rels/document.xml.rels"))  # noqa: S314
    targets = {relation.attrib["Id"]: relation.attrib["Target"] for relation in relations}
    lines = [line for block in body for line in _block(block, targets)]
    compare(f"{name}.docx.txt", "\n".join(lines) + "\n", accept)


def _block(block: ET.Element, targets: dict[str, str]) -> Iterator[str]:
    """A paragraph with its style, or the rows of a table."""
    if block.tag == f"{_W}p":
        style = block.find(f"{_W}pPr/{_W}pStyle")
        name = "" if style is None else style.attrib[f"{_W}val"]
        level = block.find(f"{_W}pPr/{_W}numPr/{_W}ilvl")
        if level is not None:
            name += f" list {level.attrib[f'{_W}val']}"
        if block.find(f"{_W}pPr/{_W}bidi") is not None:
            name += " rtl"
        yield f"{{{name}}} {_inlines(block, targets)}"
    elif block.tag == f"{_W}tbl":
        for row in block.iter(f"{_W}tr"):
            cells = (
                " / ".join(_inlines(paragraph, targets) for paragraph in cell.iter(f"{_W}p"))
                for cell in row.iter(f"{_W}tc")
            )
            yield "| " + " | ".join(cells) + " |"


def _inlines(element: ET.Element, targets: dict[str, str]) -> str:
    text = ""
    for node in element:
        if node.tag == f"{_W}hyperlink":
            target = targets.get(node.get(f"{_R}id", ""), "#" + node.get(f"{_W}anchor", ""))
            text += f"[{_inlines(node, targets)}]({target})"
        elif node.tag == f"{_W}r":
            text += _run(node)
        elif node.tag.endswith("}oMath") or node.tag.endswith("}oMathPara"):
            text += "<" + "".join(piece.strip() for piece in node.itertext()) + ">"
    return text.replace("^^", "")


def _run(run: ET.Element) -> str:
    marks = {f"{_W}tab": "→", f"{_W}br": "⏎"}
    text = "".join(marks.get(node.tag, "") or (node.text or "").strip("\n") for node in run)
    for kind, mark in ((f"{_W}b", "**"), (f"{_W}i", "*")):
        if run.find(f"{_W}rPr/{kind}") is not None:
            text = f"{mark}{text}{mark}"
    raised = run.find(f"{_W}rPr/{_W}vertAlign")
    if raised is not None:
        mark = {"superscript": "^", "subscript": "~"}[raised.attrib[f"{_W}val"]]
        text = f"{mark}{text}{mark}"
    return text
