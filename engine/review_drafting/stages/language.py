"""The five stages with a language model. Retrieval, checks, places and rules are those of the deterministic way.

A model's statement needs a place: evidence that isn't in the paper is kept but not found, and the Aggregator turns a
criticism without a place into a question.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import starmap
from typing import TypeVar

from pydantic import BaseModel
from rapidfuzz import fuzz

from engine.errors import BadInput
from engine.jobs import Report
from engine.models import Embedder
from engine.models.language import LanguageModel, Message, Prompt, context_of
from engine.models.objects import ask_objects
from engine.models.prompts import cut, fenced, tokens_in
from engine.models.questions import Forecast, forecast, usable_or_raise
from engine.review_drafting.anchoring import resolve
from engine.review_drafting.pipeline import RunSettings
from engine.review_drafting.prompts import BETWEEN, PromptText
from engine.review_drafting.records import (
    POINT_FIELDS,
    STAGES,
    Anchor,
    Draft,
    DraftIssue,
    Fact,
    InsightReport,
    IssueKind,
    LiteratureReport,
    Made,
    Named,
    PaperReading,
    Part,
    Point,
    PointField,
    ResultsReport,
    Rewrite,
    Scores,
    Stage,
    StageId,
    StageInfo,
    StageInput,
)
from engine.review_drafting.stages.aggregator import aggregated as aggregated_by_rules
from engine.review_drafting.stages.asking import (
    FEWEST,
    Asking,
    DraftAnswer,
    FinishedAnswer,
    FinishedPoint,
    InsightAnswer,
    Issues,
    Keywords,
    ResultsAnswer,
    Suggested,
    Summary,
    draft_text,
    evidence_anchor,
    instructions,
)
from engine.review_drafting.stages.literature import found_work, relation, search_library
from engine.review_drafting.stages.results import analysed as analysed_by_rules

Shape = TypeVar("Shape", bound=BaseModel)
_OVERVIEW: tuple[Part, ...] = (
    "abstract", "introduction", "conclusion", "method", "results", "limitations", "discussion",
)  # fmt: skip
_METHOD: tuple[Part, ...] = ("abstract", "introduction", "method", "data", "limitations", "conclusion")
_RESULTS: tuple[Part, ...] = ("abstract", "results", "data", "discussion", "conclusion", "method")
_SAME_POINT = 70.0
"""The similarity (0 to 100) from which a point of the answer counts as one of the draft."""
LARGEST_STEP = 1.0
DRAFT_TOKENS, KEYWORD_TOKENS, SUMMARY_TOKENS, REPORT_TOKENS, FINAL_TOKENS = 2200, 1200, 500, 2600, 3000
"""The token budgets of the answers."""


def language_stages(
    asking: Callable[[StageId], Asking], prompts: Mapping[str, PromptText], encoder: Callable[[], Embedder] | None
) -> tuple[Stage, ...]:
    """Returns all five stages, each with its prompts (by id) and its own settings."""
    words, related = prompts["review-keywords"], prompts["review-related"]
    both = PromptText(
        f"{words.id}, {related.id}", f"{words.version}, {related.version}", f"{words.text}{BETWEEN}{related.text}"
    )

    def stage(name: StageId, prompt: PromptText, run: Callable[..., Made], *more: object) -> Stage:
        info = StageInfo(name, "language model", "3", prompt.id, prompt.version, prompt.text)
        asks = asking(name)
        return Stage(info, partial(run, asks, *(more or (prompt,))), lambda: asks.model.info.used)

    return (
        stage("drafter", prompts["review-drafter"], drafted),
        stage("literature", both, searched, words, related, encoder),
        stage("insight", prompts["review-insight"], mined),
        stage("results", prompts["review-results"], analysed),
        stage("aggregator", prompts["review-aggregator"], finished),
    )


def forecast_stages(
    asking: Callable[[StageId], Asking],
    prompts: Mapping[str, PromptText],
    *,
    paper: PaperReading,
    own: Draft,
    settings: RunSettings,
    library: int,
) -> Forecast:
    """Estimates the requests of the active stages for a paper, with ``library`` papers to search.

    Outputs of earlier stages are counted with their full budget; retries aren't counted. Raises UnknownContext, and
    BadInput if the context is too short for the paper.
    """
    written = tokens_in(draft_text(own))
    draft = DRAFT_TOKENS if "drafter" in settings.on else written
    about = f"{paper.title} {paper.abstract}"
    found = min(library, settings.search.top)

    def planned(stage: StageId, asks: Asking) -> list[Prompt]:
        match stage:
            case "drafter":
                notes = written if own.points() else 0
                return asks.planned(prompts["review-drafter"], paper, notes, tokens=DRAFT_TOKENS, first=_OVERVIEW)
            case "literature":
                words, related = instructions(prompts["review-keywords"]), instructions(prompts["review-related"])
                summaries = [asks.prompt(related, f"{about} {about}", SUMMARY_TOKENS)] * found
                return [asks.prompt(words, about, KEYWORD_TOKENS), *summaries]
            case "insight":
                return asks.planned(prompts["review-insight"], paper, draft, tokens=REPORT_TOKENS, first=_METHOD)
            case "results":
                return asks.planned(prompts["review-results"], paper, draft, tokens=REPORT_TOKENS, first=_RESULTS)
        other = min(2 * draft + REPORT_TOKENS * len(settings.on & {"insight", "results"}), context_of(asks.model) // 3)
        return asks.planned(prompts["review-aggregator"], paper, other, tokens=FINAL_TOKENS, first=_OVERVIEW)

    asked: dict[tuple[str, tuple[Message, ...]], tuple[LanguageModel, Prompt]] = {}
    for stage in STAGES:
        if stage in settings.on:
            model = asking(stage).model
            # Stages that read the same part of a paper share the notes on it.
            asked |= {(model.info.id, one.messages): (model, one) for one in planned(stage, asking(stage))}
    models = {model.info.id: model for model, _ in asked.values()}
    return Forecast.of(
        [forecast(model, [one for of, one in asked.values() if of.info.id == key]) for key, model in models.items()]
    )


def drafted(asking: Asking, prompt: PromptText, given: StageInput, report: Report) -> Made:
    """Drafts summary, strengths, weaknesses, questions and scores; the reviewer's text comes first and isn't
    changed."""
    paper, own = given.paper, given.own
    notes = fenced("What the reviewer has noted", draft_text(own), said_by_reviewer=True) if own.points() else ""
    room, tokens = asking.room(instructions(prompt), notes, DRAFT_TOKENS)
    text, read = asking.paper(paper, room, _OVERVIEW, report.part(0.0, 0.5))
    message = "\n\n".join(filter(None, [fenced("The paper", text), notes]))
    answer, raw = asking.ask(prompt, message, DraftAnswer, tokens=tokens, report=report.part(0.5, 1.0))
    made = {name: _points(paper, name, getattr(answer, name)) for name in POINT_FIELDS if name != "summary"}
    # If the paper tries to instruct the model, scores are left to the reviewer.
    said = Scores() if paper.orders else Scores(**{name: getattr(answer, name) for name in Scores.model_fields})
    draft = Draft(
        summary=own.summary or _points(paper, "summary", [answer.summary]),
        **{name: (*getattr(own, name), *points) for name, points in made.items()},
        scores=said.model_copy(update=own.scores.model_dump(exclude_none=True)),
    )
    return draft, (*read, *raw)


def _points(paper: PaperReading, field: PointField, texts: Sequence[str]) -> tuple[Point, ...]:
    return tuple(
        Point(id=f"drafter-{field}-{number}", text=text.strip(), anchors=resolve(paper, text), origin="model")
        for number, text in enumerate(texts, start=1)
        if text.strip()
    )


def searched(  # noqa: PLR0917 (bound by ``language_stages``)
    asking: Asking,
    words: PromptText,
    related: PromptText,
    encoder: Callable[[], Embedder] | None,
    given: StageInput,
    report: Report,
) -> Made:
    """Search phrases and summaries are the model's; the search is the deterministic one."""
    paper = given.paper
    about = f"Title: {paper.title}\nAbstract: {paper.abstract}"
    related_work = " ".join(sentence.text for sentence in paper.sentences if sentence.part == "related")
    asked_with = f"{about}\nRelated work: {related_work}" if related_work else about
    room, tokens = asking.room(instructions(words), "", KEYWORD_TOKENS)
    message = fenced("The paper under review", cut(asked_with, room))
    asked, raw = asking.ask(words, message, Keywords, tokens=tokens, report=report.part(0.0, 0.2))
    phrases = tuple(dict.fromkeys(" ".join(word.split()) for word in asked.keywords if word.strip()))
    found = search_library(paper, phrases, given.library, encoder, report.part(0.2, 0.3), given.search)
    theirs = [f"Title: {entry.title}\nAbstract: {entry.abstract}" for entry, _, _ in found]
    asked_all = []
    for text in theirs:
        theirs_fenced = fenced("The library's paper", text)
        room, tokens = asking.room(instructions(related), theirs_fenced, SUMMARY_TOKENS)
        message = f"{fenced('The paper under review', cut(about, room))}\n\n{theirs_fenced}"
        asked_all.append((asking.prompt(instructions(related), message, tokens), Summary))
    answers = ask_objects(asking.model, asked_all, report=report.part(0.3, 1.0), words="summaries")
    works = []
    for (entry, score, cited), answer in zip(found, answers, strict=True):
        raw = (*raw, *(one.text for one in answer.completions))
        common = relation(paper, phrases, entry, cited)
        if answer.value is None:  # the result is kept without a summary
            works.append(found_work(entry, score, cited, relation=common))
            continue
        texts = answer.value.model_dump() | {"relation": f"{common} {answer.value.relation}".strip()}
        works.append(found_work(entry, score, cited, **texts))
    usable_or_raise(answers)
    return LiteratureReport(keyphrases=phrases, searched=len(given.library), found=tuple(works)), raw


def mined(asking: Asking, prompt: PromptText, given: StageInput, report: Report) -> Made:
    """Returns the facts, issues and rewrites of appendix E.2.3."""
    paper = given.paper
    answer, raw = _about(asking, prompt, given, _METHOD, InsightAnswer, report)
    facts = answer.facts
    found = InsightReport(
        core_contributions=_facts(paper, [(f.claim, f.evidence) for f in facts.core_contributions]),
        method_summary=_facts(paper, [(f.point, f.evidence) for f in facts.method_summary]),
        assumptions_and_scope=_facts(paper, [(f.item, f.evidence) for f in facts.assumptions_and_scope]),
        novelty_claims_in_paper=_facts(paper, [(f.claim, f.evidence) for f in facts.novelty_claims_in_paper]),
        issues=_issues(paper, given.draft, answer.review_issues),
        rewrites=_rewrites(paper, answer.rewrite_suggestions),
    )
    return found, raw


def analysed(asking: Asking, prompt: PromptText, given: StageInput, report: Report) -> Made:
    """Returns the facts, issues and rewrites of appendix E.2.4; tables and checks are those of the deterministic
    way."""
    paper = given.paper
    by_rules = analysed_by_rules(given, report.part(0.0, 0.1))
    answer, raw = _about(asking, prompt, given, _RESULTS, ResultsAnswer, report.part(0.1, 1.0))
    facts = answer.facts
    found = ResultsReport(
        datasets=_named(paper, facts.datasets),
        metrics=_named(paper, facts.metrics),
        baselines=_named(paper, facts.baselines),
        key_results=_facts(paper, [(f.claim, f.evidence) for f in facts.key_results]),
        tables=paper.tables,
        checks=by_rules.checks,
        unread=by_rules.unread,
        issues=_issues(paper, given.draft, answer.review_issues),
        rewrites=_rewrites(paper, answer.rewrite_suggestions),
    )
    return found, raw


def finished(asking: Asking, prompt: PromptText, given: StageInput, report: Report) -> Made:
    """Finishes the draft with minimal changes, under rules that apply whatever the model answers.

    The model gets the deterministic Aggregator's result. In its answer, a reviewer's points aren't changed, statements
    without a place become questions, and only one score may change, by one step.
    """
    paper = given.paper
    before = aggregated_by_rules(given, report.part(0.0, 0.1))
    # Without tables, which the model gets elsewhere, and without empty fields.
    reports = [
        (title, found.model_dump_json(exclude={"tables"}, exclude_defaults=True))
        for title, found in (
            ("Report on contribution and method", given.insight),
            ("Report on results", given.results),
            ("Related work", given.literature),
        )
        if found is not None
    ]
    reports.insert(0, ("The draft", draft_text(before, evidence=True)))
    reports.insert(1, ("The first draft, before it was checked", draft_text(given.draft)))
    if given.rubrics:
        wanted = "\n".join(f"{rubric.title}: {rubric.description}" for rubric in given.rubrics)
        reports.insert(2, ("What a good review does", wanted))
    room, tokens = _room_beside(asking, prompt, reports)
    text, read = asking.paper(paper, room, _OVERVIEW, report.part(0.1, 0.5))
    message = "\n\n".join(starmap(fenced, [("The paper", text), *reports]))
    answer, raw = asking.ask(prompt, message, FinishedAnswer, tokens=tokens, report=report.part(0.5, 1.0))
    known = {point.id: point for _, point in before.points()}
    made = {
        name: [_finished(paper, known, point, name, n) for n, point in enumerate(getattr(answer, name), start=1)]
        for name in POINT_FIELDS
    }
    kept = {other.id for points in made.values() for other in points}
    for name, point in before.points():
        if point.origin == "reviewer" and point.id not in kept:
            made[name].append(point)
    offered = Scores(**{name: getattr(answer, name) for name in Scores.model_fields})
    whole = Draft(
        **{name: tuple(point for point in points if point.text) for name, points in made.items()},
        scores=before.scores if paper.orders else kept_scores(before.scores, offered),
    )
    return aggregated_by_rules(StageInput(paper=paper, draft=whole), report), (*read, *raw)


def _room_beside(asking: Asking, prompt: PromptText, reports: list[tuple[str, str]]) -> tuple[int, int]:
    """As ``Asking.room``; if drafts and reports leave too little for the paper, the longest report is shortened, with a
    note."""
    while True:
        try:
            return asking.room(instructions(prompt), "\n\n".join(starmap(fenced, reports)), FINAL_TOKENS)
        except BadInput:
            longest = max(range(1, len(reports)), key=lambda at: len(reports[at][1]))
            title, text = reports[longest]
            if (size := tokens_in(text)) < FEWEST:
                raise
            reports[longest] = (title, cut(text, size // 2))


def kept_scores(before: Scores, offered: Scores) -> Scores:
    """Applies the policy for numeric fields: scores are kept, except that one may change by one step, and the decision
    with the rating. Empty fields stay empty."""
    names = [name for name in Scores.model_fields if name != "decision"]
    changed = [
        name
        for name in names
        if getattr(before, name) is not None
        and getattr(offered, name) is not None
        and getattr(before, name) != getattr(offered, name)
    ]
    if len(changed) != 1:
        return before
    name = changed[0]
    if abs(getattr(offered, name) - getattr(before, name)) > LARGEST_STEP:
        return before
    update: dict[str, object] = {name: getattr(offered, name)}
    if name == "rating" and before.decision is not None and offered.decision is not None:
        update["decision"] = offered.decision
    return before.model_copy(update=update)


def _finished(
    paper: PaperReading, known: Mapping[str, Point], point: FinishedPoint, field: PointField, number: int
) -> Point:
    text = point.text.strip()
    old = known.get(point.id.strip().strip("[]"))
    if old is not None and old.origin == "reviewer":
        return old
    if old is not None and fuzz.token_set_ratio(old.text, text) >= _SAME_POINT:
        anchors = tuple(dict.fromkeys((*old.anchors, *resolve(paper, text))))
        suggestion = (point.suggestion.strip() or old.suggestion) if field == "weaknesses" else ""
        return old.model_copy(update={"text": text, "anchors": anchors, "suggestion": suggestion})
    return Point(
        id=f"aggregator-{field}-{number}",
        text=text,
        anchors=resolve(paper, text),
        suggestion=point.suggestion.strip() if field == "weaknesses" else "",
        origin="model",
    )


def _about(  # noqa: PLR0917 (shared by two stages)
    asking: Asking, prompt: PromptText, given: StageInput, first: Sequence[Part], shape: type[Shape], report: Report
) -> tuple[Shape, tuple[str, ...]]:
    words = fenced("The draft review", draft_text(given.draft), said_by_reviewer=True)
    room, tokens = asking.room(instructions(prompt), words, REPORT_TOKENS)
    text, read = asking.paper(given.paper, room, first, report.part(0.0, 0.5))
    message = f"{fenced('The paper', text)}\n\n{words}"
    answer, raw = asking.ask(prompt, message, shape, tokens=tokens, report=report.part(0.5, 1.0))
    return answer, (*read, *raw)


def _facts(paper: PaperReading, said: Sequence[tuple[str, str]]) -> tuple[Fact, ...]:
    return tuple(
        Fact(text=text.strip(), anchor=evidence_anchor(paper, evidence) or Anchor(kind="quote"))
        for text, evidence in said
        if text.strip()
    )


def _named(paper: PaperReading, names: Sequence[str]) -> tuple[Named, ...]:
    return tuple(
        Named(name=name.strip(), anchor=evidence_anchor(paper, name) or Anchor(kind="quote", quote=name))
        for name in names
        if name.strip()
    )


def _issues(paper: PaperReading, draft: Draft, said: Issues) -> tuple[DraftIssue, ...]:
    def issue(kind: IssueKind, words: str, why: str, evidence: str) -> DraftIssue:
        point = "" if kind == "missing_key_points" else _point_of(draft, words)
        return DraftIssue(kind=kind, point_id=point, text=words, why=why, anchor=evidence_anchor(paper, evidence))

    wrong, missing, vague = said.incorrect_or_hallucinated, said.missing_key_points, said.needs_specificity
    return (
        *(issue("incorrect_or_hallucinated", one.review_claim, one.why_wrong, one.evidence) for one in wrong),
        *(issue("missing_key_points", one.what_missing, one.why_important, one.evidence) for one in missing),
        *(issue("needs_specificity", one.review_text, one.how_to_fix, one.evidence) for one in vague),
    )


def _point_of(draft: Draft, words: str) -> str:
    """Returns the id of the draft's point that a model refers to; "" if none is similar enough."""
    scored = [(fuzz.partial_ratio(words.casefold(), p.text.casefold()), p.id) for _, p in draft.points()]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= 80 else ""


def _rewrites(paper: PaperReading, said: Sequence[Suggested]) -> tuple[Rewrite, ...]:
    return tuple(
        Rewrite(
            anchor=evidence_anchor(paper, item.evidence),
            target=item.target.casefold().replace(" ", "-"),
            **item.model_dump(exclude={"evidence", "target"}),
        )
        for item in said
    )
