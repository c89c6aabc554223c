"""What the tests of several panes need."""

import pytest

from engine.jobs import QuietReport
from engine.research.labels.own import fit_own
from engine.reviews.labels.heads import Heads
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews


@pytest.fixture(scope="module")
def made() -> Heads:
    return fit_own(invented_reviews(12), ("theme", "polarity"), WordVectors(), QuietReport())
