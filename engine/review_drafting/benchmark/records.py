"""What the benchmark works on. The scores are ReviewBench's (section 3.2.3, appendix E.1.1): 0, 1, 2 for what a review
should do, 0, -1, -2 for the pitfall.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from engine.measures.estimate import Estimate
from engine.review_drafting.records import MetaRubric, Record, Review
from engine.shown import model_name

Role = Literal["candidate", "human", "reference"]
Test = Literal[
    "says", "raises", "anchored", "specific", "covers", "courteous", "praises", "suggests",
    "absent place", "absent quote", "false absence", "wrong number",
]  # fmt: skip
"""How the checks look for a key point: ``says`` in the fields of the dimension, ``raises`` among weaknesses and
questions, ``covers`` a part of the paper; the last four are what the pitfall is made of."""
SCORE_FIELDS = ("soundness", "presentation", "contribution", "confidence", "rating")
HIGHEST = 2
"""The score of a dimension of which every key point is met."""


class KeyPoint(Record):
    """One thing that a review of this paper should do, or for the pitfall, that it should not.

    ``subject`` is what the test looks for where the sentence for people says more (a part of the paper, a claim);
    ``evidence`` is the place of the paper that the point comes from, "" where it asks how a review is written.
    """

    text: str = Field(min_length=1)
    test: Test = "says"
    subject: str = ""
    evidence: str = ""

    @property
    def wanted(self) -> str:
        return self.subject or self.text


class PaperRubric(Record):
    """A meta-rubric made for one paper; ``origin`` is 'person' or 'model:<which>@<version>'."""

    dimension: str
    description: str
    key_points: tuple[KeyPoint, ...] = ()
    origin: str = "person"

    @property
    def author(self) -> str:
        """Who wrote the key points: "a person", "rules", or a model's name."""
        return {"person": "a person", "checks": "rules"}.get(by := model_name(self.origin), by)


class BenchmarkPaper(Record):
    """A paper whose reviews are compared; ``document_id`` is its PDF in the project, "" where only a text is known."""

    id: str
    title: str
    external_id: str = ""
    text: str = ""
    document_id: str = ""
    decision: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class BenchmarkReview(Record):
    """A review of a paper by a source: a person, a system, a draft of this project.

    ``kept`` is False for what a filter or a person left out, and ``why_left_out`` says why.
    """

    id: str
    paper_id: str
    source: str
    review: Review
    reviewer: str = ""
    role: Role = "candidate"
    kept: bool = True
    why_left_out: str = ""


class ReviewSet(Record):
    """What a file holds: papers, their reviews, rubrics by the papers' keys, and what could not be read."""

    papers: tuple[BenchmarkPaper, ...] = ()
    reviews: tuple[BenchmarkReview, ...] = ()
    rubrics: dict[str, tuple[PaperRubric, ...]] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Judgement(Record):
    """A review's score on one dimension, and why."""

    dimension: str
    score: int = Field(ge=-HIGHEST, le=HIGHEST)
    rationale: str = ""


class SourceRow(Record):
    """A source's means over papers, each with its 95 % interval; ``passed`` is the share of reviews that meet half."""

    model_config = Record.model_config | {"arbitrary_types_allowed": True}

    source: str
    papers: int
    reviews: int
    overall: Estimate
    substantiated: Estimate
    """The share of criticism that comes with a reason, by rule; beside the eight dimensions, not in their sum."""
    dimensions: dict[str, Estimate]
    passed: dict[str, float]
    against: Estimate | None = None
    """The difference of the overall score to the baseline, on the papers that both reviewed."""


class NumericRow(Record):
    """A source's numeric fields against the human reviews; None where nothing can be compared.

    ``mse`` and ``mae`` by field, ``pairwise`` the share of pairs of papers in the same order, ``accuracy`` and ``f1``
    (macro, accept and reject) of the decision, ``n`` the papers compared by field.
    """

    source: str
    n: dict[str, int]
    mse: dict[str, float]
    mae: dict[str, float]
    pairwise: dict[str, float]
    accuracy: float | None = None
    f1: float | None = None


class AgreementRow(Record):
    """How far a judge's scores follow a person's, on one dimension or overall (ReviewGrounder, table 4)."""

    dimension: str
    n: int
    mae: float
    spearman: float
    pearson: float
    pairwise_error: float
    pairwise_absolute: float


def score(met: Sequence[bool], rubric: MetaRubric, *, wrong: bool = False) -> int:
    """The score of key points met, or for the pitfall exhibited, by the rules of ReviewBench (appendix E.1.1).

    Positive: 0 if none is met or the review makes a material incorrect claim (``wrong``), 1 from half on, 2 for all.
    Pitfall: 0 none, -1 one, -2 several or a single severe one (``wrong``). The paper leaves open what fewer than half
    score: 0 here.
    """
    count = sum(met)
    if rubric.kind == "pitfall":
        return -HIGHEST if wrong or count > 1 else -count
    if wrong or not count:
        return 0
    return HIGHEST if count == len(met) else int(2 * count >= len(met))
