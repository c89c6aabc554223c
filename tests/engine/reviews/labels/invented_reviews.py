"""Labelled reviews of invented sentences: each theme and polarity has words of its own, which heads can learn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.jobs import Report
from engine.research.tasks import train_own_heads
from engine.reviews.labels import heads as head_files
from engine.reviews.labels.heads import Heads
from engine.reviews.labels.records import LabelledReview, LabelledSentence, Layer
from engine.reviews.labels.tasks import label_texts
from engine.reviews.records import SourceText, Span

_WORDS = {
    "methodology": ["the model has a gate", "the loss is odd", "an algorithm of steps", "the layer norm"],
    "datasets": ["the corpus is small", "images of cats", "the data were cleaned", "a benchmark of birds"],
    "related-work": ["earlier papers did it", "cite the survey", "prior art is missing", "literature of old"],
}
_TONE = {"positive": "which is excellent", "negative": "which is a pity", "neutral": "as it stands"}


def invented_reviews(count: int = 24, sentences: int = 8, seed: int = 3) -> tuple[LabelledReview, ...]:
    """Reviews of ``count // 2`` papers."""
    rng = np.random.default_rng(seed)
    return tuple(_review(number, sentences, rng) for number in range(count))


def ship(heads: Heads, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """These heads ship, and jobs read words instead of asking the encoder."""
    head_files.write(heads, folder, head_files.SHIPPED)
    monkeypatch.setattr(head_files, "shipped_folder", lambda: folder)
    for function in (label_texts, train_own_heads):
        monkeypatch.setitem(function.__wrapped__.__kwdefaults__, "encoder", WordVectors)


def _review(number: int, sentences: int, rng: np.random.Generator) -> LabelledReview:
    text = ""
    found = []
    for _ in range(sentences):
        themes = tuple(sorted(rng.choice(list(_WORDS), size=rng.integers(1, 3), replace=False)))
        tone = str(rng.choice(list(_TONE)))
        words = " and ".join(str(rng.choice(_WORDS[theme])) for theme in themes)
        sentence = f"{words.capitalize()}, {_TONE[tone]}."
        layers: dict[Layer, tuple[str, ...]] = {"theme": themes, "polarity": (tone,)}
        found.append(LabelledSentence(Span(len(text), len(text) + len(sentence)), layers))
        text += sentence + " "
    return LabelledReview(f"paper{number // 2}", SourceText(f"r{number}", f"Review {number}", text), tuple(found))


def write_peer_review_analyze(folder: Path, reviews: Sequence[LabelledReview]) -> Path:
    """The reviews in the layout of Peer-Review-Analyze; every other sentence is of soundness, the rest of clarity."""
    codes = {"methodology": "MET", "datasets": "DAT", "related-work": "RWK"}
    signs = {"positive": "POS", "negative": "NEG", "neutral": "NEU"}
    for number, review in enumerate(reviews):
        place = folder / "Accepted" / review.paper
        place.mkdir(parents=True, exist_ok=True)
        line = ""
        for at, sentence in enumerate(review.sentences):
            sign = signs[sentence.layers["polarity"][0]]
            themes = ",".join(f"{codes[theme]}-{sign}" for theme in sentence.layers["theme"])
            line += f"{review.words(sentence)}[[{themes}], [{'EMP' if at % 2 else 'CLA'}-NEU]]  "
        (place / f"R{number}_annotated.txt").write_text(f'"{line}"', encoding="utf-8")
    return folder


def write_disapere(folder: Path, reviews: Sequence[LabelledReview]) -> Path:
    """The reviews in the layout of DISAPERE, without rebuttals; tone decides the act, the first theme the aspect."""
    aspects = {"methodology": "asp_clarity", "datasets": "asp_substance", "related-work": "none"}
    acts = {"positive": "arg_evaluative", "negative": "arg_request", "neutral": "arg_structuring"}
    folder.mkdir(parents=True)
    for number, review in enumerate(reviews):
        sentences = []
        for sentence in review.sentences:
            (tone,) = sentence.layers["polarity"]
            labels = {
                "review_action": acts[tone],
                "aspect": aspects[sentence.layers["theme"][0]],
                "polarity": "none" if tone == "neutral" else f"pol_{tone}",
            }
            sentences.append({"text": review.words(sentence), "suffix": "", **labels})
        metadata = {"forum_id": review.paper, "review_id": f"r{number}"}
        content = {"metadata": metadata, "review_sentences": sentences, "rebuttal_sentences": []}
        (folder / f"{number:02}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


class WordVectors:
    """An embedder without a model: the mean of fixed random vectors of a text's words, of length 1."""

    fingerprint = "words-16"

    def encode(self, texts: Sequence[str], report: Report | None = None) -> NDArray[np.float32]:
        """(len(texts), 16)."""
        vectors = np.array([sum(map(_vector, text.lower().split()), np.zeros(16)) for text in texts]).reshape(-1, 16)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.maximum(norms, 1e-9)).astype(np.float32)


def _vector(word: str) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
    return np.random.default_rng(seed).normal(size=16)
