"""A person who is erased goes from teams, from what they took back, and from facts of the project."""

from __future__ import annotations

import json
from pathlib import Path

from engine.operations.erase import erase_target
from engine.operations.targets import find
from engine.papers.store import PaperStore
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.records import Template
from engine.rebuttal.template_store import TemplateStore


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
