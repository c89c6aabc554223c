"""What flows between the rooms of edit generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.reviews.records import ActionClass

Placement = Literal["change", "after"]
Side = Literal["real", "generated"]
Which = Literal["generated", "real", "same"]
Technicality = Literal["more", "less", "same"]
FRAMES = "model:frames@1"
"""The origin of proposals by sentence frames."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an author could answer and change for one comment.

    ``paragraph_id`` is the paragraph of the submitted paper to change, or after which the new one comes, "" where the
    model named none that exists. ``text`` is the whole new paragraph. ``raw`` keeps what a language model wrote.
    ``reasons`` say why this place.
    """

    comment_id: str
    origin: str
    response: str
    paragraph_id: str
    placement: Placement
    text: str
    action: ActionClass
    reasons: tuple[str, ...] = ()
    raw: str = ""
    prompt_version: str = ""
    seconds: float = 0.0
    id: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person says of one comment's real edits, or of its generated edit (D'Arcy et al. 2024, section 6.2).

    ``compliance``: 1 not, 2 in part, 3 fully, None while undecided. ``promises``: it says that something will be done
    or was done elsewhere, in place of doing it. ``paraphrases``: it repeats the comment's wording. ``technical``: it
    adds technical details. None: not yet judged.
    """

    compliance: int | None = None
    promises: bool | None = None
    paraphrases: bool | None = None
    technical: bool | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to judge."""
        return None not in (self.compliance, self.promises, self.paraphrases, self.technical)


@dataclass(frozen=True, slots=True)
class Analysis:
    """One annotator's analysis of a comment: both sides, and how they compare.

    ``answerable``: whether the comment could be answered from the paper alone, without results or knowledge that only
    the authors have. ``comprehensive``: which side covers more of what was asked. ``technicality``: whether the
    generated edit is more or less technical than the real one.
    """

    comment_id: str
    proposal_id: str
    annotator_id: str
    real: Judgement = Judgement()
    generated: Judgement = Judgement()
    answerable: bool | None = None
    comprehensive: Which | None = None
    technicality: Technicality | None = None
    note: str = ""

    @property
    def complete(self) -> bool:
        """Whether nothing is left to judge."""
        rest = (self.answerable, self.comprehensive, self.technicality)
        return self.real.complete and self.generated.complete and None not in rest
