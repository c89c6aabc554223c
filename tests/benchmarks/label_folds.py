"""Labels by outer folds over papers and seeds: what to expect on papers that nothing was chosen on.

``python -m tests.benchmarks.label_folds DATA KEPT --task TASK --seed N`` deals the papers into five folds, fits heads
to four of them (stacking, calibration and thresholds inside those, with the four as inner folds) and keeps their
answers on the fifth in KEPT, 5 to 10 minutes a seed on one core. Without ``--task`` it prints the table of what KEPT
has. Tasks: ``sections`` (themes, polarity and aspect of Peer-Review-Analyze), ``reviews`` (polarity, aspect and review
action of DISAPERE, on top of the heads that ship) and ``rebuttals`` (actions of its rebuttal sentences). All labels
are people's.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.exchange.disapere import read_disapere
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.jobs import QuietReport
from engine.models import EmbeddingCache, load_encoder
from engine.research.labels.heads import Examples, HeadSettings, examples, fit, layer_target
from engine.research.rebuttal.acts import act_examples
from engine.research.rebuttal.experiments import exchanges
from engine.research.rebuttal.reproduction import exchange_pair
from engine.reviews.labels.heads import Heads, mean_chances, shipped
from engine.reviews.labels.measures import CUTS, calibration_error, macro_f1, micro_f1, precision, promises

FOLDS = 5
TASKS = ("sections", "reviews", "rebuttals")


def data_of(task: str, folder: Path, kept: Path) -> tuple[Examples, Heads | None]:
    """Returns the sentences of a task with their labels, and the heads that others are fitted on top of."""
    report = QuietReport()
    encoder = load_encoder(cache=EmbeddingCache(kept / "vectors.sqlite"))
    if task == "sections":
        reviews = read_peer_review_analyze(folder / "peer_review_analyze")
        return examples(reviews, [layer_target(n) for n in ("theme", "polarity", "aspect")], encoder, report), None
    pairs = [pair for part in ("train", "dev") for pair in read_disapere(folder / "disapere" / part)]
    if task == "reviews":
        targets = [layer_target(name) for name in ("polarity", "aspect", "review_action")]
        return examples([pair.labelled() for pair in pairs], targets, encoder, report), shipped()
    return act_examples(exchanges([exchange_pair(pair) for pair in pairs], encoder, report)), None


def run(task: str, seed: int, folder: Path, kept: Path) -> None:
    """Stores the answers of all outer folds of one seed, with those of the inner folds used for all choices."""
    data, prior = data_of(task, folder, kept)
    groups = data.sentence_groups()
    rng = np.random.default_rng(1000 + seed)
    fold = (rng.permutation(int(groups.max()) + 1) % FOLDS)[groups]
    found: dict[str, NDArray[Any]] = {"fold": fold, "paper": groups}
    fitted: dict[bytes, Any] = {}
    for outer in range(FOLDS):
        learn, test = np.flatnonzero(fold != outer), fold == outer
        heads, chances, held = fit(
            data, HeadSettings(seed=seed), QuietReport(), chosen=learn, prior=prior, dealt=fold, fitted=fitted
        )
        plain = mean_chances(fitted[learn.tobytes()].said)
        start = 0
        for head in heads.heads:
            name, end = head.target.name, start + len(head.target.labels)
            blank = np.zeros((len(fold), end - start), np.float32)
            for key in ("answers", "held", "plain"):
                found.setdefault(f"{name}.{key}", blank.copy())
            found.setdefault(f"{name}.inner", np.zeros((FOLDS, *blank.shape), np.float16))
            found[f"{name}.answers"][test] = chances[name][test]
            found[f"{name}.held"][test] = held[name][test]
            found[f"{name}.plain"][test] = plain[test, start:end]
            found[f"{name}.inner"][outer, learn] = chances[name][learn]
            found[f"{name}.truth"] = data.truth[name]
            start = end
    np.savez_compressed(kept / f"{task}-{seed}.npz", allow_pickle=False, **found)


def table(kept: Path) -> list[dict[str, Any]]:
    """Returns a row per layer: means over folds and seeds, standard deviation, and the worst fold, in percent.

    ``precision of suggestions``: for suggestions above the thresholds that the inner folds gave each label;
    ``calibration error``: for the plain mean of the views, for the heads, and for their probabilities after a
    temperature or isotonic regression fitted to the inner folds.
    """
    folds: dict[str, list[dict[str, float]]] = {}
    papers: dict[str, int] = {}
    for file in sorted(kept.glob("*-*.npz")):
        with np.load(file) as found:
            for key in found:
                if key.endswith(".answers"):
                    layer = f"{file.stem.split('-')[0]}: {key.removesuffix('.answers')}"
                    papers[layer] = len(np.unique(found["paper"]))
                    folds.setdefault(layer, []).extend(_judged(found, key.removesuffix(".answers")))
    rows = []
    for layer, judged in folds.items():
        row: dict[str, Any] = {"layer": layer, "papers": papers[layer], "seeds": len(judged) / FOLDS}
        for key in judged[0]:
            values = np.array([one[key] for one in judged])
            worst = values.max() if "error" in key else np.nanmin(values) if not np.isnan(values).all() else np.nan
            row[key] = tuple(round(100 * float(v), 1) for v in (np.nanmean(values), np.nanstd(values), worst))
        rows.append(row)
    return rows


def _judged(found: Any, layer: str) -> list[dict[str, float]]:
    truth, fold, paper = found[f"{layer}.truth"], found["fold"], found["paper"]
    said, plain = found[f"{layer}.answers"], found[f"{layer}.plain"]
    read = found[f"{layer}.held"] > 0
    several = layer == "theme"
    some = np.ones(truth.shape[1], dtype=np.bool_)
    some[-1] = layer != "aspect"  # "none" is never suggested
    rows = []
    for outer in range(FOLDS):
        inner, test = (np.flatnonzero(side & (truth[:, 0] >= 0)) for side in (fold != outer, fold == outer))
        chances = found[f"{layer}.inner"][outer][inner].astype(np.float32)
        common = np.zeros((len(test), truth.shape[1]), dtype=np.bool_)
        common[:, truth[inner].sum(axis=0).argmax()] = True
        likeliest = chances >= 0.5 if several else chances == chances.max(axis=1, keepdims=True)
        names = [str(at) for at in range(truth.shape[1])]
        made = promises(truth[inner], chances, likeliest & some, paper[inner], names)["labels"]
        cuts = np.array([made[name]["from"] or 2.0 if name in made else 2.0 for name in names])
        offered = read[test] & some & (said[test] >= CUTS[0])
        sure = offered & (said[test] >= cuts)
        by_label = [precision(truth[test, at], sure[:, at]) for at in np.flatnonzero(sure.any(axis=0))]
        row = {
            "macro-F1": macro_f1(truth[test], read[test]),
            "micro-F1": micro_f1(truth[test], read[test]),
            "macro-F1 majority": macro_f1(truth[test], common),
            "micro-F1 majority": micro_f1(truth[test], common),
            "precision from 70": precision(truth[test], offered) if offered.any() else np.nan,
            "labels suggested": float((cuts <= 1).mean()),
            "precision of the worst label": min(by_label, default=np.nan),
            "precision of suggestions": precision(truth[test], sure) if sure.any() else np.nan,
            "sentences with one": float(sure.any(axis=1).mean()),
        }
        ways = {"views": plain[test], "heads": said[test]}
        ways |= _calibrated(chances, truth[inner], said[test], several=several)
        for way, values in ways.items():
            row[f"calibration error {way}"] = _error(truth[test], values, several=several)
        rows.append(row)
    return rows


def _error(truth: NDArray[Any], chances: NDArray[Any], *, several: bool) -> float:
    """Calibration error of all probabilities if several labels may apply, otherwise of the likeliest label's."""
    if several:
        return calibration_error(truth, chances)
    best = chances.argmax(axis=1)[:, None]
    return calibration_error(np.take_along_axis(truth, best, 1), np.take_along_axis(chances, best, 1))


def _calibrated(
    learn: NDArray[Any], truth: NDArray[Any], chances: NDArray[Any], *, several: bool
) -> dict[str, NDArray[Any]]:
    from scipy.optimize import minimize_scalar
    from sklearn.isotonic import IsotonicRegression

    def warmed(values: NDArray[Any], heat: float) -> NDArray[Any]:
        kept = np.clip(values, 1e-4, 1 - 1e-4)
        if several:
            return np.asarray(1 / (1 + ((1 - kept) / kept) ** (1 / heat)))
        raised = kept ** (1 / heat)
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def loss(heat: float) -> float:
        p = np.clip(warmed(learn, heat), 1e-6, 1 - 1e-6)
        return -float((truth * np.log(p) + (several * (1 - truth)) * np.log(1 - p)).sum())

    heat = minimize_scalar(loss, bounds=(0.3, 3.0), method="bounded").x
    curve = IsotonicRegression(out_of_bounds="clip").fit(learn.ravel(), truth.ravel())
    curved = curve.predict(chances.ravel()).reshape(chances.shape)
    if not several:
        curved = curved / np.maximum(curved.sum(axis=1, keepdims=True), 1e-9)
    return {"temperature": warmed(chances, heat), "isotonic": curved}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--task", choices=TASKS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.kept.mkdir(parents=True, exist_ok=True)
    if given.task:
        run(given.task, given.seed, given.data, given.kept)
    else:
        for row in table(given.kept):
            print(json.dumps(row))
