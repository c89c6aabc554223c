"""The keys that the user guide names are the keys that the commands have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from desktop_app.panes.calibration.commands import calibration_commands
from desktop_app.panes.labels.commands import labels_commands
from desktop_app.panes.linking.commands import linking_commands
from desktop_app.panes.rebuttal.commands import rebuttal_commands
from desktop_app.panes.survey.commands import survey_commands
from desktop_app.panes.survey.participant_commands import participant_commands
from desktop_app.window_commands import window_commands

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
BY_NUMBER = {f"Ctrl+{number}" for number in range(1, 10)}  # panes, in their order


class _Anyone:
    """Stands for the pane or window whose handlers the records name; none of them is called."""

    def __getattr__(self, name: str) -> Any:
        return _Anyone()

    def __call__(self, *values: Any) -> Any:
        return _Anyone()


def _keys() -> set[str]:
    anyone: Any = _Anyone()
    commands = [*window_commands(anyone), *linking_commands(anyone), *calibration_commands(anyone)]
    commands += [
        *labels_commands(anyone),
        *survey_commands(anyone),
        *participant_commands(anyone),
        *rebuttal_commands(anyone),
    ]
    return {key.strip() for command in commands for key in command.shortcut.split(";")} | BY_NUMBER


@pytest.mark.parametrize("page", sorted(GUIDE.glob("*.md")), ids=lambda page: page.name)
def test_keys_of_the_guide_exist(page: Path) -> None:
    rows = re.findall(r"^\| (`[^|]*`[^|]*) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`([^`]+)`", row) if not key.startswith("rejoinder")}
    assert named <= _keys(), named - _keys()
