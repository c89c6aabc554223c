"""What the Labels pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.labels.state import LabelsState
from engine.project import Project
from engine.reviews.labels.records import LAYERS, LayerLabel, Suggestion
from engine.reviews.labels.store import LabelStore
from engine.reviews.store import ReviewStore


@pytest.fixture
def state(tmp_path: Path) -> Iterator[LabelsState]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        reviews, labels = ReviewStore(project), LabelStore(project)
        for number in (1, 2, 3):
            words = f"The loss of {number} is odd. It is clear."
            (text,) = reviews.add_text("Review", words, reviewer=f"Reviewer {number}").texts
            if number != 2:
                span = labels.sentence_spans(text.id)[0]
                label = LayerLabel("polarity", ("negative",), (0.8,), "rules:x@1")
                labels.save_suggestions(text.id, [Suggestion(text.id, span, label)])
        made = LabelsState()
        made.open(project)
        made.read("")
        yield made


def test_suggestions_are_decided_and_the_next_review_with_some_is_found(state: LabelsState) -> None:
    first = state.sentences[0]
    assert (first.number, first.offered, first.decided) == (1, 1, 0) and state.has_suggestions()
    assert state.progress() == ("0 of 2 sentences decided", 1)
    state.accept(first.labels)
    state.read("")
    assert state.progress() == ("0 of 2 sentences decided, 1 partly", 0) and not state.has_suggestions()
    assert state.next_with_suggestions() == state.texts[2].id, "the second review has none"
    state.clear(state.sentences[0].labels)
    state.read("")
    assert state.sentences[0].offered == 1
    state.reject(state.sentences[0].labels)
    state.current = state.texts[2].id
    state.read("")
    assert state.next_with_suggestions() == ""


def test_reviews_follow_each_other_up_to_the_ends(state: LabelsState) -> None:
    keys = [text.id for text in state.texts]
    assert state.current == keys[0] and state.neighbour(-1) == keys[0]
    assert state.neighbour(1) == keys[1] and state.neighbour(9) == keys[2]


def test_a_search_leaves_the_progress_of_the_whole_review(state: LabelsState) -> None:
    state.filter = "clear"
    assert [one.number for one in state.shown()] == [2]
    state.set_label(state.shown()[0].labels, "polarity", ["positive"])
    state.read("")
    assert state.progress()[0] == "0 of 2 sentences decided, 1 partly" and "Polarity 1" in state.counts()


def test_a_sentence_is_decided_in_all_layers_or_says_which_are_open(state: LabelsState) -> None:
    assert state.sentences[0].progress == "" and len(state.sentences[0].open) == len(LAYERS)
    state.accept(state.sentences[0].labels)
    state.read("")
    one = state.sentences[0]
    assert one.decided == 1 and one.progress == "Open: aspect, theme, review action, request or not, requested action."
    for layer in LAYERS[1:]:
        state.set_label(one.labels, layer, [])
    state.read("")
    assert state.sentences[0].open == () and state.sentences[0].progress == ""
    assert state.progress()[0] == "1 of 2 sentences decided"
    state.clear(state.sentences[0].labels)
    state.read("")
    assert len(state.sentences[0].open) == len(LAYERS) and state.progress()[0] == "0 of 2 sentences decided"
