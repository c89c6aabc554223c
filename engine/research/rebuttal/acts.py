"""Classifies rebuttal sentences by action (17 classes) and thereby stance, learnt from the user's labels.

The heads are those of review sentences (``engine.reviews.labels``): words and letters, the encoder's vectors including
the neighbours', and a last step that sees the neighbours' predictions. Structural features of rebuttals are added as
marks to the words: whether a sentence quotes the review or follows a quotation, is first or last in its paragraph, ends
with a colon, or is very short. The last step also sees what is answered, since a request can be rejected and a
criticism mitigated but not the other way round: the features of the review sentences that, according to the untrained
ranker, a sentence answers.

The stance is the one whose actions have the highest total probability, and the action the likeliest of that stance.
Nothing trained on DISAPERE is bundled: heads are fitted where they are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from engine.errors import not_trained
from engine.jobs import Report
from engine.rebuttal.answers.evidence import ROLES, Evidence, Passage, rank_answers
from engine.rebuttal.answers.evidence import chances as shares_of
from engine.rebuttal.records import ACTS, ActStance, stance_of
from engine.research.labels.heads import Examples, HeadSettings, fit
from engine.research.rebuttal.points import Exchange
from engine.reviews.cues import sentence_role
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import Heads, Target
from engine.reviews.labels.measures import best_balance

TARGET = Target("rebuttal_action", tuple(act.id for act in ACTS), several=False)
STANCES: tuple[ActStance, ...] = get_args(ActStance)
_STANCE_OF = np.array([[stance_of(label) == stance for stance in STANCES] for label in TARGET.labels], dtype=np.float32)
_QUOTED, _CLOSE = 0.5, 0.25


@dataclass(frozen=True, slots=True)
class ActHeads:
    heads: Heads
    stances: NDArray[np.float64]


def act_examples(pairs: Sequence[Exchange]) -> Examples:
    """Converts labelled rebuttals to examples. Raises BadInput if an action is unknown or nothing is labelled."""
    unknown = sorted({action for pair in pairs for action in pair.actions} - set(TARGET.labels))
    if unknown:
        raise not_trained(f"There is no rebuttal action “{unknown[0]}”.")
    kept = [pair for pair in pairs if pair.actions]
    if not kept:
        raise not_trained("There is no labelled rebuttal sentence.", "Label some sentences first.")
    said = [TARGET.labels.index(action) for pair in kept for action in pair.actions]
    return Examples(
        tuple(map(_sentences, kept)),
        tuple(pair.paper for pair in kept),
        (TARGET,),
        {TARGET.name: np.eye(len(TARGET.labels), dtype=np.float32)[said]},
        np.concatenate([pair.vectors for pair in kept]).astype(np.float32),
    )


def fit_acts(pairs: Sequence[Exchange], report: Report, settings: HeadSettings | None = None) -> ActHeads:
    """Fits heads to labelled rebuttals. Raises BadInput (like ``act_examples``, or for too few), or Cancelled."""
    data = act_examples(pairs)
    heads, unseen, _ = fit(data, settings or HeadSettings(), report)
    return ActHeads(heads, best_balance(data.truth[TARGET.name] @ _STANCE_OF, unseen[TARGET.name] @ _STANCE_OF))


def read_acts(fitted: ActHeads, pairs: Sequence[Exchange]) -> list[tuple[str, ...]]:
    """Returns the actions of each rebuttal's sentences, as ids."""
    vectors = np.concatenate([pair.vectors for pair in pairs]).astype(np.float32)
    head = next(head for head in fitted.heads.heads if head.target.name == TARGET.name)
    chances = fitted.heads.chances([_sentences(pair) for pair in pairs], vectors)[TARGET.name]
    stances = np.argmax(chances @ _STANCE_OF / fitted.stances, axis=1)
    fitting = np.where(_STANCE_OF.T[stances] > 0, chances / head.thresholds, -1.0)
    acts = [TARGET.labels[at] for at in fitting.argmax(axis=1)]
    ends = np.cumsum([0, *(len(pair.rebuttal) for pair in pairs)])
    return [tuple(acts[start:end]) for start, end in pairwise(ends)]


def what_is_answered(evidence: Evidence, review: Sequence[Passage], chances: Vectors) -> Vectors:
    """Returns features of the review sentences that each rebuttal sentence answers, (rebuttal sentences, k), averaged
    by the untrained ranker's shares: roles by cues, whether they ask, their positions, and their labels' ``chances``
    (review sentences, labels). The last one is the highest share, which shows how clear it is what is answered."""
    texts = [passage.text for passage in review]
    roles = np.array([[sentence_role(text) == role for role in ROLES] for text in texts], dtype=np.float64)
    asks = np.array([["?" in text] for text in texts], dtype=np.float64)
    places = np.linspace(0.0, 1.0, len(texts))[:, None]
    shares = shares_of(rank_answers(evidence))
    about = np.hstack([roles.reshape(-1, len(ROLES)), asks.reshape(-1, 1), places, chances])
    return np.hstack([shares @ about, shares.max(axis=1, keepdims=True, initial=0.0)]).astype(np.float32)


def _sentences(pair: Exchange) -> ReviewSentences:
    return replace(marked(pair.rebuttal, pair.evidence), further=pair.answered)


def marked(rebuttal: Sequence[Passage], evidence: Evidence) -> ReviewSentences:
    """Appends structural marks to the sentences' words, for views that read words."""
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
