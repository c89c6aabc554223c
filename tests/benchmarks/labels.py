"""Labels of review sentences: speed and, if the measuring data are available, quality.

Quality is that of ``rejoinder reproduce rebuttal --tasks theme,labels``: heads trained on the training part and
evaluated on the rest, in some minutes. Themes by sentence and fine-tuning are left to that command; ``rejoinder train
heads`` checks that the released heads can be rebuilt with the same figures. The released heads are also evaluated on
reviews of other annotators (the development part of DISAPERE): how often their suggestions are right.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.exchange.disapere import read_disapere
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.jobs import QuietReport
from engine.models import EmbeddingCache, load_encoder
from engine.research.labels.evaluation import disapere_rows, theme_rows
from engine.research.labels.own import elsewhere
from engine.reviews.labels.heads import shipped
from engine.reviews.labels.reading import read_labels

REVIEW = (
    "# Summary\n\nThe paper proposes a gate for recurrent networks, number {n}. It is tested on two corpora.\n\n"
    "# Strengths\n\n- The idea is simple and well motivated.\n- Section {n} is clear.\n\n# Weaknesses\n\n"
    "- No comparison with recent work is given, e.g. that of others on data set {n}.\n"
    "- It is unclear how $x_{n}$ was chosen. Please report the variance over runs in Table {n}.\n"
    "- Typos: “teh” on page {n}.\n\nWhy is the learning rate {n} times smaller than usual?\n"
)
REVIEWS = 40
TARGETS = {
    ("theme", "70/10/20 by paper", "micro-F1"): ("theme_by_paper", 65.0),
    ("polarity", "train -> dev", "macro-F1"): ("polarity", 73.0),
    ("aspect, 9 classes with none", "train -> dev", "macro-F1"): ("aspect", 37.0),
    ("aspect of sentences that have one, 8 classes", "train -> dev", "accuracy"): ("aspect_given_accuracy", 50.0),
    ("aspect of sentences that have one, 8 classes", "train -> dev", "macro-F1"): ("aspect_given", 40.0),
    ("review action, 7 classes with none", "train -> dev", "macro-F1"): ("review_action", 56.0),
}


def _figure(value: float, unit: str, better: str, target: float | None) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": better, "target": target}


def _seconds(work: Callable[[], object], runs: int = 5) -> float:
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def speed() -> dict[str, dict[str, Any]]:
    """Returns sentences per second for new reviews, and with cached vectors of the encoder."""
    texts = [REVIEW.replace("{n}", str(number)) for number in range(REVIEWS)]
    heads = [shipped()]
    with tempfile.TemporaryDirectory() as folder:
        encoder = load_encoder(cache=EmbeddingCache(Path(folder) / "vectors.sqlite"))
        read_labels(["Load the model."], heads, encoder, QuietReport())
        started = time.perf_counter()
        found = read_labels(texts, heads, encoder, QuietReport())
        first = time.perf_counter() - started
        again = _seconds(lambda: read_labels(texts, heads, encoder, QuietReport()))
        one = _seconds(lambda: read_labels(texts[:1], heads, encoder, QuietReport()))
    count = sum(map(len, found))
    return {
        "sentences_per_second": _figure(count / first, "1/s", "higher", 100),
        "sentences_per_second_known_vectors": _figure(count / again, "1/s", "higher", 1000),
        "one_review_known_vectors": _figure(one * 1000, "ms", "lower", 100),
        "load_heads": _figure(_seconds(shipped) * 1000, "ms", "lower", 250),
    }


def suggestions(data_folder: Path) -> dict[str, dict[str, Any]]:
    """Returns the share of right polarities among suggestions of the released heads on DISAPERE's development part, and
    the share of sentences with a suggestion."""
    reviews = [pair.labelled() for pair in read_disapere(data_folder / "disapere" / "dev")]
    made = elsewhere(shipped(), reviews, load_encoder(), QuietReport())["polarity"]
    _cut, right, low, _high, share = made["tried"][0]  # the lowest probability, which is the released threshold
    return {
        "suggested_polarity_right": _figure(100 * right, "%", "higher", 70),
        "suggested_polarity_right_low": _figure(100 * low, "%", "higher", 70),
        "suggested_polarity_share": _figure(100 * share, "%", "higher", None),
    }


def quality(data_folder: Path) -> dict[str, dict[str, Any]]:
    """Returns the figures of newly trained heads, each with its target."""
    encoder, report = load_encoder(leave_free=0), QuietReport()
    learn, judge = (
        [pair.labelled() for pair in read_disapere(data_folder / "disapere" / part)] for part in ("train", "dev")
    )
    reviews = read_peer_review_analyze(data_folder / "peer_review_analyze")
    rows = [
        *disapere_rows(learn, judge, encoder, report, prior=shipped()),
        *theme_rows(reviews, encoder, report, splits=("paper",)),
    ]
    known = {(row.task, row.split, row.metric): row.value for row in rows if row.strategy == "heads"}
    return {name: _figure(known[key], "%", "higher", target) for key, (name, target) in TARGETS.items()}


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the figures of this module."""
    found = speed()
    if data_folder is not None:
        found |= suggestions(data_folder) | quality(data_folder)
    return found
