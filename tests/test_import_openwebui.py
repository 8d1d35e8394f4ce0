"""Open WebUI's export: numbers count the different sources of all documents."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, openwebui
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B, C = "https://example.org/a", "https://example.com/b?x=(1)&y=潮", "https://example.net/c"


def _source(*documents: dict[str, Any], **about: Any) -> dict[str, Any]:
    return {
        "source": {"id": "s", "name": "search", **about},
        "document": ["…" for _ in documents],
        "metadata": list(documents),
        "distances": [0.5 for _ in documents],
    }


def _page(url: str, title: str = "") -> dict[str, Any]:
    return {"source": url, "title": title}


def _message(role: str, content: Any, parent: str | None, **more: Any) -> dict[str, Any]:
    return {
        "role": role,
        "content": content,
        "parentId": parent,
        "childrenIds": [],
        "timestamp": 1750000000,
        **more,
    }


def _chat(answer: Any, *sources: Any, **more: Any) -> list[dict[str, Any]]:
    said = {
        "q": _message("user", "Q?", None),
        "a": _message("assistant", answer, "q", sources=list(sources), **more),
    }
    history = {"messages": said, "currentId": "a"}
    return [{"id": "c-1", "title": "Tides", "chat": {"history": history}, "created_at": 1750000000}]


def test_a_chat() -> None:
    data = _chat("🌊 المد [1], 潮汐 [2].", _source(_page(A, "One"), _page(B)))
    (one,) = imported(openwebui, data)
    (turn,) = one.transcript.turns
    assert (turn.prompt, turn.answer) == ("Q?", "🌊 المد [1], 潮汐 [2].")
    assert [(s.number, s.url, s.title) for s in turn.all_sources] == [(1, A, "One"), (2, B, "")]
    assert (one.transcript.title, turn.date) == ("Tides", "2025-06-15T15:06:40Z")
    assert one.transcript.provenance == {"id": "c-1"}
    assert one.messages == []
    assert turns(openwebui, data[0])[0] == turn


def test_a_number_counts_different_sources_of_all_documents() -> None:
    sources = _source(_page(A), _page(A), _page(B)), _source(_page(A), _page(C, "Three"))
    (turn,) = turns(openwebui, _chat("x [3]", *sources))
    assert [(s.number, s.url, s.title) for s in turn.all_sources] == [(3, C, "Three")]


def test_a_document_without_metadata_counts_not() -> None:
    source = {**_source(_page(A), _page(B)), "document": ["…"]}
    (turn,) = turns(openwebui, _chat("x [2]", source, _source(_page(C))))
    assert read(turn).cites == [(2, C)]


def test_markers_of_every_form() -> None:
    source = _source(_page(A), _page(B))
    data = _chat("a [1,2] b [1][2] c [1#part] d `[1#x]` [9] [0] x[1]", source)
    (turn,) = turns(openwebui, data)
    assert turn.answer == "a [1,2] b [1][2] c [1] d `[1#x]` [9] [0] x[<!-- -->1]"
    assert {s.number: s.url for s in turn.all_sources} == {1: A, 2: B}
    assert messages(openwebui, data) == [
        "turn 1: 1 citation has no source in this export; left as written"
    ]


def test_an_answer_without_sources_keeps_its_brackets_uncounted() -> None:
    data = _chat("An array [1] and [2].")
    assert turns(openwebui, data)[0].all_sources == []
    assert messages(openwebui, data) == []


def test_files_have_a_name_and_no_path() -> None:
    path = "/app/backend/data/uploads/x_notes.pdf"
    named, bare = {"source": path, "name": "notes.pdf"}, {"source": "C:\\up\\other.pdf"}
    (turn,) = turns(
        openwebui, _chat("x [1][2][3]", _source(named, bare), _source({}, id="", name="third.pdf"))
    )
    assert [s.url for s in turn.all_sources] == [
        "file:notes.pdf",
        "file:other.pdf",
        "file:third.pdf",
    ]
    assert "/app" not in str(turn)


def test_the_address_of_all_documents_is_that_of_none_of_several() -> None:
    (turn,) = turns(openwebui, _chat("x [1]", _source({"source": "k"}, url=A)))
    assert [s.url for s in turn.all_sources] == [A]
    both = _source({"source": "k", "name": "k.md"}, {"source": "l", "name": "l.md"}, url=A)
    (turn,) = turns(openwebui, _chat("x [1]", both))
    assert [s.url for s in turn.all_sources] == ["file:k.md"]


def test_a_key_of_several_pages_is_in_doubt() -> None:
    source = _source({"source": "k", "url": A}, {"source": "k", "url": B})
    data = _chat("x [1]", source)
    assert turns(openwebui, data)[0].all_sources == []
    assert len(messages(openwebui, data)) == 1


def test_a_title_is_no_url_and_may_stand_at_another_document() -> None:
    source = _source({"source": A, "name": A}, _page(A, "One"), {"source": B, "title": B}, id="")
    (turn,) = turns(openwebui, _chat("x [1] [2]", source))
    assert [(s.url, s.title) for s in turn.all_sources] == [(A, "One"), (B, "")]


def test_a_source_without_a_key_in_its_documents_has_its_own() -> None:
    one, two = _source({}, id="k1", name="a.md"), _source({}, id="k2", name="b.md")
    (turn,) = turns(openwebui, _chat("x [1] [2]", one, two))
    assert [s.url for s in turn.all_sources] == ["file:a.md", "file:b.md"]


def test_old_answers_have_citations() -> None:
    (turn,) = turns(openwebui, _chat("x [1]", citations=[_source(_page(A))]))
    assert [s.url for s in turn.all_sources] == [A]


@pytest.mark.parametrize(
    "thoughts",
    [
        '<details type="reasoning" done="true">\n<summary>S</summary>\n> SECRET\n</details>\n',
        '<details type="tool_calls" done="true" arguments="&quot;SECRET">\nSECRET\n</details>\n',
        "<think>SECRET</think>\n",
    ],
)
def test_thoughts_and_calls_stay_out(thoughts: str) -> None:
    assert turns(openwebui, _chat(f"{thoughts}Answer."))[0].answer == "Answer."


def test_details_of_the_answer_stay() -> None:
    text = "<details>\n<summary>More</summary>\nText `<think>`.\n</details>"
    assert turns(openwebui, _chat(text))[0].answer == text


def test_the_branch_that_was_shown() -> None:
    data = _chat("Shown.")
    said = data[0]["chat"]["history"]
    said["messages"]["b"] = _message("assistant", "Discarded.", "q", timestamp=1750000009)
    said["messages"]["s"] = _message("system", "SECRET", None)
    assert [turn.answer for turn in turns(openwebui, data)] == ["Shown."]
    said["currentId"] = None
    assert [turn.answer for turn in turns(openwebui, data)] == ["Discarded."]
    assert len(messages(openwebui, data)) == 1


def test_old_exports_hold_one_branch() -> None:
    said = [
        _message("user", [{"type": "text", "text": "Q?"}], None),
        _message("assistant", "A.", None),
    ]
    (turn,) = turns(openwebui, [{"chat": {"title": "T", "messages": said}}])
    assert (turn.prompt, turn.answer) == ("Q?", "A.")


def test_no_number_is_carried_into_the_next_turn() -> None:
    data = _chat("x [1]", _source(_page(A)))
    said = data[0]["chat"]["history"]
    said["messages"]["r"] = _message("user", "And?", "a")
    said["messages"]["b"] = _message("assistant", "y [1]", "r", sources=[_source(_page(B))])
    said["currentId"] = "b"
    assert [[s.url for s in turn.all_sources] for turn in turns(openwebui, data)] == [[A], [B]]


@pytest.mark.parametrize("data", [{}, [], None, [{"chat": {}}], [{"mapping": {}}], "chat"])
def test_what_is_none_of_it(data: Any) -> None:
    assert not openwebui.recognises(export(data))


def test_a_file_without_answers_is_refused() -> None:
    with pytest.raises(Refused):
        imported(openwebui, _chat(""))


def test_nothing_breaks_it() -> None:
    survives(openwebui, _chat("x [1] [2#y]", _source(_page(A, "One"), {"name": "b.pdf"})))


WORDS = st.lists(
    st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות", "é", "👩‍🚀", "`[1]`"]),
    min_size=1,
    max_size=4,
).map(" ".join)


@many(50)
@given(st.lists(st.tuples(WORDS, st.lists(st.sampled_from([A, B, C]), max_size=3, unique=True))))
def test_what_went_in_comes_out(claims: list[tuple[str, list[str]]]) -> None:
    pages = list(dict.fromkeys([C, *(url for _, urls in claims for url in urls)]))
    text, plain = "Tides. ", "Tides. "
    wanted: list[tuple[int, str]] = []
    for claim, urls in claims:
        plain += claim
        wanted += [(len(plain), url) for url in urls]
        numbers = [str(pages.index(url) + 1) for url in urls]
        text += claim + (f"[{', '.join(numbers)}]" if numbers else "") + ". "
        plain += ". "
    (turn,) = turns(openwebui, _chat(text, *(_source(_page(url)) for url in pages)))
    found = read(turn)
    assert (found.text.strip(), found.cites, found.listed) == (plain.strip(), wanted, [])


@pytest.mark.parametrize(
    "folded",
    [
        '<details type="reasoning">\na <details>x</details> SECRET</details>\n',
        '<details type="reasoning"><details type="tool_calls">x</details> SECRET</details>',
        '<details type="reasoning">the tag <details> SECRET</details>\n',
        '<details type="reasoning">SECRET</details>\n<think>SECRET</think>\n',
    ],
)
def test_what_is_folded_ends_where_it_is_closed(folded: str) -> None:
    assert [turn.answer for turn in turns(openwebui, _chat(f"{folded}hi"))] == ["hi"]
