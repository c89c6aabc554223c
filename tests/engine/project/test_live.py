"""What guards an open project file in this process, without a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.project.live import guard, unguard


def test_a_guarded_file_opens_for_nobody_until_the_guard_ends(tmp_path: Path) -> None:
    (path := tmp_path / "p.rejoinder").write_text("pages")
    guard(path)
    with pytest.raises(BadInput, match=r"p\.rejoinder is the open project"):
        path.read_text()
    unguard(path)
    assert path.read_text() == "pages"


def test_the_guard_of_a_file_that_is_not_there_keeps_nothing(tmp_path: Path) -> None:
    guard(path := tmp_path / "p.rejoinder")
    path.write_text("pages")
    assert path.read_text() == "pages"
