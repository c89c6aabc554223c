"""Aligners made of a model folder: a bi-encoder (cosine) and a cross-encoder (the pair together).

Any sentence-transformers or transformers folder will do (SPECTER2, DeBERTa, LinkBERT...); one that was fine-tuned by
``engine.research.alignment.training`` says beside its weights which threshold was best on its development papers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import EnvironmentProblem
from engine.files import json_object
from engine.jobs import Report
from engine.models import Embedder, load_encoder, local_encoder
from engine.models.child import Answer, ModelProcess, serve
from engine.models.devices import choose_device, limit_threads
from engine.models.embedders import readable
from engine.models.folders import load_pretrained
from engine.models.registry import fingerprint
from engine.revision.aligners.base import Rankings, best_pairs, rank
from engine.revision.aligners.lexical import explain, post_revision, weights
from engine.revision.aligners.selection import likely
from engine.revision.records import Candidate, Query

if TYPE_CHECKING:
    from engine.revision.aligners.base import Matrix

CARD = "rejoinder-alignment.json"
"""File in a fine-tuned folder: ``kind``, ``threshold``, and how it was trained."""
Kind = Literal["bi-encoder", "cross-encoder"]
UNTRAINED = {"bi-encoder": 0.5, "cross-encoder": 0.5}
"""Thresholds of folders that were not fine-tuned here."""
PAIRS = 8
"""Pairs a batch of the cross-encoder, so that Cancel is quick on slow processors."""


def comment_text(query: Query, *, use_response: bool) -> str:
    """A comment as the models read it (ARIES, section 5.1), with its context, and the reply where one is used."""
    parts = [query.comment.strip()]
    if query.context.strip() and query.context.strip() != parts[0]:
        parts.append(query.context.strip())
    if use_response and query.response.strip():
        parts.append(f"response: {query.response.strip()}")
    return f"review comment: {' '.join(parts)}"


def edit_text(candidate: Candidate) -> str:
    """An edit as the models read it: the diff form, ``[+ new +]`` and ``[- old -]``."""
    return f"edit: {candidate.diff_text}"


def card_of(folder: Path) -> dict[str, Any]:
    """What is beside the weights of a fine-tuned folder; empty for any other."""
    return json_object(folder / CARD)


class BiEncoderAligner:
    """Cosine of comment and edit, each encoded alone."""

    def __init__(self, folder: Path, *, use_responses: bool = False, embedder: Embedder | None = None) -> None:
        """``embedder`` stands in for the folder's own encoder. Raises EnvironmentProblem where there is no folder."""
        self._embedder = embedder or load_encoder(local_encoder(folder), leave_free=0)
        self._use_responses = use_responses
        self._threshold = float(card_of(folder).get("threshold", UNTRAINED["bi-encoder"]))
        self.origin = f"model:bi-encoder@1+{self._embedder.fingerprint}"
        self.parameters = _parameters(folder, self._threshold, use_responses)

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        asked = [comment_text(query, use_response=self._use_responses) for query in queries]
        edits = [edit_text(candidate) for candidate in candidates]
        vectors = self._embedder.encode([*asked, *edits], report.part(0.0, 0.95))
        scores = vectors[: len(asked)].astype(float) @ vectors[len(asked) :].astype(float).T
        return _explained(queries, candidates, scores, self._threshold, self._use_responses, report)


class CrossEncoderAligner:
    """The chance that a pair belongs together, by a model that reads both at once; for likely pairs only."""

    def __init__(
        self, folder: Path, *, use_responses: bool = False, device: str | None = None, beside_window: bool = False
    ) -> None:
        """``beside_window`` runs the model in a process of its own.

        Raises EnvironmentProblem where the folder is missing or holds no classifier of pairs.
        """
        if not (folder / "config.json").is_file():
            raise EnvironmentProblem(
                f"There is no model in {folder}.",
                "Nothing was computed.",
                "Choose a folder with config.json and the weights.",
            )
        self._folder = folder
        self._device = device
        self._beside_window = beside_window
        self._use_responses = use_responses
        self._threshold = float(card_of(folder).get("threshold", UNTRAINED["cross-encoder"]))
        self.parameters = _parameters(folder, self._threshold, use_responses)

    @property
    def origin(self) -> str:
        return f"model:cross-encoder@1+{fingerprint(self._folder)}"

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        import numpy as np

        report.progress(0.0, "Loading the model")
        mask = likely(queries, candidates, use_responses=self._use_responses)
        pairs = [(int(row), int(column)) for row, column in np.argwhere(mask)]
        texts = [
            (comment_text(queries[row], use_response=self._use_responses), edit_text(candidates[column]))
            for row, column in pairs
        ]
        scores = np.zeros((len(queries), len(candidates)))
        classify, close = self._classifier()
        try:
            for start in range(0, len(texts), PAIRS):
                report.progress(0.95 * start / len(texts), f"Reading {len(texts)} pairs")
                chances = classify(texts[start : start + PAIRS], report)
                for (row, column), chance in zip(pairs[start : start + PAIRS], chances, strict=True):
                    scores[row, column] = chance
        finally:
            close()
        return _explained(queries, candidates, scores, self._threshold, self._use_responses, report)

    def _classifier(self) -> tuple[Callable[[Sequence[tuple[str, str]], Report], list[float]], Callable[[], None]]:
        """What judges pairs, and what ends it."""
        if self._beside_window:
            process = ProcessPairClassifier(self._folder, self._device)
            return process, process.close
        own = PairClassifier.load(self._folder, self._device)
        return lambda pairs, _report: own(pairs), lambda: None


class PairClassifier:
    """A transformers model with a classification head of two classes (or one), and its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer

    @classmethod
    def load(cls, folder: Path, device: str | None = None) -> PairClassifier:
        """Raises EnvironmentProblem where the folder holds no model that can classify pairs."""
        from transformers.utils import logging

        logging.set_verbosity_error()  # a new head is expected to be new
        do = "Copy the folder again, or choose another model."
        tokenizer, model = load_pretrained(folder, "AutoModelForSequenceClassification", "Nothing was computed.", do)
        model.to(choose_device(device).name)
        model.eval()
        return cls(model, tokenizer)

    def inputs(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """The tensors of a batch; the longer side of a pair is cut first where both do not fit."""
        longest = getattr(self.model.config, "max_position_embeddings", 512) or 512
        return self.tokenizer(
            [readable(first) for first, _ in pairs],
            [readable(second) for _, second in pairs],
            truncation="longest_first",
            # RoBERTa-like models count positions from 2.
            max_length=max(16, min(512, longest - 2)),
            padding=True,
            return_tensors="pt",
        ).to(self.model.device)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The chance of each pair, 0 to 1."""
        import torch

        limit_threads(0)
        with torch.inference_mode():
            logits = self.model(**self.inputs(pairs)).logits.float()
        chances = logits.softmax(-1)[:, -1] if logits.shape[-1] > 1 else logits.sigmoid()[:, 0]
        return [float(chance) for chance in chances]


class ProcessPairClassifier:
    """What ``PairClassifier`` gives, from a child process that starts with the first pairs and ends with ``close``."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self._child = ModelProcess(__name__, (str(folder), device or ""), name="cross-encoder", read=(folder,))

    def __call__(self, pairs: Sequence[tuple[str, str]], report: Report) -> list[float]:
        """The chance of each pair, 0 to 1.

        Raises Cancelled, and EnvironmentProblem where the model cannot be loaded or the child was ended.
        """
        (answer,) = self._child.ask({"pairs": [list(pair) for pair in pairs]}, report)
        return [float(chance) for chance in answer["chances"]]

    def close(self) -> None:
        self._child.close()


def _parameters(folder: Path, threshold: float, use_responses: bool) -> dict[str, str]:
    known = {"model": folder.name, "threshold": str(threshold), "use_responses": str(use_responses)}
    return known | {"fine_tuned": str(bool(card_of(folder)))}


def _explained(  # noqa: PLR0917 (the parts of one ranking)
    queries: Sequence[Query],
    candidates: Sequence[Candidate],
    scores: Matrix,
    threshold: float,
    use_responses: bool,
    report: Report,
) -> Rankings:
    telling = weights([candidate.diff_text for candidate in candidates])
    reasons = {
        (row, column): (
            f"the model gives {scores[row, column]:.2f}",
            *explain(queries[row], candidates[column], telling, use_response=use_responses),
        )
        for row, column in best_pairs(scores, threshold)
    }
    report.progress(1.0)
    return rank(queries, candidates, scores, threshold, reasons)


def main() -> None:
    """The child (arguments: folder, device or "" for the best): ``{"pairs"}`` is answered by ``{"chances"}``."""
    folder, device = sys.argv[1:3]
    loaded: list[PairClassifier] = []

    def respond(request: Answer, _emit: Callable[[Answer], None], _report: Report) -> Answer:
        if not loaded:  # a folder that cannot be loaded is the answer to a request, not the end of the child
            loaded.append(PairClassifier.load(Path(folder), device or None))
        return {"chances": loaded[0]([(first, second) for first, second in request["pairs"]])}

    serve(respond)


if __name__ == "__main__":
    main()


# --- Matching by meaning: a sentence encoder over comments and edits --------------------------------------------------


def cosines(
    embedder: Embedder, queries: Sequence[Sequence[str]], documents: Sequence[Sequence[str]], report: Report
) -> list[list[Matrix]]:
    """Cosine of every query with every document; result[i][j] belongs to queries[i] and documents[j].

    An empty text is like nothing: its row or column is 0. All texts go through the encoder in one pass.
    """
    import numpy as np

    texts = [text for group in (*queries, *documents) for text in group]
    vectors = embedder.encode([text for text in texts if text.strip()], report)
    full = np.zeros((len(texts), vectors.shape[1]))
    full[[at for at, text in enumerate(texts) if text.strip()]] = vectors
    sides = np.split(full, np.cumsum([len(group) for group in (*queries, *documents)])[:-1])
    return [[query @ document.T for document in sides[len(queries) :]] for query in sides[: len(queries)]]


class EncoderAligner:
    """Cosine of the comment (averaged with the response's, where one is used) and what was added.

    Where nothing was added, the paragraph after the revision stands for the edit.
    """

    def __init__(self, embedder: Embedder, *, use_responses: bool = False) -> None:
        self._embedder = embedder
        self._use_responses = use_responses
        self._threshold = THRESHOLDS[use_responses]
        self.origin = f"model:encoder@1+{embedder.fingerprint}"
        self.parameters = {"threshold": str(self._threshold), "use_responses": str(use_responses)}
        self.parameters["encoder"] = embedder.fingerprint

    def score(self, queries: Sequence[Query], candidates: Sequence[Candidate], *, report: Report) -> Rankings:
        documents = [candidate.added or post_revision(candidate) for candidate in candidates]
        comments = [query.comment for query in queries]
        responses = [query.response if self._use_responses else "" for query in queries]
        (by_comment,), (by_response,) = cosines(
            self._embedder, [comments, responses], [documents], report.part(0.0, 0.95)
        )
        scores = by_comment
        for row, response in enumerate(responses):
            if response.strip():
                scores[row] = (by_comment[row] + by_response[row]) / 2
        telling = weights(documents)
        reasons = {
            (row, column): (
                f"similar in meaning ({scores[row, column]:.2f})",
                *explain(queries[row], candidates[column], telling, use_response=self._use_responses),
            )
            for row, column in best_pairs(scores, self._threshold)
        }
        report.progress(1.0)
        return rank(queries, candidates, scores, self._threshold, reasons)


THRESHOLDS = {False: 0.487, True: 0.482}
"""Cosines from which a pair counts as linked, without and with responses (tests.benchmarks.alignment_quality)."""
