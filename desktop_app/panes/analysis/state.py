"""State of the analysis pane: a paper's comments with real and proposed edits, and the links from its responses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from desktop_app import present
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.writing import Written, write_export
from engine.documents.records import Paragraph
from engine.exchange.edit_research import Research, export_files, research
from engine.exchange.records import Export
from engine.exchange.studies import PaperStudy, Studies
from engine.jobs import DuplicatePolicy, Report, Task, task
from engine.project import Project
from engine.reviews.records import Comment
from engine.revision.generation.questions import QUESTIONS, answered, first_open, given, swapped
from engine.revision.generation.records import Analysis, Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.records import Edit, SilverPair
from engine.revision.store import SilverStore
from engine.shown import counted

JUDGING, LABELS, FIGURES = range(3)
"""The views of the pane."""


DECISIONS = {"accepted": "confirmed", "rejected": "rejected", None: "open"}


def label_key(pair: SilverPair) -> str:
    return f"{pair.comment_id} {pair.edit_id}"


@dataclass(frozen=True, slots=True)
class Item:
    """A comment with its real edits and the proposal they are compared with."""

    comment: Comment
    edits: tuple[Edit, ...]
    proposal: Proposal
    analysis: Analysis

    @property
    def progress(self) -> str:
        done = sum(given(self.analysis, question, swap=False) is not None for question in QUESTIONS)
        if self.analysis.complete:
            return "judged"
        return f"{done} of {len(QUESTIONS)} answered" if done else "open"


@dataclass(frozen=True)
class PaperAnalysis:
    """A paper as the acting annotator sees it.

    Attributes:
        origins: origins of the proposals for linked comments, newest first.
        linked: number of comments with links, with or without a proposal.
    """

    study: PaperStudy | None = None
    items: tuple[Item, ...] = ()
    origins: tuple[str, ...] = ()
    linked: int = 0
    pairs: tuple[SilverPair, ...] = ()
    edits: Mapping[str, Edit] = field(default_factory=dict)
    comments: Mapping[str, Comment] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The content of the judging view. ``swap``: the generated edit is on the left; ``empty``: why there is no item."""

    item: Item | None
    paragraphs: Mapping[str, Paragraph]
    blind: bool
    swap: bool
    question: int
    empty: str


class AnalysisState:
    """Reads the compared papers of a project and writes judgements of edits and links.

    Attributes:
        view: ``JUDGING``, ``LABELS`` or ``FIGURES``.
        paper: the current paper.
        key: the selected comment; ``label`` is the selected link (``label_key``).
        origin: the origin whose proposals are compared; "" for all.
        paragraphs: those of the submitted version, once read.
        found: tables and figures of all papers, once calculated.
        proposing: progress of the job that proposes edits; "" if none is running.
    """

    def __init__(self, *, blind: bool = False) -> None:
        self.view = JUDGING
        self.blind = blind
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.paper = PaperAnalysis()
        self.paragraphs: Mapping[str, Paragraph] = {}
        self.found: Research | None = None
        self.key = self.label = self.origin = self.proposing = ""
        self.question = 0
        if project is not None:
            self.studies = Studies(project)
            self.generation = GenerationStore(project)
            self.silver = SilverStore(project, self.studies.revisions)

    @property
    def is_empty(self) -> bool:
        """Whether no paper has compared versions."""
        return self.project is None or not self.studies.compared()

    def read(self, paper_id: str) -> None:
        try:
            study = self.studies.study(paper_id, suggestions=False)
        except KeyError:  # its versions weren't compared
            self.paper = PaperAnalysis()
        else:
            self.paper = self._read(study)
        items = self.paper.items
        if self.item is None:
            self.select(self._first([(item.comment.id, item.analysis.complete) for item in items]))
        if self.pair is None:
            self.label = self._first([(label_key(pair), pair.decision is not None) for pair in self.paper.pairs])

    @staticmethod
    def _first(entries: Sequence[tuple[str, bool]]) -> str:
        """Returns the key of the first entry that isn't done, else of the first entry; "" if there is none."""
        return next((key for key, done in (*entries, *((key, False) for key, _ in entries[:1])) if not done), "")

    def _read(self, study: PaperStudy) -> PaperAnalysis:
        """Reads the paper. A comparison that was started with a proposal keeps it, even if there are newer ones."""
        assert self.project is not None
        edits = {edit.id: edit for edit in study.edits}
        order = {key: at for at, key in enumerate(edits)}
        links: dict[str, list[Edit]] = {}
        for link in sorted(study.links, key=lambda link: order.get(link.edit_id, 0)):
            if link.edit_id in edits:
                links.setdefault(link.comment_id, []).append(edits[link.edit_id])
        proposals = self.generation.proposals(study.revision.id)
        begun = {a.proposal_id: a for a in self.generation.analyses(study.revision.id)}
        made = [p for key in links for p in proposals.get(key, ())]
        items = []
        for comment in study.comments:
            own = [p for p in proposals.get(comment.id, ()) if self.origin in ("", p.origin)]
            if comment.id in links and own:
                proposal = next((p for p in own if p.id in begun), own[0])
                analysis = begun.get(proposal.id) or Analysis(comment.id, proposal.id, self.project.annotator_id)
                items.append(Item(comment, tuple(links[comment.id]), proposal, analysis))
        comments = {comment.id: comment for comment in study.comments}
        return PaperAnalysis(
            study,
            tuple(items),
            tuple(dict.fromkeys(p.origin for p in sorted(made, key=lambda p: p.created_at, reverse=True))),
            len(links),
            tuple(pair for pair in self.silver.pairs(study.revision.id) if pair.comment_id in comments),
            edits,
            comments,
        )

    @property
    def item(self) -> Item | None:
        return next((item for item in self.paper.items if item.comment.id == self.key), None)

    def select(self, comment_id: str) -> None:
        if comment_id != self.key:
            self.key = comment_id
            item = self.item
            self.question = (first_open(item.analysis, swap=self.swap) or 0) if item else 0

    @property
    def swap(self) -> bool:
        """Whether the generated edit is on the left."""
        return self.blind and self.project is not None and swapped(self.key, self.project.annotator_id)

    @property
    def place(self) -> tuple[str, str]:
        """The selected comment and its (first) edit; empty if there is none."""
        if self.view == LABELS:
            return (self.pair.comment_id, self.pair.edit_id) if self.pair else ("", "")
        return (self.item.comment.id, self.item.edits[0].id) if self.item else ("", "")

    @property
    def pair(self) -> SilverPair | None:
        return next((pair for pair in self.paper.pairs if label_key(pair) == self.label), None)

    def next_open(self) -> str:
        """Returns the key of the next undecided comment or link, wrapping around; "" for none."""
        if self.view == LABELS:
            entries, current = [(label_key(pair), pair.decision is not None) for pair in self.paper.pairs], self.label
        else:
            entries, current = [(item.comment.id, item.analysis.complete) for item in self.paper.items], self.key
        start = next((at for at, (key, _) in enumerate(entries) if key == current), -1)
        return next((key for key, done in (entries[start + 1 :] + entries[: max(start, 0)]) if not done), "")

    def step_question(self, by: int) -> None:
        self.question = min(max(self.question + by, 0), len(QUESTIONS) - 1)

    @property
    def can_write(self) -> bool:
        return self.paper.study is not None and self.project is not None and not self.project.read_only

    @property
    def can_judge(self) -> bool:
        return self.can_write and self.view == JUDGING and self.item is not None

    @property
    def can_review(self) -> bool:
        return self.can_write and self.view == LABELS and self.pair is not None

    @property
    def is_refused(self) -> bool:
        return self.can_review and self.pair is not None and self.pair.decision == "rejected"

    @property
    def can_propose(self) -> bool:
        return self.can_write and self.paper.linked > 0 and not self.proposing

    def entries(self) -> list[tuple[str, str, str, str]]:
        return [
            (
                item.comment.id,
                " ".join(item.comment.comment.split()),
                f"{reviewer_name(item.comment)} · {'✓ ' if item.analysis.complete else ''}{item.progress}",
                "check" if item.analysis.complete else "circle-dashed",
            )
            for item in self.paper.items
        ]

    def label_entries(self) -> list[tuple[str, str, str, str]]:
        """Returns key, comment, decision with evidence, and icon of each link."""
        found = []
        for pair in self.paper.pairs:
            comment, edit, surest = (
                self.paper.comments[pair.comment_id],
                self.paper.edits.get(pair.edit_id),
                pair.labels[0],
            )
            detail = f"{DECISIONS[pair.decision]} · {edit.label if edit else ''} · {surest.kind} {surest.strength:.2f}"
            icon = {"accepted": "check", "rejected": "x", None: "circle-dashed"}[pair.decision]
            found.append((label_key(pair), " ".join(comment.comment.split()), detail, icon))
        return found

    @property
    def empty(self) -> str:
        """The message that says why there is nothing to judge."""
        if self.paper.study is None:
            return "The versions of this paper haven't been compared. Compare them in the Linking pane."
        if not self.paper.linked:
            return "You haven't linked any edit to a comment yet. Link edits first."
        return self.proposing or "No edits have been proposed yet. Choose “Propose”."

    def comparison(self) -> Comparison:
        item = self.item
        return Comparison(item, self.paragraphs, self.blind, self.swap and item is not None, self.question, self.empty)

    def status(self) -> str:
        items, pairs = self.paper.items, self.paper.pairs
        parts = [self.proposing] if self.proposing else []
        if items:
            judged = sum(item.analysis.complete for item in items)
            parts.append(f"{judged} of {counted(len(items), 'comparison')} judged")
        elif self.paper.linked and not self.proposing:
            parts.append(f"{counted(self.paper.linked, 'comment')} linked, no edits proposed")
        if pairs:
            parts.append(f"{sum(pair.decision is not None for pair in pairs)} of {counted(len(pairs), 'link')} decided")
        return " · ".join(parts)

    def answer(self, question: int, answer: int | None) -> None:
        """Answers a question about the selected comment and selects the next open one; None removes the answer."""
        item, swap = self.item, self.swap
        assert item is not None
        self.question = question
        if given(item.analysis, QUESTIONS[question], swap=swap) != answer:
            analysis = answered(item.analysis, QUESTIONS[question], answer, swap=swap)
            self.generation.judge(analysis)
            item = replace(item, analysis=analysis)
        following = None if answer is None else first_open(item.analysis, swap=swap, after=question)
        self.question = question if following is None else following

    def set_note(self, text: str, analysis: Analysis) -> None:
        if text != analysis.note:
            self.generation.judge(replace(analysis, note=text))

    def decide(self, *, confirm: bool) -> None:
        (self.silver.confirm if confirm else self.silver.refuse)(present(self.pair))

    def reopen(self) -> None:
        self.silver.reopen(present(self.pair))

    def linked(self) -> list[str]:
        study = present(self.paper.study)
        keys = {link.comment_id for link in study.links}
        return [comment.id for comment in study.comments if comment.id in keys]


@task("analysis.count", "Count comments and edits", DuplicatePolicy.REPLACE, "analysis")
def count_task(report: Report, project: Project) -> Research:
    """Calculates tables and figures for the acting annotator's work on all compared papers."""
    report.progress(0.1, "Counting comments and edits")
    return research(Studies(project))


def export_task(found: Research, format_: str, path: Path) -> Task[Written]:
    """Returns the job that writes the files of a format into the folder of ``path``, named after it."""
    make = partial(_files, found, format_, path.stem)
    return write_export("analysis.export", path.parent, make, path.name)


def _files(found: Research, format_: str, stem: str, _report: Report) -> Export:
    return Export(export_files(found, format_, stem))
