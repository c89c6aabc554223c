"""Records of edit generation and its analysis."""

from dataclasses import dataclass
from typing import Literal

from engine.reviews.records import ActionClass

Placement = Literal["change", "after"]
Which = Literal["generated", "real", "same"]
Technicality = Literal["more", "less", "same"]
FRAMES = "model:frames@1"
"""The origin of proposals by sentence frames."""
FULLY = 3
"""The compliance of an edit that does exactly what the comment asked (ARIES, section 6.2)."""


@dataclass(frozen=True, slots=True)
class Change:
    """A proposed edit: ``paragraph_id`` is the paragraph of the submitted paper to change, or after which the new one
    is inserted, "" if the model named no existing one; ``text`` is the whole new paragraph."""

    paragraph_id: str
    placement: Placement
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A possible response and edit for one comment. The first edit is in ``paragraph_id``, ``placement`` and ``text``
    (see ``Change``), further ones are in ``more``. ``raw`` is a language model's whole output, ``seed`` that of its
    prompt. ``reasons`` explain the choice of the place."""

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
    more: tuple[Change, ...] = ()
    seed: int = 0

    @property
    def changes(self) -> tuple[Change, ...]:
        return (Change(self.paragraph_id, self.placement, self.text), *self.more)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A person's judgement of one comment's real edits, or of its generated edit (D'Arcy et al. 2024, section 6.2).

    ``compliance``: 1 it argues that the comment is irrelevant or infeasible to address, 2 it addresses the spirit of
    the comment but not specifically what was asked, 3 it does directly what was asked. ``promises``: it defers part of
    the answer to a later paper or revision, or refers to text elsewhere that it does not provide. ``paraphrases``: it
    reuses the wording of the comment. ``technical``: it has specific details or placeholders for them, such as
    citations, formulas or numerical results. None: not yet judged.
    """

    compliance: int | None = None
    promises: bool | None = None
    paraphrases: bool | None = None
    technical: bool | None = None

    @property
    def complete(self) -> bool:
        return None not in (self.compliance, self.promises, self.paraphrases, self.technical)


@dataclass(frozen=True, slots=True)
class Analysis:
    """One annotator's analysis of a comment: both sides, and how they compare.

    ``answerable``: whether the comment can be addressed without placeholders or invention, from the paper and
    background knowledge alone. ``comprehensive``: which side addresses the comment more thoroughly, right or wrong.
    ``technicality``: whether the generated edit is more or less technical than the real one.
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
        rest = (self.answerable, self.comprehensive, self.technicality)
        return self.real.complete and self.generated.complete and None not in rest
