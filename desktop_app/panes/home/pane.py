"""Home: recent projects, how to start, and what is left to do in the open project."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QPushButton, QWidget

from desktop_app.panes import PANES
from desktop_app.panes.base import AppContext, Pane
from desktop_app.theme import ROW, theme
from desktop_app.widgets.entry_list import ROW_HEIGHT, EntryList
from desktop_app.widgets.labels import ElidedLabel, named, text_label
from desktop_app.widgets.layouts import TOP, Flow, column, command_buttons, row
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.shown import counted, local_time, shortened, visible_line


@dataclass(frozen=True, slots=True)
class Left:
    """An item of the to-do list: its text, how many things are left (0: done), and the pane to do them in."""

    words: str
    count: int
    pane: str
    pane_title: str


def left_to_do(project: Project) -> tuple[Left, ...]:
    lines = (
        *_survey(project), *_calibration(project), *_preferences(project), *_rebuttal(project), *_reviews(project),
        *_benchmark(project),
    )  # fmt: skip
    linking = _linking(project)
    return (*linking, *lines) if any(left.count == 0 for left in linking) else lines


def _linking(project: Project) -> list[Left]:
    from engine.papers.store import REVISED, SUBMITTED, PaperStore
    from engine.revision.store import RevisionStore

    store, reviews, me = RevisionStore(project), ReviewStore(project), (project.annotator_id,)
    comments = reviews.comments(actionable=True, seen_by=me)  # comments that others marked are theirs to decide on
    known = {(one.source_document_id, one.target_document_id): one for one in store.revisions()}
    store_of_papers = PaperStore(project)
    papers = store_of_papers.papers()
    versions = {
        paper.id: {one.label: one.document_id for one in store_of_papers.versions(paper.id)} for paper in papers
    }
    pairs = {key: (of.get(SUBMITTED, ""), of.get(REVISED, "")) for key, of in versions.items()}
    compared = sum(pair in known for pair in pairs.values())
    missing = sum(all(pair) and pair not in known for pair in pairs.values())
    several = len(papers) > 1
    first = "Compare the two versions" if missing else "Import and compare two versions"
    done, todo = (counted(number, "paper") if several and number else "the paper" for number in (compared, missing))
    lines = [
        _left(missing or not compared, f"Two versions of {done} compared", f"{first} of {todo}"),
        _left(0 if comments else 1, counted(len(comments), "comment") + " imported", "Import the reviews"),
    ]
    for paper in papers:
        revision = known.get(pairs[paper.id])
        if revision is None:
            continue
        title = f"“{shortened(paper.title, 40)}”: " * several
        own = reviews.comments(paper_id=store.texts_of(revision.id), actionable=True, seen_by=me)
        progress = store.progress(revision.id, [comment.id for comment in own])
        decided = counted(progress.decided, "comment decided", "comments decided")
        todo = counted(progress.undecided, "comment to decide", "comments to decide")
        if own:
            lines.append(_left(progress.undecided, title + decided, f"{title}{todo}, {progress.decided} decided"))
        if progress.needs_attention:
            broken = counted(progress.needs_attention, "link needs", "links need")
            lines.append(_left(progress.needs_attention, "", f"{title}{broken} attention: edit no longer found"))
    return lines


def _survey(project: Project) -> list[Left]:
    from engine.expertise.store import SurveyStore

    store = SurveyStore(project)
    lines = []
    for study in store.studies("organiser"):
        people = len(store.participants(study.id))
        done = f"“{shortened(study.title, 60)}”: answers of {counted(people, 'participant')} merged"
        todo = f"Send “{shortened(study.title, 60)}” to participants and merge their answers"
        lines.append(_left(0 if people else 1, done, todo, "survey"))
    return lines


def _calibration(project: Project) -> list[Left]:
    from engine.calibration.store import CalibrationStore

    lines = []
    for table in CalibrationStore(project).tables():
        title = f"“{shortened(table.title, 60)}”"
        done = f"{title}: a cut-off after {counted(table.cutoff or 0, 'item')}"
        lines.append(_left(1 if table.cutoff is None else 0, done, f"{title}: choose a cut-off", "calibration"))
    return lines


def _reviews(project: Project) -> list[Left]:
    from engine.review_drafting.forms import form_of
    from engine.review_drafting.store import ReviewDraftStore

    store = ReviewDraftStore(project)
    lines = []
    for draft in store.drafts():
        form, written = form_of(draft.form, draft.form_content), store.fields(draft.id)
        empty = sum(field.required and not written.get(field.key, "").strip() for field in form.fields)
        title = f"“{shortened(draft.title, 60)}”"
        todo = f"{title}: {counted(empty, 'field is', 'fields are')} empty"
        lines.append(_left(empty, f"{title}: every required field has text", todo, "review"))
    return lines


def _preferences(project: Project) -> list[Left]:
    from engine.rebuttal.preferences.store import PreferenceStore

    standings = [one for one in PreferenceStore(project).standings().values() if one.candidates > 1]
    new = sum(one.own == 0 for one in standings)
    if not standings:
        return []
    done = counted(len(standings), "cluster of rebuttals judged", "clusters of rebuttals judged")
    return [_left(new, done, counted(new, "cluster") + " of rebuttals to judge", "preferences")]


def _rebuttal(project: Project) -> list[Left]:
    from engine.rebuttal.slots import answered_cell
    from engine.rebuttal.store import RebuttalStore

    points = {key: point for key, point in RebuttalStore(project).replies().items() if point.text.strip()}
    if not points:
        return []
    replies = {key for key, point in points.items() if answered_cell(point) == "good"}
    comments = ReviewStore(project).comments(actionable=True, seen_by=(project.annotator_id,))
    without = sum(comment.id not in replies for comment in comments)
    answered = counted(len(comments) - without, "comment") + " answered in the rebuttal"
    return [_left(without, answered, counted(without, "comment") + " without a finished response", "rebuttal")]


def _benchmark(project: Project) -> list[Left]:
    from engine.review_drafting.benchmark.store import BenchmarkStore

    store = BenchmarkStore(project)
    lines = []
    for benchmark in store.benchmarks():
        scored = {rating.review_id for rating in store.ratings(benchmark.id, project.annotator_id)}
        open_ = sum(review.kept and review.id not in scored for review in store.read(benchmark.id).reviews)
        if scored:
            done = f"All reviews of “{benchmark.title}” scored"
            lines.append(_left(open_, done, counted(open_, "review") + " to score", "benchmark"))
    return lines


def _left(count: int, done: str, todo: str, pane: str = "linking") -> Left:
    return Left(todo if count else done, count, pane, next(spec.title for spec in PANES if spec.id == pane))


_EMPTY = "The project is empty. Choose what you want to do from the list on the left."
LISTED = 4
"""Number of recent projects visible without scrolling."""


class HomePane(Pane):
    pane_id = "home"
    shows_paper = False
    purpose = "Open or create a project, or look at the sample."

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._here = ""
        words = {"new": "", "open": "", "sample": "", "tour": ""}
        buttons = command_buttons(context.commands, "project", words, primary="new").values()
        about = "Peer review on your own computer. Papers, reviews and your decisions stay in one file that you own."
        page = self._page = QWidget(self.body)
        column(
            text_label("Rejoinder", "title"), text_label(about, "muted", wrap=True), Flow(*buttons), 20,
            (row((self._build_recent(), 3), (self._build_left_to_do(), 2), spacing=32), 1), spacing=12, of=page,
        )  # fmt: skip
        row(page, margins=(32, 32, 32, 24), of=self.body)
        theme().follow(self.mark_dirty, now=False)

    def _build_recent(self) -> QBoxLayout:
        self.recent = _list("Recent projects", self.context.open_path)
        self._drop = text_label("", "muted", wrap=True)
        self._drop.setAlignment(TOP)
        self.jobs = _list("What you can do", self.context.show_pane, Qt.TextElideMode.ElideRight)
        jobs = [
            (spec.id, spec.title, spec.help, spec.icon) for spec in PANES if spec.id != self.pane_id and not spec.below
        ]
        self.jobs.show_entries(jobs, "")
        return column(
            text_label("Recent projects", "section"), (self.recent, 100), self._drop, 12,
            text_label("What you can do", "section"), (self.jobs, 200), None, spacing=12,
        )  # fmt: skip

    def _build_left_to_do(self) -> QWidget:
        self._project_title = text_label("", "section", wrap=True)
        self._project_path = ElidedLabel("small")
        self._project_path.shortening = Qt.TextElideMode.ElideMiddle
        self._shown: list[QWidget] = []
        self._rows = column(spacing=4)
        self._panel = QFrame()
        self._panel.setProperty("role", "panel")
        self._panel.setMinimumWidth(280)
        column(
            self._project_title, self._project_path, 4, self._rows, margins=(16, 16, 16, 16), spacing=8, of=self._panel
        )
        self._left_to_do = QWidget()
        column(text_label("Left to do", "section"), self._panel, None, spacing=12, of=self._left_to_do)
        return self._left_to_do

    def take_focus(self) -> None:
        (self.recent if self.recent.key else self.jobs).setFocus()

    def refresh(self) -> None:
        self._show_recent()
        self._show_project()

    def _show_recent(self) -> None:
        paths, titles = self.context.state.recent, self.context.state.titles
        entries = [
            (
                str(path),
                visible_line(titles.get(str(path), path.stem)),
                visible_line(f"{_place(path)}   ·   {_when(path)}"),
                "file" if path.exists() else "file-dotted",
            )
            for path in paths
        ]
        here = "" if self.project is None else str(self.project.path)
        kept, self._here = self.recent.key if here == self._here else here, here
        self.recent.show_entries(entries, kept if kept in map(str, paths) else str(next(iter(paths), "")))
        some = bool(paths)
        self.recent.setVisible(some)
        self._page.setMaximumWidth(theme().px(1160))
        self.recent.setFixedHeight(min(len(paths), LISTED) * theme().px(ROW_HEIGHT) + 4)
        self.jobs.setMaximumHeight(self.jobs.model().rowCount() * theme().px(ROW_HEIGHT) + 4)
        if some:
            words = "To open a .rejoinder file, drop it anywhere on this window."
        elif self.project is not None:
            words = f"None yet. “{self.project.title}” is the sample project, which isn't listed."
        else:
            words = "None yet. Create or open a project, or drop a .rejoinder file anywhere on this window."
        self._drop.setText(words)

    def _show_project(self) -> None:
        self._left_to_do.setVisible(self.project is not None)
        if self.project is None:
            self.set_status("No project is open")
            return
        self._project_title.setText(self.project.title)
        self._project_path.setText(_place(self.project.path))
        for shown in self._shown:
            self._rows.removeWidget(shown)
            shown.hide()
            shown.deleteLater()
        things = left_to_do(self.project)
        self._shown = [_left_row(left, self.context.show_pane, self._panel) for left in things]
        if not things:
            self._shown = [text_label(_EMPTY, "muted", wrap=True, parent=self._panel)]
        for shown in self._shown:
            self._rows.addWidget(shown)
        count = sum(left.count for left in things)
        words = f"{counted(count, 'thing')} left to do" if count else "Nothing left to do"
        self.set_status(words if things else "The project is empty")


def _left_row(left: Left, show_pane: Callable[[str], object], parent: QWidget) -> QWidget:
    """Returns a row of the to-do list: an icon for the state, the text, and a button to the pane."""
    shown, state = QWidget(parent), "Left to do" if left.count else "Done"
    shown.setMinimumHeight(theme().px(ROW))
    sign = named(QLabel(shown), state, state)
    sign.setPixmap(theme().icon("circle" if left.count else "check-circle", "muted").pixmap(16, 16))
    layout = row(sign, (text_label(left.words, wrap=True), 1), spacing=12, of=shown)
    if left.count:
        words = f"Go to {left.pane_title}"
        button = named(QPushButton(left.pane_title, shown), words, words)
        button.clicked.connect(lambda _checked=False: show_pane(left.pane))
        layout.addWidget(button)
    return shown


def _list(
    name: str, chosen: Callable[[str], object], elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle
) -> EntryList:
    found = EntryList(name, elide=elide)
    found.setStyleSheet("")  # keep the frame
    found.activated_row.connect(lambda _at: chosen(found.key))
    found.clicked.connect(lambda _at: chosen(found.key))
    return found


def _place(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)


def _when(path: Path) -> str:
    try:
        changed = path.stat().st_mtime
    except OSError:
        return "File not found"
    log = path.with_name(f"{path.name}-wal")  # SQLite's, with the latest changes while the project is open
    if log.is_file() and (there := log.stat()).st_size:
        changed = max(changed, there.st_mtime)
    return f"Changed {local_time(datetime.fromtimestamp(changed, UTC).isoformat())}"
