"""The guide in the window: F1 opens the page of the pane, a search finds sections, and links stay inside."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from pytestqt.qtbot import QtBot

from desktop_app import guide
from desktop_app.headless import settle
from desktop_app.panes import PANES, PARTICIPANT
from desktop_app.theme import theme
from desktop_app.widgets.guide_sheet import GuideSheet
from desktop_app.window import MainWindow
from tests.desktop_app.pane_cases import assert_named


@pytest.fixture
def sheet(window: MainWindow, qtbot: QtBot) -> GuideSheet:
    with qtbot.waitActive(window):
        window.activateWindow()
    window.show_pane("calibration")
    qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_F1)
    assert window.help is not None
    settle(window)
    return window.help


def test_f1_opens_the_page_of_the_pane_and_escape_returns_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    window.show_pane("history")
    held = window.focusWidget()
    for _ in range(2):
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_F1)
        assert window.help is not None and window.help.isVisible()
        assert window.help.page == "guide/projects.md" and window.focusWidget() is window.help.field
        assert guide.sections("guide/projects.md")[0].title in window.help.text.toPlainText()
        assert_named(window.help)
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
        assert not window.help.isVisible() and window.focusWidget() is held


@pytest.mark.parametrize("pane", [spec.id for spec in (*PANES, PARTICIPANT)])
def test_every_pane_has_a_page(pane: str) -> None:
    page = guide.page_of(pane)
    assert page in guide.pages() and page != "guide/README.md"


def test_modes_of_linking_have_pages_of_their_own(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    window.show_pane("linking")
    for mode, page in (("coverage", "coverage"), ("reviews", "comments"), ("reviews", "linking")):
        window.commands.run(f"linking.{mode}")
        window.commands.run("help.guide")
        assert window.help is not None and window.help.page == f"guide/{page}.md"
        window.commands.run("help.guide")


def test_a_search_leads_to_the_section(sheet: GuideSheet, qtbot: QtBot) -> None:
    qtbot.keyClicks(sheet.field, "safe accept")
    titles = [title for title, _place in sheet.list.records]
    assert any(title.startswith("Calibration") for title in titles)
    sheet.open_page("guide/start.md")
    qtbot.keyClick(sheet.field, Qt.Key.Key_Return)
    assert sheet.page == sheet.list.records[0][1][0], "Return opens the first one"
    sheet.open_page("guide/start.md")
    qtbot.keyClick(sheet.field, Qt.Key.Key_Down)
    assert sheet.page == "guide/calibration.md" and sheet.text.verticalScrollBar().value() > 0
    sheet.field.setText("qwertyuiop")
    assert sheet.list.records == () and not sheet.list.grab().isNull()
    sheet.field.clear()
    assert len(sheet.list.records) == len(guide.pages())
    qtbot.keyClick(sheet.field, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("change font size", "start"), ("is my paper uploaded anywhere", "start"), ("screen reader", "start"),
        ("where is my file saved", "projects"), ("undo a mistake", "projects"),
        ("disagreement of annotators", "agreement"),
        ("suggested links are wrong", "linking"), ("calib", "calibration"), ("cut-off", "calibration"),
        ("send my answers back", "answering"),
    ],
)  # fmt: skip
def test_a_question_in_plain_words_finds_its_page(question: str, page: str) -> None:
    """Not every word is on the page, or in this form; the last one may not be complete."""
    assert guide.found(question)[0].page == f"guide/{page}.md"


def test_titles_of_results_are_whole(sheet: GuideSheet) -> None:
    theme().configure(zoom=1.5)
    sheet.field.setText("kappa")
    settle(sheet.window())
    assert len(sheet.list.records) > 3
    for row, (title, _place) in enumerate(sheet.list.records):
        place = sheet.list.visualRect(sheet.list.model().index(row, 0)).adjusted(12, 0, -12, 0)
        needed = sheet.list.fontMetrics().boundingRect(place, Qt.TextFlag.TextWordWrap, title)
        assert needed.height() + theme().px(10) <= place.height(), f"cut: {title}"


def test_links_lead_to_pages_and_nowhere_else(sheet: GuideSheet) -> None:
    sheet.text.anchorClicked.emit(QUrl("../methods-calibration.md"))
    assert sheet.page == "methods-calibration.md"
    sheet.text.anchorClicked.emit(QUrl("guide/linking.md"))
    assert sheet.page == "guide/linking.md"
    for address in ("https://example.org", "file:///etc/passwd", "../../pyproject.toml", "../../README.md", "none.md"):
        sheet.text.anchorClicked.emit(QUrl(address))
        assert sheet.page == "guide/linking.md"


def test_the_list_shows_which_page_is_open(sheet: GuideSheet) -> None:
    assert sheet.list.currentIndex().row() == guide.pages().index("guide/calibration.md")
    sheet.text.anchorClicked.emit(QUrl("../methods-calibration.md"))
    assert sheet.list.currentIndex().row() == -1, "no page of the list"


def test_a_result_is_opened_once_more_after_a_link(sheet: GuideSheet, qtbot: QtBot) -> None:
    qtbot.keyClicks(sheet.field, "safe accept")
    qtbot.keyClick(sheet.field, Qt.Key.Key_Down)
    place = sheet.list.visualRect(sheet.list.currentIndex()).center()
    for again in (
        lambda: qtbot.mouseClick(sheet.list.viewport(), Qt.MouseButton.LeftButton, pos=place),
        lambda: qtbot.keyClick(sheet.field, Qt.Key.Key_Enter),
    ):
        sheet.text.anchorClicked.emit(QUrl("../methods-calibration.md"))
        assert sheet.page == "methods-calibration.md"
        again()
        assert sheet.page == "guide/calibration.md"


def test_the_help_follows_the_window_and_the_text_size(window: MainWindow, sheet: GuideSheet, qtbot: QtBot) -> None:
    wide, place = sheet.text.images["images/guide-calibration-light.png"].width(), sheet.text.verticalScrollBar()
    place.setValue(place.maximum() // 2)
    window.resize(800, 640)
    settle(window)
    assert window.rect().contains(sheet.geometry())
    assert sheet.text.images["images/guide-calibration-light.png"].width() < wide
    assert sheet.text.horizontalScrollBar().maximum() == 0 and place.value() > place.maximum() // 3
    window.resize(1800, 900)
    settle(window)
    before = sheet.width()
    window.commands.run("view.larger")
    settle(window)
    assert sheet.width() > before


def test_no_page_is_wider_than_the_text(window: MainWindow, sheet: GuideSheet) -> None:
    """Commands wrap instead of making the reader scroll sideways."""
    wide = {}
    for page in guide.pages():
        sheet.open_page(page)
        settle(window)
        wide[page] = sheet.text.horizontalScrollBar().maximum()
    assert not any(wide.values()), wide


def test_another_pane_is_not_hidden_by_the_help_on_the_one_before(window: MainWindow, sheet: GuideSheet) -> None:
    window.show_pane("history")
    assert not sheet.isVisible()
    window.open_help()
    assert sheet.isVisible() and sheet.page == "guide/projects.md"


def test_pictures_are_shown_and_html_is_text(
    sheet: GuideSheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [*sheet.text.images] == ["images/guide-calibration-light.png"], "those of other pages take time"
    assert not sheet.text.images["images/guide-calibration-light.png"].isNull()
    assert "images/guide-calibration-light.png" in guide.html("guide/calibration.md")
    (tmp_path / "page.md").write_text("# A <b>title</b>\n\n<script>x</script>\n", encoding="utf-8")
    monkeypatch.setattr(guide, "DOCS", tmp_path)
    assert "<script>" not in guide.html("page.md")


def test_the_wheel_has_the_guide_where_it_is_looked_for(tmp_path: Path) -> None:
    root = Path(guide.__file__).resolve().parents[1]
    content = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    included = content["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"docs": "resources/docs"}
    installed = tmp_path / included["docs"]
    assert guide.docs_in(root) == root / "docs"
    installed.mkdir(parents=True)
    assert guide.docs_in(tmp_path) == installed


@pytest.mark.parametrize("page", guide.pages())
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    text = (guide.DOCS / page).read_text(encoding="utf-8")
    for address in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s:]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        target, section = guide.linked(page, address)
        assert target and (not section or section in {part.anchor for part in guide.sections(target)}), address
