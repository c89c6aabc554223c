"""Pace leaves pauses out, agreement compares equal units, and the training set says what is right."""

from __future__ import annotations

import json
from math import isnan

import pytest

from engine.packages.merging import Entry
from engine.packages.progress import Answer, agreement, answers, pace, right

DAY = "2026-05-01T{}.000000Z"


def test_pace_counts_decisions_an_hour_of_work() -> None:
    morning = [f"10:{minute:02}:00" for minute in range(8)]
    times = [DAY.format(one) for one in (*morning, "14:00:00", "14:00:30", "14:01:00", "14:01:30")]
    found = pace(times[::-1])
    assert found.seconds == 7 * 60 + 90 and found.per_hour == pytest.approx(10 * 3600 / 510)
    assert isnan(pace(times[1:]).per_hour), "nine say nothing"
    assert isnan(pace(times[:1]).per_hour) and isnan(pace([]).per_hour)


def test_agreement_is_over_what_both_decided() -> None:
    def said(**values: str) -> dict[str, Answer]:
        return {unit: Answer(value, "") for unit, value in values.items()}

    own = said(a="x", b="x", c="y", d="y")
    alike, kappa = agreement(own, [said(a="x", b="y", c="y", e="x"), said(d="y")])
    assert (alike.value, alike.n) == (pytest.approx(3 / 4), 4)
    assert kappa.shown() == "fewer than 6 units"
    kappa = agreement(own, [said(a="x", b="y", c="y", e="x"), said(d="y"), said(a="x", b="y", c="y", d="y")])[1]
    assert kappa.value == pytest.approx((3 / 4 - 0.5) / 0.5)  # own: half x; the others: a quarter x
    assert not agreement(own, [])[0].known
    assert right(own, {"a": "x", "b": "y", "z": "x"}) == (1, 2)


def entry(table: str, **row: object) -> Entry:
    return Entry(table, json.dumps(sorted(map(str, row.values()))), str(row.pop("at", "1")), row)


def test_answers_are_equal_where_decisions_are() -> None:
    left = entry("preference_judgement", left_id="a", right_id="b", answer="left", repeat=0)
    swapped = entry("preference_judgement", left_id="b", right_id="a", answer="right", repeat=0)
    skipped = entry("preference_judgement", left_id="a", right_id="c", answer="skip", repeat=0)
    assert answers("pairs", [left]) == answers("pairs", [swapped]) and answers("pairs", [skipped]) == {}
    links = [entry("edit_link", comment_id="c", edit_id=edit) for edit in ("e2", "e1")]
    state = entry("comment_state", comment_id="c", state="linked")
    assert answers("reviews", [*links, state])["c"].value == {"state": "linked", "edits": ["e1", "e2"]}
    assert answers("reviews", [entry("comment_state", comment_id="c", state="undecided")]) == {}
    labels = [
        entry("sentence_label", source_id="s", start_offset=0, end_offset=5, layer=layer, labels='["b", "a"]')
        for layer in ("aspect", "polarity")
    ]
    assert answers("sentences", labels)["s:0:5"].value == {"aspect": ["a", "b"], "polarity": ["a", "b"]}
    assert answers("survey", [entry("rating", paper_id="p", value=2.5), entry("rating", paper_id="q", value=None)]) == {
        "p": Answer(2.5, "1")
    }
    assert answers("pairs", [Entry("preference_judgement", "k", "9", None)]) == {}
