"""`cite` as its users run it: arguments, exit status, one line for each thing that is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CITE = Path(sys.executable).parent / "cite"
EXAMPLES = Path(__file__).parents[1] / "examples"
_LEVELS = (b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in b"bcdefghi")
_BOMB = b"---\na: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(_LEVELS) + b"---\nx"
GOOD = "Fact [1].\n\n```sources\n- {title: One, url: 'https://1.example/'}\n```\n"


def cite(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CITE, *arguments], capture_output=True, text=True, encoding="utf-8", check=False, cwd=cwd
    )


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.md"
    path.write_text(GOOD, encoding="utf-8")
    return path


def error(done: subprocess.CompletedProcess[str], status: int = 2) -> str:
    """The one line on standard error."""
    assert done.returncode == status, done
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("[ERROR] cite: ")
    return lines[0].removeprefix("[ERROR] cite: ")


# --- build --------------------------------------------------------------------------------------


def test_html_beside_the_transcript_is_the_default(chat: Path) -> None:
    assert cite("build", chat).returncode == 0
    assert "<sup>" in chat.with_suffix(".html").read_text(encoding="utf-8")


def test_every_format_at_once(chat: Path, tmp_path: Path) -> None:
    done = cite(
        "build", chat, "--to", "html,docx", "--to", "pdf,epub,md,txt", "--out-dir", tmp_path / "o"
    )
    assert (done.returncode, done.stderr) == (0, "")
    names = sorted(path.name for path in (tmp_path / "o").iterdir())
    assert names == [f"chat.{end}" for end in ("docx", "epub", "html", "md", "pdf", "txt")]


def test_o_names_the_file_and_its_format(chat: Path, tmp_path: Path) -> None:
    assert cite("build", chat, "-o", tmp_path / "x.PDF").returncode == 0
    assert (tmp_path / "x.PDF").read_bytes().startswith(b"%PDF")


def test_it_goes_on_after_a_bad_file(chat: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.md"
    bad.write_bytes(b"\xff")
    done = cite("build", bad, chat, "--to", "txt")
    assert done.returncode == 2
    assert (tmp_path / "chat.txt").exists()
    assert not (tmp_path / "bad.txt").exists()


def test_warnings_name_the_file(chat: Path) -> None:
    chat.write_text("[9] " + GOOD)
    done = cite("build", chat, "--to", "txt")
    assert done.stderr == f"[WARNING] cite: {chat}: [9] (line 1) names no source; left as written\n"
    assert done.returncode == 0


def test_strict_builds_nothing_that_is_not_verified(chat: Path) -> None:
    chat.write_text("[9] " + GOOD)
    assert "[9] (line 1) names no source" in error(
        cite("build", chat, "--strict", "--to", "txt"), 1
    )
    assert not chat.with_suffix(".txt").exists()


def test_strict_may_come_from_the_document(chat: Path) -> None:
    chat.write_text("---\ncite-filter:\n  strict: true\n---\n\n[9] " + GOOD)
    assert "[9] (line 6) names no source" in error(cite("build", chat, "--to", "txt"), 1)


def test_the_report_says_what_was_built_and_found(chat: Path, tmp_path: Path) -> None:
    chat.write_text("[9] " + GOOD)
    cite("build", chat, "--to", "txt", "--report", tmp_path / "report.json")
    (report,) = json.loads((tmp_path / "report.json").read_text())
    assert report["written"] == [str(chat.with_suffix(".txt"))]
    assert report["turns"][0]["unknown"] == {"9": [1]}
    assert report["clean"] is False


def test_metadata_of_the_command_line(chat: Path) -> None:
    cite("build", chat, "--to", "html", "-M", "title=A *title*", "-M", "cite-filter-list=none")
    html = chat.with_suffix(".html").read_text(encoding="utf-8")
    assert "A *title*</h1>" in html
    assert "sources-list" not in html.partition("<body")[2]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"---\nsources: [\n---\nx", ":3: metadata: invalid YAML"),
        (b"---\nsources: none\n---\nx", ":2: metadata: sources is no list"),
        (b"x\n\n```sources\na: b\n```", ":4: sources block: sources is no list"),
        (b"x\n\n```sources\n- a\n```", ":4: sources block: an entry is no map"),
        (b"x\n\n```sources\n- url: x\n- title: T\n```", ":5: sources block: entry 2 has no url"),
        (
            b"x\n\n```sources\n- {index: 1, url: a}\n- {index: 1, url: b}\n```",
            ":5: sources block: number 1 is given to a on line 4 and to b",
        ),
        (
            _BOMB,
            "YAML that expands to over 100,000 values; write no aliases",
        ),
        (b"x\n\n```sources\n- url: a: b\n```", ":4: sources block: invalid YAML"),
        (b"ok\n\xe4\n", ":2: byte 0xe4 is no UTF-8; save the file as UTF-8"),
        (b"", ": is empty; nothing to build"),
        (b" \n\n", ": is empty; nothing to build"),
        (b"[" * 60_000_000, "more than the 50,000,000 bytes that are built"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else f"{len(value)} bytes",
)
@pytest.mark.parametrize("command", ["build", "check"])
def test_bad_input_is_one_line(tmp_path: Path, command: str, content: bytes, said: str) -> None:
    path = tmp_path / "bad.md"
    path.write_bytes(content)
    done = cite(command, path)
    message = error(done)
    assert message.startswith(f"{path}:")
    assert said in message
    assert list(tmp_path.iterdir()) == [path]


def test_a_quotation_thousands_deep_is_built_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "deep.md"
    path.write_text("> " * 3000 + "x [1]\n\n" + GOOD)
    assert cite("build", path).returncode == 0
    assert path.with_suffix(".html").read_text(encoding="utf-8").count("<sup>") == 2
    assert cite("check", path).returncode == 0


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.md"
    assert error(cite("build", path)).startswith(f"{path}: cannot be read (No such file")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "cannot be read (Is a directory)" in error(cite("build", tmp_path))


def test_an_output_folder_that_is_a_file(chat: Path) -> None:
    assert "cannot be made a folder" in error(cite("build", chat, "--out-dir", chat))


def test_an_output_folder_that_is_missing(chat: Path, tmp_path: Path) -> None:
    message = error(cite("build", chat, "-o", tmp_path / "none" / "x.html"))
    assert "x.html: cannot be written (No such file" in message


def test_an_output_folder_that_may_not_be_written(chat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    if os.geteuid() == 0:
        folder = Path("/sys/kernel")  # where root may not write either
    else:
        folder.mkdir(mode=0o500)
    assert "cannot be written (Permission denied)" in error(
        cite("build", chat, "--out-dir", folder)
    )


def test_one_name_for_several_files(chat: Path, tmp_path: Path) -> None:
    assert "-o names one file" in error(cite("build", chat, chat, "-o", tmp_path / "x.html"))
    assert "names no format" in error(cite("build", chat, "-o", tmp_path / "x.xyz"))


def test_no_output_overwrites_another_or_its_source(chat: Path, tmp_path: Path) -> None:
    (tmp_path / "o").mkdir()
    other = tmp_path / "o" / "chat.md"
    other.write_text(GOOD)
    assert "rename one" in error(cite("build", chat, other, "--out-dir", tmp_path))
    assert "is an input" in error(cite("build", chat, "--to", "md"))


def test_an_unknown_pdf_engine(chat: Path) -> None:
    message = error(cite("build", chat, "--to", "pdf", "--pdf-engine", "none"))
    assert message.startswith(f"{chat}: ")


def test_a_transcript_is_never_written_over(chat: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.md"
    link.symlink_to(chat)
    several: list[list[str | Path]] = [["-o", chat], ["--to", "md", "-o", link], ["--report", chat]]
    for arguments in several:
        assert "is an input; write to another file" in error(cite("build", chat, *arguments))
        assert chat.read_text(encoding="utf-8") == GOOD


def test_what_a_link_leads_to_is_written_and_keeps_its_permissions(
    chat: Path, tmp_path: Path
) -> None:
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert cite("build", chat, "-o", link).returncode == 0
    assert link.is_symlink()
    assert "<sup>" in real.read_text(encoding="utf-8")
    assert real.stat().st_mode & 0o777 == 0o640


def test_no_document_is_written_over_another(chat: Path, tmp_path: Path) -> None:
    report = tmp_path / "x.html"
    assert "is a document" in error(cite("build", chat, "-o", report, "--report", report))
    other = tmp_path / "other.md"
    other.write_text(GOOD)
    (tmp_path / "o").mkdir()
    for name in ("chat.html", "other.html"):
        (tmp_path / "o" / name).symlink_to(tmp_path / "z.html")
    assert "rename one" in error(cite("build", chat, other, "--out-dir", tmp_path / "o"))


def test_a_pipe_is_written_into(chat: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert cite("build", chat, "-o", pipe).returncode == 0
        assert reader.stdout is not None
        assert b"<sup>" in reader.stdout.read()


def test_wrong_values_of_options_are_said(chat: Path, tmp_path: Path) -> None:
    for option, value in (
        ("--paper", "nonsense"),
        ("--fonts", str(tmp_path / "none")),
        ("--max-bytes", "-5"),
        ("--to", "doc"),
    ):
        done = cite("build", chat, option, value)
        assert done.returncode == 2
        assert value in done.stderr


def test_names_for_typst_are_plain(chat: Path) -> None:
    done = cite("build", chat, "--to", "pdf", "--main-font", 'x"]; #panic()')
    assert done.returncode == 2
    assert "is no name of letters, digits and spaces" in done.stderr


def test_what_no_font_draws_is_said(chat: Path) -> None:
    chat.write_text("An \u0378 here.\n", encoding="utf-8")
    done = cite("build", chat, "--to", "pdf")
    assert done.returncode == 0
    assert "(U+0378): boxes stand for them in the PDF; install fonts" in done.stderr
    assert "--fonts" in done.stderr


def test_a_failed_build_leaves_the_old_file(chat: Path) -> None:
    target = chat.with_suffix(".html")
    target.write_text("old")
    chat.write_bytes(b"\xff")
    cite("build", chat)
    assert target.read_text() == "old"


# --- check --------------------------------------------------------------------------------------


def test_a_full_disk_leaves_the_old_file(chat: Path) -> None:
    document = chat.with_suffix(".html")
    document.write_text("old", encoding="utf-8")
    limited = f"ulimit -f 8; exec {CITE} build {chat}"  # files of 4 KB at most
    done = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, check=False)
    assert "cannot be written (File too large)" in error(done)
    assert document.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in chat.parent.iterdir()) == ["chat.html", "chat.md"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_whole_files(tmp_path: Path, number: signal.Signals) -> None:
    files = [tmp_path / f"{n:02}.md" for n in range(60)]
    for file in files:
        file.write_text(GOOD * 40, encoding="utf-8")
    built = tmp_path / "built"
    # A job in the background is born deaf to SIGINT; a handler here is none there, but hearing.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(
        [CITE, "build", *files, "--to", "html,docx", "--out-dir", built],
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (built.is_dir() and any(built.iterdir())):
        assert run.poll() is None
    run.send_signal(number)
    _, said = run.communicate()
    assert run.returncode == 130
    assert said.splitlines() == ["[ERROR] cite: interrupted; what was built before is whole"]
    names = [path.name for path in built.iterdir()]
    assert 0 < len(names) < 2 * len(files)
    assert not [name for name in names if name.startswith(".")]
    for page in built.glob("*.html"):
        assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    for archive in built.glob("*.docx"):
        assert zipfile.ZipFile(archive).testzip() is None


def test_check_is_silent_about_what_is_right(chat: Path) -> None:
    done = cite("check", chat)
    assert (done.returncode, done.stderr) == (0, "")


def test_check_finds_what_cannot_be_verified_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text(
        "---\ntitle: T\n---\n\n::: {.turn}\nA [1] and\n[9], [9].\n\n- b [2, 9]\n- c [3]\n\n"
        "```sources\n- {index: 1, url: 'https://1.example/'}\n- {index: 2, url: 'https://2.example/'}\n"
        "- {index: 3, url: 'javascript:x'}\n- {index: 4, url: 'https://4.example/'}\n"
        "- {index: 4, url: 'https://4.example/'}\n```\n:::\n"
    )
    done = cite("check", path, "--json")
    assert done.returncode == 1
    (report,) = json.loads(done.stdout)
    (turn,) = report["turns"]
    assert turn["line"] == 5
    assert turn["linked"] == 1
    assert turn["unknown"] == {"9": [7, 7, 9]}
    assert turn["unsafe"] == {"3": [10]}
    assert turn["never_cited"] == [4]
    assert turn["defined_twice"] == {"4": [16, 17]}


def test_check_finds_links_that_look_like_citations(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    links = (
        "B <sup>[2](https://x.example/)</sup> [¹](https://x.example/)\n[**3**](https://y.example/)"
    )
    path.write_text(f"A [1].\n\n{links}\n\n" + GOOD.partition("\n\n")[2], encoding="utf-8")
    done = cite("check", path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["turns"][0]["foreign"] == {"2": [3], "1": [3], "3": [4]}
    assert cite("build", path, "--strict").returncode == 1


def test_check_prints_a_table() -> None:
    done = cite("check", EXAMPLES / "chat.md")
    assert done.returncode == 1
    assert "never cited" in done.stdout
    assert "[12]" in done.stdout


def test_check_shows_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "chat\x1b[31m.md"
    path.write_text(GOOD)
    assert "\x1b" not in cite("check", path).stdout


def test_check_of_a_file_without_sources_finds_its_markers_unknown(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text("Fact [1].\n")
    done = cite("check", path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["turns"][0]["unknown"] == {"1": [1]}


# --- The rest -----------------------------------------------------------------------------------


def test_makefile_and_defaults_are_files_that_exist() -> None:
    for arguments in (["makefile"], ["defaults"], ["defaults", "html"], ["defaults", "pdf"]):
        assert Path(cite(*arguments).stdout.strip()).is_file()


def test_make_builds_with_the_fragment(chat: Path, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(f"CITE := {CITE}\ninclude $(shell $(CITE) makefile)\n")
    done = subprocess.run(
        ["make", "-C", tmp_path, "chat.html", "chat.pdf"], capture_output=True, check=False
    )
    assert done.returncode == 0, done
    assert (tmp_path / "chat.pdf").exists()


def test_a_closed_standard_output_is_no_traceback() -> None:
    done = subprocess.run(
        f"'{CITE}' check '{EXAMPLES / 'chat.md'}' --json | true",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr


def test_help_and_version() -> None:
    assert "check" in cite("--help").stdout
    assert cite("--version").stdout.startswith("cite-filter 0.")
    assert cite().returncode == 2


# --- import -------------------------------------------------------------------------------------

EXPORT = {
    "turns": [{"answer": "Fact [1].", "sources": [{"index": 1, "url": "https://1.example/"}]}]
}
OPENAI = {
    "object": "response",
    "output": [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Fact.", "annotations": []}],
        }
    ],
}


def export(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_an_export_is_built_checked_and_imported(tmp_path: Path) -> None:
    path = export(tmp_path / "chat.json", EXPORT)
    assert cite("build", path, "--to", "txt").returncode == 0
    assert "https://1.example/" in (tmp_path / "chat.txt").read_text(encoding="utf-8")
    assert cite("check", path).returncode == 0
    assert cite("import", path, "-o", tmp_path).returncode == 0
    assert "Fact [1]." in (tmp_path / "chat.md").read_text(encoding="utf-8")
    assert cite("import", path, "--json", "-o", tmp_path / "j").returncode == 0
    assert json.loads((tmp_path / "j" / "chat.json").read_bytes())["turns"] == [
        {
            "answer": "Fact [1].",
            "sources": [{"index": 1, "title": "", "url": "https://1.example/"}],
        }
    ]


def test_a_transcript_that_was_changed_is_not_written_over(tmp_path: Path) -> None:
    path = export(tmp_path / "chat.json", EXPORT)
    assert cite("import", path, "-o", tmp_path).returncode == 0
    assert cite("import", path, "-o", tmp_path).returncode == 0  # the same again
    made = tmp_path / "chat.md"
    made.write_text("mine", encoding="utf-8")
    assert "is there and not the same; --force" in error(cite("import", path, "-o", tmp_path))
    assert made.read_text(encoding="utf-8") == "mine"
    assert cite("import", path, "-o", tmp_path, "--force").returncode == 0
    assert made.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.json", b"", "is empty"),
        ("x.json", b'{"a": 1', "is no valid JSON (line 1: "),
        ("x.json", b'{"a": 1}', "is no export that is known; name its format with --from (chatgpt"),
        ("x.json", b"[" * 100_000, "is nested too deeply"),
        ("x.zip", b"PK\x03\x04 half of it", "is a ZIP archive that is incomplete"),
        ("x.pdf", b"%PDF", "is no export that is known"),
        ("x.md", b"words", "is Markdown without citations; cite build takes it"),
        ("x.md", GOOD.encode(), "is a transcript already; cite build takes it"),
        ("x.json", b"\xff{}", "is no UTF-8"),
    ],
)
def test_what_cannot_be_imported_says_why(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert said in error(cite("import", path, "-o", tmp_path / "o"))


def test_an_unknown_format_is_named_with_those_that_are_known(tmp_path: Path) -> None:
    path = export(tmp_path / "chat.json", EXPORT)
    assert "'x' is none of chatgpt, claude-ai" in error(cite("build", path, "--from", "x"))


def test_an_archive_is_read_in_place_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/ünï.json", json.dumps(EXPORT))
        archive.writestr("b.json", json.dumps({"title": "Two: words", **EXPORT}))
        archive.writestr("c.json", "{broken")
        archive.writestr("d.json", b"\xff")
        archive.writestr("user.json", "{}")
        archive.writestr("e.png", b"x")
    done = cite("import", path, "-o", tmp_path / "o")
    assert done.returncode == 0
    assert sorted(found.name for found in (tmp_path / "o").iterdir()) == ["two-words.md", "ünï.md"]
    assert "no chats, left out: c.json, d.json (byte 0xff is no UTF-8" in done.stderr
    assert "user.json" not in done.stderr
    (tmp_path / "none.zip").write_bytes(b"PK\x05\x06" + b"\0" * 18)
    assert "holds no chat" in error(cite("build", tmp_path / "none.zip"))


def test_two_exports_of_one_name_are_both_built(tmp_path: Path) -> None:
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(export(tmp_path / folder / "conversations.json", EXPORT))
    assert cite("build", *paths, "--out-dir", tmp_path / "o").returncode == 0
    names = sorted(path.name for path in (tmp_path / "o").iterdir())
    assert names == ["conversations-2.html", "conversations.html"]


def test_what_an_import_could_not_resolve_is_not_clean(tmp_path: Path) -> None:
    path = tmp_path / "copied.md"
    path.write_text("Tides rise.[cite: 1] They [?] ebb.\n", encoding="utf-8")
    assert cite("check", path).returncode == 1
    assert "[?]" in error(cite("build", path, "--strict"), 1)
    assert cite("import", path, "-o", tmp_path / "o").returncode == 0
    made = tmp_path / "o" / "copied.md"
    assert cite("check", made).returncode == 1
    report = json.loads(cite("check", made, "--json").stdout)
    assert report[0]["unresolved"]
    assert "citation whose source was lost" in error(cite("build", made, "--strict"), 1)
    made.write_text(
        made.read_text(encoding="utf-8").replace("provenance:", "provenances:"), encoding="utf-8"
    )
    assert cite("check", made).returncode == 0  # the sign is an importer's alone


def test_a_table_that_cannot_be_written_is_no_finding(chat: Path) -> None:
    done = subprocess.run(
        f"{CITE} check {chat} > /dev/full", shell=True, capture_output=True, text=True, check=False
    )
    assert "standard output cannot be written" in error(done)
