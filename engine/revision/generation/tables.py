"""Tables 5 and 6 of D'Arcy et al. (2024) for one's own analyses: how generated edits differ from real ones.

Table 5 says which edit is more comprehensive, by whether the comment is answerable; table 6 has each property on both
sides, with a paired test. Tests are exact: the sign test (McNemar's for yes and no) for properties and for the direct
comparisons (leaving out "same"), with Holm's correction over all of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, nan
from statistics import mean, median
from typing import Literal

from engine.reviews.records import ActionClass, Comment
from engine.revision.candidates import candidate
from engine.revision.generation.records import FULLY, Analysis, Judgement
from engine.revision.generation.writing import ACTIONS, guess_action
from engine.revision.records import CommentJudgement, Edit, EditKind
from engine.revision.words import counted_words

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
    """A row of table 5: how often this answer (or, for "frequency", any) was given, as shares of the answerable
    comments, of the others, and of all; NaN if there are none."""

    answer: str
    answerable: float
    not_answerable: float
    all: float


@dataclass(frozen=True, slots=True)
class SideRow:
    """A row of table 6: shares (compliance: means) of both sides, over ``count`` analyses; ``p`` is corrected. NaN
    without analyses."""

    property: Property
    title: str
    real: float
    generated: float
    count: int
    p: float


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A direct comparison: how often each answer was given; ``p`` for no difference between the sides, corrected;
    NaN without answers."""

    title: str
    answers: tuple[tuple[str, int], ...]
    count: int
    p: float


@dataclass(frozen=True, slots=True)
class AnalysisTables:
    """Both tables, the direct comparisons, the shares of generated and of real edits with compliance 3, the share of
    answerable comments (NaN without any), and the numbers of analyses."""

    comprehensiveness: tuple[ComprehensivenessRow, ...]
    sides: tuple[SideRow, ...]
    comparisons: tuple[ComparisonRow, ...]
    fully: tuple[float, float]
    answerable: float
    complete: int
    begun: int


def sign_test(wins: int, losses: int) -> float:
    """Returns the two-sided exact p of ``wins`` against ``losses`` for a fair coin; 1 without any."""
    n = wins + losses
    if n == 0:
        return 1.0
    tail: float = sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    return min(1.0, 2 * tail)


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """Returns corrected p values in the given order (Holm 1979)."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[at]))
        corrected[at] = highest
    return tuple(corrected)


def analysis_tables(analyses: Iterable[Analysis]) -> AnalysisTables:
    """Computes the tables from analyses of one annotator (or adjudicated ones); undecided values are only left out of
    their own row."""
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
        tuple(replace(row, p=p if row.count else nan) for row, p in zip(sides, corrected, strict=False)),
        tuple(
            replace(row, p=p if row.count else nan) for row, p in zip(comparisons, corrected[len(sides) :], strict=True)
        ),
        (_mean(generated == FULLY for _, generated in compliances), _mean(real == FULLY for real, _ in compliances)),
        _mean(known),
        sum(analysis.complete for analysis in everything),
        len(everything),
    )


def _comprehensiveness(analyses: Sequence[Analysis]) -> tuple[ComprehensivenessRow, ...]:
    """Returns table 5, over analyses in which both questions are decided."""
    judged = [(a.answerable, a.comprehensive) for a in analyses if None not in (a.answerable, a.comprehensive)]
    groups = ([w for yes, w in judged if yes], [w for yes, w in judged if not yes], [which for _, which in judged])
    rows = [
        ComprehensivenessRow(answer, *(_mean(which == answer for which in group) for group in groups))
        for answer in ("generated", "real", "same")
    ]
    frequency = (len(group) / len(judged) if judged else nan for group in groups)
    return (*rows, ComprehensivenessRow("frequency", *frequency))


def doubly_judged(analyses: Iterable[Analysis]) -> Mapping[str, tuple[tuple[object, object], ...]]:
    """Returns for each question the pairs of answers of the first two annotators of a proposal, from which kappa is
    computed."""
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
    return sum(found) / len(found) if found else nan


# --- Statistics of a corpus of comments and edits (D'Arcy et al. 2024, appendix B) ------------------------------------

KINDS: tuple[EditKind, ...] = ("added", "deleted", "minor", "major", "moved")


PRINTED_ACTIONS: Mapping[ActionClass, tuple[float, float]] = {
    "explain": (0.42, 0.39),
    "compare": (0.14, 0.32),
    "report": (0.10, 0.39),
    "remove": (0.08, 0.50),
    "apply": (0.08, 0.33),
    "use": (0.08, 0.33),
    "define": (0.07, 0.47),
    "discuss": (0.07, 0.67),
}
"""ARIES, Table 7: the share of comments of each action, and the share of those that were addressed."""
PRINTED_OPERATIONS = {"only adds": 0.71, "adds and deletes": 0.34, "only deletes": 0.02}
"""ARIES, appendix B.2: edits made in response to comments (the printed shares exceed 1 together)."""
PRINTED_TOKENS = (89.0, 12.0)
"""ARIES, appendix B.2: mean tokens that such an edit adds and deletes."""
PRINTED_OVERLAP = {"by hand": 0.066, "from responses": 0.083}
"""ARIES, appendix B.3: mean unigram overlap of comment and edit."""


@dataclass(frozen=True, slots=True)
class ActionRow:
    """A row of table 7: comments of an action class, and how many were addressed by an edit. ``guessed``: how many of
    ``comments`` have a class that no person chose."""

    action: ActionClass
    comments: int
    addressed: int
    guessed: int

    @property
    def share(self) -> float:
        """The share of addressed comments, 0 to 1; NaN without comments."""
        return self.addressed / self.comments if self.comments else nan


@dataclass(frozen=True, slots=True)
class KindRow:
    """Edits of a kind, and how many of them answer a comment."""

    kind: EditKind
    edits: int
    linked: int


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """Tokens are words; ``overlap`` contains for each linked pair the share of the comment's different words that the
    edit adds; ``linked_tokens`` are added and deleted tokens of edits that answer a comment, ``other_tokens`` of the
    rest."""

    actions: tuple[ActionRow, ...]
    kinds: tuple[KindRow, ...]
    overlap: tuple[float, ...]
    linked_tokens: tuple[tuple[int, int], ...]
    other_tokens: tuple[tuple[int, int], ...]

    def token_summary(self) -> Mapping[str, tuple[float, float, float, float]]:
        """Returns mean and median of added, then of deleted tokens, for linked and other edits; NaN if there are
        none."""
        return {"linked": _summary(self.linked_tokens), "other": _summary(self.other_tokens)}

    def operations(self) -> Mapping[str, float]:
        """Returns the shares of linked edits that only add, add and delete, and only delete words; NaN without any."""
        kinds = [(added > 0, removed > 0) for added, removed in self.linked_tokens]
        wanted = {"only adds": (True, False), "adds and deletes": (True, True), "only deletes": (False, True)}
        return {name: kinds.count(kind) / len(kinds) if kinds else nan for name, kind in wanted.items()}


def corpus_statistics(
    comments: Sequence[Comment],
    edits: Sequence[Edit],
    links: Mapping[str, Sequence[str]],
    judgements: Sequence[CommentJudgement] = (),
) -> CorpusStatistics:
    """Computes statistics over actionable comments and the edits of their paper; ``links`` maps comments to edit ids.

    A comment counts as addressed if an edit is linked, or if a person decided that a visual change addresses it.
    """
    visual = {judgement.comment_id for judgement in judgements if judgement.state == "visual_only"}
    by_id = {edit.id: edit for edit in edits}
    counted: Counter[tuple[ActionClass, bool]] = Counter()
    guessed: Counter[ActionClass] = Counter()
    overlap = []
    for comment in comments:
        if not comment.actionable:
            continue
        action = comment.action or guess_action(comment.comment)
        guessed[action] += comment.action is None
        own = [by_id[edit] for edit in links.get(comment.id, ()) if edit in by_id]
        counted[action, bool(own) or comment.id in visual] += 1
        asked = set(counted_words(comment.comment.casefold()))
        if asked:
            overlap += [len(asked & set(counted_words(candidate(edit).added.casefold()))) / len(asked) for edit in own]
    answered = {edit for own in links.values() for edit in own}
    kinds = tuple(
        KindRow(kind, sum(e.kind == kind for e in edits), sum(e.kind == kind and e.id in answered for e in edits))
        for kind in KINDS
    )
    rows = tuple(
        ActionRow(action, counted[action, True] + counted[action, False], counted[action, True], guessed[action])
        for action in ACTIONS
    )
    return CorpusStatistics(
        rows,
        kinds,
        tuple(overlap),
        tuple((e.tokens_added, e.tokens_removed) for e in edits if e.id in answered),
        tuple((e.tokens_added, e.tokens_removed) for e in edits if e.id not in answered),
    )


def _summary(tokens: Sequence[tuple[int, int]]) -> tuple[float, float, float, float]:
    if not tokens:
        return (nan,) * 4
    added, removed = [a for a, _ in tokens], [r for _, r in tokens]
    return mean(added), median(added), mean(removed), median(removed)
