"""How well the default similarity orders papers that people rated, and which of its parts are worth keeping.

``figures`` measures the default on the expertise data. ``python -m tests.benchmarks.similarity_quality`` prints the
tables of docs/methods-similarity.md: ablations with the interval of the difference from the default (bootstrap over
participants, seed 0), the loss on participants who had no part in choosing the variant (leave one out; 200 halvings,
seed 0), and the band expected to contain nine of ten groups of twenty other people, with its coverage for people not
used to compute it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm, t

from engine.exchange.expertise_data import read_gold_standard
from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.algorithms.fusion import Fusion, FusionParameters
from engine.expertise.algorithms.paperwise import PaperwiseScorer
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.tpms import Tpms
from engine.expertise.evaluation import Evaluation, difference, evaluate
from engine.expertise.experiments import papers_to_read, predict
from engine.expertise.records import GoldStandard, Representation
from engine.jobs import QuietReport
from engine.models import Embedder, load_encoder
from tests.conftest import find_data_folder

SEED = 0
GROUP, SPLITS = 20, 2000
DEFAULT = "default"
ABLATIONS: Mapping[str, tuple[FusionParameters, str]] = {
    DEFAULT: (FusionParameters(), "top-3"),
    "without neighbours": (FusionParameters(neighbours=0), "top-3"),
    "without introductions": (FusionParameters(passages=0), "top-3"),
    "without words": (FusionParameters(words=0.0), "top-3"),
    "title and abstract's cosine alone": (FusionParameters(0, 0, 0.0), "top-3"),
    "that cosine and words": (FusionParameters(0, 0, 1.0), "top-3"),
    "pooled by maximum": (FusionParameters(), "max"),
    "pooled by mean": (FusionParameters(), "mean"),
    "pooled by log-sum-exp": (FusionParameters(), "log-sum-exp"),
    "pooled as acl": (FusionParameters(), "acl"),
}
SIMPLER = (DEFAULT, "title and abstract's cosine alone", "that cosine and words", "tpms")
NEAR = tuple(
    FusionParameters(neighbours, passages, words)
    for neighbours in (5, 10, 20)
    for passages in (2, 3)
    for words in (0.7, 1.0, 1.4)
)
NEAR_POOLINGS = ("top-2", "top-3", "top-4")


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns loss and triples of the default; {} without the data."""
    if data_folder is None:
        return {}
    gold = read_gold_standard(data_folder / "expertise")
    embedder = load_encoder(leave_free=0)
    whole = measure(gold, embedder, "full text", *ABLATIONS[DEFAULT])
    brief = measure(gold, embedder, "title+abstract", *ABLATIONS[DEFAULT])
    return {
        "fusion_full_text_loss": {"value": whole.loss, "unit": "loss", "better": "lower", "target": 0.18},
        "fusion_title_abstract_loss": {"value": brief.loss, "unit": "loss", "better": "lower", "target": 0.21},
        "fusion_easy_triples": {"value": whole.easy, "unit": "share", "better": "higher", "target": 0.92},
        "fusion_hard_triples": {"value": whole.hard, "unit": "share", "better": "higher", "target": 0.66},
    }


def measure(
    gold: GoldStandard, embedder: Embedder, representation: Representation, parameters: FusionParameters, pooling: str
) -> Evaluation:
    """Evaluates one variant over the data's profile draws."""
    return _run(Fusion(embedder, parameters, Pooling(pooling)), gold, representation)


def _run(algorithm: SimilarityAlgorithm, gold: GoldStandard, representation: Representation) -> Evaluation:
    draws = list(gold.draws.values())
    scorer = algorithm.read(papers_to_read(gold, draws), representation, report=QuietReport())
    return evaluate(gold, predict(scorer, gold, draws, QuietReport()), seed=SEED)


def near_by(gold: GoldStandard, embedder: Embedder, representation: Representation) -> Iterator[Evaluation]:
    """Yields variants near the default, each computed once for all poolings."""
    draws = list(gold.draws.values())
    for parameters in NEAR:
        if representation != "full text" and parameters.passages != FusionParameters().passages:
            continue
        scorer = Fusion(embedder, parameters).read(papers_to_read(gold, draws), representation, report=QuietReport())
        for pooling in NEAR_POOLINGS:
            pooled = PaperwiseScorer(scorer.comparison, Pooling(pooling))
            yield evaluate(gold, predict(pooled, gold, draws, QuietReport()), samples=1)


def chosen_elsewhere(variants: Sequence[Evaluation]) -> tuple[float, float, float]:
    """Returns the loss on people who had no part in choosing the variant.

    Returns it for leaving one participant out, the mean of 200 halvings, and the mean of all variants without choice.
    """
    lost = np.array([one.parts[0].mean(axis=0) for one in variants])
    whole = np.array([one.parts[1].mean(axis=0) for one in variants])
    people = np.arange(lost.shape[1])

    def best(some: np.ndarray) -> int:
        return int(np.argmin(lost[:, some].sum(axis=1) / whole[:, some].sum(axis=1)))

    outside = [lost[best(people[people != one]), one] for one in people]
    rng = np.random.default_rng(SEED)
    halves = []
    for _ in range(200):
        order = rng.permutation(people)
        train, test = np.split(order, [len(order) // 2])
        pick = best(train)
        halves.append(lost[pick, test].sum() / whole[pick, test].sum())
    return float(sum(outside) / whole[0].sum()), float(np.mean(halves)), float((lost.sum(1) / whole.sum(1)).mean())


def band(lost: np.ndarray, whole: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns the band of 90 % of the losses of other groups of ``GROUP`` people: by resampling the variation of such a
    group and of these people, widened as for the mean of a small sample."""
    count = len(lost)

    def losses(size: int) -> np.ndarray:
        drawn = rng.integers(count, size=(SPLITS, size))
        return np.asarray(lost[drawn].sum(axis=1) / whole[drawn].sum(axis=1))

    wider = t.ppf(0.95, count - 1) / norm.ppf(0.95) * np.sqrt(count / (count - 1))
    return np.asarray(lost.sum() / whole.sum() + wider * np.percentile(losses(GROUP) - losses(count), [5, 95]))


def unseen(found: Evaluation) -> tuple[np.ndarray, float]:
    """Returns the band from everyone, and how often the band from some people covered the loss of ``GROUP`` others."""
    lost, whole = (part.mean(axis=0) for part in found.parts)
    rng, inside = np.random.default_rng(SEED), 0
    for _ in range(SPLITS):
        others, known = np.split(rng.permutation(len(lost)), [GROUP])
        low, high = band(lost[known], whole[known], rng)
        inside += low <= lost[others].sum() / whole[others].sum() <= high
    return band(lost, whole, rng), inside / SPLITS


def main() -> None:
    """Prints the tables."""
    data = find_data_folder()
    if data is None:
        raise SystemExit("the measuring data is absent")
    gold = read_gold_standard(data / "expertise")
    embedder = load_encoder(leave_free=0)
    representations: tuple[Representation, ...] = ("full text", "title+abstract")
    for representation in representations:
        print(representation)
        default = measure(gold, embedder, representation, *ABLATIONS[DEFAULT])
        (low, high), covered = unseen(default)
        print(f"  twenty others: {low:.3f} to {high:.3f}; such a band held for {covered:.1%} of the groups left out")
        simpler: list[Evaluation] = []
        words = _run(Tpms(), gold, representation)
        for name, (parameters, pooling) in [*ABLATIONS.items(), ("tpms", (FusionParameters(), ""))]:
            if representation != "full text" and name == "without introductions":
                continue
            found = measure(gold, embedder, representation, parameters, pooling) if pooling else words
            if name in SIMPLER:
                simpler.append(found)
            less = difference(found, default, seed=SEED)
            print(
                f"  {name:36} {found.loss:.4f} ({found.loss_low:.3f} to {found.loss_high:.3f})"
                f"  {less.value:+.4f} ({less.low:+.3f} to {less.high:+.3f})  {found.easy:.3f}  {found.hard:.3f}",
                flush=True,
            )
        one_out, halves, _ = chosen_elsewhere(simpler)
        print(f"  the default or a simpler one, chosen on the others: {one_out:.4f} (one out), {halves:.4f} (halves)")
        near = list(near_by(gold, embedder, representation))
        losses = [found.loss for found in near]
        one_out, halves, mean = chosen_elsewhere(near)
        print(
            f"  {len(near)} similar variants: {min(losses):.4f} to {max(losses):.4f}, mean {mean:.4f};"
            f" chosen on the others: {one_out:.4f} (one out), {halves:.4f} (halves)",
            flush=True,
        )


if __name__ == "__main__":
    main()
