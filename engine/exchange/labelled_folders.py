"""A folder of annotated reviews, whichever data set it holds: Peer-Review-Analyze or DISAPERE."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadInput
from engine.exchange.disapere import read_disapere
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.reviews.labels.records import LabelledReview


@dataclass(frozen=True, slots=True)
class LabelledFolder:
    """What a folder holds. ``id``: short, for cards; ``research_only``: its licence allows no commercial use."""

    id: str
    title: str
    licence: str
    research_only: bool
    reviews: tuple[LabelledReview, ...]


def is_disapere(folder: Path) -> bool:
    """Whether a folder holds DISAPERE's files rather than those of Peer-Review-Analyze."""
    found = any(any(place.glob("*.json")) for place in (folder, folder / "train"))
    return found and not any(folder.rglob("*_annotated.txt"))


def read_labelled_folder(folder: Path) -> LabelledFolder:
    """The reviews of the data set in ``folder`` (all of its parts), or in its subfolder ``peer_review_analyze``.

    Raises BadInput where there is neither.
    """
    if is_disapere(folder):
        parts = [folder / part for part in ("train", "dev", "test") if (folder / part).is_dir()] or [folder]
        reviews = tuple(pair.labelled() for part in parts for pair in read_disapere(part))
        return LabelledFolder(
            "disapere", "DISAPERE (Kennard et al. 2022)", "CC BY-NC 4.0", research_only=True, reviews=reviews
        )
    inside = folder / "peer_review_analyze"
    if not any(folder.rglob("*_annotated.txt")):
        raise BadInput(
            f"{folder.name} holds no annotated reviews.",
            "Nothing was read.",
            "Choose a folder of Peer-Review-Analyze (*_annotated.txt) or of DISAPERE (train/*.json).",
        )
    reviews = tuple(read_peer_review_analyze(inside if inside.is_dir() else folder))
    return LabelledFolder(
        "peer-review-analyze", "Peer-Review-Analyze (Ghosal et al. 2022)", "MIT", research_only=False, reviews=reviews
    )
