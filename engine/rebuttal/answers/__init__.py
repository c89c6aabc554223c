"""Which review sentences a rebuttal sentence answers: by rules, and as learnt from links."""

from engine.rebuttal.answers.evidence import Evidence, Passage, gather
from engine.rebuttal.answers.linking import Answer, choose_answers, link_answers
from engine.rebuttal.answers.untrained import ORIGIN, chances, rank_answers

__all__ = [
    "ORIGIN",
    "Answer",
    "Evidence",
    "Passage",
    "chances",
    "choose_answers",
    "gather",
    "link_answers",
    "rank_answers",
]
