"""What did not change is not built again; whatever may change it, is."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest
from test_cli import CITE, GOOD, cite, error

UNKNOWN = GOOD.replace("[1]", "[9]")


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "chat.md"
    path.write_text(GOOD, encoding="utf-8")
    assert cite("build", path).stderr == ""
    return path


def is_built_again(path: Path, *arguments: str | Path) -> bool:
    done = cite("build", path, *arguments)
    assert done.returncode == 0, done.stderr
    return "1 of 1 unchanged" not in done.stderr


def records(path: Path) -> Path:
    (found,) = (path.parent / "cache" / "cite-filter").iterdir()
    return found


def test_what_is_there_stays(chat: Path) -> None:
    document = chat.with_suffix(".html")
    os.utime(document, (1, 1))
    os.utime(chat)  # a newer time alone is no change
    assert not is_built_again(chat)
    assert document.stat().st_mtime == 1
    assert is_built_again(chat, "--force")
    assert document.stat().st_mtime > 1


def test_another_text_is_built(chat: Path) -> None:
    chat.write_text(GOOD + "\nmore\n", encoding="utf-8")
    assert is_built_again(chat)
    assert "more" in chat.with_suffix(".html").read_text(encoding="utf-8")
    assert not is_built_again(chat)


@pytest.mark.parametrize("harm", ["changed", "gone", "empty"])
def test_a_document_that_is_not_what_was_written_is_built(chat: Path, harm: str) -> None:
    document = chat.with_suffix(".html")
    whole = document.read_bytes()
    if harm == "gone":
        document.unlink()
    else:
        document.write_bytes(b"" if harm == "empty" else whole[:-1])
    assert is_built_again(chat)
    assert document.read_bytes() == whole


def test_other_options_are_built(chat: Path) -> None:
    assert is_built_again(chat, "-M", "title=Other")
    assert is_built_again(chat, "--to", "html,txt")
    assert not is_built_again(chat, "--to", "html,txt")
    assert is_built_again(chat)  # the HTML by another title was written over


@pytest.mark.parametrize(
    "held", [b"", b"[]", b"{", b'{"chat.html": 1}', b'{"chat.html": {"of": 1}}']
)
def test_records_that_cannot_be_read_are_no_records(chat: Path, held: bytes) -> None:
    records(chat).write_bytes(held)
    assert is_built_again(chat)
    assert not is_built_again(chat)


def test_without_a_cache_everything_is_built(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/none")
    assert is_built_again(chat)
    assert is_built_again(chat)


def test_what_was_found_is_said_again(chat: Path, tmp_path: Path) -> None:
    chat.write_text(UNKNOWN, encoding="utf-8")
    first = cite("build", chat, "--report", tmp_path / "1.json")
    again = cite("build", chat, "--report", tmp_path / "2.json")
    assert "names no source" in first.stderr
    assert again.stderr.splitlines()[:-1] == first.stderr.splitlines()
    reports = [json.loads((tmp_path / f"{n}.json").read_bytes()) for n in (1, 2)]
    assert reports[0] == reports[1]
    strict = cite("build", chat, "--strict")
    assert strict.returncode == 1
    assert "[9]" in strict.stderr


def test_images_may_have_changed(chat: Path) -> None:
    assert is_built_again(chat, "--allow-resources")
    assert is_built_again(chat, "--allow-resources")


def test_a_pipe_is_read_once(chat: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    for _ in range(2):
        writer = threading.Thread(target=pipe.write_text, args=(GOOD,))
        writer.start()
        assert is_built_again(pipe)
        writer.join()


def test_documents_that_are_gone_leave_the_records(chat: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text(GOOD, encoding="utf-8")
    chat.with_suffix(".html").unlink()
    assert is_built_again(other)
    assert list(json.loads(records(chat).read_bytes())) == ["other.html"]


def test_a_transcript_that_changes_while_it_is_built_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "chat.md"
    path.write_text(GOOD + "word\n\n" * 20_000, encoding="utf-8")
    run = subprocess.Popen([CITE, "build", path, "--to", "txt"])
    time.sleep(0.5)  # long before it is built
    path.write_text(GOOD, encoding="utf-8")
    assert run.wait() == 0
    if "word" in path.with_suffix(".txt").read_text(encoding="utf-8"):
        assert is_built_again(path, "--to", "txt")
        assert "word" not in path.with_suffix(".txt").read_text(encoding="utf-8")


def test_other_fonts_are_other_documents(chat: Path, tmp_path: Path) -> None:
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    arguments = ("--to", "txt", "--fonts", fonts)
    assert is_built_again(chat, *arguments)
    assert not is_built_again(chat, *arguments)
    (fonts / "new.ttf").write_bytes(b"x")
    assert is_built_again(chat, *arguments)


def test_without_a_home_nothing_is_kept(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cite("build", chat, "--to", "txt", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "relative").exists()
    assert cite("build", chat, "--to", "txt", cwd=tmp_path).stderr == ""


def test_no_template_of_the_user_gets_in(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "data" / "pandoc" / "templates"
    templates.mkdir(parents=True)
    (templates / "default.plain").write_text("MINE $body$", encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert is_built_again(chat, "--to", "txt")
    assert "MINE" not in chat.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("named", ["/nonexistent/pandoc", "no-such-pandoc"])
def test_a_pandoc_that_is_none_is_said(
    chat: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYPANDOC_PANDOC", named)
    assert f"PYPANDOC_PANDOC names no program: '{named}'" in error(cite("build", chat, "--force"))
