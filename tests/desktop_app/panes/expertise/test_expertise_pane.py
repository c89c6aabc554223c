"""The laboratory: data in, algorithms run one by one, looked into, compared, exported, and there again next time."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.headless import settle
from desktop_app.panes.expertise import pane as pane_module
from desktop_app.panes.expertise.board import HEAD, ROW, LeaderBoard
from desktop_app.panes.expertise.pane import ExpertisePane
from desktop_app.panes.expertise.people_page import comparison_words, misplaced
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.window import MainWindow
from engine.exchange.study_file import read_answers_file
from engine.expertise.algorithms.registry import label
from engine.expertise.evaluation import Difference, evaluate
from engine.expertise.laboratory import LENGTHS, Comparison, Laboratory, Outcome, RankedPaper, Tally
from engine.expertise.laboratory_store import LaboratoryStore, Run
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import GoldStandard, PaperText, Participant, Rating
from engine.expertise.store import SurveyStore
from engine.models import Embedder, load_encoder
from engine.project import Project
from tests.desktop_app.looks import sideways
from tests.desktop_app.pane_cases import PaneCases, assert_named, assert_words_whole
from tests.desktop_app.panes.survey.surveys import answers_file
from tests.desktop_app.panes.survey.surveys import study as survey
from tests.engine.expertise.gold import write_gold_folder
from tests.engine.models.tiny_encoder import make_tiny_encoder

LONG = 60_000


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gold_folder(tmp_path_factory.mktemp("data") / "made-up")


@pytest.fixture(autouse=True)
def own_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder in this process: a child for each test would cost seconds."""
    embedder: Embedder = load_encoder()
    monkeypatch.setattr(pane_module, "make_laboratory", lambda data: Laboratory(data, lambda: embedder))


class TestExpertise(PaneCases):
    pane_id = "expertise"
    huge = 3

    def fill(self, project: Project, count: int) -> None:
        """The pane shows studies and folders; what is in other tables must not disturb it."""


@pytest.fixture
def pane(window: MainWindow, project_path: Path, gold: Path, qtbot: QtBot) -> ExpertisePane:
    window.open_path(project_path)
    window.show_pane("expertise")
    found = window.panes["expertise"]
    assert isinstance(found, ExpertisePane)
    found.add_data(gold)
    qtbot.waitUntil(lambda: found.state.loaded is not None, timeout=LONG)
    return found


def run(pane: ExpertisePane, qtbot: QtBot, *algorithms: str) -> None:
    pane.set_up.tick(algorithms)
    pane.context.commands.run("expertise.run")
    assert pane.state.awaited == [label(name) for name in algorithms], "rows stand there before the results"
    qtbot.waitUntil(lambda: not pane.state.running, timeout=LONG)


def test_results_arrive_in_a_leaderboard_with_intervals_and_differences(pane: ExpertisePane, qtbot: QtBot) -> None:
    assert "4 participants" in pane.set_up.facts.text()
    run(pane, qtbot, "tpms", "bm25", "trivial")
    board = pane.board.outcomes
    losses = [outcome.evaluation.loss for outcome in board]
    assert losses == sorted(losses) and len(board) == 3
    trivial = next(outcome for outcome in board if outcome.run.algorithm == "trivial")
    assert trivial.evaluation.loss == 0.5
    assert set(pane.board._differences) == {o.run.id for o in board if o.run.algorithm != "tpms"}
    assert "compared with the baseline" in pane.board.accessibleDescription()
    pane.baseline.setCurrentIndex(pane.baseline.findData("Trivial"))
    pane.baseline.activated.emit(pane.baseline.currentIndex())
    assert trivial.run.id not in pane.board._differences
    assert_named(pane)


def test_large_text_cuts_no_button(pane: ExpertisePane, qtbot: QtBot) -> None:
    assert_words_whole(pane, qtbot)


def test_a_participant_is_looked_into_by_keys(pane: ExpertisePane, qtbot: QtBot) -> None:
    run(pane, qtbot, "tpms", "trivial")
    details = pane.details
    assert details.people.count() == 4
    assert "wrong or tied" in details.pairs.toPlainText() or "right order" in details.pairs.toPlainText()
    worst = float(details.people.itemText(0).rsplit(" ", 1)[1])
    assert worst >= float(details.people.itemText(3).rsplit(" ", 1)[1])
    assert pane.state.loaded is not None
    trivial = next(o.run.id for o in pane.board.outcomes if o.run.algorithm == "trivial")
    pane.board.chosen.emit(trivial)
    assert "(tie)" in details.pairs.toPlainText()
    details.tabs.setCurrentIndex(2)
    assert "Only Trivial is right: 0 pairs" in details.against.toPlainText()
    before = details.order.selected
    qtbot.keyClick(details.order, Qt.Key.Key_Down)
    assert details.order.selected != before


def test_a_key_goes_through_all_views_and_back(pane: ExpertisePane, qtbot: QtBot) -> None:
    run(pane, qtbot, "tpms", "trivial")
    qtbot.waitActive(pane.window())
    pane.take_focus()
    for page, main in ((pane.people, pane.people.list), (pane.curve_view, None), (pane.board_page, pane.board)):
        qtbot.keyClick(pane.window().focusWidget(), Qt.Key.Key_V)
        assert pane.tabs.currentWidget() is page
        assert main is None or main.hasFocus(), "not the first box of the view, which takes letters"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.2, -0.1, "; these data can tell"),
        (-0.2, 0.1, "; these data can’t tell"),
        (float("nan"),) * 2 + ("fewer than",),
    ],
)
def test_a_comparison_says_whether_the_data_can_tell_two_algorithms_apart(low: float, high: float, words: str) -> None:
    found = comparison_words(Comparison(Difference(-0.1, low, high), Tally(1, 2, 3, 4, (1.0, 2.0))), "One", "Other")
    assert words in found and found.startswith("The loss of One is 0.100 lower (")
    assert ("tell the two apart" in found) is (low == low)


def test_equal_and_missing_losses_are_not_called_higher() -> None:
    nothing = float("nan")
    same = comparison_words(Comparison(Difference(0.0, 0.0, 0.0), Tally(1, 0, 0, 4, (0, 0))), "One", "Other")
    assert same.startswith("The loss of One is the same as that of Other to three digits (95 % interval +0.000 to")
    none = comparison_words(
        Comparison(Difference(nothing, nothing, nothing), Tally(0, 0, 0, 0, (0, 0))), "One", "Other"
    )
    assert none.startswith("One and Other can't be compared") and "nan" not in none


def test_no_interval_is_put_down_to_few_participants_only_where_there_are_few(qtbot: QtBot) -> None:
    board = LeaderBoard()
    qtbot.addWidget(board)
    for people, why in (
        (5, "no interval with fewer than 6 participants"),
        (8, "no interval, since all samples are equal"),
    ):
        gold = GoldStandard(
            tuple(Participant(f"a{n}") for n in range(people)),
            tuple(Rating(f"a{n}", paper, value) for n in range(people) for paper, value in (("p", 5.0), ("q", 1.0))),
            {key: PaperText(key, key) for key in ("p", "q")},
            {},
        )
        perfect = {f"a{n}": {"p": 1.0, "q": 0.0} for n in range(people)}
        run = Run("", "", "tpms", "model:tpms@1", "title", 20, 1, 0)
        board.show_outcomes([Outcome(run, (), evaluate(gold, [perfect]))], {}, (), "loss")
        assert f"loss 0.000, {why}, {people} participants" in board.accessibleDescription()


def test_two_algorithms_are_compared_over_all_participants(pane: ExpertisePane, qtbot: QtBot) -> None:
    run(pane, qtbot, "tpms", "bm25", "trivial")
    page, details = pane.people, pane.details
    pane.context.commands.run("expertise.next_view")
    assert pane.tabs.currentWidget() is page and page.isVisible()
    pane.board.chosen.emit(next(o.run.id for o in pane.board.outcomes if o.run.algorithm == "tpms"))
    trivial = next(o.run.id for o in pane.board.outcomes if o.run.algorithm == "trivial")
    page.other.setCurrentIndex(page.other.findData(trivial))
    page.other.activated.emit(page.other.currentIndex())
    assert details.other.currentData() == trivial, "the drill-down compares with the same"
    assert page.comparison is not None and page.comparison.difference.value < 0
    assert "The loss of TPMS is" in page.text.text() and "Trivial alone 0 (0)" in page.text.text()
    rows = page.rows
    assert len(rows) == 4 and [len(row.order) for row in rows] == [6] * 4
    losses = [row.loss or 0.0 for row in rows]
    assert losses == sorted(losses, reverse=True)
    page.sorting.setCurrentIndex(page.sorting.findData("name"))
    page.sorting.activated.emit(page.sorting.currentIndex())
    assert [row.name for row in page.rows] == ["Person 1", "Person 2", "Person 3", "Person 4"]
    page.list.step(-4)
    qtbot.keyClick(page.list, Qt.Key.Key_Down)
    assert details.participant == page.participant == "2", "the drill-down follows the list"
    pane.context.commands.run("expertise.previous_person")
    assert details.participant == page.participant == "1"
    details.choose_person("4")
    assert page.participant == "4", "the list follows the drill-down"
    pane.set_up.length.setValue(3)
    assert page.rows == () and page.text.text() == "", "nothing has run with profiles of three"
    assert_named(pane)


def test_any_folder_of_an_encoder_stands_in_for_the_bundled_one(
    pane: ExpertisePane, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tqdm import tqdm

    monkeypatch.setattr(tqdm, "monitor_interval", 0)  # else loading the model leaves a thread that watches its bars
    folder = make_tiny_encoder(tmp_path / "tiny")
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: folder)
    names = [pane.set_up.algorithms.item(row).text() for row in range(pane.set_up.algorithms.count())]
    commands = pane.context.commands
    pane.set_up.algorithms.setCurrentRow(names.index("TPMS"))
    assert not commands.enabled("expertise.model")
    pane.set_up.algorithms.setCurrentRow(names.index("Sentence encoder"))
    assert commands.enabled("expertise.model")
    run(pane, qtbot, "encoder")
    pane.context.commands.run("expertise.model")
    pane.run()
    qtbot.waitUntil(lambda: not pane.state.running, timeout=LONG)
    assert {outcome.run.label for outcome in pane.board.outcomes} == {
        "Sentence encoder", "Sentence encoder (folder tiny)",
    }  # fmt: skip
    pane.board.chosen.emit(next(o.run.id for o in pane.board.outcomes if o.run.options))
    pane.details.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "Profile papers" in pane.details.why.toPlainText(), timeout=LONG)
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: None)
    pane.context.commands.run("expertise.model")
    pane._explain(pane.details.order.selected)
    assert "folder “tiny”" in pane.details.why.toPlainText(), "no reasons of another model"


def test_papers_below_a_lower_rated_one_are_misplaced() -> None:
    def order(*ratings: float) -> list[RankedPaper]:
        return [RankedPaper(f"p{at}", "", rating, 1.0, float(at), 0.0) for at, rating in enumerate(ratings)]

    assert misplaced(order(5, 4, 4, 1)) == (False,) * 4
    assert misplaced(order(3, 5, 2, 2.5)) == (False, True, False, True)


def test_why_a_score_is_high_shows_papers_and_words(pane: ExpertisePane, qtbot: QtBot) -> None:
    run(pane, qtbot, "tpms")
    pane.details.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "Profile papers" in pane.details.why.toPlainText(), timeout=LONG)
    assert "%" in pane.details.why.toPlainText() and "words:" in pane.details.why.toPlainText()


def test_runs_are_there_again_when_the_project_is_opened_again(
    pane: ExpertisePane, window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    run(pane, qtbot, "tpms", "trivial")
    first = {o.run.algorithm: o.evaluation.loss for o in pane.board.outcomes}
    window.control.close()
    window.open_path(project_path)
    window.show_pane("expertise")
    qtbot.waitUntil(lambda: len(pane.board.outcomes) == 2, timeout=LONG)
    assert {o.run.algorithm: o.evaluation.loss for o in pane.board.outcomes} == first
    run(pane, qtbot, "tpms")
    assert len(pane.board.outcomes) == 2, "the same run is replaced, not doubled"
    assert pane.project is not None and pane.state.loaded is not None
    assert len(LaboratoryStore(pane.project).runs(pane.state.loaded.data.id)) == 2
    assert pane.state.selected is not None
    deleted = pane.state.selected
    pane.context.commands.run("expertise.forget")
    assert len(LaboratoryStore(pane.project).runs(pane.state.loaded.data.id)) == 1
    assert window.undoing.title("undo") == f"Undo “Remove {deleted.run.label}”"
    pane.context.commands.run("edit.undo")
    again = next(one for one in pane.board.outcomes if one.run.label == deleted.run.label)
    assert again.evaluation == deleted.evaluation
    assert LaboratoryStore(pane.project).predictions(again.run.id) == deleted.predictions


def test_a_deleted_run_comes_back_to_its_own_data_and_replaces_no_newer_one(
    pane: ExpertisePane, tmp_path: Path, qtbot: QtBot
) -> None:
    run(pane, qtbot, "trivial")
    pane.context.commands.run("expertise.forget")
    run(pane, qtbot, "trivial")
    newer = present(pane.state.selected).run.id
    pane.context.commands.run("edit.undo")
    assert list(pane.state.outcomes) == [newer] and not pane.banner.notices, "undo restores nothing over it"
    pane.context.commands.run("expertise.forget")
    other = write_gold_folder(tmp_path / "other")
    with (other / "evaluations.csv").open("a") as more:
        more.write("\n")
    pane.add_data(other)
    qtbot.waitUntil(lambda: pane.state.loaded is not None and pane.state.loaded.data.title == "other", timeout=LONG)
    pane.context.commands.run("edit.undo")
    assert not pane.state.outcomes, "it isn't a result on these data"
    pane._choose_source(pane.state.sources[0].key)
    qtbot.waitUntil(lambda: len(pane.board.outcomes) == 1, timeout=LONG)


def test_stop_keeps_what_has_arrived(pane: ExpertisePane, qtbot: QtBot) -> None:
    pane.set_up.tick(("tpms", "bm25", "trivial"))
    pane.run()
    qtbot.waitUntil(lambda: len(pane.state.outcomes) >= 1, timeout=LONG)
    pane.stop()
    assert len(pane.board.outcomes) == len(pane.state.outcomes) >= 1 and pane.state.awaited == []
    assert pane.context.commands.enabled("expertise.run"), "one can go on"


def test_a_run_cancelled_in_the_job_tray_leaves_its_results_and_can_be_started_again(
    pane: ExpertisePane, qtbot: QtBot
) -> None:
    pane.set_up.tick(("trivial", "tpms", "bm25"))
    pane.run()
    qtbot.waitUntil(lambda: len(pane.state.outcomes) >= 1, timeout=LONG)
    pane.context.bridge.cancel_job(pane._jobs["run"].id)
    qtbot.waitUntil(lambda: not pane.state.running, timeout=LONG)
    assert pane.board.outcomes == pane.state.board()[0] != () and pane.state.awaited == []
    assert pane.context.commands.enabled("expertise.run")
    pane.context.commands.run("expertise.curve")
    for name in tuple(pane.state.curving):
        pane.context.bridge.cancel_job(pane._jobs[f"curve {name}"].id)
    qtbot.waitUntil(lambda: not pane.state.curving, timeout=LONG)
    run(pane, qtbot, "trivial")
    assert "Trivial" in pane.board.accessibleDescription()


def test_longer_profiles_are_drawn_as_curves_and_come_back_with_the_data(
    pane: ExpertisePane, window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    pane.set_up.tick(("tpms",))
    pane.context.commands.run("expertise.curve")
    qtbot.waitUntil(lambda: len(pane.state.outcomes) == len(LENGTHS), timeout=LONG)
    assert pane.tabs.currentWidget() is pane.curve_view
    ((name, points),) = pane.state.curves()[0].items()
    assert name == "TPMS" and [length for length, _ in points] == list(LENGTHS)
    heard = pane.curve_view.accessibleDescription()
    assert "1 paper 0" in heard and "20 papers" in heard
    assert [outcome.run.profile_length for outcome in pane.board.outcomes] == [20], "the board shows the length set"
    window.control.close()
    window.open_path(project_path)
    window.show_pane("expertise")
    qtbot.waitUntil(lambda: pane.curve_view.accessibleDescription() == heard, timeout=LONG)


def test_curves_are_stopped_too(pane: ExpertisePane, qtbot: QtBot) -> None:
    pane.set_up.tick(("tpms", "bm25"))
    pane.context.commands.run("expertise.curve")
    assert pane.context.commands.enabled("expertise.stop")
    qtbot.waitUntil(lambda: len(pane.state.outcomes) >= 1, timeout=LONG)
    pane.context.commands.run("expertise.stop")
    assert not pane.context.commands.enabled("expertise.stop") and 1 <= len(pane.state.outcomes) < 2 * len(LENGTHS)
    run(pane, qtbot, "trivial")
    assert [outcome.run.algorithm for outcome in pane.board.outcomes][-1] == "trivial", "one can go on"


def test_citation_and_parameters_of_the_algorithm_at_hand(pane: ExpertisePane, qtbot: QtBot) -> None:
    at = next(row for row in range(pane.set_up.algorithms.count()) if "BM25" in pane.set_up.algorithms.item(row).text())
    pane.set_up.algorithms.setCurrentRow(at)
    shown = pane.set_up.parameters
    assert "Robertson and Walker 1994" in shown.citation.text() and set(shown.boxes) == {"k1", "b", "pooling"}
    run(pane, qtbot, "bm25")
    for name, value in (("k1", "0.9"), ("pooling", "max")):
        shown.boxes[name].setCurrentIndex(shown.boxes[name].findData(value))
        shown.boxes[name].activated.emit(shown.boxes[name].currentIndex())
    assert pane.set_up.algorithms.item(at).text() == "BM25 (k1 0.9, pooling max)"
    pane.run()
    assert pane.state.awaited == ["BM25 (k1 0.9, pooling max)"]
    qtbot.waitUntil(lambda: not pane.state.running, timeout=LONG)
    assert {outcome.run.label for outcome in pane.board.outcomes} == {"BM25", "BM25 (k1 0.9, pooling max)"}
    assert dict(pane.state.outcomes[pane.board.selected].run.parameters).keys() == {"k1", "b", "pooling"}
    pane.set_up.algorithms.setCurrentRow(at + 1)
    assert shown.boxes == {} and "no parameters to set" in shown.citation.text()
    pane.set_up.algorithms.setCurrentRow(at)
    assert shown.boxes["k1"].currentData() == "0.9", "what was chosen stays chosen"
    assert_named(pane)


def test_everything_is_exported(pane: ExpertisePane, tmp_path: Path, qtbot: QtBot) -> None:
    run(pane, qtbot, "tpms", "trivial")
    pane.export_to(tmp_path)
    qtbot.waitUntil(lambda: any("files to the folder" in n.what for n in pane.banner.notices), timeout=LONG)
    names = {path.name for path in (tmp_path / "similarity-results").iterdir()}
    assert {"leaderboard.csv", "leaderboard.tex", "leaderboard.pdf", "leaderboard.svg", "scores-tpms.csv"} <= names
    assert {"differences.csv", "differences.tex", "scores-trivial.csv"} <= names
    text = (tmp_path / "similarity-results" / "leaderboard.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["algorithm"] for row in rows] == ["tpms", "trivial"] and float(rows[1]["loss"]) == 0.5


@pytest.mark.parametrize("published", [True, False])
def test_in_a_survey_titles_count_and_who_entered_nothing_is_named_before_anything_runs(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot, published: bool
) -> None:
    (tmp_path / "post").mkdir()
    with Project.open(project_path) as project:
        key = SurveyStore(project).add_study(survey())
        for name in ("Ben", "Dora"):
            file = answers_file(tmp_path / "post", name, [4.0, 2.0, 1.0], published=published)
            store = MergeStore(project)
            store.apply(store.plan(key, read_answers_file(file), file.name))
    window.open_path(project_path)
    window.show_pane("expertise")
    pane = window.panes["expertise"]
    assert isinstance(pane, ExpertisePane)
    qtbot.waitUntil(lambda: pane.state.loaded is not None, timeout=LONG)
    titles, nothing = "no own paper with abstract and year: the titles count", "no own papers and can't be compared"
    assert f"2 participants have {titles if published else nothing}." in pane.set_up.facts.text()
    (button,) = (one for one in pane.set_up.findChildren(CommandButton) if one.text().startswith("Run"))
    assert button.isEnabled() == published
    if published:
        run(pane, qtbot, "trivial")
        described = pane.board.accessibleDescription()
        assert "loss 0." in described and "nan" not in described


def test_a_folder_without_data_is_said(pane: ExpertisePane, tmp_path: Path) -> None:
    pane.add_data(tmp_path)
    assert "no evaluations.csv" in pane.banner.notices[0].means


@pytest.mark.data
def test_on_the_published_data(
    window: MainWindow, project_path: Path, data_folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    """Published losses as they are known, an algorithm run, compared, looked into and exported."""
    window.open_path(project_path)
    window.show_pane("expertise")
    found = window.panes["expertise"]
    assert isinstance(found, ExpertisePane)
    found.add_data(data_folder / "expertise")
    qtbot.waitUntil(lambda: found.state.loaded is not None, timeout=LONG)
    assert "38 participants, 312 ratings" in found.set_up.facts.text()
    published = {o.run.label.removesuffix(" (published)"): round(o.evaluation.loss, 4) for o in found.board.outcomes}
    assert published == {
        "TPMS": 0.2777, "ELMo": 0.3485, "SPECTER": 0.2701, "SPECTER+MFR": 0.2416, "ACL": 0.2903,
    }  # fmt: skip
    run(found, qtbot, "tpms")
    own = next(o for o in found.board.outcomes if o.run.label == "TPMS")
    assert own.evaluation.loss == pytest.approx(0.280, abs=0.001) and round(own.published or 0.0, 4) == 0.2777
    found.board.chosen.emit(own.run.id)
    found.tabs.setCurrentWidget(found.people)
    mfr = found.people.other.findText("SPECTER+MFR (published), title+abstract")
    found.people.other.setCurrentIndex(mfr)
    found.people.other.activated.emit(mfr)
    assert found.people.comparison is not None and len(found.people.rows) == 38
    assert found.people.comparison.difference.value == pytest.approx(own.evaluation.loss - 0.2416, abs=1e-4)
    found.details.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "Profile papers" in found.details.why.toPlainText(), timeout=LONG)
    found.export_to(tmp_path)
    qtbot.waitUntil(lambda: any("files to the folder" in n.what for n in found.banner.notices), timeout=LONG)
    rows = list(
        csv.DictReader((tmp_path / "similarity-results" / "leaderboard.csv").read_text(encoding="utf-8").splitlines())
    )
    assert len(rows) == 6


def test_large_text_scrolls_down_and_not_sideways(pane: ExpertisePane) -> None:
    window = pane.window()
    assert isinstance(window, MainWindow)
    window.resize(1280, 800)
    theme().configure(zoom=2.0)
    settle(window)
    assert sideways(pane) == []
    assert pane.set_up.mapTo(pane, pane.set_up.rect().bottomLeft()).y() < pane.tabs.mapTo(pane, QPoint()).y()
    rows = pane.board_page.board.visibleRegion().boundingRect().height() - theme().px(HEAD)
    assert rows >= 3 * theme().px(ROW), "the pages scroll before rows and papers are squeezed out of sight"
    assert present(pane.details.order.parentWidget()).height() >= theme().px(180)
