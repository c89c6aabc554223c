"""The agreement pane: hidden until both are done, figures with intervals, one key a decision, originals kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.panes.agreement import units_view
from desktop_app.panes.agreement.everybody import EverybodyState, suggested_by
from desktop_app.panes.agreement.pane import WIDEST, AgreementPane
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.theme import theme
from desktop_app.widgets.dialogs import MessagesDialog
from desktop_app.window import MainWindow
from engine.agreement.compared import Taken
from engine.agreement.store import AgreementStore
from engine.exchange.adjudicated import Decided
from engine.exchange.studies import Standing, Studies
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.records import CommentState
from engine.revision.store import RevisionStore
from tests.command_line import rejoinder
from tests.desktop_app.pane_cases import PaneCases, assert_named, assert_words_whole
from tests.desktop_app.panes.linking.studies import FlatService, make_study
from tests.desktop_app.panes.survey.surveys import fill_participant

Key = Qt.Key


def annotate(project: Project, *, done: bool = True) -> None:
    """Ada and Ben differ on the first two comments and agree on the third. Dea decides on nothing, to adjudicate."""
    revisions, comments = RevisionStore(project), [c.id for c in ReviewStore(project).comments()]
    (revision,) = revisions.revisions()
    edits = [e.id for e in revisions.edits(revision.id)]
    (paper,) = PaperStore(project).papers()
    for name, links, states in (
        ("Ada", ((0, 0), (0, 1), (2, 2)), ((1, "answered"),)),
        ("Ben", ((0, 0), (0, 2), (2, 2)), ((1, "not_addressed"),)),
    ):
        project.set_annotator(name)
        for comment, edit in links:
            revisions.link_comment(comments[comment], edits[edit])
        for comment, state in states:
            revisions.set_comment_state(revision.id, comments[comment], state)
        if done:
            AgreementStore(project).set_done(paper.id, True)
    if done:
        project.set_annotator("Dea")
        AgreementStore(project).set_done(paper.id, True)


class TestCases(PaneCases):
    pane_id = "agreement"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        super().fill(project, count)


@pytest.fixture
def open_agreement(make_window: Callable[[], MainWindow], qtbot: QtBot) -> Callable[..., AgreementPane]:
    def opened(path: Path, name: str = "Ada") -> AgreementPane:
        window = make_window()
        window.bridge._documents = FlatService()  # type: ignore[assignment]
        window.settings.set("annotator.name", name)
        assert window.open_path(str(path))
        window.show_pane("agreement")
        pane = window.panes["agreement"]
        assert isinstance(pane, AgreementPane)
        with qtbot.waitActive(window):
            window.activateWindow()
        return pane

    return opened


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        annotate(project)
    return path


@pytest.fixture
def pane(open_agreement: Callable[..., AgreementPane], study: Path, qtbot: QtBot) -> AgreementPane:
    """As Dea sees it, who is no party."""
    found = open_agreement(study, "Dea")
    qtbot.waitUntil(lambda: found.state.found is not None)
    return found


def press(pane: AgreementPane, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key)


def test_figures_and_disagreements(pane: AgreementPane) -> None:
    assert pane.state.names == ("Ada", "Ben")
    figures = pane.state.figures
    assert figures is not None
    assert figures.confusion[0] == (2, 1) and figures.confusion[1][0] == 1
    assert figures.estimates["kappa"].shown() == "fewer than 6 units", "three comments"
    assert len(pane.state.rows) == 2
    assert "study: Ada ✓ done, Ben ✓ done" in pane._progress.text()
    assert "kappa" in pane.bars.accessibleDescription() and "fewer than 6 units" in pane.bars.accessibleDescription()
    assert pane.status_text == "2 disagreements · 2 open"
    page = pane.detail.page.toPlainText()
    assert page.startswith("It is unclear how the split was made.\nAda: Linked")
    assert "Ada: Linked" in page and "Ben: Linked" in page and "only Ada" in page and "only Ben" in page
    assert_named(pane)
    assert not pane.grab().isNull()
    pane.paper.setCurrentIndex(1)
    pane.paper.activated.emit(1)
    assert pane.state.figures is not figures and len(pane.state.rows) == 2


def test_a_large_window_gives_its_room_to_the_lists_not_to_longer_lines(pane: AgreementPane, qtbot: QtBot) -> None:
    narrow = pane.list.width(), pane.bars.width()
    pane.window().resize(2560, 1440)
    qtbot.waitUntil(lambda: pane.list.width() > 2 * narrow[0] and pane.bars.width() > narrow[1])
    assert pane.detail.width() == theme().px(WIDEST)


def test_a_long_comment_leaves_what_has_to_be_decided_in_sight(
    pane: AgreementPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units_view, "_SHORT", 10)
    press(pane, Key.Key_J, Key.Key_K)
    page = pane.detail.page.toPlainText()
    assert page.index("▸") < page.index("Ada: Linked") < page.index("It is unclear how the split was made.")


def test_large_text_puts_the_disputed_edit_above_a_comment_that_is_short_otherwise(
    pane: AgreementPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comment and the names took all the height there was at 1280x800."""
    monkeypatch.setattr(units_view, "_SHORT", 220)
    press(pane, Key.Key_J, Key.Key_K)
    theme().configure(zoom=1.4)
    assert pane.detail.page.toPlainText().startswith("It is unclear how the split was made.")
    press(pane, Key.Key_1, Key.Key_K)
    page = pane.detail.page.toPlainText()
    assert "Decided" in page and page.lstrip().startswith("▸"), "the decision takes a line, too"
    press(pane, Key.Key_U)
    assert pane.detail.page.toPlainText().startswith("It is unclear how the split was made.")
    theme().configure(zoom=1.5)
    page = pane.detail.page.toPlainText()
    assert page.index("▸") < page.index("Ada: Linked") < page.index("It is unclear how the split was made.")


def test_one_key_decides_and_goes_on(pane: AgreementPane) -> None:
    studies = pane.state.studies
    assert studies is not None and pane.project is not None
    first, second = (row.key for row in pane.state.rows)
    press(pane, Key.Key_2)
    assert pane.state.comment_id == second
    ruling = pane.state.decided[first]
    assert ruling.verdict == "second" and len(ruling.edit_ids) == 2
    press(pane, Key.Key_1)
    assert pane.state.decided[second].state == "answered"
    assert any(n.what == "Every disagreement listed here is decided." for n in pane.banner.notices)
    revision = studies.standings()[0].revision.id
    for key, _ in pane.project.annotators():
        links = studies.revisions.links(revision, annotator_id=key)
        assert len(links) in (0, 3), "the originals are as they were"
    pane.project.undo()
    assert second not in pane.state.decided
    press(pane, Key.Key_K, Key.Key_U)
    assert pane.state.decided == {}


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_an_open_list_keeps_arrows_and_letters(pane: AgreementPane, qtbot: QtBot) -> None:
    pane.take_focus()
    edit, decided = pane.state.edit_id, dict(pane.state.decided)
    qtbot.mouseClick(pane.subject, Qt.MouseButton.LeftButton)
    view = pane.subject.view()
    qtbot.waitUntil(view.isVisible)
    for key in (Key.Key_Down, Key.Key_2, Key.Key_Return):
        QTest.keyClick(view, key)
    assert (pane.state.edit_id, pane.state.decided) == (edit, decided), "neither the next edit nor a decision"
    assert pane.subject.currentIndex() == 1


def test_a_change_reads_once_who_worked(pane: AgreementPane, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, standings = [], Studies.standings

    def counted(studies: Studies) -> tuple[Standing, ...]:
        reads.append(studies)
        return standings(studies)

    monkeypatch.setattr(Studies, "standings", counted)
    pane.mark_dirty()
    assert len(reads) == 1


def test_a_party_adjudicates_nothing_and_is_told_why(pane: AgreementPane, qtbot: QtBot) -> None:
    names = [f"agreement.{name}" for name in ("first", "second", "both", "neither", "toggle_edit", "note", "reopen")]
    commands, key = pane.context.commands, pane.state.comment_id
    assert not pane.detail._why.isVisible()
    press(pane, Key.Key_2, Key.Key_K)
    kept = dict(pane.state.decided)
    assert all(commands.enabled(name) for name in names)
    for party in ("Ada", "Ben"):
        pane.context.act_as(party)
        qtbot.waitUntil(lambda: pane.state.found is not None)
        pane.do(lambda: pane.state.choose(key))
        assert [name for name in names if commands.enabled(name)] == []
        assert pane.detail._why.isVisible() and "somebody else must adjudicate it" in pane.detail._why.text()
        assert not pane.detail.note.isEnabled()
        press(pane, Key.Key_1, Key.Key_U, Key.Key_E)
        assert pane.state.decided == kept
    pane.context.act_as("Dea")
    qtbot.waitUntil(lambda: pane.state.found is not None)
    pane.do(lambda: pane.state.choose(key))
    pane.list.setFocus()
    press(pane, Key.Key_U)
    assert pane.state.decided == {}


def test_edits_are_decided_one_by_one_and_notes_are_kept(pane: AgreementPane, qtbot: QtBot) -> None:
    found = pane.state.disagreement
    assert found is not None and len(found.disputed) == 2
    press(pane, Key.Key_E)
    assert pane.state.decided[found.comment.first_id].verdict == "first"
    press(pane, Key.Key_Down, Key.Key_E)
    assert pane.state.decided[found.comment.first_id].verdict == "both"
    press(pane, Key.Key_Up, Key.Key_E)
    assert pane.state.decided[found.comment.first_id].verdict == "second"
    press(pane, Key.Key_N)
    assert pane.detail.note.hasFocus()
    qtbot.keyClicks(pane.detail.note, "the reply names it")
    press(pane, Key.Key_Return)
    assert pane.state.decided[found.comment.first_id].note == "the reply names it"
    assert pane.state.decided[found.comment.first_id].verdict == "second"


def test_the_place_is_one_key_away(pane: AgreementPane, qtbot: QtBot) -> None:
    found = pane.state.disagreement
    assert found is not None
    window = pane.window()
    press(pane, Key.Key_Down, Key.Key_G)
    linking = window.panes["linking"]  # type: ignore[attr-defined]
    assert isinstance(linking, LinkingPane) and linking.isVisible()
    assert linking.state.comment_id == found.comment.first_id
    qtbot.waitUntil(lambda: linking.state.edit_id == found.disputed[1])
    qtbot.waitUntil(lambda: not linking.context.bridge.engine.busy())


def test_hidden_until_both_are_done(open_agreement: Callable[..., AgreementPane], tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        annotate(project, done=False)
    pane = open_agreement(path)
    assert pane.state.found is None and pane.state.rows == ()
    assert "hidden until you and they are done" in pane._progress.text()
    assert "choose “Done with this paper”" in pane.list._message
    assert not pane.has_figures()
    pane.annotator.toggle_done()
    assert pane.state.found is None and pane.first.count() == 1
    assert pane.second.count() == 0, "nobody is compared with themselves"
    pane.context.act_as("Ben")
    pane.annotator.toggle_done()
    qtbot.waitUntil(lambda: pane.state.found is not None)
    assert len(pane.state.rows) == 2
    pane.annotator.toggle_done()
    assert pane.state.found is None and pane.state.rows == (), "taken back: hidden again"


def test_another_annotators_file_is_brought_in(
    open_agreement: Callable[..., AgreementPane], tmp_path: Path, qtbot: QtBot
) -> None:
    path, other = tmp_path / "ours.rejoinder", tmp_path / "bens.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        project.save_copy(other)
        comments = [c.id for c in ReviewStore(project).comments()]
        (revision,) = RevisionStore(project).revisions()
        RevisionStore(project).set_comment_state(revision.id, comments[0], "answered")
    with Project.open(other, annotator="Ben") as project:
        RevisionStore(project).set_comment_state(revision.id, comments[0], "not_addressed")
    pane = open_agreement(path)
    pane.merge(other)
    qtbot.waitUntil(lambda: bool(pane.banner.notices))
    assert pane.banner.notices[0].what == "bens.rejoinder was merged: 1 row of Ben."
    assert "Ben not done" in pane._progress.text()
    pane.merge(other)
    qtbot.waitUntil(lambda: pane.banner.notices[0].what == "bens.rejoinder has nothing new.")
    pane.merge(tmp_path / "gone.rejoinder")
    qtbot.waitUntil(lambda: "There is no project" in pane.banner.notices[0].what)


@pytest.mark.parametrize("format_", ["table", "disagreements", "figures"])
def test_it_is_written(pane: AgreementPane, tmp_path: Path, qtbot: QtBot, format_: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    pane.export_to(format_, folder / "agreement.csv")
    qtbot.waitUntil(lambda: any(n.what.startswith(("Saved", "Exported")) for n in pane.banner.notices), timeout=20000)
    assert len(list(folder.iterdir())) == (8 if format_ == "figures" else 1)


def test_the_group_of_edits_that_counts_is_chosen(pane: AgreementPane, qtbot: QtBot) -> None:
    assert pane.group.currentText() == "Text"
    before = pane._counts.text()
    pane.group.setCurrentIndex(pane.group.findData("references"))
    pane.refresh_now()
    assert pane.bars.empty == "Calculating…", "not that there are no data"
    qtbot.waitUntil(lambda: "references, or linked by either" in pane._counts.text(), timeout=20000)
    assert pane.state.group == "references"
    pane.group.setCurrentIndex(pane.group.findData("text"))
    qtbot.waitUntil(lambda: pane._counts.text() == before, timeout=20000)


def test_the_group_counts_for_everybodys_links_and_in_the_exported_data(
    pane: AgreementPane, tmp_path: Path, qtbot: QtBot
) -> None:
    """One choice for two annotators and for all; without it, another kind shows no box."""
    pane.group.setCurrentIndex(pane.group.findData("references"))
    pane.subject.setCurrentIndex(pane.subject.findData("links"))
    assert pane.all.group.isVisible() and pane.all.group.value == "references"
    qtbot.waitUntil(lambda: "Edits counted: references, or linked by anyone." in pane._progress.text(), timeout=20000)
    few = pane.everybody.rows()[0][3]
    pane.all.group.setCurrentIndex(pane.all.group.findData(""))
    qtbot.waitUntil(lambda: "Edits counted: all groups." in pane._progress.text(), timeout=20000)
    assert int(pane.everybody.rows()[0][3]) > int(few)
    pane.all.group.setCurrentIndex(pane.all.group.findData("references"))
    pane.export_data(tmp_path)
    statement = tmp_path / "decisions-links" / "DATA_STATEMENT.md"
    qtbot.waitUntil(statement.exists, timeout=20000)
    assert "Edits counted: references, or linked by anyone." in statement.read_text(encoding="utf-8")
    pane.subject.setCurrentIndex(pane.subject.findData("states"))
    assert not pane.all.group.isVisible()
    pane.subject.setCurrentIndex(0)
    assert pane.group.value == "references"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ("rules:wording@1", "wording rules, version 1"),
        ("model:peer-review-analyze@1", "the bundled heads, version 1"),
        ("model:fused@12+a1b2c3", "“Words and meaning”, version 12"),
        ("model:fine-tuned", "a fine-tuned encoder"),
        ("person", "person"),
    ],
)
def test_sources_of_suggestions_have_the_names_of_the_other_panes(origin: str, words: str) -> None:
    assert suggested_by(origin) == words
    state = EverybodyState()
    state.found = Decided("labels", (), (), (), (), (Taken("theme", "a", origin, 3, 1),), (), {"a": "Ada"})
    assert state.rows()[-1][:2] == (f"Ada, theme, accepted suggestions from {words}", "3 of 4")


def test_states_have_the_names_of_the_linking_pane(
    open_agreement: Callable[..., AgreementPane], study: Path, qtbot: QtBot
) -> None:
    pane = open_agreement(study, "Eve")
    pane.subject.setCurrentIndex(pane.subject.findData("states"))
    qtbot.waitUntil(lambda: "choose “Done with this paper” once" in pane._progress.text())
    pane.subject.setCurrentIndex(pane.subject.findData("labels"))
    qtbot.waitUntil(lambda: "choose “Mark as done” once" in pane._progress.text())
    assert pane.project is not None
    pane.project.set_annotator("Dea")
    pane.subject.setCurrentIndex(pane.subject.findData("states"))
    pane.mark_dirty()
    qtbot.waitUntil(lambda: pane.all.table.rowCount() > 1)
    measures = [row[0] for row in pane.everybody.rows()]
    assert "“answered without an edit”, specific agreement" in measures
    pane.all.turn()
    assert pane.everybody.units.rows[0].head == "open · answered without an edit / not addressed"
    shown = [button.text() for button in pane.all.detail.buttons.values() if button.isVisible()]
    assert shown == [
        "answered without an edit   1", "not addressed   2", "linked   3", "visual change only   4",
        "no edit found   5",
    ]  # fmt: skip
    assert "Ben\nnot addressed" in pane.all.detail.page.toPlainText()
    for words, key in (("No edit found", "no_edit_found"), ("visual_only", "visual_only")):
        pane.all.detail.other.setEditText(words)
        QTest.keyClick(pane.all.detail.other, Key.Key_Return)
        assert next(one.value for one in pane.everybody.units.all if one.how == "adjudicated") == key
        pane.everybody.units.take(None)


def test_large_text_cuts_no_button(pane: AgreementPane, qtbot: QtBot) -> None:
    assert_words_whole(pane, qtbot)


def test_everybody_is_compared_on_what_is_chosen(
    open_agreement: Callable[..., AgreementPane], study: Path, qtbot: QtBot
) -> None:
    """The box changes what is shown, and back; what decides on links rests meanwhile."""
    pane = open_agreement(study, "Dea")
    commands = pane.context.commands
    qtbot.waitUntil(lambda: bool(pane.state.rows))
    assert pane.two.isVisible() and not pane.all.table.isVisible() and commands.enabled("agreement.first")
    exports = [f"agreement.export_{name}" for name in ("table", "disagreements", "figures")]
    assert not commands.enabled("agreement.export_data") and all(map(commands.enabled, exports))
    pane.note("Every disagreement listed here is decided.")
    pane.take_focus()
    pane.subject.setCurrentIndex(pane.subject.findData("states"))
    assert pane.all.table.hasFocus(), "not a button"
    assert not pane.banner.notices, "it was said of links"
    qtbot.waitUntil(lambda: pane.all.table.rowCount() > 1)
    assert pane.all.table.isVisible() and not pane.two.isVisible() and not pane.first.isVisible()
    item = pane.all.table.item(1, 0)
    assert item is not None and item.text() == "Observed agreement"
    assert commands.enabled("agreement.export_data") and not commands.enabled("agreement.first")
    assert not any(map(commands.enabled, exports)), "measures of links aren't what is shown"
    pane.subject.setCurrentIndex(0)
    assert pane.two.isVisible() and not pane.all.table.isVisible() and commands.enabled("agreement.first")


def test_without_links_it_shows_what_was_decided(
    open_agreement: Callable[..., AgreementPane], tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "survey.rejoinder"
    with Project.create(path, "A survey", "Olga") as project:
        fill_participant(project, [3.0, 4.5])
    pane = open_agreement(path, "Olga")
    assert pane.subject.value == "ratings" and pane.all.isVisible() and not pane.two.isVisible()
    pane.subject.setCurrentIndex(0)
    pane.mark_dirty()
    assert pane.subject.value == "" and pane.two.isVisible(), "what a person chose is kept"


def test_all_conflicts_of_a_merge_are_listed(
    open_agreement: Callable[..., AgreementPane], tmp_path: Path, qtbot: QtBot
) -> None:
    path, other = tmp_path / "here.rejoinder", tmp_path / "there.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        annotate(project)
        states(project, "answered")
    other.write_bytes(path.read_bytes())
    later: tuple[tuple[Path, CommentState], ...] = ((path, "not_addressed"), (other, "visual_only"))
    for one, state in later:
        with Project.open(one, annotator="Ada") as project:
            states(project, state)
    pane = open_agreement(path, "Ada")
    pane.merge(other)
    qtbot.waitUntil(lambda: any(n.key == "merge" for n in pane.banner.notices), timeout=20_000)
    (notice,) = [n for n in pane.banner.notices if n.key == "merge"]
    assert notice.means.startswith("4 conflicts.")
    qtbot.mouseClick(
        next(one for one in pane.banner.findChildren(QPushButton) if one.text() == "Show conflicts"),
        Qt.MouseButton.LeftButton,
    )
    (dialog,) = pane.findChildren(MessagesDialog)
    assert dialog.list.rowCount() == 4
    dialog.reject()


def states(project: Project, state: CommentState) -> None:
    """Ada's state of the first four comments."""
    revisions, comments = RevisionStore(project), ReviewStore(project).comments()
    (revision,) = revisions.revisions()
    for comment in comments[:4]:
        revisions.set_comment_state(revision.id, comment.id, state)


def test_nothing_is_drawn_or_exported_where_both_decided_on_different_comments(
    open_agreement: Callable[..., AgreementPane], tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "study.rejoinder"
    make_study(path)
    with Project.open(path, annotator="Ada") as project:
        revisions, comments = RevisionStore(project), [c.id for c in ReviewStore(project).comments()]
        edits = [e.id for e in revisions.edits(revisions.revisions()[0].id)]
        for number, name in enumerate(("Ada", "Ben", "Dea")):
            project.set_annotator(name)
            if name != "Dea":
                revisions.link_comment(comments[number], edits[number])
            AgreementStore(project).set_done(PaperStore(project).papers()[0].id, True)
    pane = open_agreement(path, "Dea")
    qtbot.waitUntil(lambda: pane.state.found is not None)
    assert pane.bars.accessibleDescription() == pane.pairs.accessibleDescription() == "No data yet"
    assert "2 comments that only one of them decided on" in pane._counts.text()
    pane.export_to("figures", tmp_path / "agreement.csv")
    qtbot.waitUntil(lambda: any("none of the same comments" in notice.what for notice in pane.banner.notices))
    assert not list(tmp_path.glob("*.svg"))
    said = rejoinder("agreement", path, "--annotators", "Ada,Ben").stdout
    assert "decided on none of the same comments" in said and "differ" not in said
