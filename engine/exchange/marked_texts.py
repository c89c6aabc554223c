"""Annotated texts: the intermediate format between a project and brat, WebAnno TSV and UIMA CAS.

A mark has one or several spans, a layer and features, which are all text. Rejoinder's layers are *Comment*, *Context*
and *Response* (with the comment's id), and *Label* (of a sentence). Offsets count code points.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from engine.errors import not_imported
from engine.exchange.aries import edit_names
from engine.exchange.records import Linking, OutsideLink
from engine.reviews.labels.records import LAYERS as LABEL_LAYERS
from engine.reviews.labels.records import LabelledReview, LabelledSentence, SentenceLabels
from engine.reviews.records import ActionClass, Comment, ReviewBundle, SourceText, Span
from engine.revision.records import CommentState
from engine.shown import counted

COMMENT, LABEL = "Comment", "Label"
_ROLES = {"Context": "context_spans", "Response": "response_spans"}
FEATURES: Mapping[str, tuple[str, ...]] = {
    COMMENT: ("external_id", "reviewer", "actionable", "action", "state", "edits"),
    "Context": ("comment",), "Response": ("comment",), LABEL: ("layer", "values"),
}  # fmt: skip
"""The layers written, with their features."""
ID = "identifier"
"""The feature with a mark's id, for formats that can't store external ids."""
STATES: tuple[str, ...] = get_args(CommentState)
ACTIONS: tuple[str, ...] = get_args(ActionClass)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark; ``id`` is unique in its layer, or "" if the file has none."""

    id: str
    layer: str
    spans: tuple[Span, ...]
    features: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A text with its marks; ``name`` is the file's stem, which is the text's key in a project."""

    name: str
    text: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class MarkedTexts:
    """The content of files, with warnings about what couldn't be read."""

    documents: tuple[MarkedDocument, ...]
    warnings: tuple[str, ...] = ()


def documents_of(linking: Linking, labels: Mapping[str, Sequence[SentenceLabels]]) -> tuple[MarkedDocument, ...]:
    """Returns the texts of a linking with comments, contexts, responses and labels (given by text)."""
    names = edit_names(linking.edits)
    states = {state.comment_id: state.state for state in linking.states}
    found = []
    for text in linking.texts:
        marks: list[Mark] = []
        for comment in linking.comments:
            if comment.source_id == text.id:
                linked = [names[link.edit_id] for link in linking.links if link.comment_id == comment.id]
                marks += _marks(comment, states.get(comment.id, ""), linked)
        for sentence in labels.get(text.id, ()):
            marks += _label_marks(sentence)
        found.append(MarkedDocument(text.id, text.text, tuple(marks)))
    return tuple(found)


def _marks(comment: Comment, state: str, edits: Iterable[str]) -> Iterator[Mark]:
    actionable = "yes" if comment.actionable else "no"
    values = (comment.external_id, comment.reviewer, actionable, comment.action or "", state, " ".join(edits))
    if comment.spans:
        pairs = zip(FEATURES[COMMENT], values, strict=True)
        yield Mark(comment.id, COMMENT, comment.spans, tuple(pair for pair in pairs if pair[1]))
    for layer, field in _ROLES.items():
        if spans := getattr(comment, field):
            yield Mark(f"{comment.id}.{layer.lower()}", layer, spans, (("comment", comment.id),))


def _label_marks(sentence: SentenceLabels) -> Iterator[Mark]:
    for layer in LABEL_LAYERS:
        if layer in sentence.origins:
            features = (("layer", layer), ("values", " ".join(sentence.of(layer))))
            name = f"{sentence.span.start}-{sentence.span.end}.{layer}"
            yield Mark(name, LABEL, (sentence.span,), tuple(pair for pair in features if pair[1]))


def losses(documents: Sequence[MarkedDocument], linking: Linking) -> list[str]:
    """Returns sentences on what the files leave out."""
    marked = {mark.id for document in documents for mark in document.marks if mark.layer == COMMENT}
    found = ["Titles, kinds and other fields of the reviews are left out, as is the text of the papers."]
    if silent := sum(comment.id not in marked for comment in linking.comments):
        found.append(f"{counted(silent, 'comment without a place is', 'comments without a place are')} left out.")
    if any(link.note or link.confidence is not None for link in linking.links):
        found.append("Notes and confidence of links are left out.")
    return found


def bundle_of(document: MarkedDocument, known: SourceText | None) -> tuple[ReviewBundle, list[OutsideLink]]:
    """Returns the comments of a document as an importer does, and its links and states. ``known`` is the same text in
    the project, if any."""
    text = known or SourceText(document.name, document.name, document.text, "text/plain")
    roles: dict[tuple[str, str], tuple[Span, ...]] = {}
    for mark in document.marks:
        if mark.layer in _ROLES:
            roles[dict(mark.features).get("comment", ""), mark.layer] = mark.spans
    comments, links = [], []
    for mark in document.marks:
        if mark.layer != COMMENT:
            continue
        features = dict(mark.features)
        key = mark.id or f"{document.name}-{mark.spans[0].start}"
        spans = {field: roles.get((mark.id, layer), ()) if mark.id else () for layer, field in _ROLES.items()}
        action: Any = features.get("action")
        comments.append(
            Comment(
                key, text.id, features.get("reviewer", text.reviewer), _words(document.text, mark.spans),
                _words(document.text, spans["context_spans"]), _words(document.text, spans["response_spans"]),
                mark.spans, spans["context_spans"], spans["response_spans"], features.get("actionable") != "no",
                action if action in ACTIONS else None, external_id=features.get("external_id", ""),
            )
        )  # fmt: skip
        said = features.get("state", "")
        state: CommentState | None = said if said in STATES else None  # type: ignore[assignment]
        links += [OutsideLink(key, edit, state=state) for edit in features.get("edits", "").split()]
        if state and not features.get("edits"):
            links.append(OutsideLink(key, "", state=state))
    return ReviewBundle((text,), tuple(comments)), links


def labelled_of(document: MarkedDocument, known: SourceText | None) -> LabelledReview | None:
    """Returns the sentence labels of a document as an annotated review; None if it has none."""
    sentences: dict[Span, dict[Any, tuple[str, ...]]] = {}
    for mark in document.marks:
        features = dict(mark.features)
        if mark.layer == LABEL and features.get("layer") in LABEL_LAYERS:
            span = Span(mark.spans[0].start, mark.spans[-1].end)
            sentences.setdefault(span, {})[features["layer"]] = tuple(features.get("values", "").split())
    if not sentences:
        return None
    text = known or SourceText(document.name, document.name, document.text, "text/plain")
    ordered = sorted(sentences.items(), key=lambda pair: (pair[0].start, pair[0].end))
    return LabelledReview("", text, tuple(LabelledSentence(span, layers) for span, layers in ordered))


def _words(text: str, spans: Iterable[Span]) -> str:
    return " [...] ".join(text[span.start : span.end] for span in spans)


def gathered(pieces: Iterable[Mark]) -> tuple[Mark, ...]:
    """Merges marks with the same id and layer, for formats that write each span separately."""
    found: dict[tuple[str, str, int], Mark] = {}
    for number, piece in enumerate(pieces):
        key = (piece.layer, piece.id, 0 if piece.id else number + 1)
        known = found.get(key)
        spans = (*(known.spans if known else ()), *piece.spans)
        found[key] = Mark(piece.id, piece.layer, tuple(sorted(spans, key=lambda s: (s.start, s.end))), piece.features)
    return tuple(found.values())


def checked(text: str, start: int, end: int, where: str) -> Span:
    """Returns a span of a file. Raises BadInput if it is outside the text."""
    if not 0 <= start < end <= len(text):
        raise not_imported(f"{where} marks a place outside the text.", "Export it again.")
    return Span(start, end)


_TOKEN = re.compile(r"\w+|[^\w\s]")


def segmented(text: str, cuts: Collection[int] = ()) -> list[tuple[Span, list[Span]]]:
    """Returns the non-blank lines of a text, trimmed, with their tokens, which are split at ``cuts``."""
    borders = sorted(set(cuts))
    found = []
    for line in re.finditer(r"[^\n]*\S[^\n]*", text):
        start = line.start() + len(line[0]) - len(line[0].lstrip())
        end = line.start() + len(line[0].rstrip())
        tokens: list[Span] = []
        for word in _TOKEN.finditer(text, start, end):
            inside = borders[bisect_right(borders, word.start()) : bisect_left(borders, word.end())]
            tokens += [Span(a, b) for a, b in pairwise([word.start(), *inside, word.end()])]
        found.append((Span(start, end), tokens))
    return found
