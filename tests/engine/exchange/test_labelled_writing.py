"""DISAPERE and Peer-Review-Analyze: labelled reviews go out and come back, and what is lost is said."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exchange.disapere import DisaperePair, read_disapere, read_pair
from engine.exchange.labelled_folders import read_labelled_folder, write_disapere, write_peer_review_analyze
from engine.exchange.peer_review_analyze import read_review
from engine.formats import READERS, WRITERS, Wanted
from engine.project import Project
from engine.reviews.labels.records import LabelledReview, LabelledSentence, Layer
from engine.reviews.labels.taxonomy import by_code
from engine.reviews.records import SourceText, Span
from engine.reviews.store import ReviewStore

WORDS = st.text(
    st.sampled_from('ab é🚲"\\[]{}()-_1\u2028') | st.characters(categories=["L"]), min_size=1, max_size=12
).map(lambda text: f"A{' '.join(text.split())}z.")


def values(layer: Layer, data_set: str) -> list[str]:
    return sorted(set(by_code(layer, data_set).values()))


@st.composite
def reviews(draw: st.DrawFn, data_set: str) -> LabelledReview:
    """Sentences with a label of each layer; some without any, the text may begin and end with blanks."""
    text, sentences = draw(st.sampled_from(["", "\n", " \n"])), []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(WORDS)
        span = Span(len(text), len(text) + len(words))
        text += words + draw(st.sampled_from([" ", "\n", "\n\n"]))
        layers: dict[Layer, tuple[str, ...]] = {
            "polarity": (draw(st.sampled_from(values("polarity", data_set))),),
            "aspect": draw(st.sampled_from(values("aspect", data_set)).map(lambda one: (one,)) | st.just(())),
        }
        if data_set == "disapere":
            layers["review_action"] = (draw(st.sampled_from(values("review_action", data_set))),)
        else:
            themes = draw(st.lists(st.sampled_from(values("theme", data_set)), max_size=3, unique=True))
            layers["theme"] = tuple(themes)
        sentences.append(LabelledSentence(span, layers))
    return LabelledReview("paper", SourceText("r1", "R1", text, "text/plain", "R1"), tuple(sentences))


@given(reviews("disapere"))
@settings(deadline=None)
def test_disapere_brings_every_label_back(review: LabelledReview) -> None:
    (file,) = write_disapere([review], {"paper": "A title"}).files
    pair = read_pair(file.content.decode(), file.name)
    found = pair.labelled()
    assert (found.text.text, found.paper, found.text.reviewer) == (review.text.text, "paper", "R1")
    assert found.sentences == review.sentences
    assert pair.title == "A title"


def test_disapere_brings_answers_back_to_the_sentences_that_they_answer(tmp_path: Path) -> None:
    """From a file into a project, out, and in again: also where several sentences get one answer."""
    words = ("It is clear.", "Why 3 layers?", "And why so wide?")
    answers = [("We tried 2.", [1, 2]), ("It was worse.", [1, 2]), ("Thanks.", [0]), ("We hope it helps.", None)]
    source = {
        "metadata": {"review_id": "r1", "forum_id": "f", "title": "T", "reviewer": "R1", "annotator": "a"},
        "review_sentences": [
            {"text": one, "suffix": "", "review_action": "arg_request", "aspect": "none", "polarity": "none"}
            for one in words
        ],
        "rebuttal_sentences": [
            {"text": one, "suffix": "", "rebuttal_stance": "concur", "rebuttal_action": "rebuttal_answer",
             "alignment": ["context_sentences", to] if to is not None else ["context_global", None]}
            for one, to in answers
        ],
    }  # fmt: skip
    folder = tmp_path / "one" / "train"
    folder.mkdir(parents=True)
    (folder / "r1.json").write_text(json.dumps(source), encoding="utf-8")
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as project:
        found = READERS["annotated-reviews"].read(project, [folder.parent])
        assert found.sentences[0] == "one: 1 annotated review, 2 answered comments."
        assert "1 rebuttal sentence not aligned" in found.sentences[1]
        made = {one.comment: one.response for one in ReviewStore(project).comments()}
        assert made == {"Why 3 layers? And why so wide?": "We tried 2. It was worse.", "It is clear.": "Thanks."}
        export = WRITERS["disapere"].make(project, Wanted("out"))
        assert "without stances and actions" in " ".join(export.loss)
    (file,) = export.files
    again = read_pair(file.content.decode(), file.name)
    assert sorted((one.text, one.aligned) for one in again.rebuttal) == sorted(
        (words, tuple(to)) for words, to in answers if to is not None
    )
    assert [one.text for one in again.review] == list(words)


def test_released_reviews_come_back_with_what_answers_what(data_folder: Path) -> None:
    """The released part dev: the same labels of each sentence, and all words of answers where they answer."""
    for pair in read_disapere(data_folder / "disapere" / "dev"):
        (file,) = write_disapere([pair.labelled()], {pair.forum: pair.title}).files
        again = read_pair(file.content.decode(), file.name)
        labelled, before = (
            [(one.text, one.review_action, one.polarity) for one in found.review if one.text] for found in (again, pair)
        )
        assert labelled == before
        missing = answering(pair) - answering(again)
        assert not answering(again) - answering(pair) and {word.strip(">*-") for _, word in missing} <= {""}


def answering(pair: DisaperePair) -> Counter[tuple[tuple[int, ...], str]]:
    """The words of a rebuttal with the sentences of the review that they answer."""
    return Counter(
        (tuple(sorted(set(one.aligned))), word) for one in pair.rebuttal if one.aligned for word in one.text.split()
    )


@given(reviews("peer_review_analyze"))
@settings(deadline=None)
def test_peer_review_analyze_brings_every_label_back(review: LabelledReview) -> None:
    (file,) = write_peer_review_analyze([review]).files
    found = read_review(file.content.decode(), name="r1_annotated", paper="paper")
    assert found.warnings == () and found.text.text == review.text.text
    assert [one.span for one in found.sentences] == [one.span for one in review.sentences]
    for read, given_ in zip(found.sentences, review.sentences, strict=True):
        assert (
            set(read.layers["theme"]) == set(given_.layers["theme"])
            and read.layers["aspect"] == given_.layers["aspect"]
        )
        if given_.layers["theme"] or given_.layers["aspect"]:
            assert read.layers["polarity"] == given_.layers["polarity"]


def small() -> LabelledReview:
    text = "First. *** Second.Third. Nothing of this."
    labels = [
        LabelledSentence(Span(0, 6), {"polarity": ("positive",), "theme": ("methodology",), "actionable": ("yes",)}),
        LabelledSentence(Span(11, 18), {"polarity": ("positive",)}),
        LabelledSentence(Span(18, 24), {"aspect": ("clarity",)}),
        LabelledSentence(Span(20, 24), {"aspect": ("soundness",)}),
    ]
    return LabelledReview("p/../q", SourceText("../r", "R", text, "text/plain"), tuple(labels))


def test_what_is_lost_is_said_and_no_word_is(tmp_path: Path) -> None:
    disapere, analyze = write_disapere([small()], {}), write_peer_review_analyze([small()])
    loss = " ".join(disapere.loss)
    assert "2 labels left out, because DISAPERE has no code" in loss and "1 sentence gets a space" in loss
    loss = " ".join(analyze.loss)
    assert (
        "neutral: 4 sentences with no polarity" in loss
        and "1 label left out, because Peer-Review-Analyze has no such layer" in loss
    )
    for export, folder in ((disapere, tmp_path / "d"), (analyze, tmp_path / "p")):
        for file in export.files:
            path = folder / file.name
            assert ".." not in file.name and path.resolve().is_relative_to(folder)
            path.parent.mkdir(parents=True)
            path.write_bytes(file.content)
        (found,) = read_labelled_folder(folder).reviews
        assert "".join(found.text.text.split()) == "".join(small().text.text.split())
