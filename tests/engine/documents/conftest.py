"""One document service for the tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.documents.service import DocumentService


@pytest.fixture(scope="session")
def service() -> Iterator[DocumentService]:
    """A running service; tests that kill or starve workers make their own."""
    with DocumentService() as running:
        running.warm()
        yield running
