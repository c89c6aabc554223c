"""Tables 5 and 6 of D'Arcy et al. (2024) for one's own analyses: how generated edits differ from real ones.

Table 5 says which edit is more comprehensive, by whether the comment is answerable; table 6 has each property on both
sides, with a paired test. Tests are exact: McNemar's for yes and no, the sign test for compliance and for the direct
comparisons (those that are "same" are left out), with Holm's correction over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Literal

from engine.revision.generation.records import FULLY, Analysis, Judgement

Property = Literal["compliance", "promises", "paraphrases", "technical"]
PROPERTIES: Mapping[Property, str] = {
    "compliance": "Compliance, 1 to 3 (mean)",
    "promises": "Promises",
    "paraphrases": "Paraphrases the comment",
    "technical": "Has technical details",
}
PRINTED_5: Mapping[str, tuple[float, float, float]] = {
    "generated": (0.31, 0.19, 0.25),
    "real": (0.19, 0.40, 0.29),
    "same": (0.50, 0.42, 0.46),
    "frequency": (0.51, 0.49, 1.0),
}
"""ARIES, Table 5 (section 6.3): which edit is more comprehensive, of answerable comments, of others, and of all."""
PRINTED_6: Mapping[Property, tuple[float, float]] = {
    "compliance": (2.9, 2.6),
    "promises": (0.21, 0.06),
    "paraphrases": (0.48, 0.04),
    "technical": (0.38, 0.53),
}
"""ARIES, Table 6: generated (GPT-4) and real."""
PRINTED_FULLY = (0.94, 0.68)
"""ARIES, section 6.3: shares of generated and of real edits with compliance 3."""
PRINTED_MORE_TECHNICAL: Mapping[str, float] = {"more": 0.12, "less": 0.38}
"""ARIES, section 6.3: the generated edit is more technical, or the real one is."""


@dataclass(frozen=True, slots=True)
class ComprehensivenessRow:
    """A row of table 5: how often this answer was given (or, as "frequency", any), as shares of the answerable
    comments, of the others, and of all; NaN where there are none.
    """

    answer: str
    answerable: float
    not_answerable: float
    all: float


@dataclass(frozen=True, slots=True)
class SideRow:
    """A row of table 6: shares (compliance: means) of both sides, over ``count`` analyses; ``p`` is corrected."""

    property: Property
    title: str
    real: float
    generated: float
    count: int
    p: float


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A direct comparison: how often each answer was given; ``p`` that the two sides do not differ, corrected."""

    title: str
    answers: tuple[tuple[str, int], ...]
    count: int
    p: float


@dataclass(frozen=True, slots=True)
class AnalysisTables:
    """Both tables, the direct comparisons, the share of generated and of real edits with compliance 3, that of
    answerable comments (NaN without any), and how many analyses went in.
    """

    comprehensiveness: tuple[ComprehensivenessRow, ...]
    sides: tuple[SideRow, ...]
    comparisons: tuple[ComparisonRow, ...]
    fully: tuple[float, float]
    answerable: float
    complete: int
    begun: int


def sign_test(wins: int, losses: int) -> float:
    """Two-sided exact p of ``wins`` against ``losses`` under a fair coin; 1 without any."""
    n = wins + losses
    if n == 0:
        return 1.0
    tail: float = sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    return min(1.0, 2 * tail)


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """Corrected p values in the given order (Holm 1979)."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[at]))
        corrected[at] = highest
    return tuple(corrected)


def analysis_tables(analyses: Iterable[Analysis]) -> AnalysisTables:
    """Over analyses of one annotator (or adjudicated ones); what is undecided is left out of its own row only."""
    everything = tuple(analyses)
    raw: list[float] = []
    sides: list[SideRow] = []
    for name, title in PROPERTIES.items():
        pairs = _pairs(everything, name)
        wins = sum(generated > real for real, generated in pairs)
        losses = sum(generated < real for real, generated in pairs)
        raw.append(sign_test(wins, losses))
        sides.append(SideRow(name, title, _mean(r for r, _ in pairs), _mean(g for _, g in pairs), len(pairs), 1.0))
    comparisons: list[ComparisonRow] = []
    for title, answers, read in (
        ("More comprehensive", ("generated", "real", "same"), lambda a: a.comprehensive),
        ("Technicality (generated)", ("more", "less", "same"), lambda a: a.technicality),
    ):
        counted = _count(everything, read, answers)
        raw.append(sign_test(counted[0][1], counted[1][1]))
        comparisons.append(ComparisonRow(title, counted, sum(n for _, n in counted), 1.0))
    corrected = holm(raw)
    known = [analysis.answerable for analysis in everything if analysis.answerable is not None]
    compliances = _pairs(everything, "compliance")
    return AnalysisTables(
        _comprehensiveness(everything),
        tuple(replace(row, p=p) for row, p in zip(sides, corrected, strict=False)),
        tuple(replace(row, p=p) for row, p in zip(comparisons, corrected[len(sides) :], strict=True)),
        (_mean(generated == FULLY for _, generated in compliances), _mean(real == FULLY for real, _ in compliances)),
        _mean(known),
        sum(analysis.complete for analysis in everything),
        len(everything),
    )


def _comprehensiveness(analyses: Sequence[Analysis]) -> tuple[ComprehensivenessRow, ...]:
    """Table 5, over analyses in which both questions are decided."""
    judged = [(a.answerable, a.comprehensive) for a in analyses if None not in (a.answerable, a.comprehensive)]
    groups = ([w for yes, w in judged if yes], [w for yes, w in judged if not yes], [which for _, which in judged])
    rows = [
        ComprehensivenessRow(answer, *(_mean(which == answer for which in group) for group in groups))
        for answer in ("generated", "real", "same")
    ]
    frequency = (len(group) / len(judged) if judged else float("nan") for group in groups)
    return (*rows, ComprehensivenessRow("frequency", *frequency))


def doubly_judged(analyses: Iterable[Analysis]) -> Mapping[str, tuple[tuple[object, object], ...]]:
    """For each question the pairs of answers of the first two annotators of a comment: what kappa is computed from."""
    by_proposal: dict[str, list[Analysis]] = {}
    for analysis in analyses:
        by_proposal.setdefault(analysis.proposal_id, []).append(analysis)
    found: dict[str, list[tuple[object, object]]] = {}
    for own in by_proposal.values():
        if len(own) < 2:
            continue
        for (name, one), (_, other) in zip(_answers(own[0]), _answers(own[1]), strict=True):
            if one is not None and other is not None:
                found.setdefault(name, []).append((one, other))
    return {name: tuple(pairs) for name, pairs in found.items()}


def _answers(analysis: Analysis) -> list[tuple[str, object]]:
    sides: tuple[tuple[str, Judgement], ...] = (("real", analysis.real), ("generated", analysis.generated))
    found: list[tuple[str, object]] = [
        (f"{PROPERTIES[name].split(',')[0]}, {side}", getattr(judgement, name))
        for side, judgement in sides
        for name in PROPERTIES
    ]
    return [
        *found,
        ("Answerable", analysis.answerable),
        ("More comprehensive", analysis.comprehensive),
        ("Technicality", analysis.technicality),
    ]


def _pairs(analyses: Sequence[Analysis], name: Property) -> list[tuple[float, float]]:
    both = ((getattr(analysis.real, name), getattr(analysis.generated, name)) for analysis in analyses)
    return [(float(real), float(generated)) for real, generated in both if real is not None and generated is not None]


def _count(
    analyses: Sequence[Analysis], read: Callable[[Analysis], str | None], answers: Sequence[str]
) -> tuple[tuple[str, int], ...]:
    given = [read(analysis) for analysis in analyses]
    return tuple((answer, given.count(answer)) for answer in answers)


def _mean(values: Iterable[float | bool]) -> float:
    found = [float(value) for value in values]
    return sum(found) / len(found) if found else float("nan")
