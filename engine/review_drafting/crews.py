"""Which stages make up a way: the deterministic one, and the one with a language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.review_drafting.pipeline import Crew, RunSettings
from engine.review_drafting.prompts import PROMPTS, prompt_in_force
from engine.review_drafting.records import StageId
from engine.review_drafting.stages.aggregator import DeterministicAggregator
from engine.review_drafting.stages.base import Stage
from engine.review_drafting.stages.drafter import DeterministicDrafter
from engine.review_drafting.stages.insight import DeterministicInsightMiner
from engine.review_drafting.stages.literature import DeterministicLiteratureSearcher
from engine.review_drafting.stages.results import DeterministicResultAnalyzer

if TYPE_CHECKING:
    from engine.models import Embedder
    from engine.models.language import LanguageModel

VERSION = "2"
"""Of the deterministic way as a whole; it changes with what any of its stages would answer."""


def deterministic_crew(encoder: Callable[[], Embedder] | None = None, fingerprint: str = "") -> Crew:
    """The way that is always there.

    ``encoder`` gives the encoder that ranks the library, when there is a library; ``fingerprint`` is its name in the
    run's provenance.
    """
    return Crew(
        "deterministic",
        f"model:stages@{VERSION}",
        lambda _: {
            "drafter": DeterministicDrafter(),
            "literature": DeterministicLiteratureSearcher(encoder),
            "insight": DeterministicInsightMiner(),
            "results": DeterministicResultAnalyzer(),
            "aggregator": DeterministicAggregator(),
        },
        encoder=fingerprint,
    )


def language_crew(
    model: LanguageModel,
    *,
    edited: Mapping[str, tuple[int, str]] | None = None,
    encoder: Callable[[], Embedder] | None = None,
    fingerprint: str = "",
) -> Crew:
    """The way with a language model. ``edited`` are a person's own prompts: id to (version, text)."""
    from engine.review_drafting.stages.asking import Asking
    from engine.review_drafting.stages.language import (
        LanguageAggregator,
        LanguageDrafter,
        LanguageInsightMiner,
        LanguageLiteratureSearcher,
        LanguageResultAnalyzer,
    )

    prompt = {key: prompt_in_force(key, edited) for key in PROMPTS}

    def stages(settings: RunSettings) -> Mapping[StageId, Stage[Any, Any]]:
        asking = Asking(model, settings.seed, settings.temperature)
        return {
            "drafter": LanguageDrafter(asking, prompt["review-drafter"]),
            "literature": LanguageLiteratureSearcher(
                asking, prompt["review-keywords"], prompt["review-related"], encoder
            ),
            "insight": LanguageInsightMiner(asking, prompt["review-insight"]),
            "results": LanguageResultAnalyzer(asking, prompt["review-results"]),
            "aggregator": LanguageAggregator(asking, prompt["review-aggregator"]),
        }

    origin = f"model:{model.info.id}@{model.info.version}"
    return Crew("language model", origin, stages, model.info.id, fingerprint)
