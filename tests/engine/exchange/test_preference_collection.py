"""Clusters of a project as a JitsuPeer folder, and back into another project."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.jitsupeer import TABLES, read_collection
from engine.exchange.preference_study import collection_of_project
from engine.exchange.preferences import import_into
from engine.exchange.records import Export
from engine.exchange.template_files import read_templates
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore


def texts(*words: str) -> tuple[NewSentence, ...]:
    return tuple(NewSentence(word, decision="in") for word in words)


def write(export: Export, folder: Path) -> Path:
    for file in export.files:
        path = folder / file.name
        assert path.resolve().is_relative_to(folder.resolve())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    return folder


def contents(project: Project) -> list[tuple[object, ...]]:
    store = PreferenceStore(project)
    return sorted(
        (
            c.root, c.theme, c.action, tuple(s.text for s in store.sentences(c.id)),
            tuple(s.text for s in store.candidates(c.id)), tuple(w.text for w in store.written(c.id)),
        )
        for c in store.clusters()
    )  # fmt: skip


def test_clusters_and_their_ranking_go_out_and_come_back(tmp_path: Path) -> None:
    clusters = [
        NewCluster(
            "clarity", "methodology", "task_done", texts("It is unclear."), texts("We mended it.", "Done, done."), "X"
        ),
        NewCluster("other", "results", "concede_criticism", texts("Hm.", "Odd."), texts("You are right."), "Odd."),
        NewCluster("tone/../of voice", "tables: all", "answer", texts("Loud."), texts("We say."), "Loud."),
    ]  # fmt: skip
    with (
        Project.create(tmp_path / "a.rejoinder", "A", "Ada") as one,
        Project.create(tmp_path / "b.rejoinder", "B", "Ben") as two,
    ):
        store = PreferenceStore(one)
        made = store.add_clusters(clusters)
        first, second = store.candidates(made[0].id)
        store.judge(made[0].id, first.id, second.id, "left")
        store.add_clusters([NewCluster("", "", "answer", (), texts("Nameless."))])
        export = collection_of_project(one, lambda _key: {one.annotator_id})
        folder = write(export, tmp_path / "out")
        assert any("1 cluster without a root" in sentence for sentence in export.loss)
        found = read_collection(folder)
        assert found.warnings == ()
        chosen = {(one.root, one.theme, one.action): one.text for one in found.canonical}
        assert chosen["clarity", "methodology", "task_done"] == "We mended it."
        assert chosen["other", "results", "concede_criticism"] == "You are right."  # the only one left is the best
        ranks = {one.text: one.score for one in found.scored}
        assert 0 < ranks["We mended it."] < ranks["Done, done."] and ranks["You are right."] == 0
        assert any("compared within a cluster" in sentence for sentence in export.loss)
        assert {path.name for path in (folder / TABLES).iterdir()} == {
            "all_cluster_descs.tsv", "all_canonical_rebuttals.tsv", "all_canonical_rebuttals_scores.tsv",
        }  # fmt: skip
        scores = {template.text: template.score for template in read_templates(folder, "lib").templates}
        assert (scores["We mended it."], scores["Done, done."], scores["You are right."]) == (1.0, 0.0, 1.0)
        import_into(two, folder)
        assert [row for row in contents(two) if row[0] in ("clarity", "other")] == [
            row for row in contents(one) if row[0] in ("clarity", "other")
        ]
        assert len(contents(two)) == 3


def test_clusters_of_one_root_and_theme_share_their_sentences(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.rejoinder", "A", "Ada") as project:
        PreferenceStore(project).add_clusters(
            [
                NewCluster("clarity", "results", "answer", texts("One."), texts("A.")),
                NewCluster("clarity", "results", "thanks", texts("Two.", "One."), texts("B.", "C.")),
            ]
        )
        export = collection_of_project(project, lambda _key: ())
        (cluster,) = read_collection(write(export, tmp_path / "out")).clusters
        assert cluster.reviews == ("One.", "Two.") and cluster.rebuttals == ("A.", "B.", "C.")
        assert cluster.actions == ("answer", "thanks", "thanks")
        assert any("one list" in sentence for sentence in export.loss)


def test_nothing_to_name_a_folder_after_is_refused(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.rejoinder", "A", "Ada") as project:
        PreferenceStore(project).add_clusters([NewCluster("", "results", "answer")])
        with pytest.raises(BadInput, match="root and a theme"):
            collection_of_project(project, lambda _key: ())
