"""The details of one paper, to be corrected by hand."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.widgets.dialog_buttons import DialogButtons
from engine.papers.records import LibraryPaper


class PaperDialog(QDialog):
    """``paper()`` is the paper as corrected."""

    def __init__(self, paper: LibraryPaper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Details of the paper")
        self.setAccessibleName("Details of the paper")
        self.resize(620, 420)
        self._paper = paper
        year = str(paper.year) if paper.year else ""
        self.title = self._line("Title", paper.title)
        self.authors = self._line("Authors", "; ".join(paper.authors))
        self.authors.setPlaceholderText("Ada Example; Ben Example")
        self.year = self._line("Year", year)
        self.link = self._line("Link", paper.link)
        self.abstract = QPlainTextEdit(paper.abstract, self)
        self.abstract.setAccessibleName("Abstract")
        self.abstract.setTabChangesFocus(True)
        form = QFormLayout()
        form.setSpacing(8)
        for name, field in (
            ("Title", self.title), ("Authors", self.authors), ("Year", self.year), ("Link", self.link),
            ("Abstract", self.abstract),
        ):  # fmt: skip
            form.addRow(name, field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(form, 1)
        layout.addWidget(DialogButtons(self, "Keep these details"))

    def _line(self, name: str, text: str) -> QLineEdit:
        field = QLineEdit(text, self)
        field.setAccessibleName(name)
        field.setCursorPosition(0)
        return field

    def paper(self) -> LibraryPaper:
        """What stands in the fields; a year that is no number counts as unknown."""
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
