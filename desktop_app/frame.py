"""The fixed parts of the window around a pane: side bar, header, status bar; and the appearance settings."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QLineEdit, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes import PaneSpec
from desktop_app.settings import Settings
from desktop_app.theme import Choice, theme
from desktop_app.timers import delayed
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.job_tray import JobsIndicator
from desktop_app.widgets.labels import ElidedLabel, hairline, named, text_label
from desktop_app.widgets.layouts import column, fix_width, row
from engine.papers.records import Paper
from engine.shown import visible_line


class Appearance:
    """Changes the appearance settings and applies them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.apply()

    def apply(self) -> None:
        chosen = self._settings.text("appearance.scheme")
        scheme: Choice = "light" if chosen == "light" else "dark" if chosen == "dark" else "system"
        theme().configure(scheme, self._settings.number("appearance.zoom"))

    def zoom(self, steps: int) -> None:
        """Enlarges text by a number of steps; 0 resets it to the normal size."""
        self._settings.set("appearance.zoom", theme().stepped_zoom(steps))

    def switch_scheme(self) -> None:
        self._settings.set("appearance.scheme", "light" if theme().tokens.scheme == "dark" else "dark")

    def toggle_side_bar(self) -> None:
        name = "appearance.side_bar_words"
        self._settings.set(name, not self._settings.flag(name))


WIDTH_WORDS, WIDTH_ICONS = 148, 44
NARROW = 900
"""Width of the window in pixels at normal text size below which the side bar shows icons only."""
REMARK_MS = 8000


class SideBar(QWidget):
    """Buttons for the menu and the panes, with icon and name. Collapsible to icons; in a narrow window or with large
    text only icons are shown."""

    def __init__(self, panes: tuple[PaneSpec, ...], registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        parent.installEventFilter(self)
        self.setProperty("role", "ground")
        self.setAccessibleName("Panes")
        self._words = True
        self.menu_button = _side_button("list", "Menu", "Menu (F10)", "Rejoinder")
        self._group = QButtonGroup(self)
        self.buttons: dict[str, IconButton] = {}
        for spec in panes:
            command = f"go.{spec.id}"
            button = _side_button(spec.icon, spec.title, registry.tooltip(command), spec.title)
            button.setCheckable(True)
            button.clicked.connect(lambda _checked=False, name=command: registry.run(name))
            self._group.addButton(button)
            self.buttons[spec.id] = button
        self.fold = _side_button("caret-double-left", "Collapse the side bar", "", "Collapse", "muted")
        self.fold.clicked.connect(lambda _checked=False: registry.run("view.side_bar"))
        above, below = ([self.buttons[spec.id] for spec in panes if spec.below == low] for low in (False, True))
        column(self.menu_button, 8, *above, None, *below, self.fold, margins=(6, 8, 6, 8), spacing=4, of=self)
        registry.changed.connect(self._tooltips)
        theme().follow(self._show, now=False)
        self._registry = registry
        self._show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.Resize
            and watched is self.window()
            and self.narrow == self.fold.isVisibleTo(self)
        ):
            self._show()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().height() != event.oldSize().height():
            self._resize()

    def choose(self, pane_id: str) -> None:
        self.buttons[pane_id].setChecked(True)

    @property
    def words(self) -> bool:
        return self._words and not self.narrow

    @property
    def narrow(self) -> bool:
        return self.window().width() < theme().px(NARROW)

    def show_words(self, words: bool) -> None:
        self._words = words
        self._show()

    def _show(self) -> None:
        words = self.words
        self.fold.setVisible(not self.narrow)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if words else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in (*self.buttons.values(), self.menu_button, self.fold):
            button.setToolButtonStyle(style)
        self.fold.set_icon("caret-double-left" if words else "caret-double-right")
        name = "Collapse the side bar" if words else "Expand the side bar"
        self.fold.setAccessibleName(name)
        self._tooltips()
        self._resize()

    def _tooltips(self) -> None:
        for pane_id, button in self.buttons.items():
            button.setToolTip(self._registry.tooltip(f"go.{pane_id}"))
        self.fold.setToolTip(self._registry.tooltip("view.side_bar"))

    def _resize(self) -> None:
        width = theme().px(WIDTH_WORDS if self.words else WIDTH_ICONS)
        self.setFixedWidth(width)
        buttons = (*self.buttons.values(), self.menu_button, self.fold)
        # Large text on a small screen: make the buttons lower so that they don't overlap.
        room = (self.height() - 24) // sum(button.isVisibleTo(self) for button in buttons) - 4
        for button in buttons:
            button.setFixedSize(width - 12, max(theme().px(20), min(theme().px(32), room)))


def _side_button(icon: str, name: str, tip: str, text: str, tint: str = "ink") -> IconButton:
    button = IconButton(icon, name, tip, text=f"  {text}", tint=tint)
    button.setProperty("role", "pane")
    return button


class Header(QWidget):
    """Titles of pane and project, choice of the paper, the pane's search field, palette and settings."""

    search_stepped = Signal(bool)
    search_left = Signal()

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "ground")
        self.setAccessibleName("Header")
        self._registry = registry
        self.pane_title = text_label("", "section", parent=self)
        self.project_title = ElidedLabel("muted", self)
        self.papers = ChoiceBox("Paper", letters=14, parent=self)
        self.papers.setToolTip("Paper shown in all panes")
        self.papers.setVisible(False)
        self.search = named(QLineEdit(self), "Search in this pane")
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.palette_button = IconButton("terminal-window", "Command palette", parent=self)
        self.palette_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.palette_button.clicked.connect(lambda _checked=False: registry.run("view.palette"))
        self.settings_button = IconButton("gear-six", "Settings", parent=self)
        self.settings_button.clicked.connect(lambda _checked=False: registry.run("go.settings"))
        row(
            self.pane_title, (self.project_title, 1), self.papers, self.search, self.palette_button,
            self.settings_button, margins=(16, 8, 12, 8), of=self,
        )  # fmt: skip
        registry.changed.connect(self._keys)
        fix_width(self.search, 240)
        fix_width(self.papers, 260)
        self._hint = ""
        self._keys()

    def show_place(self, pane_title: str, project_title: str, search_hint: str) -> None:
        self.pane_title.setText(pane_title)
        self.project_title.setText(f"·  {project_title}" if project_title else "")
        self.project_title.setToolTip(project_title)
        if self.search.text():
            self.search.clear()
        self._hint = search_hint
        self.search.setVisible(bool(search_hint))
        self._keys()

    def show_papers(self, papers: Sequence[Paper], current: str) -> None:
        titles = [visible_line(paper.title) or f"Paper {number}" for number, paper in enumerate(papers, start=1)]
        self.papers.show_entries([(title, paper.id) for title, paper in zip(titles, papers, strict=True)], current)
        self.papers.setVisible(len(papers) > 1)

    def _keys(self) -> None:
        if "edit.search" not in self._registry:
            return
        key = self._registry.native_shortcut("edit.search")
        self.search.setPlaceholderText(f"{self._hint}   {key}")
        self.search.setToolTip(self._registry.tooltip("edit.search"))
        self.palette_button.setText(self._registry.native_shortcut("view.palette"))
        self.palette_button.setToolTip(self._registry.tooltip("view.palette"))
        self.settings_button.setToolTip(self._registry.tooltip("go.settings"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.search_stepped.emit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.search.clear()
                self.search_left.emit()
                return True
        return super().eventFilter(watched, event)


class StatusLine(QFrame):
    """Status bar: the pane's status text, jobs, device and network use ("none" unless something may be sent)."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "ground")
        self.setAccessibleName("Status")
        self.words = ElidedLabel("small", self)
        self._own = ""
        self._remark = delayed(self, REMARK_MS, lambda: self.words.setText(self._own))
        self.jobs = JobsIndicator(self)
        self.jobs.clicked.connect(lambda _checked=False: registry.run("view.jobs"))
        self.device = text_label("", "small", parent=self)
        self.device.setMinimumWidth(28)
        self.network = text_label("", "small", parent=self)
        parts = [part for one in (self.jobs, self.device, self.network) for part in (hairline(vertical=True), one)]
        row((self.words, 1), *parts, margins=(16, 2, 12, 2), of=self)

    def show_words(self, text: str) -> None:
        """Sets the pane's own text, shown as soon as no remark is being shown."""
        self._own = text
        if not self._remark.isActive():
            self.words.setText(text)

    def say(self, text: str) -> None:
        """Shows a success message for a while instead of the pane's text."""
        self.words.setText(text)
        self._remark.start()

    def show_network(self, name: str, why: str) -> None:
        _show_fact(self.network, f"network: {name}", f"Network: {name}. {why}", why)

    def show_device(self, name: str, why: str) -> None:
        _show_fact(self.device, name, f"Device: {name}. {why}", why)


def _show_fact(label: QLabel, text: str, spoken: str, why: str) -> None:
    label.setText(text)
    named(label, spoken, why)
