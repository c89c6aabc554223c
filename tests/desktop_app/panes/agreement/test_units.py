"""Units of what everybody decided: listed, filtered, and adjudicated by keys alone or by mouse, by who is no party."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.panes.agreement.everybody import NOT_YET, EverybodyState
from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.agreement.units_state import UnitsState
from desktop_app.window import MainWindow
from engine.agreement.store import LABELS, AgreementStore
from engine.operations.decisions import adjudicated
from engine.operations.packages import add_people
from engine.operations.results import import_results
from engine.packages.store import WorkStore
from engine.project import PARTY, Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from tests.desktop_app.pane_cases import assert_named, assert_words_whole
from tests.engine.operations.packaged import Person, at, dealt, lead_project

Key = Qt.Key
TEXT = "The split is unclear. Please add an ablation. The paper is well written. We liked the figures. Typos abound."
SPANS = ((0, 21), (22, 45), (46, 72), (73, 94), (95, 108))
SAID = {"Ann": ("negative", "neutral", "positive", "positive", "negative"),
        "Ben": ("negative", "negative", "positive", "neutral", "neutral"),
        "Cem": ("negative", "neutral", "positive", "neutral", "positive")}  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Three people who are done and differ on three of five sentences, and Dea, who labelled none."""
    path = tmp_path / "study.rejoinder"
    with Project.create(path, "Study", "Ann") as project:
        text = ReviewStore(project).add_text("Review", TEXT, reviewer="R1")
        key = text.texts[0].id
        for name, labels in SAID.items():
            project.set_annotator(name)
            for span, label in zip(SPANS, labels, strict=True):
                LabelStore(project).set_label(key, Span(*span), "polarity", [label])
            LabelStore(project).set_label(key, Span(*SPANS[0]), "theme", ["datasets"] if name == "Ann" else ["results"])
            AgreementStore(project).set_done(key, True, task=LABELS)
        project.set_annotator("Dea")
    return path


@pytest.fixture
def open_as(make_window: Callable[[], MainWindow], study: Path, qtbot: QtBot) -> Callable[[str], AgreementPane]:
    def opened(name: str) -> AgreementPane:
        window = make_window()
        window.settings.set("annotator.name", name)
        assert window.open_path(str(study))
        window.show_pane("agreement")
        pane = window.panes["agreement"]
        assert isinstance(pane, AgreementPane)
        with qtbot.waitActive(window):
            window.activateWindow()
        pane.subject.setCurrentIndex(pane.subject.findData("labels"))
        qtbot.waitUntil(lambda: pane.everybody.found is not None)
        return pane

    return opened


@pytest.fixture
def pane(open_as: Callable[[str], AgreementPane], qtbot: QtBot) -> AgreementPane:
    """As Dea, once she said that she labels nothing; the units are shown."""
    found = open_as("Dea")
    assert found.everybody.units.all == () and "hidden until you and they are done" in found._progress.text()
    QTest.mouseClick(found.all.done, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(found.everybody.units.all) == 6)
    press(found, Key.Key_V)
    assert found.all.on_units and found.all.list.hasFocus() and not found.all.table.isVisible()
    return found


def press(pane: AgreementPane, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(pane.window().focusWidget() or pane, key)


def held(pane: AgreementPane) -> list[str]:
    assert pane.project is not None
    return sorted(adjudicated(pane.project, "labels").values())


def labels_of(pane: AgreementPane) -> list[str]:
    """What the buttons that are shown say."""
    return [button.text() for button in pane.all.detail.buttons.values() if button.isVisible()]


def test_only_what_is_open_is_listed_with_who_said_what(pane: AgreementPane) -> None:
    assert [row.head for row in pane.everybody.units.rows] == [
        "open · polarity · neutral / negative", "open · polarity · neutral / positive",
        "open · polarity · negative / neutral / positive", "open · theme · results / datasets",
    ]  # fmt: skip
    page = pane.all.detail.page.toPlainText()
    assert "Please add an ablation." in page and "Ann\nneutral" in page and "Ben\nnegative" in page
    assert "Majority proposes\nneutral, 67 %" in page
    assert labels_of(pane) == ["neutral   1", "negative   2", "positive   3", "none   4"]
    assert pane.status_text == "4 of 6 units with disagreement · 4 open"
    one = UnitsState()
    one.all = pane.everybody.units.all[:1]
    assert one.progress().split(" with")[0] in ("0 of 1 unit", "1 of 1 unit")
    assert UnitsState().progress() == "", "nothing is claimed while they are read"
    pane.context.commands.run("agreement.done")
    assert [notice.what for notice in pane.banner.notices] == ["What you decided is marked as done."]
    assert EverybodyState().rows() == ((NOT_YET, "", "", ""),)
    assert_named(pane)


def test_keys_alone_adjudicate_and_undo(pane: AgreementPane, qtbot: QtBot) -> None:
    units = pane.everybody.units
    press(pane, Key.Key_2)
    assert held(pane) == ["negative"] and units.at == 0 and len(units.rows) == 3, "the next open one is current"
    press(pane, Key.Key_1, Key.Key_3)
    assert held(pane) == ["negative", "neutral", "positive"]
    press(pane, Key.Key_2)
    assert held(pane) == ["datasets", "negative", "neutral", "positive"]
    assert any(n.what == "Every disagreement listed here is decided." for n in pane.banner.notices)
    assert pane.project is not None
    pane.project.undo()
    qtbot.waitUntil(lambda: [row.head for row in units.rows if "open" in row.head] != [])
    assert held(pane) == ["negative", "neutral", "positive"]
    assert {one.how for one in units.all} == {"open", "agreed", "adjudicated"}
    assert "3 adjudicated" in pane._progress.text() and "1 open" in pane._progress.text()


def test_skipping_stepping_and_taking_back(pane: AgreementPane) -> None:
    units = pane.everybody.units
    first = units.key
    press(pane, Key.Key_Space)
    assert units.at == 1
    press(pane, Key.Key_K)
    assert units.key == first
    pane.all.shown.setCurrentIndex(pane.all.shown.findData("disagreeing"))
    press(pane, Key.Key_1, Key.Key_K)
    assert units.key == first and "✓ neutral" in units.rows[0].head
    assert "✓ Adjudicated: neutral" in pane.all.detail.page.toPlainText()
    press(pane, Key.Key_U)
    assert held(pane) == [] and units.key == first


def test_another_value_is_typed_and_a_wrong_one_refused(pane: AgreementPane, qtbot: QtBot) -> None:
    pane.all.part.setCurrentIndex(pane.all.part.findData("theme"))
    assert len(pane.everybody.units.rows) == 1
    press(pane, Key.Key_O)
    field = pane.all.detail.other.lineEdit()
    assert field is not None and pane.all.detail.other.hasFocus()
    qtbot.keyClicks(pane.all.detail.other, "nonsense")
    press(pane, Key.Key_Return)
    assert held(pane) == [] and any("isn't a valid value here" in n.what for n in pane.banner.notices)
    field.clear()
    qtbot.keyClicks(pane.all.detail.other, "results + datasets")
    press(pane, Key.Key_Return)
    assert held(pane) == ["datasets + results"]


def test_by_mouse(pane: AgreementPane) -> None:
    units = pane.everybody.units
    view = pane.all.list
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(view.model().index(2, 0)).center())
    assert units.at == 2 and "Typos abound." in pane.all.detail.page.toPlainText()
    QTest.mouseClick(pane.all.detail.buttons["both"], Qt.MouseButton.LeftButton)
    assert held(pane) == ["positive"]
    bar = pane.all.tabs
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(0).center() + QPoint(0, 0))
    assert not pane.all.on_units and pane.all.table.isVisible()
    assert not pane.context.commands.enabled("agreement.first"), "nothing is decided where no unit is seen"


def test_order_and_filters(pane: AgreementPane) -> None:
    units = pane.everybody.units
    pane.all.order.setCurrentIndex(pane.all.order.findData("apart"))
    assert units.rows[0].head.startswith("open · polarity · negative / neutral / positive")
    pane.all.order.setCurrentIndex(pane.all.order.findData("unsure"))
    assert units.rows[0].head.startswith("open · polarity · negative / neutral / positive")
    counts = {}
    for shown in ("open", "disagreeing", "adjudicated", "all"):
        pane.all.shown.setCurrentIndex(pane.all.shown.findData(shown))
        counts[shown] = len(units.rows)
    assert counts == {"open": 4, "disagreeing": 4, "adjudicated": 0, "all": 6}


def test_an_adjudicators_package_opens_at_its_units(
    make_window: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    def label(person: Person, label: str) -> None:
        for item in person.package.items:
            source, start, end = item.split(":")
            person.labels.set_label(source, Span(int(start), int(end)), "polarity", [label])

    with lead_project(tmp_path / "lead.rejoinder") as project:
        files = [
            at(one, tmp_path / f"{one.stem}.rejoinder", lambda person, said=said: label(person, said))  # type: ignore[misc]
            for one, said in zip(dealt(project, tmp_path / "out", "sentences"), ("positive", "negative"), strict=True)
        ]
        import_results(project, files)
        made = WorkStore(project).rounds()[0]
        (cleo,) = add_people(project, made, "adjudicator", ["Cleo"], tmp_path / "out")
    window = make_window()
    window.settings.set("annotator.name", "Cleo")
    assert window.open_path(str(cleo))
    pane = window.panes["agreement"]
    assert isinstance(pane, AgreementPane)
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.waitUntil(lambda: bool(pane.everybody.units.all))
    assert pane.isVisible() and pane.everybody.of == "labels" and pane.all.on_units
    pane.take_focus()
    press(pane, Key.Key_2)
    assert len(held(pane)) == 1
    page = pane.all.detail.page.toPlainText()
    assert "Annotator 1" in page and "Ann\n" not in page


def test_a_party_sees_everything_and_decides_nothing(open_as: Callable[[str], AgreementPane]) -> None:
    pane = open_as("Ann")
    press(pane, Key.Key_V)
    pane.take_focus()
    assert len(pane.everybody.units.rows) == 4
    assert pane.all.detail._why.isVisible() and pane.all.detail._why.text() == PARTY
    assert labels_of(pane) == [] and not pane.all.detail.other.isVisible()
    press(pane, Key.Key_1, Key.Key_O, Key.Key_U)
    assert held(pane) == []


def test_large_text_cuts_no_button(pane: AgreementPane, qtbot: QtBot) -> None:
    assert_words_whole(pane, qtbot)
