"""Both kinds of fine-tuning really train a tiny model, keep the best one, stop early, and go on where they stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.research.alignment.training import CHECKPOINT, TrainingSettings, train, triplets
from engine.revision.aligners import Means, make_aligner
from engine.revision.aligners.trained import CARD, Kind, card_of
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.research.test_trainer import StopsAt
from tests.engine.revision.papers import PAPERS

KINDS: tuple[Kind, ...] = ("bi-encoder", "cross-encoder")
QUICK = TrainingSettings(
    "bi-encoder", steps=4, batch=4, learning_rate=5e-3, warm_up=2, negatives=3, look_every=2, least_characters=0
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_encoder(tmp_path_factory.mktemp("models") / "tiny")


def weights(folder: Path) -> dict[str, object]:
    from safetensors.numpy import load_file

    return {
        f"{file.relative_to(folder)}/{name}": values.tolist()
        for file in sorted(folder.rglob("*.safetensors"))
        for name, values in load_file(file).items()
    }


def learned(out: Path, base: Path) -> bool:
    """Whether the weights in the checkpoint are other ones than those of the base."""
    import torch

    kept = torch.load(out / CHECKPOINT, weights_only=True)["model"]
    name = next(name for name in kept if name.endswith("word_embeddings.weight"))
    before = next(value for key, value in weights(base).items() if key.endswith("word_embeddings.weight"))
    return bool((kept[name] - torch.tensor(before)).abs().max() > 1e-4)


def test_triplets_take_negatives_from_other_papers_only() -> None:
    made = triplets(PAPERS, QUICK)
    assert len(made) == 3 * 4 * QUICK.negatives
    for triplet in made:
        own = next(paper for paper in PAPERS if any(triplet.comment.endswith(q.comment) for q in paper.queries))
        texts = {f"edit: {c.diff_text}" for c in own.candidates}
        assert triplet.positive in texts and triplet.negative not in texts
    assert made == triplets(PAPERS, QUICK)
    assert len(triplets(PAPERS, replace(QUICK, least_characters=110))) < len(made)


def test_triplets_need_links_and_another_paper() -> None:
    with pytest.raises(BadInput, match="no other paper"):
        triplets(PAPERS[:1], QUICK)
    silent = [replace(paper, positives=(frozenset(),) * 4) for paper in PAPERS]
    with pytest.raises(BadInput, match="No comment is linked"):
        triplets(silent, QUICK)


@pytest.mark.parametrize("kind", KINDS)
def test_training_changes_the_model_and_the_aligner_uses_it(kind: Kind, base: Path, tmp_path: Path) -> None:
    out = tmp_path / kind
    trained = train(base, out, PAPERS[:2], PAPERS[2:], replace(QUICK, kind=kind), report=QuietReport(), device="cpu")
    assert trained.steps == 4 and trained.peak_memory > 0 and not (out / CHECKPOINT).exists()
    card = json.loads((out / CARD).read_text(encoding="utf-8"))
    assert card["kind"] == kind and card["threshold"] == trained.threshold and card["settings"]["steps"] == 4
    if trained.best_step:
        assert weights(out) != weights(base)
    aligner = make_aligner(kind, means=Means(model_folder=out), least_characters=0)
    assert aligner.parameters["fine_tuned"] == "True"
    paper = PAPERS[2]
    rankings = aligner.score(paper.queries, paper.candidates, report=QuietReport())
    for ranking in rankings.values():
        assert len(ranking) == len(paper.candidates)
        assert all(scored.linked == (scored.score >= trained.threshold) for scored in ranking)


@pytest.mark.parametrize("kind", KINDS)
def test_loss_falls(kind: Kind, base: Path, tmp_path: Path) -> None:
    heard: list[str] = []

    class Listening(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            heard.append(words)

    steps = 16 if kind == "bi-encoder" else 60
    settings = replace(QUICK, kind=kind, steps=steps, look_every=steps, learning_rate=3e-3, negatives=1)
    train(base, tmp_path / "out", PAPERS[:2], PAPERS[2:], settings, report=Listening(), device="cpu")
    means = [float(words.rsplit(" ", 1)[1]) for words in heard if "loss" in words]
    assert means[-1] < max(means[:3])


@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_run_goes_on_and_ends_like_one_that_was_not_stopped(kind: Kind, base: Path, tmp_path: Path) -> None:
    settings = replace(QUICK, kind=kind, patience=100)
    whole = train(base, tmp_path / "whole", PAPERS[:2], PAPERS[2:], settings, report=QuietReport(), device="cpu")
    out = tmp_path / "stopped"
    with pytest.raises(Cancelled):
        train(base, out, PAPERS[:2], PAPERS[2:], settings, report=StopsAt(4), device="cpu")
    assert learned(out, base)
    resumed = train(base, out, PAPERS[:2], PAPERS[2:], settings, report=QuietReport(), device="cpu")
    assert (resumed.best_step, resumed.f1, resumed.threshold) == (whole.best_step, whole.f1, whole.threshold)
    assert weights(out) == weights(tmp_path / "whole")


def test_another_run_is_not_gone_on_with(base: Path, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        train(base, tmp_path, PAPERS[:2], PAPERS[2:], QUICK, report=StopsAt(2), device="cpu")
    with pytest.raises(BadInput, match="other settings"):
        train(base, tmp_path, PAPERS[:2], PAPERS[2:], replace(QUICK, seed=7), report=QuietReport(), device="cpu")
    (tmp_path / CHECKPOINT).write_bytes(b"not a checkpoint")
    with pytest.raises(BadInput, match="can't be read"):
        train(base, tmp_path, PAPERS[:2], PAPERS[2:], QUICK, report=QuietReport(), device="cpu")


@pytest.mark.parametrize("kind", KINDS)
def test_stops_early_when_nothing_gets_better(kind: Kind, base: Path, tmp_path: Path) -> None:
    settings = replace(QUICK, kind=kind, steps=50, look_every=1, patience=2, learning_rate=1e-9)
    trained = train(base, tmp_path, PAPERS[:2], PAPERS[2:], settings, report=QuietReport(), device="cpu")
    assert trained.stopped_early and trained.steps <= 10


def test_what_is_missing_is_named(base: Path, tmp_path: Path) -> None:
    blind = [replace(PAPERS[2], positives=(frozenset(),) * 4)]
    with pytest.raises(BadInput, match="No development comment"):
        train(base, tmp_path, PAPERS[:2], blind, QUICK, report=QuietReport(), device="cpu")
    with pytest.raises(EnvironmentProblem, match="no model"):
        train(tmp_path / "none", tmp_path, PAPERS[:2], PAPERS[2:], QUICK, report=QuietReport(), device="cpu")
    with pytest.raises(EnvironmentProblem, match="no model"):
        make_aligner("cross-encoder", means=Means(model_folder=tmp_path / "none"))
    with pytest.raises(BadInput, match="needs the folder"):
        make_aligner("bi-encoder")
    assert card_of(tmp_path / "none") == {}
