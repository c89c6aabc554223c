"""The eight meta-rubrics made for one paper, deterministically: from its claims, results, comparisons and sections, and
from what its human reviews criticise (ReviewBench, section 3.2).

Nothing is reworded: a key point quotes the paper or the reference review. A person edits what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.jobs import QuietReport, Report
from engine.review_drafting.benchmark.checks import FAULTS, VERSION
from engine.review_drafting.benchmark.records import KeyPoint, PaperRubric
from engine.review_drafting.records import MetaRubric, PaperReading, Part, Review, StageInput
from engine.review_drafting.stages.cues import statements
from engine.review_drafting.stages.results import analysed

MOST = 3
"""Key points of one kind; more would make "all of them" out of reach."""
PARTS: tuple[tuple[str, str, frozenset[Part]], ...] = (
    ("method", "the method", frozenset(("method", "data"))),
    ("experiments", "the experiments and their results", frozenset(("results",))),
    ("related", "the related work", frozenset(("related",))),
    ("limitations", "the limitations", frozenset(("limitations",))),
)
"""Parts that a complete review speaks of, as far as the paper has them: subject, words for people, parts."""


def instantiated(
    paper: PaperReading, reference: Review, metas: Sequence[MetaRubric], *, report: Report | None = None
) -> tuple[PaperRubric, ...]:
    """One rubric a dimension. ``reference`` is the aggregated human review, empty where there is none."""
    results = analysed(StageInput(paper=paper), report or QuietReport())
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
            KeyPoint(text="Most weaknesses point at a place in the paper that exists.", test="anchored"),
            *(
                KeyPoint(text=f"Raises what the reviewers raised: “{text}”", test="raises", subject=text)
                for text in reference.weaknesses[:MOST]
            ),
        ),
        "critique-clarity": (
            KeyPoint(text="Most weaknesses are specific: they name what is meant.", test="specific"),
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
