"""The Drafter without a language model: a scaffold of the paper's own statements, and what the reviewer already wrote.

Nothing is invented: each point of the summary is a sentence of the paper with its place, and strengths are things that
the paper says it has.
"""

import re

from engine.jobs import Report
from engine.review_drafting.reading import in_quotes, quote, where
from engine.review_drafting.records import Draft, PaperReading, Point, Sentence, StageInput
from engine.review_drafting.stages.cues import Statement, opening, own, statements, strength

_SUMMARY: tuple[tuple[Statement, str, int], ...] = (
    ("aim", "What the paper aims at", 1),
    ("contribution", "What it contributes", 2),
    ("method", "What it does", 1),
    ("result", "What it finds", 2),
)
_STRENGTHS: tuple[tuple[str, str, str, str], ...] = (
    (
        "open-materials",
        "completeness-coverage",
        "Code or data are stated to be available",
        # "collected from software available on GitHub" is about other people's.
        r"^(?!.*\bfrom\b(?:(?!\b(?:is|are|was|were|been)\b).){0,60}\bavailable (?:at|on|in|under|via)\b).*"
        r"\b(?:code|software|source|data|datasets?|notebooks?|predictions|annotations|prompts)\b.{0,60}\b"
        r"(?:(?:is|are|was|were|been|made) (?:\w+ )?(?:publicly|freely|openly) (?:available|released)\b"
        r"|(?:available|released|deposited) (?:at|on|in|under|from|via) (?:\w+ ){0,3}"
        r"(?:https?|www|github|zenodo|osf|figshare|dryad))",
    ),
    # Other spreads are those of data, parameters or single steps.
    ("spread", "results-interpretation", "Intervals are given",
     r"\d\s?% (?:\w+ )?(?:confidence|credible) intervals?\b"),
    (
        "held-out",
        "results-interpretation",
        "Test or held-out data are named",
        # Requires "we" or a number: what any classifier does with test data isn't about this paper.
        r"^(?=.*(?:\bwe\b|\bour\b|\d)).*\b(?:(?:held|hold)[- ]out|test(?:ing)? (?:set|data))\b",
    ),
    ("ablation", "completeness-coverage", "Parts of the method are examined separately", r"\bablat(?:ion|ed|ing)\b"),
    ("limits", "evidence-based-critique", "The authors name limits of their work",
     r"\blimitations? (?:of|to) (?:our|this|the (?:present|current))\b"),
)  # fmt: skip


def scaffold(given: StageInput, report: Report) -> Draft:
    """Returns the reviewer's draft, with a summary and strengths from the paper if it has none."""
    report.check()
    summary = given.own.summary or summary_points(given.paper)
    report.check()
    strengths = given.own.strengths or strength_points(given.paper)
    return given.own.model_copy(update={"summary": summary, "strengths": strengths})


def summary_points(paper: PaperReading) -> tuple[Point, ...]:
    """Returns what the paper says about itself: aim, contributions, method, results; from the abstract if it has
    one."""
    taken: list[Sentence] = []
    points: list[Point] = []
    abstract = [s for s in paper.sentences if s.part == "abstract"]
    parts = ("abstract",) if len(abstract) >= 4 else ("abstract", "introduction", "results", "conclusion", "method")
    for kind, words, most in _SUMMARY:
        found = [s for s in statements(paper, kind, most + 2, parts=parts) if s not in taken][:most]  # type: ignore[arg-type]
        label = words
        if kind == "aim" and not found:
            label = "The abstract states"
            found = [s for s in opening(paper, "abstract", 1) if s not in taken]
        taken += found
        dimension = "core-contribution-accuracy" if kind != "result" else "results-interpretation"
        points += [_quoting(f"summary-{n}", label, s, dimension) for n, s in enumerate(found, start=len(points) + 1)]
    return tuple(points)


def _quoting(name: str, label: str, sentence: Sentence, dimension: str) -> Point:
    anchor = quote(sentence)
    text = f"{label}: {in_quotes(sentence.text)} {where(anchor)}."
    return Point(id=f"drafter-{name}", text=text, anchors=(anchor,), dimension=dimension)


def strength_points(paper: PaperReading) -> tuple[Point, ...]:
    """Returns quotations that speak for the paper; whether they are strengths is the reviewer's decision."""
    found = (
        (
            name,
            dimension,
            words,
            _best(paper, re.compile(pattern, re.IGNORECASE), _WISH if name == "limits" else _DENIED),
        )
        for name, dimension, words, pattern in _STRENGTHS
    )
    return tuple(
        _quoting(f"strength-{name}", words, sentence, dimension)
        for name, dimension, words, sentence in found
        if sentence is not None
    )


def _best(paper: PaperReading, pattern: re.Pattern[str], doubt: re.Pattern[str]) -> Sentence | None:
    """Returns the sentence that matches a pattern without a doubt and is most certainly about the paper itself, or
    None."""
    citing = {s.paragraph_id for s in paper.sentences if not own(s)}
    fitting = (s for s in paper.sentences if pattern.search(s.text) and not s.caption and not doubt.search(s.text))
    # In a paragraph about others' work, only sentences with "we" are about the paper's own.
    mine = (s for s in fitting if own(s) and (s.paragraph_id not in citing or _WE.search(s.text)))

    def weight(sentence: Sentence) -> float:
        strongest = max(strength(sentence, kind) for kind in ("result", "method", "limitation", "resource"))
        return strongest - abs(len(sentence.text.split()) - 22) / 20

    return max(mine, key=weight, default=None)


_WE = re.compile(r"\b(?:we|our|this (?:paper|study|work))\b", re.IGNORECASE)


_WISH = re.compile(
    r"\b(?:should|could|would|will|may|might|must|future|whether|recommend|typically|usually|often)\b", re.IGNORECASE
)
_DENIED = re.compile(rf"{_WISH.pattern}|\b(?:not|no|without|lacks?|however|fails?)\b|n['’]t\b", re.IGNORECASE)
