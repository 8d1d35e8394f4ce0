"""ChatGPT's export: the branch that was shown, what a mark stands for, what nothing resolves."""

from __future__ import annotations

from typing import Any

import pytest
from cite_filter.importers import Refused, chatgpt, deepseek
from conftest import many
from hypothesis import given
from hypothesis import strategies as st
from imports import export, imported, messages, read, survives, turns

A, B, C = "https://example.org/a", "https://example.com/b?x=(1)&y=潮", "https://example.net/c"
LOST = "turn 1: 1 citation has no source in this export; shown as [?]"


def _mark(kind: str, *fields: str) -> str:
    return "\ue200" + "\ue202".join([kind, *fields]) + "\ue201"


def _refs(*tokens: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"turn_index": 0, "ref_type": kind, "ref_index": n} for kind, n in tokens]


def _item(url: str, *tokens: tuple[str, int], **more: Any) -> dict[str, Any]:
    return {"url": url, "title": f"Title of\n{url[8:19]}", "refs": _refs(*tokens), **more}


def _reference(text: str, matched: str, kind: str = "grouped_webpages", **more: Any) -> Any:
    start = text.index(matched)
    place = {"start_idx": start, "end_idx": start + len(matched)}
    return {"type": kind, "matched_text": matched, **place, **more}


def _message(role: str, text: str | None, **more: Any) -> dict[str, Any]:
    metadata = more.pop("metadata", {})
    content = more.pop("content", {"content_type": "text", "parts": [text]})
    return {
        "author": {"role": role},
        "create_time": 1750000000.5,
        "content": content,
        "metadata": metadata,
        "recipient": "all",
        **more,
    }


def _conversation(*said: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    mapping = {
        str(n): {
            "id": str(n),
            "message": message,
            "parent": str(n - 1) if n else None,
            "children": [str(n + 1)] if n + 1 < len(said) else [],
        }
        for n, message in enumerate(said)
    }
    about = {"title": "Tides", "create_time": 1750000000, "conversation_id": "c-1"}
    return {**about, "mapping": mapping, "current_node": str(len(said) - 1), **more}


def _answered(text: str, *references: Any, **metadata: Any) -> list[dict[str, Any]]:
    """An export of one answer."""
    metadata = {"content_references": list(references), **metadata}
    return [
        _conversation(None, _message("user", "Q?"), _message("assistant", text, metadata=metadata))
    ]


def _answer(text: str, *references: Any, **metadata: Any) -> str:
    (turn,) = turns(chatgpt, _answered(text, *references, **metadata))
    return turn.answer


# --- Conversations -------------------------------------------------------------------------------


def test_a_conversation() -> None:
    mark = _mark("cite", "turn0search0")
    text = f"🌊🌙 المد والجزر {mark}。潮汐"
    (one,) = imported(
        chatgpt,
        _answered(text, _reference(text, mark, items=[_item(A + "?utm_source=chatgpt.com")])),
    )
    (turn,) = one.transcript.turns
    assert turn.prompt == "Q?"
    assert turn.answer == "🌊🌙 المد والجزر [1]。潮汐"
    assert [(s.url, s.title) for s in turn.all_sources] == [(A, "Title of example.org")]
    assert (one.transcript.title, one.transcript.date) == ("Tides", "2025-06-15T15:06:40Z")
    assert one.transcript.provenance == {"id": "c-1"}
    assert one.messages == []


@pytest.mark.parametrize("wrapped", [False, True])
def test_each_conversation_of_a_file_is_one(wrapped: bool) -> None:
    many_of_them = [
        *_answered("One."),
        *_answered("Two."),
        _conversation(_message("user", "No answer")),
    ]
    data: Any = {"conversations": many_of_them} if wrapped else many_of_them
    found = imported(chatgpt, data)
    assert [one.transcript.turns[0].answer for one in found] == ["One.", "Two."]


def test_a_conversation_alone() -> None:
    assert _answered("One.")[0]["mapping"]
    assert [turn.answer for turn in turns(chatgpt, _answered("One.")[0])] == ["One."]


def test_the_branch_that_was_shown() -> None:
    data = _conversation(_message("user", "Q?"), _message("assistant", "Discarded."))
    data["mapping"]["x"] = {
        "parent": "0",
        "children": [],
        "message": _message("assistant", "Shown."),
    }
    data["current_node"] = "x"
    assert [turn.answer for turn in turns(chatgpt, [data])] == ["Shown."]
    assert messages(chatgpt, [data]) == []
    data["current_node"] = None
    data["mapping"]["1"]["message"]["create_time"] = 1750000009
    assert [turn.answer for turn in turns(chatgpt, [data])] == ["Discarded."]
    assert messages(chatgpt, [data]) == [
        "the export does not say which branch was shown; the newest is taken"
    ]


def test_nodes_that_name_their_children_only() -> None:
    data = _conversation(_message("user", "Q?"), _message("assistant", "A."))
    for node in data["mapping"].values():
        del node["parent"]
    assert [(turn.prompt, turn.answer) for turn in turns(chatgpt, [data])] == [("Q?", "A.")]


def test_a_ring_ends() -> None:
    data = _conversation(_message("user", "Q?"), _message("assistant", "A."))
    data["mapping"]["0"]["parent"] = "1"
    assert len(turns(chatgpt, [data])) == 1


HIDDEN = [
    _message("system", "SECRET"),
    _message("user", "SECRET", metadata={"is_visually_hidden_from_conversation": True}),
    _message(
        "user", None, content={"content_type": "user_editable_context", "user_profile": "SECRET"}
    ),
    _message("user", "SECRET", metadata={"is_user_system_message": True}),
    _message(
        "assistant", None, content={"content_type": "thoughts", "thoughts": [{"content": "SECRET"}]}
    ),
    _message("assistant", None, content={"content_type": "reasoning_recap", "content": "SECRET"}),
    _message(
        "assistant", None, content={"content_type": "code", "text": "SECRET"}, recipient="web"
    ),
    _message("assistant", "SECRET", recipient="python"),
    _message("assistant", "SECRET", channel="analysis"),
    _message("tool", "SECRET"),
    _message("tool", None, content={"content_type": "tether_quote", "text": "SECRET"}),
]


@pytest.mark.parametrize("message", HIDDEN)
def test_what_was_not_shown_stays_out(message: dict[str, Any]) -> None:
    said = [_message("user", "Q?"), message, _message("assistant", "A.")]
    (one,) = imported(chatgpt, [_conversation(*said)])
    assert "SECRET" not in one.transcript.to_markdown()
    assert [(turn.prompt, turn.answer) for turn in one.transcript.turns] == [("Q?", "A.")]


def test_several_messages_are_one_answer_and_each_keeps_its_tokens() -> None:
    mark = _mark("cite", "turn0search0")
    first, second = f"First 🌊. {mark}", f"Second. {mark}"
    said = [
        _message(
            "assistant",
            text,
            metadata={"content_references": [_reference(text, mark, items=[_item(url)])]},
        )
        for text, url in ((first, A), (second, B))
    ]
    (turn,) = turns(chatgpt, [_conversation(_message("user", "Q?"), *said)])
    assert turn.answer == "First 🌊. [1]\n\nSecond. [2]"
    assert [source.url for source in turn.all_sources] == [A, B]


def test_parts_that_are_no_text() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "x"},
        None,
        "Text.",
        {"content_type": "audio_transcription", "text": "Spoken."},
    ]
    said = _message("assistant", None, content={"content_type": "multimodal_text", "parts": parts})
    data = [_conversation(_message("user", "Q?"), said)]
    assert turns(chatgpt, data)[0].answer == "Text.\n\nSpoken."
    assert messages(chatgpt, data) == ["turn 1: 1 picture, file or widget is left out"]


def test_the_report_of_deep_research_of_a_tool_is_shown() -> None:
    report = _message("tool", "Report.", metadata={"is_async_task_result_message": True})
    assert turns(chatgpt, [_conversation(_message("user", "Q?"), report)])[0].answer == "Report."


def test_a_file_without_answers_is_refused() -> None:
    with pytest.raises(Refused):
        imported(chatgpt, [_conversation(_message("user", "Q?"))])


# --- References ----------------------------------------------------------------------------------


def test_all_pages_behind_a_mark() -> None:
    mark = _mark("cite", "turn0search1", "turn0search0")
    text = f"Both {mark}."
    item = _item(B, ("search", 1), ("search", 0), supporting_websites=[{"url": A, "title": "a"}])
    (turn,) = turns(chatgpt, _answered(text, _reference(text, mark, items=[item])))
    assert turn.answer == "Both [1][2]."
    assert [source.url for source in turn.all_sources] == [B, A]


def test_pages_that_the_product_fell_back_on() -> None:
    mark = _mark("cite", "turn0search0")
    kind = "grouped_webpages_model_predicted_fallback"
    reference = _reference(f"So {mark}", mark, kind, items=[], fallback_items=[_item(A)])
    assert _answer(f"So {mark}", reference) == "So [1]"


def test_a_mark_of_the_same_text_has_the_same_source() -> None:
    mark = _mark("cite", "turn0search0")
    text = f"One {mark} two {mark}."
    assert _answer(text, _reference(text, mark, items=[_item(A)])) == "One [1] two [1]."
    wrong = {**_reference(text, mark, items=[_item(A)]), "start_idx": 77, "end_idx": "x"}
    assert _answer(text, wrong) == "One [1] two [1]."
    other = {**wrong, "items": [_item(B)]}
    (turn,) = turns(chatgpt, _answered(text, wrong, other))
    assert turn.answer == "One [?] two [?]."
    assert read(turn).listed == [A, B]


@pytest.mark.parametrize("unit", [2, 4])
def test_places_in_code_points_and_in_utf_16(unit: int) -> None:
    text = "🌊🌊 a\ue206 b\ue206"
    encoding = {2: "utf-16-le", 4: "utf-32-le"}[unit]
    start = len(text[:-1].encode(encoding)) // unit
    place = {"start_idx": start, "end_idx": start + 1}
    reference = {"type": "grouped_webpages", "matched_text": "\ue206", **place, "items": [_item(A)]}
    assert _answer(text, reference) == "🌊🌊 a b[1]"


def test_the_panel_deletes_no_space_and_lists_nothing() -> None:
    text = "One two three"
    panel = {"type": "sources_footnote", "matched_text": " ", "start_idx": 3, "end_idx": 4}
    data = _answered(text, {**panel, "sources": [_item(A)]})
    assert turns(chatgpt, data)[0].answer == text
    assert turns(chatgpt, data)[0].all_sources == []


def test_what_is_hidden_goes_and_the_words_stay() -> None:
    text = "\ue203A claim.\ue204 Words\ue206"
    assert _answer(text, _reference(text, "\ue203", "hidden")) == "A claim. Words"


def test_a_text_of_attribution_goes() -> None:
    text = 'So it is.({"attribution":{"attributableIndex":"1-1"}}) And.'
    matched = text[9:-5]
    assert _answer(text, _reference(text, matched, "attribution")) == "So it is. And."


def test_words_that_a_reference_names_are_cited_behind() -> None:
    text = "Tides rise. And fall."
    assert (
        _answer(text, _reference(text, "Tides rise.", "webpage", url=A))
        == "Tides rise.[1] And fall."
    )
    lost = {**_reference(text, "Tides rise.", "webpage", url=A), "matched_text": "Nothing"}
    (turn,) = turns(chatgpt, _answered(text, lost))
    assert (turn.answer, read(turn).listed) == (text, [A])


def test_an_invalid_reference_is_none() -> None:
    mark = _mark("cite", "turn0search0")
    reference = _reference(mark, mark, items=[_item(A)], invalid=True)
    assert _answer(f"{mark}", reference) == "[?]"


def test_runs_that_cite_files_links_videos_and_name_things() -> None:
    file, link, video = (
        _mark("filecite", "turn0file0", "L1-L3"),
        _mark("url", "the page", "turn0search1"),
        _mark("video", "A film", "turn0youtube0"),
    )
    entity = _mark("entity", '["place","Fundy","bay"]')
    text = f"{entity} {file} {link} {video}"
    (turn,) = turns(
        chatgpt,
        _answered(
            text,
            _reference(text, file, "file", name="notes.pdf"),
            _reference(text, link, "url", item=_item(A)),
            _reference(text, video, "video", url=C, title="Film"),
        ),
    )
    assert turn.answer == "Fundy [1] the page[2] A film[3]"
    assert [source.url for source in turn.all_sources] == ["file:notes.pdf", A, C]


def test_a_title_alone_names_a_file_only() -> None:
    mark = _mark("filecite", "turn0file0")
    file = _reference(mark, mark, "file", title="a.pdf")
    page = _reference(mark, mark, items=[{"title": "A page"}, {"url": "javascript:x"}])
    (turn,) = turns(chatgpt, _answered(mark, file))
    assert [source.url for source in turn.all_sources] == ["file:a.pdf"]
    (turn,) = turns(chatgpt, _answered(mark, {**file, "name": "b.pdf"}))
    assert [source.url for source in turn.all_sources] == ["file:b.pdf"]
    assert _answer(mark, page) == "[?]"


def test_a_list_of_links_cites_and_a_row_of_pictures_does_not() -> None:
    links, row = _mark("navlist", "News", "turn0search7"), _mark("image_group", "turn0search7")
    assert _answer(f"{row}{links}", **_groups(A)) == "News[1]"


def test_runs_that_nothing_resolves() -> None:
    runs = [
        _mark("filecite", "turn0file0"),
        _mark("url", "the page", "turn0search1"),
        _mark("video", "A film", "turn0youtube0"),
        _mark("cite"),
        "\ue200cite\ue202turn0sea",
    ]
    assert _answer(" ".join(runs)) == "[?] the page[?] A film [?] [?]"


@pytest.mark.parametrize("named", ["[", '["x"]', '["x", 3]', "{}", ""])
def test_a_thing_without_a_name(named: str) -> None:
    assert _answer(f"So {_mark('entity', named)}it is.") == "So it is."


def test_widgets_are_left_out_and_counted() -> None:
    data = _answered(f'So{_mark("image_group", "{}")} 【{{"image_fetch": "x"}}】it is. `【{{1}}】`')
    assert turns(chatgpt, data)[0].answer == "So it is. `【{1}】`"
    assert messages(chatgpt, data) == ["turn 1: 2 pictures, files or widgets are left out"]


def test_a_mark_in_code_cites_behind_it() -> None:
    mark = _mark("cite", "turn0search0")
    text = f"See `x {mark}` so."
    assert _answer(text, _reference(text, mark, items=[_item(A)])) == "See `x `[1] so."
    assert _answer(text) == "See `x [?]` so."


def test_marks_side_by_side_cite_a_page_once() -> None:
    one, two = _mark("cite", "turn0search0"), _mark("cite", "turn0search1")
    text = f"So {one}{two}{one}."
    references = [
        _reference(text, one, items=[_item(A)]),
        _reference(text, two, items=[_item(A + "?utm_source=chatgpt.com"), _item(B)]),
    ]
    assert _answer(text, *references) == "So [1][2]."


def test_numbers_of_the_text_stay_what_they_are() -> None:
    mark = _mark("cite", "turn0search0")
    text = f"An index [1] {mark} and a[2]."
    (turn,) = turns(chatgpt, _answered(text, _reference(text, mark, items=[_item(A)])))
    assert turn.answer == "An index [1] [3] and a[2]."
    assert [source.number for source in turn.all_sources] == [3]


def test_boxes_of_the_product_go() -> None:
    text = ":::contextList\n**A**\n:::\n\n```\n:::writing\n```\n"
    assert _answer(text) == "**A**\n\n```\n:::writing\n```"


# --- Tokens without a reference ------------------------------------------------------------------


def _groups(url: str, kind: str = "search", number: int = 7) -> dict[str, Any]:
    entry = {"url": url, "title": "Found", "ref_id": _refs((kind, number))[0]}
    return {"search_result_groups": [{"entries": [entry]}]}


def test_a_token_that_only_the_results_know() -> None:
    mark = _mark("cite", "turn0search7")
    assert _answer(f"So {mark}", **_groups(A)) == "So [1]"
    assert _answer(f"So {mark}", **_groups(A, number=8)) == "So [?]"
    twice = _groups(A)["search_result_groups"] + _groups(B)["search_result_groups"]
    assert _answer(f"So {mark}", search_result_groups=twice) == "So [?]"


@pytest.mark.parametrize(
    ("exchange", "answer"), [(None, "So [1]"), ("x", "So [1]"), ("y", "So [?]")]
)
def test_results_of_a_tool_before_the_answer(exchange: str | None, answer: str) -> None:
    tool = _message("tool", None, metadata={**_groups(A), "turn_exchange_id": exchange})
    said = _message(
        "assistant", f"So {_mark('cite', 'turn0search7')}", metadata={"turn_exchange_id": "x"}
    )
    (turn,) = turns(chatgpt, [_conversation(_message("user", "Q?"), tool, said)])
    assert turn.answer == answer


def test_no_token_is_carried_into_the_next_turn() -> None:
    mark = _mark("cite", "turn0search7")
    tool = _message("tool", None, metadata=_groups(A))
    reference = _reference(mark, mark, items=[_item(A, ("search", 7))])
    said = [
        _message("user", "Q?"), tool,
        _message("assistant", mark, metadata={"content_references": [reference]}),
        _message("user", "And?"), _message("assistant", mark, metadata={"safe_urls": [A]}),
    ]  # fmt: skip
    assert [turn.answer for turn in turns(chatgpt, [_conversation(*said)])] == ["[1]", "[?]"]
    assert messages(chatgpt, [_conversation(*said)]) == [LOST.replace("turn 1", "turn 2")]


def test_a_token_that_an_item_elsewhere_in_the_message_names() -> None:
    text = f"a\ue206 b {_mark('cite', 'turn0search3')} c {_mark('cite', 'turn0search4')}"
    one = _reference(text, "\ue206", items=[_item(A, ("search", 3))])
    several = _item(B, ("search", 4), ("search", 5), supporting_websites=[{"url": C}])
    assert _answer(text, one, {**one, "start_idx": 99, "items": [several]}) == "a[1] b [1] c [?]"


def test_a_token_that_its_reference_leaves_out_is_lost() -> None:
    mark = _mark("cite", "turn0search0", "turn0search1")
    data = _answered(mark, _reference(mark, mark, items=[_item(A, ("search", 0))]))
    assert read(turns(chatgpt, data)[0]).cites == [(0, A)]
    assert "[?]" in turns(chatgpt, data)[0].answer
    assert messages(chatgpt, data) == [LOST]


# --- Brackets ------------------------------------------------------------------------------------


def test_deep_research() -> None:
    one, two = "【446346422802141†L175-L190】", "【993310†L10-L12】"
    text = f"🚀 Large.{one}{one} So 【注】 【F:src/a.py†L1-L9】 【abc123†L1】.\n\n"
    text += f"| 京都 | 3 m{two} |\n|---|---|\n"
    (turn,) = turns(
        chatgpt,
        _answered(
            text,
            _reference(text, one, "webpage_extended", url=f"{A}#:~:text=x,y", title="A\n b"),
            _reference(text, two, "webpage_extended", url=B),
        ),
    )
    assert turn.answer.startswith("🚀 Large.[1] So 【注】 【F:src/a.py†L1-L9】 【abc123†L1】.")
    assert "| 京都 | 3 m[2] |" in turn.answer
    assert [(s.url, s.title) for s in turn.all_sources] == [(f"{A}#:~:text=x,y", "A b"), (B, "")]
    assert _answer(f"So{one}") == "So[?]"


def _old(start: int, number: int | None, url: str, **more: Any) -> dict[str, Any]:
    extra = {"cited_message_idx": number, "evidence_text": "source"}
    return {
        "start_ix": start,
        "end_ix": start + 10,
        "metadata": {"url": url, "extra": extra, **more},
    }


def test_old_browsing() -> None:
    text = "Old🌊【5†source】 two【7†source】."
    citations = [_old(text.index("【5"), 5, A), _old(text.index("【7") - 1, 7, B)]
    assert _answer(text, citations=citations) == "Old🌊[1] two[2]."
    far = [_old(99, 5, A), _old(98, 7, B)]
    assert _answer(text, citations=far) == "Old🌊[1] two[2]."
    (turn,) = turns(
        chatgpt, _answered(text, citations=[_old(text.index("【7"), 5, A), _old(99, 5, B)])
    )
    assert turn.answer == "Old🌊[?] two[?]."  # a number of two pages; a place of another number
    assert read(turn).listed == [A, B]


def test_old_citations_of_files_and_none() -> None:
    citations = [_old(2, 4, "", type="file", name="a.pdf"), {"start_ix": 2, "invalid_reason": "x"}]
    (turn,) = turns(
        chatgpt, _answered("So【4:0†source】 `【4†source】` `【9†x】`", citations=citations)
    )
    assert turn.answer == "So[1] `【4†source】` `【9†x】`"


# --- Others --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        None,
        [{"mapping": {}}],
        [{"mapping": {"1": {"message": {"fragments": []}}}}],
        "mapping",
    ],
)
def test_what_is_none_of_it(data: Any) -> None:
    assert not chatgpt.recognises(export(data))


def test_deepseek_takes_none_of_it() -> None:
    assert not deepseek.recognises(export(_answered("A.")))


def test_nothing_breaks_it() -> None:
    mark, two = _mark("cite", "turn0search0"), "【5†source】"
    text = f"A {mark} b{two} c\ue206"
    reference = _reference(
        text, mark, items=[_item(A, ("search", 0), supporting_websites=[{"url": B}])]
    )
    data = _answered(text, reference, citations=[_old(5, 5, B)], **_groups(C))
    survives(chatgpt, data)


WORDS = st.lists(
    st.sampled_from(["tide", "潮汐", "🌊", "المد", "גאות", "é", "👩‍🚀", "[12]", "`a[0]`"]),
    min_size=1,
    max_size=4,
).map(" ".join)
CITED = st.lists(st.sampled_from([A, B, C]), max_size=3, unique=True)


@many(50)
@given(st.lists(st.lists(st.tuples(WORDS, CITED, st.booleans()), min_size=1), min_size=1))
def test_what_went_in_comes_out(chat: list[list[tuple[str, list[str], bool]]]) -> None:
    said, wanted = [], []
    for claims in chat:
        text, plain = "", ""
        places: list[tuple[int, str]] = []
        references = []
        for number, (claim, urls, bracket) in enumerate(claims):
            text, plain = text + claim, plain + claim
            if urls:
                url = urls[0]
                mark = f"【{number}†L1】" if bracket else _mark("cite", f"turn0search{number}")
                reference = {"matched_text": mark, "start_idx": len(text)}
                reference["end_idx"] = len(text) + len(mark)
                page = {"type": "webpage_extended", "url": url}
                items = {"type": "grouped_webpages", "items": [{"url": u} for u in urls]}
                references.append({**reference, **(page if bracket else items)})
                text += mark
                places += [(len(plain), u) for u in (urls[:1] if bracket else urls)]
            text, plain = text + ". ", plain + ". "
        metadata = {"content_references": references}
        said += [_message("user", "Q?"), _message("assistant", text, metadata=metadata)]
        wanted.append((plain.strip(), places))
    found = [read(turn) for turn in turns(chatgpt, [_conversation(*said)])]
    assert [(one.text.strip(), one.cites) for one in found] == wanted
    assert not any(one.listed for one in found)
