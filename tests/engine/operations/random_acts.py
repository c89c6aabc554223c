"""A small project with work of two annotators, and acts on whatever is in it: stores' verbs and operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from engine.agreement.records import Disagreement, PairedComment
from engine.agreement.store import AgreementStore
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.expertise.records import Study, SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.operations import comments, importing, incoming, papers, removing
from engine.operations.package_content import PAPER_OF
from engine.operations.targets import Kind, Target, targets
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.rebuttal.records import Point
from engine.rebuttal.store import RebuttalStore
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.generation.records import Analysis, Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.records import Edit, NewLink, RevisionDiff, Scored, SilverLabel
from engine.revision.store import RevisionStore, SilverStore

TEXT = "The split is unclear. The seed is missing. Why twelve? Plots are too small. Typos remain."
PLACES = ((0, 21), (22, 42), (43, 54), (55, 75), (76, 88))
T = TypeVar("T")


class Acts:
    """Each act takes two numbers that choose what it is done with."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.papers, self.documents = PaperStore(project), DocumentStore(project)
        self.reviews, self.labels = ReviewStore(project), LabelStore(project)
        self.revisions, self.agreement = RevisionStore(project), AgreementStore(project)
        self.rebuttal, self.survey = RebuttalStore(project), SurveyStore(project)
        self.verbs: dict[str, Callable[[int, int], object]] = {
            "add paper": lambda a, _b: self.papers.add_paper(f"Paper {a}"),
            "add version": self.add_version, "compare": self.compare, "suggest": self.suggest,
            "import review": self.import_review, "take in": self.take_in, "mark": self.mark, "split": self.split,
            "link": self.link, "unlink": lambda a, b: self.revisions.unlink_comment(self.comment(a), self.edit(a, b)),
            "state": self.state, "decide": self.decide, "confirm": self.confirm, "judge": self.judge,
            "adjudicate": self.adjudicate, "label": self.label, "done": self.done,
            "reply": self.reply, "opening": self.opening, "share": self.share,
            "part": lambda a, _b: self.reviews.part_response(self.comment(a)),
            "follow up": lambda a, b: self.reviews.add_follow_up(self.comment(a), f"And {b}?"),
            "compare as": self.compare_as,
            "study": self.study,
            "remove": self.remove, "remove comments": self.remove_comments, "merge": self.merge,
            "rename": self.rename,
            "replace": lambda a, b: papers.replace_version(project, self.target("version", a).id, _pdf(b), f"{b}.pdf"),
            "move": lambda a, b: papers.move_review(
                project, self.target("review", a), self.target("paper", b), others=True
            ),
            "relabel": lambda a, b: papers.rename(project, self.target("version", a), (SUBMITTED, REVISED)[b % 2]),
            "address": lambda a, b: papers.rename_reviewer(
                project, self.target("paper", 0).id, f"Reviewer {a % 3 + 1}", f"Reviewer {b % 3 + 1}"
            ),
            "be": lambda a, _b: project.set_annotator(("Ada", "Bo")[a % 2]),
            "undo": lambda _a, _b: project.undo(), "redo": lambda _a, _b: project.redo(),
            "go to": self.go_to,
        }  # fmt: skip

    def do(self, verb: str, a: int, b: int) -> None:
        """Does an act where it is possible now."""
        try:
            self.verbs[verb](a, b)
        except (BadInput, IndexError, StopIteration):
            return  # there is nothing that it could be done with, or it is refused

    def fill(self) -> None:
        """Two papers with reviews, versions, comparisons and work of both annotators."""
        for number in range(2):
            self.do("add paper", number, 0)
            for version in range(2):
                self.do("add version", number, 2 * number + version)
            self.do("compare", number, 0)
            for _ in range(2):
                self.do("import review", number, 0)
        for annotator in range(2):
            self.do("be", annotator, 0)
            for verb in ("link", "state", "decide", "confirm", "judge", "reply", "label", "opening"):
                for number in range(0, 9, 4):
                    self.do(verb, number, annotator + (number // 4 if verb == "opening" else 2))
        for verb in ("adjudicate", "done", "study"):
            self.do(verb, 0, 1)

    # what there is --------------------------------------------------------------------------------------------------

    def target(self, kind: Kind, number: int) -> Target:
        return _pick(targets(self.project, kind), number)

    def comment(self, number: int) -> str:
        return _pick(self.reviews.comments(), number).id

    def paper_of(self, comment_id: str) -> str:
        source = self.reviews.comment(comment_id).source_id
        return str(self.project.query(f"SELECT {PAPER_OF} FROM source_text t WHERE id = ?", (source,))[0][0])

    def revision(self, comment_id: str) -> str:
        """The comparison of the comment's paper."""
        labels = {v.label: v.document_id for v in self.papers.versions(self.paper_of(comment_id))}
        found = self.revisions.revision_of(labels.get(SUBMITTED, ""), labels.get(REVISED, ""))
        if found is None:
            raise IndexError
        return found.id

    def edit(self, comment: int, number: int) -> str:
        return _pick(self.revisions.edits(self.revision(self.comment(comment))), number).id

    # acts -----------------------------------------------------------------------------------------------------------

    def add_version(self, a: int, b: int) -> None:
        paper = _pick(self.papers.papers(), a).id
        labels = {v.label for v in self.papers.versions(paper)}
        label = next(name for name in (SUBMITTED, REVISED, "version 3", "version 4") if name not in labels)
        with self.project.action("Add PDF"):
            self.papers.add_version(paper, self.documents.add_document(_pdf(b), f"{b}.pdf"), label)

    def compare(self, a: int, b: int) -> None:
        paper = _pick(self.papers.papers(), a).id
        labels = {v.label: v.document_id for v in self.papers.versions(paper)}
        if {SUBMITTED, REVISED} <= set(labels):
            edits = tuple(
                Edit(f"e{n}", "major", "edit", False, (f"s{n}",), (f"t{n}",), f"Old {n}", f"New {n} {b % 2}", "", 1, 2)
                for n in range(4)
            )
            self.revisions.save_diff(labels[SUBMITTED], labels[REVISED], RevisionDiff(edits, ()))

    def compare_as(self, a: int, b: int) -> None:
        self.papers.compare_as(self.target("version", a).id, (SUBMITTED, REVISED)[b % 2])

    def suggest(self, a: int, b: int) -> None:
        comment = self.comment(a)
        rankings = {comment: [Scored(self.edit(a, b), 0.5, linked=True)]}
        self.revisions.save_suggestions(
            self.revision(comment), "fused", "model:fused@1", rankings, use_responses=False
        )  # fmt: skip

    def import_review(self, a: int, _b: int) -> None:
        paper = _pick(self.papers.papers(), a).id
        reviewer = f"Reviewer {len(self.reviews.texts(paper)) % 3 + 1}"
        parts = [Comment(f"c{n}", "r", reviewer, TEXT[s:e], spans=(Span(s, e),)) for n, (s, e) in enumerate(PLACES[:3])]
        text = SourceText("r", f"By {reviewer}", TEXT, reviewer=reviewer)
        self.reviews.import_bundle(ReviewBundle((text,), tuple(parts)), "review.txt", paper_id=paper)

    def take_in(self, a: int, b: int) -> None:
        file = self.project.path.with_name(f"review {a}.txt")
        file.write_text(f"Review {a}. {TEXT}", encoding="utf-8")
        proposal = incoming.propose(self.project, [file])
        place = proposal.files[0].places[b % len(proposal.files[0].places)]
        importing.take_in(self.project, proposal.put(place))

    def mark(self, a: int, b: int) -> None:
        self.reviews.add_comment(_pick(self.reviews.texts(), a).id, [Span(*_pick(PLACES, b))])

    def split(self, a: int, _b: int) -> None:
        span = _pick(self.reviews.comment(self.comment(a)).spans, 0)
        self.reviews.split_comment(self.comment(a), (span.start + span.end) // 2)

    def link(self, a: int, b: int) -> None:
        self.revisions.link_from([NewLink(self.comment(a), self.edit(a, b), note=f"Note {b}")], "person")

    def state(self, a: int, b: int) -> None:
        comment = self.comment(a)
        state = _pick(("answered", "undecided", "no_edit_found", "linked", "not_addressed"), b)
        self.revisions.set_comment_state(self.revision(comment), comment, state)

    def decide(self, a: int, b: int) -> None:
        self.suggest(a, b)
        comment = self.comment(a)
        (offered,) = self.revisions.suggestions(self.revision(comment), comment)
        (self.revisions.accept_suggestion if b % 2 else self.revisions.reject_suggestion)(offered)

    def confirm(self, a: int, b: int) -> None:
        comment, silver = self.comment(a), SilverStore(self.project, self.revisions)
        revision = self.revision(comment)
        silver.save(revision, [SilverLabel(comment, self.edit(a, b), "reply", 0.5, "words")])
        (silver.confirm if b % 2 else silver.refuse)(_pick(silver.pairs(revision), 0))

    def judge(self, a: int, _b: int) -> None:
        store, comment = GenerationStore(self.project), self.comment(a)
        proposal = Proposal(comment, "model:frames@1", "Done.", "", "after", "More.", "explain", prompt_version="1")
        made = store.save(self.revision(comment), proposal)
        store.judge(Analysis(comment, made.id, self.project.annotator_id, note="judged"))

    def adjudicate(self, a: int, b: int) -> None:
        comment = self.comment(a)
        revision, edit = self.revision(comment), self.edit(a, b)
        found = Disagreement(
            self.paper_of(comment), revision, PairedComment(comment, comment), (), (edit,), (), "linked", "undecided"
        )
        first, second = (key for key, _ in self.project.annotators()[:2])
        acting = dict(self.project.annotators()).get(self.project.annotator_id, "Ada")
        self.project.set_annotator("Dea")  # who is no party
        try:
            self.agreement.adjudicate(found, (first, second), "first")
        finally:
            self.project.set_annotator(acting)

    def label(self, a: int, b: int) -> None:
        self.labels.set_label(_pick(self.reviews.texts(), a).id, Span(*_pick(PLACES, b)), "actionable", ["yes"])

    def done(self, a: int, b: int) -> None:
        self.agreement.set_done(_pick(self.papers.papers(), a).id, b % 2 == 1)

    def reply(self, a: int, b: int) -> None:
        comment, text = self.comment(a), f"We did {b}."
        point = self.rebuttal.replies().get(comment, Point("reply", comment))
        self.rebuttal.put_in(
            self.paper_of(comment), point, text, piece=text, sentences=[text], source="template:starter/x"
        )  # fmt: skip

    def share(self, a: int, b: int) -> None:
        comment, replies = self.comment(a), self.rebuttal.replies()
        other = next(iter(replies[key] for key in sorted(replies, reverse=b % 2 == 1) if key != comment))
        self.rebuttal.share(self.paper_of(comment), replies.get(comment, Point("reply", comment)), other)

    def opening(self, a: int, b: int) -> None:
        paper = _pick(self.papers.papers(), a).id
        self.rebuttal.write(paper, Point("opening", reviewer=f"Reviewer {b % 3 + 1}"), f"Thank you {b}.")

    def study(self, a: int, b: int) -> None:
        key = self.survey.add_study(Study("", "", "organiser", f"Study {a}"))
        person = self.survey.add_participant(key, SurveyParticipant("", key, f"person {b}"))
        self.survey.set_email(person, "ada@example.org")

    def remove(self, a: int, b: int) -> None:
        kind: Kind = _pick(("version", "review", "paper", "study", "comment"), a)
        removing.remove(self.project, self.target(kind, b), others=True)

    def remove_comments(self, a: int, b: int) -> None:
        removing.remove_comments(self.project, [self.comment(a)], others=True)

    def merge(self, a: int, b: int) -> None:
        listed = self.reviews.comments(source_id=_pick(self.reviews.texts(), a).id)
        comments.merge_comments(self.project, [c.id for c in listed[b % 2 : b % 2 + 2 + b % 3]], others=True)

    def rename(self, a: int, b: int) -> None:
        kind: Kind = _pick(("paper", "version", "review", "study"), a)
        papers.rename(self.project, self.target(kind, b), f"Name {a % 3}")

    def go_to(self, a: int, _b: int) -> None:
        self.project.go_to(_pick(self.project.history(1000), a).id)


def contents(project: Project) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of human work."""
    names = [row[0] for row in project.query("SELECT name FROM journalled_table ORDER BY name")]
    return {name: [tuple(row) for row in project.query(f'SELECT * FROM "{name}" ORDER BY id')] for name in names}


def steps_done(project: Project) -> tuple[int, ...]:
    return tuple(row[0] for row in project.query("SELECT id FROM action WHERE state = 'done' ORDER BY id"))


def make(path: Path) -> None:
    with Project.create(path, "Random", "Ada") as project:
        Acts(project).fill()


def _pdf(number: int) -> bytes:
    return b"%PDF-1.7 " + bytes(str(number % 7), "ascii")


def _pick(there: Sequence[T], number: int) -> T:
    if not there:
        raise IndexError
    return there[number % len(there)]
