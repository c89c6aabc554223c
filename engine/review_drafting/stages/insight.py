"""The Insight Miner without a language model: what the paper claims, how, under which assumptions; and what the draft
says of it that is not there, leaves out, or leaves vague.

The lists and their names are those of ReviewGrounder's appendix E.2.3; at most five entries each, as it asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.jobs import Report
from engine.review_drafting.anchoring import content_stems, nearest, resolve
from engine.review_drafting.reading import in_quotes, quote, where
from engine.review_drafting.records import (
    Anchor,
    Draft,
    DraftIssue,
    Fact,
    InsightInput,
    InsightReport,
    IssueKind,
    PaperReading,
    Point,
    Rewrite,
)
from engine.review_drafting.stages.base import Outcome, StageInfo
from engine.review_drafting.stages.cues import Statement, statements
from engine.review_drafting.stages.wording_checks import scattered_claims

MOST_ISSUES = MOST = 5
_MISSING = "The paper states this as its contribution; summary and strengths do not speak of it."
_KINDS: tuple[Statement, ...] = ("contribution", "method", "assumption", "novelty", "limitation")
_COVERED = 0.5
"""A point whose words hold this share of a statement's says it already."""
_SUPPORTED = 0.35
"""A point of which less than this share of content words stands in any one passage is said to be not found."""
_VAGUE = re.compile(
    r"\b(?:some|several|various|certain|many|more|further|other) (?:experiments?|baselines?|datasets?|details?|results?"
    r"|analys[ei]s|comparisons?|parts?|sections?|places)\b|\b(?:not (?:very )?(?:clear|convincing|novel)|unclear"
    r"|unconvincing"
    r"|weak|limited|insufficient|lacks? (?:novelty|clarity|detail|depth)|poorly written|hard to follow|incremental)\b",
    re.IGNORECASE,
)  # fmt: skip


class DeterministicInsightMiner:
    """Statements by cue, with anchors, and the issues of the draft."""

    info = StageInfo("insight", "deterministic", "2")

    def run(self, given: InsightInput, *, report: Report) -> Outcome[InsightReport]:
        paper = given.paper
        facts: dict[Statement, tuple[Fact, ...]] = {}
        for kind in _KINDS:
            report.check()
            found = statements(paper, kind, MOST, least=1.5)
            facts[kind] = tuple(Fact(text=s.text, anchor=quote(s)) for s in found)
        apart = tuple(Fact(text=s.text, anchor=quote(s)) for s in scattered_claims(paper))
        contributions = (*facts["contribution"][: MOST - min(2, len(apart))], *apart)[:MOST]
        scope = _joined(facts["assumption"], facts["limitation"])
        issues = (
            *_not_found(paper, given.draft),
            *uncovered(given.draft, contributions, _MISSING),
            *_vague(paper, given.draft),
        )
        return Outcome(
            InsightReport(
                core_contributions=contributions,
                method_summary=facts["method"],
                assumptions_and_scope=scope,
                novelty_claims_in_paper=facts["novelty"],
                issues=issues,
                rewrites=summary_rewrites(issues, "The authors state", "core-contribution-accuracy"),
            )
        )


def _joined(first: Sequence[Fact], second: Sequence[Fact]) -> tuple[Fact, ...]:
    """Assumptions and limits in turn, none twice."""
    joined: dict[tuple[str, int], Fact] = {}
    for pair in zip([*first, *[None] * MOST], [*second, *[None] * MOST], strict=False):
        for fact in pair:
            if fact is not None:
                joined.setdefault((fact.anchor.paragraph_id, fact.anchor.start), fact)
    return tuple(joined.values())[:MOST]


def _own(draft: Draft) -> list[Point]:
    """What the reviewer or a model wrote; the paper's own words need no check."""
    return [point for _, point in draft.points() if point.origin in ("reviewer", "model")]


def _not_found(paper: PaperReading, draft: Draft) -> list[DraftIssue]:
    issues = []
    for point in _own(draft):
        for anchor in resolve(paper, point.text):
            if not anchor.verified:
                why = f"“{anchor.quote or anchor.ref}” was not found in the text."
                issues.append(issue_of("incorrect_or_hallucinated", point, why))
    for point in draft.summary:
        if point.origin not in ("reviewer", "model") or any(issue.point_id == point.id for issue in issues):
            continue
        near = nearest(paper, point.text)
        if near is None or near[0] < _SUPPORTED:
            why = "No passage of the paper uses these words; the nearest one is shown beside this."
            issues.append(issue_of("incorrect_or_hallucinated", point, why, None if near is None else quote(near[1])))
    return issues[:MOST]


def issue_of(kind: IssueKind, point: Point, why: str, anchor: Anchor | None = None) -> DraftIssue:
    """What is wrong with a point of the draft."""
    return DraftIssue(kind=kind, point_id=point.id, text=point.text, why=why, anchor=anchor)


def uncovered(draft: Draft, facts: Sequence[Fact], why: str) -> list[DraftIssue]:
    """Statements of the paper that the draft's summary and strengths do not speak of."""
    said = content_stems(" ".join(point.text for point in (*draft.summary, *draft.strengths)))
    issues = []
    for fact in facts:
        words = content_stems(fact.text)
        if words and len(words & said) / len(words) < _COVERED:
            issues.append(DraftIssue(kind="missing_key_points", text=fact.text, why=why, anchor=fact.anchor))
    return issues[:MOST_ISSUES]


def summary_rewrites(issues: Sequence[DraftIssue], words: str, target: str) -> tuple[Rewrite, ...]:
    """A sentence for the summary on each statement that is missing there; ``words`` introduce its quotation."""
    return tuple(
        Rewrite(
            apply_to="summary", target=target, anchor=issue.anchor,
            suggested_text=f"{words}: {in_quotes(issue.text)} {where(issue.anchor)}.",
        )
        for issue in issues
        if issue.kind == "missing_key_points" and issue.anchor is not None
    )  # fmt: skip


def _vague(paper: PaperReading, draft: Draft) -> list[DraftIssue]:
    issues = []
    for point in (*draft.weaknesses, *draft.questions):
        if point.origin not in ("reviewer", "model") or point.anchors:
            continue
        if any(anchor.verified for anchor in resolve(paper, point.text)):
            continue
        vague = _VAGUE.search(point.text)
        if vague is None:
            continue
        near = nearest(paper, point.text)
        anchor: Anchor | None = quote(near[1]) if near is not None and near[0] >= _SUPPORTED else None
        why = f"“{vague[0]}” does not say which: name the section, table, equation or step that is meant."
        issues.append(issue_of("needs_specificity", point, why, anchor))
    return issues[:MOST]
