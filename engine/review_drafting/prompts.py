"""The prompts of the stages, and which text of each is used: the bundled one, or a user's own."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.models.prompts import shipped_prompt
from engine.review_drafting.pipeline import Run
from engine.review_drafting.records import StageId

PROMPTS: Mapping[str, tuple[StageId, str]] = {
    "review-drafter": ("drafter", "Drafter"),
    "review-keywords": ("literature", "Literature Searcher: search phrases"),
    "review-related": ("literature", "Literature Searcher: summaries"),
    "review-insight": ("insight", "Insight Miner"),
    "review-results": ("results", "Result Analyzer"),
    "review-aggregator": ("aggregator", "Aggregator"),
}
"""Prompt id to the stage that uses it and its title; files of these names are in ``resources/prompts``."""

BETWEEN = "\n\n---\n\n"
"""Separates the texts of a stage with two prompts in a stored run."""
_EDITED = re.compile(r"edited (\d+)\b")


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt in use. ``version`` identifies its text: "bundled" or "edited 2", with the beginning of its hash."""

    id: str
    version: str
    text: str


def prompt_in_force(prompt: str, edited: Mapping[str, tuple[int, str]] | None = None) -> PromptText:
    """Returns the text of a prompt; ``edited`` maps ids to (version, text) of the user's own. Raises KeyError."""
    if prompt not in PROMPTS:
        raise KeyError(prompt)
    number, text = (edited or {}).get(prompt, (0, ""))
    text = text.strip() or shipped_prompt(prompt)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return PromptText(prompt, f"edited {number} {digest}" if number else f"bundled {digest}", text)


def prompts_of(run: Run) -> tuple[tuple[str, int, str], ...]:
    """Returns the prompts that a stored run used: id, version (0: bundled), text."""
    found: list[tuple[str, int, str]] = []
    for stage in run.stages:
        if not stage.info.prompt:
            continue
        ids, versions = stage.info.prompt.split(", "), stage.info.prompt_version.split(", ")
        texts = stage.info.prompt_text.split(BETWEEN)
        if len(ids) == len(versions) == len(texts):
            found += [
                (key, int(match[1]) if (match := _EDITED.match(version)) else 0, text)
                for key, version, text in zip(ids, versions, texts, strict=True)
            ]
    return tuple(found)
