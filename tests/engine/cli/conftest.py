from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.exchange.test_two_annotators import Desk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project in which two annotators worked."""
    desk = Desk(tmp_path / "desk.rejoinder")
    desk.work()
    desk.project.close()
    return desk.project.path
