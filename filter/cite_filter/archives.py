"""What Pandoc leaves undone in DOCX and EPUB files.

Its sandbox has no clock and dates everything 1970; the title block of a text that runs from the
right does not; and a formula in a heading reaches the
navigation of an EPUB, whose package must then say so.
"""

from __future__ import annotations

import io
import os
import re
import time
import zipfile

_CORE, _PACKAGE = "docProps/core.xml", "EPUB/content.opf"
_TEXT = "word/document.xml"
_TITLE = re.compile(
    rb'(<w:pPr>\s*<w:pStyle w:val="(?:Title|Subtitle|Author|Date)" />)(?=\s*</w:pPr>)'
)
_UNDATED = re.compile(
    rb'((?:dcterms:(?:created|modified)"?[^>]*|dc:date id="epub-date")>)1970-01-01T00:00:00Z'
)
_ITEM = re.compile(rb'<item [^>]*href="([^"]+)"[^>]*/>')
_PROPERTIES = re.compile(rb'properties="([^"]*)"')


def finish(data: bytes) -> bytes:
    """The archive, dated now or with SOURCE_DATE_EPOCH, and its formulas declared."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_seconds())).encode("ascii")
    finished = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(finished, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename in (_CORE, _PACKAGE):
                content = _UNDATED.sub(rb"\g<1>" + now, content)
            if entry.filename == _TEXT:
                content = _turn_title(content)
            if entry.filename == _PACKAGE:
                content = _declare_formulas(content, old)
            new.writestr(entry, content)
    return finished.getvalue()


def _turn_title(text: bytes) -> bytes:
    """The text, its title block from the right where most of its paragraphs are."""
    if 2 * text.count(b"<w:bidi />") <= text.count(b"<w:p>"):
        return text
    return _TITLE.sub(rb"\1<w:bidi />", text)


def _declare_formulas(package: bytes, archive: zipfile.ZipFile) -> bytes:
    """The package file, in which every page with MathML has the property `mathml`."""
    names = frozenset(archive.namelist())

    def declared(item: re.Match[bytes]) -> bytes:
        name = "EPUB/" + item[1].decode("utf-8")
        if not name.endswith(".xhtml") or name not in names or b"<math" not in archive.read(name):
            return item[0]
        properties = _PROPERTIES.search(item[0])
        if properties is None:
            return item[0].removesuffix(b"/>") + b'properties="mathml" />'
        if b"mathml" in properties[1]:
            return item[0]
        return item[0].replace(properties[0], b'properties="' + properties[1] + b' mathml"')

    return _ITEM.sub(declared, package)


def _seconds() -> float:
    """Seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isascii() and given.isdigit() and len(given) < 12:
        return int(given)
    return time.time()
