"""What is left to do in a project, by counts, each with the pane where it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.project import Project


@dataclass(frozen=True, slots=True)
class Left:
    """One line of the list: ``count`` things are left (0: this is done), in words, and where to do them."""

    words: str
    count: int
    pane: str
    pane_title: str


def left_to_do(project: Project) -> tuple[Left, ...]:
    """Reads the counts; one line per revision, then what stands in none."""
    from engine.revision.store import RevisionStore

    store = RevisionStore(project)
    lines: list[Left] = []
    for revision in store.revisions():
        attention = len(store.needs_attention(revision.id))
        if attention:
            lines.append(
                Left(
                    f"{attention} links need attention: their edit is no longer found", attention, "linking", "Linking"
                )
            )
    return tuple(lines)
