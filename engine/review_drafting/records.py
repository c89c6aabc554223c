"""Records of review drafting; pydantic models, so that a run can be stored and answers validated.

The stages and the fields of their reports are those of ReviewGrounder (its appendix E.2.3 to E.2.5 and published
prompts); additional content of reports (anchors, checks, places) is ours.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, PrivateAttr

from engine.documents.places import Places
from engine.documents.records import ParsedDocument
from engine.documents.references import PlaceKind
from engine.jobs import Report

StageId = Literal["drafter", "literature", "insight", "results", "aggregator"]
STAGES: tuple[StageId, ...] = ("drafter", "literature", "insight", "results", "aggregator")
STAGE_TITLES: dict[StageId, str] = {
    "drafter": "Drafter",
    "literature": "Literature Searcher",
    "insight": "Insight Miner",
    "results": "Result Analyzer",
    "aggregator": "Aggregator",
}
Way = Literal["deterministic", "language model"]
AnchorKind = PlaceKind
Part = Literal[
    "abstract", "introduction", "related", "method", "data", "results", "discussion", "limitations", "conclusion",
    "appendix", "back", "other",
]  # fmt: skip
PointField = Literal["summary", "strengths", "weaknesses", "questions"]
POINT_FIELDS: tuple[PointField, ...] = ("summary", "strengths", "weaknesses", "questions")
NOT_FOUND = "not_found_in_text"
"""What a language model says instead of evidence that it can't find (ReviewGrounder's prompts)."""


class Record(BaseModel):
    """A frozen record; undeclared fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- the paper --------------------------------------------------------------------------------------------------------


class Anchor(Record):
    """A place in the paper that a statement refers to.

    ``ref`` names it for display ("Table 2", "Section Results"); ``quote`` are its words, [start, end) of
    ``paragraph_id``'s text. If nothing was found, ``page`` is 0 and ``found`` False. What a statement says
    about the place is another question; earlier versions stored ``found`` as "verified".
    """

    kind: AnchorKind
    ref: str = ""
    quote: str = ""
    paragraph_id: str = ""
    start: int = 0
    end: int = 0
    page: int = 0
    found: bool = Field(default=False, validation_alias=AliasChoices("found", "verified"))


class Sentence(Record):
    """A sentence of the paper: [start, end) of a paragraph's text, with its section's path and part."""

    paragraph_id: str
    start: int
    end: int
    text: str
    section: str
    part: Part
    page: int
    caption: bool = False


class CellReading(Record):
    """A cell of a table; see ``engine.documents.tables.Cell``. Runs of earlier versions contain more fields."""

    model_config = ConfigDict(extra="ignore")

    text: str
    column: int
    number: float | None = None
    percent: bool = False
    spread: bool = False


class RowReading(Record):
    """A row of a table, from left to right."""

    cells: tuple[CellReading, ...]
    header: bool = False
    label: str = ""


class TableReading(Record):
    """A table of the paper; ``section`` and ``part`` are those of its caption."""

    number: str
    caption: str
    caption_id: str
    page: int
    section: str
    part: Part
    rows: tuple[RowReading, ...] = ()
    doubt: str = ""
    """Why it may have been read wrongly; "" if nothing suggests it."""

    def heading(self, column: int) -> str:
        """Returns the words above a column."""
        return " ".join(cell.text for row in self.rows if row.header for cell in row.cells if cell.column == column)


class Caption(Record):
    """The caption of a figure or table, with the number as printed."""

    kind: Literal["figure", "table"]
    number: str
    text: str
    paragraph_id: str
    page: int


class Passage(Record):
    """A paragraph of the paper for language models, including formulas and captions."""

    text: str
    section: str
    part: Part
    page: int
    paragraph_id: str = ""


class PaperReading(Record):
    """A paper as the stages see it: its visible text only.

    ``passages`` are all of its paragraphs, ``sentences`` those that rules can judge. ``hidden`` counts invisible
    characters in the file, which aren't included. ``orders`` are visible sentences that try to instruct a language
    model.
    """

    sha256: str
    title: str
    abstract: str
    pages: int
    sentences: tuple[Sentence, ...]
    tables: tuple[TableReading, ...] = ()
    captions: tuple[Caption, ...] = ()
    sections: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    hidden: int = 0
    passages: tuple[Passage, ...] = ()
    orders: tuple[str, ...] = ()
    _places: Places | None = PrivateAttr(default=None)

    @property
    def places(self) -> Places:
        """Looks up places in the document; not part of the stored or hashed record.

        A reading that wasn't made from a document has no places.
        """
        if self._places is None:
            return Places(ParsedDocument(self.sha256, (), (), "", 0.0))
        return self._places

    @property
    def doubtful(self) -> frozenset[int]:
        """The pages whose text may not match what they show: no sentence or table is taken from them, and nothing is
        reported as missing."""
        return frozenset(one.page for one in self.places.document.doubtful)


# --- the review -------------------------------------------------------------------------------------------------------


class Scores(Record):
    """The numeric fields in ICLR's ranges; None if not given."""

    soundness: float | None = Field(default=None, ge=1, le=4)
    presentation: float | None = Field(default=None, ge=1, le=4)
    contribution: float | None = Field(default=None, ge=1, le=4)
    confidence: float | None = Field(default=None, ge=1, le=5)
    rating: float | None = Field(default=None, ge=1, le=10)
    decision: Literal["accept", "reject"] | None = None


class Review(Record):
    """A review in the common schema (ICLR's), as text for export, import and scoring."""

    summary: str = ""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    scores: Scores = Scores()


class Point(Record):
    """One statement of a draft.

    ``id`` is unique within a run. ``origin`` is its source: "reviewer", "paper" (the paper's own words),
    "check:<name>", "literature", "model". ``suggestion`` says how to fix a weakness. ``dimension`` is the meta-rubric
    that it serves. ``was`` is the field that it was moved from.
    """

    id: str
    text: str
    anchors: tuple[Anchor, ...] = ()
    suggestion: str = ""
    dimension: str = ""
    origin: str = "paper"
    was: PointField | None = None


class Draft(Record):
    """A draft of a review: its points by field, and scores if any were given."""

    summary: tuple[Point, ...] = ()
    strengths: tuple[Point, ...] = ()
    weaknesses: tuple[Point, ...] = ()
    questions: tuple[Point, ...] = ()
    scores: Scores = Scores()
    checklist: tuple[Any, ...] = ()
    """Only in stored runs: earlier versions listed questions here."""

    def points(self) -> tuple[tuple[PointField, Point], ...]:
        """Returns all points with their fields, in the order of the form."""
        return tuple((name, point) for name in POINT_FIELDS for point in getattr(self, name))

    def review(self) -> Review:
        """Returns the draft as plain text; a suggestion follows its weakness."""
        texts = {
            name: tuple(
                f"{point.text} {point.suggestion}".strip() if name == "weaknesses" else point.text
                for point in getattr(self, name)
            )
            for name in POINT_FIELDS
        }
        return Review(
            summary=" ".join(texts["summary"]),
            strengths=texts["strengths"],
            weaknesses=texts["weaknesses"],
            questions=texts["questions"],
            scores=self.scores,
        )


class MetaRubric(Record):
    """One of the eight general dimensions of a good review; stages never see a rubric of a single paper."""

    id: str
    title: str
    kind: Literal["essential", "important", "optional", "pitfall"]
    description: str
    fields: tuple[str, ...]


# --- reports of the stages --------------------------------------------------------------------------------------------


class LibraryEntry(Record):
    """A paper of the local library, as the Literature Searcher reads it."""

    id: str
    title: str
    abstract: str = ""
    year: int = 0
    authors: tuple[str, ...] = ()
    venue: str = ""


@dataclass(frozen=True, slots=True)
class Search:
    """How the Literature Searcher searches the library.

    ``since`` is the earliest year of a result, 0 for any, including papers without a year. ``pool`` papers of the first
    search are reranked unless ``reranked`` is False, and ``top`` are kept. ``queries``: title and abstract together
    with the phrases, or each phrase alone with its own pool.
    """

    since: int = 0
    top: int = 10
    pool: int = 40
    queries: Literal["all", "phrases"] = "all"
    reranked: bool = True


class RelatedWork(Record):
    """A paper that was found: ``score`` orders the list, ``cited`` says whether the reference list contains it.

    The four texts are the structured summary; in the deterministic way they are sentences of its abstract.
    """

    paper_id: str
    title: str
    year: int = 0
    authors: tuple[str, ...] = ()
    score: float
    cited: bool
    summary: str = ""
    main_methods: str = ""
    key_findings: str = ""
    relation: str = ""


class LiteratureReport(Record):
    """The results of the Literature Searcher; ``searched`` counts the papers of the library."""

    keyphrases: tuple[str, ...] = ()
    searched: int = 0
    found: tuple[RelatedWork, ...] = ()


class Fact(Record):
    """A statement about the paper and its place."""

    text: str
    anchor: Anchor


IssueKind = Literal["incorrect_or_hallucinated", "missing_key_points", "needs_specificity"]


class DraftIssue(Record):
    """A problem with a point of the draft, or something it lacks.

    ``kind``: incorrect_or_hallucinated (not found in the text), missing_key_points, needs_specificity. ``point_id`` is
    the point, "" for something that is missing. ``text`` is the sentence or what is missing, ``why`` the reason or how
    to fix it.
    """

    kind: IssueKind
    point_id: str = ""
    text: str
    why: str
    anchor: Anchor | None = None


class Rewrite(Record):
    """A suggested text for a field of the draft: ``apply_to`` is the field, ``target`` the dimension that it serves."""

    apply_to: PointField
    target: str
    suggested_text: str
    anchor: Anchor | None = None


class InsightReport(Record):
    """The results of the Insight Miner (appendix E.2.3: facts, review_issues, rewrite_suggestions)."""

    core_contributions: tuple[Fact, ...] = ()
    method_summary: tuple[Fact, ...] = ()
    assumptions_and_scope: tuple[Fact, ...] = ()
    novelty_claims_in_paper: tuple[Fact, ...] = ()
    issues: tuple[DraftIssue, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        lists = (self.core_contributions, self.method_summary, self.assumptions_and_scope, self.novelty_claims_in_paper)
        return tuple(fact for facts in lists for fact in facts)


CheckName = Literal[
    "percentage", "unmentioned", "unresolved", "missing-citation", "no-variance",
    "bold-not-best", "table-total", "bare-claim", "identity",
    "abstract-number",
    # only in stored runs
    "undefined-term", "unmentioned-table", "claim-apart", "limitations", "train-test", "acronym", "absent-reference",
    "text-table", "availability",
]  # fmt: skip


class Check(Record):
    """A finding of a check of the paper: something to criticise, or (``certain`` False) to ask about."""

    name: CheckName
    text: str
    suggestion: str
    certain: bool
    anchors: tuple[Anchor, ...]


class Named(Record):
    """A dataset, a metric or a baseline, with its name as the paper writes it, and its place."""

    name: str
    anchor: Anchor


class ResultsReport(Record):
    """The results of the Result Analyzer (appendix E.2.4: facts, review_issues, rewrite_suggestions), with its checks;
    ``unread`` are the pages that weren't checked because their text is unreliable."""

    datasets: tuple[Named, ...] = ()
    metrics: tuple[Named, ...] = ()
    baselines: tuple[Named, ...] = ()
    key_results: tuple[Fact, ...] = ()
    tables: tuple[TableReading, ...] = ()
    checks: tuple[Check, ...] = ()
    unread: tuple[int, ...] = ()
    issues: tuple[DraftIssue, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self.key_results


Ask = Literal["reproducibility"]
"""Additional questions of a review form that a paper may be expected to answer."""


class StageInput(Record):
    """The input of a stage; fields that it doesn't read aren't set.

    ``own`` is what the reviewer has already written, which the Drafter keeps; ``draft`` is the input of the other
    stages. ``rubrics`` are the general ones, for the Aggregator; ``asks`` are questions of the review form. A report is
    None if its stage was switched off.
    """

    paper: PaperReading
    rubrics: tuple[MetaRubric, ...] = ()
    own: Draft = Draft()
    library: tuple[LibraryEntry, ...] = ()
    search: Search = Search()
    asks: tuple[Ask, ...] = ()
    draft: Draft = Draft()
    literature: LiteratureReport | None = None
    insight: InsightReport | None = None
    results: ResultsReport | None = None


StageOutput = Draft | LiteratureReport | InsightReport | ResultsReport
OUTPUTS: dict[StageId, type[StageOutput]] = {
    "drafter": Draft,
    "literature": LiteratureReport,
    "insight": InsightReport,
    "results": ResultsReport,
    "aggregator": Draft,
}


# --- the stages -------------------------------------------------------------------------------------------------------

Made = tuple[StageOutput, tuple[str, ...]]
"""A stage's output, and a language model's raw answers."""


@dataclass(frozen=True, slots=True)
class StageInfo:
    """A way of a stage: ``version`` changes whenever its results would; prompt fields are "" without a prompt."""

    stage: StageId
    way: Way
    version: str
    prompt: str = ""
    prompt_version: str = ""
    prompt_text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage in one of its ways: pure except for its model, so equal input gives equal output.

    ``run`` raises Cancelled, and with a language model what ``complete_as`` raises. ``device`` returns where the model
    ran, as ``LanguageModelInfo.used``.
    """

    info: StageInfo
    run: Callable[[StageInput, Report], Made]
    device: Callable[[], str] = str
