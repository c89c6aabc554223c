"""Shared parts of dialogs: buttons, layout, size, and questions with several answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.widgets.fact_table import FactTable
from desktop_app.widgets.labels import scrolled, set_role, text_label
from desktop_app.widgets.layouts import TOP, Parts, column
from engine.errors import EnvironmentProblem


class DialogButtons(QDialogButtonBox):
    """``ok`` (primary) accepts the dialog, the other button (Cancel, or ``refuse``) rejects it. Sets the dialog's
    accessible name to its title, and deletes it when closed."""

    def __init__(self, dialog: QDialog, words: str, refuse: str = "") -> None:
        super().__init__(dialog)
        dialog.setAccessibleName(dialog.windowTitle())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.ok = self.addButton(words, QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self.ok, "primary")
        if refuse:
            self.addButton(refuse, QDialogButtonBox.ButtonRole.RejectRole)
        else:
            self.addButton(QDialogButtonBox.StandardButton.Cancel)
        for button in self.buttons():
            button.setAccessibleName(button.text().replace("&", ""))
        self.accepted.connect(dialog.accept)
        self.rejected.connect(dialog.reject)


def close_button(dialog: QDialog) -> QDialogButtonBox:
    """Returns a Close button for a dialog; also sets the dialog's accessible name, and deletes it when closed."""
    dialog.setAccessibleName(dialog.windowTitle())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    box.buttons()[0].setAccessibleName("Close")
    box.rejected.connect(dialog.reject)
    return box


class TypingDialog(QDialog):
    """A dialog for text that takes a while to type. OK calls ``save``; if that returns False or raises a problem, which
    is then shown at the top, the dialog stays open. Closing it otherwise asks first if something was typed."""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.save: Callable[[], object] = lambda: None
        self._problem = text_label("", "danger", wrap=True, parent=self)
        self._problem.hide()

    @property
    def unsaved(self) -> bool:
        lines = [edit for edit in self.findChildren(QLineEdit) if edit.isModified() and edit.text().strip()]
        texts = (edit for edit in self.findChildren(QPlainTextEdit) if edit.document().isModified())
        return bool(lines) or any(text.toPlainText().strip() for text in texts)

    def accept(self) -> None:
        try:
            if self.save() is False:
                return
        except EnvironmentProblem as problem:
            layout = self.layout()
            assert isinstance(layout, QBoxLayout)
            layout.insertWidget(0, self._problem)
            self._problem.setText(str(problem))
            self._problem.show()
        else:
            super().accept()

    def reject(self) -> None:
        leave = super().reject
        if not self.unsaved:
            leave()
        else:
            answers = {"Discard": leave, "Keep editing": None}
            ask(self, self.windowTitle(), "Discard what you typed?", "It hasn't been saved.", answers)


class MessagesDialog(QDialog):
    def __init__(self, title: str, messages: Iterable[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        fit(self, theme().px(720), theme().px(480))
        self.list = FactTable(title, ("Message",), self, wraps=True)
        self.list.show_rows([(message,) for message in messages])
        column((self.list, 1), close_button(self), margins=(16, 16, 16, 12), spacing=12, of=self)


def lay_out_form(dialog: QDialog, about: str, form: QFormLayout, verb: str) -> tuple[QLabel, QPushButton]:
    """Lays out a description, a form, a note of up to three lines, and buttons; returns the note and the OK button."""
    dialog.ensurePolished()  # applies the theme's font
    note, buttons = text_label("", "muted", wrap=True, parent=dialog), DialogButtons(dialog, verb)
    note.ensurePolished()
    note.setMinimumHeight(note.fontMetrics().lineSpacing() * 3)
    note.setAlignment(TOP)
    words = text_label(about, "muted", wrap=True)
    whole = column(words, form, note, buttons, margins=(16, 16, 16, 16), spacing=12, of=dialog)
    fit(dialog, dialog.width(), whole.totalHeightForWidth(dialog.width()))
    return note, buttons.ok


def lay_out_scrolling(
    dialog: QDialog, parts: Iterable[Parts], foot: list[QWidget], columns: int, lines: int, *, spacing: int = 8
) -> None:
    """Lays out parts on a scrolling page above a fixed foot. The dialog is ``columns`` characters wide, or as wide as
    the page needs, and ``lines`` lines high in the current font, but never larger than its window."""
    page = QWidget()
    column(*parts, margins=(16, 16, 16, 8), spacing=spacing, of=page)
    area = scrolled(page, dialog.windowTitle(), dialog, sideways=True)
    column((area, 1), column(*foot, margins=(16, 0, 16, 0), spacing=12), margins=(0, 0, 0, 12), spacing=12, of=dialog)
    dialog.ensurePolished()  # applies the theme's font
    metrics = dialog.fontMetrics()
    width = max(
        columns * metrics.averageCharWidth(),
        page.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width(),
    )
    fit(dialog, width, lines * metrics.lineSpacing())


def fit(dialog: QDialog, width: int, height: int) -> None:
    """Resizes a dialog, at most to the size of its window."""
    window = dialog.parentWidget()
    if window is not None:
        width, height = min(width, window.window().width() - 32), min(height, window.window().height() - 32)
    dialog.resize(width, height)


def ask(
    parent: QWidget, title: str, text: str, detail: str, answers: Mapping[str, Callable[[], object] | None]
) -> QMessageBox:
    """Shows a question without a nested event loop, and calls the function of the chosen answer. The last answer is the
    default and the one for Escape."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setText(text)
    box.setInformativeText(detail)
    role = QMessageBox.ButtonRole.DestructiveRole
    for words in answers:
        role = QMessageBox.ButtonRole.RejectRole if words == list(answers)[-1] else role
        button = box.addButton(words, role)
    box.setDefaultButton(button)
    box.setEscapeButton(button)

    def answered() -> None:
        chosen = box.clickedButton()
        run = answers.get(chosen.text().replace("&", "")) if chosen is not None else None
        if run is not None:
            run()

    box.finished.connect(answered)
    box.open()
    return box


_NAMED = 5
"""Maximum number of statements named in the question before an export."""


def ask_to_export(
    parent: QWidget, what: str, problem: str, statements: Sequence[str], then: Callable[[], object]
) -> QMessageBox:
    """Asks for confirmation before exporting statements that are contradicted or not found."""
    shown = [f"• {words}" for words in statements[:_NAMED]]
    more = [f"… and {len(statements) - _NAMED} more"] if len(statements) > _NAMED else []
    words = "\n".join((*shown, *more, "", f"Export the {what} anyway?"))
    return ask(parent, f"Export {what}", problem, words, {"Export anyway": then, "Cancel": None})
