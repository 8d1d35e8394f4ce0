"""Sessions of Claude Code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cite_filter.importers import Refused, claude_code
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, read, survives, turns

A, B, C = "https://a.example/潮汐?a=1&b=(2)", "https://b.example/", "https://c.example/"


def _line(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    return {"type": kind, "isSidechain": False, "sessionId": "s", "message": message, **more}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return _line("assistant", [{"type": "text", "text": text}], **more)


def _searched(*found: tuple[str, str], **more: Any) -> dict[str, Any]:
    pages = [{"title": title, "url": url} for title, url in found]
    result = {"query": "tides", "results": [{"tool_use_id": "t", "content": pages}, "Summary."]}
    return _line("user", [{"type": "tool_result", "content": ""}], toolUseResult=result, **more)


def _session(*lines: dict[str, Any]) -> str:
    """The lines as a session, each the answer to the one before, but for those that say else."""
    before = None
    written = []
    for number, line in enumerate(lines):
        record = {"parentUuid": before, "uuid": f"u{number}", **line}
        before = before if line["isSidechain"] else record["uuid"]
        written.append(json.dumps(record, ensure_ascii=False))
    return "\n".join(written) + "\n"


def test_links_to_what_was_found_are_citations() -> None:
    text = f"Up ([x]({A})), as [y]({B}) says; see [z]({C}).\n\nSources:\n- [Tides]({A})\n"
    found = _searched(("Tides —\n[an] overview", A), ("Ebb", B), ("Unused", "https://d.example"))
    (turn,) = turns(claude_code, _session(_line("user", "How?"), found, _text(text)))
    assert turn.prompt == "How?"
    assert read(turn).text == f"Up , as [y]({B}) says; see [z]({C})."
    assert [(s.title, s.url) for s in turn.sources] == [("Tides — [an] overview", A), ("Ebb", B)]
    assert read(turn).listed == [B]


def test_nothing_is_a_source_where_nothing_was_found() -> None:
    text = f"Up ([x]({A})).\n\nSources:\n- [Tides]({A})"
    (turn,) = turns(claude_code, _session(_line("user", "How?"), _text(text)))
    assert (turn.answer, turn.sources) == (text, ())


def test_pages_that_were_fetched_and_what_a_search_prints() -> None:
    fetched = {"bytes": 1, "code": 200, "result": "Summary.", "url": A}
    printed = f'Web search results\n\nLinks: [{{"title": "Ebb", "url": "{B}"}}]\n\nSummary'
    lines = [
        _line("user", "How?"),
        _line("user", [{"type": "tool_result", "content": "x"}], toolUseResult=fetched),
        _line("user", [{"type": "tool_result", "content": printed}]),
        _line("user", [{"type": "tool_result"}], toolUseResult={**fetched, "code": 404, "url": C}),
        _text(f"Up ([x]({A}#top)) ([y]({B})) ([z]({C}))."),
    ]
    (turn,) = turns(claude_code, _session(*lines))
    assert read(turn) == (f"Up   ([z]({C})).", [(3, f"{A}#top"), (4, B)], [])
    assert [source.title for source in turn.sources] == ["x", "Ebb"]


def test_side_chains_and_what_the_program_says_are_left_out() -> None:
    lines = [
        _line("user", "<system-reminder>secret</system-reminder>How?"),
        _line("user", "secret", isMeta=True),
        _line("user", "secret", isSidechain=True),
        _text("secret", isSidechain=True),
        _line("assistant", [{"type": "thinking", "thinking": "secret"}]),
        _line("user", "[Request interrupted by user]"),
        _text("Up."),
        _text("API Error: secret", isApiErrorMessage=True),
        _line(
            "user",
            "<command-message>secret</command-message><command-name>/go</command-name>"
            "<command-args>on</command-args>",
        ),
        _line("user", "<local-command-stdout>secret</local-command-stdout>"),
        _text("Down."),
        _text("secret", isSidechain=True, parentUuid=None),
    ]
    found = turns(claude_code, _session(*lines))
    assert [(turn.prompt, turn.answer) for turn in found] == [("How?", "Up."), ("/go on", "Down.")]


def test_tags_that_are_not_closed() -> None:
    for opened in ("<bash-input>", "<command-name>"):
        lines = [
            _line("user", f"<system-reminder>x</system-reminder>{opened * 20_000}"),
            _text("Up."),
        ]
        (turn,) = turns(claude_code, _session(*lines))
        assert turn.prompt == opened * 20_000


def test_what_was_taken_back_is_left_out() -> None:
    lines = [
        _line("user", "One?"),
        _text("Up."),
        _line("user", "Two?"),
        _text("Discarded."),
        _line("user", "Three?", parentUuid="u1"),
        _text("Kept."),
        _line("user", "So far", isCompactSummary=True, parentUuid="gone"),
        _text("Last."),
    ]
    found = turns(claude_code, _session(*lines))
    assert [(turn.prompt, turn.answer) for turn in found] == [
        ("One?", "Up."),
        ("Three?", "Kept.\n\nLast."),
    ]


def test_title_date_and_texts_with_line_separators() -> None:
    summary = {"type": "summary", "summary": "Tides", "isSidechain": False}
    said = _text("Up\u2028down\u0085.", timestamp="2025-10-01T10:00:00.5Z")
    (one,) = imported(claude_code, _session(summary, _line("user", "How?"), said))
    assert (one.transcript.title, one.transcript.date) == ("Tides", "2025-10-01T10:00:00Z")
    assert one.transcript.turns[0].answer == "Up\u2028down\u0085."
    assert one.transcript.provenance == {"id": "s"}


@pytest.mark.parametrize("data", [[], {}, None, "x", [{"type": "user", "message": {}}], "{}\n{}"])
def test_what_is_none_of_it(data: Any) -> None:
    assert not claude_code.recognises(export(data))


def test_a_session_without_answers() -> None:
    with pytest.raises(Refused):
        imported(claude_code, _session(_line("user", "How?")))


def test_nothing_breaks_it() -> None:
    lines = [_line("user", "How?"), _searched(("Tides", A)), _text(f"Up ([x]({A})).")]
    survives(claude_code, [json.loads(line) for line in _session(*lines).splitlines()])


WORDS = st.lists(st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות"]), min_size=1).map(" ".join)


@many(50)
@given(st.lists(st.tuples(WORDS, st.lists(st.sampled_from([A, B]), unique=True)), min_size=1))
def test_what_went_in_comes_out(claims: list[tuple[str, list[str]]]) -> None:
    text, bare, wanted = "", "", set()
    for claim, urls in claims:
        links = ", ".join(f"[{claim}]({url})" for url in urls)
        bare += f"{claim} "
        wanted |= {(len(bare), url) for url in urls}
        text += f"{claim} " + (f"({links}). " if urls else ". ")
        bare += ". "
    lines = [_line("user", "How?"), _searched(("a", A), ("b", B), ("c", C)), _text(text)]
    (turn,) = turns(claude_code, _session(*lines))
    result = read(turn)
    assert result.text == bare
    assert set(result.cites) == wanted
    assert not result.listed
