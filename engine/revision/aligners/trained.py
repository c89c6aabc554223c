"""Aligners from a model folder: a bi-encoder (cosine) and a cross-encoder (reads the pair together).

Any sentence-transformers or transformers folder can be used (SPECTER2, DeBERTa, LinkBERT...); one fine-tuned by
``engine.research.alignment.training`` states beside its weights which threshold was best on its development papers.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.errors import EnvironmentProblem
from engine.files import json_object
from engine.jobs import Report
from engine.models import Embedder, load_encoder, local_encoder
from engine.models.child import Answer, ModelProcess, serve
from engine.models.devices import choose_device, limit_threads
from engine.models.embedders import readable
from engine.models.folders import load_pretrained
from engine.models.registry import fingerprint
from engine.revision.aligners.base import Matrix
from engine.revision.aligners.scoring import Scores, ScoringAligner
from engine.revision.aligners.selection import likely
from engine.revision.records import Candidate, Query

CARD = "rejoinder-alignment.json"
"""File in a fine-tuned folder: ``kind``, ``threshold``, and how it was trained."""
Kind = Literal["bi-encoder", "cross-encoder"]
UNTRAINED = 0.5
"""Threshold of folders without a card."""
PAIRS = 8
"""Pairs per batch of the cross-encoder, so that Cancel is quick on slow processors."""


def comment_text(query: Query, *, use_response: bool) -> str:
    """Returns a comment as input of the models (ARIES, section 5.1), with its context, and the reply if used."""
    parts = [query.comment.strip()]
    if query.context.strip() and query.context.strip() != parts[0]:
        parts.append(query.context.strip())
    if use_response and query.response.strip():
        parts.append(f"response: {query.response.strip()}")
    return f"review comment: {' '.join(parts)}"


def edit_text(candidate: Candidate) -> str:
    """Returns an edit as input of the models: the diff form, ``[+ new +]`` and ``[- old -]``."""
    return f"edit: {candidate.diff_text}"


def card_of(folder: Path) -> dict[str, Any]:
    """Returns the card of a fine-tuned folder; empty for any other."""
    return json_object(folder / CARD)


def bi_encoder_aligner(folder: Path, use_responses: bool, embedder: Embedder | None = None) -> ScoringAligner:
    """Uses the cosine of comment and edit, each encoded alone; ``embedder`` replaces the folder's own encoder.

    Raises EnvironmentProblem if the folder doesn't exist.
    """
    encoder = embedder or load_encoder(local_encoder(folder), leave_free=0)

    def scores(queries: Sequence[Query], candidates: Sequence[Candidate], report: Report) -> Matrix:
        asked = [comment_text(query, use_response=use_responses) for query in queries]
        vectors = encoder.encode([*asked, *map(edit_text, candidates)], report).astype(float)
        found: Matrix = vectors[: len(asked)] @ vectors[len(asked) :].T
        return found

    return _aligner(f"model:bi-encoder@1+{encoder.fingerprint}", folder, use_responses, scores)


def cross_encoder_aligner(folder: Path, use_responses: bool, *, beside_window: bool = False) -> ScoringAligner:
    """Uses the probability that a pair belongs together, from a model that reads both at once; for likely pairs only.

    ``beside_window`` runs the model in a child process. Raises EnvironmentProblem if the folder contains no model and,
    when scoring, if it isn't a classifier of pairs.
    """
    if not (folder / "config.json").is_file():
        raise EnvironmentProblem(
            f"There is no model in {folder}.",
            "Nothing was computed.",
            "Choose a folder with config.json and the weights.",
        )

    def scores(queries: Sequence[Query], candidates: Sequence[Candidate], report: Report) -> Matrix:
        report.progress(0.0, "Loading the model")
        mask = likely(queries, candidates, use_responses=use_responses)
        places = np.argwhere(mask)
        texts = [
            (comment_text(queries[row], use_response=use_responses), edit_text(candidates[column]))
            for row, column in places
        ]
        found = np.zeros(mask.shape)
        beside = closing(ProcessPairClassifier(folder)) if beside_window else nullcontext(PairClassifier.load(folder))
        with beside as classify:
            for start in range(0, len(texts), PAIRS):
                report.progress(start / len(texts), f"Reading {len(texts)} pairs")
                some = slice(start, start + PAIRS)
                found[tuple(places[some].T)] = classify(texts[some], report)
        return found

    return _aligner(f"model:cross-encoder@1+{fingerprint(folder)}", folder, use_responses, scores)


def _aligner(origin: str, folder: Path, use_responses: bool, scores: Scores) -> ScoringAligner:
    card = card_of(folder)
    threshold = float(card.get("threshold", UNTRAINED))
    known = {"model": folder.name, "threshold": str(threshold), "use_responses": str(use_responses)}
    known["fine_tuned"] = str(bool(card))
    return ScoringAligner(origin, known, threshold, scores, use_responses, "the model gives {:.2f}")


class PairClassifier:
    """A transformers model with a classification head of two classes (or one), and its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer

    @classmethod
    def load(cls, folder: Path, device: str | None = None) -> "PairClassifier":
        """Raises EnvironmentProblem if the folder contains no model that can classify pairs."""
        from transformers.utils import logging

        logging.set_verbosity_error()  # silences the warning about a newly initialised head
        do = "Copy the folder again, or choose another model."
        tokenizer, model = load_pretrained(folder, "AutoModelForSequenceClassification", "Nothing was computed.", do)
        model.to(choose_device(device).name)
        model.eval()
        return cls(model, tokenizer)

    def inputs(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """Returns the tensors of a batch; the longer text of a pair is truncated first if both don't fit."""
        longest = getattr(self.model.config, "max_position_embeddings", 512) or 512
        return self.tokenizer(
            [readable(first) for first, _ in pairs],
            [readable(second) for _, second in pairs],
            truncation="longest_first",
            # RoBERTa-like models number positions from 2.
            max_length=max(16, min(512, longest - 2)),
            padding=True,
            return_tensors="pt",
        ).to(self.model.device)

    def __call__(self, pairs: Sequence[tuple[str, str]], _report: Report | None = None) -> list[float]:
        """Returns the probability of each pair, 0 to 1."""
        import torch

        limit_threads(0)
        with torch.inference_mode():
            logits = self.model(**self.inputs(pairs)).logits.float()
        chances = logits.softmax(-1)[:, -1] if logits.shape[-1] > 1 else logits.sigmoid()[:, 0]
        return [float(chance) for chance in chances]


class ProcessPairClassifier:
    """As ``PairClassifier``, in a child process that starts with the first pairs and ends with ``close``."""

    def __init__(self, folder: Path) -> None:
        self._child = ModelProcess(__name__, (str(folder),), name="cross-encoder", read=(folder,))

    def __call__(self, pairs: Sequence[tuple[str, str]], report: Report) -> list[float]:
        """Returns the probability of each pair, 0 to 1.

        Raises Cancelled, and EnvironmentProblem if the model can't be loaded or the child was ended.
        """
        (answer,) = self._child.ask({"pairs": [list(pair) for pair in pairs]}, report)
        return [float(chance) for chance in answer["chances"]]

    def close(self) -> None:
        self._child.close()


def main() -> None:
    """Runs the child's side (argument: the folder): ``{"pairs"}`` is answered by ``{"chances"}``."""
    loaded: list[PairClassifier] = []

    def respond(request: Answer, _emit: Callable[[Answer], None], _report: Report) -> Answer:
        if not loaded:  # loaded here, so that a failure is reported as the answer to a request
            loaded.append(PairClassifier.load(Path(sys.argv[1])))
        return {"chances": loaded[0]([(first, second) for first, second in request["pairs"]])}

    serve(respond)


if __name__ == "__main__":
    main()
