"""Renames, removes, replaces and moves papers, versions and reviews after showing what will be affected."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import EngineBridge
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.dialogs import ask
from desktop_app.widgets.file_dialogs import FileDialogs
from engine.errors import EnvironmentProblem
from engine.operations.removing import Affected, affected, remove
from engine.operations.targets import Kind, Target, targets
from engine.reviews.store import ReviewStore
from engine.shown import visible_line

READING = "reading"


class PaperActions(QObject):
    """Commands on the current paper, its versions and its reviews; ``over`` is the parent of the dialogs."""

    problem = Signal(object)
    """An EnvironmentProblem."""
    notice = Signal(object)
    """A Notice."""

    def __init__(self, bridge: EngineBridge, papers: CurrentPaper, files: FileDialogs, over: QWidget) -> None:
        super().__init__(over)
        self._bridge, self._papers, self._files, self._over = bridge, papers, files, over
        self._offered: set[str] = set()
        papers.changed.connect(self.offer_reading)

    @property
    def can(self) -> bool:
        project = self._bridge.project
        return project is not None and not project.read_only and self._papers.paper is not None

    def has_versions(self) -> bool:
        return self.can and bool(self._versions())

    def has_reviews(self) -> bool:
        return self.can and bool(self._targets("review"))

    def ask_name(self) -> None:
        from engine.operations.papers import rename

        target = self._current()
        name, agreed = QInputDialog.getText(self._over, "Rename paper", "Title:", text=target.name)
        if agreed and name.strip():
            self._do(lambda: rename(self._bridge.opened, target, name.strip()))

    def ask_to_remove(self) -> None:
        self._ask_to_remove(self._current())

    def ask_which_version(self) -> None:
        self._ask_to_remove(self._choose("Remove version", "Version:", self._versions()))

    def ask_which_review(self) -> None:
        self._ask_to_remove(self._choose("Remove review", "Review or letter:", self._reviews()))

    def ask_where_to_move(self) -> None:
        """Asks for a review or letter and a target paper, then for confirmation if that removes anything, and moves
        it."""
        from engine.operations.papers import move_review, moving

        project = self._bridge.opened
        review = self._choose("Move review", "Review or letter:", self._reviews())
        if review is None:
            return
        reviews = ReviewStore(project)
        others = {one.id for one in self._papers.papers if review.id not in {text.id for text in reviews.texts(one.id)}}
        paper = self._choose(
            "Move review", "Move to paper:", [one for one in self._targets("paper") if one.id in others]
        )
        if paper is not None:

            def move() -> None:
                move_review(project, review, paper, others=True)
                name = visible_line(review.name.partition(": ")[0])
                self.notice.emit(Notice("moved", f"“{name}” now belongs to “{visible_line(paper.name)}”.", kind="note"))

            self._confirm(moving(project, review, paper), "Move", move)

    def ask_for_pdf(self, label: str) -> None:
        """Asks for the PDF of the version with this label; if one exists, asks for confirmation before replacing it."""
        from engine.operations.incoming import file_bytes
        from engine.operations.papers import replacing, set_version
        from engine.papers.store import PaperStore

        path = self._files.open_file(self._over, f"Choose the {label} PDF", "PDF (*.pdf)")
        if path is None:
            return
        project, paper_id = self._bridge.opened, self._papers.id

        def replace() -> None:
            set_version(project, paper_id, label, file_bytes(path), path.name)

        there = next((one for one in PaperStore(project).versions(paper_id) if one.label == label), None)
        if there is None:
            self._do(replace)
        else:
            self._confirm(replacing(project, there.id), "Replace", replace)

    def reads_earlier(self) -> bool:
        """Returns whether an earlier parser version read any version of the current paper."""
        from engine.operations.papers import read_earlier

        return self.can and bool(read_earlier(self._bridge.opened, self._papers.id))

    def offer_reading(self) -> None:
        """Offers to reread a paper that an earlier parser version read, once per paper."""
        if self._papers.id in self._offered or not self.reads_earlier():
            return
        self._offered.add(self._papers.id)
        what = "The text of this paper was read by an earlier version of Rejoinder."
        means = "This version may find paragraphs and edits that were missed. You'll see what changes before it does."
        offer = ("Read again…", self.ask_to_read_again)
        self.notice.emit(Notice(READING, what, means, kind="note", actions=(offer,)))

    def ask_to_read_again(self) -> None:
        """Rereads the paper and asks whether to use the result."""
        from engine.operations.rereading import Reread, read_again, rereading

        project = self._bridge.opened

        def ask_then(found: Reread) -> None:
            self._confirm(found.affected, "Read again", lambda: read_again(project, found))

        self._bridge.submit(rereading(project, self._bridge.documents, self._papers.id), self, on_done=ask_then)

    def _targets(self, kind: Kind) -> list[Target]:
        return list(targets(self._bridge.opened, kind))

    def _current(self) -> Target:
        return next(target for target in self._targets("paper") if target.id == self._papers.id)

    def _versions(self) -> list[Target]:
        from engine.papers.store import PaperStore

        known = {version.id for version in PaperStore(self._bridge.opened).versions(self._papers.id)}
        return [target for target in self._targets("version") if target.id in known]

    def _reviews(self) -> list[Target]:
        """All reviews and letters, those of the current paper first."""
        own = {text.id for text in ReviewStore(self._bridge.opened).texts(self._papers.id)}
        return sorted(self._targets("review"), key=lambda one: one.id not in own)

    def _choose(self, title: str, label: str, found: Sequence[Target]) -> Target | None:
        names: dict[str, Target] = {}
        for target in found:
            words = visible_line(target.name)
            names[words if words not in names else f"{words} ({len(names) + 1})"] = target
        name, agreed = QInputDialog.getItem(self._over, title, label, list(names), 0, False)
        return names.get(name) if agreed else None

    def _ask_to_remove(self, target: Target | None) -> None:
        project = self._bridge.opened
        if target is not None:
            self._confirm(affected(project, target), "Remove", lambda: remove(project, target, others=True))

    def _confirm(self, found: Affected, verb: str, act: Callable[[], object]) -> None:
        """Carries out a step, which can be undone; asks first if it affects anything else."""
        if not found.sentences:
            self._do(act)
            return
        question, detail = f"{visible_line(found.title)}?", visible_line(" ".join(found.sentences))
        ask(self._over, found.title, question, detail, {verb: lambda: self._do(act), "Cancel": None})

    def _do(self, verb: Callable[[], object]) -> None:
        try:
            verb()
        except EnvironmentProblem as problem:
            self.problem.emit(problem)
