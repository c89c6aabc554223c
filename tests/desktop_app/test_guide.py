"""The keys that the user guide names are the keys that the commands have."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from desktop_app.panes import PANES, PARTICIPANT
from desktop_app.window_commands import PANE_COMMANDS, WINDOW_COMMANDS
from engine.review_drafting.records import STAGE_TITLES

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"
BY_NUMBER = {f"Ctrl+{number}" for number in range(1, 10)}  # panes, in their order


@cache
def _shown() -> frozenset[str]:
    """What the window can show: titles of commands, and every short text in its code, without ellipses."""
    commands = [*WINDOW_COMMANDS, *PANE_COMMANDS, *(c for spec in (*PANES, PARTICIPANT) for c in spec.commands())]
    codes = [
        *(ROOT / "desktop_app").rglob("*.py"),
        ROOT / "engine/models/library.py",
        ROOT / "engine/operations/share.py",
    ]
    nodes = [node for code in codes for node in ast.walk(ast.parse(code.read_text(encoding="utf-8")))]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    titles = {command.title for command in commands} | {spec.title for spec in (*PANES, PARTICIPANT)}
    return frozenset(text.rstrip("…") for text in {*texts, *titles, *STAGE_TITLES.values()})


def _keys() -> set[str]:
    commands = [*WINDOW_COMMANDS, *PANE_COMMANDS, *(c for spec in (*PANES, PARTICIPANT) for c in spec.commands())]
    return {key.strip() for command in commands for key in command.shortcut.split(";")} | BY_NUMBER


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.name)
def test_keys_of_the_guide_exist(page: Path) -> None:
    rows = re.findall(r"^\| (`[^|]*`[^|]*) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`([^`]+)`", row) if not key.startswith("rejoinder")}
    assert named <= _keys(), named - _keys()


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.name)
def test_names_of_the_guide_are_those_of_the_window(page: Path) -> None:
    """Words in italics that begin with a capital letter are names of commands, menus, boxes and states."""
    prose = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = {" ".join(name.split()) for name in re.findall(r"(?<![*\w])\*([A-Z][^*]*)\*(?!\*)", prose)}
    unknown = {name for name in names if name.rstrip("…") not in _shown()}
    assert unknown == set()


def test_every_page_is_in_the_contents() -> None:
    listed = set(re.findall(r"\]\((\w[\w-]*\.md)", (GUIDE / "README.md").read_text(encoding="utf-8")))
    assert listed | {"README.md"} == {page.name for page in GUIDE.glob("*.md")}
