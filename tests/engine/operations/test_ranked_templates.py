"""Ranked candidates become templates of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.preference_study import Study, read_study
from engine.operations.ranked_templates import keep_as_template
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.template_store import TemplateStore


def study_of(project: Project, action: str) -> Study:
    store = PreferenceStore(project)
    texts = tuple(NewSentence(words, decision="in") for words in ("We mended it.", "Done, done.", "Never judged."))
    (cluster,) = store.add_clusters([NewCluster("clarity", "no such theme", action, (), texts)])
    first, second, _ = store.candidates(cluster.id)
    store.judge(cluster.id, first.id, second.id, "left")
    return read_study(project, cluster.id, "pagerank", {project.annotator_id})


def test_a_ranked_candidate_is_kept_once_and_again_as_its_next_version(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.rejoinder", "A", "Ada") as project:
        study = study_of(project, "task_done")
        first, second, unjudged = study.items
        library = keep_as_template(project, study, second)
        keep_as_template(project, study, first)
        keep_as_template(project, study, second)
        kept = {one.text: one for one in TemplateStore(project).templates(library)}
        assert {words: one.version for words, one in kept.items()} == {"We mended it.": 1, "Done, done.": 2}
        best = kept["We mended it."]
        assert (best.action, best.roots, best.themes, best.score) == ("task_done", ("clarity",), (), 1.0)
        assert "rank 1 of 2 by 1 comparison" in best.provenance, "of those ranked, without an interval"
        with pytest.raises(BadInput, match="no rank"):
            keep_as_template(project, study, unjudged)


def test_an_action_that_templates_do_not_have_is_refused(tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.rejoinder", "A", "Ada") as project:
        study = study_of(project, "wave hands")
        with pytest.raises(BadInput, match="wave hands"):
            keep_as_template(project, study, study.items[0])
        assert TemplateStore(project).templates() == ()
