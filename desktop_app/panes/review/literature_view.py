"""Papers of the library that the Literature Searcher found, how they relate, and putting one into the review."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.review_drafting.records import LiteratureReport, RelatedWork
from engine.review_drafting.related import mention, named


class LiteratureView(QWidget):
    """The list by rank at the left, the paper at hand at the right."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._shown: LiteratureReport | None = None
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.found: tuple[RelatedWork, ...] = ()
        self.told = text_label("", "muted", wrap=True, parent=self)
        self.model = QStandardItemModel(self)
        self.list = RowList("Literature found, the nearest first", self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list, Qt.TextElideMode.ElideRight))
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_work())
        self.list.activated_row.connect(lambda _index: self.insert())
        self.words = HtmlPage("This paper: summary, methods, findings, relation", self, padding="4px 8px")
        self.words.setTabChangesFocus(True)
        registry = runs.desk.context.commands
        self.phrases = UndoLineEdit(self)
        self.phrases.setAccessibleName("Words to search the catalogues for")
        self.phrases.setToolTip("These words, and nothing else, leave this machine when the catalogues are searched")
        self.phrases.setPlaceholderText("review letters; neural parsers")
        self.phrases.textChanged.connect(lambda _text: registry.state_changed.emit())
        acts, online, into = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for name, text, row in (
            ("insert_work", "Ask about it", acts), ("search_catalogues", "Search the catalogues", online),
            ("add_papers", "Add papers…", into), ("add_paper_folder", "Add a folder…", into),
        ):  # fmt: skip
            button = CommandButton(registry, f"review.{name}", text=text, parent=self)
            KeepsKeys(button)
            row.setSpacing(8)
            row.addWidget(button)
        acts.addStretch(1)
        into.addStretch(1)
        online.insertWidget(0, self.phrases, 1)
        left, right = QWidget(self), QWidget(self)
        column, beside = QVBoxLayout(left), QVBoxLayout(right)
        column.setContentsMargins(0, 0, 8, 0)
        column.addWidget(self.told)
        column.addWidget(self.list, 1)
        column.addLayout(into)
        beside.setContentsMargins(8, 0, 0, 0)
        beside.setSpacing(8)
        beside.addWidget(self.words, 1)
        beside.addLayout(acts)
        beside.addLayout(online)
        halves = QSplitter(Qt.Orientation.Horizontal, self)
        halves.setChildrenCollapsible(False)
        halves.setHandleWidth(1)
        halves.addWidget(left)
        halves.addWidget(right)
        halves.setSizes([500, 500])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(halves)
        runs.changed.connect(self.show_runs)
        runs.moved.connect(self.show_runs)
        theme().changed.connect(self._fill)

    @property
    def work(self) -> RelatedWork | None:
        """The paper at hand."""
        at = self.list.currentIndex().row()
        return self.found[at] if 0 <= at < len(self.found) else None

    @property
    def words_to_search(self) -> tuple[str, ...]:
        """The search words, as they stand in the line."""
        return tuple(dict.fromkeys(words.strip() for words in self.phrases.text().split(";") if words.strip()))

    def insert(self) -> None:
        """Puts a question about the paper at hand into the review's questions."""
        if self.work is not None and self._runs.desk.can_write:
            self._runs.insert("questions", mention(self.work))

    def show_runs(self) -> None:
        """What the run at hand found."""
        made = self._runs.stage("literature")
        report = made.output if made is not None and isinstance(made.output, LiteratureReport) else None
        if report != self._shown or report is None:
            if report is not None and not self.phrases.isModified():
                self.phrases.setText("; ".join(report.keyphrases))
                self.phrases.setCursorPosition(0)
            self._shown = report
            self.found = report.found if report is not None else ()
            self._fill()

    def _fill(self) -> None:
        before = self.list.currentIndex().row()
        report = self._shown
        self.model.clear()
        for work in self.found:
            icon = "check" if work.cited else "plus-circle"
            item = QStandardItem(theme().icon(icon, "ink"), named(work))
            item.setData(f"{'cited' if work.cited else 'not cited'} · {work.relation}", int(DETAIL))
            item.setToolTip(work.title)
            self.model.appendRow(item)
        working = self._runs.under_way is not None and "literature" in self._runs.under_way and report is None
        self.list.set_skeleton(4 if working else 0)
        if report is None:
            message = "The Literature Searcher has not run over this paper yet."
            self.told.setText("")
        else:
            papers = "1 paper" if report.searched == 1 else f"{report.searched:,} papers"
            self.told.setText(f"Searched {papers} of the library for {', '.join(report.keyphrases) or 'nothing'}.")
            message = "The library held no papers: add some, and run the stages again."
            message = message if not report.searched else "Nothing near this paper was found."
        self.told.setVisible(report is not None)
        self.list.set_message(message)
        if self.found:
            self.list.select_row(min(max(before, 0), len(self.found) - 1))
        self._show_work()

    def _show_work(self) -> None:
        work = self.work
        if work is None:
            self.words.clear()
        else:
            facts = [", ".join(work.authors), str(work.year or ""), f"score {work.score:.3f}"]
            named_parts = (
                ("Summary", work.summary), ("Main methods", work.main_methods), ("Key findings", work.key_findings),
                ("Relation", work.relation), ("As a question", mention(work)),
            )  # fmt: skip
            body = "\n\n".join(f"{title}: {text}" for title, text in named_parts if text)
            self.words.setPlainText(f"{work.title}\n{' · '.join(f for f in facts if f)}\n\n{body}")
        self._runs.desk.context.commands.state_changed.emit()
