"""Several annotators of one cluster: their verdicts on each pair, their agreement, and whose judgements rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from engine.measures.annotators import MISSING, nominal_kappa
from engine.measures.competence import FEWEST_ANNOTATORS, Competence, mace
from engine.measures.estimate import Estimate
from engine.rebuttal.preferences.records import (
    ADJUDICATED,
    ALL,
    VERDICTS,
    Adjudication,
    Comparison,
    DescriptionChoice,
    Judgement,
    Verdict,
)

Pair = tuple[str, str]
SEED = 20240501
_WINNERS: Mapping[str, Literal[0, 1] | None] = {"left": 0, "right": 1, "first": 0, "second": 1, "tie": None}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair on which annotators differ: each one's verdict, and the adjudication (None if there is none yet)."""

    pair: Pair
    verdicts: tuple[tuple[str, Verdict], ...]
    decided: Verdict | None


@dataclass(frozen=True, slots=True)
class Habits:
    """Statistics of one annotator. ``consistent`` of ``repeated`` repeated pairs got the same verdict;
    ``median_seconds`` is over judgements with a time, NaN without any; ``left`` of ``decided`` preferences went to the
    left side."""

    annotator_id: str
    judged: int
    skipped: int
    unsuitable: int
    ties: int
    left: int
    decided: int
    consistent: int
    repeated: int
    median_seconds: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Comparison of annotators. ``kappas`` by pair of annotators over the pairs that both judged; ``competence`` in the
    order of ``annotators``; ``most_competent`` is the best one, "" if that can't be determined. ``shared`` pairs were
    judged by three annotators or more."""

    annotators: tuple[str, ...]
    habits: tuple[Habits, ...]
    kappas: Mapping[tuple[str, str], Estimate]
    competence: Competence
    most_competent: str
    disagreements: tuple[Disagreement, ...]
    overlap: int
    shared: int = 0


def verdicts(judgements: Sequence[Judgement]) -> dict[str, dict[Pair, Verdict]]:
    """Returns each annotator's first verdict on each pair; repetitions only measure consistency."""
    found: dict[str, dict[Pair, Verdict]] = {}
    for judgement in judgements:
        said = judgement.verdict
        if said is not None and not judgement.repeat:
            found.setdefault(judgement.annotator_id, {}).setdefault(judgement.pair, said)
    return found


def consistency(own: Sequence[Judgement]) -> tuple[int, int]:
    """Returns how many repeated pairs an annotator judged the same both times, and how many were repeated."""
    first: dict[Pair, Verdict] = {}
    same = looked = 0
    for judgement in own:
        said = judgement.verdict
        if said is None:
            continue
        if judgement.repeat and judgement.pair in first:
            looked += 1
            same += first[judgement.pair] == said
        else:
            first[judgement.pair] = said
    return same, looked


def habits(annotator_id: str, own: Sequence[Judgement]) -> Habits:
    said = [judgement.answer for judgement in own]
    times = [j.milliseconds for j in own if j.milliseconds is not None and j.answer != "skip"]
    same, repeated = consistency(own)
    return Habits(
        annotator_id,
        len(said) - said.count("skip"),
        said.count("skip"),
        said.count("unsuitable"),
        said.count("tie"),
        said.count("left"),
        said.count("left") + said.count("right"),
        same,
        repeated,
        float(np.median(times)) / 1000 if times else float("nan"),
    )


def agreement(judgements: Sequence[Judgement], adjudications: Mapping[Pair, Adjudication]) -> Agreement:
    """Compares all annotators of a cluster: habits, Cohen's kappa per pair, MACE competence, and disagreements."""
    said = verdicts(judgements)
    people = tuple(dict.fromkeys(j.annotator_id for j in judgements))
    pairs = sorted({pair for own in said.values() for pair in own})
    labels = np.array(
        [
            [VERDICTS.index(said[who][pair]) if pair in said.get(who, {}) else MISSING for who in people]
            for pair in pairs
        ],
        dtype=np.int64,
    ).reshape(len(pairs), len(people))
    common = (labels != MISSING).sum(1) > 1
    found = mace(labels, len(VERDICTS), np.random.default_rng(SEED))
    differing = tuple(
        Disagreement(
            pair,
            tuple((who, said[who][pair]) for who in people if pair in said.get(who, {})),
            adjudications[pair].verdict if pair in adjudications else None,
        )
        for pair in pairs
        if len({own[pair] for own in said.values() if pair in own}) > 1
    )
    return Agreement(
        people,
        tuple(habits(who, [j for j in judgements if j.annotator_id == who]) for who in people),
        {
            (people[one], people[two]): nominal_kappa(
                [(VERDICTS[a], VERDICTS[b]) for a, b in labels[:, [one, two]] if MISSING not in (a, b)]
            )
            for one, two in combinations(range(len(people)), 2)
        },
        found,
        people[found.best] if found.best is not None else "",
        differing,
        int(common.sum()),
        int(((labels != MISSING).sum(1) >= FEWEST_ANNOTATORS).sum()),
    )


def description_kappa(choices: Mapping[str, Sequence[DescriptionChoice]]) -> dict[tuple[str, str], Estimate]:
    """Returns Cohen's kappa of the blind choice between descriptions over clusters, for each two annotators who both
    chose."""
    chosen = {cluster: {c.annotator_id: c.choice for c in own} for cluster, own in choices.items()}
    people = sorted({who for own in chosen.values() for who in own})
    found = {}
    for one, two in combinations(people, 2):
        both = [(own[one], own[two]) for own in chosen.values() if one in own and two in own]
        if both:
            found[one, two] = nominal_kappa(both)
    return found


def comparisons(
    candidate_ids: Sequence[str],
    judgements: Sequence[Judgement],
    adjudications: Mapping[Pair, Adjudication],
    basis: str,
    names: Mapping[str, str],
) -> tuple[Comparison, ...]:
    """Returns the comparisons to rank by, as positions in ``candidate_ids``: everyone's judgements (``ALL``),
    everyone's with adjudicated pairs as decided (``ADJUDICATED``), or those of one annotator by name. Repetitions don't
    count. For an adjudicated pair, the judgements that agree with the decision are kept with their sides; if there are
    none, the decision itself counts once."""
    place = {key: at for at, key in enumerate(candidate_ids)}
    chosen = [j for j in judgements if basis in (ALL, ADJUDICATED) or names.get(j.annotator_id) == basis]
    if basis == ADJUDICATED:
        chosen = [j for j in chosen if j.pair not in adjudications or j.verdict == adjudications[j.pair].verdict]
    found = [
        Comparison(place[j.left_id], place[j.right_id], _WINNERS[j.answer])
        for j in chosen
        if j.answer in _WINNERS and not j.repeat and j.left_id in place and j.right_id in place
    ]
    if basis == ADJUDICATED:
        said = {j.pair for j in chosen}
        for pair, decided in adjudications.items():
            if pair not in said and decided.verdict != "unsuitable" and set(pair) <= place.keys():
                found.append(Comparison(place[pair[0]], place[pair[1]], _WINNERS[decided.verdict]))
    return tuple(found)
