from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rebuttal.templates import starter
from engine.reviews.tone import find_tone, replaced


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Obviously, this holds.", "blunt", "Obviously,"),
        ("The reviewer is simply wrong here.", "blunt", "The reviewer is simply wrong"),
        ("It seems you missed the appendix.", "blunt", "you missed"),
        ("As we clearly stated, it is so.", "blunt", "As we clearly stated"),
        ("We omit this due to space constraints.", "defensive", "due to space constraints"),
        ("We strongly disagree with this.", "defensive", "We strongly disagree"),
        ("It is unrealistic to train ten more models.", "defensive", "unrealistic"),
        ("We thank the reviewer so much for this.", "over-grateful", "We thank the reviewer so much"),
        ("We are extremely grateful.", "over-grateful", "extremely grateful"),
        ("What an excellent question!", "over-grateful", "excellent question"),
    ],
)
def test_authors_words_of_doubtful_tone_are_found(text: str, kind: str, words: str) -> None:
    (remark,) = find_tone(text, "author")
    assert (remark.kind, remark.words) == (kind, words)
    assert text[remark.span.start : remark.span.end] == words
    assert remark.why and remark.alternatives


@pytest.mark.parametrize(
    "text",
    ["This is not novel.", "The authors do not understand statistics.", "It is poorly written.", "A waste of time."],
)
def test_reviewers_dismissals_are_found_on_their_side_only(text: str) -> None:
    assert [remark.kind for remark in find_tone(text, "reviewer")] == ["dismissive"]
    assert find_tone(text, "author") == ()


@pytest.mark.parametrize(
    "text",
    [
        "We thank the reviewer for the careful reading.",
        "> Obviously this is wrong.\n\nWe have added Table 2.",
        "The reviewer writes “clearly flawed”; we have mended it.",
        "The figure now shows the trend, and the term is defined clearly.",
        "The gain is incremental over the baseline, as Table 2 shows.",
        "Without it, the model makes wildly unrealistic predictions.",
    ],
)
def test_plain_and_quoted_words_pass(text: str) -> None:
    assert find_tone(text, "author") == ()


@pytest.mark.parametrize(
    "text",
    [
        "The authors are not qualified to run such a trial.",
        "They know too little of the field.",
        "The comparison is dishonest.",
        "The proof is smoke and mirrors.",
        "Nobody could be bothered to label the axes.",
        "The appendix was slapped together.",
        "The evaluation makes a mockery of the benchmark.",
        "I am appalled by this section.",
        "What is the point of this?",
        "This looks like the work of a graduate student.",
    ],
)
def test_contempt_is_found_in_reviews_by_kind(text: str) -> None:
    assert [remark.kind for remark in find_tone(text, "reviewer")] == ["dismissive"]


@pytest.mark.parametrize(
    "text",
    [
        "The attack tries to fool the discriminator and cheat detectors fail.",
        "Seal the envelopes in a fool-proof way.",
        "The sham group received no stimulation, and the wording may mislead readers.",
        "Key details should not be buried in the appendix.",
        "Two cohorts are lumped together; these samples were not present in the training set.",
        "Segmentation for Chinese is not reported, nor the authors' lab protocol.",
        "Common sense is missing from most language models.",
        "I regret that I cannot recommend publication.",
        "The diary study with undergraduate students graded homework.",
        "Children in kindergarten wrote a blog post; nonsense words were balanced.",
        "The amateur choir told a joke about rubbish collection, and embarrassment was rated.",
    ],
)
def test_civil_sentences_with_similar_words_pass(text: str) -> None:
    assert find_tone(text, "reviewer") == ()


@pytest.mark.parametrize("template", starter(), ids=lambda t: t.id)
def test_no_template_that_ships_is_of_doubtful_tone(template: object) -> None:
    assert find_tone(template.text, "author") == ()  # type: ignore[attr-defined]


def test_an_alternative_fits_into_its_sentence() -> None:
    def mended(text: str, number: int = 0) -> str:
        (remark,) = find_tone(text, "author")
        span, words = replaced(text, remark, remark.alternatives[number])
        return text[: span.start] + words + text[span.end :]

    assert mended("Obviously, this holds.") == "This holds."
    assert mended("This clearly holds.") == "This holds."
    assert mended("This holds, of course.") == "This holds."
    assert mended("As we already stated, it is so.") == "As described, it is so."
    assert mended("First. As already said, no.") == "First. As described, no."


@given(st.text("Obviously, clearly wrong. “>”\n$`ab", max_size=80))
def test_remarks_stand_in_order_apart_and_cut_out_their_words(text: str) -> None:
    found = find_tone(text, "author")
    for remark in found:
        assert text[remark.span.start : remark.span.end] == remark.words
    for one, other in pairwise(found):
        assert one.span.end <= other.span.start
