"""Texts of others in every pane: shown as they are, never read as HTML, and nothing that they name is opened."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QColor, QImage, QTextBlock, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop_app.panes import PANES
from desktop_app.panes.base import Pane
from desktop_app.panes.labels.pane import said_html
from desktop_app.panes.survey.participant import ParticipantPane
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.labels import HtmlLabel, HtmlPage, literal
from desktop_app.window import MainWindow
from engine.exchange.study_file import study_file
from engine.expertise.records import Question
from engine.models.library import ModelLibrary
from engine.models.server_language import Server
from engine.models.server_report import Offered
from engine.papers.records import LibraryPaper
from engine.reviews.labels.records import SentenceLabels
from engine.reviews.records import Span
from tests.desktop_app.panes.survey.surveys import study
from tests.hostile import COLOUR, ESCAPE, MARK, OVERRIDE, hostile, hostile_project, write_picture

# The offscreen platform says so of tooltips and menus.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing the keyboard)")
ROOT = Path(__file__).resolve().parents[2]
SHOWS_NOTHING_OF_OTHERS = {"settings"}
_CELLS = 60


@pytest.fixture
def hostile_path(tmp_path: Path) -> Path:
    return hostile_project(tmp_path)


def drawn(widget: QWidget) -> bool:
    """Whether the picture is painted anywhere on a widget."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    step, wanted = image.bytesPerLine(), bytes(COLOUR)
    content = bytes(image.constBits())
    return any(wanted in content[row * step : row * step + 3 * image.width()] for row in range(0, image.height(), 8))


def fragments(page: QTextEdit) -> Iterator[tuple[bool, str, str]]:
    """Whether it is a picture, its address, and the address of a link: of each piece of a document."""
    block: QTextBlock = page.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            look = pieces.fragment().charFormat()
            yield look.isImageFormat(), look.toImageFormat().name(), look.anchorHref()
            pieces += 1
        block = block.next()


def cells(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[QModelIndex]:
    parent = parent or QModelIndex()
    for row in range(min(model.rowCount(parent), _CELLS)):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)):
            index = model.index(row, column, parent)
            yield index
        yield from cells(model, model.index(row, 0, parent))


def check_tooltip(text: str, widget: QWidget) -> None:
    """A tooltip with this text reads as it is written."""
    QToolTip.showText(QPoint(20, 20), text, widget)
    (shown,) = [label for label in QApplication.topLevelWidgets() if label.objectName() == "qtooltip_label"]
    assert isinstance(shown, QLabel) and shown.textFormat() == Qt.TextFormat.PlainText
    assert shown.text() == text and not drawn(shown)
    QToolTip.hideText()


def check(root: QWidget) -> set[str]:
    """Everything that is shown below a widget, whatever widgets it is made of; returns the texts of others in it."""
    seen: set[str] = set()
    tips: set[str] = set()
    models: set[QAbstractItemModel] = set()
    for widget in (root, *root.findChildren(QWidget)):
        tips |= {widget.toolTip(), widget.whatsThis()}
        if isinstance(widget, HtmlLabel):
            text = widget.text()
            assert "<img" not in text and "<a " not in text and "<style" not in text and "<script" not in text
            seen.add(text)
        elif isinstance(widget, QLabel):
            if widget.text():
                widget.ensurePolished()
                assert widget.textFormat() == Qt.TextFormat.PlainText, f"{widget!r}: {widget.text()!r}"
            qt = widget.objectName().startswith(("qtooltip", "qt_msgbox"))
            assert qt or (OVERRIDE not in widget.text() and ESCAPE not in widget.text()), widget
            seen.add(widget.text())
        elif isinstance(widget, QTextEdit):
            for picture, address, link in fragments(widget):
                assert not picture or (isinstance(widget, HtmlPage) and address in widget.images), (widget, address)
                assert MARK not in link and "probe" not in link
            words = widget.toPlainText()
            # What Qt reads as HTML loses its tags.
            assert MARK not in words or words.count(f"<b>{MARK}") >= words.count(f"{MARK} &"), (widget, words)
            seen.add(words)
        elif isinstance(widget, QPlainTextEdit):
            seen.add(widget.toPlainText())
        elif isinstance(widget, QAbstractButton):
            check_title(widget.text(), widget)
            seen.add(widget.text())
        elif isinstance(widget, QTabBar):
            for at in range(widget.count()):
                check_title(widget.tabText(at), widget)
                tips.add(widget.tabToolTip(at))
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            models.add(widget.model())
    for action in root.findChildren(QAction):
        check_title(action.text(), action)
        tips.add(action.toolTip())
    for model in models:
        for index in cells(model):
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
                seen.add(str(index.data(role) or ""))
            painted = isinstance(model, QAbstractListModel) or OVERRIDE not in str(index.data() or "")
            assert painted, f"a cell that Qt draws: {index.data()!r}"
            tips.add(str(index.data(Qt.ItemDataRole.ToolTipRole) or ""))
    rich = sorted(tip for tip in tips if QtGui.Qt.mightBeRichText(tip))
    for tip in rich[:3]:
        check_tooltip(tip, root)
    assert not drawn(root)
    return {text for text in (*seen, *tips) if MARK in text}


def check_title(text: str, where: object) -> None:
    """A text that Qt reads mnemonics in."""
    if MARK in text:
        assert "&" not in text.replace("&&", ""), (where, text)
        assert OVERRIDE not in text and "\n" not in text and ESCAPE not in text, (where, text)


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Waits for the jobs that a page begins; what they brought is shown."""
    qtbot.waitUntil(lambda: not window.bridge.engine.busy(), timeout=90_000)


def visit(pane: QWidget) -> Iterator[None]:
    """Each page of a pane: every tab is chosen, and in every list the first rows."""
    yield
    for bar in pane.findChildren(QTabBar):
        for at in range(bar.count()):
            if bar.isVisible() and bar.isTabEnabled(at):
                bar.setCurrentIndex(at)
                yield
                yield from choose(pane)


def choose(pane: QWidget) -> Iterator[None]:
    for view in pane.findChildren(QAbstractItemView):
        model = view.model()
        if view.isVisible() and model is not None:
            for row in range(min(2, model.rowCount())):
                view.setCurrentIndex(model.index(row, 0))
            yield


@pytest.mark.parametrize("pane_id", [spec.id for spec in PANES])
def test_a_pane_shows_texts_of_others_as_they_are(
    pane_id: str, window: MainWindow, hostile_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    server = Server("http://127.0.0.1:9/v1")
    ModelLibrary().add_server(server, hostile(tmp_path), report=Offered(hostile(tmp_path), version=hostile(tmp_path)))
    assert window.open_path(hostile_path)
    window.show_pane(pane_id)
    pane = window.panes[pane_id]
    settle(window, qtbot)
    seen = check(window)
    for _ in chain(visit(pane), choose(pane)):
        settle(window, qtbot)
        seen |= check(pane)
    assert window.windowTitle().count(MARK) and OVERRIDE not in window.windowTitle()
    menu = window.menu()
    check(menu)
    menu.deleteLater()
    if pane_id not in SHOWS_NOTHING_OF_OTHERS:
        assert any(f"{MARK}<b>" in text or f"{MARK}&lt;b&gt;" in text for text in seen), sorted(seen)[:3]


def test_a_participants_pages_show_texts_of_the_study_as_they_are(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    write_picture(tmp_path)
    words = hostile(tmp_path)
    wanted = replace(
        study(), title=f"Study{words}", organiser=words, contact=words, instructions=words, consent=words,
        released=words, withheld=words, questions=(Question("q", f"Which{words}", (words, "no")),),
    )  # fmt: skip
    file = tmp_path / "study.rejoinder-study"
    file.write_bytes(study_file(wanted).content)
    assert window.open_path(file)
    pane = window.panes["participant"]
    assert isinstance(pane, ParticipantPane) and pane.state.store is not None and pane.state.survey is not None
    pane.state.store.set_consent(pane.state.survey.participant.id, True)
    pane.state.store.add_row(
        pane.state.survey.participant.id, LibraryPaper("", f"Title{words}", authors=(words,), venue=words), 3.0
    )
    seen: set[str] = set()
    for page in range(pane.pages.count()):
        pane.pages.setCurrentIndex(page)
        settle(window, qtbot)
        seen |= check(window)
    assert any(f"{MARK}<b>" in text for text in seen) and any("&lt;img" in text for text in seen)


def test_dialogs_and_what_is_said_beside_the_panes(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    write_picture(tmp_path)
    words = hostile(tmp_path)
    assert window.open_path(project_path)
    pane = window.show_pane("home") or window.panes["home"]
    assert isinstance(pane, Pane)
    pane.banner.show_notice(Notice("test", f"What{words}", f"Means{words}", f"Do{words}", actions=((words, print),)))
    window.status.say(words)
    box = QMessageBox(window)
    box.setText(words)
    box.setInformativeText(words)
    box.show()
    seen = check(window) | check(box)
    assert sum(f"{MARK}<b>" in text for text in seen) >= 4
    box.close()
    box.deleteLater()


def test_names_of_annotators_are_no_mnemonics(window: MainWindow, hostile_path: Path, tmp_path: Path) -> None:
    assert window.open_path(hostile_path)
    window.show_pane("linking")
    (button,) = window.panes["linking"].findChildren(AnnotatorButton)
    window.control.act_as(f"A & B{hostile(tmp_path)}")
    button.open_menu()
    seen = check(button)
    assert any(text.startswith("A && B") for text in seen), seen
    for menu in button.findChildren(QMenu):
        menu.close()


def test_the_origin_of_a_label_is_text() -> None:
    """It names the file that the label came with."""
    labels = SentenceLabels("s", Span(0, 1), polarity="positive", origins={"polarity": "import:<img src='x'>"})
    assert "&lt;img" in said_html(labels, "polarity") and "<img" not in said_html(labels, "polarity")


def test_a_page_opens_no_file_that_its_html_names(qtbot: QtBot, tmp_path: Path) -> None:
    """Also where a text was not escaped: Qt would open the file by either address."""
    picture = write_picture(tmp_path)
    page = HtmlPage("Page")
    qtbot.addWidget(page)
    own = QImage(30, 30, QImage.Format.Format_RGB32)
    page.images["own:1"] = own
    for address in (f"file://{picture}", str(picture), "own:1"):
        own.fill(QColor(*COLOUR) if address == "own:1" else Qt.GlobalColor.white)
        page.setHtml(f"<p>x</p><img width=30 height=30 src='{address}'>")
        page.show()
        assert drawn(page) is (address == "own:1")
    for kind in QTextDocument.ResourceType:
        assert not page.loadResource(kind.value, QUrl(f"file://{picture}")) or kind.name == "ImageResource"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("R&D\nnow", "R&&D now"), ("a\u202efdp.exe", "a\ufffdfdp.exe"), ("\x1b[31mred", "\ufffd[31mred"),
        ("\u05d0\u200f!", "\u05d0\u200f!"), ("a\r\nb", "a b"),
    ],
)  # fmt: skip
def test_a_title_says_what_it_holds(given: str, shown: str) -> None:
    assert literal(given) == shown


def test_no_other_widget_reads_html() -> None:
    """Every label is plain by the stylesheet, every page an HtmlPage: a second way in would be found by nobody."""
    home = {"desktop_app/widgets/labels.py"}
    found = []
    for path in sorted((ROOT / "desktop_app").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            used = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if used in {"QTextBrowser", "RichText", "MarkdownText", "QWhatsThis", "insertHtml", "appendHtml"}:
                found.append(f"{name}: {used}")
    assert [entry for entry in found if entry.split(":")[0] not in home] == []
