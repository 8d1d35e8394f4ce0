"""Archives: damaged ones, ones of macOS, limits, and which of their files are chats."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cite_filter import importing
from cite_filter.errors import CiteError
from cite_filter.importers import Imported, exports
from conftest import many
from hypothesis import given
from hypothesis import strategies as st

CHAT = json.dumps({"turns": [{"prompt": "Why?", "answer": "Tides rise."}]})
MARKDOWN = "Tides rise :contentReference[oaicite:0]{index=0}.\n"


def _archive(path: Path, files: dict[str, str], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def _damage(path: Path, text: bytes) -> None:
    data = path.read_bytes()
    assert data.count(text) == 1
    path.write_bytes(data.replace(text, bytes(len(text))))


def _read(path: Path, most_bytes: int = 1000) -> list[Imported]:
    return importing.imported(path, most_bytes=most_bytes)


def _names(found: list[Imported]) -> list[str]:
    return [one.transcript.provenance["file"] for one in found]


def test_a_damaged_file_is_left_out_and_the_others_are_read(tmp_path: Path) -> None:
    path = _archive(tmp_path / "a.zip", {"bad.json": "[77777]", "good.json": CHAT})
    _damage(path, b"[77777]")
    found = _read(path)
    assert _names(found) == ["good.json"]
    assert "bad.json (damaged)" in found[0].messages[0]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_no_damage_is_a_traceback(tmp_path: Path, method: int) -> None:
    files = {"a.json": CHAT, "c.txt": "x" * 99}
    whole = _archive(tmp_path / "a.zip", files, method).read_bytes()
    path = tmp_path / "b.zip"
    for place in range(len(whole)):
        for byte in (0, whole[place] ^ 1):
            path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
            try:
                _read(path)
            except CiteError as error:
                assert error.path == path


@many(50)
@given(st.binary(max_size=60), st.integers(0, 300), st.integers(0, 300))
def test_nor_is_what_was_cut_or_written_over(data: bytes, start: int, end: int) -> None:
    with TemporaryDirectory() as folder:
        path = _archive(Path(folder) / "a.zip", {"a.json": CHAT, "b.json": CHAT})
        whole = path.read_bytes()
        path.write_bytes(whole[:start] + data + whole[end:])
        with suppress(CiteError):
            _read(path)


def test_a_damaged_archive_is_one_error(tmp_path: Path) -> None:
    path = _archive(tmp_path / "a.zip", {"a.json": CHAT})
    data = path.read_bytes()
    start = data.index(b"PK\x01\x02")
    path.write_bytes(data[:start] + b"XX" + data[start + 2 :])
    with pytest.raises(CiteError, match="is a ZIP archive that is damaged; download it again"):
        _read(path)


def test_an_encrypted_file_is_left_out(tmp_path: Path) -> None:
    path = _archive(tmp_path / "a.zip", {"a.json": CHAT})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(CiteError, match=r"a\.json \(encrypted; unpack it\)"):
        _read(path)


def test_what_the_system_adds_is_left_out_silently(tmp_path: Path) -> None:
    files = {"__MACOSX/._a.json": CHAT, "x/._b.json": CHAT, "__MACOSX/c.json": CHAT, "a.json": CHAT}
    found = _read(_archive(tmp_path / "a.zip", files))
    assert _names(found) == ["a.json"]
    assert found[0].messages == []


def test_texts_are_chats_only_where_no_data_is_one(tmp_path: Path) -> None:
    files = {"README.md": MARKDOWN, "z.json": CHAT, "notes.txt": MARKDOWN}
    found = _read(_archive(tmp_path / "a.zip", files))
    assert _names(found) == ["z.json"]
    assert "README.md, notes.txt" in found[0].messages[0]
    files = {"a.md": MARKDOWN, "b.md": MARKDOWN, "user.json": "{}"}
    assert _names(_read(_archive(tmp_path / "b.zip", files))) == ["a.md", "b.md"]


def test_the_limit_is_one_of_each_file(tmp_path: Path) -> None:
    path = _archive(tmp_path / "a.zip", {"a.json": "[" + " " * 1000 + "]", "b.json": CHAT})
    found = _read(path)
    assert _names(found) == ["b.json"]
    assert (
        "a.json (more than the 1,000 bytes that are read; raise --max-bytes)"
        in (found[0].messages[0])
    )


def test_the_archive_has_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "_MOST_OF_ARCHIVE", 2500)
    files = {f"{n}.json": "[" + " " * 10_000 + "]" for n in range(3)}
    with pytest.raises(CiteError, match="unpacks to more than 2,500 bytes"):
        _read(_archive(tmp_path / "a.zip", files, zipfile.ZIP_DEFLATED))
