"""The keys that the user guide names are the keys that the commands have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from desktop_app.panes import PANES, PARTICIPANT
from desktop_app.window_commands import PANE_COMMANDS, WINDOW_COMMANDS

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
BY_NUMBER = {f"Ctrl+{number}" for number in range(1, 10)}  # panes, in their order


def _keys() -> set[str]:
    commands = [*WINDOW_COMMANDS, *PANE_COMMANDS, *(c for spec in (*PANES, PARTICIPANT) for c in spec.commands())]
    return {key.strip() for command in commands for key in command.shortcut.split(";")} | BY_NUMBER


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.name)
def test_keys_of_the_guide_exist(page: Path) -> None:
    rows = re.findall(r"^\| (`[^|]*`[^|]*) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`([^`]+)`", row) if not key.startswith("rejoinder")}
    assert named <= _keys(), named - _keys()
