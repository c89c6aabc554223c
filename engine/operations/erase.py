"""Permanently erases a paper, a review, or an annotator's work from the project and from data derived from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine import user_files
from engine.models.caches import AnswerCache, EmbeddingCache
from engine.operations import search_store
from engine.operations.targets import Kind, Target, find, in_words
from engine.project import Project, backups
from engine.project.closure import References, of_annotator, of_papers, of_review
from engine.project.erasing import Doomed, copies_beside, counts, erase
from engine.shown import counted, listed

KINDS: Mapping[Kind, str] = {"paper": "Paper", "review": "Review", "annotator": "Annotator"}
_STEPS: Mapping[Kind, str] = {
    "paper": "Erased a paper", "review": "Erased a review", "annotator": "Erased an annotator's work",
}  # fmt: skip
IN_WINDOW_STATE = ("added", "rebuttal.left")
"""What the window keeps of a project outside of it and may quote from it, by the beginnings of its names."""
REMAINS = (
    "Rejoinder can't reach copies that you or other programs made: sent files, synchronized folders, system backups. "
    "Deleted files may be recoverable from the disk until it reuses their space."
)


@dataclass(frozen=True, slots=True)
class Affected:
    """What would be deleted. ``rows`` counts by table; ``sentences`` describe it."""

    target: Target
    rows: Mapping[str, int]
    backups: int
    copies: tuple[Path, ...]
    sentences: tuple[str, ...]


def affected(project: Project, target: Target) -> Affected:
    """Returns what erasing would delete, without changing anything."""
    rows = counts(project, _doomed(project, target))
    parts = in_words(rows)
    kept, copies = len(backups(project.path)), copies_beside(project.path)
    sentences = [f"{listed(parts)} will be deleted, including from the history. This can't be undone."]
    if not parts:
        sentences = ["Nothing else depends on it. This can't be undone."]
    if target.kind == "paper" and project.title != target.name:
        sentences.append(f"The project keeps its file name and its title, “{project.title}”.")
    if target.kind == "review":
        sentences.append("Quotations from it in other letters and notes are kept.")
    if target.kind == "annotator":
        sentences.append(
            "PDFs and reviews that this person added are kept under “Removed annotator”, as is anything other "
            "people's work refers to."
        )
    if kept:
        sentences.append(f"{counted(kept, 'backup', 'backups')} will be deleted and replaced by a new one.")
    sentences.append(
        "Cached vectors and language-model answers of all projects will be deleted, and this project's search index. "
        "They are rebuilt when needed."
    )
    return Affected(target, rows, kept, copies, tuple(sentences))


def erase_target(
    project: Project, target: Target, *, copies: bool = True, progress: Callable[[float], None] | None = None
) -> Affected:
    """Erases the target and returns what was deleted; with ``copies``, earlier copies of the project next to it as
    well.

    Raises:
        BadInput: the target no longer exists. EnvironmentProblem: see ``engine.project.erasing.erase``.
    """
    target = find(project, target.kind, target.id)
    found = affected(project, target)
    _clear_caches(project)
    erase(project, _doomed(project, target), _STEPS[target.kind], copies=copies, progress=progress)
    _clear_caches(project)  # another job may have computed something in the meantime
    return found


def _doomed(project: Project, target: Target) -> Doomed:
    references = References(project.connection())
    if target.kind == "paper":
        return Doomed(of_papers(references, {target.id}))
    if target.kind == "review":
        return Doomed(of_review(references, target.id))
    return Doomed(of_annotator(references, target.id), target.id)


def _clear_caches(project: Project) -> None:
    """Deletes everything outside the project that is computed from texts."""
    EmbeddingCache().clear()
    AnswerCache().clear()
    search_store.forget(project)
    (user_files.cache_folder() / "online-searches.json").unlink(missing_ok=True)
    state = user_files.read(user_files.window_state())
    names = tuple(f"{one}.{project.id}" for one in IN_WINDOW_STATE)
    left = {name: one for name, one in state.items() if not name.startswith(names)}
    if left != state:
        user_files.write(user_files.window_state(), left)
