"""Records of the benchmark. The scores are ReviewBench's (section 3.2.3, appendix E.1.1): 0, 1, 2 for positive
dimensions, 0, -1, -2 for the pitfall."""

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
questions, ``covers`` a part of the paper; the last four belong to the pitfall."""
SCORE_FIELDS = ("soundness", "presentation", "contribution", "confidence", "rating")
HIGHEST = 2
"""The score of a dimension if every key point is met."""


class KeyPoint(Record):
    """Something that a review of this paper should do, or for the pitfall, shouldn't do.

    ``subject`` is what the test looks for if the displayed text says more (a part of the paper, a claim); ``evidence``
    is the place of the paper that the point comes from, "" if it is about how a review is written.
    """

    text: str = Field(min_length=1)
    test: Test = "says"
    subject: str = ""
    evidence: str = ""

    @property
    def wanted(self) -> str:
        return self.subject or self.text


class PaperRubric(Record):
    """A meta-rubric instantiated for one paper; ``origin`` is 'person' or 'model:<which>@<version>'."""

    dimension: str
    description: str
    key_points: tuple[KeyPoint, ...] = ()
    origin: str = "person"

    @property
    def author(self) -> str:
        """Who wrote the key points: "a person", "rules", or a model's name."""
        return {"person": "a person", "checks": "rules"}.get(by := model_name(self.origin), by)


class BenchmarkPaper(Record):
    """A paper whose reviews are compared; ``document_id`` is its PDF in the project, "" if there is only a text."""

    id: str
    title: str
    external_id: str = ""
    text: str = ""
    document_id: str = ""
    decision: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class BenchmarkReview(Record):
    """A review of a paper by a source: a person, a system, a draft of this project.

    ``kept`` is False if a filter or a person excluded it, and ``why_left_out`` says why.
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
    """The content of a file: papers, their reviews, rubrics by the papers' keys, and warnings about what couldn't be
    read."""

    papers: tuple[BenchmarkPaper, ...] = ()
    reviews: tuple[BenchmarkReview, ...] = ()
    rubrics: dict[str, tuple[PaperRubric, ...]] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Judgement(Record):
    """A review's score on one dimension, with the reason."""

    dimension: str
    score: int = Field(ge=-HIGHEST, le=HIGHEST)
    rationale: str = ""


class SourceRow(Record):
    """A source's means over papers, each with its 95 % interval; ``passed`` is the share of reviews with at least half
    of the points."""

    model_config = Record.model_config | {"arbitrary_types_allowed": True}

    source: str
    papers: int
    reviews: int
    overall: Estimate
    substantiated: Estimate
    """The share of criticism with a reason, by rule; separate from the eight dimensions and not part of their sum."""
    dimensions: dict[str, Estimate]
    passed: dict[str, float]
    against: Estimate | None = None
    """The difference of the overall score from the baseline, on the papers that both reviewed."""


class NumericRow(Record):
    """A source's numeric fields compared with the human reviews; None if nothing can be compared.

    ``mse`` and ``mae`` by field, ``pairwise`` the share of pairs of papers in the same order, ``accuracy`` and ``f1``
    (macro, accept and reject) of the decision, ``n`` the number of papers compared by field.
    """

    source: str
    n: dict[str, int]
    mse: dict[str, float]
    mae: dict[str, float]
    pairwise: dict[str, float]
    accuracy: float | None = None
    f1: float | None = None


class AgreementRow(Record):
    """How closely a judge's scores follow a person's, on one dimension or overall (ReviewGrounder, table 4)."""

    dimension: str
    n: int
    mae: float
    spearman: float
    pearson: float
    pairwise_error: float
    pairwise_absolute: float


def score(met: Sequence[bool], rubric: MetaRubric, *, wrong: bool = False) -> int:
    """Returns the score for the key points that were met (for the pitfall, exhibited), by the rules of ReviewBench
    (appendix E.1.1). Positive: 0 if none is met or the review makes a material incorrect claim (``wrong``), 1 from half
    on, 2 for all. Pitfall: 0 none, -1 one, -2 several or a single severe one (``wrong``). The paper doesn't say what
    fewer than half score; here it is 0."""
    count = sum(met)
    if rubric.kind == "pitfall":
        return -HIGHEST if wrong or count > 1 else -count
    if wrong or not count:
        return 0
    return HIGHEST if count == len(met) else int(2 * count >= len(met))
