"""The command that adds a library fits the tool that made the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine import installing


def test_each_tool_has_its_own_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(installing, "find_spec", lambda _name: object())
    assert installing.command_for("numpy<1") == f'{sys.executable} -m pip install "numpy<1"'
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/opt/my tools/python")
        assert installing.command_for("numpy<1") == '"/opt/my tools/python" -m pip install "numpy<1"'
    monkeypatch.setattr(installing, "find_spec", lambda _name: None)  # as uv makes environments
    assert installing.command_for("numpy<1") == f'uv pip install --python "{sys.executable}" "numpy<1"'
    (tmp_path / "pipx_metadata.json").write_text("{}")
    assert installing.command_for("numpy<1") == 'pipx inject rejoinder "numpy<1"'
