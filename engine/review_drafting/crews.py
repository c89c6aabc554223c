"""Which stages make up a way: the deterministic one, and the one with a language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.review_drafting.pipeline import Crew
from engine.review_drafting.stages.aggregator import DeterministicAggregator
from engine.review_drafting.stages.drafter import DeterministicDrafter
from engine.review_drafting.stages.insight import DeterministicInsightMiner
from engine.review_drafting.stages.literature import DeterministicLiteratureSearcher
from engine.review_drafting.stages.results import DeterministicResultAnalyzer

if TYPE_CHECKING:
    from engine.models import Embedder

VERSION = "1"
"""Of the deterministic way as a whole; it changes with what any of its stages would answer."""


def deterministic_crew(encoder: Callable[[], Embedder] | None = None, fingerprint: str = "") -> Crew:
    """The way that is always there.

    ``encoder`` gives the encoder that ranks the library, when there is a library; ``fingerprint`` is its name in the
    run's provenance.
    """
    return Crew(
        "deterministic",
        f"model:stages@{VERSION}",
        {
            "drafter": DeterministicDrafter(),
            "literature": DeterministicLiteratureSearcher(encoder),
            "insight": DeterministicInsightMiner(),
            "results": DeterministicResultAnalyzer(),
            "aggregator": DeterministicAggregator(),
        },
        encoder=fingerprint,
    )
