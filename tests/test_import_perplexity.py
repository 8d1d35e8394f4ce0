"""Perplexity: footnotes by turn, what is drawn below an answer, numbers without sources."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, perplexity
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B, C = "https://example.org/潮汐?a=1&b=(2)", "https://example.com/b", "https://example.net/c"
LOGO = '<img src="https://r2cdn.perplexity.ai/pplx-full-logo-primary-dark%402x.png" style="x"/>\n\n'
END = '\n\n<div align="center">⁂</div>\n\n'


def _thread(*parts: str) -> str:
    return LOGO + "\n\n\n---\n\n".join(parts) + "\n"


def _definitions(turn: int, *sources: str) -> str:
    return "\n\n".join(f"[^{turn}_{n}]: {source}" for n, source in enumerate(sources, start=1))


# --- Markdown ------------------------------------------------------------------------------------


def test_each_turn_has_its_own_numbers() -> None:
    text = _thread(
        "# What is 🌊? [1]\n\nOne.[^1_2][^1_1] 潮[^1_2]。" + END + _definitions(1, A, B),
        "# ومن بعد؟\n\nالمد.[^2_1]" + END + _definitions(2, C),
    )
    first, second = turns(perplexity, text)
    assert (first.prompt, second.prompt) == ("What is 🌊? [1]", "ومن بعد؟")
    assert first.answer == "One.[1][2] 潮[1]。"
    assert second.answer == "المد.[1]"
    assert [source.url for source in first.all_sources] == [B, A]
    assert [source.url for source in second.all_sources] == [C]
    assert messages(perplexity, text) == []


def test_code_formulas_and_tags_cite_nothing() -> None:
    text = _thread(
        "# Q\n\n`a[^1_1]` $x[^1_1]$ is[^1_1]\n\n```\n[^1_1]\n[^1_2]: https://code.example\n```\n"
        "\n| a |\n|---|\n| b[^1_1] |" + END + _definitions(1, A)
    )
    (turn,) = turns(perplexity, text)
    assert turn.answer == (
        "`a[^1_1]` $x[^1_1]$ is[1]\n\n```\n[^1_1]\n[^1_2]: https://code.example\n```\n"
        "\n| a |\n|---|\n| b[1] |"
    )


def test_a_mark_beside_brackets_urls_and_words_is_a_citation() -> None:
    text = _thread(
        "# Q\n\n[They][^1_1] https://page.example/x[^1_1](so)[^1_1]and > [^1_1]: b" + END + "\n"
        "[^1_1]: " + B
    )
    (turn,) = turns(perplexity, text)
    assert [url for _, url in read(turn).cites] == [B] * 4
    assert read(turn).text.replace("<!-- -->", "") == ("[They] https://page.example/x(so)and > : b")


def test_hidden_and_unmarked_definitions_are_listed() -> None:
    text = _thread(
        '# Q\n\nA[^1_1]\n\n<span style="display:none">[^1_2][^1_9]</span>'
        + END
        + _definitions(1, A, B, C)
    )
    (turn,) = turns(perplexity, text)
    assert turn.answer == "A[1]"
    assert read(turn).listed == [B, C]
    assert messages(perplexity, text) == []


def test_definitions_are_urls_with_escapes_or_names_of_files() -> None:
    text = _thread(
        "# Q\n\nA[^1_1][^1_2][^1_3]"
        + END
        + _definitions(1, r"https://example.com/x?a=1\&b\_c=2", "my notes.pdf", "")
    )
    (turn,) = turns(perplexity, text)
    assert [(source.url, source.title) for source in turn.all_sources] == [
        ("https://example.com/x?a=1&b_c=2", ""),
        ("file:my notes.pdf", "my notes.pdf"),
    ]
    assert turn.answer.endswith("[?]")


def test_what_nothing_defines_is_shown_and_counted() -> None:
    text = _thread(
        "# Q\n\nA[^1_7] [web:4][attached_file:1] [file:1, web:2] [note: 1] `[web:1]`"
        + END
        + _definitions(1, A)
    )
    (turn,) = turns(perplexity, text)
    shown = turn.answer.replace("<!-- -->", "")
    assert shown == "A[?] [?][?] [?] [note: 1] `[web:1]`"
    assert messages(perplexity, text) == [
        "turn 1: 4 citations have no source in this export; shown as [?]"
    ]


def test_a_number_defined_twice_and_differently_has_no_source() -> None:
    text = _thread("# Q\n\nA[^1_1] b[^1_2]\n\n[^1_1]: " + A + "\n[^1_1]: " + B + "\n[^1_2]: " + C)
    (turn,) = turns(perplexity, text)
    assert turn.answer == "A[?] b[1]"
    assert [source.url for source in turn.all_sources] == [C]


def test_a_rule_and_a_heading_within_an_answer_part_no_turn() -> None:
    text = _thread(
        "# Q\n\nOne[^1_1]",
        "# Part of the answer\n\nTwo[^1_2]" + END + _definitions(1, A, B),
        "# Next\n\nNo source here.",
        "# Last\n\nIntroduction",
        "# Body\n\nThree[^3_1]" + END + _definitions(3, C),
    )
    found = turns(perplexity, text)
    assert [turn.prompt for turn in found] == ["Q", "Next", "Last"]
    assert [[url for _, url in read(turn).cites] for turn in found] == [[A, B], [], [C]]
    assert "---\n\n# Part of the answer" in found[0].answer
    assert not any(turn.answer.endswith("---") for turn in found)


def test_older_threads_of_one_turn() -> None:
    text = LOGO + "# Q\n\nA[^1] and [2] `[3]`.[^2]" + END + f"[^1]: {A}\n[^2]: {B}\n"
    (turn,) = turns(perplexity, text)
    urls = {source.url for source in turn.all_sources}
    assert urls == {A, B}
    assert [url for _, url in read(turn).cites] == [A, B]
    assert " and [2] `[3]`." in turn.answer  # a number of the text's own leads nowhere


def test_windows_line_ends() -> None:
    text = _thread("# Q\n\nA[^1_1]" + END + _definitions(1, A), "# R\n\nB")
    assert turns(perplexity, text.replace("\n", "\r\n")) == turns(perplexity, text)


@pytest.mark.parametrize(
    "text",
    [
        "# A novel\n\n<div align='center'>⁂</div>\n\nText.",
        "A footnote[^1].\n\n[^1]: https://example.org/\n",
        "A footnote[^1_1].\n\n[^1_1]: A note.\n",
        "",
        "[1] {",
        '{"conversations": [{"conversation": {}, "responses": []}]}',
        '{"model": "grok-4", "citations": ["https://example.org/"], "choices": []}',
        '{"model": "gpt-5", "choices": [{"message": {"content": "[^1_1]: https://x.example"}}]}',
    ],
)
def test_of_others(text: str) -> None:
    assert not perplexity.recognises(export(text))


_LETTERS = st.text(alphabet="ab潮🌊ש.,()!:* ", min_size=1, max_size=8).map(lambda s: f"w{s}w")
_TURNS = st.lists(
    st.lists(st.tuples(_LETTERS, st.lists(st.integers(0, 3), max_size=3)), min_size=1, max_size=5),
    min_size=1,
    max_size=4,
)


@many(50)
@given(_TURNS)
def test_what_goes_in_comes_out(conversation: list[list[tuple[str, list[int]]]]) -> None:
    """Every (turn, place, URL), and the text without its marks."""
    written, expected = [], []
    for number, pieces in enumerate(conversation, start=1):
        urls = [f"https://example.org/{number}/{n}?潮=(1)" for n in range(4)]
        answer, text, cites = "", "", []
        for words, cited in pieces:
            answer += words + "".join(f"[^{number}_{n + 1}]" for n in dict.fromkeys(cited))
            text += words
            cites += [(len(text), urls[n]) for n in dict.fromkeys(cited)]
        written.append(f"# Question {number}\n\n{answer}{END}{_definitions(number, *urls)}")
        expected.append((text, cites))
    found = []
    for turn in turns(perplexity, _thread(*written)):
        found.append(_unparted(*read(turn)[:2]))
    assert found == expected


def _unparted(text: str, cites: list[tuple[int, str]]) -> tuple[str, list[tuple[int, str]]]:
    """The text and the places in it, without the comments that part markers from brackets."""
    return text.replace("<!-- -->", ""), [
        (len(text[:place].replace("<!-- -->", "")), url) for place, url in cites
    ]


# --- Responses -----------------------------------------------------------------------------------


def _response(text: Any, **more: Any) -> dict[str, Any]:
    return {
        "model": "sonar-pro",
        "created": 1750000000,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
        **more,
    }


RESULTS = [{"title": f"Title {url[-1]}", "url": url, "date": None} for url in (A, B, C)]


def test_numbers_count_all_citations_and_those_not_cited_are_no_sources() -> None:
    data = _response(
        "A[1][3] 🌊 `[2]` x[2] $y[2]$.", citations=[A, B, C], search_results=RESULTS[::-1]
    )
    (turn,) = turns(perplexity, data)
    assert turn.answer == "A[1][3] 🌊 `[2]` x[2] $y[2]$."
    assert [(s.number, s.title, s.url) for s in turn.all_sources] == [
        (1, "Title )", A),
        (3, "Title c", C),
    ]
    assert turn.date == "2025-06-15T15:06:40Z"


def test_results_alone_are_numbered_by_position() -> None:
    data = _response("A[2][1]", search_results=[None, *RESULTS[1:]])
    (turn,) = turns(perplexity, data)
    assert [(s.number, s.url) for s in turn.all_sources] == [(2, B)]
    assert messages(perplexity, data) == [
        "turn 1: 1 citation has no source in this export; left as written"
    ]


def test_a_missing_source_shifts_no_other() -> None:
    data = _response("A[1][2][3]", citations=["", {}, C])
    (turn,) = turns(perplexity, data)
    assert [(s.number, s.url) for s in turn.all_sources] == [(3, C)]


def test_an_empty_list_of_sources_leaves_the_text() -> None:
    data = _response("A[1][12].", citations=[], search_results=[])
    (turn,) = turns(perplexity, data)
    assert (turn.answer, turn.all_sources) == ("A[1][12].", [])
    assert "2 citations have no source" in messages(perplexity, data)[0]


def test_thoughts_are_not_shown() -> None:
    data = _response("<think>\nprivate [1]\n</think>\n\nA[1]", citations=[A])
    assert turns(perplexity, data)[0].answer == "A[1]"
    with pytest.raises(Refused):
        imported(perplexity, _response("<think>private", citations=[A]))


def test_the_request_holds_the_questions() -> None:
    asked = [
        {"role": "system", "content": "secret"},
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "Yes[1]."},
        {"role": "user", "content": [{"type": "text", "text": "Two?"}]},
    ]
    data = {"request": {"messages": asked}, "response": _response("No[1].", citations=[A])}
    first, second = turns(perplexity, data)
    assert (first.prompt, first.answer, first.all_sources) == ("One?", "Yes[1].", [])
    assert (second.prompt, [s.url for s in second.all_sources]) == ("Two?", [A])


def test_a_stream_is_one_answer() -> None:
    import json

    chunks = [
        {
            "object": "chat.completion.chunk",
            "model": "sonar",
            "citations": cited,
            "choices": [{"delta": {"content": text}}],
        }
        for text, cited in (("A", []), ("[2", [A, B]), ("]🌊", None))
    ]
    stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n"
    (turn,) = turns(perplexity, stream)
    assert read(turn) == ("A🌊", [(1, B)], [])


def test_nothing_breaks_the_importer() -> None:
    survives(perplexity, _response("A[1][2]", citations=[A], search_results=RESULTS[:2]))
    survives(perplexity, DATA)


# --- Requested data ------------------------------------------------------------------------------

DATA = {
    "conversations": [
        {
            "context_title": "Tides",
            "created_at": "2025-09-01T10:00:00",
            "entries": [{"query": "Q [1]?", "answer": "A[1] `[2]` x[3] [2, 4].", "mode": "x"}],
        }
    ]
}


def test_requested_data_keeps_its_numbers_and_has_no_sources() -> None:
    (one,) = imported(perplexity, DATA)
    (turn,) = one.transcript.turns
    assert one.transcript.title == "Tides"
    assert (turn.prompt, turn.answer) == ("Q [1]?", "A[1] `[2]` x[3] [2, 4].")
    assert turn.all_sources == []
    lost, counted = one.messages
    assert "leaves all sources out" in lost
    assert counted == "turn 1: 3 citations have no source in this export; left as written"


def test_requested_data_without_answers_is_refused() -> None:
    with pytest.raises(Refused, match="holds no answers"):
        imported(perplexity, {"conversations": [{"entries": [{"query": "Q"}]}]})
