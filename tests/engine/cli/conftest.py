from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.sockets import hindrance
from tests.e2e.test_network import JOBS, LINE
from tests.engine.exchange.test_two_annotators import Desk


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves to the test of network use what that runs again, watched (``make tests``); all of them run where it
    cannot watch."""
    if os.environ.get("REJOINDER_JOBS_ARE_WATCHED") and not hindrance():
        watched = {LINE + name for name in JOBS}
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in watched])
        items[:] = [item for item in items if item.nodeid not in watched]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project in which two annotators worked."""
    desk = Desk(tmp_path / "desk.rejoinder")
    desk.work()
    desk.project.close()
    return desk.project.path
