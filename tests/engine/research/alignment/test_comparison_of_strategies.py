"""The ends of the table, what is left out, and the table itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.research.alignment.comparison import (
    compare_strategies,
    filter_rows,
    measure_sources,
    runnable,
    source_papers,
)
from engine.research.alignment.evaluation import measure, score_matrix, with_threshold_of_others
from engine.revision.aligners import STRATEGIES, Means, make_aligner
from engine.revision.aligners.base import RandomAligner
from engine.revision.aligners.selection import WithoutShortEdits, characters, likely
from engine.revision.source_alignment import SourceParagraph, rank_sources
from tests.engine.revision.papers import PAPERS, make_edit
from tests.engine.revision.test_aligners import WordVectors

PAPER = PAPERS[0]


def test_chance_links_at_the_base_rate_and_repeats_itself() -> None:
    scores, said = zip(*(score_matrix(RandomAligner(seed=seed, rate=0.2), PAPER) for seed in range(60)), strict=True)
    assert np.mean(said) == pytest.approx(0.2, abs=0.05)
    again, _ = score_matrix(RandomAligner(seed=7, rate=0.2), PAPER)
    assert (again == scores[7]).all() and not (scores[7] == scores[8]).all()


def test_a_persons_links_are_an_aligner() -> None:
    links = {"bees-a": frozenset({"bees-1"})}
    aligner = make_aligner("human", means=Means(links=links))
    rankings = aligner.score(PAPER.queries, PAPER.candidates, report=QuietReport())
    assert [s.edit_id for s in rankings["bees-a"] if s.linked] == ["bees-1"]
    assert not any(s.linked for s in rankings["bees-b"]) and aligner.origin == "person"


def test_a_generated_edit_asks_in_place_of_the_comment() -> None:
    generated = {"bees-d": "A limitation of our study is that the brood was observed in one summer only."}
    aligner = make_aligner("bm25-generated", means=Means(generated=generated), least_characters=0)
    rankings = aligner.score(PAPER.queries, PAPER.candidates, report=QuietReport())
    assert rankings["bees-d"][0].edit_id == "bees-3" and "generated edit shares" in rankings["bees-d"][0].reasons[0]
    assert rankings["bees-a"][0].edit_id == "bees-1"


def test_short_edits_come_last_and_are_never_linked() -> None:
    aligner = WithoutShortEdits(make_aligner("bm25"), 100)
    short = {c.edit_id for c in PAPER.candidates if characters(c) < 100}
    assert short == {"bees-5"}
    for ranking in aligner.score(PAPER.queries, PAPER.candidates, report=QuietReport()).values():
        assert ranking[-1].edit_id == "bees-5" and not ranking[-1].linked
        assert ranking[-1].score < ranking[-2].score or ranking[-2].score == 0.0
        assert len(ranking) == 5
    only_short = aligner.score(PAPER.queries, PAPER.candidates[-1:], report=QuietReport())
    assert all(len(ranking) == 1 and not ranking[0].linked for ranking in only_short.values())


def test_the_limit_is_on_the_paragraph_not_on_the_change() -> None:
    long = "A paragraph of which one word changes is looked at, for the limit is on paragraphs."
    small, tiny = make_edit("small", long, f"{long} Indeed."), make_edit("tiny", "Old.", "Old. Indeed.")
    assert len(small.added) < 100 <= characters(small) and characters(tiny) < 100


def test_what_a_strategy_needs_is_named() -> None:
    for name, entry in STRATEGIES.items():
        if entry.needs and not entry.needs_encoder:
            with pytest.raises(BadInput, match="needs"):
                make_aligner(name)
    assert set(runnable(Means(embedder=WordVectors()))) == {"fused", "bm25", "encoder", "random"}
    assert "human" in runnable(Means(links={}))


def test_the_filter_keeps_the_true_pairs_and_drops_some_others() -> None:
    many = replace(PAPER, candidates=(*PAPER.candidates, *(c for paper in PAPERS[1:] for c in paper.candidates)))
    mask = likely(many.queries, many.candidates, use_responses=False)
    assert mask[many.gold].all() and not mask.all()
    assert likely(many.queries, (), use_responses=True).shape == (4, 0)
    for row in filter_rows(PAPERS):
        assert row["recall"] == 1.0 and 0.0 < row["kept"] <= 1.0


def test_the_table_has_a_row_for_everything_that_can_run() -> None:
    said: list[str] = []
    links = {q.comment_id: own for p in PAPERS for q, own in zip(p.queries, p.positives, strict=True)}
    means = Means(embedder=WordVectors(), links=links)
    rows = {
        (row.strategy, row.use_responses, row.least_characters): row
        for row in compare_strategies(PAPERS, means, progress=said.append)
    }
    assert ("fused", True, 0) in rows and ("fused", True, 100) in rows and ("bm25", False, 0) in rows
    assert ("random", False, 100) in rows and ("random", True, 100) not in rows
    assert rows["human", False, 0].measures.f1 == 1.0
    assert rows["fused", True, 0].measures.f1 > rows["random", False, 100].measures.f1
    assert "fitted on the other papers" in rows["fused", True, 0].note
    assert said[0] == "Words and meaning"


def test_chance_links_at_the_rate_of_links_in_these_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, float]] = []
    make = STRATEGIES["random"].make
    watched = replace(STRATEGIES["random"], make=lambda means: seen.append((means.seed, means.rate)) or make(means))
    monkeypatch.setitem(STRATEGIES, "random", watched)
    (row,) = compare_strategies(PAPERS, Means(), ["random"])
    assert len(row.trials) == 3 and [seed for seed, _ in seen] == [1, 2, 3]
    long = [(p.gold & ~p.short).sum() / (~p.short * np.ones_like(p.gold)).sum() for p in PAPERS]
    # The three papers are of one size.
    assert [rate for _, rate in seen] == pytest.approx([np.mean(long)] * 3)


def test_the_whole_paper_reaches_the_strategy_that_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []
    entry = STRATEGIES["llm-multi-edit"]

    def make(means: Means) -> RandomAligner:
        seen.append(tuple(one.edit_id for one in means.whole))
        return RandomAligner()

    monkeypatch.setitem(STRATEGIES, "llm-multi-edit", replace(entry, needs=(), make=make))
    papers = [replace(paper, whole=(*paper.candidates, make_edit(f"{paper.id}-x", "a", "a"))) for paper in PAPERS]
    list(compare_strategies(papers, Means(), ["llm-multi-edit"]))
    assert {whole[-1] for whole in seen if whole} == {"bees-x", "rivers-x", "looms-x"}


def test_new_paragraphs_have_a_threshold_of_their_own() -> None:
    one = PAPERS[0]
    added = np.where(one.additions, 1.0, 5.0)
    scores = np.where(one.gold, added + 1, added * np.ones_like(one.gold, dtype=float))
    judged = with_threshold_of_others([one], [scores])[0]
    assert judged.added is not None and not (judged.added == judged.said).all()
    found = measure([judged])
    assert found.addition_f1 == found.addition_macro_f1 == 1.0 and found.f1 < 1.0
    assert found.errors_in_worst_fifth > 0.2


def test_a_paper_of_which_only_positives_are_known_counts_only_them() -> None:
    silver = replace(PAPER, judged=(False, False, True, True))
    assert silver.known.sum() == 1 + 1 + 5 + 4
    (row,) = [
        row
        for row in compare_strategies([silver, *PAPERS[1:]], Means(), ["bm25"], least_characters=0)
        if not row.use_responses
    ]
    assert set(row.measures.by_paper) == {paper.id for paper in PAPERS}


# --- source paragraphs ------------------------------------------------------------------------------------------------

PARAGRAPHS = (
    SourceParagraph("S0", "Introduction", "Bees are of interest to many people in many countries."),
    SourceParagraph("S1", "Methods > Instruments", "The colony sensor was used, and its readings were stored."),
    SourceParagraph("S2", "Results", "Table 2: Readings of all hives in the summer."),
    SourceParagraph("S3", "Conclusion", "We prove that every brood behaves in this way in all seasons."),
)


def test_the_paragraph_that_a_comment_is_about_comes_first_and_says_why() -> None:
    from engine.revision.records import Query

    queries = [
        Query("named", "In Table 2, what do the columns hold?"),
        Query("quoted", "“every brood behaves in this way” goes too far."),
        Query("words", "Why was the colony sensor used, and how were readings stored?"),
    ]
    ranked = rank_sources(queries, PARAGRAPHS, WordVectors())
    assert {key: found[0].paragraph_id for key, found in ranked.items()} == {
        "named": "S2", "quoted": "S3", "words": "S1",
    }  # fmt: skip
    assert "mentions Table 2" in ranked["named"][0].reasons
    assert "the comment quotes it" in ranked["quoted"][0].reasons
    assert all(sorted(r.paragraph_id for r in found) == ["S0", "S1", "S2", "S3"] for found in ranked.values())
    assert rank_sources([], PARAGRAPHS, WordVectors()) == {}


def test_edits_are_seen_as_their_source_paragraphs_without_new_ones() -> None:
    (one,) = source_papers([PAPER])
    assert [c.edit_id for c in one.candidates] == ["bees-2", "bees-4", "bees-5"]
    first = one.candidates[0]
    assert first.diff_text.replace(" .", ".") == "The colony sensor was used. Results follow." and first.unchanged
    assert one.gold.tolist() == [[False] * 3, [True, False, False], [False, True, False], [False] * 3]
    (row,) = [r for r in compare_strategies([one], Means(), ["bm25"], least_characters=0) if not r.use_responses]
    assert row.measures.f1 > 0.5


def test_source_paragraphs_are_measured_for_comments_whose_edits_have_one() -> None:
    paper = replace(
        PAPER,
        sources=((), ("S1",), (), ("S3",), ("S0",)),
        paragraphs=tuple((p.id, p.section, p.text) for p in PARAGRAPHS),
    )
    found = measure_sources([paper], WordVectors())
    assert (found["comments"], found["paragraphs"]) == (2, 4.0)  # the first comment's edit is new, the last has none
    assert (found["hit_at_1"], found["hit_at_3"], found["recall_at_5"], found["reciprocal_rank"]) == (0.5, 1, 1, 0.75)
    assert set(measure_sources([PAPER], WordVectors()).values()) == {0}
