"""The Aggregator without a language model: combines the stages' results into one draft.

The rules: the reviewer's wording isn't changed; a criticism without a place gets a place in the paper or becomes a
question, as does one that is refuted; equivalent points are merged; each weakness gets a suggestion for fixing it;
numeric fields are never changed.
"""

import re
from collections.abc import Iterable

from engine.jobs import Report
from engine.review_drafting.anchoring import nearest, resolve
from engine.review_drafting.reading import in_quotes, quote, where
from engine.review_drafting.records import (
    Draft,
    Fact,
    InsightReport,
    LiteratureReport,
    PaperReading,
    Point,
    ResultsReport,
    StageInput,
)
from engine.review_drafting.related import named, shared_phrases
from engine.review_drafting.stages.cues import says_the_same

ADDED = 2
"""Maximum key points that each of the two reports adds to the summary."""
RELATED = 3
ASSUMED = 2
_ASSUMED = re.compile(r"\bassum(?:e|es|ed|ing|ption|ptions)\b", re.IGNORECASE)
_RESTRICTED = re.compile(r"\bwe (?:only|restrict)|\bexcluded\b", re.IGNORECASE)
_FIRST = re.compile(r"\bfirst\b|\bnovel\b|\bto (?:the best of )?our knowledge\b|\bnew \w+\b", re.IGNORECASE)
NEAR_ENOUGH = 0.5
"""The minimum share of a criticism's words in a passage for it to be the criticism's place."""

_SUGGESTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\bbaseline|\bcompar(?:e|ed|ison)|state[- ]of[- ]the[- ]art",
         "Compare with it under the same conditions, or say why that is not possible."),
        (r"\bablat", "Show what each part contributes by leaving it out."),
        (r"\bvarianc|\bseeds?\b|\bsignifican|standard deviation|\berror bars?|confidence interval",
         "Report the spread over runs or samples, and a test where a difference is claimed."),
        (r"\bcode\b|\brepro|\bdata availab|\bhyper-?param|\bimplementation", "Give what somebody else needs to"
        " repeat it."),
        (r"\bassum", "State the assumption, and what happens where it does not hold."),
        (r"\bnovel|\bincremental|\bprior work|\brelated work|\bprevious work",
         "Name the closest earlier work, and say what is different."),
        (r"\bproof|\btheor|\blemma|\bderiv", "Give the missing step, or weaken the statement."),
        (r"\bdata ?set|\bsample size|\bexperiment|\bevaluat|\bbenchmark",
         "Add the evidence, or limit the claim to what was tested."),
        (r"\blimit|\bgenerali[sz]", "Name this as a limit of the work, or show that it is none."),
        (r"\bclear|\bclarity|\bwriting|\bwritten|\bnotation|\bdefin|\bfigure|\btypo|\bread",
         "Rewrite the passage so that it can be read without guessing."),
    )
)  # fmt: skip
_ELSE = "Say in the paper how this is met, or name it as a limit of the work."


def aggregated(given: StageInput, report: Report) -> Draft:
    """Combines the stages' points and reports into a draft by the rules."""
    report.check()
    paper, draft = given.paper, given.draft
    weaknesses: list[Point] = []
    questions = [_placed(paper, point) for point in draft.questions]
    refuted = _refuted(given.insight, given.results)
    for point in draft.weaknesses:
        report.check()
        placed = _placed(paper, point)
        if point.id not in refuted and any(anchor.found for anchor in placed.anchors):
            weaknesses.append(placed)
        else:
            questions.append(_asked(placed, refuted.get(point.id, "")))
    found_weak, found_asked = _from_checks(given.results)
    questions += [*found_asked, *_from_insight(given.insight), *_from_literature(paper, given.literature)]
    return Draft(
        summary=merged([*draft.summary, *_additions(draft, given.insight, given.results)]),
        strengths=merged(_placed(paper, point) for point in draft.strengths),
        weaknesses=tuple(_with_suggestion(point) for point in merged([*weaknesses, *found_weak])),
        questions=merged(questions),
        scores=draft.scores,
    )


def merged(points: Iterable[Point]) -> tuple[Point, ...]:
    """Removes points that repeat another; the first wording is kept and gets the other's places."""
    kept: list[Point] = []
    for point in points:
        at = next((n for n, other in enumerate(kept) if _same(point, other)), None)
        if at is None:
            kept.append(point)
            continue
        # The reviewer's own wording takes precedence.
        first, second = (point, kept[at]) if point.origin == "reviewer" != kept[at].origin else (kept[at], point)
        anchors = tuple(dict.fromkeys((*first.anchors, *second.anchors)))
        kept[at] = first.model_copy(update={"anchors": anchors, "suggestion": first.suggestion or second.suggestion})
    return tuple(kept)


def _same(first: Point, second: Point) -> bool:
    if first.id == second.id:
        return True
    if "paper" in (first.origin, second.origin):
        quotes = [{a.quote for a in point.anchors if a.kind == "quote"} for point in (first, second)]
        return bool(quotes[0] & quotes[1]) and first.origin == second.origin
    if first.origin.startswith("check:") and second.origin.startswith("check:"):
        return first.anchors == second.anchors  # findings of one check share their wording
    return says_the_same(first.text, second.text)


def _additions(draft: Draft, insight: InsightReport | None, results: ResultsReport | None) -> list[Point]:
    added = []
    for name, found in (("insight", insight), ("results", results)):
        rewrites = [r for r in found.rewrites if r.apply_to == "summary"] if found is not None else []
        for number, rewrite in enumerate(rewrites[:ADDED], start=1):
            anchors = (rewrite.anchor,) if rewrite.anchor is not None else ()
            key, text = f"{name}-summary-{number}", rewrite.suggested_text
            quoted = any(anchor.quote and in_quotes(anchor.quote) in text for anchor in anchors)
            origin = "paper" if quoted else "model"
            added.append(Point(id=key, text=text, anchors=anchors, dimension=rewrite.target, origin=origin))
    taken = {a.quote for point in draft.summary for a in point.anchors if a.quote}
    return [point for point in added if not any(a.quote in taken for a in point.anchors)]


def _placed(paper: PaperReading, point: Point) -> Point:
    """Returns the point with places in the paper: those that it names, otherwise the closest passage."""
    if any(anchor.found for anchor in point.anchors):
        return point
    named = resolve(paper, point.text)
    if named:
        return point.model_copy(update={"anchors": tuple(dict.fromkeys((*point.anchors, *named)))})
    near = nearest(paper, point.text)
    if near is not None and near[0] >= NEAR_ENOUGH:
        return point.model_copy(update={"anchors": (*point.anchors, quote(near[1]))})
    return point


def _asked(point: Point, why: str) -> Point:
    """Turns a criticism into a question to the authors, in the reviewer's wording."""
    text = point.text.strip()
    asked = text if text.endswith("?") else f"Could the authors clarify this point: “{text.rstrip('.')}”?"
    places = tuple(anchor for anchor in point.anchors if anchor.found)
    changed = {"text": f"{asked} {why}".strip(), "was": "weaknesses", "suggestion": "", "anchors": places}
    return point.model_copy(update=changed)


def _refuted(insight: InsightReport | None, results: ResultsReport | None) -> dict[str, str]:
    """Returns the points that the reports call not found in the text, with the reason."""
    return {
        issue.point_id: f"({issue.why})"
        for found in (insight, results)
        if found is not None
        for issue in found.issues
        if issue.kind == "incorrect_or_hallucinated" and issue.point_id
    }


def _from_checks(results: ResultsReport | None) -> tuple[list[Point], list[Point]]:
    weaknesses, questions = [], []
    for number, check in enumerate(results.checks if results is not None else (), start=1):
        point = Point(
            id=f"check-{check.name}-{number}",
            text=check.text,
            anchors=check.anchors,
            suggestion=check.suggestion,
            dimension="results-interpretation",
            origin=f"check:{check.name}",
        )
        if check.certain:
            weaknesses.append(point)
        else:
            request = check.suggestion.rstrip(".")
            asked = f"{check.text} Could the authors {request[:1].lower()}{request[1:]}?"
            questions.append(point.model_copy(update={"text": asked, "suggestion": ""}))
    return weaknesses, questions


def _from_insight(insight: InsightReport | None) -> list[Point]:
    """Returns questions about what the paper assumes and claims as new.

    Quotation marks are only used for the paper's own words, not for a language model's.
    """
    if insight is None:
        return []
    assumed = [fact for fact in insight.assumptions_and_scope if _ASSUMED.search(fact.text)][:ASSUMED]
    rest = [fact for fact in insight.assumptions_and_scope if fact not in assumed and _RESTRICTED.search(fact.text)]
    restricted = rest[: ASSUMED - len(assumed)]
    claimed = [fact for fact in insight.novelty_claims_in_paper if _FIRST.search(fact.text)][:1]
    return [
        Point(
            id=f"insight-{name}-{number}",
            text=f"{_stated(fact)} {where(fact.anchor)}. {asked}",
            anchors=(fact.anchor,),
            dimension=dimension,
            origin="paper" if fact.text == fact.anchor.quote else "model",
        )
        for name, facts, asked, dimension in (
            ("assumption", assumed, "What happens to the results where this does not hold?", "completeness-coverage"),
            ("scope", restricted, "Do the results depend on this choice?", "completeness-coverage"),
            ("novelty", claimed, "What is the closest earlier work, and what is different?", "comparative-analysis"),
        )
        for number, fact in enumerate(facts, start=1)
        if fact.anchor.found
    ]


def _stated(fact: Fact) -> str:
    return f"The paper says: {in_quotes(fact.text)}" if fact.text == fact.anchor.quote else fact.text.rstrip(".")


def _from_literature(paper: PaperReading, literature: LiteratureReport | None) -> list[Point]:
    """Returns questions about related papers missing from the reference list; the library's content is outside
    knowledge."""
    if literature is None:
        return []
    points: list[Point] = []
    for work in literature.found:
        shared = shared_phrases(work)
        near = nearest(paper, " ".join(shared)) if shared and not work.cited else None
        if near is None or near[0] <= 0.6:
            continue
        anchor = quote(near[1])
        text = (
            f"A search outside the paper found {named(work)}, which also speaks of {' and '.join(shared)}"
            f" {where(anchor)}; the reference list does not seem to name it."
            " Could the authors say how their work relates to it?"
        )
        key, origin = f"literature-{len(points) + 1}", "literature"
        points.append(Point(id=key, text=text, anchors=(anchor,), dimension="comparative-analysis", origin=origin))
    return points[:RELATED]


def _with_suggestion(point: Point) -> Point:
    """Returns a weakness with a suggestion for fixing it."""
    if point.suggestion:
        return point
    words = next((words for pattern, words in _SUGGESTIONS if pattern.search(point.text)), _ELSE)
    return point.model_copy(update={"suggestion": words})
