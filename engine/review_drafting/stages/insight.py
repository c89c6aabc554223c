"""The Insight Miner without a language model: what the paper claims, how, under which assumptions; and what the draft
says that isn't in the paper, omits, or leaves vague.

The lists and their names are those of ReviewGrounder's appendix E.2.3, with at most five entries each, as there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from engine.jobs import Report
from engine.review_drafting.anchoring import content_stems, nearest, resolve
from engine.review_drafting.reading import in_quotes, quote, where
from engine.review_drafting.records import (
    Anchor,
    Draft,
    DraftIssue,
    Fact,
    InsightReport,
    IssueKind,
    PaperReading,
    Point,
    Rewrite,
    Sentence,
    StageInput,
)
from engine.review_drafting.stages.cues import Statement, statements
from engine.review_drafting.stages.wording_checks import scattered_claims

MOST_ISSUES = MOST = 5
_MISSING = "The paper states this as its contribution; summary and strengths do not speak of it."
_KINDS: tuple[Statement, ...] = ("contribution", "method", "assumption", "novelty", "limitation")
_COVERED = 0.5
"""A point that contains this share of a statement's words covers it."""
_SUPPORTED = 0.35
"""A point counts as not found if no passage contains at least this share of its content words."""
_VAGUE = re.compile(
    r"\b(?:some|several|various|certain|many|more|further|other) (?:experiments?|baselines?|datasets?|details?|results?"
    r"|analys[ei]s|comparisons?|parts?|sections?|places)\b|\b(?:not (?:very )?(?:clear|convincing|novel)|unclear"
    r"|unconvincing"
    r"|weak|limited|insufficient|lacks? (?:novelty|clarity|detail|depth)|poorly written|hard to follow|incremental)\b",
    re.IGNORECASE,
)  # fmt: skip


def mined(given: StageInput, report: Report) -> InsightReport:
    """Returns statements found by cue, with anchors, and the issues of the draft."""
    paper = given.paper
    facts: dict[Statement, tuple[Fact, ...]] = {}
    for kind in _KINDS:
        report.check()
        facts[kind] = facts_of(statements(paper, kind, MOST, least=1.5))
    apart = facts_of(scattered_claims(paper))
    contributions = (*facts["contribution"][: MOST - min(2, len(apart))], *apart)[:MOST]
    # Assumptions and limitations alternate, without repetitions.
    turns = chain.from_iterable(zip_longest(facts["assumption"], facts["limitation"]))
    scope = dict.fromkeys(fact for fact in turns if fact is not None)
    issues = (
        *_not_found(paper, given.draft),
        *uncovered(given.draft, contributions, _MISSING),
        *_vague(paper, given.draft),
    )
    return InsightReport(
        core_contributions=contributions,
        method_summary=facts["method"],
        assumptions_and_scope=tuple(scope)[:MOST],
        novelty_claims_in_paper=facts["novelty"],
        issues=issues,
        rewrites=summary_rewrites(issues, "The authors state", "core-contribution-accuracy"),
    )


def facts_of(sentences: Iterable[Sentence]) -> tuple[Fact, ...]:
    """Returns sentences of the paper as facts with their places."""
    return tuple(Fact(text=s.text, anchor=quote(s)) for s in sentences)


def written(points: Iterable[Point]) -> list[Point]:
    """Returns the points by the reviewer or a model; the paper's own words need no check."""
    return [point for point in points if point.origin in ("reviewer", "model")]


def without_place(paper: PaperReading, draft: Draft, pattern: re.Pattern[str]) -> Iterator[tuple[Point, str]]:
    """Yields the written weaknesses and questions that match a pattern and refer to no place, each with the match."""
    for point in written((*draft.weaknesses, *draft.questions)):
        found = None if point.anchors else pattern.search(point.text)
        if found is not None and not any(anchor.found for anchor in resolve(paper, point.text)):
            yield point, found[0]


def _not_found(paper: PaperReading, draft: Draft) -> list[DraftIssue]:
    if paper.doubtful:
        return []
    issues = [
        issue_of("incorrect_or_hallucinated", point, f"“{anchor.quote or anchor.ref}” was not found in the text.")
        for point in written(point for _, point in draft.points())
        for anchor in resolve(paper, point.text)
        if not anchor.found
    ]
    for point in written(draft.summary):
        if any(issue.point_id == point.id for issue in issues):
            continue
        near = nearest(paper, point.text)
        if near is None or near[0] < _SUPPORTED:
            why = "No passage of the paper uses these words; the nearest one is shown."
            issues.append(issue_of("incorrect_or_hallucinated", point, why, None if near is None else quote(near[1])))
    return issues[:MOST]


def issue_of(kind: IssueKind, point: Point, why: str, anchor: Anchor | None = None) -> DraftIssue:
    return DraftIssue(kind=kind, point_id=point.id, text=point.text, why=why, anchor=anchor)


def uncovered(draft: Draft, facts: Sequence[Fact], why: str) -> list[DraftIssue]:
    """Returns statements of the paper that the draft's summary and strengths don't mention."""
    said = content_stems(" ".join(point.text for point in (*draft.summary, *draft.strengths)))
    issues = []
    for fact in facts:
        words = content_stems(fact.text)
        if words and len(words & said) / len(words) < _COVERED:
            issues.append(DraftIssue(kind="missing_key_points", text=fact.text, why=why, anchor=fact.anchor))
    return issues[:MOST_ISSUES]


def summary_rewrites(issues: Sequence[DraftIssue], words: str, target: str) -> tuple[Rewrite, ...]:
    """Suggests a sentence for the summary for each missing statement; ``words`` introduce its quotation."""
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
    for point, vague in without_place(paper, draft, _VAGUE):
        near = nearest(paper, point.text)
        anchor: Anchor | None = quote(near[1]) if near is not None and near[0] >= _SUPPORTED else None
        why = f"“{vague}” is unspecific: name the section, table, equation or step that is meant."
        issues.append(issue_of("needs_specificity", point, why, anchor))
    return issues[:MOST]
