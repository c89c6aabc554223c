"""A folder of annotated reviews, whichever data set it holds: Peer-Review-Analyze or DISAPERE."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.errors import BadInput
from engine.exchange.disapere import read_disapere
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.project import Project
from engine.reviews.labels.records import LabelledReview
from engine.reviews.labels.store import LabelStore
from engine.reviews.store import ReviewStore
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class DataSet:
    """``id``: short, for cards; ``research_only``: its licence allows no commercial use."""

    id: str
    title: str
    licence: str
    research_only: bool


DISAPERE = DataSet("disapere", "DISAPERE (Kennard et al. 2022)", "CC BY-NC 4.0", research_only=True)
PEER_REVIEW_ANALYZE = DataSet(
    "peer-review-analyze", "Peer-Review-Analyze (Ghosal et al. 2022)", "MIT", research_only=False
)


_GLANCE = 1_000_000
"""Bytes of a file by which its kind is recognised."""


@dataclass(frozen=True, slots=True)
class LabelledFolder:
    """What a folder holds."""

    data_set: DataSet
    reviews: tuple[LabelledReview, ...]
    loss: str = ""
    """What of it a project doesn't take in, as a sentence."""

    @property
    def sentence(self) -> str:
        """What it holds."""
        answered = counted(sum(len(one.comments) for one in self.reviews), "answered comment")
        return f"{counted(len(self.reviews), 'annotated review')}, {answered}."


@dataclass(frozen=True, slots=True)
class FolderImported:
    """What came of an import: how many reviews the folder has, how many of them are new, and labelled sentences."""

    data_set: DataSet
    reviews: int
    new: int
    sentences: int


def import_folder_task(project: Project, folder: Path) -> Task[Path, FolderImported]:
    """The job that takes the annotated reviews of a folder over into a project, in one step that can be undone."""
    return Task(
        kind="reviews.import-labelled",
        title=f"Import {folder.name}",
        run=partial(_import_folder_task, project),
        params=folder,
        duplicate=DuplicatePolicy.DISCARD,
        scope=str(folder),
        lane=Lane.LONG,
    )


def _import_folder_task(project: Project, folder: Path, report: Report) -> FolderImported:
    report.progress(0.0, "Reading the reviews")
    found = read_labelled_folder(folder)
    report.progress(0.5, f"Importing {counted(len(found.reviews), 'review')}")
    before = len(ReviewStore(project).texts())
    LabelStore(project).import_reviews(found.reviews, folder.name)
    new = len(ReviewStore(project).texts()) - before
    sentences = sum(len(review.sentences) for review in found.reviews)
    return FolderImported(found.data_set, len(found.reviews), new, sentences)


def is_disapere(folder: Path) -> bool:
    """Whether a folder holds DISAPERE's files rather than those of Peer-Review-Analyze."""
    for place in (folder, folder / "train"):
        file = next(iter(sorted(place.glob("*.json"))), None)
        if file is not None and b'"review_sentences"' in _head(file):
            return not any(folder.rglob("*_annotated.txt"))
    return False


def _head(file: Path) -> bytes:
    """The beginning of a file that may be of any size; nothing of one that cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_GLANCE)
    except OSError:
        return b""


def data_set_of(folder: Path) -> DataSet:
    """Which data set a folder should hold, by a quick look."""
    return DISAPERE if is_disapere(folder) else PEER_REVIEW_ANALYZE


def read_labelled_folder(folder: Path) -> LabelledFolder:
    """The reviews of the data set in ``folder`` (all of its parts), or in its subfolder ``peer_review_analyze``.

    Raises BadInput where there is neither.
    """
    if is_disapere(folder):
        parts = [folder / part for part in ("train", "dev", "test") if (folder / part).is_dir()] or [folder]
        pairs = [pair for part in parts for pair in read_disapere(part)]
        left = counted(sum(pair.unanswering for pair in pairs), "rebuttal sentence")
        loss = f"Left out: {left} not aligned with a review sentence, and all stances and actions of rebuttals."
        return LabelledFolder(DISAPERE, tuple(pair.labelled() for pair in pairs), loss)
    inside = folder / "peer_review_analyze"
    if not any(folder.rglob("*_annotated.txt")):
        raise BadInput(
            f"{folder.name} contains no annotated reviews.",
            "Nothing was read.",
            "Choose a folder of Peer-Review-Analyze (*_annotated.txt) or of DISAPERE (train/*.json).",
        )
    reviews = tuple(read_peer_review_analyze(inside if inside.is_dir() else folder))
    return LabelledFolder(PEER_REVIEW_ANALYZE, reviews)
