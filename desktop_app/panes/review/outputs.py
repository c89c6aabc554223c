"""The output of a stage as rows: statements, findings and points with their places. No Qt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.review_drafting.records import (
    Anchor,
    Draft,
    DraftIssue,
    Fact,
    InsightReport,
    LiteratureReport,
    Named,
    Point,
    PointField,
    ResultsReport,
    Rewrite,
    StageOutput,
)
from engine.review_drafting.related import named
from engine.shown import counted, listed

PARTS: dict[PointField, str] = {
    "summary": "Summary", "strengths": "Strength", "weaknesses": "Weakness", "questions": "Question",
}  # fmt: skip
_ORIGINS = {"reviewer": "your own words", "paper": "the paper's words", "literature": "from the library", "model": ""}
_ISSUES = {
    "incorrect_or_hallucinated": "Not found in the text",
    "missing_key_points": "A key point is missing",
    "needs_specificity": "Needs specifics",
}


@dataclass(frozen=True, slots=True)
class OutputRow:
    """A result of a stage: its kind, text, details, and places in the paper.

    ``part`` and ``point`` are set if it is a point that can be added to the review.
    """

    kind: str
    words: str
    detail: str = ""
    anchors: tuple[Anchor, ...] = ()
    part: PointField | None = None
    point: Point | None = None

    @property
    def offered(self) -> bool:
        """Whether it can be accepted or rejected: a point that isn't from the reviewer's own text."""
        return self.point is not None and self.point.origin != "reviewer"


def rows_of(output: StageOutput | None) -> tuple[OutputRow, ...]:
    match output:
        case Draft():
            return tuple(_draft(output))
        case LiteratureReport():
            return tuple(_literature(output))
        case InsightReport():
            return (
                *_facts("Contribution", output.core_contributions), *_facts("Method", output.method_summary),
                *_facts("Assumption or scope", output.assumptions_and_scope),
                *_facts("Claim of novelty", output.novelty_claims_in_paper), *_issues(output.issues),
                *_rewrites(output.rewrites),
            )  # fmt: skip
        case ResultsReport():
            checks = tuple(
                OutputRow("Finding" if c.certain else "To ask", c.text, c.suggestion, c.anchors) for c in output.checks
            )
            return (
                *_unread(output.unread), *checks,
                *_named("Data set", output.datasets), *_named("Metric", output.metrics),
                *_named("Baseline", output.baselines), *_facts("Result", output.key_results),
                *_issues(output.issues), *_rewrites(output.rewrites),
            )  # fmt: skip
    return ()


def _unread(pages: Sequence[int]) -> tuple[OutputRow, ...]:
    """Returns a row naming pages that weren't checked, if any; otherwise a lack of findings would be misleading."""
    words = f"Not checked: {'page' if len(pages) == 1 else 'pages'} {listed([str(page) for page in pages])}"
    why = "The text there is doubtful or couldn't be examined for hidden text. Nothing in the paper is called missing."
    return (OutputRow("Not checked", words, why),) if pages else ()


def where(anchors: Iterable[Anchor]) -> str:
    """Returns the places of a row as text, including those not found."""
    parts = []
    for anchor in dict.fromkeys(anchors):
        name = anchor.ref or (f"“{anchor.quote}”" if anchor.quote else anchor.kind)
        page = f"p. {anchor.page}"
        place = page if anchor.kind == "page" else f"{name}, {page}"
        parts.append(place if anchor.found else f"{name}: not found")
    return " · ".join(dict.fromkeys(parts))


def kinds(rows: Sequence[OutputRow]) -> str:
    """Returns the number of rows of each kind, such as "weakness (3), question (2)"."""
    counts = Counter(row.kind for row in rows)
    return ", ".join(f"{kind.lower()} ({number})" for kind, number in counts.items())


def _draft(draft: Draft) -> Iterator[OutputRow]:
    for part, point in draft.points():
        said = [f"Suggestion: {point.suggestion}" if point.suggestion else "", _ORIGINS.get(point.origin, point.origin)]
        if point.was:
            said.append(f"moved from {PARTS[point.was].lower()}")
        yield OutputRow(PARTS[part], point.text, " · ".join(one for one in said if one), point.anchors, part, point)


def _literature(report: LiteratureReport) -> Iterator[OutputRow]:
    if report.keyphrases:
        yield OutputRow("Search phrases", ", ".join(report.keyphrases), f"{counted(report.searched, 'paper')} searched")
    for work in report.found:
        yield OutputRow("Related", named(work), work.relation)


def _facts(kind: str, facts: Sequence[Fact]) -> tuple[OutputRow, ...]:
    return tuple(OutputRow(kind, fact.text, "", (fact.anchor,)) for fact in facts)


def _named(kind: str, found: Sequence[Named]) -> tuple[OutputRow, ...]:
    return tuple(OutputRow(kind, one.name, "", (one.anchor,)) for one in found)


def _issues(issues: Sequence[DraftIssue]) -> tuple[OutputRow, ...]:
    return tuple(
        OutputRow(_ISSUES[issue.kind], issue.text, issue.why, (issue.anchor,) if issue.anchor else ())
        for issue in issues
    )


def _rewrites(found: Sequence[Rewrite]) -> tuple[OutputRow, ...]:
    return tuple(
        OutputRow("Suggested wording", one.suggested_text, PARTS[one.apply_to], (one.anchor,) if one.anchor else ())
        for one in found
    )
