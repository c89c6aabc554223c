"""What is known of sentences moves with the text: it never stands at other words than those it was found for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.panes.review.state import FieldCheck
from engine.review_drafting.grounding import Claim
from engine.reviews.labels.substantiation import Unreasoned
from engine.reviews.records import Span
from engine.reviews.spans import common_ends
from engine.reviews.tone import ToneRemark

SENTENCE = st.text("ab .é\n", min_size=1, max_size=8)


def check_of(sentences: list[str]) -> FieldCheck:
    """A text of sentences, each with a claim over it and a remark on its first character."""
    claims, tone, bare, at = [], [], [], 0
    for words in sentences:
        claims.append(Claim(at, at + len(words), words, "assertion", "not checked", (), ""))
        tone.append(ToneRemark(Span(at, at + 1), "blunt", words[0], "", ()))
        bare.append(Unreasoned(at, at + len(words), 0.5))
        at += len(words) + 1
    return FieldCheck("|".join(sentences), tuple(claims), tuple(tone), (), tuple(bare))


@settings(max_examples=300, deadline=None)
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=6), data=st.data())
def test_what_stays_stands_at_its_own_words(sentences: list[str], data: st.DataObject) -> None:
    check = check_of(sentences)
    start = data.draw(st.integers(0, len(check.text)))
    end = data.draw(st.integers(start, len(check.text)))
    text = check.text[:start] + data.draw(st.text("ab |", max_size=4)) + check.text[end:]
    moved = check.moved(text)
    assert moved.text == text
    for claim in moved.claims:
        assert text[claim.start : claim.end] == claim.text
    assert [(one.start, one.end) for one in moved.unreasoned] == [(claim.start, claim.end) for claim in moved.claims]
    assert all(moved.no_reason(claim) for claim in moved.claims)
    for remark in moved.tone:
        assert text[remark.span.start : remark.span.end] == remark.words
    assert moved is check or text != check.text


def test_only_the_sentence_that_is_written_in_is_forgotten() -> None:
    check = check_of(["One here.", "Two here.", "Three here."])
    moved = check.moved(check.text.replace("Two", "Twenty"))
    assert [claim.text for claim in moved.claims] == ["One here.", "Three here."]
    assert moved.grounded is None and moved.waiting


@given(old=st.text("ab", max_size=12), new=st.text("ab", max_size=12))
def test_common_ends_do_not_overlap(old: str, new: str) -> None:
    head, tail = common_ends(old, new)
    assert old[:head] == new[:head] and head + tail <= min(len(old), len(new))
    assert not tail or old[-tail:] == new[-tail:]
