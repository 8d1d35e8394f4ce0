"""What `cite build` puts into files beyond the text: dates, identifiers, harmless content."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pypdf
import pytest
from cite_filter import build, pandoc, untrusted
from cite_filter.errors import CiteError
from cite_filter.writers import Settings
from conftest import read
from drawing import draw

TEXT = "Fact [1].\n\n```sources\n- url: https://1.example/\n```\n"


def built(folder: Path, name: str, text: str = TEXT) -> Path:
    chat = folder / "chat.md"
    chat.write_text(text, encoding="utf-8")
    target = folder / f"chat.{name}"
    build.build(chat, {name: target}, Settings())
    return target


@pytest.mark.parametrize(
    ("name", "member"), [("docx", "docProps/core.xml"), ("epub", "EPUB/content.opf")]
)
def test_archives_are_dated(
    tmp_path: Path, name: str, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    properties = zipfile.ZipFile(built(tmp_path, name)).read(member).decode()
    assert "2023-11-14T22:13:20Z" in properties
    assert "1970" not in properties


def identifier(path: Path) -> str:
    return zipfile.ZipFile(path).read("EPUB/content.opf").decode().split("urn:uuid:")[1][:36]


def test_a_book_has_an_identifier_of_its_own_that_stays(tmp_path: Path) -> None:
    first = identifier(built(tmp_path, "epub"))
    assert identifier(built(tmp_path, "epub")) == first
    assert identifier(built(tmp_path, "epub", TEXT + "\nMore.\n")) != first


def test_an_epub_begins_with_its_type(tmp_path: Path) -> None:
    first = zipfile.ZipFile(built(tmp_path, "epub")).infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


def test_the_same_input_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for name in ("html", "docx", "epub", "md", "txt"):
        first = built(tmp_path, name).read_bytes()
        assert built(tmp_path, name).read_bytes() == first, name


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "x" / "y"
    with pytest.raises(CiteError):
        build.write_atomically(target, b"data")
    assert list(tmp_path.iterdir()) == []


# --- Untrusted content --------------------------------------------------------------------------


def disarmed(text: str, **options: Any) -> tuple[str, list[str]]:
    document = read(text, pandoc.READER)
    messages = untrusted.disarm(document, **options)
    return draw(document["blocks"]), messages


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("a<br>b", "a\\\nb"),
        ("H<sub>2</sub>O x<sup>2</sup> <b>b <i>i</i></b>", "H~2~O x^2^ **b *i***"),
        ("a <!-- b --> c", "a  c"),
        ("a <span onclick=x>b</span>", "a <span onclick=x>b</span>"),
        ("</b> <b> <i>", "</b> <b> <i>"),
        ("<b><i></b></i>", "<b>*</b>*"),
        ("<script>alert(1)</script>", "```html\n<script>alert(1)</script>\n```"),
        ("<!-- a -->", ""),
        ("[a](https://a.example/)", "[a](https://a.example/)"),
        ("[a](mailto:a@b.example)", "[a](mailto:a@b.example)"),
        ("[a](javascript:x)", "a (javascript:x)"),
        ("[a](JAVASCRIPT&colon;x)", "a (JAVASCRIPT:x)"),
        ("[a](file:///etc/passwd)", "a (file:///etc/passwd)"),
        ("[a](//evil.example/x)", "a (//evil.example/x)"),
        ("[a](data:text/html,x)", "a (data:text/html,x)"),
        ("[a](x.html)", "a (x.html)"),
        ("[a](mailto:a@b.example?body=x)", "a (mailto:a@b.example?body=x)"),
        ("[a](#none)", "a"),
        ("# B\n\n[a](#b)", "# B\n\n[a](#b)"),
        ("![a](https://a.example/x.png)", "[a](https://a.example/x.png)"),
        ("![](https://a.example/x.png)", "[https://a.example/x.png](https://a.example/x.png)"),
        ("![a](/etc/passwd)", "a (/etc/passwd)"),
        ("[a ![b](x)](https://a.example/)", "[a b (x)](https://a.example/)"),
        ("[<script>x</script>](javascript:y)", "<script>x</script> (javascript:y)"),
        ("[![<b>x](z)](javascript:y)", "<b>x (z) (javascript:y)"),
        ("<!-- a --> b <!-- c -->", "```html\n<!-- a --> b <!-- c -->\n```"),
        ("x <!-- a --> b <!-- c -->", "x  b "),
        ("a<sup>[1](https://x.example/)</sup>", "a[1](https://x.example/)"),
        ("a<sup>**[1](https://x.example/)**</sup>", "a**[1](https://x.example/)**"),
        ("[a](mailto:a@b.example,c@d.example)", "a (mailto:a@b.example,c@d.example)"),
        ("a\x1b[31m `\x01`", "a\ufffd[31m `\ufffd`"),
    ],
)
def test_untrusted_content(written: str, drawn: str) -> None:
    assert disarmed(written)[0] == drawn


def test_images_of_the_web_and_of_the_folder_may_be_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "chat"
    folder.mkdir()
    for name in ("a b.png", "key", "../outside.png"):
        (folder / name).write_bytes(b"x")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    allowed = ("a%20b.png", "https://a.example/x.png")
    refused = ("key", "../outside.png", "link.png", "none.png", "/etc/passwd", "file:///a.png")
    for target in (*allowed, *refused):
        shown = disarmed(f"![a]({target})", resources=folder)[0]
        assert shown == (f"![a]({target})" if target in allowed else f"a ({target})")


def test_links_of_markdown_lose_their_titles() -> None:
    document = read("[a](https://a.example/ 'x\") [evil](javascript:y) \"')", pandoc.READER)
    untrusted.disarm(document, titles=False)
    assert "evil" not in json.dumps(document)


def test_of_attributes_only_harmless_ones_stay() -> None:
    span = '[a]{#i .c onclick="x" style="y" lang=de typst:fill="z" data-x=1}'
    text = f"{span}\n\n::: {{.d onload=x}}\nb\n:::\n"
    document = read(text, pandoc.READER)
    untrusted.disarm(document)
    found = json.dumps(document)
    assert '["i", ["c"], [["lang", "de"]]]' in found
    for gone in ("onclick", "style", "typst:fill", "data-x", "onload"):
        assert gone not in found


@pytest.mark.parametrize(
    "info",
    [
        "x```#(1+41)```",
        '#link("javascript:alert(1)")[click]',
        '#super(link("https://evil.example/")[1])',
        '#import("@preview/cetz:0.3.0");',
        "/*",
        "x#panic()",
    ],
)
def test_the_language_of_code_is_never_code(tmp_path: Path, info: str) -> None:
    text = f"Before.\n\n~~~ {info}\ncode 1+41\n~~~\n\nAfter.\n"
    document = read(text, pandoc.READER)
    untrusted.disarm(document)
    (block,) = (block for block in document["blocks"] if block["t"] == "CodeBlock")
    assert all(name.isascii() and "(" not in name and "/" not in name for name in block["c"][0][1])
    pages = pypdf.PdfReader(built(tmp_path, "pdf", text)).pages
    shown = "\n".join(page.extract_text() for page in pages)
    assert "After." in shown
    assert "42" not in shown
    assert not any(page.annotations for page in pages)


def test_an_epub_is_well_formed_whatever_the_text_holds(tmp_path: Path) -> None:
    front = '---\ntitle: "A \\u202e\\x1b title"\n---\n'
    text = front + "a\x01b \x1b[31m `c\x02` $d\x03$\n\n```\ne\x04\n```\n"
    archive = zipfile.ZipFile(built(tmp_path, "epub", text))
    for name in archive.namelist():
        if name.endswith((".xhtml", ".opf", ".ncx")):
            ElementTree.fromstring(archive.read(name))  # noqa: S314 - our own
    assert "\u202e" not in archive.read("EPUB/content.opf").decode()


def test_many_equal_identifiers_take_no_time() -> None:
    spans = [{"t": "Span", "c": [["a", [], []], []]} for _ in range(20_000)]
    document = {"meta": {}, "blocks": [{"t": "Para", "c": spans}]}
    untrusted.disarm(document)
    assert '"a-20000"' in json.dumps(document)


def test_identifiers_are_unique() -> None:
    document: dict[str, Any] = read("# A\n\n[x]{#a}\n\n[y](#a)\n", pandoc.READER)
    untrusted.disarm(document)
    found = json.dumps(document)
    assert '"a-2"' in found
    assert '"#a"' in found


def test_metadata_that_may_do_harm_is_named_and_dropped() -> None:
    fields = "title: T\nheader-includes: <script>\ncss: x\nsubtitle: <b onclick=x>y</b>"
    document = read(f"---\n{fields}\n---\n\nx\n", pandoc.READER)
    messages = untrusted.disarm(document)
    assert sorted(document["meta"]) == ["subtitle", "title"]
    assert "RawInline" not in json.dumps(document)
    assert messages == ["metadata not used: css, header-includes"]


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8"
    "cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


@pytest.mark.parametrize("name", ["html", "docx", "pdf", "epub"])
def test_images_of_the_folder_are_embedded(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.png").write_bytes(PNG)
    chat = tmp_path / "chat.md"
    chat.write_text("![a picture](x.png)\n\n![none](y.png)\n")
    target = tmp_path / f"chat.{name}"
    made = build.build(chat, {name: target}, Settings(allow_resources=True))
    assert made.warnings == [
        "1 image(s) written as links, not found in the folder of the transcript"
    ]
    data = target.read_bytes()
    if name in ("docx", "epub"):
        assert any(entry.endswith(".png") for entry in zipfile.ZipFile(target).namelist())
    else:
        assert b"data:image/png" in data or b"/Image" in data


@pytest.mark.parametrize(
    "text",
    [
        "[i]{#.}[j](#.)",
        "[i]{#.a}[j](#.a)",
        "# [a]{#b}\n\n[y](#b)",
        "[[in]{#z}](#z)",
        "::: {#.}\nx\n:::",
    ],
)
def test_no_identifier_stops_the_pdf(tmp_path: Path, text: str) -> None:
    assert built(tmp_path, "pdf", text).stat().st_size > 1000


def test_no_formula_writes_html_into_markdown(tmp_path: Path) -> None:
    text = "A $x` <img src=x onerror=alert(1)> `y$ b.\n"
    chat = tmp_path / "in.md"
    chat.write_text(text)
    target = tmp_path / "out.md"
    build.build(chat, {"md": target}, Settings())
    document = json.dumps(read(target.read_text(), "gfm"))
    assert "RawInline" not in document


def test_pandoc_runs_in_its_sandbox(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    include = f".. include:: {secret}\n".encode()
    assert b"SECRET" not in pandoc.run(["-f", "rst", "-t", "plain"], include).data
    assert b"SECRET" in pandoc.run(["-f", "rst", "-t", "plain"], include, sandbox=False).data
