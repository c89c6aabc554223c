"""Papers from the library that the Literature Searcher found, how they relate, and asking about one in the review."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.panes.review.layout import buttons, halves, reader
from desktop_app.panes.review.runs import ReviewRuns
from desktop_app.widgets.entry_list import TwoLineList, TwoLines
from desktop_app.widgets.fields import UndoLineEdit
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import command_button, row, surface
from engine.review_drafting.records import LiteratureReport, RelatedWork
from engine.review_drafting.related import mention, named
from engine.shown import counted


class LiteratureView(QWidget):
    """The papers by rank at the left, the selected one at the right."""

    def __init__(self, runs: ReviewRuns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._registry = registry = runs.session.context.commands
        self._shown: LiteratureReport | None = None
        self.found: tuple[RelatedWork, ...] = ()
        self.note = text_label("", "muted", wrap=True, parent=self)
        self.list = TwoLineList("Papers found, closest first", self)
        self.list.chosen.connect(self._show_work)
        self.list.activated_row.connect(lambda _index: self.insert())
        self.words = reader("This paper: summary, methods, findings, relation", self)
        self.phrases = UndoLineEdit(self)
        self.phrases.setAccessibleName("Search words for catalogues")
        self.phrases.setToolTip("Only these words leave this computer when you search catalogues")
        self.phrases.setPlaceholderText("review letters; neural parsers")
        self.phrases.textChanged.connect(lambda _text: registry.state_changed.emit())
        search = command_button(registry, "review.search_catalogues", "Search catalogues", self)
        surface(self, "Literature")
        add = buttons(registry, self, add_papers="Add papers…", add_paper_folder="Add folder…")
        ask = buttons(registry, self, insert_work="Ask about it")
        left, right = (self.note, (self.list, 1), add), ((self.words, 1), ask, row(self.phrases, search))
        halves(self, left, right, (500, 500))
        runs.changed.connect(self.show_runs)
        runs.progressed.connect(self.show_runs)
        self.show_runs()

    @property
    def work(self) -> RelatedWork | None:
        at = self.list.row
        return self.found[at] if 0 <= at < len(self.found) else None

    @property
    def words_to_search(self) -> tuple[str, ...]:
        """The search words in the line."""
        return tuple(dict.fromkeys(words.strip() for words in self.phrases.text().split(";") if words.strip()))

    def insert(self) -> None:
        """Adds a question about the selected paper to the review."""
        if self.work is not None and self._runs.state.can_write:
            self._runs.insert("questions", mention(self.work))

    def show_runs(self) -> None:
        """Shows what the selected run found."""
        made = self._runs.stage("literature")
        report = made.output if made is not None and isinstance(made.output, LiteratureReport) else None
        if report == self._shown and report is not None:
            return
        if report is not None and not self.phrases.isModified():
            self.phrases.setText("; ".join(report.keyphrases))
            self.phrases.setCursorPosition(0)
        self._shown, self.found = report, report.found if report is not None else ()
        self.list.show_rows([_row(work) for work in self.found])
        working = "literature" in (self._runs.under_way or ()) and report is None
        self.list.set_skeleton(4 if working else 0)
        self.note.setVisible(report is not None)
        message = "The Literature Searcher hasn't run on this paper yet."
        if report is not None:
            papers = counted(report.searched, "paper")
            self.note.setText(f"Searched {papers} in the library for {', '.join(report.keyphrases) or 'nothing'}.")
            message = "No close papers found." if report.searched else "The library is empty. Add papers and run again."
        self.list.set_message(message)
        self._show_work()

    def _show_work(self) -> None:
        work = self.work
        if work is None:
            self.words.clear()
        else:
            facts = [", ".join(work.authors), str(work.year or ""), f"score {work.score:.3f}"]
            parts = (
                ("Summary", work.summary), ("Main methods", work.main_methods), ("Key findings", work.key_findings),
                ("Relation", work.relation), ("Suggested question", mention(work)),
            )  # fmt: skip
            body = "\n\n".join(f"{title}: {text}" for title, text in parts if text)
            self.words.setPlainText(f"{work.title}\n{' · '.join(f for f in facts if f)}\n\n{body}")
        self._registry.state_changed.emit()


def _row(work: RelatedWork) -> TwoLines:
    icon, cited = ("check", "cited") if work.cited else ("plus-circle", "not cited")
    return TwoLines(icon, named(work), f"{cited} · {work.relation}", tip=work.title)
