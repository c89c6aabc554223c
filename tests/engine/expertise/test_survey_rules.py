"""The rating scale, the remarks, and the clock of the survey."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.expertise.active_time import ActiveTime
from engine.expertise.records import ProfileRow, Remark, SurveyParticipant, SurveyRow
from engine.expertise.survey import GRID, anchors, check_rating, freely_available, new_study, remarks
from engine.papers.records import LibraryPaper

STUDY = new_study(key="k")
PERSON = SurveyParticipant("p", "s", "k", "Ada Example", consented_at="2026")
OWN = (ProfileRow("o", "p", LibraryPaper("own", "My own work on reading reports")),)


def _rows(*values: float | None, **paper: object) -> tuple[SurveyRow, ...]:
    return tuple(
        SurveyRow(
            f"r{n}", "p",
            LibraryPaper(f"l{n}", f"Invented paper with number {n}", arxiv_id=f"2001.0000{n}", **paper),  # type: ignore[arg-type]
            value,
        )
        for n, value in enumerate(values)
    )  # fmt: skip


def _kinds(found: tuple[Remark, ...]) -> list[str]:
    return [remark.kind for remark in found]


# --- the scale ----------------------------------------------------------------------------------------------------


def test_the_grid_has_seventeen_steps_and_nothing_between() -> None:
    assert len(GRID) == 17 and GRID[0] == 1.0 and GRID[-1] == 5.0
    assert all(check_rating(value) == value for value in GRID)
    for wrong in (0.75, 5.25, 3.3, float("nan"), float("inf")):
        with pytest.raises(BadInput):
            check_rating(wrong)


def test_the_sentence_in_force() -> None:
    sentences = dict(anchors())
    assert list(sentences) == [1, 2, 3, 4, 5] and len(set(sentences.values())) == 5


def test_the_standing_texts_hold_the_guidance() -> None:
    for words in ("5 and 10", "last year", "helped to write", "download", "A wide range", "ties", "information"):
        assert words in STUDY.instructions
    assert "e-mail" in STUDY.withheld and STUDY.consent and STUDY.released
    assert "{" not in STUDY.instructions


# --- remarks ------------------------------------------------------------------------------------------------------


def test_good_answers_get_no_remark() -> None:
    assert remarks(STUDY, PERSON, _rows(1.0, 2.0, 2.25, 3.5, 5.0), OWN) == ()


def test_only_what_breaks_the_data_blocks() -> None:
    nameless = (SurveyRow("x", "p", LibraryPaper("l", " "), 3.0),)
    found = remarks(STUDY, replace(PERSON, consented_at=""), (*_rows(None, 3.3, 2.0), *nameless), OWN)
    assert {r.kind for r in found if r.level == "block"} == {"consent", "no rating", "off the scale", "no paper"}
    assert [r.level for r in found] == sorted(r.level for r in found), "what blocks comes first"
    assert _kinds(remarks(STUDY, PERSON, (), OWN)) == ["no paper"]
    assert "consent" not in _kinds(remarks(replace(STUDY, consent=" "), replace(PERSON, consented_at=""), (), OWN))


def test_ties_are_spoken_of_by_value() -> None:
    found = [r for r in remarks(STUDY, PERSON, _rows(4.0, 4.0, 2.0, 2.0, 2.0, 1.5), OWN) if r.kind == "tie"]
    assert [r.sentence for r in found] == [
        "Two papers tie at 4; can you tell them apart?", "Three papers tie at 2; can you tell them apart?",
    ]  # fmt: skip
    assert [r.rows for r in found] == [("r0", "r1"), ("r2", "r3", "r4")]


@pytest.mark.parametrize(("count", "kind"), [(1, "few"), (4, "few"), (5, None), (10, None), (11, "many")])
def test_numbers_of_papers(count: int, kind: str | None) -> None:
    found = _kinds(remarks(STUDY, PERSON, _rows(*GRID[:count]), OWN))
    assert [k for k in found if k in {"few", "many"}] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("name", "author", "own"),
    [
        ("Ada Example", "A. Example", True), ("Jörg Müller", "Mueller, J.", True), ("Wei Li", "Li Wei", True),
        ("Ada Example", "Bea Example", False), ("", "A. Example", False),
    ],
)  # fmt: skip
def test_own_papers_by_name(name: str, author: str, own: bool) -> None:
    rows = _rows(1.0, 2.0, 2.25, 3.5, 5.0, authors=("Somebody Else", author))
    found = [r for r in remarks(STUDY, replace(PERSON, name=name), rows, OWN) if r.kind == "own paper"]
    assert len(found) == (5 if own else 0) and all(r.level == "remark" for r in found)


def test_own_papers_by_profile() -> None:
    row = SurveyRow("x", "p", LibraryPaper("l", "My own work on reading reports!"), 3.0)
    (found,) = [r for r in remarks(STUDY, PERSON, (row,), OWN) if r.kind == "own paper"]
    assert "among your own publications" in found.sentence and found.rows == ("x",)


def test_duplicates_by_record_identifier_and_title() -> None:
    first, second = _rows(1.0, 2.0)
    for twin in (
        SurveyRow("x", "p", first.paper, 3.0),
        SurveyRow("x", "p", LibraryPaper("other", "Elsewhere", arxiv_id=first.paper.arxiv_id), 3.0),
        SurveyRow("x", "p", LibraryPaper("other", first.paper.title.upper()), 3.0),
    ):
        (found,) = [r for r in remarks(STUDY, PERSON, (first, second, twin), OWN) if r.kind == "duplicate"]
        assert found.rows == ("r0", "x") and "last rating counts" in found.advice


@pytest.mark.parametrize(
    ("paper", "free"),
    [
        (LibraryPaper("", "T", link="https://www.sciencedirect.com/x"), False),
        (LibraryPaper("", "T", link="https://arxiv.org/abs/x"), True),
        (LibraryPaper("", "T", link="https://proceedings.neurips.cc/x"), True),
        (LibraryPaper("", "T", link="https://notarxiv.org/abs/x"), None),
        (LibraryPaper("", "T", arxiv_id="2001.01234"), True),
        (LibraryPaper("", "T", open_access=False, arxiv_id="2001.01234"), False),
        (LibraryPaper("", "T", link="https://[broken"), None),
        (LibraryPaper("", "T"), None),
    ],
)
def test_what_is_freely_available(paper: LibraryPaper, free: bool | None) -> None:
    assert freely_available(paper) is free
    found = _kinds(remarks(STUDY, PERSON, (SurveyRow("x", "p", paper, 3.0),), OWN))
    assert ("not open" in found) == (free is False)
    assert ("no link" in found) == (free is None and not paper.link)


def test_spread_and_near_ties() -> None:
    assert "no spread" in _kinds(remarks(STUDY, PERSON, _rows(3.0, 3.25, 3.5, 3.75, 3.0), OWN))
    assert "no near tie" in _kinds(remarks(STUDY, PERSON, _rows(1.0, 2.0, 3.0, 4.0, 5.0), OWN))
    assert not {"no near tie", "no spread"} & set(_kinds(remarks(STUDY, PERSON, _rows(1.0, 3.0, 3.5), OWN)))
    assert not {"no near tie", "no spread"} & set(_kinds(remarks(STUDY, PERSON, _rows(3.0, 3.0), OWN)))
    assert "no near tie" not in _kinds(remarks(STUDY, PERSON, _rows(1.0, 3.0, 3.0, 5.0, 2.0), OWN)), "two aren't apart"


def test_papers_without_a_link_are_one_remark() -> None:
    rows = [SurveyRow(f"r{n}", "", LibraryPaper(f"p{n}", f"Paper {n}"), 3.0) for n in range(3)]
    (found,) = [one for one in remarks(STUDY, PERSON, rows, OWN) if one.kind == "no link"]
    assert found.sentence == "3 papers have no link." and found.rows == ("r0", "r1", "r2")
    (found,) = [one for one in remarks(STUDY, PERSON, rows[:1], OWN) if one.kind == "no link"]
    assert found.sentence == "“Paper 0” has no link." and found.rows == ("r0",)


def test_the_person() -> None:
    found = _kinds(remarks(STUDY, replace(PERSON, name=" "), _rows(1.0, 2.0, 2.25, 3.5, 5.0), ()))
    assert found == ["no name", "no profile"]


@given(st.lists(st.one_of(st.none(), st.sampled_from(GRID)), max_size=12))
def test_whole_answers_never_block(values: list[float | None]) -> None:
    found = remarks(STUDY, PERSON, _rows(*values)[:10], OWN)
    assert bool([r for r in found if r.level == "block"]) == (not values or None in values[:10])


# --- the clock ----------------------------------------------------------------------------------------------------

_EVENTS = st.lists(st.tuples(st.sampled_from(["focus_in", "focus_out", "input"]), st.floats(0, 500)), max_size=20).map(
    lambda events: sorted(events, key=lambda event: event[1])
)


def _told(events: list[tuple[str, float]], cutoff: float = 60.0) -> ActiveTime:
    clock = ActiveTime(cutoff)
    for event, moment in events:
        getattr(clock, event)(moment)
    return clock


def test_time_with_focus_and_life() -> None:
    clock = _told([("focus_in", 0), ("input", 10), ("focus_out", 30), ("focus_in", 100), ("input", 150)])
    assert clock.seconds(180) == 30 + 50 + 30
    assert clock.seconds(500) == 30 + 50 + 60, "idle after a minute"
    assert _told([]).seconds(100) == 0.0
    assert _told([("input", 5)]).seconds(15) == 10.0, "input means focus"
    with pytest.raises(ValueError, match="positive"):
        ActiveTime(0)


def test_a_clock_that_jumps_back_takes_nothing_away() -> None:
    clock = _told([("focus_in", 100), ("input", 120), ("input", 50)])
    assert clock.seconds(130) == 30.0 and clock.seconds(60) == 20.0


@given(_EVENTS, st.floats(0, 1000))
def test_active_time_is_bounded_and_grows(events: list[tuple[str, float]], later: float) -> None:
    clock = _told(events)
    last = events[-1][1] if events else 0.0
    first = events[0][1] if events else 0.0
    now, then = clock.seconds(last), clock.seconds(last + later)
    assert 0.0 <= now <= then <= last - first + later + 1e-6
    assert then <= now + 60.0 + 1e-6
    assert clock.seconds(last) == now, "asking changes nothing"
    lives = sum(event != "focus_out" for event, _ in events)
    assert then <= 60.0 * lives + 1e-6


@given(_EVENTS, st.floats(1, 100))
def test_a_longer_cutoff_counts_no_less(events: list[tuple[str, float]], cutoff: float) -> None:
    assert _told(events, cutoff).seconds(600) <= _told(events, cutoff * 2).seconds(600) + 1e-6


@given(_EVENTS, st.floats(0, 500))
def test_asking_in_between_changes_no_sum(events: list[tuple[str, float]], moment: float) -> None:
    clock = ActiveTime()
    for event, at in events:
        clock.seconds(at + moment)
        getattr(clock, event)(at)
    assert clock.seconds(600) == pytest.approx(_told(events).seconds(600))
