"""A Linking state on the small study that reads again after each change, as the pane does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop_app.panes.linking.state import LinkingState
from engine.papers.store import PaperStore
from engine.project import Changes, Project
from tests.desktop_app.panes.linking.studies import make_study


@contextmanager
def opened(folder: Path) -> Iterator[LinkingState]:
    make_study(folder / "study.rejoinder")
    with Project.open(folder / "study.rejoinder", annotator="Ada") as project:
        made = LinkingState(project)
        paper = PaperStore(project).papers()[0].id

        def changed(changes: Changes) -> None:
            if made.mark_stale(changes.tables):
                before = made.study
                made.is_empty()
                made.refresh(paper)
                if changes.kind in ("undo", "redo"):
                    made.follow(before)

        project.subscribe(changed)
        made.is_empty()
        made.refresh(paper)
        yield made
