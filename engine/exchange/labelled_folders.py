"""Reads and writes folders of annotated reviews in the layouts of Peer-Review-Analyze and DISAPERE."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import not_read
from engine.exchange.disapere import read_disapere
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.exchange.records import Export, ExportFile
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.project import Project
from engine.reviews.labels.records import LabelledReview, Layer
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import codes
from engine.reviews.records import Comment, Span
from engine.reviews.sentences import sentences_around, split_sentences
from engine.reviews.store import ReviewStore
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set; ``id`` is short, for cards; ``research_only``: its licence doesn't allow commercial use."""

    id: str
    title: str
    licence: str
    research_only: bool


DISAPERE = DataSet("disapere", "DISAPERE (Kennard et al. 2022)", "CC BY-NC 4.0", research_only=True)
PEER_REVIEW_ANALYZE = DataSet(
    "peer-review-analyze", "Peer-Review-Analyze (Ghosal et al. 2022)", "MIT", research_only=False
)


_GLANCE = 1_000_000
"""How many bytes of a file are read to detect its format."""


@dataclass(frozen=True, slots=True)
class LabelledFolder:
    data_set: DataSet
    reviews: tuple[LabelledReview, ...]
    loss: tuple[str, ...] = ()
    """Sentences on what isn't imported from the data set."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Returns sentences on marks that couldn't be read."""
        return tuple(warning for one in self.reviews for warning in one.warnings)

    @property
    def sentence(self) -> str:
        answered = counted(sum(len(one.comments) for one in self.reviews), "answered comment")
        return f"{counted(len(self.reviews), 'annotated review')}, {answered}."


@dataclass(frozen=True, slots=True)
class FolderImported:
    folder: LabelledFolder
    new: int


@task("reviews.import-labelled", "Import {folder.name}", DuplicatePolicy.DISCARD, "{folder}", Lane.LONG)
def import_folder_task(report: Report, project: Project, folder: Path) -> FolderImported:
    """Imports the annotated reviews of a folder into a project, as one undo step."""
    report.progress(0.0, "Reading the reviews")
    found = read_labelled_folder(folder)
    report.progress(0.5, f"Importing {counted(len(found.reviews), 'review')}")
    before = len(ReviewStore(project).texts())
    LabelStore(project).import_reviews(found.reviews, folder.name)
    return FolderImported(found, len(ReviewStore(project).texts()) - before)


def is_disapere(folder: Path) -> bool:
    """Returns whether a folder contains DISAPERE's files and none of Peer-Review-Analyze."""
    for place in (folder, folder / "train"):
        file = next(iter(sorted(place.glob("*.json"))), None)
        if file is not None and b'"review_sentences"' in _head(file):
            return not any(folder.rglob("*_annotated.txt"))
    return False


def _head(file: Path) -> bytes:
    """Returns the start of a file of any size; empty if it can't be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_GLANCE)
    except OSError:
        return b""


def data_set_of(folder: Path) -> DataSet:
    """Returns which data set a folder seems to contain, from the start of one file."""
    return DISAPERE if is_disapere(folder) else PEER_REVIEW_ANALYZE


def read_labelled_folder(folder: Path) -> LabelledFolder:
    """Reads the reviews of the data set in ``folder`` (all of its parts), or in its subfolder ``peer_review_analyze``.
    Raises BadInput if it contains neither data set."""
    if is_disapere(folder):
        parts = [folder / part for part in ("train", "dev", "test") if (folder / part).is_dir()] or [folder]
        pairs = [pair for part in parts for pair in read_disapere(part)]
        left = counted(sum(pair.unanswering for pair in pairs), "rebuttal sentence")
        loss = f"Left out: {left} not aligned with a review sentence, and all stances and actions of rebuttals."
        return LabelledFolder(DISAPERE, tuple(pair.labelled() for pair in pairs), (loss,))
    inside = folder / "peer_review_analyze"
    if not any(folder.rglob("*_annotated.txt")):
        raise not_read(
            f"{folder.name} contains no annotated reviews.",
            "Choose a folder of Peer-Review-Analyze (*_annotated.txt) or of DISAPERE (train/*.json).",
        )
    reviews = tuple(read_peer_review_analyze(inside if inside.is_dir() else folder))
    return LabelledFolder(PEER_REVIEW_ANALYZE, reviews)


# Writing the layouts that ``disapere`` and ``peer_review_analyze`` read. Both split a whole text into sentences: text
# without labels becomes unlabelled sentences. DISAPERE has one label per layer and no themes; Peer-Review-Analyze
# writes a sentence's polarity at each of its themes and aspects, and can't express a missing polarity.

_Labels = Mapping[Layer, tuple[str, ...]]
_CODED: tuple[Layer, ...] = ("review_action", "aspect", "polarity")
_FIT = re.compile(r"[^\w-]+", re.ASCII)


def write_disapere(reviews: Sequence[LabelledReview], titles: Mapping[str, str]) -> Export:
    """Returns one JSON file per review. ``titles`` maps the reviews' paper ids to titles."""
    files, lost, glued = [], 0, 0
    for name, review in zip(_names(reviews), reviews, strict=True):
        text, sentences = review.text.text, []
        tiles = list(_tiles(review))
        if tiles and tiles[0][0].start:
            sentences.append({"text": "", "suffix": text[: tiles[0][0].start]})
        for number, (span, labels) in enumerate(tiles):
            following = text[span.end : tiles[number + 1][0].start if number + 1 < len(tiles) else None]
            glued += not following and number + 1 < len(tiles)
            found = {layer: codes(layer, labels.get(layer, ()), "disapere")[:1] for layer in _CODED}
            lost += sum(map(len, labels.values())) - sum(map(len, found.values()))
            known = {layer: code[0] if code else "none" for layer, code in found.items()}
            sentences.append({"text": text[span.start : span.end], "suffix": following * (following != " ")} | known)
        about = {"review_id": name, "forum_id": review.paper, "title": titles.get(review.paper, "")}
        about |= {"reviewer": review.text.reviewer, "annotator": ""}
        document = {
            "metadata": about,
            "review_sentences": [{"review_id": name, "sentence_index": n} | s for n, s in enumerate(sentences)],
            "rebuttal_sentences": _answers(name, review.comments, tiles),
        }
        content = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
        files.append(ExportFile(f"{_FIT.sub('-', name)}.json", content))
    said = ["Annotators are left out. Texts without a space at the end get one."]
    if any(review.comments for review in reviews):
        said.append("For rebuttals, only the responses to comments are written, without stances and actions.")
    said += [f"{counted(lost, 'label')} left out, because DISAPERE has no code for them or allows only one."] * bool(
        lost
    )
    said += [f"{counted(glued, 'sentence gets', 'sentences get')} a space added at the end."] * bool(glued)
    return Export(tuple(files), tuple(said))


def _names(reviews: Sequence[LabelledReview]) -> list[str]:
    """Returns the reviews' ids in files: those of their data set if unique, otherwise keys."""
    fit = [_FIT.sub("-", review.name).lower() for review in reviews]
    outside = Counter(fit)
    return [r.name if name and outside[name] == 1 else r.text.id for r, name in zip(reviews, fit, strict=True)]


def _answers(name: str, comments: Sequence[Comment], tiles: Sequence[tuple[Span, _Labels]]) -> list[dict[str, Any]]:
    """Returns the sentences of the responses to a review's comments, aligned with the sentences that they answer."""
    shift = bool(tiles and tiles[0][0].start)  # text before the first sentence counts as one
    found: list[dict[str, Any]] = []
    for comment in comments:
        touched = [
            n + shift
            for n, (tile, _) in enumerate(tiles)
            if any(tile.start < span.end and span.start < tile.end for span in comment.spans)
        ]
        for span in split_sentences(comment.response):
            found.append({
                "review_id": name, "rebuttal_id": f"{name}-rebuttal", "sentence_index": len(found),
                "text": comment.response[span.start : span.end], "suffix": "", "rebuttal_stance": "none",
                "rebuttal_action": "none",
                "alignment": ["context_sentences", touched] if touched else ["context_none", None],
            })  # fmt: skip
    return found


def write_peer_review_analyze(reviews: Sequence[LabelledReview]) -> Export:
    """Returns one file ``reviews/<paper>/<review>_annotated.txt`` per review."""
    files, bare, lost = [], 0, 0
    for name, review in zip(_names(reviews), reviews, strict=True):
        text, line, at = review.text.text, "", 0
        for span, labels in _tiles(review):
            sections, aspects = (
                codes(layer, labels.get(layer, ()), "peer_review_analyze") for layer in ("theme", "aspect")
            )
            sign = (codes("polarity", labels.get("polarity", ()), "peer_review_analyze") or ("NEU",))[0]
            bare += "polarity" not in labels or (sign != "NEU" and not sections and not aspects)
            lost += sum(len(kept) for layer, kept in labels.items() if layer not in {"theme", "aspect", "polarity"})
            halves = (",".join(f"{code}-{sign}" for code in half) or "null" for half in (sections, aspects))
            line += f"{_escaped(text[at : span.end])}[[{'], ['.join(halves)}]] "
            at = span.end
        content = f'"{line}{_escaped(text[at:])}"'.encode("utf-8", "replace")
        stem = _FIT.sub("-", name).removesuffix("_annotated")
        place = f"reviews/{_FIT.sub('-', review.paper) or 'paper'}/{stem}_annotated.txt"
        files.append(ExportFile(place, content))
    said = [f"Written as neutral: {counted(bare, 'sentence')} with no polarity or no place for it."] * bool(bare)
    said += [f"{counted(lost, 'label')} left out, because Peer-Review-Analyze has no such layer."] * bool(lost)
    return Export(tuple(files), (*said, "Annotators are left out."))


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1].replace("[", "\\u005b")


def _tiles(review: LabelledReview) -> Iterator[tuple[Span, _Labels]]:
    """Yields the whole text split at its labelled sentences, with labels; the first of overlapping ones wins."""
    text = review.text.text
    labelled = {sentence.span: sentence.layers for sentence in review.sentences}
    at = 0
    for span in sentences_around(text, labelled):
        if span.start < at:
            continue
        yield from _left(text, at, span.start)
        yield from _left(text, span.start, span.end, labelled.get(span, {}))
        at = span.end
    yield from _left(text, at, len(text))


def _left(text: str, start: int, end: int, labels: _Labels | None = None) -> Iterator[tuple[Span, _Labels]]:
    """Yields the text between two positions without surrounding whitespace, if any."""
    words = text[start:end]
    if words.strip():
        begin = start + len(words) - len(words.lstrip())
        yield Span(begin, begin + len(words.strip())), labels or {}
