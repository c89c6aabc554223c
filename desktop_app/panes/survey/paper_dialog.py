"""Editing the details of a paper."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.layouts import column
from engine.papers.records import LibraryPaper


class PaperDialog(QDialog):
    """``paper()`` is the paper as edited."""

    def __init__(self, paper: LibraryPaper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Paper details")
        self.setAccessibleName("Paper details")
        self.resize(620, 420)
        self._paper = paper
        self.title = self._line("Title", paper.title)
        self.authors = self._line("Authors", "; ".join(paper.authors))
        self.authors.setPlaceholderText("Ada Example; Ben Example")
        self.year = self._line("Year", str(paper.year or ""))
        self.link = self._line("Link", paper.link)
        self.abstract = QPlainTextEdit(paper.abstract, self)
        self.abstract.setAccessibleName("Abstract")
        self.abstract.setTabChangesFocus(True)
        form = QFormLayout()
        form.setSpacing(8)
        for field in (self.title, self.authors, self.year, self.link, self.abstract):
            form.addRow(field.accessibleName(), field)
        column((form, 1), DialogButtons(self, "Save"), margins=(16, 16, 16, 16), spacing=12, of=self)

    def _line(self, name: str, text: str) -> QLineEdit:
        field = QLineEdit(text, self)
        field.setAccessibleName(name)
        field.setCursorPosition(0)
        return field

    def paper(self) -> LibraryPaper:
        """The paper with the values of the fields; a year without four digits counts as unknown."""
        year = re.search(r"\d{4}", self.year.text())
        authors = tuple(name.strip() for name in self.authors.text().split(";") if name.strip())
        return replace(
            self._paper,
            title=" ".join(self.title.text().split()),
            authors=authors,
            year=int(year[0]) if year else 0,
            link=self.link.text().strip(),
            abstract=self.abstract.toPlainText().strip(),
        )
