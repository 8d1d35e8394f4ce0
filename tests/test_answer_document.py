"""The document of an answer: each kind of claim, each language, every character of a quotation."""

from __future__ import annotations

import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any, get_args
from xml.etree import ElementTree

import pypdf
import pytest
from cite_filter import answer_document, answers, pandoc, templates, untrusted, urls, writers
from cite_filter.answer_words import Words, sources_title, words_for
from cite_filter.answers import Answer, AnsweredQuestion, Certainty, Claim, RetrievedSource
from cite_filter.quotations import Passage, Reason, Verdict
from cite_filter.source_list import TITLES
from cite_filter.verification import (
    Integrity,
    Status,
    VerifiedAnswer,
    VerifiedClaim,
    VerifiedSource,
)
from conftest import read
from test_attacks import ATTACKS, HOSTILE_URLS, LINKED, archive_parts, html_parts, typst_parts
from test_documents import Page

ONE, TWO, MADE_UP = (
    "https://one.example/a",
    "https://two.example/b?c=d",
    "https://made-up.example/x",
)
WORDS = words_for("en")
FAILED = "the words of a quotation that failed"
SHOWN = "Most coasts see two tides."


def passage(shown: str = SHOWN, url: str = ONE) -> Passage:
    return Passage(url, 0, len(shown), shown, "", "", shown, f"{url}#:~:text=x")


def claimed(
    status: Status = "ok",
    reason: Reason | None = None,
    passages: Sequence[Passage] = (),
    *,
    text: str = "Tides come twice a day.",
    certainty: Certainty = "stated",
    quote: str | None = FAILED,
    cited: Sequence[str] = (ONE,),
    fabricated: Sequence[str] = (),
    near: dict[str, str] | None = None,
    numbers: Sequence[str] = (),
) -> VerifiedClaim:
    """A claim as verification would give it."""
    verdict = Verdict(status == "ok", reason, passages) if quote and cited else None
    claim = Claim(text, [*cited, *fabricated], certainty, quote)
    return VerifiedClaim(claim, cited, fabricated, near or {}, status, reason, verdict, numbers)


def answered(
    *claims: VerifiedClaim,
    summary: str = "Twice.",
    question: str | None = "How often?",
    unanswered: Sequence[str] = (),
    sources: Sequence[RetrievedSource] = (RetrievedSource(ONE, "One"), RetrievedSource(TWO, "Two")),
    language: str | None = "en",
    counts: Integrity | None = None,
) -> VerifiedAnswer:
    answer = Answer(summary, [claim.claim for claim in claims], unanswered)
    return VerifiedAnswer(
        AnsweredQuestion(answer, sources, question, language),
        claims,
        [VerifiedSource(source, "0123456789abcdef" * 4, bool(source.title)) for source in sources],
        replace(counts or Integrity(), claims=len(claims), sources=len(sources)),
    )


def written(verified: VerifiedAnswer, writer: str = "html", *, whole: bool = False) -> bytes:
    """What `cite build` hands to Pandoc, written."""
    target = writer if writer in ("gfm", "plain") else "html"
    document = answer_document.render(verified, target=target)
    untrusted.disarm(document, titles=target == "html", is_answer=True)
    arguments = ["-f", "json", "-t", writer, "--lua-filter", str(templates.path("styles.lua"))]
    if whole:
        arguments.append("--standalone")
    return pandoc.run([*arguments, "-o", "-"], json.dumps(document).encode()).data


def page(verified: VerifiedAnswer) -> str:
    return written(verified).decode()


def text_of(html: str) -> str:
    return " ".join(Page(html).reading.text.replace("\u00a0", " ").split())


def text(verified: VerifiedAnswer) -> str:
    return text_of(page(verified))


# --- Kinds of claims ---------------------------------------------------------------------------


def test_a_quotation_that_was_verified_stands_with_its_claim_and_opens_its_page() -> None:
    html = page(answered(claimed(passages=[passage()])))
    assert "Stated in source" in text_of(html)
    assert f"“{SHOWN}” [1] one.example, at this passage" in text_of(html)
    assert 'class="claim ok"' in html
    assert f"{ONE}#:~:text=x" in Page(html).reading.links
    assert FAILED not in html


@pytest.mark.parametrize(
    ("certainty", "said"),
    [("stated", WORDS.stated), ("implied", WORDS.implied), ("inferred", WORDS.inferred)],
)
def test_the_badge_is_words(certainty: Certainty, said: str) -> None:
    html = page(answered(claimed(passages=[passage()], certainty=certainty)))
    assert f'<span class="badge {certainty}">{said}</span>' in html.replace("\n", " ")


def test_what_is_stated_without_a_quotation_is_the_models_word() -> None:
    shown = text(answered(claimed(quote=None)))
    assert WORDS.by_model.format(WORDS.stated) in shown
    assert WORDS.unquoted in shown
    assert WORDS.by_model.format(WORDS.inferred) not in text(
        answered(claimed(quote=None, certainty="inferred"))
    )


FAULTS: dict[Reason, tuple[str, str]] = {
    "altered": (WORDS.major, WORDS.altered),
    "omission": (WORDS.major, WORDS.omission),
    "elided": (WORDS.minor, "parts of the quotation"),
    "elision_hides": (WORDS.major, WORDS.elision_hides),
    "spliced": (WORDS.major, WORDS.spliced),
    "editorial_brackets": (WORDS.major, WORDS.bracketed),
    "case": (WORDS.minor, WORDS.case),
    "accent": (WORDS.minor, WORDS.accent),
    "punctuation": (WORDS.minor, WORDS.punctuation),
    "confusable": (WORDS.major, WORDS.confusable),
    "found_elsewhere": (WORDS.major, "it stands in another source"),
    "too_short": (WORDS.major, WORDS.too_short),
    "truncated": (WORDS.major, WORDS.altered),
}


@pytest.mark.parametrize("reason", sorted(FAULTS.keys() - {"elided", "found_elsewhere"}))
def test_a_quotation_that_failed_is_withheld_with_the_reason(reason: Reason) -> None:
    severity, why = FAULTS[reason]
    html = page(answered(claimed("quote_mismatch", reason)))
    assert f"{WORDS.withheld} ({severity}): {why}." in text_of(html)
    assert FAILED not in html
    assert "<q" not in html
    assert WORDS.by_model.format(WORDS.stated) in text_of(html)
    kind = "minor" if severity == WORDS.minor else "major"
    assert f'class="claim {kind}"' in html
    assert f'class="finding {kind}"' in html


def test_a_quotation_that_stands_elsewhere_names_the_other_source() -> None:
    html = page(answered(claimed("quote_mismatch", "found_elsewhere", [passage(url=TWO)])))
    assert "it stands in another source, [2] two.example, at this passage." in text_of(html)
    assert f"{TWO}#:~:text=x" in Page(html).reading.links
    assert SHOWN not in html


def test_of_a_shortened_quotation_the_verified_parts_are_shown() -> None:
    parts = [passage("Most coasts see"), passage("two tides.")]
    html = page(answered(claimed("quote_mismatch", "elided", parts)))
    assert "“Most coasts see […] two tides.”" in text_of(html)
    assert f"{WORDS.shortened} ({WORDS.minor})" in text_of(html)
    assert 'class="claim minor"' in html


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("fabricated", WORDS.fabricated),
        ("uncited", WORDS.uncited),
        ("unchecked", WORDS.unchecked),
    ],
)
def test_an_unsupported_claim_says_so_before_its_sentence(reason: Reason, why: str) -> None:
    cited = [ONE] if reason == "unchecked" else []
    html = page(answered(claimed("unsupported", reason, cited=cited)))
    shown = text_of(html)
    assert f"{WORDS.unsupported} · {WORDS.withheld} ({WORDS.major}): {why}." in shown
    assert shown.index(why) < shown.index("Tides come twice a day.")
    assert 'class="claim unsupported"' in html
    assert FAILED not in html


def test_every_reason_has_words() -> None:
    shown = {*FAULTS, "fabricated", "uncited", "unchecked"}
    assert shown == set(get_args(Reason))


@pytest.mark.parametrize(
    ("reason", "remark"), [("truncated", WORDS.cut), ("editorial_brackets", WORDS.unbracketed)]
)
def test_what_a_reader_should_know_of_a_verified_quotation(reason: Reason, remark: str) -> None:
    html = page(answered(claimed("ok", reason, [passage()])))
    assert remark in text_of(html)
    assert 'class="claim ok"' in html


def test_numbers_that_a_quotation_lacks_are_named() -> None:
    shown = text(answered(claimed(passages=[passage()], numbers=["12", "3.5"])))
    assert "Numbers that the quotation does not have: 12, 3.5" in shown


def test_an_address_that_was_not_retrieved_is_no_link() -> None:
    claim = claimed(
        passages=[passage()],
        fabricated=[MADE_UP, "http://one.example/a"],
        near={"http://one.example/a": ONE},
    )
    html = page(answered(claim))
    assert f"Not retrieved, so no source: {MADE_UP}" in text_of(html)
    assert f"http://one.example/a (nearly the same as {ONE}, which was retrieved)" in text_of(html)
    assert not any("made-up" in link for link in Page(html).reading.links)
    assert 'class="claim major"' in html


def test_a_host_is_shown_as_a_browser_reads_it() -> None:
    cyrillic = "https://\u043ene.example/a"
    assert "[1] xn--ne-emc.example" in text(
        answered(
            claimed(passages=[], quote=None, cited=[cyrillic]),
            sources=[RetrievedSource(cyrillic, "Cyrillic")],
        )
    )
    shown = text(answered(claimed(passages=[passage()], fabricated=[cyrillic])))
    assert f"{cyrillic} (xn--ne-emc.example)" in shown


def test_of_an_address_what_cannot_be_seen_is_shown() -> None:
    assert urls.visible("https://a.example/\u202e\u200bx y") == r"https://a.example/\u202e\u200bx y"
    hidden = "https://one.example/\u202egnp"
    shown = text(answered(claimed(passages=[passage()], fabricated=[hidden, "x" * 5000])))
    assert r"https://one.example/\u202egnp" in shown
    assert "x" * 300 + "…" in shown
    assert "x" * 301 not in shown


def test_a_link_to_a_passage_that_is_not_safe_is_one_to_its_source() -> None:
    odd = replace(passage(), link="javascript:alert(1)")
    document = answers.render(answered(claimed(passages=[odd])))
    assert "javascript" not in json.dumps(document)


def test_a_retrieved_address_that_is_not_safe_is_no_link() -> None:
    unsafe = "https://user@one.example/"
    html = page(
        answered(
            claimed(passages=[passage(url=unsafe)], cited=[unsafe]),
            sources=[RetrievedSource(unsafe, "Unsafe")],
        )
    )
    assert not Page(html).reading.links
    assert WORDS.unlinked in text_of(html)
    assert f"“{SHOWN}” [1] {unsafe}" in text_of(html)


# --- The parts of the document -----------------------------------------------------------------


def test_the_summary_comes_first_and_is_marked_as_not_verified() -> None:
    shown = text(answered(claimed(passages=[passage()])))
    assert shown.startswith(f"{WORDS.summary} Twice.")
    assert "not verified" in WORDS.summary


def test_what_was_found_stands_at_the_top() -> None:
    shown = text(
        answered(
            claimed("unsupported", "uncited", cited=[]), counts=Integrity(unsupported_claims=1)
        )
    )
    assert "Claims: 1 · Unsupported claims: 1 Claims Claim 1" in shown


def test_what_is_not_covered_has_a_heading_like_the_claims() -> None:
    covered = page(answered(claimed(passages=[passage()])))
    assert re.search(rf"<h2[^>]*>{WORDS.uncovered}</h2>", covered)
    assert WORDS.all_covered in text_of(covered)
    html = page(answered(claimed(passages=[passage()]), unanswered=["Why?", "When?"]))
    assert re.search(rf"<h2[^>]*>{WORDS.claims}</h2>", html)
    assert WORDS.all_covered not in text_of(html)
    assert text_of(html).index("Why? When?") < text_of(html).index("Sources")


def test_a_source_shows_its_whole_address_and_what_was_read_of_it() -> None:
    sources = [
        RetrievedSource(ONE, "The title", truncated=True, retrieved="2026-03-14T08:00:00Z"),
        RetrievedSource(TWO),
    ]
    html = page(answered(claimed(passages=[passage()]), claimed(quote=None), sources=sources))
    shown = text_of(html)
    assert f"[1] The title · one.example {ONE} retrieved 2026-03-14 · read only in part" in shown
    assert "cited in: Claim 1, Claim 2" in shown
    assert f"[2] two.example {TWO} could not be read · not cited" in shown
    assert {ONE, TWO} <= Page(html).reading.shown
    assert Page(html).reading.inner == {"claim-1", "claim-2"}
    assert {"claim-1", "claim-2"} <= set(Page(html).reading.identifiers)


def test_no_link_is_named_by_a_number_alone() -> None:
    class Names(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []
            self.inside = False

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag == "a":
                self.inside = True
                self.names.append("")

        def handle_endtag(self, tag: str) -> None:
            self.inside = self.inside and tag != "a"

        def handle_data(self, data: str) -> None:
            if self.inside:
                self.names[-1] += data

    names = Names()
    names.feed(page(answered(claimed(passages=[passage()]), claimed(quote=None))))
    assert len(names.names) == 7
    assert all(re.search(r"[a-z]{3}", name) for name in names.names)
    assert "doc-endnote" not in page(answered(claimed(passages=[passage()])))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (Integrity(quotes_checked=1, quotes_ok=1), WORDS.clean),
        (Integrity(quotes_checked=1, quote_mismatches=1), WORDS.unclean),
        (Integrity(quotes_checked=1, fabricated_urls=1), WORDS.unclean),
        (Integrity(), WORDS.nothing),
    ],
)
def test_the_integrity_block(counts: Integrity, said: str) -> None:
    shown = text(answered(claimed(passages=[passage()]), counts=counts))
    assert said in shown
    found = f"{counts.quotes_ok} / {counts.quotes_checked}"
    assert f"Quotations found in their source: {found}" in shown
    assert "[1] 0123456789ab, [2] 0123456789ab" in shown
    assert WORDS.scope in shown


def test_an_empty_answer_is_a_document() -> None:
    nothing = answered(summary="", question=None, unanswered=["All of it."], sources=[])
    shown = text(nothing)
    assert WORDS.no_claims in shown
    assert WORDS.no_sources in shown
    assert "All of it." in shown
    assert answers.render(nothing)["meta"] == {"lang": {"t": "MetaString", "c": "en"}}


# --- Languages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("language", sorted(TITLES))
def test_every_language_has_every_phrase(language: str) -> None:
    words = words_for(language)
    for name, phrase, english in zip(Words._fields, words, WORDS, strict=True):
        assert phrase.strip() or name == "comma", name
        assert phrase.count("{}") == english.count("{}"), name
        own = language == "en" or name in ("open", "close", "comma", "counted", "finding")
        assert own or phrase != english or len(phrase) < 20, name
    everything = answered(
        claimed(passages=[passage()]),
        claimed("quote_mismatch", "altered"),
        claimed("unsupported", "uncited", cited=[]),
        language=language,
    )
    shown = text(everything)
    for phrase in (words.summary, words.stated, words.uncovered, words.scope, words.altered):
        assert " ".join(phrase.split()) in shown
    assert sources_title(language) in shown


def test_a_language_falls_back_to_a_shorter_tag() -> None:
    assert words_for("zh-Hant-TW") is words_for("zh-hant") is words_for("zh_HK")
    assert words_for("zh-Hans-CN") is words_for("zh")
    assert words_for("pt-BR") is words_for("pt")
    assert words_for("no") is words_for("nb")
    for unknown in (None, "", "tlh", "x-y", "../en", "os.path", "-"):
        assert words_for(unknown) is WORDS


def test_the_language_of_the_caller_wins() -> None:
    document = answer_document.render(answered(claimed(passages=[passage()])), language="de")
    assert document["meta"]["lang"]["c"] == "de"
    assert "Aussagen" in json.dumps(document)


def test_a_right_to_left_document_isolates_what_is_not() -> None:
    html = written(answered(claimed(passages=[passage()]), language="ar"), whole=True).decode()
    assert 'dir="rtl"' in html.split("<body", 1)[0]
    assert '<q dir="auto">' in html
    assert re.search(r'<a\s+href="[^"]*"><span\s+dir="ltr">\[1\]\s+one.example</span></a>', html)


# --- Every character ---------------------------------------------------------------------------

QUOTES = [
    "#include <stdio.h> #let x = 1; #panic()",
    r"\input{/etc/passwd} \textbf{x} & 5 % of {a_b} ~ ^ \u{2d} \\",
    "<script>alert(1)</script> <!-- c --> </q></p> &amp; &lt; &#60; ]]>",
    "$x^2$ costs $5 and $6",
    "@ref #tag @user <label> [1] [^1] [a]: b",
    "a -- b --- c ... d -5 -? – — … e-mail −5",
    "\"straight\" 'single' it's ‘curly’ it’s “double” «guillemets» 「kagi」 „low“",
    "[link](https://evil.example/) ![image](x.png) <https://evil.example/>",
    "`code` *star* _under_ **strong** ~~struck~~ ^up^ ~down~ ==mark==",
    ":smile: :+1: :tada:",
    "1. one",
    "1) one",
    "- item",
    "+ plus",
    "* star",
    "= equals",
    "/ term: definition",
    "# heading",
    "> quotation",
    "| a | b |",
    "--- ===",
    "::: {.div} :::",
    "{#id .class key=value} [x]{.y}",
    "https://evil.example/x www.evil.example a@evil.example",
    "e\u0301 \ufb01 \uff21 \u00bd 10\u00b2 H\u2082O \u00b5m",
    "数学と「引用」、东京。",
    "قال: «نعم» 12",
    "\U0001f600 emoji",
    "don't `x`{=html} `\\x`{=latex}",
    "ends with a backslash \\",
    "[ ] box [x] box",
    "Page 3 // of /* 9 */",
]


def of_quotes(shown: Sequence[str]) -> VerifiedAnswer:
    """Each as a quotation, and as the sentence of a claim."""
    return answered(*(claimed(passages=[passage(text)], text=text) for text in shown))


def marked(quote: str) -> str:
    return f"{WORDS.open}{quote}{WORDS.close}"


@pytest.mark.parametrize("writer", ["html5", "epub3"])
def test_html_has_every_character(writer: str) -> None:
    data = written(of_quotes(QUOTES), writer, whole=True)
    if writer == "html5":
        html = data.decode()
    else:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            html = book.read("EPUB/text/ch001.xhtml").decode()
    shown = text_of(html)
    for quote in QUOTES:
        assert marked(quote) in shown


def test_word_has_every_character() -> None:
    with zipfile.ZipFile(io.BytesIO(written(of_quotes(QUOTES), "docx", whole=True))) as archive:
        root = ElementTree.fromstring(archive.read("word/document.xml"))  # noqa: S314 - our own
    w = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    paragraphs = ["".join(t.text or "" for t in p.iter(f"{w}t")) for p in root.iter(f"{w}p")]
    marks = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c"))  # tell directions apart
    shown = "\n".join(paragraphs).translate(marks)
    for quote in QUOTES:
        assert marked(quote) in shown


def test_markdown_has_every_character() -> None:
    data = written(of_quotes(QUOTES), "gfm")
    html = pandoc.run(["-f", "gfm", "-t", "html"], data).data.decode()
    for quote in QUOTES:
        composed = unicodedata.normalize("NFC", quote)  # as Pandoc's reader has it
        assert marked(composed) in text_of(html)
        assert f"{composed} [1] one.example" in text_of(html)
    assert not [link for link in Page(html).reading.links if "evil" in link]


def test_plain_text_has_every_character() -> None:
    shown = " ".join(written(of_quotes(QUOTES), "plain").decode().split())
    for quote in QUOTES:
        assert marked(quote) in shown


def test_the_pdf_has_every_character() -> None:
    """Those that its fonts draw as themselves; letters are joined and parted on the page."""
    quotes = [q for q in QUOTES if not re.search("[\u0590-\u06ff\u3000-\U0010ffff\u0301\ufb01]", q)]
    assert len(quotes) > 25
    data = typst_pages(of_quotes(quotes))
    shown = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    for quote in quotes:
        assert squeezed(marked(quote)) in squeezed(shown), quote


def typst_pages(verified: VerifiedAnswer) -> bytes:
    document = answer_document.render(verified)
    untrusted.disarm(document, is_answer=True)
    return writers.write(document, "pdf", writers.Settings(), templates.path("x.md"), [])


def squeezed(shown: str) -> str:
    return re.sub(r"\s+", "", shown)


def test_space_is_folded_and_what_is_not_shown_goes() -> None:
    shown = text(of_quotes(["a\n\t b\u00a0c\u3000d \u202ee\u2066f\x00g\x1bh \ud800i"]))
    assert marked("a b c d efgh i") in shown


# --- Hostile text in every field ---------------------------------------------------------------


def in_every_field(value: str, *, url: str = "https://one.example/h") -> VerifiedAnswer:
    """`value` wherever a model or a source writes."""
    other = [passage(value, url), passage(value, url)]
    reasons: list[Reason] = ["altered", "found_elsewhere", "elided", "elision_hides"]
    return answered(
        claimed(text=value, passages=other[:1], cited=[url], fabricated=[value], quote=value),
        *(
            claimed("quote_mismatch", r, other, text=value, cited=[url], quote=value)
            for r in reasons
        ),
        claimed("unsupported", "fabricated", text=value, cited=[], fabricated=[value], quote=value),
        claimed(passages=other[:1], cited=[url], numbers=[value, value]),
        summary=value,
        question=value,
        unanswered=[value, value],
        sources=[RetrievedSource(url, value, value, retrieved=value), RetrievedSource(TWO, value)],
        language=value,
    )


def plain_markdown_parts(data: bytes) -> set[str]:
    return html_parts(pandoc.run(["-f", "gfm", "-t", "html"], data).data)


_NO_MARKUP = re.compile(rb'`[^`]*`|\\u\{[0-9a-f]+\}|\\.|("(?:[^"\\]|\\.)*")', re.S)


def markup_parts(data: bytes) -> set[str]:
    """Without escapes, and without code between back-ticks, which is no markup."""
    return typst_parts(_NO_MARKUP.sub(lambda found: found[1] or b"", data))


WRITERS = {
    "gfm": plain_markdown_parts,
    "html5": html_parts,
    "typst": markup_parts,
    "docx": archive_parts,
    "epub3": archive_parts,
}
HARMLESS = ("Some harmless words", "Two\nlines", "2", "a `b` c", "it's - \u2019 5.")


@pytest.mark.parametrize("writer", WRITERS)
def test_no_text_becomes_a_part_of_the_document(writer: str) -> None:
    def parts(value: str) -> set[str]:
        whole = writer in ("docx", "epub3")
        found = WRITERS[writer](written(in_every_field(value), writer, whole=whole))
        # A book's page is named after the title; a name is made of letters and digits.
        return {re.sub(r"(ch001\.xhtml)#[\w.-]*$", r"\1", part) for part in found}

    allowed = set().union(*map(parts, HARMLESS))
    for name, attack in ATTACKS.items():
        found = parts(attack)
        assert found <= allowed, (name, found - allowed)


@pytest.mark.parametrize("name", HOSTILE_URLS)
@pytest.mark.parametrize("writer", ["gfm", "html5"])
def test_nothing_leads_to_an_address_that_was_not_retrieved(name: str, writer: str) -> None:
    """A retrieved address is linked if it is safe; a fabricated one, and one in a text, never."""
    url = HOSTILE_URLS[name]
    fabricated = answered(
        claimed(passages=[passage()], text=url, fabricated=[url]), summary=url, unanswered=[url]
    )
    assert _links(fabricated, writer) == {ONE, f"{ONE}#:~:text=x", TWO}
    retrieved = answered(
        claimed(quote=None, cited=[url]), sources=[RetrievedSource(url, "Hostile")]
    )
    assert len(_links(retrieved, writer)) == (name in LINKED)


def _links(verified: VerifiedAnswer, writer: str) -> set[str]:
    data = written(verified, writer)
    if writer == "gfm":
        data = pandoc.run(["-f", "gfm", "-t", "html"], data).data
    return Page(data.decode()).reading.links


def test_hostile_text_gives_a_pdf() -> None:
    data = typst_pages(
        in_every_field(" ".join(ATTACKS[name] for name in ATTACKS if name != "long"))
    )
    links = {
        annotation.get_object()["/A"]["/URI"]
        for page in pypdf.PdfReader(io.BytesIO(data)).pages
        for annotation in page.get("/Annots", [])
        if "/URI" in annotation.get_object().get("/A", {})
    }
    assert links == {"https://one.example/h", "https://one.example/h#:~:text=x", TWO}


def test_a_transcript_cannot_have_the_looks_of_an_answer() -> None:
    text = (
        "::: {.claim .ok}\n[Stated]{.badge .stated}\n\n::: {.quotation}\n[x]{.quoted}\n:::\n:::\n"
    )
    document = read(text, pandoc.READER)
    untrusted.disarm(document)
    data = json.dumps(document)
    for name in ("claim", "badge", "quotation", "quoted"):
        assert f'"{name}"' not in data
