"""A study to link in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.revision.studies import Study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    study = Study(tmp_path / "study.rejoinder")
    yield study
    study.project.close()
