"""What a stage is: typed input in, typed output out, by rules or with a language model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.jobs import Report
from engine.review_drafting.records import StageId, StageInput, StageOutput, Way

Made = tuple[StageOutput, tuple[str, ...]]
"""What a stage made, and what a language model wrote on the way, answer by answer."""


@dataclass(frozen=True, slots=True)
class StageInfo:
    """A way of a stage: ``version`` changes with what it would answer; prompt fields are "" without a prompt."""

    stage: StageId
    way: Way
    version: str
    prompt: str = ""
    prompt_version: str = ""
    prompt_text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage in one of its ways: pure but for the model that it asks; equal input gives equal output.

    ``run`` raises Cancelled, and with a language model what ``complete_as`` raises.
    """

    info: StageInfo
    run: Callable[[StageInput, Report], Made]
