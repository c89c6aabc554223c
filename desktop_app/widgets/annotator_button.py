"""The acting annotator: a button with the name, and a menu to switch annotators or mark the work as done."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.panes.base import AppContext
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.command_menu import add_choices, pop_up
from desktop_app.widgets.labels import literal, named
from engine.agreement.store import LINKING, AgreementStore
from engine.shown import shortened

_LETTERS = 24
HIDDEN = "Your work stays hidden from other annotators until both are done with the {what}."


class AnnotatorButton(IconButton):
    """``paper`` returns the key and title of the paper to mark as done; "" for none. For a ``task`` other than linking,
    the thing marked as done is called ``what``. ``done`` is the pane's command for that, if any."""

    def __init__(
        self,
        context: AppContext,
        paper: Callable[[], tuple[str, str]],
        parent: QWidget | None = None,
        *,
        task: str = LINKING,
        what: str = "paper",
        done: str = "",
    ) -> None:
        super().__init__("user", "Annotator", "Acting annotator", text=" ", parent=parent)
        self._context, self._paper = context, paper
        self._task, self._what, self._done = task, what, done
        self.clicked.connect(self.open_menu)
        self.refresh()

    def refresh(self) -> None:
        project = self._context.bridge.project
        name = dict(project.annotators()).get(project.annotator_id, "") if project is not None else ""
        done = self.is_done()
        shown = literal(shortened(name, _LETTERS) or "No annotator")
        self.setText(f"{shown} ✓ done")
        self.setMinimumWidth(self.sizeHint().width())  # reserve width for the mark, so that nothing beside it moves
        if not done:
            self.setText(shown)
        self.setAccessibleName(f"Annotator: {name or 'none'}{f', done with this {self._what}' if done else ''}")
        self.setToolTip(f"{name or 'No annotator'} is the acting annotator. {HIDDEN.format(what=self._what)}")
        self.setEnabled(project is not None and not project.read_only)

    def is_done(self) -> bool:
        project, (paper, _) = self._context.bridge.project, self._paper()
        if project is None or not paper:
            return False
        return project.annotator_id in AgreementStore(project).done(paper, self._task)

    def toggle_done(self) -> None:
        project, (paper, title) = self._context.bridge.project, self._paper()
        if project is not None and paper:
            AgreementStore(project).set_done(paper, not self.is_done(), title, task=self._task)

    def open_menu(self) -> None:
        project = self._context.bridge.project
        if project is None:
            return
        menu = named(QMenu(self), "Annotators")
        own = project.annotator_id
        add_choices(
            menu, ((name, key == own, partial(self._context.act_as, name)) for key, name in project.annotators())
        )
        menu.addAction("Another annotator…", partial(self._context.commands.run, "project.annotator"))
        if self._paper()[0]:
            menu.addSeparator()
            toggle = partial(self._context.commands.run, self._done) if self._done else self.toggle_done
            add_choices(menu, [(f"Done with this {self._what}", self.is_done(), toggle)])
        pop_up(menu, self)
