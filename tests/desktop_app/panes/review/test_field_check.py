"""What is known of sentences moves with the text: it never stands at other words than those it was found for."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.panes.review.state import FieldCheck, check_field
from engine.cli.main import rejoinder
from engine.documents.places import Places
from engine.exchange.review_markdown import read_review
from engine.review_drafting.benchmark.comparison import substantiated
from engine.review_drafting.grounding import Claim
from engine.reviews.records import Span
from engine.reviews.spans import common_ends
from engine.reviews.stretches import LIST_MARK
from engine.reviews.tone import ToneRemark
from tests.engine.documents.honest import clean
from tests.engine.review_drafting.test_grounding import document

FIELDS = {
    "Summary": "The paper trains a small network to forecast rain from images of a radar.",
    "Strengths": "- The topic is timely.\n- Code is promised.",
    "Weaknesses": "- The novelty is limited.\n- In Section 3, for example, r means rain and radius.\n"
    "    - The data set is too small to be useful.\n\n1. Table 4 has no unit.\n\n   The paper lacks depth.",
    "Questions": "The framework is not compared\nwith existing tools. Why is the wind not used?\n\nWhat is r?",
}
SENTENCE = st.text("ab .é\n", min_size=1, max_size=8)


def check_of(sentences: list[str]) -> FieldCheck:
    """A text of sentences, each with a claim over it and a remark on its first character."""
    claims, tone, bare, at = [], [], [], 0
    for words in sentences:
        claims.append(Claim(at, at + len(words), words, "assertion", "not checked", (), ""))
        tone.append(ToneRemark(Span(at, at + 1), "blunt", words[0], "", ()))
        bare.append(Span(at, at + len(words)))
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


def test_field_file_and_benchmark_judge_a_sentence_alike(tmp_path: Path) -> None:
    places = Places(document("We present a small network."))
    marked = {
        name: [text[one.start : one.end] for one in check_field(text, places, ()).unreasoned]
        for name, text in FIELDS.items()
    }
    assert sum(map(len, marked.values())) == 4
    review, paper = tmp_path / "review.md", tmp_path / "paper.pdf"
    review.write_text("".join(f"## {name}\n\n{text}\n\n" for name, text in FIELDS.items()), encoding="utf-8")
    paper.write_bytes(clean("dark figure", 0))
    done = CliRunner().invoke(rejoinder, ["review", "check", str(review), "--paper", str(paper), "--json"])
    bare = [claim["claim"] for claim in json.loads(done.stdout)["claims"] if claim["no_reason"]]
    assert bare == [LIST_MARK.sub("", one) for name in FIELDS for one in marked[name]]
    read = read_review(review.read_text(encoding="utf-8"))
    points = [(name, point) for name in ("Weaknesses", "Questions") for point in getattr(read, name.lower())]
    held = [any(" ".join(LIST_MARK.sub("", one).split()) in point for one in marked[name]) for name, point in points]
    assert 0 < sum(held) < len(held)
    assert substantiated(read) == 1 - sum(held) / len(held)
