"""Labels in a project: set, suggested, accepted, refused, undone; what came from files; what two people see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.operations.packages import items_of
from engine.operations.removing import remove
from engine.operations.targets import Target
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.labels.records import (
    LAYERS,
    SUGGESTED_FROM,
    LabelledReview,
    LabelledSentence,
    Layer,
    LayerLabel,
    Suggestion,
)
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import layers
from engine.reviews.letter import read_letter
from engine.reviews.records import SourceText, Span
from engine.reviews.store import ReviewStore

TEXT = "The idea is new. Please add a comparison with earlier methods. Table 2 is hard to read."
FIRST, SECOND, THIRD = Span(0, 16), Span(17, 62), Span(63, 87)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "labels.rejoinder", annotator="Ann") as made:
        yield made


@pytest.fixture
def source(project: Project) -> str:
    return ReviewStore(project).add_text("Review 1", TEXT).texts[0].id


def decisions(project: Project) -> list[tuple[object, ...]]:
    sql = "SELECT layer, origin, confidence, decision FROM sentence_label_decision ORDER BY created_at, id"
    return [tuple(row) for row in project.query(sql)]


def _offer(source: str, span: Span, layer: Layer, *labels: str, sure: float = 0.9) -> Suggestion:
    return Suggestion(source, span, LayerLabel(layer, labels, (sure,) * len(labels), "model:heads@1"))


def test_history_names_the_review_whose_labels_were_accepted_together(project: Project, source: str) -> None:
    store = LabelStore(project)
    store.save_suggestions(source, [_offer(source, span, "polarity", "neutral") for span in (FIRST, THIRD)])
    store.accept_all(source)
    assert project.undo_title == "Accept 2 labels: “Review 1”"


def test_a_label_is_set_changed_and_undone(project: Project, source: str) -> None:
    store = LabelStore(project)
    store.set_label(source, FIRST, "polarity", ["positive"])
    store.set_label(source, FIRST, "theme", ["problem-definition", "methodology"])
    store.set_label(source, FIRST, "polarity", ["neutral"])
    (labels,) = store.labels(source)
    assert (labels.span, labels.polarity, labels.aspect) == (FIRST, "neutral", None)
    assert {*labels.origins.values()} == {"person"}
    assert labels.themes == ("methodology", "problem-definition"), "in the order of the taxonomy"
    assert labels.confidence == {
        "polarity": 1.0,
        "theme": 1.0,
        "theme:methodology": 1.0,
        "theme:problem-definition": 1.0,
    }
    project.undo()
    assert store.labels(source)[0].polarity == "positive"
    project.undo()
    project.undo()
    assert store.labels(source) == ()


def test_that_nothing_holds_is_a_decision_too(project: Project, source: str) -> None:
    store = LabelStore(project)
    store.save_suggestions(source, [_offer(source, FIRST, "aspect", "originality")])
    store.set_label(source, FIRST, "aspect", [])
    (labels,) = store.labels(source)
    assert labels.aspect is None and labels.origins == {"aspect": "person"}
    assert store.suggestions(source) == ()
    assert decisions(project) == [("aspect", "model:heads@1", 0.9, "rejected")]


@pytest.mark.parametrize(
    ("layer", "labels", "span"),
    [
        ("aspect", ["beauty"], FIRST),
        ("aspect", ["clarity", "substance"], FIRST),
        ("aspect", ["clarity"], Span(80, 99)),
        ("aspect", ["clarity"], Span(5, 5)),
    ],
)
def test_wrong_labels_change_nothing(
    project: Project, source: str, layer: Layer, labels: list[str], span: Span
) -> None:
    store = LabelStore(project)
    with pytest.raises(BadInput):
        store.set_label(source, span, layer, labels)
    assert store.labels(source) == () and project.undo_title == "Add review “Review 1”"


def test_suggestions_are_accepted_and_refused_once(project: Project, source: str) -> None:
    store = LabelStore(project)
    offers = [
        _offer(source, FIRST, "polarity", "positive"),
        _offer(source, FIRST, "aspect", "originality"),
        _offer(source, SECOND, "theme", "related-work", "experiments"),
        _offer(source, THIRD, "theme", "tables-figures"),
    ]
    assert store.save_suggestions(source, offers) == 4
    assert [s.label.layer for s in store.suggestions(source)] == ["polarity", "aspect", "theme", "theme"]
    assert [s.label.labels for s in store.accept(source, FIRST)] == [("positive",), ("originality",)]
    assert project.undo_title == "Accept 2 labels: “The idea is new.”"
    assert [s.span for s in store.reject(source, THIRD)] == [THIRD]
    assert project.undo_title == "Reject label: “Table 2 is hard to read.”"
    (labels,) = store.labels(source)
    assert {*labels.origins.values()} == {"model:heads@1"} and labels.aspect == "originality"
    assert [r.span for r in store.read(source)] == [FIRST, SECOND], "what is offered stands beside what was decided"
    assert store.save_suggestions(source, offers) == 4
    assert [s.span for s in store.suggestions(source)] == [SECOND], "what was decided on is not offered again"
    assert len(store.accept_all(source)) == 1 and store.suggestions(source) == ()
    assert [d[3] for d in decisions(project)] == ["accepted", "accepted", "rejected", "accepted"]
    project.undo()
    assert [s.span for s in store.suggestions(source)] == [SECOND]
    store.clear_labels(source, THIRD, ["theme"])
    assert [s.span for s in store.suggestions(source)] == [SECOND, THIRD], "a cleared refusal is open again"


def test_setting_what_was_offered_counts_for_the_heads(project: Project, source: str) -> None:
    store = LabelStore(project)
    store.save_suggestions(
        source, [_offer(source, FIRST, "polarity", "positive"), _offer(source, SECOND, "polarity", "neutral")]
    )
    store.set_label(source, FIRST, "polarity", ["positive"])
    store.set_label(source, SECOND, "polarity", ["negative"])
    assert [d[3] for d in decisions(project)] == ["accepted", "rejected"]


@given(
    offers=st.lists(
        st.tuples(st.sampled_from([FIRST, SECOND, THIRD]), st.sampled_from(LAYERS), st.floats(0, 1)), max_size=12
    )
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_below_seventy_percent_is_offered(
    project: Project, source: str, offers: list[tuple[Span, Layer, float]]
) -> None:
    """Of several labels of a layer each one stands or falls by itself."""
    store = LabelStore(project)
    by_place = {}
    for span, layer, sure in offers:
        options = [option.id for option in layers()[layer].labels][:2]
        chosen = options if layers()[layer].several else options[:1]
        label = LayerLabel(layer, tuple(chosen), (sure, 0.5)[: len(chosen)], "model:heads@1")
        by_place[span, layer] = Suggestion(source, span, label)
    kept = store.save_suggestions(source, by_place.values())
    offered = store.suggestions(source)
    assert len(offered) == kept == sum(s.label.confidence[0] >= SUGGESTED_FROM for s in by_place.values())
    assert all(min(s.label.confidence) >= SUGGESTED_FROM for s in offered)


def test_each_annotator_sees_own_labels_and_those_of_files(project: Project) -> None:
    store = LabelStore(project)
    review = LabelledReview(
        "p1",
        SourceText("r1", "Imported", TEXT),
        (
            LabelledSentence(FIRST, {"polarity": ("positive",), "theme": ("overall",), "aspect": ()}),
            LabelledSentence(THIRD, {"polarity": ("negative",)}),
        ),
    )
    (text,) = store.import_reviews([review], "labels.json")
    assert [r.polarity for r in store.labels(text.id)] == ["positive", "negative"]
    assert {*store.labels(text.id)[0].origins.values()} == {"import:labels.json"}
    store.set_label(text.id, FIRST, "polarity", ["neutral"])
    project.set_annotator("Bob")
    assert [r.polarity for r in store.labels(text.id)] == ["positive", "negative"]
    store.set_label(text.id, THIRD, "polarity", ["neutral"])
    project.set_annotator("Ann")
    assert [r.polarity for r in store.labels(text.id)] == ["neutral", "negative"]
    (found,) = store.labelled_reviews()
    assert next(s.layers for s in found.sentences) == {"polarity": ("neutral",), "theme": ("overall",), "aspect": ()}
    assert found.words(found.sentences[1]) == "Table 2 is hard to read."


def test_a_text_goes_with_its_labels_and_comes_back_with_them(project: Project, source: str) -> None:
    store = LabelStore(project)
    store.save_suggestions(source, [_offer(source, FIRST, "polarity", "positive")])
    store.accept(source, FIRST)
    remove(project, Target("review", source, "Review"))
    assert store.labels(source) == ()
    project.undo()
    assert store.labels(source)[0].polarity == "positive"
    assert project.check() == ()


def test_the_taxonomy_has_what_the_data_sets_name() -> None:
    assert set(layers()) == set(LAYERS)
    assert len(layers()["aspect"].labels) == 8 and layers()["theme"].several
    for info in layers().values():
        assert len({option.id for option in info.labels}) == len(info.labels)
        assert all(option.title and option.description.endswith((".", "?")) for option in info.labels)


def test_what_is_only_offered_does_not_hold(tmp_path: Path) -> None:
    """A menu that checks what holds would otherwise take the suggested label away when it is chosen."""
    with Project.create(tmp_path / "p.rejoinder") as project:
        source = ReviewStore(project).add_text("Review", "The split is unclear.").texts[0].id
        labels, span = LabelStore(project), Span(0, 21)
        labels.save_suggestions(
            source, [Suggestion(source, span, LayerLabel("polarity", ("negative",), (0.9,), "x@1"))]
        )
        (offered,) = labels.read(source)
        assert offered.of("polarity") == ("negative",) and offered.decided("polarity") == ()
        labels.accept(source, span)
        (taken,) = labels.read(source)
        assert taken.decided("polarity") == ("negative",)


def test_of_a_letter_only_the_reviewers_sentences_are_labelled(project: Project) -> None:
    reviews, store = ReviewStore(project), LabelStore(project)
    letter = (
        "# Response to reviewers\n\n## Reviewer 1\n\n> The split is unclear. Please describe it.\n\n"
        "We thank the reviewer. We describe the split now.\n"
    )
    (text,) = reviews.import_bundle(read_letter(letter), "letter.md").texts
    assert text.kind == "letter"
    spans = store.sentence_spans(text.id)
    assert [letter[at.start : at.end] for at in spans] == ["The split is unclear.", "Please describe it."]
    answer = Span(letter.index("We describe"), letter.index(" now.") + 5)
    store.save_suggestions(
        text.id, [_offer(text.id, spans[0], "polarity", "negative"), _offer(text.id, answer, "polarity", "positive")]
    )
    assert [one.span for one in store.accept_all(text.id)] == [spans[0]], (
        "suggested by an earlier version, but no review"
    )
    store.set_label(text.id, answer, "polarity", ["positive"])
    assert store.sentence_spans(text.id)[-1] == answer, "what somebody labelled stays"


def test_labels_of_comments_in_a_letter_are_no_sentences(project: Project) -> None:
    letter = "".join(
        f"**{n}. Reviewer's Comment:**\n\nPlease describe split {n}.\n\n**{n}. Response:**\n\n> We did.\n\n"
        for n in (1, 2, 3)
    )
    (text,) = ReviewStore(project).import_bundle(read_letter(letter), "letter.md").texts
    spans = LabelStore(project).sentence_spans(text.id)
    assert [letter[at.start : at.end] for at in spans] == [f"Please describe split {n}." for n in (1, 2, 3)]


def test_the_line_that_says_whose_review_it_is_is_no_sentence(project: Project) -> None:
    words = "Official Review of Paper 7 by Reviewer 2A\n\n# Summary\nThe probes are few."
    paper = PaperStore(project).add_paper("Probes")
    text = ReviewStore(project).add_text("R", words, paper_id=paper).texts[0].id
    spans = LabelStore(project).sentence_spans(text)
    assert [words[at.start : at.end] for at in spans] == ["# Summary", "The probes are few."]
    assert len(list(items_of(project, "sentences"))) == 2, "a work package has no item that nobody sees"
