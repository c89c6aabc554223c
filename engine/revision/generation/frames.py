"""The helper that is always there: a sentence frame that fits the comment's action, at the likeliest place.

It writes nothing that it cannot know: what the author must supply is in square brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import get_args

from engine.resource_files import resource_table
from engine.reviews.records import ActionClass
from engine.revision.generation.records import FRAMES, Proposal
from engine.revision.source_alignment import SourceParagraph, SourceRank

SUBJECT_WORDS = 12
_OPENING = re.compile(
    r"^(?:(?:please|also|finally|first(?:ly)?|second(?:ly)?|moreover|in addition|minor|"
    r"i (?:would|think|suggest|wonder)|the authors? (?:should|could|may want to|might want to|need to)|"
    r"it (?:is|was) (?:unclear|not clear)|it would be (?:good|nice|helpful|useful|interesting) to|"
    r"could you|can you|why|how|what|whether|that|to|if)\b[\s,:]*)+",
    re.IGNORECASE,
)


ACTIONS: tuple[ActionClass, ...] = get_args(ActionClass)


@dataclass(frozen=True, slots=True)
class Frame:
    """How an action is usually answered; ``cue`` is a pattern, "" for none."""

    action: ActionClass
    cue: str
    response: str
    edit: str


@cache
def frames() -> dict[ActionClass, Frame]:
    """The frames that ship (``resources/edit_frames.toml``)."""
    content = resource_table("edit_frames.toml")
    return {action: Frame(action, **content[action]) for action in ACTIONS}


def guess_action(comment: str) -> ActionClass:
    """The class of a comment (ARIES, appendix B) by its words: the class whose cues stand most often, first and early.

    A rule, not a model; it says "other" where no cue is.
    """
    best: tuple[float, ActionClass] = (0.0, "other")
    for action, frame in frames().items():
        if not frame.cue:
            continue
        found = list(re.finditer(frame.cue, comment, re.IGNORECASE))
        if found:
            # Early words name what is asked, later ones its circumstances.
            weight = sum(1 / (1 + match.start() / 80) for match in found)
            best = max(best, (weight, action), key=lambda item: item[0])
    return best[1]


def subject_of(comment: str) -> str:
    """A few words that say what a comment is about, for the middle of a sentence."""
    sentence = re.split(r"(?<=[.?!])\s", " ".join(comment.split()), maxsplit=1)[0]
    words = _OPENING.sub("", sentence).rstrip(".?!:; ").split() or sentence.split()
    short = " ".join(words[:SUBJECT_WORDS]) + ("…" if len(words) > SUBJECT_WORDS else "")
    return f"“{short}”" if short else "this point"


def propose(
    comment_id: str,
    comment: str,
    ranks: Sequence[SourceRank],
    paragraphs: Sequence[SourceParagraph],
    action: ActionClass | None = None,
) -> Proposal:
    """A response, a place and a text for a comment; ``action`` is the person's choice, None takes the guess.

    ``ranks`` are the comment's places, the likeliest first; without any the place stays open.
    """
    chosen = action or guess_action(comment)
    frame = frames()[chosen]
    by_id = {paragraph.id: paragraph for paragraph in paragraphs}
    rank = next((rank for rank in ranks if rank.paragraph_id in by_id), None)
    paragraph = by_id[rank.paragraph_id] if rank is not None else None
    section = f"Section “{paragraph.section}”" if paragraph is not None and paragraph.section else "the paper"
    words = {"subject": subject_of(comment), "section": section}
    addition = frame.edit.format_map(words)
    text = addition if chosen == "remove" or paragraph is None else f"{paragraph.text.rstrip()} {addition}"
    return Proposal(
        comment_id,
        FRAMES,
        frame.response.format_map(words),
        paragraph.id if paragraph is not None else "",
        "change",
        text,
        chosen,
        rank.reasons if rank is not None else (),
        prompt_version="1",
    )
