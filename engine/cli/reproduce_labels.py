"""The label tasks of ``rejoinder reproduce rebuttal``: themes of Peer-Review-Analyze; polarity, attitude root and
review action of DISAPERE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.jobs import Report
    from engine.models import Embedder
    from engine.research.labels.evaluation import Row

TASKS = ("theme", "labels")
_TITLES = {
    "heads": "three views of a sentence, joined",
    "heads, neighbours learnt": "leaning on training sentences around it",
    "fine-tuned alone": "encoder trained end to end",
    "fine-tuned, with heads": "its chances and those of the heads, mean",
}


def label_rows(
    tasks: Sequence[str],
    data: Path,
    parts: tuple[Sequence[str], str],
    *,
    seed: int,
    embedder: Embedder,
    report: Report,
    bases: Sequence[Path] = (),
) -> Iterator[dict[str, Any]]:
    """The rows of those ``tasks`` that are ours, as the command prints them (figures as shares of 1).

    ``parts``: the parts of DISAPERE that are learnt from, and the one that is judged on. ``bases``: encoder folders to
    fine-tune, too; of several the first one is used for themes.

    Raises:
        BadInput: the data are not there, or not in their layout.
        Cancelled: the person cancelled.
    """
    from engine.research.labels.evaluation import disapere_rows, theme_rows

    if "theme" in tasks:
        from engine.exchange.peer_review_analyze import read_peer_review_analyze

        reviews = read_peer_review_analyze(data / "peer_review_analyze")
        for row in theme_rows(reviews, embedder, report, seed=seed, base=bases[0] if bases else None):
            yield _fields(row)
    if "labels" in tasks:
        from engine.exchange.disapere import read_disapere
        from engine.reviews.labels.heads import shipped_or_none
        from engine.reviews.labels.reading import fits

        learnt, judged = parts
        learn = [one.labelled() for name in learnt for one in read_disapere(data / "disapere" / name)]
        judge = [one.labelled() for one in read_disapere(data / "disapere" / judged)]
        named = f"{' and '.join(learnt)} -> {judged}"
        prior = next((one for one in shipped_or_none() if fits(one, embedder)), None)
        for row in disapere_rows(learn, judge, embedder, report, seed=seed, bases=bases, named=named, prior=prior):
            yield _fields(row)


def _fields(row: Row) -> dict[str, Any]:
    return {
        "task": row.task,
        "strategy": row.strategy,
        "title": _TITLES[row.strategy],
        "metric": row.metric,
        "value": row.value / 100,
        "low": row.low / 100,
        "high": row.high / 100,
        "split": row.split,
        "seed": row.seed,
        "published": {} if row.published is None else {row.system: row.published / 100},
        "baseline": {},
        "note": "",
    }
