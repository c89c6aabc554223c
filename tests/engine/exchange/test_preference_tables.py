"""Preferences as tables: there and back, foreign layouts, rows that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.preferences import (
    PreferenceRow,
    clusters_of_project,
    import_into,
    merged,
    read_preferences,
    write_preferences,
)
from engine.project import Project
from engine.rebuttal.preferences.records import Answer, Comparison, NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda t: t == t.strip() and t.lower() not in {"tie", "unsuitable", "skip"} and not t.startswith("\ufeff")
)
ROWS = st.lists(
    st.builds(
        PreferenceRow,
        NAMES,
        NAMES,
        st.sampled_from(get_args(Answer)),
        NAMES,
        st.booleans(),
        st.none() | st.integers(0, 10**6),
        NAMES,
    ).filter(lambda row: row.item_a != row.item_b),
    max_size=12,
)


@given(ROWS)
def test_our_table_comes_back_as_it_went(rows: list[PreferenceRow]) -> None:
    (file,) = write_preferences(rows).files
    assert list(read_preferences(file.content.decode("utf-8"), file.name).rows) == rows


def test_the_tables_of_crowd_kit_hold_ties_apart_and_come_back() -> None:
    rows = [
        PreferenceRow("=a", "b", "left", "w1"),
        PreferenceRow("b", "c", "tie", "w2"),
        PreferenceRow("c", "=a", "skip", "w2"),
    ]
    export = write_preferences(rows, "crowd-kit", "mine")
    assert [file.name for file in export.files] == ["mine-crowd-kit.csv", "mine-crowd-kit-ties.csv"]
    assert export.files[0].content.decode() == "worker,left,right,label\nw1,'=a,b,'=a\n"
    assert "1 skipped or unsuitable pair is left out." in export.loss
    back = merged(read_preferences(file.content.decode(), file.name) for file in export.files)
    assert list(back.rows) == rows[:2] and back.items == ("=a", "b", "c")
    assert back.comparisons() == (Comparison(0, 1, 0), Comparison(1, 2, None))


def test_rows_that_say_nothing_are_left_out_and_named() -> None:
    text = "item_a;item_b;winner;annotator\nx;y;A;ann\nx;x;x;ann\nx;y;z;ann\n\nx;y;Draw;bob\n"
    found = read_preferences(text, "p.csv")
    assert [row.answer for row in found.rows] == ["left", "tie"]
    assert [w.split(" ", 2)[1] for w in found.warnings] == ["3", "4"]
    with pytest.raises(BadInput, match="no column named winner"):
        read_preferences("item_a,item_b\n1,2\n", "p.csv")
    with pytest.raises(BadInput):
        read_preferences("", "p.csv")


def test_a_list_of_winners_and_losers_tells_no_sides() -> None:
    rows = "".join(f"x{n},y,x{n},a\n" for n in range(12))
    assert not read_preferences("item_a,item_b,winner,annotator\n" + rows, "p.csv").sides_known
    assert read_preferences("item_a,item_b,winner,annotator\n" + rows + "x1,y,y,a\n", "p.csv").sides_known


def test_clusters_of_a_project_come_back_from_their_table(tmp_path: Path) -> None:
    made = NewCluster(
        "clarity", "results", "task_done", (NewSentence("=It is unclear."), NewSentence("Two\nlines.")),
        (NewSentence("We revised it.", decision="in"), NewSentence("Done, “really”.", decision="in")), "Unclear.",
    )  # fmt: skip
    with Project.create(tmp_path / "one.rejoinder", "One", "Ada") as project:
        PreferenceStore(project).add_clusters([made, NewCluster("substance", "", "answer")])
        (tmp_path / "clusters.csv").write_bytes(clusters_of_project(project).content)
    with Project.create(tmp_path / "two.rejoinder", "Two", "Ben") as project:
        found = import_into(project, tmp_path / "clusters.csv")
        store = PreferenceStore(project)
        (cluster,) = store.clusters()
        assert found.cluster_id == cluster.id and (cluster.root, cluster.theme) == ("clarity", "results")
        assert [s.text for s in store.sentences(cluster.id)] == ["=It is unclear.", "Two lines."]
        assert [c.text for c in store.candidates(cluster.id)] == ["We revised it.", "Done, “really”."]
        assert [w.text for w in store.written(cluster.id)] == ["Unclear."]
