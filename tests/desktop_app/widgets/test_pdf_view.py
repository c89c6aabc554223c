"""The page view: true sizes at once, lazy pictures within a budget, zoom, caret, selection, search, marks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPaintEvent, QRegion, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop_app.widgets.pdf_marks import Mark, Minimap, Shape
from desktop_app.widgets.pdf_pages import PageImages, PageLayout, _Loader
from desktop_app.widgets.pdf_text import Place
from desktop_app.widgets.pdf_view import PdfView
from engine.documents.records import Box, DoubtfulPage
from tests.desktop_app.widgets.pages import FlatRenderer, column_text, sizes

MakeView = Callable[..., PdfView]


@pytest.fixture
def make_view(qtbot: QtBot) -> Iterator[MakeView]:
    made: list[PdfView] = []

    def make(pages: int = 5, renderer: FlatRenderer | None = None, *, text: bool = True) -> PdfView:
        view = PdfView("Submitted version")
        qtbot.addWidget(view)
        view.resize(640, 700)
        view.show_pages(renderer or FlatRenderer(), "sha", sizes(pages))
        if text:
            view.set_text(column_text(pages))
        view.show()
        made.append(view)
        return view

    yield make
    for view in made:
        view.clear()


def press(view: PdfView, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(view, key, modifiers)


def screen_point(view: PdfView, box: Box) -> QPoint:
    rect = view.page_layout.rect(box)
    return QPoint(round(rect.left()) + 2 - view.horizontalScrollBar().value(), round(rect.center().y()) - view.top)


# pages and pictures ------------------------------------------------------------------------------------------------


def test_pages_have_their_true_size_before_any_picture(make_view: MakeView) -> None:
    gate = threading.Event()
    view = make_view(122, FlatRenderer(gate=gate))
    layout = view.page_layout
    assert len(layout.sizes) == 122
    assert layout.page_rect(0).height() / layout.page_rect(0).width() == pytest.approx(800 / 600, rel=0.01)
    assert view.verticalScrollBar().maximum() == round(layout.height) - view.viewport().height()
    gate.set()


def test_only_pages_that_are_near_get_sharp_pictures_and_coarse_ones_come_first(
    make_view: MakeView, qtbot: QtBot
) -> None:
    renderer = FlatRenderer()
    view = make_view(122, renderer)
    scale = view.page_layout.scale * view.devicePixelRatioF()
    qtbot.waitUntil(lambda: (1, scale) in renderer.asked)
    assert renderer.asked[0][1] < scale
    view.go_to_page(100)
    qtbot.waitUntil(lambda: (100, scale) in renderer.asked)
    assert not [page for page, at in renderer.asked if at == scale and 10 < page < 90]


def test_a_page_that_cannot_be_drawn_says_so_and_the_others_come(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(3, FlatRenderer(broken=frozenset({1})))
    assert view.images is not None
    images = view.images
    qtbot.waitUntil(lambda: images.problem(1) != "" and images.picture(2) is not None)
    assert "Page 1 can't be drawn" in images.problem(1)
    view.grab()


def test_pictures_stay_within_their_budget(qtbot: QtBot) -> None:
    images = PageImages(FlatRenderer(), "sha", sizes(30), budget=4 * 600 * 800 * 4)
    images.configure(1.0, "paper")
    for page in range(1, 31):
        images.want([page])
        qtbot.waitUntil(lambda p=page: (found := images.picture(p)) is not None and found[1])
    assert images.bytes_held <= 4 * 600 * 800 * 4
    assert images.picture(30) is not None
    images.stop()


@pytest.mark.parametrize(("look", "grey"), [("paper", 200), ("inverted", 55), ("sepia", 200)])
def test_looks_change_the_picture(qtbot: QtBot, look: str, grey: int) -> None:
    images = PageImages(FlatRenderer(), "sha", sizes(1))
    images.configure(0.5, look)  # type: ignore[arg-type]
    images.want([1])
    qtbot.waitUntil(lambda: (found := images.picture(1)) is not None and found[1])
    found = images.picture(1)
    assert found is not None
    colour = found[0].toImage().pixelColor(5, 5)
    if look == "paper":
        assert (colour.red(), colour.green(), colour.blue()) == (grey, grey, grey)
    elif look == "inverted":
        assert colour.lightness() < 100
        assert colour.lightness() > 50
    else:
        assert colour.red() > colour.blue() + 10
    images.stop()


def test_a_picture_that_arrives_while_its_view_is_being_deleted_is_dropped(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Loader, "stop", lambda self: None)  # it comes a moment too late
    gate = threading.Event()
    images = PageImages(FlatRenderer(gate=gate), "sha", sizes(1))
    images.want([1])
    loader = images._loader
    delete(images)
    gate.set()
    qtbot.waitUntil(lambda: not loader.busy)
    monkeypatch.undo()
    loader.stop()


def test_a_view_that_is_cleared_leaves_no_thread(make_view: MakeView) -> None:
    view = make_view(3)
    assert any(thread.name == "pdf pages" for thread in threading.enumerate())
    view.clear()
    assert not any(thread.name == "pdf pages" for thread in threading.enumerate())
    assert view.accessibleName().endswith("no document")


def test_boxes_map_to_the_page_and_back() -> None:
    layout = PageLayout(sizes(3), 1.5, 1200)
    rect = layout.rect(Box(2, 10, 20, 30, 40))
    page, x, y = layout.point(rect.topLeft())
    assert (page, round(x, 6), round(y, 6)) == (2, 10, 20)
    assert layout.rect(Box(9, 0, 0, 1, 1)).isEmpty()
    assert list(layout.visible(0, 100)) == [0]


# zoom --------------------------------------------------------------------------------------------------------------


def test_fit_width_follows_the_window(make_view: MakeView) -> None:
    view = make_view()
    before = view.zoom
    view.resize(1000, 700)
    assert view.zoom > before
    view.set_zoom("page")
    assert view.page_layout.heights[0] <= view.viewport().height()


def test_fitting_text_cuts_margins_off_and_fitting_a_column_shows_the_one_that_is_asked_for(
    make_view: MakeView,
) -> None:
    view = make_view()
    view.set_zoom("width")
    whole = view.zoom
    view.set_zoom("text")
    text = view.zoom
    assert text > whole
    view.set_zoom("column")
    assert view.zoom > text
    for paragraph in (view.text.paragraphs[2], view.text.paragraphs[0]):
        view.reveal(paragraph.boxes[0])
        rect = view.page_layout.rect(paragraph.boxes[0])
        left = view.horizontalScrollBar().value()
        assert left <= rect.left()
        assert rect.right() <= left + view.viewport().width()


def test_zooming_with_the_wheel_keeps_the_point_under_the_pointer(make_view: MakeView) -> None:
    view = make_view()
    view.go_to_page(3)
    at = QPointF(200, 300)
    before = view.page_layout.point(view.content_point(at))
    event = QWheelEvent(
        at, view.viewport().mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    old = view.zoom
    view.wheelEvent(event)
    after = view.page_layout.point(view.content_point(at))
    assert view.zoom > old
    assert after[0] == before[0]
    assert after[2] == pytest.approx(before[2], abs=2.0)


def test_a_picture_of_the_former_size_stays_within_its_page(make_view: MakeView, qtbot: QtBot) -> None:
    gate = threading.Event()
    gate.set()
    view = make_view(3, FlatRenderer(gate=gate), text=False)
    view.set_zoom(1.0)
    images = view.images
    assert images is not None
    qtbot.waitUntil(lambda: (images.picture(1) or (None, False))[1])
    gate.clear()  # no new picture comes: what is painted now is the former one
    view.set_zoom(0.5)
    shot = view.viewport().grab().toImage()
    first, ratio = view.page_layout.page_rect(0), view.devicePixelRatioF()

    def colour(x: float, y: float) -> str:
        return shot.pixelColor(
            round((x - view.horizontalScrollBar().value()) * ratio), round((y - view.top) * ratio)
        ).name()

    inside, beside = colour(first.center().x(), first.center().y()), colour(first.right() + 6, first.center().y())
    gate.set()
    assert inside == "#c8c8c8"
    assert beside != inside


def test_zoom_steps_stop_at_the_ends(make_view: MakeView) -> None:
    view = make_view()
    for _ in range(30):
        view.step_zoom(1)
    assert view.zoom == pytest.approx(4.0)
    for _ in range(30):
        view.step_zoom(-1)
    assert view.zoom == pytest.approx(0.25)


# scrolling ---------------------------------------------------------------------------------------------------------


def test_pages_are_named_as_one_scrolls(make_view: MakeView) -> None:
    view = make_view()
    view.go_to_page(4)
    assert view.page == 4
    assert view.accessibleName() == "Submitted version, page 4 of 5"
    view.go_to_page(view.page + 1)
    assert view.page == 5


def test_the_wheel_glides_to_its_end(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    at = QPointF(100, 100)
    event = QWheelEvent(
        at, view.viewport().mapToGlobal(at), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    view.wheelEvent(event)
    view.wheelEvent(event)
    qtbot.waitUntil(lambda: view.top == 192)


def test_a_trackpad_moves_by_its_pixels(make_view: MakeView) -> None:
    view = make_view()
    at = QPointF(100, 100)
    event = QWheelEvent(
        at, view.viewport().mapToGlobal(at), QPoint(0, -37), QPoint(0, -37), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.ScrollUpdate, False,
    )  # fmt: skip
    view.wheelEvent(event)
    assert view.top == 37


# caret and selection -----------------------------------------------------------------------------------------------


def test_the_keyboard_selects_in_reading_order_and_copies(make_view: MakeView) -> None:
    view = make_view()
    view.setFocus()
    press(view, Qt.Key.Key_Return)
    assert view.caret == Place(0, 0)
    shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    press(view, Qt.Key.Key_Right, shift | control)
    assert view.selected_text == "Paragraph"
    press(view, Qt.Key.Key_Right, shift | Qt.KeyboardModifier.AltModifier)
    assert view.selected_text.startswith("Paragraph 0 begins here.")
    press(view, Qt.Key.Key_Down, shift | control)
    assert view.caret == Place(1, 0)
    press(view, Qt.Key.Key_C, control)
    assert QGuiApplication.clipboard().text() == view.text.paragraphs[0].text
    press(view, Qt.Key.Key_Escape)
    assert view.caret is None
    assert view.selected_text == ""


def test_escape_hands_the_keyboard_back(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    view.set_caret(Place(0, 0))
    with qtbot.waitSignal(view.left):
        press(view, Qt.Key.Key_Escape)


def test_the_caret_is_scrolled_into_view_and_spoken(make_view: MakeView) -> None:
    view = make_view()
    view.set_caret(Place(16, 0))
    box = view.text.caret_box(Place(16, 0))
    assert box is not None
    assert 0 < view.page_layout.rect(box).top() - view.top < view.viewport().height()
    assert view.accessibleDescription() == view.text.paragraphs[16].text


def test_a_view_without_pages_bears_its_keys(make_view: MakeView) -> None:
    view = make_view()
    view.clear()
    view.start_caret()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Escape):
        press(view, key)
    assert view.pages == 0 and not view.selected_text


def test_a_picture_of_the_document_before_is_too_late(make_view: MakeView) -> None:
    """On its way while a shorter document is shown instead."""
    view = make_view(40)
    before = view.images
    assert before is not None
    view.show_pages(FlatRenderer(), "other", sizes(2))
    before.ready.emit(30)
    assert view.pages == 2


def test_dragging_selects_whole_words_down_one_column(make_view: MakeView) -> None:
    view = make_view()
    words = view.text.paragraphs[0].words
    start, end = screen_point(view, words[1].box), screen_point(view, words[-1].box)
    viewport = view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(viewport, end)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)
    assert view.selected_text == view.text.paragraphs[0].text.removeprefix("Paragraph ").removesuffix(".")


def test_a_double_click_selects_a_word(make_view: MakeView) -> None:
    view = make_view()
    at = screen_point(view, view.text.paragraphs[2].words[0].box)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert view.selected_text == "Paragraph"


def test_a_click_names_the_paragraph_and_the_mark(make_view: MakeView) -> None:
    view = make_view()
    boxes = view.text.paragraphs[1].boxes
    view.set_marks("edits", [Mark("bar", boxes, "added", "e007", "+", "e007 added")])
    at = screen_point(view, view.text.paragraphs[1].words[0].box)
    chosen: list[str] = []
    view.mark_chosen.connect(chosen.append)
    view.paragraph_chosen.connect(chosen.append)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert chosen == ["e007", "p1"]


# search and marks --------------------------------------------------------------------------------------------------


def test_search_goes_round_and_counts(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view()
    view.go_to_page(3)
    with qtbot.waitSignal(view.found) as heard:
        assert view.find_text("second sentence") == 20
    assert heard.args == ["9 of 20 found"]
    with qtbot.waitSignal(view.found) as heard:
        view.find_next(-1)
    assert heard.args == ["8 of 20 found"]
    for _ in range(8):
        view.find_next(-1)
    assert view.page == 5
    with qtbot.waitSignal(view.found) as heard:
        assert view.find_text("not there") == 0
    assert heard.args == ["No results"]
    with qtbot.waitSignal(view.found) as heard:
        view.set_text(())
    assert heard.args == [""], "nothing is sought in the new text"


def coloured(image: QImage, red: int, green: int, blue: int) -> int:
    return sum(
        image.pixelColor(x, y).getRgb()[:3] == (red, green, blue)
        for x in range(image.width())
        for y in range(image.height())
    )


def test_marks_are_drawn_and_groups_are_replaced_apart(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(1)
    qtbot.waitUntil(lambda: view.images is not None and (view.images.picture(1) or (None, False))[1])
    boxes = view.text.paragraphs[0].boxes
    view.set_marks("edits", [Mark("bar", boxes, "added", "a", "+")])
    view.set_marks("words", [Mark("strike", boxes, "deleted", "a")])
    image = view.viewport().grab().toImage()
    assert coloured(image, 0, 0x72, 0xB2) > 50
    assert coloured(image, 0xE6, 0x9F, 0) > 50
    view.set_marks("words", [])
    image = view.viewport().grab().toImage()
    assert coloured(image, 0, 0x72, 0xB2) > 50
    assert coloured(image, 0xE6, 0x9F, 0) == 0


def test_lighting_an_edit_dims_the_rest(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(1)
    qtbot.waitUntil(lambda: view.images is not None and (view.images.picture(1) or (None, False))[1])
    inside = view.page_layout.rect(view.text.paragraphs[0].boxes[0]).center().toPoint() - QPoint(0, view.top)
    outside = view.page_layout.rect(view.text.paragraphs[3].boxes[0]).center().toPoint() - QPoint(0, view.top)
    view.light("a", view.text.paragraphs[0].boxes, dim=True)
    image = view.viewport().grab().toImage()
    assert image.pixelColor(inside).red() == 200
    assert image.pixelColor(outside).red() > 210


# painting only what changed ----------------------------------------------------------------------------------------


class _Painted(QObject):
    """Gathers the region of a widget that is painted."""

    region = QRegion()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region = self.region.united(event.region())
        return super().eventFilter(watched, event)


@pytest.mark.parametrize("shape", ["underline", "strike", "bar", "wash", "frame", "dot", "find", "find now", "select"])
def test_marks_that_come_or_go_repaint_their_place_alone_and_wholly(
    make_view: MakeView, qtbot: QtBot, shape: Shape
) -> None:
    view = make_view()
    images = view.images
    assert images is not None
    qtbot.waitUntil(lambda: all((found := images.picture(page)) is not None and found[1] for page in (1, 2)))
    flat, tall = Box(1, 60, 100, 260, 108), Box(1, 60, 104, 260, 160)
    view.set_marks("edits", [Mark("dot", (flat,), "linked", "e1"), Mark("bar", (tall,), "added", "e2", "+")])

    def grabbed() -> QImage:
        return view.viewport().grab().toImage()

    for marks in ([Mark(shape, (flat, Box(3, 60, 100, 260, 108)), "deleted", "e3", "−")], []):
        QCoreApplication.sendPostedEvents(view, QEvent.Type.UpdateRequest)  # what is due from before
        before = grabbed()
        painted = _Painted()
        view.viewport().installEventFilter(painted)
        view.set_marks("links", marks)
        qtbot.waitUntil(lambda painted=painted: not painted.region.isEmpty())
        view.viewport().removeEventFilter(painted)
        assert painted.region.boundingRect().height() < view.viewport().height() / 4
        corner = painted.region.boundingRect().topLeft()
        view.viewport().render(before, corner, painted.region, QWidget.RenderFlag(0))
        assert grabbed() == before


# pages that cannot be trusted --------------------------------------------------------------------------------------


def test_a_doubtful_page_is_marked_on_the_page_and_in_the_strip_and_says_why(make_view: MakeView, qtbot: QtBot) -> None:
    view = make_view(4)
    strip = view.findChild(Minimap)
    assert strip is not None
    plain, plain_page = strip.grab().toImage(), view.viewport().grab().toImage()
    view.set_text(column_text(4), (DoubtfulPage(1, "order", 0.4), DoubtfulPage(9, "scan", 1.0)))
    marks = view.marks_of("doubtful")
    assert [box.page for _, box in marks] == [1], "a page that the document does not have is left out"
    assert strip.grab().toImage() != plain and view.viewport().grab().toImage() != plain_page
    QTest.mouseMove(strip, QPoint(8, strip.height() // 8))
    assert "wrong order" in strip.toolTip()
    assert any("wrong order" in mark.note for mark in view.marks_at(QPointF(view.viewport().rect().center())))
    view.set_text(column_text(4))
    assert view.marks_of("doubtful") == () and strip.grab().toImage() == plain
