"""A person who is erased goes from teams, from what they took back, and from facts of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.documents.store import DocumentStore
from engine.operations import erase
from engine.operations.erase import erase_target
from engine.operations.removing import remove
from engine.operations.targets import find
from engine.papers.store import PaperStore
from engine.project import DamagedProject, Project, backups, erasing
from engine.project.closure import mentions
from engine.project.erasing import PARTLY
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.records import Template
from engine.rebuttal.template_store import TemplateStore
from engine.reviews.store import ReviewStore
from engine.user_files import cache_folder


def test_an_erased_person_is_taken_out_of_teams_and_of_what_they_took_back(tmp_path: Path) -> None:
    path = tmp_path / "p.rejoinder"
    with Project.create(path, "P", "Ada") as project:
        store = PreferenceStore(project)
        sentences = tuple(NewSentence(f"We did {n}.") for n in range(2))
        one, two = store.add_clusters([NewCluster(f"C{n}", "", "", candidates=sentences) for n in range(2)])
        with project.action("Plan") as act:
            act.update("preference_cluster", one.id, {"team": ["Bo", "Zoë"], "basis": "Bo"})
            act.update("preference_cluster", two.id, {"team": ["Zoë"], "basis": "Zoë"})
        project.set_annotator("Bo")
        PaperStore(project).add_paper("Of everybody")
        project.set_info("remembered", "of Bo")
        with project.rewriting() as connection:
            connection.execute("ANALYZE")
        TemplateStore(project).add_templates([Template("t", "concede_criticism", "BO-WROTE-THIS")], "ours", "x")
        project.undo()
        PaperStore(project).add_paper("Another")
        project.set_annotator("Ada")
        assert project.query("SELECT 1 FROM journal WHERE instr(after, 'BO-WROTE-THIS')")
        erase_target(project, find(project, "annotator", "Bo"))
        rows = project.query("SELECT id, team, basis FROM preference_cluster")
        assert {row["id"]: (json.loads(row["team"]), row["basis"]) for row in rows} == {
            one.id: (["Zoë"], "all"), two.id: (["Zoë"], "Zoë"),
        }  # fmt: skip
        assert [name for _, name in project.annotators()] == ["Ada", "Removed annotator"]
        assert project.query("SELECT count(*) FROM sqlite_stat1")[0][0] == 0, "it holds samples of indexed texts"
        assert project.info("remembered") == "" and project.info("title") == "P" and project.id
        project.set_annotator("Cy")
        PaperStore(project).add_paper("More")
        project.set_annotator("Ada")
        erase_target(project, find(project, "annotator", "Cy"))
        assert {name for _, name in project.annotators()} == {"Ada", "Removed annotator", "Removed annotator 2"}
    assert b"BO-WROTE-THIS" not in path.read_bytes()


def test_what_others_built_on_stays_without_the_name(tmp_path: Path) -> None:
    from tests.engine.reviews.made_review import review

    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        paper = PaperStore(project).add_paper("Paper")
        ReviewStore(project).import_bundle(review(3), "review.txt", paper_id=paper)
        (cluster,) = _clusters(project)
        project.set_annotator("Grace")
        with project.action("Describe") as act:
            act.execute(
                "INSERT INTO cluster_description VALUES ('d', ?, 'words', ?, '1', '1')", (cluster, _acting(project))
            )
        ada = find(project, "annotator", "Ada")
        erase_target(project, ada)
        assert project.check() == ()
        names = "SELECT n.name FROM {} t JOIN annotator n ON n.id = t.annotator_id"
        for table in ("paper", "comment", "source_text", "preference_cluster"):
            assert {row[0] for row in project.query(names.format(table))} == {"Removed annotator"}, table
        assert project.query(names.format("cluster_description"))[0][0] == "Grace"


def test_the_history_of_a_team_forgets_who_is_erased_and_of_nothing_else_that_has_their_name(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        PaperStore(project).add_paper("Grace")
        (cluster,) = _clusters(project)
        with project.action("Team") as act:
            act.update("preference_cluster", cluster, {"team": '["Grace"]'})
        with project.action("Another team") as act:
            act.update("preference_cluster", cluster, {"team": '["Ada", "Grace", "Émile"]'})
        project.set_annotator("Grace")
        PaperStore(project).add_paper("By Grace")
        project.set_annotator("Ada")
        erase_target(project, find(project, "annotator", "Grace"))
        assert project.query("SELECT team FROM preference_cluster")[0][0] == '["Ada", "Émile"]'
        journal = [
            (row[0], f"{row[1]}{row[2]}") for row in project.query("SELECT table_name, before, after FROM journal")
        ]
        assert any(table == "paper" and "Grace" in images for table, images in journal), "a title isn't a person's name"
        assert not any(table == "preference_cluster" and "Grace" in images for table, images in journal)


def _acting(project: Project) -> str:
    return project.annotator_id


def _clusters(project: Project) -> list[str]:
    with project.action("Add cluster") as act:
        act.execute(
            "INSERT INTO preference_cluster(id, root, theme, action, position, origin, annotator_id, created_at,"
            " updated_at) VALUES ('cluster', 'r', 't', 'a', 1, 'person', ?, '1', '1')",
            (project.annotator_id,),
        )
    return ["cluster"]


def test_a_row_mentions_keys_in_lists_and_rows_inside_its_columns() -> None:
    lists = {"edit_ids": json.dumps(["e1", "e2"]), "seconds": 3, "theirs": json.dumps({"items": ["x", "paper:p1"]})}
    image = json.dumps(lists | {"text": "[not a list", "empty": None})
    assert all(mentions(image, {key}) for key in ("e1", "e2", "p1", "x"))
    assert not mentions(image, {"e3", "e", "[not"}) and not mentions(None, {"e1"})


def test_what_was_removed_before_is_not_named_any_more_either(tmp_path: Path) -> None:
    """Titles of reviews that are only in the history, and the title of a project that is that of the paper."""
    with Project.create(tmp_path / "p.rejoinder", "On the nights of bees", "Ada") as project:
        papers, reviews, documents = PaperStore(project), ReviewStore(project), DocumentStore(project)
        key = papers.add_paper("On the nights of bees")
        review = reviews.add_text("Letter of the editor", "Why twelve?", paper_id=key).texts[0]
        version = papers.add_version(key, documents.add_document(b"%PDF-1.7 gone", "x.pdf"), "submitted")
        with project.action("Take the version off") as act:
            act.delete("paper_version", id=version)
        other = papers.add_paper("Rivers")
        with project.action("Compare with Letter of the editor") as act:
            act.update("paper", other, {"abstract": "new"})
        remove(project, find(project, "review", review.id))
        assert any("Letter of the editor" in step.title for step in project.history())
        erase_target(project, find(project, "paper", key))
        assert not any("Letter of" in step.title or "bees" in step.title for step in project.history())
        assert PARTLY in {step.title for step in project.history()}
        assert project.info("title") == "" and documents.documents() == ()


def test_backups_stay_where_the_file_is_damaged_after_erasing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        key = PaperStore(project).add_paper("Paper")
        before = project.back_up()
        with monkeypatch.context() as patch:
            patch.setattr(erasing, "file_problems", lambda *_, **__: ("row 7 is missing from an index",))
            with pytest.raises(DamagedProject, match=r"p\.rejoinder is damaged: row 7 is missing from an index"):
                erase_target(project, find(project, "paper", key))
        assert backups(project.path) == (before,) and project.info(erasing.MARK)
        erasing.finish(project)
        assert before not in backups(project.path) and not project.info(erasing.MARK)


def test_what_is_cached_while_something_is_erased_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searches = cache_folder() / "online-searches.json"

    def beside(*what: Any, **how: Any) -> None:
        assert not searches.exists()
        erasing.erase(*what, **how)
        searches.write_text('{"Paper": "found online"}')

    monkeypatch.setattr(erase, "erase", beside)
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        key = PaperStore(project).add_paper("Paper")
        searches.parent.mkdir(parents=True, exist_ok=True)
        searches.write_text("{}")
        erase_target(project, find(project, "paper", key))
    assert not searches.exists()
