"""What the README says, run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cite_filter import options, pandoc, source_text
from conftest import read

_UUID = re.compile(rb"urn:uuid:[0-9a-f-]+")
ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(language: str) -> str:
    found = re.search(rf"^(`{{3,}}){language}\n(.*?)^\1$", README, re.M | re.S)
    assert found is not None
    return found[2]


def test_the_transcript_is_one() -> None:
    (turn,) = source_text.parse(fenced("markdown"), ROOT / "README.md").scopes.turns
    assert sorted(turn.sources.by_number) == ["1", "2", "3"]


def test_the_answer_is_verified_as_shown() -> None:
    cite = Path(sys.executable).parent / "cite"
    verify: list[str | Path] = [cite, "verify", "examples/tides.json"]
    done = subprocess.run(verify, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    shown = re.search(r"^ {4}(examples/tides.json: .*), …$", README, re.M)
    assert shown is not None
    assert done.stdout.startswith(shown[1])
    claims = re.findall(r"^ {4}(claim \d.*\n(?: {8}.*\n)+)", README, re.M)
    assert len(claims) == 2
    for claim in claims:
        assert claim.replace("\n    ", "\n") in done.stdout


def test_the_quarto_shim_runs_the_filter(tmp_path: Path) -> None:
    shim = tmp_path / "cite-filter.lua"
    shim.write_text(fenced("lua"))
    done = subprocess.run(
        [pandoc.program(), "-L", shim, "-f", "gfm", "-t", "html"],
        input=b"---\nsources:\n- url: <https://1.example/>\n---\nFact [1].",
        capture_output=True,
        check=False,
        env={"PATH": str(Path(sys.executable).parent)},
    )
    assert b"<sup>" in done.stdout, done.stderr


def test_the_defaults_give_what_cite_build_gives(tmp_path: Path) -> None:
    bin_folder = Path(sys.executable).parent
    chat = tmp_path / "chat.md"
    chat.write_text(fenced("markdown"), encoding="utf-8")
    for name, writer in (("html", "html5"), ("docx", "docx"), ("epub", "epub3")):
        defaults = subprocess.run(
            [bin_folder / "cite", "defaults", name], capture_output=True, text=True, check=True
        ).stdout.strip()
        plain, built = tmp_path / f"plain.{name}", tmp_path / f"built.{name}"
        subprocess.run(
            [pandoc.program(), "-d", defaults, chat, "-o", plain],
            env={"PATH": str(bin_folder)},
            check=True,
        )
        subprocess.run([bin_folder / "cite", "build", chat, "-o", built], check=True)
        read_back = "html" if writer == "html5" else name
        texts = [
            pandoc.run(["-f", read_back, "-t", "native"], path.read_bytes()).data
            for path in (plain, built)
        ]
        assert _UUID.sub(b"", texts[0]) == _UUID.sub(b"", texts[1]), name


def test_every_option_is_in_the_table_and_in_the_manual() -> None:
    manual = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    for name in options.Options._fields:
        assert f"\n| `{name}` |" in README
        assert f"\n| `{name}` |" in manual


def test_the_links_between_the_pages_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_shown_commands_exist() -> None:
    text = read(README, "gfm")
    assert text["blocks"]
    for command in set(re.findall(r"^    cite (\w+)", README, re.M)):
        done = subprocess.run(
            [Path(sys.executable).parent / "cite", command, "--help"],
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, command


def test_the_example_of_an_agent_runs(tmp_path: Path) -> None:
    example = ROOT / "examples" / "agent.py"
    subprocess.run([sys.executable, example, tmp_path], check=True, capture_output=True)
    assert (tmp_path / "agent.pdf").read_bytes().startswith(b"%PDF")
    text = (tmp_path / "agent.md").read_text(encoding="utf-8")
    assert "*Tools: web\\_search, web\\_fetch*" in text
    assert text.count("- index:") == 2
