"""Dates of DOCX and EPUB files: Pandoc's sandbox has no clock and dates everything 1970."""

from __future__ import annotations

import io
import os
import re
import time
import zipfile

_DATED = ("docProps/core.xml", "EPUB/content.opf")
_UNDATED = re.compile(
    rb'((?:dcterms:(?:created|modified)"?[^>]*|dc:date id="epub-date")>)1970-01-01T00:00:00Z'
)


def date(data: bytes) -> bytes:
    """The archive with the time of now, or of SOURCE_DATE_EPOCH, in its properties."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_seconds())).encode("ascii")
    dated = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(dated, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename in _DATED:
                content = _UNDATED.sub(rb"\g<1>" + now, content)
            new.writestr(entry, content)
    return dated.getvalue()


def _seconds() -> float:
    """Seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(given) if given.isascii() and given.isdigit() else time.time()
