"""Instantiates the eight meta-rubrics for one paper, deterministically: from its claims, results, comparisons and
sections, and from the passages that its human reviews criticise (ReviewBench, section 3.2.2).

A key point quotes the paper, never the reference review, which only indicates which passages matter. A person edits the
result.
"""

import re
from collections.abc import Sequence
from itertools import islice

from engine.jobs import QuietReport, Report
from engine.review_drafting.anchoring import nearest
from engine.review_drafting.benchmark.checks import FAULTS, VERSION
from engine.review_drafting.benchmark.records import KeyPoint, PaperRubric
from engine.review_drafting.reading import place
from engine.review_drafting.records import MetaRubric, PaperReading, Part, Review, StageInput
from engine.review_drafting.stages.aggregator import NEAR_ENOUGH
from engine.review_drafting.stages.cues import statements
from engine.review_drafting.stages.results import analysed

RUN = 5
"""Consecutive words that count as a quotation."""
MOST = 3
"""Maximum key points of one kind; with more, "all of them" would be out of reach."""
PARTS: tuple[tuple[str, str, frozenset[Part]], ...] = (
    ("method", "the method", frozenset(("method", "data"))),
    ("experiments", "the experiments and their results", frozenset(("results",))),
    ("related", "the related work", frozenset(("related",))),
    ("limitations", "the limitations", frozenset(("limitations",))),
)
"""Parts that a complete review covers, as far as the paper has them: subject, words for display, parts."""


def instantiated(
    paper: PaperReading, reference: Review, metas: Sequence[MetaRubric], *, report: Report = QuietReport()
) -> tuple[PaperRubric, ...]:
    """Returns one rubric per dimension. ``reference`` is the aggregated human review, empty if there is none."""
    results = analysed(StageInput(paper=paper), report)
    contributions = [s.text for s in statements(paper, "contribution", MOST)] or [
        s.text for s in statements(paper, "novelty", MOST)
    ]
    related = KeyPoint(text="Places the paper among the work that it builds on.", test="covers", subject="related")
    points: dict[str, tuple[KeyPoint, ...]] = {
        "core-contribution-accuracy": tuple(_says("Says what the paper contributes", text) for text in contributions),
        "results-interpretation": tuple(
            _says("Reads this result as the paper has it", fact.text) for fact in results.key_results[:MOST]
        ),
        "comparative-analysis": (
            *(
                KeyPoint(text=f"Speaks of {baseline.name}, with which the paper compares.", subject=baseline.name)
                for baseline in results.baselines[:MOST]
            ),
            *((related,) if any(sentence.part == "related" for sentence in paper.sentences) else ()),
        ),
        "evidence-based-critique": (
            KeyPoint(text="Most weaknesses and questions point at a place in the paper that exists.", test="anchored"),
            *_criticised(paper, reference),
        ),
        "critique-clarity": (
            KeyPoint(text="Most weaknesses and questions are specific: they name what is meant.", test="specific"),
            KeyPoint(text="Most weaknesses or questions say what would fix them.", test="suggests"),
        ),
        "completeness-coverage": tuple(
            KeyPoint(text=f"Speaks of {words}.", test="covers", subject=subject)
            for subject, words, parts in PARTS
            if any(sentence.part in parts for sentence in paper.sentences)
        ),
        "constructive-tone": (
            KeyPoint(text="No wording is blunt, dismissive or personal.", test="courteous"),
            KeyPoint(text="Says what is good about the paper.", test="praises"),
        ),
        "false-or-contradictory-claims": FAULTS,
    }  # fmt: skip
    return tuple(
        PaperRubric(
            dimension=meta.id,
            description=meta.description,
            key_points=points.get(meta.id, ()),
            origin=f"model:{VERSION}",
        )
        for meta in metas
    )


def _says(what: str, quoted: str) -> KeyPoint:
    return KeyPoint(text=f"{what}: “{quoted}”", subject=quoted)


def _criticised(paper: PaperReading, reference: Review) -> tuple[KeyPoint, ...]:
    """Returns the passages that the reference's weaknesses refer to, those of most reviewers first.

    A weakness without a sufficiently similar passage can't be checked against the paper and yields no key point.
    """
    near = (nearest(paper, weakness) for weakness in reference.weaknesses)
    passages = dict.fromkeys(found[1] for found in near if found is not None and found[0] >= NEAR_ENOUGH)
    return tuple(
        KeyPoint(
            text=f"Criticises or asks about this passage: “{passage.text}”",
            test="raises",
            subject=passage.text,
            evidence=place(passage.section),
        )
        for passage in islice(passages, MOST)
    )


def without_passages(rubrics: Sequence[PaperRubric], paper: PaperReading, reference: Review) -> tuple[PaperRubric, ...]:
    """Returns the rubrics with criticised passages from ``reference`` only in those made by rules; others are
    unchanged."""
    wanted = _criticised(paper, reference)
    return tuple(
        rubric.model_copy(update={"key_points": (*(p for p in rubric.key_points if p.test != "raises"), *wanted)})
        if rubric.origin == f"model:{VERSION}" and rubric.dimension == "evidence-based-critique"
        else rubric
        for rubric in rubrics
    )


def copied(point: str, reference: Review, paper: PaperReading) -> bool:
    """Returns whether a key point contains words of the reference review: five in a row, or a whole point of three or
    four. Words that are also in the paper are allowed."""

    def words(text: str) -> list[str]:
        return re.findall(r"\w+", text.casefold())

    held = f" {' '.join(words(' '.join(sentence.text for sentence in paper.sentences)))} "
    own = words(point)
    for said in (reference.summary, *reference.strengths, *reference.weaknesses, *reference.questions):
        theirs = words(said)
        size = min(RUN, len(theirs))
        runs = {" ".join(theirs[at : at + size]) for at in range(len(theirs) - size + 1)} if size >= 3 else set()
        mine = (" ".join(own[at : at + size]) for at in range(len(own) - size + 1))
        if any(run in runs and f" {run} " not in held for run in mine):
            return True
    return False
