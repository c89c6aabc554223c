"""``acl``: the reviewer matching of the ACL conferences (Neubig et al. 2020; Stelmakh et al. 2023, section 5.2)."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from engine.errors import EnvironmentProblem, not_computed
from engine.expertise.algorithms.base import AlgorithmInfo, Vectors
from engine.expertise.algorithms.paperwise import Reasons, VectorScorer, sentence_pairs
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report

WEIGHTS, PIECES, CARD = "acl.safetensors", "pieces.model", "card.json"


@dataclass(frozen=True, slots=True)
class AclModel:
    """Word pieces with one vector each; a text's vector is their mean. The folder contains ``acl.safetensors``
    (embedding), ``pieces.model`` (sentencepiece) and ``card.json``.

    ``pieces``: the serialized sentencepiece model; ``weights``: (pieces, d), float32; ``card``: how it was made.
    """

    pieces: bytes = field(repr=False)
    weights: Vectors = field(repr=False)
    card: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        whole = hashlib.sha256(self.pieces)
        whole.update(self.weights.tobytes())
        return whole.hexdigest()[:16]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Returns (texts, d), rows of length 1; 0 for a text without word pieces."""
        tokenizer = load_tokenizer(self.pieces)
        vectors: Vectors = np.zeros((len(texts), self.weights.shape[1]), dtype=np.float32)
        unknown = tokenizer.unk_id()
        for row, text in enumerate(texts):
            # Unknown pieces are ignored unless there is nothing else, as in the published code ("zero-unk").
            ids = tokenizer.encode(_readable(text))
            ids = [at for at in ids if at != unknown] or ids
            if ids:
                vector = self.weights[ids].mean(axis=0)
                vectors[row] = vector / (np.linalg.norm(vector) or 1.0)
        return vectors

    def words(self, one: str, other: str, most: int = 12) -> tuple[str, ...]:
        """Returns the words of ``one`` that are most similar to ``other``, best first."""
        target = self.encode([other])[0]
        words = list(dict.fromkeys(word.strip(".,;:()[]\"'").lower() for word in one.split()))
        words = [word for word in words if any(letter.isalpha() for letter in word)]
        if not words:
            return ()
        alike = self.encode(words) @ target
        return tuple(words[at] for at in np.argsort(-alike, kind="stable")[:most] if alike[at] > 0)

    def save(self, folder: Path) -> None:
        """Writes the folder. Raises EnvironmentProblem if that fails."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save_file({"embedding": self.weights}, folder / WEIGHTS)
            (folder / PIECES).write_bytes(self.pieces)
            (folder / CARD).write_text(json.dumps(dict(self.card), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise EnvironmentProblem(
                f"The model couldn't be written to {folder}: {error.strerror}.", "It wasn't saved.",
                "Choose a folder you can write to.",
            ) from error  # fmt: skip


def load_acl(folder: Path) -> AclModel:
    """Loads the model in a folder. Raises BadInput if it contains none."""
    try:
        weights = load_file(folder / WEIGHTS)["embedding"]
        pieces = (folder / PIECES).read_bytes()
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        count = sentencepiece.SentencePieceProcessor(model_proto=pieces).vocab_size()
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise not_computed(
            f"There's no acl model in {folder} ({type(error).__name__}).",
            "Choose a folder created by “rejoinder similarity train acl”.",
        ) from error
    if weights.ndim != 2 or len(weights) != count:
        raise not_computed(
            f"The parts of the acl model in {folder} don't belong together: {len(weights)} vectors, {count} pieces.",
            "Train it again.",
        )
    return AclModel(pieces, weights, card)


def make_tokenizer(texts: Sequence[str], pieces: int) -> Any:
    """Trains a lower-casing sentencepiece (unigram) tokenizer with at most that many pieces. Unlike the trainer of
    ``tokenizers``, this one is deterministic."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([_readable(text).replace("\n", " ") for text in texts]),
        model_writer=written,
        vocab_size=pieces,
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc_cf",
        max_sentence_length=1 << 20,
        num_threads=1,
        minloglevel=2,
    )
    return load_tokenizer(written.getvalue())


def load_tokenizer(pieces: bytes) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=pieces)


def _readable(text: str) -> str:
    """Replaces unpaired surrogates, which broken PDFs contain, and the marker that sentencepiece uses internally."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("▁", " ")


TEXTS_AT_ONCE = 256


class Acl:
    """Mean of word-piece vectors learned from abstracts; s1 + s2/2 + s3/3 of the profile's three best papers, as in the
    paper (the published code weights them in the opposite order)."""

    def __init__(self, model: AclModel, pooling: Pooling | None = None) -> None:
        self._model = model
        self._pooling = pooling or Pooling("acl")
        known = ((name, str(model.card[name])) for name in ("dimension", "learned_pieces") if name in model.card)
        self.info = AlgorithmInfo("acl", "1", (("model", model.fingerprint), *known, ("pooling", self._pooling.how)))

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> VectorScorer:
        texts = [paper_text(paper, representation) for paper in papers.values()]
        parts = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            report.progress(start / len(texts), f"Reading {len(texts)} papers")
            parts.append(self._model.encode(texts[start : start + TEXTS_AT_ONCE]))
        by_key = dict(zip(papers, texts, strict=True))
        vectors = np.concatenate(parts) if parts else self._model.encode([])

        def explain(submission: str, paper: str) -> Reasons:
            pairs = sentence_pairs(by_key[submission], by_key[paper], self._model.encode)
            return pairs, self._model.words(by_key[paper], by_key[submission])

        report.progress(1.0)
        return VectorScorer(list(papers), vectors, self._pooling, explain)
