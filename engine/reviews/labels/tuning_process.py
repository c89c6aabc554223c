"""Learning heads, fine-tuning, and reading with a fine-tuned encoder, in a process of its own, so that none of these
holds the window up: each needs torch or scikit-learn.

``{"tune", "reviews"}`` is answered by lines with ``"fraction"`` and ``"words"`` and, last, ``"made"``; ``{"learn",
"reviews"}`` likewise, with ``"card"`` and ``"weights"``; ``{"folder", "texts"}`` (the sentences of each review) by
``"chances"`` by target.
"""

from __future__ import annotations

import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine.jobs import PartReport, QuietReport, Report
from engine.models.child import Answer, ModelProcess, serve
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import Heads, Target, from_bytes, to_bytes
from engine.reviews.labels.records import LabelledReview, Layer
from engine.reviews.labels.tuning import (
    TunedEncoder,
    Tuning,
    as_rows,
    card_learnt,
    card_targets,
    forget_unfinished,
    from_rows,
    settings_of,
    tune,
)

PATIENCE = 0.8
"""Seconds in which a child must hear that it is cancelled; then it is ended."""
_OFTEN = 0.2
"""Seconds between two lines of progress."""


def tune_beside(reviews: Sequence[LabelledReview], tuning: Tuning, report: Report) -> TunedEncoder:
    """``tune`` in a child process. Raises EnvironmentProblem where it raises BadInput, else as it does."""
    # The new folder is written beside the old one and then takes its place.
    write = (tuning.out.parent,)
    with suppress(OSError):  # then the child says that it cannot write there
        tuning.out.parent.mkdir(parents=True, exist_ok=True)
    child = ModelProcess(__name__, (), name="training", patience=PATIENCE, read=(tuning.base,), write=write)
    request = asdict(tuning) | {"base": str(tuning.base), "out": str(tuning.out)}
    try:
        for answer in child.ask({"tune": request, "reviews": as_rows(reviews)}, report):
            if "made" in answer:
                made = answer["made"]
                return TunedEncoder(
                    **made
                    | {
                        "folder": Path(made["folder"]),
                        "losses": tuple(made["losses"]),
                        "masked_losses": tuple(made["masked_losses"]),
                    }
                )
            report.progress(answer["fraction"], answer["words"])
    finally:
        child.close()
        forget_unfinished(tuning.out)
    raise AssertionError("the last answer of a training says what was made")


def learn_beside(
    reviews: Sequence[LabelledReview], layers: Sequence[Layer], title: str, seed: int, report: Report
) -> Heads:
    """``fit_own`` on the bundled encoder, in a child process. Raises Cancelled, and EnvironmentProblem where too little
    is labelled or the child was ended.
    """
    child = ModelProcess(__name__, (), name="training", patience=PATIENCE)
    try:
        request = {"learn": {"layers": list(layers), "title": title, "seed": seed}, "reviews": as_rows(reviews)}
        for answer in child.ask(request, report):
            if "weights" in answer:
                return from_bytes(b64decode(answer["weights"]), answer["card"])
            report.progress(answer["fraction"], answer["words"])
    finally:
        child.close()
    raise AssertionError("the last answer of a training has the weights")


class ProcessClassifier:
    """What ``SentenceClassifier`` reads with, from a child process; ``close`` ends it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.targets: tuple[Target, ...] = card_targets(folder)
        self.learnt = card_learnt(folder)
        self._child = ModelProcess(__name__, (), name="fine-tuned encoder", patience=PATIENCE, read=(folder,))

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> Mapping[str, Vectors]:
        """By target the chances (sentences, labels).

        Raises Cancelled, and EnvironmentProblem where the folder cannot be loaded or the child was ended.
        """
        request = {"folder": str(self.folder), "texts": [list(review.texts) for review in reviews]}
        with self._child.turn(report):
            for answer in self._child.ask(request, report):
                if "chances" in answer:
                    return {name: np.array(values, np.float32) for name, values in answer["chances"].items()}
                report.progress(answer["fraction"], answer["words"])
        raise AssertionError("the last answer has the chances")

    def close(self) -> None:
        """Ends the child."""
        self._child.close()


class _Telling(QuietReport):
    """Progress as lines to the parent, not too many; cancelled when the parent says so."""

    def __init__(self, emit: Callable[[Answer], None], told: Report) -> None:
        self._emit, self._told = emit, told
        self._last = 0.0

    def check(self) -> None:
        self._told.check()

    def progress(self, fraction: float, words: str = "") -> None:
        self.check()
        now = time.monotonic()
        if now - self._last >= _OFTEN:
            self._last = now
            self._emit({"fraction": fraction, "words": words})

    def part(self, start: float, end: float) -> Report:
        return PartReport(self, start, end)


def main() -> None:
    """Serves until the input ends."""
    from engine.models import load_encoder
    from engine.reviews.labels.finetuning import SentenceClassifier
    from engine.reviews.labels.tasks import fit_own

    loaded: dict[str, SentenceClassifier] = {}

    def respond(request: Answer, emit: Callable[[Answer], None], told: Report) -> Answer:
        report = _Telling(emit, told)
        if hasattr(os, "nice") and "texts" not in request:
            os.nice(10)  # training must not slow down what somebody waits for (figures in docs/architecture.md)
        if "tune" in request:
            made = tune(from_rows(request["reviews"]), settings_of(request["tune"]), report)
            return {"made": asdict(made) | {"folder": str(made.folder)}}
        if "learn" in request:
            asked = request["learn"]
            heads = fit_own(
                from_rows(request["reviews"]), tuple(asked["layers"]), load_encoder(), report,
                title=asked["title"], seed=asked["seed"],
            )  # fmt: skip
            return {"card": dict(heads.card), "weights": b64encode(to_bytes(heads)).decode("ascii")}
        folder: str = request["folder"]
        if folder not in loaded:
            loaded[folder] = SentenceClassifier.load(Path(folder))
        reviews = [ReviewSentences(tuple(texts)) for texts in request["texts"]]
        chances: dict[str, Any] = loaded[folder].chances(reviews, report)
        return {"chances": {name: values.tolist() for name, values in chances.items()}}

    serve(respond)


if __name__ == "__main__":
    main()
