"""The filter as Pandoc runs it: a process, bytes in, bytes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cite_filter import pandoc

BIN = Path(sys.executable).parent
FILTER = BIN / "cite-filter"
SOURCES = "---\nsources:\n- title: One\n  url: <https://1.example/>\n---\n\n"


def run_filter(
    data: bytes, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [FILTER, *arguments],
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


def run_pandoc(text: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [pandoc.program(), "--filter", str(FILTER), *arguments],
        input=text.encode(),
        capture_output=True,
        check=False,
    )


def to_json(text: str, reader: str = "gfm") -> bytes:
    return pandoc.run(["-f", reader, "-t", "json"], text.encode()).data


def test_pandoc_runs_it() -> None:
    done = run_pandoc(SOURCES + "Fact [1]. [9]", "-f", "gfm", "-t", "html", "--wrap=none")
    assert done.returncode == 0
    link = '<a href="https://1.example/" class="citation" title="One">1</a>'
    assert f"<p>Fact<sup>{link}</sup>. [9]</p>" in done.stdout.decode()
    assert '<div class="sources-list">' in done.stdout.decode()
    warning = b"[WARNING] cite-filter: [9] names no source; left as written"
    assert done.stderr.strip() == warning


@pytest.mark.parametrize("writer", ["gfm", "commonmark", "commonmark_x", "markdown"])
def test_markdown_comes_out_clean(writer: str) -> None:
    done = run_pandoc(SOURCES + "Fact [1].", "-f", "gfm", "-t", writer)
    text = done.stdout.decode()
    assert "<div" not in text
    assert "class" not in text
    assert ":::" not in text
    assert "[1](https://1.example/" in text


@pytest.mark.parametrize("text", ["plain [1]", "---\ntitle: T\n---\n\n[1]", "", "> [1]"])
def test_a_document_without_sources_leaves_byte_for_byte(text: str) -> None:
    data = b" " + to_json(text).rstrip()  # white space that a parser would not keep
    assert run_filter(data, "html").stdout == data


def test_a_document_that_speaks_of_sources_only_leaves_byte_for_byte() -> None:
    data = b" " + to_json('A `"sources"` [1]\n\n```sources yaml\nurl\n```\n')
    assert run_filter(data, "html").stdout == data


def test_run_on_its_own_output_it_changes_nothing() -> None:
    once = run_filter(to_json(SOURCES + "Fact [1][9]. [1](x"), "html").stdout
    assert run_filter(once, "html").stdout == once


def test_a_reader_that_is_gone_and_a_full_disk_are_no_traceback() -> None:
    data = to_json(SOURCES + "Fact [1].\n\n" * 20_000)
    gone = subprocess.run(
        f"{FILTER} html | head -c 1", shell=True, input=data, capture_output=True, check=False
    )
    assert (gone.stdout, gone.stderr) == (data[:1], b"")
    full = subprocess.run(
        f"{FILTER} html > /dev/full", shell=True, input=data, capture_output=True, check=False
    )
    assert full.returncode == 1
    assert full.stderr.count(b"\n") == 1
    closed = subprocess.run(
        f"{FILTER} html >&-", shell=True, input=data, capture_output=True, check=False
    )
    assert closed.stderr.startswith(b"[ERROR] cite-filter: standard output is closed")


def test_strict_ends_the_run_with_an_error() -> None:
    done = run_pandoc(SOURCES + "Fact [9].", "-f", "gfm", "-M", "cite-filter-strict=true")
    assert done.returncode == 83
    assert b"[ERROR] cite-filter: [9] names no source" in done.stderr
    assert done.stdout == b""


def test_strict_refuses_an_unsafe_number_and_a_broken_list() -> None:
    unsafe = SOURCES.replace("<https://1.example/>", "javascript:x") + "Fact [1]."
    broken = "Fact [1].\n\n```sources\n- title: T\n```\n"
    for text in (unsafe, broken):
        done = run_pandoc(text, "-f", "gfm", "-M", "cite-filter-strict=true")
        assert done.returncode == 83
        assert b"[ERROR] cite-filter: " in done.stderr


def test_strict_may_come_from_the_document_and_passes_what_is_verified() -> None:
    text = SOURCES.replace("sources:", "cite-filter:\n  strict: true\nsources:") + "Fact [1]."
    assert run_pandoc(text, "-f", "gfm").returncode == 0


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"a":1}', b"\xff", b"null", b'"sources"'])
def test_what_is_no_document_is_one_line(data: bytes) -> None:
    done = run_filter(data, "html")
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"[ERROR] cite-filter: standard input is no Pandoc JSON")


def test_a_document_that_is_brackets_only_is_no_document() -> None:
    data = b'{"blocks":' + b"[" * 100_000 + b"]" * 100_000 + b',"meta":{"sources":1}}'
    done = run_filter(data, "html")
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"[ERROR] cite-filter: standard input is no Pandoc JSON")


def test_half_a_surrogate_pair_passes() -> None:
    data = to_json(SOURCES + "Fact [1] HALF.").replace(b"HALF", b"\\ud800")
    done = run_filter(data, "html")
    assert json.loads(done.stdout)["blocks"][0]["c"][-1]["c"] == "\ud800."


def test_it_needs_no_locale() -> None:
    done = run_filter(to_json(SOURCES + "ü [1] 你"), "html", LC_ALL="C", PYTHONUTF8="0")
    assert done.returncode == 0
    assert json.loads(done.stdout)["blocks"][0]["c"][0]["c"] == "ü"


@pytest.mark.parametrize("argument", ["--help", "-h"])
def test_help(argument: str) -> None:
    assert b"pandoc --filter cite-filter" in run_filter(b"", argument).stdout


def test_version() -> None:
    assert run_filter(b"", "--version").stdout.startswith(b"cite-filter 0.")


def test_started_by_hand_it_says_what_it_is() -> None:
    pty = pytest.importorskip("pty")
    outer, inner = pty.openpty()
    done = subprocess.run([FILTER], stdin=inner, capture_output=True, check=False, timeout=20)
    os.close(outer)
    os.close(inner)
    assert done.returncode == 1
    assert b"It is a Pandoc filter" in done.stderr


def test_metadata_keys_that_look_like_elements() -> None:
    text = SOURCES.replace("sources:", "t: x\nunMeta: {t: Str}\npandoc-api-version: 1\nsources:")
    done = run_pandoc(text + "Fact [1].", "-f", "gfm", "-t", "html")
    assert b"<sup>" in done.stdout


def test_the_result_is_the_same_from_panflute() -> None:
    import io

    import panflute
    from cite_filter import link

    text = to_json(SOURCES + "Fact [1] *and [9]*.").decode()
    doc = panflute.load(io.StringIO(text))
    result = link(doc, "html")
    assert panflute.stringify(doc.content[0]).strip() == "Fact [1] and [9]."
    assert result.cited == {1: [1]}
    stream = io.StringIO()
    panflute.dump(result.document, stream)
    assert (
        json.loads(stream.getvalue())["blocks"]
        == json.loads(run_filter(text.encode(), "html").stdout)["blocks"]
    )


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_come_through_a_pipe(option: str) -> None:
    assert b"cite-filter" in run_filter(b"", option).stdout
