"""Renames papers, versions, reviews, reviewers and surveys; replaces a version's PDF; moves a review to another paper.
For removal, see ``removing``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from engine.documents.store import DocumentStore
from engine.errors import BadInput, not_changed
from engine.operations.comments import join_points
from engine.operations.removing import Affected, affects, carry_out, compared_with, work_across
from engine.operations.targets import Target, in_words
from engine.papers.records import Paper, PaperVersion
from engine.papers.store import PaperStore
from engine.project import Action, Project
from engine.project.closure import References, points_of_reviewer
from engine.reviews.store import ReviewStore
from engine.shown import counted, listed

_NAME_COLUMNS = {"paper": ("paper", "title"), "version": ("paper_version", "label"),
                 "review": ("source_text", "title"), "study": ("study", "title")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Replaced:
    """A version's new document, and the version that keeps the former one; "" if no decisions depended on it."""

    document_id: str
    former_version_id: str = ""


def rename(project: Project, target: Target, name: str) -> None:
    """Renames a paper, version, review or survey. Raises BadInput if the name is empty or another version has it,
    KeyError if there is no such target."""
    name = " ".join(name.split())
    table, column = _NAME_COLUMNS[target.kind]
    if not name:
        raise not_changed("The name is empty.", "Enter another name.")
    if target.kind == "version":
        versions = PaperStore(project).versions(_version(project, target.id).paper_id)
        if any(other.label == name and other.id != target.id for other in versions):
            raise not_changed(f"This paper already has a {name} version.", "Use another name.")
    words = "survey" if target.kind == "study" else target.kind
    with project.action(f"Rename {words} to “{name}”") as act:
        act.update(table, target.id, {column: name})


def rename_reviewer(project: Project, paper_id: str | None, old: str, new: str) -> None:
    """Renames a reviewer of a paper, in reviews, comments and rebuttals. If the paper already has a reviewer with the
    new name, both become one, and what was written to them is combined."""
    with project.action(f"Rename reviewer “{old}” to “{new}”") as act:
        ReviewStore(project).rename_reviewer(old, new, paper_id=paper_id)
        points = "SELECT id FROM rebuttal_point WHERE kind <> 'reply' AND reviewer = ? AND paper_id IS ?"
        for row in project.query(points, (old, paper_id)):
            _address(act, row["id"], paper_id, new)


def _address(act: Action, point_id: str, paper_id: str | None, reviewer: str) -> None:
    """Sets paper and reviewer of a part of a rebuttal; if an equal opening or closing exists, it is
    merged into that."""
    point = act.db.table("rebuttal_point").get(point_id)
    where = {"kind": point["kind"], "annotator_id": point["annotator_id"], "paper_id": paper_id, "reviewer": reviewer}
    condition = " AND ".join(f"{name} IS :{name}" for name in where)
    there = [r for r in act.db.table("rebuttal_point").rows_where(condition, where) if r["id"] != point_id]
    if there and point["kind"] != "reply":
        join_points(act, there[0], point)
    else:
        act.update("rebuttal_point", point_id, {"paper_id": paper_id, "reviewer": reviewer})


def _version(project: Project, version_id: str) -> PaperVersion:
    rows = project.query("SELECT paper_id FROM paper_version WHERE id = ?", (version_id,))
    if not rows:
        raise KeyError(version_id)
    return next(one for one in PaperStore(project).versions(rows[0][0]) if one.id == version_id)


def replacing(project: Project, version_id: str) -> Affected:
    """Returns what replacing a version's PDF affects; nothing is removed."""
    version = _version(project, version_id)
    found = affects(project, "", compared_with(project, version.paper_id, version.document_id))
    notes: tuple[str, ...] = ()
    if counts := found.counts:
        notes = (
            f"{listed(in_words(counts))} made with {version.filename} stay with it. It's kept as another version, "
            "which can be compared again.",
        )
    return Affected(f"Replace the PDF of the {version.label} version", notes=notes)


def replace_version(project: Project, version_id: str, pdf: bytes, filename: str) -> Replaced:
    """Replaces the PDF of a version's label; the caller then has it parsed and compared.

    Links and decisions belong to the two compared documents. If there are any, the former document is kept as an
    additional version. Raises BadInput if the file isn't a PDF, KeyError if there is no such version.
    """
    papers, found = PaperStore(project), replacing(project, version_id)
    version = _version(project, version_id)
    with project.action(found.title) as act:
        document = DocumentStore(project).add_document(pdf, filename)
        if document == version.document_id:
            return Replaced(document)
        former = ""
        act.update("paper_version", version_id, {"document_id": document})
        if found.notes:
            taken = {other.label for other in papers.versions(version.paper_id)}
            names = (f"{version.label}, {number} before" if number > 1 else f"{version.label}, before"
                     for number in count(1))  # fmt: skip
            former = papers.add_version(
                version.paper_id, version.document_id, next(name for name in names if name not in taken)
            )
        return Replaced(document, former)


def read_earlier(project: Project, paper_id: str) -> tuple[str, ...]:
    """Returns the documents of a paper that were parsed by an earlier version of the parser."""
    keys = dict.fromkeys(version.document_id for version in PaperStore(project).versions(paper_id))
    return tuple(filter(DocumentStore(project).is_read_earlier, keys))


def set_version(project: Project, paper_id: str, label: str, pdf: bytes, filename: str) -> Replaced:
    """Makes a PDF the version with this label, replacing the label's current PDF if any. Raises BadInput if it isn't a
    PDF."""
    papers = PaperStore(project)
    for version in papers.versions(paper_id):
        if version.label == label:
            return replace_version(project, version.id, pdf, filename)
    project.put_blob(pdf, "application/pdf")
    with project.action(f"Add {label} version"):
        document = DocumentStore(project).add_document(pdf, filename)
        papers.add_version(paper_id, document, label)
    return Replaced(document)


def moving(project: Project, review: Target, paper: Target) -> Affected:
    """Returns what moving a review (or letter) to another paper removes: its links and decisions on comparisons of the
    former paper."""
    across = work_across(
        project,
        "comment_id IN (SELECT id FROM comment WHERE source_id = ?1)",
        "NOT EXISTS (SELECT 1 FROM revision r JOIN paper_version s ON s.document_id = r.source_document_id"
        " JOIN paper_version t ON t.document_id = r.target_document_id AND t.paper_id = s.paper_id"
        " WHERE r.id = revision AND s.paper_id = ?2)",
        review.id,
        paper.id,
    )
    title = review.name.partition(": ")[0]
    found = affects(project, f"Move “{title}” to “{paper.name}”", across)
    texts = project.query("SELECT reviewer FROM source_text WHERE id = ?", (review.id,))
    reviewer = texts[0][0] if texts else ""
    if reviewer and reviewer in {name for name, _ in ReviewStore(project).reviewers(paper.id)}:
        return replace(found, notes=(f"“{paper.name}” already has a {reviewer}. Both will be shown as one.",))
    return found


def move_review(project: Project, review: Target, paper: Target, *, others: bool = False) -> Affected:
    """Moves a review or letter, with its comments, labels and responses, to another paper. Raises BadInput if other
    annotators' work would be removed and ``others`` doesn't allow that, or if the target is a PDF without a paper."""
    found = moving(project, review, paper)
    if project.query_one("SELECT 1 FROM paper WHERE id = ?", (paper.id,)) is None:
        raise BadInput(f"“{paper.name}” is a PDF without a paper.", "Nothing was moved.", "Choose a paper.")
    points = points_of_reviewer(References(project.connection()), review.id)
    replies = "SELECT p.id FROM rebuttal_point p JOIN comment c ON c.id = p.comment_id WHERE c.source_id = ?"
    points |= {row[0] for row in project.query(replies, (review.id,))}
    with project.action(found.title) as act:
        carry_out(act, found, others=others)
        act.update("source_text", review.id, {"paper_id": paper.id})
        for key in sorted(points):
            reviewer = act.db.table("rebuttal_point").get(key)["reviewer"]
            _address(act, key, paper.id, reviewer)
    return found


def chosen_paper(papers: Sequence[Paper], words: str, kind: str = "paper") -> Paper | None:
    """Returns the paper with this key or title; without ``words`` the only one, or None if there is none. Raises
    BadInput if there is no such paper, or if several match."""
    found = [one for one in papers if one.id == words] or [one for one in papers if words in {"", one.title}]
    if len(found) > 1 or (words and not found):
        many = f"{len(found)} papers have the title “{words}”" if words else f"There are {len(papers)} {kind}s"
        what = f"{many}." if found else f"There is no {kind} named “{words}”."
        known = "; ".join(f"{one.title} ({one.id})" for one in papers) or "none"
        raise BadInput(what, "Nothing was done.", f"Choose one with --paper: {known}.")
    return found[0] if found else None


def paper_summary(project: Project, paper_id: str) -> str:
    """Describes a paper's content: "2 versions, 3 reviews and letters and 41 comments"."""
    reviews = ReviewStore(project)
    parts = [
        counted(len(PaperStore(project).versions(paper_id)), "version", "versions"),
        counted(len(reviews.texts(paper_id)), "review or letter", "reviews and letters"),
        counted(len(reviews.comments(paper_id=paper_id)), "comment", "comments"),
    ]
    return listed(parts)
