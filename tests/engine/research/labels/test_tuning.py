"""Fine-tuning from reviews to a folder with its card, beside a window too, and what it suggests with afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.models import bundled_encoder
from engine.models.folders import inspect_folder
from engine.models.library import ModelLibrary
from engine.models.registry import fingerprint
from engine.project import Project
from engine.research.labels.encoders import Tuning, layers_to_tune, tune
from engine.research.labels.own import fit_own
from engine.research.labels.process import REVIEWS as TRAVELLING
from engine.research.labels.process import learn_beside, tune_beside
from engine.research.tasks import fine_tune_encoder
from engine.reviews.labels import heads as head_files
from engine.reviews.labels.classifier import (
    USE,
    ProcessClassifier,
    SentenceClassifier,
    add_tuned,
    card_targets,
    read_card,
)
from engine.reviews.labels.features import ReviewSentences
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.tasks import label_texts, try_heads
from engine.reviews.store import ReviewStore
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews, write_peer_review_analyze

REVIEWS = invented_reviews(24, sentences=10)


class CancelledAfter(QuietReport):
    """Cancelled once this many reports have come."""

    def __init__(self, reports: int) -> None:
        self.left = reports

    def progress(self, fraction: float, words: str = "") -> None:
        self.left -= 1
        self.check()

    def check(self) -> None:
        if self.left < 0:
            raise Cancelled

    def part(self, start: float, end: float) -> CancelledAfter:
        return self


class InThisProcess:
    """A fine-tuned encoder without a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._model = SentenceClassifier.load(folder, "cpu")
        self.targets = self._model.targets
        self.learnt = self._model.learnt
        self.chances = self._model.chances

    def close(self) -> None:
        """Nothing to end."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def tuned(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder that was fine-tuned in a process of its own, specialised before; its folder is all that is left."""
    out = tmp_path_factory.mktemp("models") / "tuned"
    heard: list[float] = []

    class Heard(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            heard.append(fraction)

    made = tune_beside(REVIEWS, Tuning(base, out, specialise=True, epochs=1, data="mine", device="cpu"), Heard())
    assert heard == sorted(heard) and heard[0] >= 0 and heard[-1] <= 1
    assert made.folder == out and made.masked_losses and made.best_epoch == 1 and made.device.startswith("CPU")
    assert set(made.figures) == {"theme", "polarity"} and all(0 <= f["macro_f1"] <= 1 for f in made.figures.values())
    assert 20 <= made.test_sentences <= 60
    assert [path.name for path in out.parent.iterdir()] == ["tuned"] and not (out / "specialised").exists()
    return out


def test_the_card_says_what_it_learnt_and_how_good_it_is(tuned: Path) -> None:
    card = read_card(tuned)
    assert (card["data"], card["specialised"], card["split"]) == ("mine", True, "70/10/20 by paper")
    assert card["figures"]["theme"]["micro_f1"] >= 0 and card["test_sentences"] > 0 and card["seed"] == 1
    assert [target.name for target in card_targets(tuned)] == ["polarity", "theme"]
    assert inspect_folder(tuned).kind == "label encoder"
    assert read_card(tuned / "missing") == {}


def test_reading_beside_a_window_says_the_same(tuned: Path) -> None:
    reviews = [ReviewSentences(("the loss is odd, which is a pity.", "images of cats")), ReviewSentences(("so",))]
    child = ProcessClassifier(tuned)
    try:
        beside = child.chances(reviews, QuietReport())
        assert child.learnt == SentenceClassifier.load(tuned).learnt
        with pytest.raises(EnvironmentProblem, match="fine-tuned"):
            ProcessClassifier.chances(_elsewhere(child), reviews, QuietReport())
    finally:
        child.close()
    here = SentenceClassifier.load(tuned).chances(reviews, QuietReport())
    assert set(beside) == set(here)
    assert all(np.allclose(beside[name], here[name], atol=1e-2) for name in here)


def _elsewhere(child: ProcessClassifier) -> ProcessClassifier:
    child.folder = child.folder / "missing"
    return child


def test_heads_are_learnt_beside_a_window_as_in_it() -> None:
    reviews = invented_reviews(6, sentences=8)
    report = CancelledAfter(10_000)
    beside = learn_beside(reviews, ("polarity",), report, seed=2, before=())
    assert report.left < 10_000 and beside.card["title"] == "Own labels" and beside.card["seed"] == 2
    assert beside.card["encoder_fingerprint"] == fingerprint(bundled_encoder().folder)
    assert [target.name for target in beside.targets] == ["polarity"]


def test_a_training_that_is_cancelled_leaves_nothing_and_the_old_encoder_stays(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(Cancelled):
        tune(REVIEWS, Tuning(base, out, epochs=1, device="cpu"), CancelledAfter(3))
    assert list(tmp_path.iterdir()) == []
    made = tune(REVIEWS, Tuning(base, out, epochs=1, by="sentence", device="cpu"), QuietReport())
    before = (out / "labels.json").read_text()
    assert made.test_sentences == 48
    with pytest.raises(Cancelled):
        tune_beside(REVIEWS, Tuning(base, out, epochs=50, device="cpu"), CancelledAfter(2))
    assert (out / "labels.json").read_text() == before and list(tmp_path.iterdir()) == [out]


def test_what_cannot_be_trained_is_told_and_other_files_are_left_alone(base: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="too few"):
        tune(REVIEWS[:4], Tuning(base, tmp_path / "out"), QuietReport())
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="other files"):
        tune(REVIEWS, Tuning(base, tmp_path), QuietReport())
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    assert layers_to_tune(REVIEWS) == ("polarity", "theme") and layers_to_tune(REVIEWS[:4]) == ()


def test_reviews_travel_whole() -> None:
    sent = json.loads(json.dumps(TRAVELLING.dump_python(REVIEWS, mode="json")))
    assert TRAVELLING.validate_python(sent) == REVIEWS


def test_the_encoder_that_is_chosen_suggests(tuned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head_files.write(
        fit_own(invented_reviews(12), ("polarity",), WordVectors(), QuietReport()), tmp_path / "h", head_files.SHIPPED
    )
    monkeypatch.setattr(head_files, "shipped_folder", lambda: tmp_path / "h")
    monkeypatch.setattr("engine.reviews.labels.tasks.ProcessClassifier", InThisProcess)
    library = ModelLibrary(tmp_path / "models.json")
    entry = add_tuned(tuned, library)
    assert add_tuned(tuned, library) == entry == library.chosen(USE), "trained again, it is listed once"
    with Project.create(tmp_path / "p.rejoinder") as project:
        reviews, labels = ReviewStore(project), LabelStore(project)
        source = reviews.add_text("R", "The loss is odd, which is a pity. The corpus is small.").texts[0].id
        task = label_texts(reviews, labels, (source,), encoder=WordVectors, library=library)
        assert task.run(QuietReport()).tuned == "tuned"
        together = [s.label.origin for s in labels.suggestions(source) if s.label.layer == "polarity"]
        assert all(origin.endswith("+fine-tuned") for origin in together), "an untrained one makes heads less sure"
        library.choose(USE, "")
        assert task.run(QuietReport()).tuned == ""
        alone = [s.label.origin for s in labels.suggestions(source) if s.label.layer == "polarity"]
        assert alone and not any(origin.endswith("fine-tuned") for origin in alone)


def test_a_sentence_is_tried_with_the_encoder_alone(tuned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.reviews.labels.tasks.ProcessClassifier", InThisProcess)
    task = try_heads("Please compare with other baselines.", folder=tuned, encoder=WordVectors)
    (reading,) = task.run(QuietReport())
    assert reading.labels["polarity"].origin == "model:fine-tuned" and sum(reading.chances["polarity"].values()) > 0.99
    assert reading.labels["action"].labels == ("compare",), "what it does not know, rules say"


def test_the_job_trains_adds_and_chooses(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.research.tasks.tune_beside", tune)
    library = ModelLibrary(tmp_path / "models.json")
    data = write_peer_review_analyze(tmp_path / "data", REVIEWS)
    task = fine_tune_encoder(Tuning(base, tmp_path / "out", epochs=1, device="cpu"), data, library=library)
    made = task.run(QuietReport())
    (entry,) = library.added("label encoder")
    assert entry == library.chosen(USE) and made.folder == tmp_path / "out"
