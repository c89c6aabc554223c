"""Learns heads and fine-tunes in a separate process, because torch and scikit-learn would block the window.

``{"tune", "reviews"}`` is answered with ``{"made"}``, ``{"learn", "reviews"}`` with ``{"card", "weights"}``.
"""

import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter

from engine.files import make_private_folder
from engine.jobs import Report
from engine.models import load_encoder
from engine.models.child import Answer, ModelProcess, serve
from engine.research.labels.encoders import TunedEncoder, Tuning, forget_unfinished, tune
from engine.research.labels.own import fit_own
from engine.reviews.labels.classifier import PATIENCE
from engine.reviews.labels.heads import Heads, from_bytes, to_bytes
from engine.reviews.labels.records import LabelledReview, Layer

REVIEWS = TypeAdapter(tuple[LabelledReview, ...])
_TUNING, _TUNED = TypeAdapter(Tuning), TypeAdapter(TunedEncoder)


def tune_beside(reviews: Sequence[LabelledReview], tuning: Tuning, report: Report) -> TunedEncoder:
    """Runs ``tune`` in a child process. Raises EnvironmentProblem instead of BadInput, otherwise the same errors."""
    # The new folder is written next to the old one, which it then replaces.
    write = (tuning.out.parent,)
    with suppress(OSError):  # if this fails, the child reports that it can't write there
        make_private_folder(tuning.out.parent)
    child = ModelProcess(__name__, (), name="training", patience=PATIENCE, read=(tuning.base,), write=write)
    try:
        answer = _answer(child, reviews, {"tune": _TUNING.dump_python(tuning, mode="json")}, report)
        return _TUNED.validate_python(answer["made"])
    finally:
        child.close()
        forget_unfinished(tuning.out)


def learn_beside(
    reviews: Sequence[LabelledReview], layers: Sequence[Layer], report: Report, *, seed: int, before: Sequence[Heads]
) -> Heads:
    """Runs ``fit_own`` with the bundled encoder in a child process. Raises Cancelled, and EnvironmentProblem if there
    are too few labels or the child was killed."""
    child = ModelProcess(__name__, (), name="training", patience=PATIENCE)
    try:
        known = [_sent(heads) for heads in before]
        request = {"learn": {"layers": list(layers), "seed": seed, "before": known}}
        return _received(_answer(child, reviews, request, report))
    finally:
        child.close()


def _sent(heads: Heads) -> Answer:
    return {"card": dict(heads.card), "weights": b64encode(to_bytes(heads)).decode("ascii")}


def _received(answer: Answer) -> Heads:
    return from_bytes(b64decode(answer["weights"]), answer["card"])


def _answer(child: ModelProcess, reviews: Sequence[LabelledReview], request: Answer, report: Report) -> Any:
    (answer,) = child.ask({**request, "reviews": REVIEWS.dump_python(tuple(reviews), mode="json")}, report)
    return answer


def main() -> None:
    """Runs the child process until its input ends."""
    if hasattr(os, "nice"):
        os.nice(10)  # training must not slow down jobs that the user is waiting for (figures in docs/architecture.md)

    def respond(request: Answer, _emit: Callable[[Answer], None], report: Report) -> Answer:
        reviews = REVIEWS.validate_python(request["reviews"])
        if "tune" in request:
            made = tune(reviews, _TUNING.validate_python(request["tune"]), report)
            return {"made": _TUNED.dump_python(made, mode="json")}
        asked = request["learn"]
        before = [_received(heads) for heads in asked["before"]]
        made_of = tuple(asked["layers"]), load_encoder(), report
        return _sent(fit_own(reviews, *made_of, seed=asked["seed"], before=before))

    serve(respond, with_progress=True)


if __name__ == "__main__":
    main()
