"""The stages of each way to draft: the deterministic one, and the one with a language model."""

from collections.abc import Callable, Mapping
from functools import partial

from engine.jobs import Report
from engine.models import Embedder
from engine.models.language import LanguageModel, Manner
from engine.models.questions import Forecast
from engine.review_drafting.pipeline import Crew, RunSettings
from engine.review_drafting.prompts import PROMPTS, prompt_in_force
from engine.review_drafting.records import Draft, Made, PaperReading, Stage, StageId, StageInfo, StageInput, StageOutput
from engine.review_drafting.stages.aggregator import aggregated
from engine.review_drafting.stages.drafter import scaffold
from engine.review_drafting.stages.insight import mined
from engine.review_drafting.stages.literature import found_literature
from engine.review_drafting.stages.results import analysed

VERSION = "3"
"""The version of the deterministic way as a whole; it changes whenever one of its stages would give other results."""


def _by_rules(stage: StageId, version: str, make: Callable[[StageInput, Report], StageOutput]) -> Stage:
    def run(given: StageInput, report: Report) -> Made:
        return make(given, report), ()

    return Stage(StageInfo(stage, "deterministic", version), run)


def deterministic_crew(encoder: Callable[[], Embedder] | None = None, fingerprint: str = "") -> Crew:
    """Returns the way that is always available.

    ``encoder`` returns the encoder that ranks the library, if there is one; ``fingerprint`` identifies it in the run's
    provenance.
    """
    stages = (
        _by_rules("drafter", "2", scaffold),
        _by_rules("literature", "2", partial(found_literature, encoder)),
        _by_rules("insight", "2", mined),
        _by_rules("results", "2", analysed),
        _by_rules("aggregator", "3", aggregated),
    )
    return Crew("deterministic", f"model:stages@{VERSION}", lambda _: stages, encoder=fingerprint)


def language_crew(
    model: LanguageModel,
    *,
    edited: Mapping[str, tuple[int, str]] | None = None,
    encoder: Callable[[], Embedder] | None = None,
    fingerprint: str = "",
    models: Mapping[StageId, LanguageModel] | None = None,
) -> Crew:
    """Returns the way with a language model. ``edited`` are the user's own prompts: id to (version, text); ``models``
    are other models for single stages. If a stage fails, the rules do its work."""
    from engine.review_drafting.stages.asking import Asking
    from engine.review_drafting.stages.language import forecast_stages, language_stages

    prompts = {key: prompt_in_force(key, edited) for key in PROMPTS}

    def asking(settings: RunSettings, stage: StageId) -> Asking:
        asked = (models or {}).get(stage, model)
        return Asking(asked, settings.seed, settings.temperature, dict(settings.manners).get(stage, Manner()))

    def stages(settings: RunSettings) -> tuple[Stage, ...]:
        return language_stages(partial(asking, settings), prompts, encoder)

    def forecast(paper: PaperReading, own: Draft, settings: RunSettings, library: int) -> Forecast:
        return forecast_stages(
            partial(asking, settings), prompts, paper=paper, own=own, settings=settings, library=library
        )

    rules = deterministic_crew(encoder, fingerprint)
    return Crew("language model", model.info.origin, stages, model.info.id, fingerprint, rules.stages, forecast)
