"""Colours that can be read, sizes that follow the zoom, a scheme that follows the system."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHoverEvent, QIcon, QImage, QMouseEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop_app import theme as theme_module
from desktop_app.panes import PANES
from desktop_app.theme import DARK, LIGHT, TYPE, ZOOM_STEPS, Scheme, Tokens, stylesheet, theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.layouts import column
from desktop_app.window import MainWindow

APP = Path(__file__).resolve().parents[2] / "desktop_app"
ENOUGH = 4.5
ENTER, HOVER = QEvent.Type.HoverEnter, QEvent.Type.HoverMove
BOTH = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    """Relative luminance in 0..1 of an sRGB hex colour (WCAG 2.2, definition of relative luminance)."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one: str, other: str) -> float:
    """Contrast ratio in 1..21 of two hex colours (WCAG 2.2, 1.4.3)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert luminance("#ff0000") == pytest.approx(0.2126)


@BOTH
def test_text_has_enough_contrast_on_every_ground(tokens: Tokens) -> None:
    grounds = ("ground", "surface", "raised", "sunken", "accent_wash", "attention_wash", "problem_wash")
    for ink, ground in product(("ink", "muted", "danger"), grounds):
        ratio = contrast(getattr(tokens, ink), getattr(tokens, ground))
        assert ratio >= ENOUGH, f"{ink} on {ground}: {ratio:.2f}"
    assert contrast(tokens.on_accent, tokens.accent) >= ENOUGH
    for ground in ("ground", "surface", "raised"):
        assert contrast(tokens.accent, getattr(tokens, ground)) >= ENOUGH, ground


@BOTH
def test_data_inks_can_be_read_on_their_wash_and_on_the_panels(tokens: Tokens) -> None:
    for name, colour in tokens.data.items():
        for ground in (colour.wash, tokens.surface, tokens.ground):
            assert contrast(colour.ink, ground) >= ENOUGH, f"{name} on {ground}"
        assert contrast(tokens.ink, colour.wash) >= ENOUGH, f"ink on {name}"


@BOTH
def test_controls_and_focus_stand_out(tokens: Tokens) -> None:
    """WCAG 2.2, 1.4.11: three to one for what is not text."""
    for edge, ground in product(("control_border", "focus"), ("ground", "surface", "raised")):
        assert contrast(getattr(tokens, edge), getattr(tokens, ground)) >= 3.0, f"{edge} on {ground}"


@BOTH
def test_meanings_differ_by_more_than_colour(tokens: Tokens) -> None:
    # Linked and verified are both "good" and never stand in the same place; every other pair has its own sign.
    signs = [colour.sign for colour in tokens.data.values()]
    assert len(set(signs)) == len(signs)


def test_both_schemes_have_the_same_meanings_and_signs() -> None:
    assert {n: c.sign for n, c in LIGHT.data.items()} == {n: c.sign for n, c in DARK.data.items()}


def test_the_stylesheet_grows_with_the_zoom() -> None:
    assert "* { font-size: 13px; }" in stylesheet(LIGHT)
    assert "* { font-size: 26px; }" in stylesheet(LIGHT, 2.0)
    assert "%(" not in stylesheet(DARK)


def test_every_picture_that_the_stylesheet_names_exists() -> None:
    for tokens in (LIGHT, DARK):
        files = re.findall(r'url\("([^"]+)"\)', stylesheet(tokens))
        assert files
        assert all(Path(file).is_file() for file in files)


def test_the_pictures_are_drawn_wherever_the_program_lies(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn() -> QImage:
        box = QCheckBox("x")
        qtbot.addWidget(box)
        box.setChecked(True)
        box.setStyleSheet(stylesheet(LIGHT))
        return box.grab().toImage()

    usual = drawn()
    odd = tmp_path / 'Große "Prüfung" (2) & re\\論文'
    shutil.copytree(theme_module.ICONS, odd)
    monkeypatch.setattr(theme_module, "ICONS", odd)
    assert drawn() == usual


def test_choosing_a_scheme_repaints_and_tells(qapp: QApplication, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme().changed):
        theme().configure("dark")
    assert qapp.palette().color(QPalette.ColorRole.Base).name() == DARK.surface
    assert DARK.surface in qapp.styleSheet()
    with qtbot.assertNotEmitted(theme().changed):
        theme().configure("dark")


def test_the_system_is_followed_only_if_it_is_asked_for(qtbot: QtBot) -> None:
    hints = QGuiApplication.styleHints()
    theme().configure("system")
    hints.colorSchemeChanged.emit(hints.colorScheme())
    expected = "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"
    assert theme().tokens.scheme == expected
    theme().configure("dark")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme().tokens.scheme == "dark"


@pytest.mark.parametrize("rests", [False, True], ids=["hidden", "set aside"])
def test_another_text_size_styles_each_widget_once(qtbot: QtBot, rests: bool) -> None:
    """Not once for each widget around it, as Qt does where one sheet of the application replaces another."""

    class Styled(QWidget):
        times = 0

        def changeEvent(self, event: QEvent) -> None:
            self.times += event.type() == QEvent.Type.StyleChange
            super().changeEvent(event)

    outer = inner = QWidget()
    for _ in range(8):
        inner = QWidget(inner)
    deep = Styled(inner)
    qtbot.addWidget(outer)
    outer.show()
    before = deep.times
    theme().configure(zoom=1.5)
    assert deep.font().pixelSize() == theme().px(TYPE["body"])
    assert deep.times - before == 1
    outer.hide()
    before = deep.times
    if rests:
        theme().rest(outer)
    theme().configure(zoom=2.0)
    assert deep.times == before, "what is out of sight doesn't hold up what is seen"
    theme().configure(zoom=1.75)  # again, before the queue of what is out of sight is worked off
    never = Styled(inner)
    theme().configure(zoom=2.0)
    assert deep.times == before and (rests or not never.times), "one made after its part was set aside is just styled"
    theme().finish(inner)
    assert deep.font().pixelSize() == theme().px(TYPE["body"]) and deep.times > before
    theme().configure(zoom=1.0)
    qtbot.waitUntil(lambda: deep.font().pixelSize() == outer.font().pixelSize() == theme().px(TYPE["body"]))
    theme().finish(outer)
    outer.show()
    before = deep.times
    theme().configure(zoom=1.25)
    assert deep.font().pixelSize() == theme().px(TYPE["body"]) and deep.times - before == 1


def test_the_list_of_a_box_in_a_part_that_was_set_aside_is_styled_later(qtbot: QtBot) -> None:
    part = QWidget()
    box = ChoiceBox("Fruit", [("Pear", "pear")], parent=part)
    column(box, of=part)
    qtbot.addWidget(part)
    part.show()
    box.view().ensurePolished()
    part.hide()
    theme().rest(part)
    theme().configure(zoom=2.0)
    theme().finish(part)
    part.show()
    qtbot.waitUntil(lambda: box.view().font().pixelSize() == box.font().pixelSize() == theme().px(TYPE["body"]))


def test_a_pane_that_was_left_doesn_t_hold_up_a_change(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Going through the widgets of fifteen panes took longer than styling the one that is seen."""
    window.show()
    home = window.show_pane("home")
    left = [home, *home.findChildren(QWidget)]
    labels = [one for one in left if isinstance(one, QLabel)]
    window.show_pane("history")
    gone_through: list[QWidget] = []
    shield = theme_module._shield
    monkeypatch.setattr(theme_module, "_shield", lambda widget: (gone_through.append(widget), shield(widget)))
    theme().configure(zoom=2.0)
    assert gone_through and not set(left) & set(gone_through)
    sizes = {theme().px(size) for size in TYPE.values()}  # none of them a size at zoom 1
    qtbot.waitUntil(lambda: {label.font().pixelSize() for label in labels} <= sizes)
    theme().configure(zoom=1.0)
    window.show_pane("home")
    sizes = {theme().px(size) for size in TYPE.values()}
    assert {label.font().pixelSize() for label in labels} <= sizes
    assert all(one.testAttribute(Qt.WidgetAttribute.WA_WState_Polished) for one in labels)
    assert not any(one.testAttribute(Qt.WidgetAttribute.WA_SetStyle) for one in left)


def test_followers_out_of_sight_are_called_after_those_in_sight(qtbot: QtBot) -> None:
    calls: list[str] = []

    class Follower(QLabel):
        def follow(self) -> None:
            calls.append(self.text())

    pages = {name: Follower(name) for name in ("seen", "opened", "later", "deleted")}
    for page in pages.values():
        qtbot.addWidget(page)
        theme().follow(page.follow, now=False)
    theme().follow(pages["seen"].follow)
    assert calls == ["seen"], "called at once, unless told otherwise"
    pages["seen"].show()
    calls.clear()
    theme().configure(zoom=1.5)
    assert calls == ["seen", "seen"]
    theme().finish(pages["opened"])
    assert calls[2:] == ["opened"]
    shiboken6.delete(pages.pop("deleted"))

    class Fit(QObject):
        def follow(self) -> None:
            sized.append(theme().zoom)

    sized: list[float] = []
    for page in ("seen", "later"):
        theme().follow(Fit(pages[page]).follow)
    for zoom in (1.75, 2.0):
        theme().configure(zoom=zoom)
    assert sized == [1.5, 1.5, 1.75, 2.0], "the helper of a hidden widget waits as the widget does"
    qtbot.waitUntil(lambda: calls[-1] == "later" and len(sized) == 5)
    del calls[3:]
    theme().configure(zoom=1.25)
    qtbot.waitUntil(lambda: calls[3:] == ["seen", "seen", "opened", "later"])


def test_a_box_that_is_measured_before_it_is_shown_has_room_for_large_text(qtbot: QtBot) -> None:
    theme().configure(zoom=2.0)
    page, box = QWidget(), ChoiceBox("Choice", [("One", 1)], letters=16)
    qtbot.addWidget(page)
    column(box, of=page)
    before = box.minimumSizeHint().width()
    page.show()
    assert box.minimumSizeHint().width() == box.sizeHint().width() == before


def push(role: str) -> QPushButton:
    button = QPushButton("Export")
    button.setProperty("role", role)
    return button


def checked(box: QCheckBox | QRadioButton) -> QWidget:
    box.setChecked(True)
    return box


def two_tabs() -> QTabBar:
    bar = QTabBar()
    bar.addTab("One")
    bar.addTab("Two")
    return bar


CONTROLS: dict[str, Callable[[], QWidget]] = {
    "button": lambda: push(""),
    "primary": lambda: push("primary"),
    "link": lambda: push("link"),
    "tool": lambda: IconButton("gear-six", "Settings", text="Settings"),
    "check": lambda: QCheckBox("Yes"),
    "checked": lambda: checked(QCheckBox("Yes")),
    "radio": lambda: QRadioButton("Yes"),
    "choice": lambda: ChoiceBox("Choice", [("One", 1)]),
    "line": lambda: QLineEdit("words"),
    "number": QSpinBox,
    "decimal": QDoubleSpinBox,
    "text": lambda: QPlainTextEdit("words"),
    "tabs": two_tabs,
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", CONTROLS)
def test_a_control_shows_that_the_pointer_is_over_it_and_that_it_is_unavailable(
    kind: str, scheme: Scheme, qtbot: QtBot
) -> None:
    theme().configure(scheme)
    page, control = QWidget(), CONTROLS[kind]()
    qtbot.addWidget(page)
    column(control, of=page)
    page.show()
    at = control.tabRect(1).center() if isinstance(control, QTabBar) else control.rect().center()
    usual = control.grab().toImage()
    control.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    place, button = QPointF(control.mapToGlobal(at)), Qt.MouseButton.NoButton
    move = QMouseEvent(QEvent.Type.MouseMove, QPointF(at), place, button, button, Qt.KeyboardModifier.NoModifier)
    hover = [QHoverEvent(kind, QPointF(at), place, QPointF(-1, -1)) for kind in (ENTER, HOVER)]
    for event in (*hover, move):
        QApplication.sendEvent(control, event)
    assert control.grab().toImage() != usual, "under the pointer"
    control.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(control, QHoverEvent(QEvent.Type.HoverLeave, QPointF(-1, -1), place, QPointF(at)))
    assert control.grab().toImage() == usual
    control.setEnabled(False)
    assert control.grab().toImage() != usual or kind == "tabs", "unavailable"


def test_zoom_steps_stay_in_range() -> None:
    theme().configure(zoom=1.0)
    assert theme().stepped_zoom(1) == 1.1
    assert theme().stepped_zoom(-99) == ZOOM_STEPS[0]
    theme().configure(zoom=9.0)
    assert theme().zoom == ZOOM_STEPS[-1]
    assert theme().stepped_zoom(0) == 1.0
    assert theme().font("body").pixelSize() == 26


def _icon_names() -> set[str]:
    """Every icon's name that stands in the desktop application: the first arguments of the calls that take one."""
    names = {spec.icon for spec in PANES}
    for file in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "icon" and isinstance(node.value, ast.Constant):
                names.add(node.value.value)
            if isinstance(node, ast.Call) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in ("icon", "IconButton", "set_icon"):
                    names |= {n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)}
    return {name for name in names if isinstance(name, str) and name and "." not in name}


def test_every_icon_is_drawn_in_its_colours() -> None:
    """A font that isn't there would draw the same box, or nothing, for each."""
    names = sorted(_icon_names())
    assert len(names) > 20
    drawn = {}
    for name in names:
        icon = theme().icon(name, "accent")
        shown, off = (icon.pixmap(32, 32, mode).toImage() for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled))
        drawn[name] = bytes(shown.constBits())
        at = max(product(range(32), range(32)), key=lambda xy: shown.pixelColor(*xy).alpha())
        for image, token in ((shown, "accent"), (off, "control_border")):
            ink, wanted = image.pixelColor(*at), theme().colour(token)
            assert ink.alpha() > 200, name
            off_by = ink.red() - wanted.red(), ink.green() - wanted.green(), ink.blue() - wanted.blue()
            assert max(map(abs, off_by)) < 12, name
    assert len({*drawn.values()}) == len(names)


def test_the_reading_face_is_a_serif() -> None:
    assert "Serif" in theme().reading_font().family() or theme().reading_font().family() in ("Charter", "Georgia")
    assert theme().font("body", tabular=True).featureValue(theme().font().Tag("tnum")) == 1
