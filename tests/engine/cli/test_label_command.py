"""``rejoinder label`` and ``rejoinder train``: the fields of the contract, exit codes, own heads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import models
from engine.cli.label import label
from engine.cli.train import train
from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import QuietReport
from engine.project import Project
from engine.research.labels.own import fit_own
from engine.reviews.labels import heads as head_files
from engine.reviews.labels.measures import better_layers
from engine.reviews.labels.store import LabelStore
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.reviews.labels.invented_reviews import (
    WordVectors,
    invented_reviews,
    write_disapere,
    write_peer_review_analyze,
)

TEXT = "“The model has a gate”, which is a pity. 𝒙 is odd. Please compare with other baselines.\n"


@pytest.fixture(autouse=True)
def invented_heads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Invented heads instead of those that ship, and an encoder without a model."""
    made = fit_own(invented_reviews(12), ("theme", "polarity"), WordVectors(), QuietReport())
    head_files.write(made, tmp_path / "shipped", head_files.SHIPPED)
    monkeypatch.setattr(head_files, "shipped_folder", lambda: tmp_path / "shipped")
    monkeypatch.setattr(models, "load_encoder", lambda *_, **__: WordVectors())
    return tmp_path / "shipped"


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(label, [str(argument) for argument in arguments])


def test_json_has_the_fields_and_offsets_in_code_points(tmp_path: Path) -> None:
    path = tmp_path / "review.txt"
    path.write_text(TEXT, encoding="utf-8")
    result = _run(path, "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    (review,) = document["reviews"]
    assert review["file"] == str(path)
    first, _, third = review["sentences"]
    assert {
        "start", "end", "text", "polarity", "aspect", "themes", "action", "actionable", "confidence", "theme_codes",
    } <= set(first)  # fmt: skip
    assert all(TEXT[s["start"] : s["end"]] == s["text"] for s in review["sentences"])
    assert (first["polarity"], first["themes"], first["theme_codes"]) == ("negative", ["methodology"], ["MET"])
    assert (third["actionable"], third["action"], third["review_action"]) == (True, "compare", "request")
    assert 0.7 <= first["confidence"]["polarity"] <= 1 and first["confidence"]["themes"]["methodology"] <= 1
    assert "polarity" in first["suggested"] and first["origins"]["theme"].startswith("model:")
    assert first["origins"]["actionable"].startswith("rules:")


def test_what_is_unsure_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "review.txt"
    path.write_text("Frobnication of quux.\n" + TEXT, encoding="utf-8")
    whole, sure = (
        json.loads(_run(path, "--json", *more).stdout)["reviews"][0]["sentences"] for more in ([], ["--suggested"])
    )
    for one, other in zip(whole, sure, strict=True):
        assert one["confidence"] == other["confidence"]
        for name in ("polarity", "review_action", "action"):
            expected = one[name] if one["confidence"].get(name, 0) >= 0.7 else None
            assert other[name] == expected
    assert any(one["polarity"] != other["polarity"] for one, other in zip(whole, sure, strict=True))


def test_a_skipped_file_is_exit_1_and_none_left_is_a_problem(tmp_path: Path) -> None:
    good, empty = tmp_path / "good.txt", tmp_path / "empty.txt"
    good.write_text(TEXT, encoding="utf-8")
    empty.write_text(" \n", encoding="utf-8")
    result = _run(good, empty, tmp_path / "missing.txt", "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 1 and len(document["reviews"]) == 1 and len(document["skipped"]) == 2
    alone = _run(empty, "--json")
    assert isinstance(alone.exception, EnvironmentProblem), "the entry point makes exit 2 and one line of it"
    assert _run().exit_code == 2
    assert "pity" in _run(good).stdout


def test_own_heads_of_a_folder_answer_first(tmp_path: Path, invented_heads: Path) -> None:
    path = tmp_path / "review.txt"
    path.write_text(TEXT, encoding="utf-8")
    reviews = tuple(
        replace(r, sentences=tuple(replace(s, layers={"polarity": s.layers["polarity"]}) for s in r.sentences))
        for r in invented_reviews(10, seed=8)
    )
    own = fit_own(reviews, ("polarity",), WordVectors(), QuietReport(), seed=4)
    head_files.write(own, tmp_path / "own", head_files.SHIPPED)
    found = json.loads(_run(path, "--json", "--heads", tmp_path / "own").stdout)["reviews"][0]["sentences"][0]
    assert found["origins"]["polarity"].endswith("-4") and found["origins"]["theme"].endswith("-1")


def test_a_fine_tuned_encoder_is_asked_with_the_heads(tmp_path: Path) -> None:
    write_peer_review_analyze(tmp_path / "data", invented_reviews(20, sentences=12, seed=6))
    base = make_tiny_encoder(tmp_path / "tiny")
    arguments = [
        "--data",
        tmp_path / "data",
        "--base",
        base,
        "--out",
        tmp_path / "tuned",
        "--epochs",
        1,
        "--specialise",
    ]
    made = CliRunner().invoke(train, ["encoder", *map(str, arguments), "--device", "cpu", "--json"])
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    assert document["best_epoch"] == 1 and document["masked_losses"] and document["test_sentences"] > 0
    path = tmp_path / "review.txt"
    path.write_text(TEXT, encoding="utf-8")
    alone, together = (
        json.loads(_run(path, "--json", *more).stdout)["reviews"][0]["sentences"][0]
        for more in ([], ["--encoder", tmp_path / "tuned"])
    )
    assert together["origins"]["theme"] == alone["origins"]["theme"] + "+fine-tuned"
    assert together["confidence"]["polarity"] != alone["confidence"]["polarity"]
    assert isinstance(_run(path, "--encoder", tmp_path / "data").exception, EnvironmentProblem)


def test_training_from_a_project_keeps_heads_in_it(tmp_path: Path) -> None:
    path = tmp_path / "p.rejoinder"
    with Project.create(path) as project:
        LabelStore(project).import_reviews(invented_reviews(10, seed=2), "mine.json")
    result = CliRunner().invoke(train, ["heads", "--project", str(path), "--out", str(tmp_path / "out"), "--json"])
    assert result.exit_code == 0, result.output
    card = json.loads(result.stdout)["card"]
    assert card["id"] == "own-labels" and card["cross_validation"]["theme"]["micro_f1"] > 0.8
    assert (tmp_path / "out" / "peer-review-analyze.safetensors").is_file()
    with Project.open(path) as project:
        assert [h.used for h in LabelStore(project).own_heads()] == [False], "nothing is replaced unasked"
    printed = CliRunner().invoke(train, ["heads", "--project", str(path), "--use", "all"]).stdout
    assert (
        "F1 in use → new, on the same folds of 5 papers: Polarity 100 →" in printed
        and "keep the ones in use" in printed
    )
    with Project.open(path) as project:
        assert [h.used for h in LabelStore(project).own_heads()] == [True, False]
    assert CliRunner().invoke(train, ["heads", "--project", str(path), "--use", "shipped"]).exit_code == 0
    with Project.open(path) as project:
        assert not any(h.used for h in LabelStore(project).own_heads())
    refused = CliRunner().invoke(train, ["heads", "--data", str(tmp_path), "--use", "better"])
    assert isinstance(refused.exception, BadInput)


def test_training_from_annotated_reviews_compares_with_the_card_that_ships(tmp_path: Path) -> None:
    write_peer_review_analyze(tmp_path / "data" / "peer_review_analyze", invented_reviews(10, seed=6))
    arguments = ["heads", "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out"), "--no-figures", "--json"]
    result = CliRunner().invoke(train, arguments)
    document = json.loads(result.stdout)
    assert document["card"]["data_licence"] == "MIT" and document["card"]["papers"] == 5
    assert set(document["card"]["learnt"]["aspect"]) == {"clarity", "soundness"}
    assert "theme micro_f1" in document["differences_from_shipped"]
    assert result.exit_code == (1 if any(abs(g) > 1 for g in document["differences_from_shipped"].values()) else 0)
    made = head_files.read(tmp_path / "out", head_files.SHIPPED)
    assert made.origin == "model:peer-review-analyze@1"


def test_heads_of_a_data_set_are_kept_in_a_project(tmp_path: Path) -> None:
    write_disapere(tmp_path / "data" / "train", invented_reviews(12, seed=6))
    path = tmp_path / "p.rejoinder"
    Project.create(path).close()
    arguments = ["heads", "--data", str(tmp_path / "data"), "--project", str(path), "--use", "better", "--json"]
    result = CliRunner().invoke(train, arguments)
    assert result.exit_code == 0, result.output
    card = json.loads(result.stdout)["card"]
    assert set(card["cross_validation"]) == {"polarity", "aspect", "review_action"}
    assert (card["data_licence"], card["reviews"], card["papers"]) == ("CC BY-NC 4.0", 12, 6)
    assert "doesn't allow commercial use" in result.stderr
    with Project.open(path) as project:
        (own,) = LabelStore(project).own_heads()
        assert own.used and own.card["answers"] == list(better_layers(own.card)) and "DISAPERE" in own.title
        assert head_files.from_bytes(LabelStore(project).heads_weights(own.id), own.card).origin.startswith(
            "model:disapere@"
        )
    alone = CliRunner().invoke(train, ["heads", "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")])
    assert alone.exit_code == 0 and (tmp_path / "out" / f"{head_files.SHIPPED}.json").is_file()


def test_training_needs_a_source() -> None:
    result = CliRunner().invoke(train, ["heads"])
    assert isinstance(result.exception, BadInput)
