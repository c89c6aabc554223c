"""One protocol for all stages: typed input in, typed output out, in the deterministic way or with a language model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from engine.jobs import Report
from engine.review_drafting.records import Record, StageId, Way

Given_contra = TypeVar("Given_contra", bound=Record, contravariant=True)
Made_co = TypeVar("Made_co", bound=Record, covariant=True)


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
class Outcome(Generic[Made_co]):
    """What a stage made; ``raw`` is what a language model wrote, answer by answer."""

    output: Made_co
    raw: tuple[str, ...] = ()


class Stage(Protocol[Given_contra, Made_co]):
    """A stage in one of its ways. Pure but for the model that it asks; equal input gives equal output."""

    @property
    def info(self) -> StageInfo: ...

    def run(self, given: Given_contra, *, report: Report) -> Outcome[Made_co]:
        """Raises Cancelled, and with a language model what ``complete_as`` raises."""
        ...
