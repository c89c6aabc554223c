"""The paper of the open project that the panes show."""

from PySide6.QtCore import QObject, Signal

from desktop_app.engine_bridge import EngineBridge
from desktop_app.settings import WindowState
from desktop_app.widgets.file_dialogs import LONGEST_NAME
from engine.papers.records import Paper
from engine.project import Changes, Project
from engine.shown import shortened


class CurrentPaper(QObject):
    """The current paper, shared by all panes and remembered for each project.

    Attributes:
        papers: all papers of the project, in their order.
        id: the key of the current paper; "" if the project has no papers.
    """

    changed = Signal()
    """Another paper became current, or papers were added, removed or renamed."""

    def __init__(self, bridge: EngineBridge, state: WindowState) -> None:
        super().__init__(bridge)
        self._bridge, self._state = bridge, state
        self.papers: tuple[Paper, ...] = ()
        self.id = ""

    @property
    def paper(self) -> Paper | None:
        return next((paper for paper in self.papers if paper.id == self.id), None)

    def file_name(self, what: str) -> str:
        """Suggests a name for a file of the current paper; a long title is shortened."""
        title = shortened(self.paper.title if self.paper else "", LONGEST_NAME - len(what) - 2)
        return f"{title}, {what}" if title else what.capitalize()

    def read(self, project: Project | None) -> None:
        from engine.papers.store import PaperStore

        self.papers = () if project is None else PaperStore(project).papers()
        kept = "" if project is None else self._state.text(f"paper.{project.id}")
        known = [paper.id for paper in self.papers]
        self.id = next((key for key in (self.id, kept, *known) if key in known), "")

    def on_changes(self, changes: Changes) -> None:
        """Reloads if papers changed; called before the panes are notified, so that they never see a deleted paper."""
        if changes.touches("paper"):
            self.read(self._bridge.project)
            self.changed.emit()

    def choose(self, paper_id: str) -> None:
        project = self._bridge.project
        if paper_id != self.id and project is not None and any(paper.id == paper_id for paper in self.papers):
            self.id = paper_id
            self._state.set_text(f"paper.{project.id}", paper_id)
            self.changed.emit()

    def step(self, by: int) -> None:
        if self.papers:
            keys = [paper.id for paper in self.papers]
            self.choose(keys[(keys.index(self.id) + by) % len(keys)])
