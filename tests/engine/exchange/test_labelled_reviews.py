"""Annotated reviews of two data sets: what is read, where it stands, and what slips of the pen do not break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.disapere import read_disapere, read_pair
from engine.exchange.labelled_folders import (
    DISAPERE,
    PEER_REVIEW_ANALYZE,
    data_set_of,
    is_disapere,
    read_labelled_folder,
)
from engine.exchange.peer_review_analyze import read_peer_review_analyze, read_review, sentence_polarity
from engine.formats import READERS
from engine.project import Project
from engine.reviews.labels.taxonomy import by_code
from tests.engine.reviews.labels.invented_reviews import invented_reviews, write_disapere, write_peer_review_analyze

LINE = (
    ' "Summary:\\nA new \\"gate\\" is proposed for na\\u00efve models \\ud83d\\ude42.[[PDI-NEU,MET-POS], [NOV-POS]]  '
    "The proof is missing[[MET-NEG], [EMP-NEG]] . See \\\\alpha in Table 1.[[TNF-NEU], [null]] \\n\\n"
    'Thanks.\\n"[[EXT-NEU], [null]]'
)


def test_labels_are_taken_out_and_offsets_point_at_the_sentences() -> None:
    review = read_review(LINE, name="R1_annotated", paper="p")
    assert review.text.text == (
        'Summary:\nA new "gate" is proposed for naïve models 🙂. The proof is missing. '
        "See \\alpha in Table 1.\n\nThanks.\n"
    )
    assert [review.words(s) for s in review.sentences] == [
        'Summary:\nA new "gate" is proposed for naïve models 🙂.',
        "The proof is missing.",
        "See \\alpha in Table 1.",
        "Thanks.",
    ]
    first, second, third, _ = review.sentences
    assert first.layers == {
        "theme": ("problem-definition", "methodology"),
        "aspect": ("originality",),
        "polarity": ("positive",),
    }
    assert second.layers["polarity"] == ("negative",) and third.layers["aspect"] == ()
    assert (review.warnings, review.text.reviewer, review.paper) == ((), "R1", "p")


@pytest.mark.parametrize(
    ("mark", "themes", "aspects"),
    [
        ("[[MET-NEG,EXP-NEU], [CLA-NEG]]", ("methodology", "experiments"), ("clarity",)),
        ("[[DAt-NEG,ANA_NEG], [EMp-NEG]]", ("datasets", "analysis"), ("soundness",)),
        ("[[MET<NEG], [null]]", ("methodology",), ()),
        ("[[RWK-POS<MET-POS], [NOV-POS]]", ("related-work", "methodology"), ("originality",)),
        ("[MET-NEU], [EMP-NEU]", ("methodology",), ("soundness",)),
        ("[[MET-NEU, EMP-NEU]]", ("methodology",), ("soundness",)),
        ("[[MET-NEU], [EMP-NEU]", ("methodology",), ("soundness",)),
        ("[[MET-NEU], EMP-NEU]]", ("methodology",), ("soundness",)),
        ("[[MET - NEU] , [NULL]]", ("methodology",), ()),
        ("[[CNT], [CNT]]", (), ()),
        ("[[PDI,MET-NEG], [NOV-NEG,SUB-NEG]]", ("problem-definition", "methodology"), ("originality", "substance")),
        ("[[RWK-NEU,XYZ-POS], [CMP-NEU]]", ("related-work",), ("comparison",)),
    ],
)
def test_marks_vary(mark: str, themes: tuple[str, ...], aspects: tuple[str, ...]) -> None:
    review = read_review(f'"It fails.{mark}  Then it ends.[[OAL-NEU], [null]]"', name="R")
    assert review.text.text == "It fails. Then it ends."
    first, second = review.sentences
    assert (first.layers["theme"], first.layers["aspect"]) == (themes, aspects)
    assert second.layers["theme"] == ("overall",)


def test_half_a_mark_is_told_and_what_is_no_mark_stays() -> None:
    review = read_review("See [1], [[2]] and [Fig]., [CRT]]  It works.[[RES-POS], [null]]", name="R")
    assert review.text.text == "See [1], [[2]] and [Fig]. It works."
    assert len(review.sentences) == 1 and "[CRT]]" in review.warnings[0]


def test_marks_that_cannot_be_read_are_problems_of_the_import(tmp_path: Path) -> None:
    folder = tmp_path / "set" / "accept" / "paper"
    folder.mkdir(parents=True)
    (folder / "R1_annotated.txt").write_text("It fails, [CRT]]  It works.[[RES-POS], [null]]", encoding="utf-8")
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as project:
        found = READERS["annotated-reviews"].read(project, [tmp_path / "set"])
    assert found.sentences == ("set: 1 annotated review, 0 answered comments.",)
    (problem,) = found.problems
    assert "R1_annotated: the mark [CRT]] can't be read" in problem


def test_a_mark_inside_of_an_escape() -> None:
    review = read_review('"Use a newer one!\\[[CNT], [null]] n - p.7 is odd.[[TNF-NEG], [null]]"', name="R")
    assert review.text.text == "Use a newer one!\n - p.7 is odd."


@given(
    sentences=st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_characters='[]{}()\\"'), min_size=1, max_size=30).filter(
                lambda s: any(c.isalpha() for c in s)
            ),
            st.lists(st.sampled_from(sorted(by_code("theme", "peer_review_analyze"))), min_size=1, max_size=3),
            st.sampled_from(["POS", "NEG", "NEU"]),
        ),
        min_size=1,
        max_size=8,
    ),
    quoted=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_offsets_of_any_text(sentences: list[tuple[str, list[str], str]], quoted: bool) -> None:
    """Each sentence is found where it stands, trimmed, whatever characters it has; nothing overlaps."""
    raw = "".join(
        json.dumps(f"A{words.strip()}z.")[1:-1] + f"[[{','.join(f'{c}-{sign}' for c in codes)}], [null]]  "
        for words, codes, sign in sentences
    )
    review = read_review(f'"{raw}"' if quoted else raw, name="R")
    assert [review.words(s) for s in review.sentences] == [f"A{words.strip()}z." for words, _, _ in sentences]
    names = by_code("theme", "peer_review_analyze")
    assert [set(s.layers["theme"]) for s in review.sentences] == [
        {names[c] for c in codes} for _, codes, _ in sentences
    ]
    ends = [0, *(place for s in review.sentences for place in (s.span.start, s.span.end))]
    assert ends == sorted(ends)


def test_one_polarity_of_several() -> None:
    assert sentence_polarity(["NEU", "POS"]) == "POS"
    assert sentence_polarity(["POS", "NEG"]) == "NEG"
    assert sentence_polarity(["NEU", "NEU"]) == sentence_polarity([]) == "NEU"


def test_a_folder_of_reviews(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        read_peer_review_analyze(tmp_path)
    place = tmp_path / "Accepted" / "abc"
    place.mkdir(parents=True)
    (place / "ICLR-abc-R1_annotated.txt").write_text(LINE, encoding="utf-8")
    (review,) = read_peer_review_analyze(tmp_path)
    assert review.paper == "abc" and len(review.sentences) == 4


PAIR = {
    "metadata": {"forum_id": "f", "review_id": "r", "title": "A Title", "reviewer": "R2", "annotator": "a1"},
    "review_sentences": [
        {
            "text": "It is clear.",
            "suffix": "",
            "review_action": "arg_evaluative",
            "fine_review_action": "none",
            "aspect": "asp_clarity",
            "polarity": "pol_positive",
        },
        {"text": "Why 3 layers?", "suffix": "\n\n", "review_action": "arg_request", "aspect": "none", "polarity": None},
    ],
    "rebuttal_sentences": [
        {
            "text": "For speed.",
            "suffix": "\n",
            "rebuttal_stance": "concur",
            "rebuttal_action": "rebuttal_answer",
            "alignment": ["context_sentences", [1]],
        },
        {"text": "Thanks.", "suffix": "", "rebuttal_action": "rebuttal_social", "alignment": ["context_global", None]},
    ],
}


def test_a_pair_becomes_texts_with_labels(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(PAIR), encoding="utf-8")
    (pair,) = read_disapere(tmp_path)
    assert [(a.text, a.aligned, a.action) for a in pair.rebuttal] == [
        ("For speed.", (1,), "rebuttal_answer"),
        ("Thanks.", (), "rebuttal_social"),
    ]
    review = pair.labelled()
    assert review.text.text == "It is clear. Why 3 layers?\n\n" and review.paper == "f"
    assert [review.words(s) for s in review.sentences] == ["It is clear.", "Why 3 layers?"]
    first, second = (s.layers for s in review.sentences)
    assert first == {"aspect": ("clarity",), "polarity": ("positive",), "review_action": ("evaluative",)}
    assert second == {"aspect": (), "polarity": ("neutral",), "review_action": ("request",)}


@pytest.mark.parametrize("broken", ["{", "[]", '{"metadata": {}}', '{"metadata": {"review_id": 1, "forum_id": 2}}'])
def test_another_layout_is_refused(broken: str) -> None:
    with pytest.raises(BadInput, match=r"r\.json"):
        read_pair(broken, "r.json")


@pytest.mark.data
def test_the_released_reviews_are_read_whole(data_folder: Path) -> None:
    reviews = read_peer_review_analyze(data_folder / "peer_review_analyze")
    assert len(reviews) == 720 and sum(len(r.sentences) for r in reviews) > 11_000
    assert sum(len(r.warnings) for r in reviews) <= 10
    assert not any("[[" in r.text.text or "]]" in r.text.text for r in reviews)


def test_a_folder_is_read_whichever_data_set_it_holds(tmp_path: Path) -> None:
    reviews = invented_reviews(4, sentences=3)
    write_disapere(tmp_path / "one" / "train", reviews)
    write_peer_review_analyze(tmp_path / "two" / "peer_review_analyze", reviews)
    one, two = read_labelled_folder(tmp_path / "one"), read_labelled_folder(tmp_path / "two")
    assert one.data_set == data_set_of(tmp_path / "one") == DISAPERE and len(one.reviews) == 4
    assert two.data_set == data_set_of(tmp_path / "two") == PEER_REVIEW_ANALYZE and len(two.reviews) == 4
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "card.json").write_text("{}")
    assert not is_disapere(tmp_path / "three")
    with pytest.raises(BadInput, match="no annotated reviews"):
        read_labelled_folder(tmp_path / "three")
