"""Every verb of a store is one step that undo takes back and redo brings again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.project import Project


def assert_one_step_each(
    project: Project, verbs: Sequence[Callable[[], object]], state: Callable[[Project], Any]
) -> None:
    """Runs the verbs, takes all back and does them again; ``state`` is what must be as it was after each."""
    states = [state(project)]
    for verb in verbs:
        verb()
        states.append(state(project))
        assert states[-1] != states[-2]
    for expected in reversed(states[:-1]):
        project.undo()
        assert state(project) == expected
    for expected in states[1:]:
        project.redo()
        assert state(project) == expected
