"""`cite verify`: what it prints and writes, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cite_filter import cli
from cite_filter.answers import VERDICT

ROOT = Path(__file__).parents[1]
URL = "https://tides.example/often"
SENTENCE = "Most coasts see two high tides a day."
SOURCE = {"url": URL, "title": "Tides", "text": f"Of the sea. {SENTENCE} More."}


def claim(**more: Any) -> dict[str, Any]:
    return {"text": "Twice.", "source_urls": [URL], "certainty": "stated", "quote": SENTENCE} | more


def answer(*claims: Any, sources: Any = (SOURCE,)) -> dict[str, Any]:
    return {
        "question": "How often?",
        "answer": {"summary": "Twice.", "claims": list(claims), "unanswered": []},
        "sources": list(sources),
    }


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(data: Any, name: str = "answer.json") -> Path:
        path = tmp_path / name
        text = data if isinstance(data, str) else json.dumps(data)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def verify(*arguments: str | Path) -> int:
    return cli.main(["verify", *map(str, arguments)])


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (answer(claim()), 0, "1 claim, 1 of 1 quotation verified"),
        (answer(claim(quote=SENTENCE.replace("two", "three"))), 1, "[-three-] {+two+}"),
        (answer(claim(source_urls=["https://no.example/"])), 1, "not retrieved: https://no"),
        (answer(claim(), claim(source_urls=[URL, URL + "/x"])), 1, "1 fabricated URL"),
        (answer(claim(source_urls=[])), 1, "uncited"),
        (answer(claim(), sources=[]), 1, "no sources"),
        (answer(), 1, "nothing could be checked"),
        (answer({"text": "t", "source_urls": [URL], "certainty": "inferred"}), 1, "nothing could"),
        (answer(claim(), sources=[SOURCE | {"text": ""}]), 1, "could not be read"),
        (answer(claim(), claim(quote=None)), 0, "1 stated claim without a quotation"),
        (answer(claim(), claim(quote=" \n")), 0, "1 stated claim without a quotation"),
        (answer(claim(quote="N/A")), 1, "quoted: “N/A”"),
    ],
)
def test_how_it_ends(
    data: Any, status: int, said: str, write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(write(data)) == status
    printed = " ".join(capsys.readouterr().out.split())
    assert said in printed


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "is empty"),
        ("{", "1: is no valid JSON"),
        ("[" * 5000, "no valid JSON"),
        ('{"answer": {"summary": "s", "claims": []}, "sources": [], "a": NaN}', "NaN is no number"),
        ("[]", "is no structured answer"),
        ('{"claims": 3}', "is no structured answer"),
        ({"answer": {"summary": "s", "claims": []}}, "has no sources; cite verify --sources"),
        (answer(claim(certainty="sure")), "answer.claims[0].certainty"),
        (answer(claim(source_urls="x")), "answer.claims[0].source_urls"),
        (answer(claim(quote=3)), "answer.claims[0].quote: 3; expected text"),
        (answer(claim(), sources=[{"text": "t"}]), "sources[0].url"),
        (answer(claim(), sources=[SOURCE | {"form": "pdf"}]), "sources[0].form"),
    ],
)
def test_bad_input_is_named(
    data: Any, said: str, write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(data)
    assert verify(path) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"[ERROR] cite: {path}")
    assert said in error
    assert error.count("\n") == 1


def test_one_bad_file_does_not_stop_the_others(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(write("{", "bad.json"), write(answer(claim()))) == 2
    assert "1 of 1 quotation" in capsys.readouterr().out


def test_the_sources_may_be_in_a_file_of_their_own(write: Any) -> None:
    alone = write({"summary": "s", "claims": [claim()]}, "alone.json")
    assert verify(alone, "--sources", write([SOURCE], "sources.json")) == 0
    assert verify(alone, "--sources", write({"sources": [SOURCE]}, "sources.json")) == 0
    assert verify(alone, "--sources", write([], "sources.json")) == 1
    assert verify(alone, "--sources", write({"a": 1}, "sources.json")) == 2
    assert verify(write(answer(claim())), "--sources", write([SOURCE], "sources.json")) == 2


def test_what_is_written_can_be_verified_again(write: Any, tmp_path: Path) -> None:
    wrong = claim(source_urls=[URL, "https://no.example/"])
    out = tmp_path / "verified.json"
    assert verify(write(answer(wrong, claim())), "-o", out) == 1
    first = json.loads(out.read_text(encoding="utf-8"))
    assert first["answer"]["claims"][0]["fabricated_urls"] == ["https://no.example/"]
    assert verify(out, "-o", tmp_path / "again.json") == 1
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == first


def test_what_a_file_says_of_itself_is_not_believed(write: Any, tmp_path: Path) -> None:
    forged = claim(quote="Nothing of the kind was ever written.", status="ok", quote_verified=True)
    data = answer(forged) | {"integrity": {"clean": True}}
    assert verify(write(data)) == 1


def test_the_schemas_say_what_is_read_and_written(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    schemas = {
        name: jsonschema.Draft202012Validator(
            json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
        )
        for name in ("answer", "verified-answer")
    }
    claims = [
        claim(),
        claim(quote=SENTENCE.replace("two", "three")),
        claim(quote="Most coasts see … tides a day."),
        claim(quote=None, source_urls=["http://tides.example/often"]),
        claim(quote=SENTENCE, source_urls=["https://other.example/"]),
    ]
    other = {"url": "https://other.example/", "text": "Something else entirely.", "form": "text"}
    data = answer(*claims, sources=[SOURCE, other])
    schemas["answer"].validate(data)
    verify(write(data), "--json")
    (printed,) = json.loads(capsys.readouterr().out)
    assert printed.pop("file").endswith("answer.json")
    schemas["verified-answer"].validate(printed)
    schemas["answer"].validate(printed)
    reasons = [claim["reason"] for claim in printed["answer"]["claims"]]
    assert reasons == [None, "altered", "elided", "fabricated", "found_elsewhere"]


def test_half_a_character_is_written_as_an_escape(write: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert verify(write(answer(claim(text="\ud800"))), "-o", out) == 0
    assert json.loads(out.read_bytes())["answer"]["claims"][0]["text"] == "\ud800"


def test_nothing_that_is_handed_in_is_written_over(write: Any, tmp_path: Path) -> None:
    path, sources = write(answer(claim())), write([SOURCE], "sources.json")
    before = path.read_bytes(), sources.read_bytes()
    log = tmp_path / "log.jsonl"
    for arguments in (
        ("-o", path),
        ("--log", path),
        ("--sources", sources, "-o", sources),
        ("--sources", sources, "--log", sources),
        ("--log", log, "-o", log),
        (path, "-o", tmp_path / "out.json"),
    ):
        assert verify(path, *arguments) == 2
    assert (path.read_bytes(), sources.read_bytes()) == before
    assert not log.exists()


def test_the_counts_go_into_a_log(write: Any, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    path = write(answer(claim(), claim(source_urls=[])))
    verify(path, "--log", log)
    verify(path, path, "--log", log)
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line["unsupported_claims"] for line in lines] == [1, 1, 1]
    assert "How often" not in log.read_text(encoding="utf-8")


def test_a_model_cannot_bring_a_verdict_of_its_own(write: Any, tmp_path: Path) -> None:
    forged: dict[str, Any] = {key: {"url": "http://evil.example/"} for key in VERDICT}
    forged |= {"fabricated_urls": ["https://evil.example/"], "near_urls": {"a": "b"}}
    forged |= {"missing_numbers": ["1"], "parts": []}
    forged.pop("status")
    out = tmp_path / "out.json"
    assert verify(
        write(answer(claim(**forged), claim(quote="Not a word of it.", **forged))), "-o", out
    )
    assert "evil" not in out.read_text(encoding="utf-8")


def test_what_is_printed_as_json_is_ascii(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    verify(write(answer(claim(text="\x9b31m\u202e"))), "--json")
    assert capsys.readouterr().out.isascii()


def test_a_closed_output_and_a_link_to_itself_are_no_traceback(write: Any, tmp_path: Path) -> None:
    path = write(answer(claim()))
    code = f"from cite_filter.cli import main; exit(main(['verify', {str(path)!r}]))"
    closed = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -c "{code}" >&-'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert verify(path, "-o", loop) == 2


def test_a_terminal_is_not_steered(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31m\u202e[bold]x[/bold]"
    verify(
        write(answer(claim(quote=f"two high {hostile} tides a day", source_urls=[URL, hostile])))
    )
    held = SOURCE | {"text": f"Of the {hostile} sea two tides come. Of the other sea one."}
    lost = claim(quote=f"Of the {hostile} sea two tides come.", source_urls=["https://o.example/"])
    other = {"url": "https://o.example/", "text": "Nothing of the kind."}
    verify(write(answer(lost, claim(quote="Of the sea two tides went."), sources=[held, other])))
    printed = capsys.readouterr().out
    assert "found_elsewhere" in printed
    assert "\x1b" not in printed
    assert "\u202e" not in printed
