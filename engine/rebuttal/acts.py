"""What rebuttal sentences do (action, 17 classes, and with it the stance), learnt from labels that a person has.

The heads are those of review sentences (``engine.reviews.labels``): words and letters, the encoder's vectors with the
neighbours', and a last step that sees what the neighbours are. What a rebuttal has beside its words is added to them as
marks: whether a sentence quotes the review or follows a quotation, stands first or last in its paragraph, begins with a
number or a quotation sign. Nothing trained on DISAPERE ships: heads are fitted where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInput
from engine.jobs import Report
from engine.rebuttal.act_codes import ACTS, stance_of
from engine.rebuttal.answers.evidence import Evidence, Passage
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import Heads, Target, decide
from engine.reviews.labels.training import Examples, HeadSettings, fit

TARGET = Target("rebuttal_action", tuple(act.id for act in ACTS), several=False)
_QUOTED, _CLOSE = 0.5, 0.25


@dataclass(frozen=True, slots=True)
class ActPair:
    """A rebuttal to a review. ``actions``: ids by sentence, empty where they are to be told; ``vectors`` (n, d)."""

    paper: str
    rebuttal: tuple[Passage, ...]
    evidence: Evidence
    vectors: Vectors
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """What a sentence does, how sure that is (0..1), and the stance that goes with it."""

    action: str
    stance: str
    confidence: float
    origin: str


def fit_acts(pairs: Sequence[ActPair], report: Report, settings: HeadSettings | None = None) -> Heads:
    """Heads fitted to labelled rebuttals.

    Raises:
        BadInput: an action is unknown, or there are too few.
        Cancelled: the person cancelled.
    """
    unknown = sorted({action for pair in pairs for action in pair.actions} - set(TARGET.labels))
    if unknown:
        raise BadInput(f"There is no rebuttal action “{unknown[0]}”.", "Nothing was trained.")
    kept = [pair for pair in pairs if pair.actions]
    if not kept:
        raise BadInput("There is no labelled rebuttal sentence.", "Nothing was trained.", "Label some sentences first.")
    said = [TARGET.labels.index(action) for pair in kept for action in pair.actions]
    truth = np.eye(len(TARGET.labels), dtype=np.float32)[said]
    data = Examples(
        tuple(marked(pair.rebuttal, pair.evidence) for pair in kept),
        tuple(pair.paper for pair in kept),
        (TARGET,),
        {TARGET.name: truth},
        np.concatenate([pair.vectors for pair in kept]).astype(np.float32),
    )
    return fit(data, settings or HeadSettings(), report)


def read_acts(heads: Heads, pairs: Sequence[ActPair]) -> list[tuple[Act, ...]]:
    """What the sentences of each rebuttal do."""
    sentences = [marked(pair.rebuttal, pair.evidence) for pair in pairs]
    vectors = np.concatenate([pair.vectors for pair in pairs]).astype(np.float32)
    head = next(head for head in heads.heads if head.target.name == TARGET.name)
    chances = heads.chances(sentences, vectors)[TARGET.name]
    labels = head.target.labels
    chosen = [labels[int(at)] for at in decide(head, chances).argmax(1)]
    acts = [
        Act(action, stance_of(action), float(row[labels.index(action)]), heads.origin)
        for action, row in zip(chosen, chances, strict=True)
    ]
    ends = np.cumsum([0, *(len(pair.rebuttal) for pair in pairs)])
    return [tuple(acts[start:end]) for start, end in pairwise(ends)]


def marked(rebuttal: Sequence[Passage], evidence: Evidence) -> ReviewSentences:
    """The sentences with marks of structure behind their words, for the views that read words."""
    best = evidence.quoted.max(1, initial=0.0)
    own = evidence.rebuttal
    found = []
    for at, passage in enumerate(rebuttal):
        marks = [
            *_quotation(best, at),
            "xxfirst" if own.first[at] else "xxinside",
            *(["xxlast"] if "\n" in passage.suffix else []),
            *(["xxgap"] if "\n\n" in passage.suffix else []),
            *(["xxcolon"] if passage.text.rstrip().endswith(":") else []),
            *(["xxshort"] if len(passage.text.split()) <= 4 else []),
        ]
        found.append(f"{passage.text} {' '.join(marks)}")
    return ReviewSentences(tuple(found))


def _quotation(best: NDArray[np.float64], at: int) -> list[str]:
    if best[at] >= _QUOTED:
        return ["xxquotes"]
    marks = ["xxclose"] if best[at] >= _CLOSE else []
    return [*marks, "xxafterquote"] if at and best[at - 1] >= _QUOTED else marks
