"""The job tray: running jobs, their progress and remaining time, and Cancel."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from desktop_app import motion
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.floating import FloatingSheet
from desktop_app.widgets.labels import ElidedLabel, named, scrolled, text_label
from desktop_app.widgets.layouts import TOP, column, row
from engine.jobs import JobSnapshot, JobState
from engine.shown import counted, percent

KEPT_ENDED = 20
BARS = 8


def remaining_words(seconds: float | None) -> str:
    """Formats the remaining time, rounded according to its uncertainty."""
    if seconds is None:
        return "time left unknown"
    if seconds < 10:
        return "a few seconds left"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} s left"
    if seconds < 5400:
        return f"about {max(2, round(seconds / 60))} min left"
    return f"about {seconds / 3600:.1f} h left"


def state_words(job: JobSnapshot) -> str:
    if job.cancelling:
        return "Stopping…"
    match job.state:
        case JobState.QUEUED:
            return f"Waiting for “{job.waits_for}”" if job.waits_for else "Starting…"
        case JobState.RUNNING:
            done = "" if job.fraction is None else f"{percent(job.fraction)} · "
            return f"{done}{remaining_words(job.remaining)}{f' · {job.words}' if job.words else ''}"
        case JobState.DONE:
            return f"Done in {job.elapsed:.1f} s" if job.elapsed < 60 else f"Done in {job.elapsed / 60:.0f} min"
        case JobState.CANCELLED:
            return "Cancelled"
        case JobState.FAILED:
            return job.failure.summary if job.failure is not None else "Failed"


_ICONS = {
    JobState.QUEUED: ("hourglass", "muted"),
    JobState.RUNNING: ("play-circle", "accent"),
    JobState.DONE: ("check-circle", "ink"),
    JobState.CANCELLED: ("prohibit", "muted"),
    JobState.FAILED: ("warning-octagon", "danger"),
}


class _JobRow(QWidget):
    cancel_wanted = Signal(int)

    def __init__(self, job: JobSnapshot, parent: QWidget) -> None:
        super().__init__(parent)
        self._sign = QLabel()
        self._title = ElidedLabel("body", self)
        self._title.setText(job.title)
        self._state = ElidedLabel("small", self)
        self._bar = named(QProgressBar(textVisible=False), f"Progress of {job.title}")
        self._cancel = IconButton("x", f"Cancel: {job.title}", "Cancel this job")
        self._cancel.clicked.connect(lambda _checked=False, number=job.id: self.cancel_wanted.emit(number))
        for part in (self._bar, self._cancel):  # so that the Cancel buttons of all rows stay aligned
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
        words = column(self._title, self._bar, self._state, spacing=4)
        close = (self._cancel, Qt.AlignmentFlag.AlignVCenter)
        row((self._sign, TOP), (words, 1), close, margins=(12, 6, 8, 6), spacing=12, of=self)
        theme().follow(self._restyle, now=False)
        self.job = job
        self.show_job(job)

    def show_job(self, job: JobSnapshot) -> None:
        self.job = job
        self._state.setText(state_words(job))
        self._bar.setVisible(not job.state.ended)
        if job.state is JobState.RUNNING and job.fraction is None and not motion.reduced():
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round((job.fraction or 0.0) * 1000))
        self._cancel.setVisible(not job.state.ended)
        self._cancel.setEnabled(not job.cancelling)
        self._restyle()

    def _restyle(self) -> None:
        icon, tint = _ICONS[self.job.state]
        self._sign.setPixmap(theme().icon(icon, tint).pixmap(QSize(16, 16)))
        named(self._sign, self.job.state.value.capitalize(), self.job.state.value.capitalize())


class JobTray(FloatingSheet):
    """A floating list of jobs above the status bar. It grows upwards with the newest job on top, so that the others
    don't move."""

    cancel_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Jobs", parent)
        self._rows: dict[int, _JobRow] = {}
        close = IconButton("caret-down", "Close the job tray")
        close.clicked.connect(self.leave)
        self._none = text_label("No jobs running. Longer tasks appear here while they work.", "muted", wrap=True)
        self._none.setContentsMargins(12, 4, 12, 12)
        self._list = QWidget()
        self._list.setProperty("role", "raised")
        self._column = column(None, margins=(0, 0, 0, 4), of=self._list)
        self._scroll = scrolled(self._list, "Jobs", self)
        self._scroll.viewport().setProperty("role", "raised")
        head = row((text_label("Jobs", "section"), 1), close, margins=(12, 8, 8, 4), spacing=6)
        column(head, self._none, (self._scroll, 1), margins=(1, 1, 1, 1), of=self)
        self._scroll.hide()
        self._hidden = 0  # height in pixels of rows that don't fit
        self._scroll.verticalScrollBar().rangeChanged.connect(self._keep_place)

    def _keep_place(self, _least: int, hidden: int) -> None:
        """Scrolls so that rows under the pointer stay there when the list can't grow."""
        if self.underMouse():
            bar = self._scroll.verticalScrollBar()
            bar.setValue(bar.value() + max(0, hidden - self._hidden))
        self._hidden = hidden

    @property
    def jobs(self) -> list[JobSnapshot]:
        return [row.job for row in self._rows.values()]

    def show_job(self, job: JobSnapshot) -> None:
        if job.id in self._rows:
            self._rows[job.id].show_job(job)
        else:
            row = _JobRow(job, self._list)
            row.cancel_wanted.connect(self.cancel_wanted)
            self._rows[job.id] = row
            self._column.insertWidget(0, row)
        ended = [number for number, row in self._rows.items() if row.job.state.ended]
        for number in ended[: max(0, len(ended) - KEPT_ENDED)]:
            self._rows.pop(number).deleteLater()
        self._none.setVisible(not self._rows)
        self._scroll.setVisible(bool(self._rows))
        if self.isVisible():
            self.place()

    def toggle(self) -> None:
        if self.isVisible():
            self.leave()
        else:
            self.enter()

    def place(self) -> None:
        """Places the tray at the bottom right of the parent, as high as its rows need."""
        parent = self._over
        width = min(theme().px(380), parent.width() - 16)
        rows = sum(row.sizeHint().height() for row in self._rows.values())
        below = rows + 8 if rows else self._none.heightForWidth(width - 8) + 8
        height = min(parent.height() - 20, theme().px(48) + below, theme().px(420))
        self.setGeometry(parent.width() - width - 8, parent.height() - height - 12, width, height)


class JobsIndicator(IconButton):
    """The number of jobs in the status bar, with a small bar for each. Clicking it opens the tray."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "stack", "Jobs", "No jobs running. Opens the job tray.", text="no jobs", tint="muted", parent=parent
        )
        self.setProperty("role", "status")
        self._live: dict[int, JobSnapshot] = {}
        theme().follow(self._reserve)

    def _reserve(self) -> None:
        """Reserves width for two running jobs, so that nothing beside it moves."""
        self.ensurePolished()
        words = self.fontMetrics().horizontalAdvance("2 jobs ▁▁ 100 %")
        self.setMinimumWidth(words + self.iconSize().width() + theme().px(24))

    def show_job(self, job: JobSnapshot) -> None:
        if job.state.ended:
            self._live.pop(job.id, None)
        else:
            self._live[job.id] = job
        count = len(self._live)
        running = next((j for j in self._live.values() if j.state is JobState.RUNNING), None)
        share = "" if running is None or running.fraction is None else f" {percent(running.fraction)}"
        bars = "".join(_bar(j.fraction or 0.0) for j in list(self._live.values())[:BARS])
        self.setText(f"{counted(count, 'job')} {bars}{share}" if count else "no jobs")
        words = f"{running.title}: {state_words(running)}" if running else "No jobs running"
        self.setToolTip(f"{words}. Opens the job tray.")
        self.setAccessibleName(f"Jobs: {self.text()}")


def _bar(fraction: float) -> str:
    return "▁▂▃▄▅▆▇█"[min(7, int(fraction * 8))]
