"""What Home says is left to do in a project. No Qt."""

from __future__ import annotations

from pathlib import Path

from desktop_app.panes.home.left_to_do import left_to_do
from engine.agreement.store import PREFERENCES, AgreementStore
from engine.papers.store import PaperStore
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from tests.desktop_app.panes.linking.studies import make_study


def test_home_says_of_which_paper_something_is_left(tmp_path: Path) -> None:
    make_study(tmp_path / "study.rejoinder")
    with Project.open(tmp_path / "study.rejoinder", annotator="Ada") as project:
        alone = [left.words for left in left_to_do(project)]
        PaperStore(project).add_paper("Only reviewed")
        several = [left.words for left in left_to_do(project)]
    assert (alone[0], several[0]) == ("Two versions of the paper compared", "Two versions of 1 paper compared")
    assert several[2] == f"“study”: {alone[2]}"


def test_home_has_nothing_to_decide_for_who_is_done_with_the_paper(tmp_path: Path) -> None:
    """Somebody who only adjudicates is done without a decision."""
    make_study(tmp_path / "study.rejoinder")
    with Project.open(tmp_path / "study.rejoinder", annotator="Olga") as project:
        before = left_to_do(project)[2]
        AgreementStore(project).set_done(PaperStore(project).papers()[0].id, True)
        after = left_to_do(project)[2]
    assert before.count > 0 and before.words == f"{before.count} comments to decide, 0 decided"
    assert (after.count, after.words) == (0, f"Linking: marked as done, 0 of {before.count} decided")


def test_home_has_no_cluster_to_judge_for_who_is_done_with_it(tmp_path: Path) -> None:
    with Project.create(tmp_path / "study.rejoinder", "Study", "Olga") as project:
        sentences = (NewSentence("We will."), NewSentence("We did."))
        (cluster,) = PreferenceStore(project).add_clusters([NewCluster("", "", "explain", candidates=sentences)])
        (before,) = left_to_do(project)
        assert (before.count, before.words) == (1, "1 cluster of rebuttals to judge")
        AgreementStore(project).set_done(cluster.id, True, task=PREFERENCES)
        (after,) = left_to_do(project)
        assert (after.count, after.words) == (0, "1 cluster of rebuttals judged")
