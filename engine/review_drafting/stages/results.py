"""The Result Analyzer without a language model: datasets, metrics, baselines, results, tables, and checks of the paper.

The lists and their names are those of ReviewGrounder's appendix E.2.4; the checks are ours.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from engine.documents.references import find_references
from engine.jobs import Report
from engine.review_drafting.anchoring import content_stems, resolve
from engine.review_drafting.reading import stretch, table_anchor
from engine.review_drafting.records import (
    Anchor,
    Ask,
    Check,
    Draft,
    DraftIssue,
    Named,
    PaperReading,
    ResultsReport,
    StageInput,
)
from engine.review_drafting.stages.abstract_checks import abstract_numbers
from engine.review_drafting.stages.cues import own, statements
from engine.review_drafting.stages.insight import (
    MOST_ISSUES,
    facts_of,
    issue_of,
    summary_rewrites,
    uncovered,
    without_place,
    written,
)
from engine.review_drafting.stages.mention_checks import (
    citations_beyond,
    identity_leaks,
    names_missing,
    unmentioned,
    unresolved,
)
from engine.review_drafting.stages.table_checks import bold_not_best, table_totals, variance
from engine.review_drafting.stages.text_checks import percentages
from engine.review_drafting.stages.wording_checks import bare_claims
from engine.reviews.language import is_english
from engine.statements.named import numbers_in_tables

CHECKS: tuple[Callable[[PaperReading], Iterable[Check]], ...] = (
    percentages, unresolved, citations_beyond, names_missing, unmentioned,
    bold_not_best, table_totals, identity_leaks,
)  # fmt: skip
WORDED: tuple[Callable[[PaperReading], Iterable[Check]], ...] = (bare_claims, abstract_numbers)
"""Checks that depend on English wording."""
ASKED: dict[Ask, tuple[Callable[[PaperReading], Iterable[Check]], ...]] = {"reproducibility": (variance,)}
"""Checks of optional content, run if the review form asks about it; they depend on English wording, too."""
MOST = 8
_DATASET = re.compile(
    r"\b(?P<name>(?:[A-Z][\w-]*[\w]|[A-Z]{2,}[\w-]*)(?: (?:[A-Z][\w-]*|\d[\w.]*))*) (?:data ?sets?|corpus|corpora"
    r"|benchmark|database|cohort|dataset)\b"
    r"|\b(?:data ?sets?|corpus|database|cohort) (?:of|called|named) (?P<later>[A-Z][\w-]+(?: [A-Z][\w-]+)*)"
)
_METRIC = re.compile(
    r"\b(?P<name>accuracy|AUROCs?|AUPRCs?|AUCs?|ROC[- ]AUC|area under (?:the )?(?:\w+ ){0,3}curve|F[- ]?1(?:[-"
    r" ]scores?)?"
    r"|F-?measure|precision|recall|sensitivity|specificity|BLEU(?:-\d)?|ROUGE(?:-[\dL]+)?|METEOR|BERTScore|perplexity"
    r"|RMSE|MSE|MAE|mean (?:squared|absolute) error|R2|R²|Pearson(?:'s)? (?:\w+ )?correlation|Spearman(?:'s)? (?:\w+"
    r" )?correlation"
    r"|Kendall(?:'s)? tau|NDCG|MAP|MRR|hits@\d+|IoU|mIoU|Dice|PSNR|SSIM|FID|word error rate|WER|log[- ]likelihood"
    r"|odds ratios?|hazard ratios?|Cohen(?:'s)? kappa|Matthews correlation|mean average precision|exact match)\b"
)
_BASELINE = re.compile(
    r"\b(?i:compar(?:e|ed|ing|ison|isons)\b[^.]{0,60}\b(?:with|to|against)|outperform\w*|better than|relative to"
    r"|versus|vs\.?|baselines?(?: \w+){0,2} (?:such as|including|like|are|is|:))\s+"
    r"(?P<name>(?:(?:the|an?|our|two|three|several) )?(?:[\w-]+ ){0,3}?"
    r"(?:baselines?|null models?|classifiers?|permuted [\w-]+|controls|background distribution|random \w+|linear \w+"
    r"|logistic regression|nearest neighbou?rs?)\b|[A-Z][\w-]*[A-Z0-9][\w-]*(?:(?:, | and |, and"
    r" )[A-Z][\w-]*[A-Z0-9][\w-]*)*)"
)
_MISSING = "The paper reports this among its main results; summary and strengths do not speak of it."
_NO_NAME = frozenset(
    ("the", "our", "this", "these", "each", "both", "all", "we", "table", "figure", "for", "using", "a baseline",
     "baseline", "baselines", "the baseline", "the baselines", "controls", "us", "uk", "usa", "eu")
)  # fmt: skip
_ARTICLE = re.compile(r"^(?:The|Our|This|These|Each|Both|All) ")
_VAGUE_RESULT = re.compile(
    r"\b(?:results?|experiments?|evaluation|baselines?|performance|comparison|ablations?|metrics?|datasets?)\b",
    re.IGNORECASE,
)


_OF_ABSENCE = (
    citations_beyond, names_missing, unmentioned, bare_claims, abstract_numbers, variance,
)  # fmt: skip
"""Checks that report something as absent from the paper: skipped if text was left out because it is invisible or its
page couldn't be examined, or if a page is unreliable."""


def checks_for(paper: PaperReading, asks: Iterable[Ask]) -> list[Callable[[PaperReading], Iterable[Check]]]:
    """Returns the checks that apply to a paper, including those for questions of a review form."""
    checks = [*CHECKS]
    if is_english(" ".join(sentence.text for sentence in paper.sentences)):
        checks += [*WORDED, *(check for ask in asks for check in ASKED[ask])]
    return [check for check in checks if not ((paper.hidden or paper.doubtful) and check in _OF_ABSENCE)]


def analysed(given: StageInput, report: Report) -> ResultsReport:
    """Finds names by pattern, tables with the table parser, and problems by rule."""
    paper = given.paper
    key = statements(paper, "result", MOST_ISSUES, parts=("abstract", "results", "conclusion", "discussion"))
    results = facts_of(s for s in key if re.search(r"\d", s.text)) or facts_of(key)
    checks: list[Check] = []
    for check in checks_for(paper, given.asks):
        report.check()
        checks.extend(c for c in check(paper) if paper.doubtful.isdisjoint(a.page for a in c.anchors))
    issues = (
        *_not_found(paper, given.draft),
        *uncovered(given.draft, results, _MISSING),
        *_unspecific(paper, given.draft),
    )
    return ResultsReport(
        datasets=_named(paper, _DATASET, ("data", "method", "results", "abstract", "introduction")),
        metrics=_named(paper, _METRIC, ("results", "method", "abstract", "data", "discussion", "conclusion")),
        baselines=_named(paper, _BASELINE, ("results", "method", "abstract", "data")),
        key_results=results,
        tables=paper.tables,
        checks=tuple(checks),
        unread=tuple(sorted(paper.doubtful)),
        issues=issues,
        rewrites=summary_rewrites(issues, "The authors report", "results-interpretation"),
    )


def _named(paper: PaperReading, pattern: re.Pattern[str], parts: Iterable[str]) -> tuple[Named, ...]:
    return tuple(islice(_names(paper, pattern, parts), MOST))


def _names(paper: PaperReading, pattern: re.Pattern[str], parts: Iterable[str]) -> Iterator[Named]:
    """Yields each name once, at its first place in the likeliest part."""
    order = {part: n for n, part in enumerate(parts)}
    seen: set[str] = set()
    sentences = sorted((s for s in paper.sentences if s.part in order and own(s)), key=lambda s: order[s.part])
    for sentence in sentences:
        for match in pattern.finditer(sentence.text):
            groups = match.groupdict()
            which = "name" if groups.get("name") else "later"
            said = " ".join((groups[which] or "").split())
            name = _ARTICLE.sub("", said)
            key = name.casefold().removesuffix("s")
            if not name or key in seen or name.casefold() in _NO_NAME or len(name) < 2:
                continue
            seen.add(key)
            yield Named(name=name, anchor=stretch(sentence, match.end(which) - len(name), match.end(which)))


def _not_found(paper: PaperReading, draft: Draft) -> list[DraftIssue]:
    """Returns issues for numbers that the reviewer attributes to a table that doesn't contain them."""
    issues = []
    for point in written(point for _, point in draft.points()) if not paper.doubtful else ():
        table = next((a for a in resolve(paper, point.text) if a.kind == "table" and a.found), None)
        parts = numbers_in_tables(point.text, find_references(point.text), paper.places)
        wrong = [part.why for part in parts if part.verdict == "not found"]
        issues += [issue_of("incorrect_or_hallucinated", point, why, table) for why in wrong]
    return issues


def _unspecific(paper: PaperReading, draft: Draft) -> list[DraftIssue]:
    issues = []
    for point, _ in without_place(paper, draft, _VAGUE_RESULT):
        table = _likely_table(paper, point.text)
        likely = f" Table {table.ref.removeprefix('Table ')} uses words of this point." if table else ""
        why = f"Name the table, figure, dataset or metric that is meant.{likely}"
        issues.append(issue_of("needs_specificity", point, why, table))
    return issues[:MOST_ISSUES]


def _likely_table(paper: PaperReading, text: str) -> Anchor | None:
    wanted = content_stems(text)
    scored = [(len(wanted & content_stems(t.caption)), -n, t) for n, t in enumerate(paper.tables)]
    best = max(scored, key=lambda item: item[:2], default=None)
    return table_anchor(best[2]) if best is not None and best[0] >= 2 else None
