"""Erase permanently: a paper, a review, or an annotator's work, from the project and from what was derived of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine import user_files
from engine.errors import BadInput
from engine.models.embedding_cache import EmbeddingCache
from engine.operations import search_store
from engine.project import Project, backups
from engine.project.closure import References, of_annotator, of_papers, of_review
from engine.project.erasing import Doomed, copies_beside, counts, erase
from engine.project.targets_store import annotators, papers, reviews

Kind = Literal["paper", "review", "annotator"]
KINDS: Mapping[Kind, str] = {"paper": "Paper", "review": "Review", "annotator": "Annotator"}
_STEPS: Mapping[Kind, str] = {
    "paper": "Erased a paper", "review": "Erased a review", "annotator": "Erased an annotator's work",
}  # fmt: skip
_COUNTED = {
    "paper": ("paper", "papers"), "document": ("PDF", "PDFs"),
    "source_text": ("review or letter", "reviews and letters"),
    "comment": ("comment", "comments"), "edit_link": ("link", "links"), "edit": ("edit", "edits"),
    "comment_state": ("decision on a comment", "decisions on comments"),
    "sentence_label": ("sentence label", "sentence labels"),
    "rebuttal_point": ("response in the rebuttal", "responses in the rebuttal"),
    "review_draft": ("review draft", "review drafts"),
    "preference_judgement": ("preference judgement", "preference judgements"),
    "rating": ("survey rating", "survey ratings"),
}  # fmt: skip
"""What is counted by name, in this order; everything else is counted together."""
REMAINS = (
    "Rejoinder can't reach copies that you or other programs made: sent files, synchronized folders, system backups. "
    "Deleted files may be recoverable from the disk until it reuses their space."
)


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be erased: a paper (or a PDF without one), a review or letter, or an annotator's work."""

    kind: Kind
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Affected:
    """What would be deleted. ``rows`` counts by table; ``sentences`` say it in plain words."""

    target: Target
    rows: Mapping[str, int]
    backups: int
    copies: tuple[Path, ...]
    sentences: tuple[str, ...]


def targets(project: Project, kind: Kind) -> tuple[Target, ...]:
    """Everything of a kind that can be erased."""
    found = {"paper": papers, "review": reviews, "annotator": annotators}[kind](project)
    return tuple(Target(kind, key, name) for key, name in found)


def find(project: Project, kind: Kind, words: str) -> Target:
    """The target with this key or name. Raises BadInput where there is none, or more than one has that name."""
    there = targets(project, kind)
    found = [one for one in there if one.id == words] or [one for one in there if one.name == words]
    if len(found) != 1:
        many = "is no" if not found else "is the name of more than one"
        known = "; ".join(f"{one.id} ({one.name})" for one in there) or "none"
        raise BadInput(f"“{words}” {many} {kind} of this project.", "Nothing was changed.", f"There are: {known}.")
    return found[0]


def affected(project: Project, target: Target) -> Affected:
    """What erasing would delete; changes nothing."""
    rows = counts(project, _doomed(project, target))
    return _described(project, target, rows)


def _described(project: Project, target: Target, rows: Mapping[str, int]) -> Affected:
    parts = [_count(rows[table], *words) for table, words in _COUNTED.items() if rows.get(table)]
    if other := sum(number for table, number in rows.items() if table not in _COUNTED):
        parts.append(_count(other, "other entry", "other entries"))
    kept, copies = len(backups(project.path)), copies_beside(project.path)
    sentences = [f"{_listed(parts)} will be deleted, also from the history. This can't be undone."]
    if not parts:
        sentences = ["Nothing else hangs on it. This can't be undone."]
    if target.kind == "paper" and project.title != target.name:
        sentences.append(f"The project keeps its file name and its title, “{project.title}”.")
    if target.kind == "review":
        sentences.append("What other letters and notes quote of it stays there.")
    if target.kind == "annotator":
        sentences.append(
            "PDFs and reviews that this person brought in stay, and so does what other people's work refers to; "
            "both under “Removed annotator”."
        )
    if kept:
        sentences.append(f"{_count(kept, 'backup', 'backups')} will be deleted and replaced by a new one.")
    sentences.append(
        "Cached vectors of all texts and this project's search index will be deleted; they are made again when needed."
    )
    return Affected(target, rows, kept, copies, tuple(sentences))


def erase_target(
    project: Project, target: Target, *, copies: bool = True, progress: Callable[[float], None] | None = None
) -> Affected:
    """Erases the target and returns what was deleted; ``copies``: earlier forms of the project beside it go, too.

    Raises:
        BadInput: there is no such target any more. EnvironmentProblem: see ``engine.project.erasing.erase``.
    """
    target = find(project, target.kind, target.id)
    found = affected(project, target)
    _clear_caches(project)
    erase(project, _doomed(project, target), _STEPS[target.kind], copies=copies, progress=progress)
    _clear_caches(project)  # another job may have computed something meanwhile
    return found


def _doomed(project: Project, target: Target) -> Doomed:
    references = References(project.connection())
    match target.kind:
        case "paper":
            return Doomed(of_papers(references, {target.id}))
        case "review":
            return Doomed(of_review(references, target.id))
        case "annotator":
            return Doomed(of_annotator(references, target.id), target.id)


def _clear_caches(project: Project) -> None:
    """Everything outside the project that is computed from texts."""
    EmbeddingCache().clear()
    search_store.forget(project)
    (user_files.cache_folder() / "online-searches.json").unlink(missing_ok=True)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
