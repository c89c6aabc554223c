"""Labels read in texts: rules, heads over rules, the seventy per cent, the tasks of the window, own labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput
from engine.jobs import QuietReport, Report
from engine.measures.bootstrap import wider
from engine.models import Embedder
from engine.project import Project
from engine.research.labels.heads import HeadSettings, examples, fit, layer_target
from engine.research.tasks import train_own_heads
from engine.reviews.labels import heads as head_files
from engine.reviews.labels.features import ReviewSentences, Vectors
from engine.reviews.labels.heads import SHIPPED, Heads, Target, to_bytes
from engine.reviews.labels.measures import better_layers, comparison_words, macro_f1
from engine.reviews.labels.reading import fits, read_labels, rule_labels, suggestions
from engine.reviews.labels.records import (
    NEVER,
    SUGGESTED_FROM,
    LabelledReview,
    LabelledSentence,
    Layer,
    LayerLabel,
    OwnHeads,
    suggested_from,
)
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.tasks import heads_in_use, label_texts, try_heads
from engine.reviews.records import SourceText, Span
from engine.reviews.sentences import split_sentences
from engine.reviews.store import ReviewStore
from tests.engine.reviews.labels.invented_reviews import WordVectors, invented_reviews

TEXT = (
    "# Weaknesses\n\nThe model has a gate, which is a pity. Why is the corpus small? "
    "Please compare with other baselines.\n"
    "The paper proposes a gate. Thank you for the work."
)


@pytest.fixture(scope="module")
def invented() -> Heads:
    targets = [layer_target("theme"), layer_target("polarity")]
    data = examples(invented_reviews(), targets, WordVectors(), QuietReport())
    made, _, _ = fit(
        data, HeadSettings(hidden=16, own_rounds=6, around_rounds=6, folds=3, stack_cost=1.0), QuietReport()
    )
    return replace(made, card={**made.card, "id": "invented", "version": "1"})


def _words() -> Embedder:
    return WordVectors()


@pytest.mark.parametrize(
    ("sentence", "act", "actionable", "action"),
    [
        ("Please compare with the method of Lee et al.", "request", "yes", "compare"),
        ("Why does the loss grow?", "request", "yes", "explain"),
        ("What does $z$ mean in equation 3?", "request", "yes", "define"),
        ("Could you test it on other datasets?", "request", "yes", "apply"),
        ("Please report the standard deviation.", "request", "yes", "report"),
        ("There is a typo: teh -> the.", "request", "yes", "remove"),
        ("The authors need to report the results of all lakes.", "request", "yes", "report"),
        ("Authors either need to drop the lakes or compare them.", "request", "yes", "compare"),
        ("Weaknesses:", "structuring", "no", None),
        ("The paper proposes a new gate for recurrent networks.", "structuring", "no", None),
        ("The paper is well written.", "evaluative", "no", None),
        ("Thank you for the detailed answers.", "social", "no", None),
    ],
)
def test_what_wording_says(sentence: str, act: str, actionable: str, action: str | None) -> None:
    found = rule_labels(sentence)
    assert found["actionable"].labels == (actionable,)
    assert found["action"].labels[0] == action if action else "action" not in found
    if sentence.startswith("There is a typo"):
        return  # a typo is named, or a correction asked for: either is right
    assert found["review_action"].labels == (act,)


def test_whether_something_is_asked_leans_on_the_tone() -> None:
    blunt, mild = "The experiments are too small.", "It would be nice to see more data."
    needed = rule_labels("The authors need to measure the depth.", negative=0.1)["actionable"]
    assert needed.labels == ("yes",) and needed.sure()
    assert rule_labels("The lake needs to lose heat.", negative=0.1)["actionable"].labels == ("no",)
    for sentence in (blunt, mild):
        sure = [rule_labels(sentence, negative=tone)["actionable"] for tone in (0.1, 0.4, 0.6, 0.9)]
        chances = [s.confidence[0] if s.labels == ("yes",) else 1 - s.confidence[0] for s in sure]
        assert chances == sorted(chances) and chances[-1] >= 0.8
    assert rule_labels(blunt, negative=0.1)["actionable"].labels == ("no",)
    assert rule_labels(blunt, "Strengths:", 0.9)["actionable"].labels == ("no",)
    assert rule_labels("The paper is well written.", negative=0.05)["actionable"].labels == ("no",)


def test_replicability_is_told_by_wording() -> None:
    assert rule_labels("Will you release the code so that others can reproduce the results?")["aspect"].labels == (
        "replicability",
    )
    assert "aspect" not in rule_labels("The idea is simple.")


def test_each_layer_is_answered_by_whom_knows_it(invented: Heads) -> None:
    (readings,) = read_labels([TEXT], [invented], WordVectors(), QuietReport())
    assert [TEXT[r.span.start : r.span.end] for r in readings] == [r.text for r in readings]
    by_text = {r.text: r for r in readings}
    gate = by_text["The model has a gate, which is a pity."]
    assert gate.labels["theme"].labels == ("methodology",) and gate.labels["polarity"].labels == ("negative",)
    assert gate.labels["theme"].origin == "model:invented@1"
    assert gate.chances["polarity"]["negative"] == pytest.approx(gate.labels["polarity"].confidence[0])
    compare = by_text["Please compare with other baselines."]
    assert compare.labels["review_action"].origin.startswith("rules:")
    assert compare.labels["action"].labels == ("compare",)
    assert "action" not in by_text["Thank you for the work."].labels
    assert read_labels(["", "   "], [invented], WordVectors(), QuietReport()) == [[], []]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, invented: Heads) -> Iterator[Project]:
    """A project for which the invented heads are the ones that ship."""
    head_files.write(invented, tmp_path / "shipped", head_files.SHIPPED)
    monkeypatch.setattr(head_files, "shipped_folder", lambda: tmp_path / "shipped")
    with Project.create(tmp_path / "labels.rejoinder", annotator="Ann") as made:
        yield made


def test_the_task_keeps_what_is_sure(project: Project) -> None:
    reviews, labels = ReviewStore(project), LabelStore(project)
    keys = tuple(reviews.add_text(f"R{n}", TEXT).texts[0].id for n in range(2))
    task = label_texts(reviews, labels, keys, encoder=_words)
    made = task.run(QuietReport())
    assert made.sentences == 12
    offered = [s for key in keys for s in labels.suggestions(key)]
    assert len(offered) == made.suggestions > 8
    assert all(c >= SUGGESTED_FROM for s in offered for c in s.label.confidence)
    assert project.undo_title == "Add review “R1”", "suggestions are no act of a person"
    readings = read_labels([TEXT], heads_in_use(labels), WordVectors(), QuietReport())[0]
    unsure = [s for s in suggestions(keys[0], readings) if max(s.label.confidence) < SUGGESTED_FROM]
    assert unsure, "something was read that is not offered"


def test_without_heads_rules_still_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_files, "shipped_folder", lambda: tmp_path / "nothing")
    with Project.create(tmp_path / "x.rejoinder") as project:
        labels = LabelStore(project)
        assert heads_in_use(labels) == ()
        (readings,) = read_labels([TEXT], (), WordVectors(), QuietReport())
        assert all("polarity" not in r.labels and "actionable" in r.labels for r in readings)


TURNED = {"positive": "negative", "negative": "positive", "neutral": "neutral"}


def _polarities(count: int, seed: int, *, turned: bool = False, sentences: int = 8) -> list[LabelledReview]:
    """Reviews with polarity alone, turned round where own heads must be told from those that ship."""
    found = []
    for review in invented_reviews(count, sentences, seed):
        front = f"Seed {seed}. "
        own = []
        for sentence in review.sentences:
            (tone,) = sentence.layers["polarity"]
            layers: dict[Layer, tuple[str, ...]] = {"polarity": (TURNED[tone] if turned else tone,)}
            span = Span(sentence.span.start + len(front), sentence.span.end + len(front))
            own.append(LabelledSentence(span, layers))
        text = replace(review.text, text=front + review.text.text)
        found.append(LabelledReview(f"{seed}-{review.paper}", text, tuple(own)))
    return found


def _learnt(labels: LabelStore) -> OwnHeads:
    task = train_own_heads(labels, encoder=_words)
    return task.run(QuietReport())


def test_own_labels_teach_own_heads_which_wait_for_a_person(project: Project) -> None:
    labels, reviews = LabelStore(project), ReviewStore(project)
    with pytest.raises(BadInput, match="too few"):
        _learnt(labels)
    source = reviews.add_text("New", TEXT).texts[0].id
    labels.import_reviews(_polarities(12, 5, turned=True), "mine.json")

    def tone() -> LayerLabel:
        reading = label_texts(reviews, labels, (source,), encoder=_words)
        reading.run(QuietReport())
        (first,) = read_labels([TEXT], heads_in_use(labels), WordVectors(), QuietReport())
        assert {r.labels["theme"].origin for r in first} == {"model:invented@1"}, "what own heads do not know"
        return next(r for r in first if "pity" in r.text).labels["polarity"]

    own = _learnt(labels)
    assert own.card["cross_validation"]["polarity"]["accuracy"] > 0.8
    assert not own.used and tone().labels == ("negative",), "nothing is replaced unasked"
    assert better_layers(own.card) == ("polarity",)
    labels.use_heads_for(own.id, better_layers(own.card))
    assert tone().labels == ("positive",) and tone().origin.startswith("model:own-labels@")
    labels.use_heads_for(own.id, ())
    assert [h.used for h in labels.own_heads()] == [False] and tone().labels == ("negative",)
    labels.use_heads(own.id)
    assert labels.own_heads()[0].used and tone().labels == ("positive",)
    labels.use_heads(None)
    assert tone().labels == ("negative",)


def test_few_reviews_must_show_more_before_their_heads_are_proposed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wider(6) == pytest.approx(2.571 / 1.960 * (6 / 5) ** 0.5, abs=0.001) and wider(500) < 1.01 == wider(1) + 0.01
    labels = LabelStore(project)
    labels.import_reviews(_polarities(12, 5), "mine.json")
    low = _learnt(labels).card["comparison"]["layers"]["polarity"]["low"]
    monkeypatch.setattr("engine.research.labels.own.wider", lambda _units: 1.0)
    assert low < _learnt(labels).card["comparison"]["layers"]["polarity"]["low"]


def test_better_heads_stay_and_the_figures_are_those_of_the_folds(project: Project) -> None:
    labels = LabelStore(project)
    labels.import_reviews(_polarities(12, 5), "mine.json")
    own = _learnt(labels)
    assert better_layers(own.card) == () and "keep the ones in use" in comparison_words(own.card)[1]
    found = own.card["comparison"]["layers"]["polarity"]
    known = labels.labelled_reviews()
    data = examples(known, [layer_target("polarity")], WordVectors(), QuietReport())
    _, _, held = fit(data, HeadSettings(seed=1), QuietReport(), prior=head_files.shipped())
    truth = data.truth["polarity"]
    assert found["new"] == round(macro_f1(truth, held["polarity"]), 4)
    spans = [[s.span for s in review.sentences] for review in known]
    read = read_labels([r.text.text for r in known], heads_in_use(labels), WordVectors(), QuietReport(), spans=spans)
    order = data.targets[0].labels
    old = np.array([[label in r.labels["polarity"].labels for label in order] for own in read for r in own])
    assert found["old"] == round(macro_f1(truth, old), 4) > 0.9
    assert (found["sentences"], found["groups"]) == (96, 6) and found["low"] <= found["new"] - found["old"]
    figures, _ = comparison_words(own.card)
    assert f"Polarity {100 * found['old']:.0f} → {100 * found['new']:.0f}" in figures and "6 papers" in figures


def test_heads_are_only_compared_on_reviews_that_neither_learnt(project: Project) -> None:
    labels = LabelStore(project)
    labels.import_reviews(_polarities(4, 5, turned=True, sentences=12), "few.json")
    few = _learnt(labels)
    assert few.card["comparison"]["layers"] == {} and better_layers(few.card) == ()
    assert "can't be compared" in comparison_words(few.card)[0]
    labels.import_reviews(_polarities(12, 6, turned=True), "more.json")
    first = _learnt(labels)
    assert first.card["comparison"]["layers"]["polarity"]["sentences"] == 48 + 96
    labels.use_heads_for(first.id, ("polarity",))
    assert _learnt(labels).card["comparison"]["layers"] == {}, "those in use learnt from all of them"
    labels.import_reviews(_polarities(10, 7), "new.json")
    later = _learnt(labels)
    assert later.card["comparison"]["layers"]["polarity"]["sentences"] == 80
    labels.use_heads_for(later.id, ("polarity",))
    assert [one.card["answers"] for one in labels.own_heads() if one.used] == [["polarity"], ["polarity"]]
    assert heads_in_use(labels)[0].card["version"] == later.card["version"], "the newest heads answer first"


def test_nothing_is_suggested_below_the_threshold_of_the_card(project: Project, invented: Heads) -> None:
    plain = read_labels([TEXT], [invented], WordVectors(), QuietReport())[0]
    sure = max(c for r in plain for c in r.labels["polarity"].confidence)
    assert sure > SUGGESTED_FROM and any("polarity" in r.suggested() for r in plain)
    for limit in (sure + 0.001, None, "not measured"):
        polarity = {} if limit == "not measured" else {"polarity": {"from": limit}}
        card = {**invented.card, "suggestions": {"theme": {"from": SUGGESTED_FROM}, **polarity}}
        readings = read_labels([TEXT], [replace(invented, card=card)], WordVectors(), QuietReport())[0]
        assert not any("polarity" in r.suggested() for r in readings) and any(
            "theme" in r.suggested() for r in readings
        )
        source = ReviewStore(project).add_text(f"R {limit}", TEXT).texts[0].id
        LabelStore(project).save_suggestions(source, suggestions(source, readings))
        kept = {s.label.layer for s in LabelStore(project).suggestions(source)}
        assert "theme" in kept and "polarity" not in kept


def test_what_ships_suggests_only_what_was_measured_to_be_right() -> None:
    """In the cross-validation, and, label by label, among other annotators where there are any."""
    card = head_files.shipped().card
    assert set(card["suggestions"]) == set(card["cross_validation"])
    for layer, made in card["suggestions"].items():
        first, *others = (one.get("labels", {}) for one in made.get("elsewhere", ({},)))
        for label, own in made.get("labels", {"": made}).items():
            measured = [one["tried"] for one in (own, first.get(label, own)) if one["tried"]]
            cuts = []
            for tried in measured:
                assert all(row[2] < SUGGESTED_FROM for row in tried[:-1]), (
                    "the first that keeps the promise is the last"
                )
                cuts.append(tried[-1][0] if tried[-1][2] >= SUGGESTED_FROM else None)
            if own["from"] is not None:
                assert own["from"] == max(cuts), (layer, label)
            for sample in others if own["from"] is not None else ():
                found = [row[1] for row in sample[label]["tried"] if row[0] == own["from"]]
                assert found and found[0] >= SUGGESTED_FROM, "among annotators on whose labels nothing was chosen"
            for key in [label] if label else card["learnt"][layer]:
                assert suggested_from(card, layer, key) == (own["from"] or NEVER) >= SUGGESTED_FROM
    limits = {label: made["from"] for label, made in card["suggestions"]["polarity"]["labels"].items()}
    assert limits["positive"] > limits["negative"] > limits["neutral"] == SUGGESTED_FROM
    assert suggested_from(card, "aspect", "clarity") == NEVER, "other annotators agree with fewer than 7 of 10"
    assert suggested_from(card, "polarity", "a label that was never read") == NEVER
    themes = card["suggestions"]["theme"]["labels"]
    assert {label for label, made in themes.items() if made["from"] is None} == {"future-work", "external", "abstract"}


def test_heads_of_another_encoder_or_of_other_heads_are_left_out_and_told(project: Project, invented: Heads) -> None:
    labels, reviews = LabelStore(project), ReviewStore(project)
    source = reviews.add_text("New", TEXT).texts[0].id
    card = {**invented.card, "encoder_fingerprint": "other", "title": "Old"}
    labels.use_heads(labels.save_heads("Old encoder", card, to_bytes(invented)).id)
    assert not fits(heads_in_use(labels)[0], WordVectors())
    made = label_texts(reviews, labels, (source,), encoder=_words)
    assert made.run(QuietReport()).left_out == ("Old",)
    assert {s.label.origin for s in labels.suggestions(source) if s.label.layer == "polarity"} == {"model:invented@1"}
    standing = replace(invented, prior="0123456789abcdef")
    own = labels.save_heads("Standing", {"title": "Standing"}, to_bytes(standing))
    labels.use_heads(own.id)
    assert made.run(QuietReport()).left_out == ("Standing",)
    trial = try_heads(TEXT, own.id, labels=labels, encoder=_words)
    with pytest.raises(BadInput, match="Train them again"):
        trial.run(QuietReport())
    labels.remove_heads(own.id)
    assert made.run(QuietReport()).left_out == ()
    trial = try_heads(TEXT, encoder=_words)
    assert len(trial.run(QuietReport())) == 6


def test_own_heads_stand_on_those_that_ship(project: Project, invented: Heads) -> None:
    labels = LabelStore(project)
    labels.import_reviews(invented_reviews(8, seed=5), "mine.json")
    task = train_own_heads(labels, encoder=_words)
    own = task.run(QuietReport())
    labels.use_heads(own.id)
    read, shipped = heads_in_use(labels)
    assert read.prior == shipped.digest and fits(read, WordVectors(), (read, shipped))
    trial = try_heads(TEXT, own.id, labels=labels, encoder=_words)
    readings = trial.run(QuietReport())
    assert next(r for r in readings if "pity" in r.text).labels["theme"].labels == ("methodology",)


def test_sentences_of_a_file_are_read_as_they_were_cut_there(project: Project) -> None:
    labels, reviews = LabelStore(project), ReviewStore(project)
    text = "The loss is odd. The corpus is small, which is a pity. Please compare it."
    whole = Span(0, text.index(" Please"))
    review = LabelledReview("p", SourceText("x", "X", text), (LabelledSentence(whole, {"polarity": ("negative",)}),))
    (source,) = labels.import_reviews([review], "theirs.json")
    assert labels.sentence_spans(source.id) == (whole, Span(whole.end + 1, len(text)))
    task = label_texts(reviews, labels, (source.id,), encoder=_words)
    assert task.run(QuietReport()).sentences == 2
    read = labels.read(source.id)
    assert [one.span for one in read] == list(labels.sentence_spans(source.id))
    assert read[0].polarity == "negative" and read[0].origins["polarity"] == "import:theirs.json"
    assert "theme" in read[0].offered and "polarity" not in read[0].offered
    assert labels.sentence_spans(reviews.add_text("R", text).texts[0].id) == split_sentences(text)


def test_rules_and_marks_without_words_get_no_suggestion(invented: Heads) -> None:
    (readings,) = read_labels(["Title\n=====\nThe loss is odd.\n\n---"], [invented], WordVectors(), QuietReport())
    offered = {suggestion.span for suggestion in suggestions("t", readings)}
    assert [reading.text for reading in readings if reading.span in offered] == ["Title", "The loss is odd."]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Why is the loss odd? Please explain the loss.", True),
        ("为什么损失很奇怪?请解释。", False),
        ("Warum ist der Verlust so hoch? Bitte erklären Sie das und nennen Sie die Werte.", False),
    ],
)
def test_what_reads_english_suggests_nothing_for_other_languages(text: str, english: bool, invented: Heads) -> None:
    shipped = replace(invented, card={**invented.card, "id": SHIPPED})
    (bundled,) = read_labels([text], [shipped], WordVectors(), QuietReport())
    assert any(reading.suggested() for reading in bundled) == english
    (own,) = read_labels([text], [invented], WordVectors(), QuietReport())
    limits = {reading.labels["polarity"].suggested_from for reading in own}
    assert limits != {(NEVER,)}, "own heads may know the language"


class _Sure:
    """A fine-tuned encoder that says one label of each target for certain."""

    def __init__(self, *targets: Target, unseen: str = "") -> None:
        self.targets = targets
        self.learnt = {t.name: [label for label in t.labels if label != unseen] for t in targets}

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> dict[str, Vectors]:
        report.check()
        count = sum(len(review.texts) for review in reviews)
        return {t.name: np.tile(np.eye(len(t.labels), dtype=np.float32)[0], (count, 1)) for t in self.targets}


def test_a_fine_tuned_encoder_counts_as_much_as_heads_and_answers_alone_where_there_are_none(invented: Heads) -> None:
    polarity, act = layer_target("polarity"), layer_target("review_action")
    alone = read_labels([TEXT], [invented], WordVectors(), QuietReport())[0][1].chances["polarity"]
    for count in (1, 2):
        tuned = [_Sure(polarity, act)] * count
        reading = read_labels([TEXT], [invented], WordVectors(), QuietReport(), tuned=tuned)[0][1]
        first = polarity.labels[0]
        assert reading.chances["polarity"][first] == pytest.approx((alone[first] + count) / (count + 1))
        assert reading.labels["polarity"].origin == "model:invented@1+fine-tuned"
        said = reading.labels["review_action"]
        assert (said.labels, said.confidence) == (act.labels[:1], (1.0,))
        assert said.origin.startswith("model:fine-tuned")


def test_rules_answer_for_labels_that_a_fine_tuned_encoder_has_not_seen() -> None:
    aspect = layer_target("aspect")
    text = "Please release the code, so that the results can be reproduced."
    for unseen, origin in (("", "model:fine-tuned"), ("replicability", "rules:")):
        tuned = [_Sure(aspect, unseen=unseen)]
        reading = read_labels([text], [], WordVectors(), QuietReport(), tuned=tuned)[0][0]
        assert reading.labels["aspect"].origin.startswith(origin)
        assert ("replicability" in reading.chances["aspect"]) is not bool(unseen)


def test_reviews_that_are_imported_twice_are_there_once_and_several_roots_become_the_rarest(project: Project) -> None:
    labels = LabelStore(project)
    text, again = "The loss is odd. It is new.", "The loss is odd again."
    first, second = Span(0, 16), Span(17, len(text))
    common = LabelledReview(
        "p", SourceText("y", "Y", again), (LabelledSentence(Span(0, len(again)), {"aspect": ("soundness",)}),)
    )
    several = LabelledSentence(first, {"aspect": ("soundness", "originality"), "theme": ("methodology", "results")})
    review = LabelledReview("p", SourceText("x", "X", text), (several, LabelledSentence(second, {"aspect": ()})))
    made = labels.import_reviews([review, common], "theirs.json")
    assert labels.import_reviews([review, common], "theirs.json") == made
    (read, nothing) = labels.labels(made[0].id)
    assert read.aspect == "originality" and set(read.themes) == {"methodology", "results"} and nothing.aspect is None
    assert {one.paper for one in labels.labelled_reviews()} == {"p"}
    assert labels.counts() == {"aspect": 3, "theme": 1}
