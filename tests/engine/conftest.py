from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.readers import Readers

OF_READING = [Path(__file__).parent / folder for folder in ("documents", "confinement")]


@pytest.fixture(autouse=True)
def shared_readers(readers: Readers, request: pytest.FixtureRequest) -> Iterator[None]:
    """Processes that read PDFs stay from test to test, except where they are tested."""
    if any(folder in request.path.parents for folder in OF_READING):
        yield
    else:
        with readers.shared():
            yield
