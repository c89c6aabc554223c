"""Rows written and read through sqlite-utils."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlite_utils
from sqlite_utils.plugins import pm

from engine.project import DamagedProject, Project, keyed, records
from engine.project.tables import database, record, stored, values_of


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as made:
        yield made


@dataclass(frozen=True, slots=True)
class Title:
    title: str


@dataclass(frozen=True, slots=True)
class Mark:
    place: tuple[int, int]
    word: str


@dataclass(frozen=True, slots=True)
class Sheet:
    id: str
    authors: tuple[str, ...]
    marks: tuple[Mark, ...]
    open: bool
    year: int | None = None
    lines: tuple[str, ...] | None = None


def test_json_columns_become_the_types_of_the_record() -> None:
    row = {"id": "a", "authors": '["Ö", "B"]', "marks": '[{"place": [1, 2], "word": "x"}]', "open": 1, "other": 3}
    assert record(Sheet, row) == Sheet("a", ("Ö", "B"), (Mark((1, 2), "x"),), True)


def test_plugins_that_other_packages_register_dont_run(project: Project) -> None:
    class Plugin:
        @sqlite_utils.hookimpl
        def prepare_connection(self, conn: sqlite3.Connection) -> None:
            raise AssertionError("a plugin ran")

    plugin = Plugin()
    pm.register(plugin)
    try:
        assert database(project.connection()).table_names()
    finally:
        pm.unregister(plugin)


def test_a_record_becomes_a_row_and_is_read_back(project: Project) -> None:
    sheet = Sheet("a", ("Ö", "B"), (), True, lines=("x",))
    assert values_of(sheet, "id", "open", "lines", "year") == {"authors": ("Ö", "B"), "marks": ()}
    assert record(Sheet, {name: stored(value) for name, value in values_of(sheet).items()}) == sheet


@pytest.mark.parametrize("authors", ["{", '{"a": 1}', "[1]", "7"])
def test_a_row_of_another_form_is_reported_as_damage(authors: str) -> None:
    with pytest.raises(DamagedProject, match="Sheet"):
        records(Sheet, [{"id": "a", "authors": authors, "marks": "[]", "open": 0}])


def test_a_row_gets_key_person_and_times(project: Project) -> None:
    with project.action("Add") as act:
        key = act.insert("paper", {"title": "A", "position": 1})
    row = project.db.table("paper").get(key)
    assert (row["title"], row["annotator_id"]) == ("A", project.annotator_id)
    assert row["created_at"] == row["updated_at"] > ""


def test_a_change_moves_the_time_and_can_be_undone(project: Project) -> None:
    with project.action("Add") as act:
        key = act.insert("paper", {"title": "A", "position": 1})
    before = project.db.table("paper").get(key)
    with project.action("Change") as act:
        act.update("paper", key, {"title": "B"})
    assert project.db.table("paper").get(key)["updated_at"] > before["updated_at"]
    project.undo()
    assert project.db.table("paper").get(key) == before


def test_a_change_to_the_same_values_is_none(project: Project) -> None:
    with project.action("Add") as act:
        key = act.insert("library_paper", {"title": "A", "authors": ("Ö",), "origin": "person"})
    before = project.row("library_paper", key)
    with project.action("Change") as act:
        act.update("library_paper", key, {"title": "A", "authors": ("Ö",), "open_access": None})
    assert project.undo_title == "Add" and tuple(project.row("library_paper", key)) == tuple(before)
    with project.action("Change") as act:
        act.update("library_paper", key, {"title": "A", "authors": ("Ö", "U"), "open_access": True})
    assert project.undo_title == "Change"
    row = project.row("library_paper", key)
    assert (row["authors"], row["open_access"]) == ('["Ö", "U"]', 1)


def test_rows_without_a_position_come_after_all_others(project: Project) -> None:
    with project.action("Add") as act:
        act.insert("paper", {"title": "A"})
        act.insert("paper", {"title": "B", "position": 7})
        act.insert_all("paper", [{"title": "C"}, {"title": "D"}])
    found = [(row["title"], row["position"]) for row in project.db.table("paper").rows_where(order_by="position")]
    assert found == [("A", 1), ("B", 7), ("C", 8), ("D", 9)]


def test_a_row_that_is_not_there_is_a_key_error(project: Project) -> None:
    with pytest.raises(KeyError):
        project.row("paper", "none")


def test_to_change_what_is_not_there_is_a_key_error(project: Project) -> None:
    with pytest.raises(KeyError), project.action("Change") as act:
        act.update("paper", "none", {"title": "B"})
    assert project.undo_entry is None


def test_keep_changes_the_row_that_is_there(project: Project) -> None:
    with project.action("Keep") as act:
        one = act.keep("paper", {"external_id": "x"}, {"title": "A", "position": 1})
        assert act.keep("paper", {"external_id": "x"}, {"title": "B"}) == one
        assert act.keep("paper", {"external_id": "y"}, {"title": "C", "position": 2}) != one
    assert [row["title"] for row in project.db.table("paper").rows_where(order_by="position")] == ["B", "C"]


def test_delete_takes_exactly_the_rows_named(project: Project) -> None:
    with project.action("Add") as act:
        act.insert_all("paper", [{"title": t, "position": i} for i, t in enumerate("ABC")])
        act.delete("paper", title="B", position=1)
        act.delete("paper", title="C", position=0)
    assert [row["title"] for row in project.db.table("paper").rows] == ["A", "C"]


def test_nothing_heavy_is_imported_and_pandas_can_be_afterwards(tmp_path: Path) -> None:
    code = (
        "import sys, engine.project; assert 'pandas' not in sys.modules and 'numpy' not in sys.modules; import pandas"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_positions_follow_those_that_are_there(project: Project) -> None:
    with project.action("Add") as act:
        first = act.insert("paper", {"title": "A", "position": act.next_position("paper")})
        act.insert("paper", {"title": "B", "position": 7})
        assert (act.next_position("paper"), act.next_position("paper", title="A")) == (8, 2)
        second = act.insert("paper", {"title": "C", "position": 8})
        act.arrange("paper", [second, first])
    assert [row["title"] for row in project.db.table("paper").rows_where(order_by="position")] == ["C", "A", "B"]


def test_a_record_by_its_key(project: Project) -> None:
    with project.action("Add") as act:
        key = act.insert("paper", {"title": "A", "position": 1})
    assert keyed(Title, project.db, "paper", key) == Title("A")
    with pytest.raises(KeyError):
        keyed(Title, project.db, "paper", "none")


def test_keep_without_values_adds_the_row_once(project: Project) -> None:
    with project.action("Keep") as act:
        one = act.keep("paper", {"title": "A", "position": 1}, {})
        assert act.keep("paper", {"title": "A", "position": 1}, {}) == one
    assert project.db.table("paper").count == 1


def test_a_change_of_lists_is_kept_as_json(project: Project) -> None:
    with project.action("Add") as act:
        act.insert("library_paper", {"id": "p", "title": "A", "origin": "person"})
        act.update("library_paper", "p", {"authors": ("Ö", "B")})
    row = project.db.table("library_paper").get("p")
    assert row["authors"] == '["Ö", "B"]' and project.undo_title == "Add"


@dataclass(frozen=True, slots=True)
class Settings:
    values: tuple[tuple[str, float], ...]


def test_an_object_becomes_the_pairs_of_a_tuple() -> None:
    assert record(Settings, {"values": '{"b": 1.5, "a": 2}'}) == Settings((("b", 1.5), ("a", 2.0)))
    with pytest.raises(DamagedProject):
        record(Settings, {"values": '{"b": "x"}'})


def test_of_two_columns_of_one_name_the_first_counts(project: Project) -> None:
    (row,) = project.query("SELECT 'a' AS word, '[1, 2]' AS place, 'b' AS word")
    assert record(Mark, row) == Mark((1, 2), "a")
