"""Builds the sample project file through the engine as a person would: import, compare, decide on comments."""

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from engine.agreement.store import AgreementStore
from engine.calibration.store import CalibrationStore
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.exchange.scores import plan_scores, read_score_table, read_scores
from engine.jobs import QuietReport, Task
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.tasks import label_texts
from engine.reviews.letter import read_letter
from engine.reviews.records import ReviewBundle, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.generation.records import Analysis, Judgement, Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.tasks import propose_edits
from engine.revision.records import Edit
from engine.revision.store import RevisionStore, SilverStore
from engine.revision.tasks import compute_edits, find_silver_labels, suggest_links
from sample_paper.compared import compare_reviews
from sample_paper.laboratory import compare_algorithms
from sample_paper.preferences import judge_pairs
from sample_paper.rebuttal import write_rebuttal
from sample_paper.review import write_review
from sample_paper.survey import run_survey

Result = TypeVar("Result")

TITLE = "How few counters suffice? (sample)"
ANNOTATOR = "Sample annotator"
SECOND = "Second reader"
DECIDED = ("R1-01", "R1-02", "R1-03", "R1-05", "R1-09", "R1-10", "R2-03", "R3-05")
"""Comments decided in the sample; the others are for the user to try."""


def build_project(path: Path, folder: Path, truth: Mapping[str, Any]) -> Path:
    """Builds the project at ``path`` from the files in ``folder``, replacing an older one."""
    path.unlink(missing_ok=True)
    with Project.create(path, title=TITLE, annotator=ANNOTATOR) as project, DocumentService() as service:
        documents, reviews, revisions = DocumentStore(project), ReviewStore(project), RevisionStore(project)
        papers = PaperStore(project)
        paper = papers.add_paper(truth["title"])
        for label in (SUBMITTED, REVISED):
            file = folder / f"{label}.pdf"
            papers.add_version(paper, documents.add_document(file.read_bytes(), file.name), label)
        _import_reviews(reviews, paper, folder)
        source, target = (version.document_id for version in papers.versions(paper))
        revision = _run(compute_edits(documents, service, revisions, source, target)).revision_id
        _correct_requests(reviews, truth)
        _run(suggest_links(reviews, revisions, revision, documents=documents))
        _decide(reviews, revisions, revision, truth)
        _research(project, documents, reviews, revisions, paper, revision)
        _import_scores(CalibrationStore(project), folder / "scores.csv")
        run_survey(project)
        compare_algorithms(project)
        judge_pairs(project, ANNOTATOR, SECOND)
        _run(label_texts(reviews, LabelStore(project), tuple(text.id for text in reviews.texts())))
        write_rebuttal(project, paper)
        compare_reviews(project, service, source, folder / "source")
        write_review(project, service, source)
        project.compact()
    with closing(sqlite3.connect(path)) as made:  # reading the file then leaves no other files beside it
        made.execute("PRAGMA journal_mode = DELETE")
    return path


def _research(  # noqa: PLR0917 (the stores of one project)
    project: Project,
    documents: DocumentStore,
    reviews: ReviewStore,
    revisions: RevisionStore,
    paper: str,
    revision: str,
) -> None:
    """Adds data for edit research: proposals, labels from responses, a second annotator, and some judgements."""
    generation, agreement = GenerationStore(project), AgreementStore(project)
    decided = tuple(revisions.comment_states(revision))
    links: dict[str, list[str]] = {comment: [] for comment in decided}
    for link in revisions.links(revision):
        links[link.comment_id].append(link.edit_id)
    asked = tuple(comment for comment in decided if links[comment])
    _run(propose_edits(documents, reviews, revisions, generation, revision, asked))
    _run(find_silver_labels(reviews, revisions, SilverStore(project, revisions), revision))
    proposals = generation.proposals(revision)
    _judge(generation, asked, proposals, 0)
    agreement.set_done(paper, True)
    project.set_annotator(SECOND)
    states = revisions.comment_states(revision, annotator_id=_key(project, ANNOTATOR))
    edits = [edit.id for edit in revisions.edits(revision)]
    for at, comment in enumerate(decided):
        own = list(links[comment])
        if at % 4 == 1:  # sometimes the second annotator chooses another edit, or another state
            own = [*own[:-1], edits[(3 * at) % len(edits)]]
        for edit in dict.fromkeys(own):
            revisions.link_comment(comment, edit)
        if not own:
            revisions.set_comment_state(revision, comment, "not_addressed" if at % 4 == 2 else states[comment].state)
    _judge(generation, asked[: len(asked) - 1], proposals, 1)
    agreement.set_done(paper, True)
    project.set_annotator(ANNOTATOR)


def _key(project: Project, name: str) -> str:
    return next(key for key, known in project.annotators() if known == name)


def _judge(
    generation: GenerationStore, comments: tuple[str, ...], proposals: Mapping[str, tuple[Proposal, ...]], who: int
) -> None:
    """Adds analyses as two people might give them, with occasional differences."""
    for at, comment in enumerate(comments):
        differs = who == 1 and at % 3 == 2
        generation.judge(
            Analysis(
                comment,
                proposals[comment][0].id,
                "",
                real=Judgement(3 if at % 4 else 2, at % 5 == 4, (at % 3 == 1) != differs, at % 4 != 3),
                generated=Judgement(1 + (at + differs) % 2, at % 2 == 0, at % 3 != 0, False),
                answerable=(at % 3 == 0) != differs,
                comprehensive="same" if at % 5 == 2 else "real",
                technicality="same" if differs or at % 4 == 3 else "less",
            )
        )


def _run(task: Task[Result]) -> Result:
    return task.run(QuietReport())


def _import_scores(scores: CalibrationStore, file: Path) -> None:
    plan = plan_scores(read_score_table(file))
    found = read_scores(plan)
    scores.add_table(
        "Symposium on Gentle Traffic",
        found.rows,
        origin=f"import:{file.name}",
        columns=dict(plan.columns),
        problems=found.problems,
    )


def _import_reviews(reviews: ReviewStore, paper: str, folder: Path) -> None:
    # The comments come from the letter, which has the responses; the reviews are added for reading.
    for number, file in enumerate(sorted(folder.glob("review-*.md")), start=1):
        reviewer = f"Reviewer {number}"
        text = SourceText(file.stem, reviewer, file.read_text(encoding="utf-8"), reviewer=reviewer)
        reviews.import_bundle(ReviewBundle((text,)), file.name, paper_id=paper)
    letter = folder / "response-letter.md"
    reviews.import_bundle(read_letter(letter.read_text(encoding="utf-8")), letter.name, paper_id=paper)


def _correct_requests(reviews: ReviewStore, truth: Mapping[str, Any]) -> None:
    """Corrects misclassified requests after the import, as a person would."""
    requests = {comment["comment"] for comment in truth["comments"]}
    wrong = [comment for comment in reviews.comments() if comment.actionable != (comment.comment in requests)]
    for actionable in (True, False):
        named = [comment.id for comment in wrong if comment.actionable != actionable]
        if named:
            reviews.set_actionable(named, actionable)


def _decide(reviews: ReviewStore, revisions: RevisionStore, revision: str, truth: Mapping[str, Any]) -> None:
    """Accepts correct suggestions, rejects wrong ones, and adds the links that weren't suggested."""
    comments = {comment.comment: comment.id for comment in reviews.comments()}
    known = {comment["id"]: comment for comment in truth["comments"]}
    edits = revisions.edits(revision)
    for name in DECIDED:
        comment = known[name]
        key = comments[comment["comment"]]
        if comment["state"] != "linked":
            revisions.set_comment_state(revision, key, comment["state"])
            continue
        wanted = {edit_like(edits, truth, edit).id for edit in comment["edit_ids"]}
        for suggestion in revisions.suggestions(revision, key):
            if suggestion.linked and suggestion.edit_id in wanted:
                revisions.accept_suggestion(suggestion)
            elif suggestion.linked:
                revisions.reject_suggestion(suggestion)
        linked = {link.edit_id for link in revisions.links(revision) if link.comment_id == key}
        for edit in edits:
            if edit.id in wanted - linked:
                revisions.link_comment(key, edit.id)


def _tokens(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text.lower()))


def edit_like(edits: tuple[Edit, ...], truth: Mapping[str, Any], wanted: str) -> Edit:
    """Returns the computed edit whose texts match a known one; of merged paragraphs, only one may have changed. Raises
    ValueError if none is similar enough."""
    texts = [{record["id"]: record["text"] for record in truth[version]} for version in ("submitted", "revised")]
    known = next(edit for edit in truth["edits"] if edit["id"] == wanted)
    source = _tokens(" ".join(texts[0][name] for name in known["source_ids"]))
    target = _tokens(" ".join(texts[1][name] for name in known["target_ids"]))

    def likeness(edit: Edit) -> float:
        old, new = _tokens(edit.source_text), _tokens(edit.target_text)
        shared = (old & source).total() + (new & target).total()
        return 2 * shared / (old.total() + new.total() + source.total() + target.total())

    best = max(edits, key=likeness)
    if likeness(best) < 0.7:
        raise ValueError(f"The comparison does not find {wanted} of the sample.")
    return best
