"""The evidence of the fused aligner and the learned head: each piece by an example, the decision by what must hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.jobs import QuietReport
from engine.research.alignment.evaluation import fit_heads, gather, leave_one_out, measure
from engine.revision.aligners.evidence import Gatherer, Vocabulary, common_runs, neighbours, sides
from engine.revision.aligners.head import (
    FROM_COMMENTS,
    FROM_REPLIES,
    Example,
    FusedAligner,
    Head,
    Heads,
    best_cut,
    fit,
    heads_from_json,
    judge,
    margins,
    shipped,
    to_unit,
)
from engine.revision.aligners.lexical import pre_revision
from engine.revision.aligners.replies import announcements, content, quoted_passages
from engine.revision.records import NamedPlace, Query, Scored
from scripts.fit_aligner import to_json
from tests.engine.revision.papers import PAPERS, make_edit
from tests.engine.revision.test_aligners import WordVectors

# --- replies ----------------------------------------------------------------------------------------------------------


def test_sentences_that_announce_a_change_are_told_from_those_that_argue() -> None:
    reply = (
        "We thank the reviewer. The threshold is common in this field. We have now added a paragraph on thresholds. "
        "A new Table 2 lists them. The data were always public."
    )
    assert announcements(reply) == ("We have now added a paragraph on thresholds.", "A new Table 2 lists them.")


def test_what_a_reply_quotes_is_not_word_of_a_change() -> None:
    reply = "We wrote:\n\n“We have added water to the mixture and stirred it for an hour.”"
    assert announcements(reply) == ()
    assert quoted_passages(reply) == ("We have added water to the mixture and stirred it for an hour.",)


@pytest.mark.parametrize(
    "reply",
    [
        "Completed.", "Done, thanks!", "Fixed, thank you.", "", "We have followed the advice.", "See above.", "Shrimp.",
        "Thank you very much for this valuable suggestion; the manuscript was revised accordingly.",
        "Erledigt, vielen Dank für den guten Hinweis!", "Merci, nous avons ajouté ce point.", "已修改，谢谢。",
    ],
)  # fmt: skip
def test_a_courtesy_says_nothing(reply: str) -> None:
    assert content(reply, "Please name the diet of the fish.") == 0.0


def test_what_a_response_says_of_its_own_counts() -> None:
    comment = "Please name the diet of the fish."
    assert content("We now name the diet of the fish.", comment) == 0.0
    assert (
        0.0
        < content("Done in the methods section.", comment)
        < content("Done; brine shrimp twice daily.", comment)
        < 1.0
    )
    assert content("Erledigt, siehe Zeile 12.", comment) > 0.0
    assert content("A remark was added under Limits.", comment) < content("Added under Limits.", comment, 1)
    assert content("The tanks got brine shrimp and algae twice daily from May.", comment) == 1.0


def test_quotations_are_found_in_marks_code_and_blocks_and_cut_at_gaps() -> None:
    text = (
        'Now: "the first part of it stands here [...] and the second part of it there".\n'
        "> A block that is quoted as a whole line.\n"
        "`code marks hold a sentence, too, in some letters`\n"
        "A “short one” names something."
    )
    assert quoted_passages(text) == (
        "the first part of it stands here",
        "and the second part of it there",
        "A block that is quoted as a whole line.",
        "code marks hold a sentence, too, in some letters",
    )


# --- words ------------------------------------------------------------------------------------------------------------


def test_the_share_of_words_found_counts_rare_ones_more() -> None:
    vocabulary = Vocabulary(["common rare", "common words", "common things", "common again"])
    (row,) = vocabulary.found(["common rare"], ["common", "rare", "common rare", "else"])
    assert row[3] == 0.0 and row[2] == pytest.approx(1.0)
    assert row[1] > row[0] > 0.0 and row[0] + row[1] == pytest.approx(1.0)
    assert vocabulary.found(["common rare"], ["rare"], slack=3.0)[0, 0] < row[1]
    assert vocabulary.found([""], ["rare"])[0, 0] == 0.0


words = st.lists(st.sampled_from(["ab", "cd", "ef", "gh"]), max_size=8).map(" ".join)


@given(st.lists(words, max_size=3), st.lists(words, max_size=3), st.integers(1, 3))
def test_common_runs_by_an_independent_count(first: list[str], second: list[str], length: int) -> None:
    def cut(text: str) -> set[tuple[str, ...]]:
        parts = text.split()
        return {tuple(parts[at : at + length]) for at in range(len(parts) - length + 1)}

    expected = [[len(cut(one) & cut(two)) for two in second] for one in first]
    assert common_runs(first, second, length).tolist() == expected


# --- evidence ---------------------------------------------------------------------------------------------------------


def evidence_of(queries: list[Query], *edits: object) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    gatherer = Gatherer(queries, edits, WordVectors(), QuietReport())  # type: ignore[arg-type]
    return gatherer.of_comments() | gatherer.of_replies()


def test_the_named_section_speaks_for_its_edits() -> None:
    edits = [
        make_edit("a", "", "Some wholly new text stands here.", "Methods > Blind rating"),
        make_edit("b", "", "Some wholly new text stands there.", "Results > Other things"),
    ]
    (found,) = [evidence_of([Query("c", "Why?", response="We have added a section Blind rating.")], *edits)]
    for piece in ("reply_sentence_title", "claim_title"):
        assert found[piece][0, 0] == pytest.approx(1.0) and found[piece][0, 1] == 0.0


def test_a_quotation_must_stand_in_the_paragraph_and_be_new_there() -> None:
    text = "The raters were not told which of the two texts was the older one."
    edits = [
        make_edit("new", "Kept sentence.", f"Kept sentence. {text}"),
        make_edit("old", f"{text} It ended.", f"{text} It ended well."),
        make_edit("other", "", "Something else was said at length in this paragraph."),
    ]
    found = evidence_of([Query("c", "Were they told?", response=f"We now write “{text}”")], *edits)
    assert found["quoted"][0].tolist() == [1.0, 0.0, 0.0]
    assert found["not_quoted_elsewhere"][0].tolist() == [1.0, 0.0, 0.0]


def test_a_named_caption_is_found() -> None:
    edits = [
        make_edit("t", "", "Table 3: The ranges of all settings.", "Appendix"),
        make_edit("u", "", "As Table 3 shows, the ranges are wide.", "Results"),
    ]
    found = evidence_of([Query("c", "Which ranges?", response="See the new Table 3.")], *edits)
    assert found["reply_caption"][0].tolist() == [1.0, 0.0]


def test_deleted_words_speak_for_the_edit_that_dropped_them() -> None:
    edits = [
        make_edit("gone", "The zebrafish example shows little. More follows here.", "More follows here."),
        make_edit("kept", "The fish were fed daily.", "The fish were fed twice daily."),
    ]
    found = evidence_of([Query("c", "Weak.", response="We have dropped the zebrafish example.")], *edits)
    assert found["claim_deleted_words"][0, 0] > 0.2 and found["claim_deleted_words"][0, 1] == 0.0


def test_a_comment_without_a_reply_has_no_evidence_from_one() -> None:
    paper = PAPERS[0]
    silent = [Query(query.comment_id, query.comment) for query in paper.queries]
    gatherer = Gatherer(silent, paper.candidates, WordVectors(), QuietReport())
    for name, values in gatherer.of_replies().items():
        if name != "not_quoted_elsewhere":
            assert not values.any(), name


def test_neighbours_are_of_the_same_section_and_fade() -> None:
    edits = [make_edit(f"e{n}", "", f"Text {n}.", "A" if n != 2 else "B") for n in range(4)]
    near = neighbours(sides(edits))
    assert near[0, 1] > near[0, 3] > 0.0 and near[0, 2] == near[0, 0] == 0.0
    assert near[0].sum() == pytest.approx(1.0) and near[2].sum() == 0.0


def test_the_paragraph_before_the_revision_is_told_apart() -> None:
    assert pre_revision(make_edit("a", "It was so.", "It was not so.")).split() == ["It", "was", "so."]
    assert pre_revision(make_edit("b", "", "It is new.")) == ""


# --- the head ---------------------------------------------------------------------------------------------------------


def example(seed: int, rate: float, shape: tuple[int, int] = (40, 30)) -> Example:
    rng = np.random.default_rng(seed)
    gold = rng.random(shape) < rate
    useful = rng.normal(size=shape) + 3.0 * gold
    return Example({"useful": useful, "noise": rng.normal(size=shape), "against": -useful}, gold, np.ones_like(gold))


def test_fit_finds_what_speaks_and_nothing_speaks_against() -> None:
    head = fit([example(1, 0.1), example(2, 0.1)], ["useful", "noise", "against"], ridge=1.0)
    weights = dict(head.weights)
    assert weights["useful"] > 1.0 and weights["against"] == 0.0 and weights["noise"] < 0.2 * weights["useful"]


def test_odds_are_true_ones_whatever_the_ridge() -> None:
    for ridge in (1.0, 1000.0):
        head = fit([example(1, 0.1)], ["useful", "noise"], ridge)
        fresh = example(5, 0.1, (200, 30))
        chances = to_unit(head.logits(fresh.evidence))
        assert chances.sum() == pytest.approx(fresh.gold.sum(), rel=0.25)


def test_fit_needs_a_link() -> None:
    bare = example(1, 0.0)
    with pytest.raises(ValueError, match="no link"):
        fit([bare], ["useful"], 1.0)


def test_the_cut_serves_expected_f1_best() -> None:
    logits = np.array([[3.0, 2.0, -0.5, -3.0], [-4.0, -5.0, -5.0, -5.0]])
    chances = to_unit(logits)

    def expected(cut: float) -> float:
        said = logits >= cut
        return float(2 * chances[said].sum() / (said.sum() + chances.sum()))

    assert best_cut(logits) == max(np.unique(logits), key=expected)


def test_margins_are_against_the_next_and_the_first() -> None:
    assert margins(np.array([[3.0, 1.0, -1.0], [2.0, 2.0, 0.0]])).tolist() == [[2.0, -2.0, -4.0], [0.0, 0.0, -2.0]]
    assert margins(np.array([[3.0], [1.0]])).tolist() == [[0.0], [0.0]]


@settings(max_examples=50)
@given(st.lists(st.floats(-40, 40), min_size=1, max_size=30), st.floats(0.0, 2.0))
def test_decisions_are_finite_and_keep_the_order(values: list[float], margin: float) -> None:
    head = Head((("seen", 1.0),), 0.0, margin)
    odds = judge(Heads(head, head), {"seen": np.array([values])}, np.zeros(1))
    assert np.isfinite(odds).all() and (odds >= best_cut(odds)).any()
    assert (np.diff(odds[0][np.argsort(values)]) >= 0.0).all()


def test_a_response_counts_as_much_as_it_says() -> None:
    comments, replies = Head((("asked", 1.0),), 0.0), Head((("said", 1.0),), 0.0)
    evidence = {"asked": np.full((3, 2), 1.0), "said": np.full((3, 2), 5.0)}
    odds = judge(Heads(comments, replies), evidence, np.array([0.0, 0.5, 1.0]))
    assert odds[:, 0].tolist() == [1.0, 3.0, 5.0]


def test_what_ships_knows_its_evidence_and_reads_back() -> None:
    heads = shipped()
    assert {name for name, _ in heads.comments.weights} == set(FROM_COMMENTS)
    assert {name for name, _ in heads.replies.weights} == set(FROM_REPLIES)
    assert all(weight >= 0.0 for head in (heads.comments, heads.replies) for _, weight in head.weights)
    assert heads_from_json(to_json(heads)) == heads


def ranked(query: Query, *, use_responses: bool = True) -> tuple[Scored, ...]:
    edits = [
        make_edit("right", "The fish were fed daily.", "The fish were fed brine shrimp daily, by hand.", "Feeding"),
        make_edit("other", "We sampled the water.", "We sampled the water; the samples completed the series.", "Water"),
        make_edit("third", "Errors are standard.", "Errors are standard errors of the mean.", "Statistics"),
    ]
    aligner = FusedAligner(WordVectors(), use_responses=use_responses)
    return aligner.score([query], edits, report=QuietReport())[query.comment_id]


@pytest.mark.parametrize("reply", ["Completed.", "Done, thanks.", "We have followed the reviewer's advice."])
def test_a_response_without_content_leaves_the_ranking_of_the_comment(reply: str) -> None:
    asked = Query("c", "Which shrimp were the fish fed with?", response=reply)
    assert ranked(asked) == ranked(asked, use_responses=False)
    assert ranked(asked)[0].edit_id == "right"


def test_a_single_shared_word_does_not_decide() -> None:
    for reply in ("Thanks, fixed the samples.", "We updated the series."):
        found = ranked(Query("c", "Which shrimp were the fish fed with?", response=reply))
        assert found[0].edit_id == "right"
        assert all(not scored.linked for scored in found if scored.edit_id == "other")


def test_the_best_of_unlikely_edits_is_no_link() -> None:
    for use_responses in (False, True):
        found = ranked(
            Query("c", "请说明每个水位计的漂移。", response="已补充三月的校准。"), use_responses=use_responses
        )
        assert found[0].score < 0.1 and not any(scored.linked for scored in found)


def test_what_is_named_comes_first_and_is_the_first_reason() -> None:
    query = Query("c", "Which shrimp were the fish fed with? See line 12.")
    placed = replace(query, named=(NamedPlace("Line 12", "exact", frozenset({"third"})),))
    assert ranked(query)[0].edit_id == "right"
    first = ranked(placed)[0]
    assert first.edit_id == "third" and first.linked and first.reasons[0] == "comment names Line 12"


def test_leaving_one_paper_out_learns_from_the_others() -> None:
    gathered = [gather(paper, WordVectors()) for paper in PAPERS]
    judged = leave_one_out(gathered, use_responses=True)
    found = measure(judged, samples=50)
    assert found.f1 > 0.7 and found.recall_at_1 > 0.7 and len(found.by_paper) == 3
    assert set(found.by_directness) == {"direct", "indirect"} and set(found.by_compliance) == {"2", "3", "<3"}
    assert found.f1_low_over_papers <= found.f1 <= found.f1_high_over_papers
    with pytest.raises(ValueError, match="two"):
        leave_one_out(gathered[:1], use_responses=True)
    silent = fit_heads(gathered)
    assert silent.comments != silent.replies
