"""What two annotators agree on, counted by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from engine.agreement.linking import agreement, disagreements, overlapping, pair_comments, requests, tokens_of
from engine.agreement.records import Marked, PairedComment, PaperWork, Work
from engine.measures.annotators import kappa

TEXT = "The split is unclear. Please add an ablation of the second term. Thanks."
TEXTS = {"r1": TEXT}


def span(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def marked(key: str, *pieces: str) -> Marked:
    return Marked(key, "r1", tuple(span(piece) for piece in pieces))


def paper(first: Work, second: Work, comments: tuple[str, ...] = ("c1", "c2", "c3")) -> PaperWork:
    return PaperWork("p", "Paper", "v", comments, ("e1", "e2", "e3", "e4"), first, second, (("r1", TEXT),))


ANN = Work("a", "Ann", frozenset({("c1", "e1"), ("c1", "e2")}), (("c1", "linked"), ("c2", "answered")))
BEN = Work("b", "Ben", frozenset({("c1", "e1")}), (("c1", "linked"), ("c2", "not_addressed"), ("c3", "answered")))


def test_pairs_count_where_both_decided() -> None:
    found = agreement([paper(ANN, BEN)])
    assert (found.first, found.second) == ("Ann", "Ben")
    # c1: e1 by both, e2 by Ann alone, two by none; c2: four by none; c3 was left out by Ann.
    assert found.overall.confusion == ((1, 1), (0, 6))
    assert (found.overall.comments, found.overall.left_out) == (2, 1)
    assert found.overall.estimates["percent"].value == pytest.approx(7 / 8)
    assert found.overall.estimates["kappa"].shown() == "fewer than 6 units", "two comments, if eight pairs"
    often = agreement([paper(ANN, BEN)] * 3).overall.estimates["kappa"]
    assert often.value == pytest.approx((7 / 8 - (2 * 1 + 6 * 7) / 64) / (1 - 44 / 64)) and often.n == 24
    assert found.overall.states == {("linked", "linked"): 1, ("answered", "not_addressed"): 1}
    assert repr(found.papers[0].estimates) == repr(found.overall.estimates), "NaN is not equal to itself"


def test_they_differ_in_edits_and_in_states() -> None:
    one, two = disagreements(paper(ANN, BEN))
    assert (one.comment.first_id, one.agreed, one.only_first, one.only_second) == ("c1", ("e1",), ("e2",), ())
    assert one.disputed == ("e2",)
    assert (two.comment.first_id, two.first_state, two.second_state) == ("c2", "answered", "not_addressed")


def test_nobody_disagrees_with_themselves() -> None:
    found = agreement([paper(ANN, ANN)] * 3)
    assert found.disagreements == ()
    assert all(found.overall.estimates[name].value == 1 for name in ("kappa", "percent", "ac1", "alpha", "states"))


def test_papers_are_put_together_and_nothing_is_nothing() -> None:
    found = agreement([paper(ANN, BEN), paper(ANN, ANN)])
    assert found.overall.confusion == ((3, 1), (0, 12))
    assert [figures.confusion for figures in found.papers] == [((1, 1), (0, 6)), ((2, 0), (0, 6))]
    nothing = agreement([])
    assert not nothing.overall.estimates["kappa"].known
    unseen = agreement([paper(Work("a", "Ann"), BEN)])
    assert (unseen.overall.comments, unseen.overall.left_out, unseen.disagreements) == (0, 3 - 0, ())


def test_words_of_a_span_are_whole_words() -> None:
    text = "alpha beta gamma"
    inside = Marked("c", "t", ((2, 8),))
    assert tokens_of(inside, {"t": text}) == {0, 6}
    assert tokens_of(Marked("c", "t", ((5, 6),)), {"t": text}) == frozenset()
    assert tokens_of(Marked("c", "t", ((0, 3), (11, 12))), {"t": text}) == {0, 11}
    assert tokens_of(Marked("c", "gone", ((0, 3),)), {"t": text}) == frozenset()


def test_comments_that_were_marked_over_each_other_are_one_request() -> None:
    one = (marked("a1", "The split is unclear"), marked("a2", "add an ablation"), marked("a3", "Thanks"))
    two = (marked("b1", "split is unclear"), marked("b2", "Please add an ablation of the second term"))
    pairs = pair_comments(one, two, TEXTS)
    assert pairs == (PairedComment("a1", "b1", pytest.approx(3 / 4)), PairedComment("a2", "b2", pytest.approx(3 / 8)))
    assert overlapping(one, two, TEXTS) == [True, True, False, True, True]
    ann = Work("a", "Ann", frozenset({("a2", "e1")}), (("a2", "linked"),), one)
    ben = Work("b", "Ben", frozenset({("b2", "e1")}), (("b2", "linked"),), two)
    study = paper(ann, ben, ())
    assert requests(study) == pairs
    found = agreement([study])
    assert found.overall.confusion == ((1, 0), (0, 3))
    assert found.overall.estimates["overlap"].value == pytest.approx(0.8)
    assert found.overall.estimates["jaccard"].value == pytest.approx((3 / 4 + 3 / 8) / 2)
    assert found.disagreements == ()


def test_a_comment_meets_at_most_one_of_the_other() -> None:
    one = (marked("a1", "The split is unclear. Please add an ablation"),)
    two = (marked("b1", "The split is unclear"), marked("b2", "Please add an ablation"))
    (only,) = pair_comments(one, two, TEXTS)
    assert only.second_id in ("b1", "b2")
    assert overlapping(one, two, TEXTS) == [True, True, True]


@pytest.mark.data
def test_kappa_of_the_measuring_data_is_what_its_page_says(data_folder: Path) -> None:
    """The two readings of the real manuscripts: kappa from the counts of the page against the kappa that it gives."""
    page = (data_folder / "revisions" / "AGREEMENT.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [\w-]+ \| ([\d,]+) \| ([\d.]+) \| [\d.]+ \| (\d+) / (\d+) / (\d+) \|$", page, re.MULTILINE)
    assert len(rows) >= 4
    for total, said, both, first, second in rows:
        b, f, s = int(both), int(first), int(second)
        counts = np.array([[b, f], [s, int(total.replace(",", "")) - b - f - s]], float)
        assert round(float(kappa(counts)), 2) == float(said)
