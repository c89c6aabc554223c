"""Reads DISAPERE (Kennard et al. 2022): reviews and rebuttals by sentence, with the alignment between them.

There is one file per review: ``metadata``, ``review_sentences`` (text, the line breaks after it, labels) and
``rebuttal_sentences`` (text, line breaks, stance, action, alignment). Texts are joined from sentences and line breaks,
or a space if there is none; labels refer to code points of that text. The data's licence (CC BY-NC) allows evaluation
and import by users; no weights trained on it are distributed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import not_read
from engine.exchange.encoding import read_text
from engine.exchange.jsontext import layout, parse_json
from engine.reviews.labels.records import LabelledReview, LabelledSentence, Layer
from engine.reviews.labels.taxonomy import by_code
from engine.reviews.records import Comment, SourceText, Span

DATA_SET = "disapere"


@dataclass(frozen=True, slots=True)
class DisapereSentence:
    """A review sentence with the data set's codes ("none" if missing); ``suffix``: line breaks after it."""

    text: str
    suffix: str
    review_action: str
    aspect: str
    polarity: str


@dataclass(frozen=True, slots=True)
class DisapereAnswer:
    """A rebuttal sentence; ``aligned`` has the indices of the review sentences that it answers."""

    text: str
    suffix: str
    action: str
    aligned: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DisaperePair:
    """A review and its rebuttal; ``name`` is the review's id, ``forum`` the paper's."""

    name: str
    forum: str
    title: str
    reviewer: str
    review: tuple[DisapereSentence, ...]
    rebuttal: tuple[DisapereAnswer, ...]

    def labelled(self) -> LabelledReview:
        """Returns the review as one text with labels converted to the taxonomy; "aspect" is empty if there is none."""
        text, spans = joined([(s.text, s.suffix) for s in self.review])
        sentences = tuple(
            LabelledSentence(span, _layers(sentence))
            for span, sentence in zip(spans, self.review, strict=True)
            if span.start < span.end
        )
        source = SourceText(self.name, f"{self.title} · {self.reviewer}", text, "text/plain", self.reviewer)
        return LabelledReview(self.forum, source, sentences, comments=self._answered(text, spans))

    def _answered(self, text: str, spans: Sequence[Span]) -> tuple[Comment, ...]:
        """Returns a comment for each set of review sentences answered together, with the answers as its response."""
        answers: dict[tuple[int, ...], list[str]] = {}
        for answer in self.rebuttal:
            places = tuple(sorted({at for at in answer.aligned if 0 <= at < len(spans)}))
            if places and answer.text.strip():
                answers.setdefault(places, []).append(answer.text.strip())
        words = [text[span.start : span.end] for span in spans]
        return tuple(
            Comment(
                f"{self.name}-{n}", self.name, self.reviewer, " ".join(words[at] for at in places),
                response=" ".join(said), spans=tuple(spans[at] for at in places if spans[at].start < spans[at].end),
            )
            for n, (places, said) in enumerate(sorted(answers.items()))
        )  # fmt: skip

    @property
    def unanswering(self) -> int:
        """Returns the number of rebuttal sentences that aren't aligned: thanks, summaries, general remarks."""
        return sum(not answer.aligned for answer in self.rebuttal)


def read_disapere(folder: Path) -> tuple[DisaperePair, ...]:
    """Returns the pairs of a folder such as ``train`` or ``dev``, ordered by file name. Raises BadInput if it contains
    no JSON file, or one with another layout."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise not_read(f"There are no reviews in {folder}.", "Choose DISAPERE's train or dev folder.")
    return tuple(read_pair(read_text(file).text, file.name) for file in files)


def read_pair(text: str, name: str) -> DisaperePair:
    """Parses one review with its rebuttal. Raises BadInput, naming the file, if it has another layout."""
    content = parse_json(text, name)
    with layout(name, "a DISAPERE review"):
        data = content["metadata"]
        return DisaperePair(
            name=str(data["review_id"]),
            forum=str(data["forum_id"]),
            title=str(data.get("title", "")),
            reviewer=str(data.get("reviewer", "")),
            review=tuple(map(_sentence, content["review_sentences"])),
            rebuttal=tuple(map(_answer, content["rebuttal_sentences"])),
        )


def joined(parts: Sequence[tuple[str, str]]) -> tuple[str, tuple[Span, ...]]:
    """Joins sentences and their suffixes into one text, and returns it with the sentences' positions."""
    text: list[str] = []
    spans: list[Span] = []
    length = 0
    for words, suffix in parts:
        spans.append(Span(length, length + len(words)))
        following = suffix or " "
        text.append(words + following)
        length += len(words) + len(following)
    return "".join(text), tuple(spans)


def _sentence(entry: Mapping[str, Any]) -> DisapereSentence:
    return DisapereSentence(
        text=str(entry["text"]),
        suffix=str(entry.get("suffix") or ""),
        review_action=_code(entry, "review_action"),
        aspect=_code(entry, "aspect"),
        polarity=_code(entry, "polarity"),
    )


def _code(entry: Mapping[str, Any], name: str) -> str:
    return str(entry.get(name) or "none")


def _answer(entry: Mapping[str, Any]) -> DisapereAnswer:
    kind, indices = entry["alignment"]
    return DisapereAnswer(
        text=str(entry["text"]),
        suffix=str(entry.get("suffix") or ""),
        action=_code(entry, "rebuttal_action"),
        aligned=tuple(int(index) for index in indices or () if kind == "context_sentences"),
    )


def _layers(sentence: DisapereSentence) -> dict[Layer, tuple[str, ...]]:
    aspect = by_code("aspect", DATA_SET).get(sentence.aspect)
    polarity = by_code("polarity", DATA_SET).get(sentence.polarity)
    action = by_code("review_action", DATA_SET).get(sentence.review_action)
    found: dict[Layer, tuple[str, ...]] = {"aspect": (aspect,) if aspect else ()}
    if polarity:
        found["polarity"] = (polarity,)
    if action:
        found["review_action"] = (action,)
    return found
