"""The pages for people are true where a machine can tell: links lead somewhere, commands and keys exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def _id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    gone = [t for t in targets if not t.startswith(("http:", "https:")) and not (page.parent / t).exists()]
    assert gone == []


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_commands_exist(page: Path) -> None:
    from engine.cli.main import COMMANDS, rejoinder

    text = page.read_text(encoding="utf-8")
    for name, rest in re.findall(r"(?:^|`)rejoinder ([a-z][a-z-]*)((?: [a-z][a-z0-9|\\-]*)*)", text, re.MULTILINE):
        assert name in COMMANDS, f"rejoinder {name}"
        command = rejoinder.get_command(None, name)  # type: ignore[arg-type]
        for option in rest.replace("\\", "").split()[:1]:
            known = getattr(command, "commands", None)
            assert known is None or set(option.split("|")) <= set(known), f"rejoinder {name} {option}"
    for verb in re.findall(r"`make ([a-z]+)`", text):
        assert re.search(rf"^{verb}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"make {verb}"


def test_the_files_that_own_a_behaviour_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition("## Where a behaviour lives\n")[2].partition("\n## ")[0]
    owners = re.findall(r"^\| [^|`]+ \| `([^`]+)` \|$", section, re.MULTILINE)
    assert len(owners) >= 20 and [owner for owner in owners if not (ROOT / owner).is_file()] == []


def test_modules_that_a_page_names_exist() -> None:
    known = {
        file.name for folder in ("engine", "desktop_app", "scripts", "tests") for file in (ROOT / folder).rglob("*.py")
    }
    named = {
        name for page in (ROOT / "docs").glob("*.md") for name in re.findall(r"\w+\.py\b", page.read_text("utf-8"))
    }
    assert len(named) > 50 and named <= known, named - known


def test_figures_of_the_bundled_aligner_are_those_of_its_card() -> None:
    card = json.loads((ROOT / "resources" / "aligners" / "fused.json").read_text(encoding="utf-8"))["card"]
    alone, answered = card["on_papers_not_trained_on"].values()
    (low, high), (low_, high_) = (one["micro_f1_95_over_papers"] for one in (alone, answered))
    said = (
        f"F1 is {alone['micro_f1']} [{low:.0f}, {high:.0f}] and recall at 5 is {alone['recall_at_5']}; with responses, "
        f"they are {answered['micro_f1']} [{low_:.0f}, {high_:.0f}] and {answered['recall_at_5']}."
    )
    assert said in " ".join((ROOT / "docs" / "methods-alignment.md").read_text(encoding="utf-8").split())
