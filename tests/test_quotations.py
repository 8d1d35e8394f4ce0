"""Whether a quotation stands in a source: vectors of every equivalence and every misquotation.

The vectors are data of our own; `origin` names the public record that gave the idea.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cite_filter.answers import Answer, Claim, Form, RetrievedSource, verify
from cite_filter.quotations import Nearest, Passage, Quotations, Verdict
from cite_filter.verification import VerifiedClaim
from conftest import many
from hypothesis import assume, given
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
PAIRS = importlib.import_module("quotation_pairs")
MISQUOTING = importlib.import_module("misquoting")
LANGUAGES = importlib.import_module("quotation_prose").languages()

VECTORS = json.loads(
    Path(__file__).with_name("data").joinpath("quotations.json").read_text(encoding="utf-8")
)
ROWS = [f"S{row}" for row in range(1, 29) if row not in (19, 24)]
ROWS += [f"U{row}" for row in range(1, 26)]
CONTEXT = 32
"""Characters of the source that a passage gives before and after it."""


def source(text: str, form: Form = "text", number: int = 0) -> RetrievedSource:
    return RetrievedSource(f"https://example.org/{number}", text=text, form=form)


def check(quote: str, text: str, form: Form = "text") -> Verdict:
    return Quotations([source(text, form)]).check(quote, [0])


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def letters(text: str) -> str:
    """The letters and digits of a text as any writing of it has them."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    for sign, plain in {"ı": "i", "æ": "ae", "œ": "oe", "ʼ": "'"}.items():
        folded = folded.replace(sign, plain)
    return "".join(sign for sign in folded if sign.isalnum())


# --- Vectors ------------------------------------------------------------------------------------


def verified(vector: dict[str, Any]) -> VerifiedClaim:
    texts = vector.get("sources") or [vector["source"]]
    form: Form = vector.get("form", "text")
    sources = [source(text, form, number) for number, text in enumerate(texts)]
    cited = [sources[position].url for position in vector.get("cited", [0])]
    claim = Claim("A claim.", cited, "stated", vector["quote"])
    return verify(Answer("", [claim]), sources).claims[0]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector(vector: dict[str, Any]) -> None:
    claim = verified(vector)
    found = (claim.status, claim.reason)
    assert claim.status in listed(vector["status"]), (found, vector["note"])
    assert claim.reason in listed(vector["reason"]), (found, vector["note"])
    assert claim.quote_verified is (claim.status == "ok")
    texts = vector.get("sources") or [vector["source"]]
    verdict = claim.verdict
    assert verdict is not None
    for passage in verdict.passages:
        _is_in_its_source(passage, texts)
    if verdict.nearest:
        _is_near(verdict.nearest, texts)
    if claim.status == "ok":
        _is_the_quotation(verdict.passages, vector)
    if "parts" in vector:
        assert [passage.exact for passage in verdict.passages] == vector["parts"]
    if claim.reason == "found_elsewhere":
        assert [passage.url for passage in verdict.passages] == ["https://example.org/1"]


def _is_in_its_source(passage: Passage | Nearest, texts: Sequence[str]) -> None:
    text = texts[int(passage.url.rpartition("/")[2])]
    assert 0 <= passage.start < passage.end <= len(text)
    assert text[passage.start : passage.end] == passage.exact
    if isinstance(passage, Passage):
        assert len(passage.prefix) <= CONTEXT
        assert len(passage.suffix) <= CONTEXT
        assert text[: passage.start].endswith(passage.prefix)
        assert text[passage.end :].startswith(passage.suffix)
        assert bool(passage.prefix) is (passage.start > 0)
        assert bool(passage.suffix) is (passage.end < len(text))


def _is_near(nearest: Nearest, texts: Sequence[str]) -> None:
    _is_in_its_source(nearest, texts)
    assert 0 <= nearest.similarity <= 100
    assert any(change.kind != "same" for change in nearest.changes)


def _is_the_quotation(passages: Sequence[Passage], vector: dict[str, Any]) -> None:
    """The passage begins and ends where the quotation does in the source."""
    assert len(passages) == 1
    assert passages[0].exact == passages[0].exact.strip()
    if vector.get("exact"):
        assert passages[0].exact == vector["exact"]
    more = r"\[(?![^\W\d]\])[^]]*\]"  # a marker or a sic, not a letter whose case was changed
    quoted = letters(re.sub(more, "", vector["quote"]))
    shown = letters(re.sub(more, "", passages[0].shown))
    assert quoted == shown


def test_every_row_has_cases() -> None:
    rows = Counter(vector["row"] for vector in VECTORS)
    assert {row for row in ROWS if rows[row] < 3} == set()
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS)


@pytest.mark.parametrize("reason", ["case", "accent", "punctuation", "elided"])
def test_right_words_are_a_minor_mismatch(reason: str) -> None:
    found = [verified(vector) for vector in VECTORS if vector["reason"] == reason]
    assert found
    assert {claim.severity for claim in found} == {"minor"}


@pytest.mark.parametrize("reason", ["altered", "omission", "spliced", "elision_hides"])
def test_other_words_are_a_major_mismatch(reason: str) -> None:
    found = [verified(vector) for vector in VECTORS if vector["reason"] == reason]
    assert {claim.severity for claim in found} == {"major"}


# --- Passages -----------------------------------------------------------------------------------


def test_offsets_count_code_points() -> None:
    text = "👩‍🔬 🇳🇴 The lamp was lit at dusk. 👍"
    (passage,) = check("The lamp was lit at dusk.", text).passages
    assert (passage.start, passage.end) == (text.index("The"), text.index(" 👍"))
    assert (passage.prefix, passage.suffix) == (text[: passage.start], " 👍")


def test_a_passage_is_shown_as_a_reader_sees_it() -> None:
    text = "So **the lamp\nwas [lit](https://example.org/b)** at dusk."
    (passage,) = check("The lamp was lit at dusk", text, "markdown").passages
    assert passage.exact == "the lamp\nwas [lit](https://example.org/b)** at dusk"
    assert passage.shown == "the lamp was lit at dusk"


def test_a_passage_has_a_selector_and_a_link() -> None:
    text = f"{'before ' * 10}The lamp was lit at dusk.{' after' * 10}"
    (passage,) = check("The lamp was lit at dusk.", text).passages
    selector = passage.to_json()["selector"]
    assert selector["type"] == "TextQuoteSelector"
    assert selector["exact"] == "The lamp was lit at dusk."
    assert (len(selector["prefix"]), len(selector["suffix"])) == (CONTEXT, CONTEXT)
    assert passage.link
    assert passage.link.startswith("https://example.org/0#:~:text=")


def test_the_first_cited_source_that_has_it_counts() -> None:
    text = "The lamp was lit at dusk."
    sources = [source(text, number=number) for number in range(3)]
    verdict = Quotations(sources).check(text, [2, 1])
    assert [passage.url for passage in verdict.passages] == ["https://example.org/2"]


# --- The nearest passage ------------------------------------------------------------------------

TIDES = (
    "Most coasts see two high tides a day, some twelve hours apart. A few coasts see only one. "
    "The height of a tide depends on the moon, on the wind, and on the shape of the coast. "
    "Near Corran the water rises by 4.35 m in spring, which is not unusual for a narrow inlet. "
    "Sailors who had never seen the place were told to wait for the evening tide."
)
NEAREST = [
    ("the water rises by 4.53 m in spring", "4.35", "4.53"),
    ("which is unusual for a narrow inlet", "not", ""),
    ("Sailors who had once seen the place were told to wait", "never", "once"),
    ("A few coasts see only two of them.", "one", "two"),
    ("The height of a tide depends on the moon, on the tide, and on the shape", "wind", "tide"),
    ("Most coasts see two high tides a day, some eleven hours apart.", "twelve", "eleven"),
]


@pytest.mark.parametrize(("quote", "there", "quoted"), NEAREST, ids=[case[1] for case in NEAREST])
def test_a_failed_quotation_is_explained(quote: str, there: str, quoted: str) -> None:
    verdict = check(quote, TIDES)
    nearest = verdict.nearest
    assert (verdict.verified, verdict.reason) == (False, "altered")
    assert nearest is not None
    assert there in nearest.exact
    assert len(nearest.exact) < 2 * len(quote)
    assert nearest.similarity > 70
    changed = [change for change in nearest.changes if change.kind != "same"]
    assert there in " ".join(change.source for change in changed)
    assert quoted in " ".join(change.quoted for change in changed)


@pytest.mark.parametrize(("quote", "there", "quoted"), NEAREST, ids=[case[1] for case in NEAREST])
def test_the_steps_give_both_texts(quote: str, there: str, quoted: str) -> None:
    nearest = check(quote, TIDES).nearest
    assert nearest is not None
    assert letters("".join(change.quoted for change in nearest.changes)) == letters(quote)
    assert letters("".join(change.source for change in nearest.changes)) == letters(nearest.exact)
    for change in nearest.changes:
        assert bool(change.quoted) is (change.kind != "omitted")
        assert bool(change.source) is (change.kind != "added")


def test_an_omission_shows_what_was_left_out() -> None:
    verdict = check("Near Corran the water rises in spring, which is not unusual", TIDES)
    assert verdict.reason in ("omission", "altered")
    assert verdict.nearest is not None
    omitted = [change.source for change in verdict.nearest.changes if change.kind == "omitted"]
    assert "4.35" in " ".join(omitted)


def test_the_nearest_passage_may_be_in_another_cited_source() -> None:
    sources = [source("The harbour was built in the year 1880."), source(TIDES, number=1)]
    nearest = Quotations(sources).check("the water rises by 4.53 m in spring", [0, 1]).nearest
    assert nearest is not None
    assert nearest.url == "https://example.org/1"


PLANTED = "each lantern of the harbour burned oil from the northern islands"


@pytest.mark.parametrize(
    "quote",
    [
        "each lanterns of the harbours burned oils from the northern island",
        "each lantern of the old harbour burned much oil from all the northern islands",
        "the harbour burned whale oil from the northern islands",
    ],
)
def test_a_planted_passage_is_located(quote: str) -> None:
    """After the cases of langextract: words of chance, among which a passage is planted."""
    words = ["pump", "valve", "north", "signal", "gravel", "copper", "oil", "ledger", "islands"]
    around = [words[number * number % 17 % len(words)] for number in range(800)]
    text = " ".join([*around[:400], PLANTED, *around[400:]])
    nearest = check(quote, text).nearest
    assert nearest is not None
    assert "harbour burned oil from the northern islands" in nearest.exact
    assert len(nearest.exact) < 2 * len(quote)


STORY = (
    "Many winters later, when the keeper stood before the council, he remembered the far evening "
    "on which his mother had taken him to see the lamp. We had all before us, we had none "
    "before us."
)


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("some winters later, when the keeper stood before the council", "Many winters later"),
        ("he remembered the far morning on which his mother", "the far evening"),
        ("his father had taken him to see the lamp", "his mother had taken"),
        ("We had all behind us, we had none before us.", "We had all before us"),
    ],
)
def test_the_likest_passage_is_shown(quote: str, there: str) -> None:
    """After the cases of hypothesis, whose matcher finds again what has been changed."""
    nearest = check(quote, STORY).nearest
    assert nearest is not None
    assert there in nearest.exact


def test_the_nearer_a_quotation_the_higher_its_similarity() -> None:
    quotes = [
        "when the keeper stood before the council, he remembered that evening",
        "when the keeper stood before a council, he remembered that evening",
        "when a keeper stood before a board, he remembered that evening",
    ]
    found = [check(quote, STORY).nearest for quote in quotes]
    scores = [nearest.similarity for nearest in found if nearest]
    assert len(scores) == len(quotes)
    assert scores == sorted(scores, reverse=True)


def test_a_sign_that_differs_is_shown_alone_where_words_have_no_spaces() -> None:
    passage = "这座桥建于一八八〇年，一九八七年春天对卡车关闭，后来没有再开放。"
    text = f"河水上涨了四米多。\n\n{passage}\n\n完。"
    nearest = check(passage.replace("春", "秋"), text).nearest
    assert nearest is not None
    assert "一九八七年春天" in nearest.exact
    (changed,) = [change for change in nearest.changes if change.kind != "same"]
    assert ("秋" in changed.quoted, "春" in changed.source) == (True, True)
    assert len(changed.quoted) < 10


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("Die Brücke wurde 1987 in Lindau gesperrt. Später öffnete sie wieder.",
         "Die Brücke wurde 1987 in Landau gesperrt.", "Lindau"),
        ("Мост закрыли весной. Летом его снова открыли для грузовиков.",
         "Летом его снова закрыли для грузовиков.", "открыли"),
        ("这座桥建于一八八〇年，一九八七年春天对卡车关闭，后来没有再开放。",
         "一九八七年秋天对卡车关闭，后来没有再开放。", "春天"),
        ("أغلق الجسر في مايو 1987 أمام الشاحنات ثم أعيد فتحه بعد عام.",
         "أغلق الجسر في مارس 1987 أمام الشاحنات", "مايو"),
        ("पुल मई 1987 में ट्रकों के लिए बंद किया गया और फिर खुला।",
         "पुल मार्च 1987 में ट्रकों के लिए बंद किया गया", "मई"),
    ],
    ids=["German", "Russian", "Chinese", "Arabic", "Hindi"],
)  # fmt: skip
def test_a_failure_is_explained_in_every_script(text: str, quote: str, there: str) -> None:
    verdict = check(quote, text)
    assert not verdict.verified
    assert verdict.nearest is not None
    assert there in verdict.nearest.exact


# --- Hostile input ------------------------------------------------------------------------------

LAMP = "The lamp was lit at dusk by the keeper of the light. "


@pytest.mark.parametrize(
    "quote",
    [".*", ".* .* .* .* .*", "(a+)+$x (a+)+$x (a+)+$x", "see [1 and see (2", r"\w+ \w+ \w+ \w+",
     "The lamp .* by the keeper", "The lamp was lit (?i)AT DUSK", "^The lamp was lit|x$ y",
     "{1} {0} {} %s %d %n", "\\", "\\N{BULLET} \\x41 \\u0041 lamp"],
)  # fmt: skip
def test_a_quotation_is_no_pattern(quote: str) -> None:
    assert not check(quote, LAMP).verified
    verdict = check(quote, f"{LAMP} It read {quote} in full. {LAMP}")
    assert verdict.verified is (len(letters(quote)) > 2 and len(quote.split()) > 2)


@pytest.mark.parametrize(
    "quote",
    ["\x00", "the lamp\x00was\x00lit", "\ud800", "the lamp \udfff was lit", "\U0010ffff" * 20,
     "\u0301" * 5000, "\u202e" * 5000, "]" * 5000, "&amp;" * 5000, "&#1114112; &#xD800; &#0; x",
     "… " * 5000, "[" * 5000, "*" * 5000, "\"'«»" * 2000, "<" * 5000, "a " * 20000, "٠" * 5000],
    ids=ascii,
)  # fmt: skip
@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_odd_quotations_are_answered(quote: str, form: Form) -> None:
    verdict = check(quote, LAMP, form)
    assert not verdict.verified or quote == "the lamp\x00was\x00lit"
    assert Quotations([source(quote, form)]).check(LAMP, [0]).verified is False


def test_a_quotation_of_a_megabyte() -> None:
    text = " ".join(f"{LAMP}It burned for {number} nights." for number in range(15_000))
    assert len(text) > 1_000_000
    quotations = Quotations([source(text)])
    assert quotations.check(text, [0]).verified
    assert not quotations.check(text.replace("for 9000 nights", "for 9001 nights"), [0]).verified
    assert not quotations.check(text + " And then it went out.", [0]).verified


def test_a_lone_surrogate_in_a_source_is_kept() -> None:
    text = f"{LAMP}\ud800 Odd signs \udc00 may stand anywhere in it."
    (passage,) = check("may stand anywhere in it.", text).passages
    assert passage.exact == "may stand anywhere in it."
    assert passage.link is None or "\ud800" not in passage.link


# --- Properties ---------------------------------------------------------------------------------

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzäöüñéèçşğåø",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ",
    "אבגדהוזחטיכלמנסעפצקרשתםןףךץ",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허",
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生",
)
WORD = st.sampled_from(ALPHABETS).flatmap(lambda signs: st.text(signs, min_size=2, max_size=9))
PARAGRAPH = st.sampled_from(
    [(language, paragraph) for language in LANGUAGES for paragraph in language.paragraphs]
)


@st.composite
def slices(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and some whole words of it."""
    words = draw(st.lists(WORD, min_size=6, max_size=40))
    begin = draw(st.integers(0, len(words) - 4))
    end = draw(st.integers(begin + 4, len(words)))
    return " ".join(words), " ".join(words[begin:end])


@many(300)
@given(slices(), st.sampled_from(["text", "markdown", "html"]))
def test_whole_words_of_a_source_are_found(held: tuple[str, str], form: Form) -> None:
    text, quote = held
    assume(len(quote) >= 20)
    verdict = check(quote, text, form)
    assert verdict.verified
    (passage,) = verdict.passages
    assert passage.exact == text[passage.start : passage.end]
    assert passage.exact[1:] == quote[1:]
    if text.count(quote) == 1:
        assert passage.start == text.index(quote)


@many(300)
@given(PARAGRAPH, st.data())
def test_one_letter_or_digit_changes_the_verdict(held: Any, data: st.DataObject) -> None:
    language, text = held
    words = text.split(" ") if language.is_spaced else re.findall("[^，。、]+[，。、]?", text)
    begin = data.draw(st.integers(0, max(0, len(words) - 6)))
    quote = (" " if language.is_spaced else "").join(words[begin : begin + 12])
    places = [at for at, sign in enumerate(quote) if sign.isalnum() and 2 < at < len(quote) - 3]
    assume(places)
    at = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from(["", "q", "7", "ж", "水"]))
    assume(other != quote[at])
    changed = quote[:at] + other + quote[at + 1 :]
    wording = MISQUOTING.wording(changed)
    assume(wording.casefold() not in MISQUOTING.wording(text).casefold())
    assert not check(changed, text).verified


SOUP = st.text(
    alphabet=st.sampled_from("<>&;*_`[](){}#|~\\!=\n\r\t -–—…'\"«»“.,:0a1é\u0301\u00ad\x00/")
)
ANY = st.text(st.characters(exclude_categories=())) | SOUP


@many(500)
@given(ANY, st.lists(ANY, max_size=3), st.sampled_from(["text", "markdown", "html"]))
def test_nothing_raises(quote: str, texts: list[str], form: Form) -> None:
    sources = [source(text, form, number) for number, text in enumerate(texts)]
    claim = Claim("A claim.", [item.url for item in sources], "stated", quote)
    answer = verify(Answer("", [claim]), sources)
    json.dumps(answer.to_json())
    verdict = answer.claims[0].verdict
    for passage in verdict.passages if verdict else ():
        _is_in_its_source(passage, texts)


@many(300)
@given(ANY, SOUP, st.sampled_from(["text", "markdown", "html"]))
def test_a_verdict_stays_the_same(quote: str, text: str, form: Form) -> None:
    quotations = Quotations([source(text, form)])
    assert quotations.check(quote, [0]) == quotations.check(quote, [0])


@many(200)
@given(slices(), ANY)
def test_what_stands_round_it_does_not_matter(held: tuple[str, str], around: str) -> None:
    _, quote = held
    assume(len(quote) >= 20)
    assert check(quote, f"{around}\n\n{quote}\n\n{around}").verified


# --- Generated pairs ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generated() -> list[Any]:
    return list(PAIRS.pairs(1_500, seed=20))


def looked_for(pair: Any) -> Verdict:
    form: Form = "text" if pair.form == "pdf" else pair.form
    sources = [source(pair.source, form)]
    if pair.elsewhere is not None:
        sources.append(source(pair.elsewhere, form, 1))
    return Quotations(sources).check(pair.quote, [0])


def named(pair: Any) -> tuple[Any, ...]:
    return (pair.language, pair.form, *pair.others, pair.kind, pair.quote)


def test_no_retypesetting_is_rejected(generated: list[Any]) -> None:
    safe = [pair for pair in generated if pair.is_safe]
    assert len(safe) > 500
    rejected = [pair for pair in safe if not looked_for(pair).verified]
    assert [named(pair) for pair in rejected] == []


def test_no_misquotation_is_accepted(generated: list[Any]) -> None:
    unsafe = [pair for pair in generated if not pair.is_safe]
    assert len(unsafe) > 500
    accepted = [pair for pair in unsafe if looked_for(pair).verified]
    assert [named(pair) for pair in accepted] == []


def test_a_retypeset_passage_is_placed(generated: list[Any]) -> None:
    """Nothing but mark-up stands between where it was put and where it is found."""
    for pair in generated:
        found = looked_for(pair).passages if pair.is_safe else ()
        for passage in found:
            assert passage.exact == pair.source[passage.start : passage.end]
            for one, other in ((passage.start, pair.start), (passage.end, pair.end)):
                between = pair.source[min(one, other) : max(one, other)]
                assert letters(re.sub(r"<[^>]*>|\]\([^)]*\)|\[[^]]*\]", "", between)) == "", pair


def test_the_nearest_passage_is_the_one_misquoted(generated: list[Any]) -> None:
    """An explanation may be missing now and then; it must not be of another passage."""
    kinds = [kind for kind in PAIRS.UNSAFE if kind[:2] in ("U1", "U4", "U5", "U6", "U7", "U8")]
    edited = [pair for pair in generated if pair.kind in kinds]
    missing = []
    for pair in edited:
        near = looked_for(pair).nearest
        if near is None:
            missing.append(pair)
        else:
            shared = min(near.end, pair.end) - max(near.start, pair.start)
            assert 2 * shared > pair.end - pair.start, (named(pair), near.exact)
    assert len(edited) > 300
    assert len(missing) <= len(edited) // 100


def test_the_generator_repeats_itself() -> None:
    assert list(PAIRS.pairs(60, seed=3)) == list(PAIRS.pairs(60, seed=3))
    kinds = {pair.kind for pair in PAIRS.pairs(200, seed=3) if not pair.is_safe}
    assert kinds == set(PAIRS.UNSAFE)
