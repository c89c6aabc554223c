"""The commands of the preferences pane, with their keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command

if TYPE_CHECKING:
    from desktop_app.panes.preferences.pane import PreferencesPane


def preference_commands(pane: PreferencesPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    def own(  # noqa: PLR0917 - a table of records reads best by position
        name: str,
        title: str,
        words: str,
        handler: Callable[[], object],
        shortcut: str = "",
        enabled: Callable[[], bool] = pane.has_clusters,
        icon: str = "",
    ) -> Command:
        return Command(
            f"preferences.{name}", title, words, handler, shortcut, scope=pane.pane_id, enabled=enabled, icon=icon
        )

    judge = pane.can_judge
    return [
        own("left", "Prefer left", "The left one is the better rebuttal.", partial(pane.judge, "left"), "F", judge),
        own("tie", "Tie", "Both are equally good.", partial(pane.judge, "tie"), "G", judge),
        own(
            "unsuitable", "Both unsuitable", "Neither can serve as a canonical rebuttal.",
            partial(pane.judge, "unsuitable"), "H", judge,
        ),
        own("right", "Prefer right", "The right one is the better rebuttal.", partial(pane.judge, "right"), "J", judge),
        own("skip", "Skip", "Leaves the pair for the end, with the note if there is one.", partial(pane.judge, "skip"),
            "S", judge),
        own("note", "Note", "Writes a note on the pair at hand; it is kept with the decision.", pane.write_note, "M",
            judge, "note-pencil"),
        own("skip_note", "Skip with a note", "Asks for a note first; Enter skips the pair.", pane.skip_with_note,
            "Shift+S", judge),
        own("next_cluster", "Next cluster", "Brings the next cluster to hand.", lambda: pane.step(1), "N"),
        own("previous_cluster", "Previous cluster", "Brings the previous cluster to hand.", lambda: pane.step(-1), "P"),
        own("next_open", "Next cluster to judge", "Goes to the next cluster with pairs left for you.", pane.next_open,
            "Space", icon="skip-forward"),
        own("add_cluster", "New cluster…", "Makes a cluster by hand: root, theme, action, sentences, candidates.",
            pane.add_cluster, "Ctrl+Alt+N", pane.can_write, "plus"),
        own("rename_cluster", "Name cluster…", "Gives the cluster another root, theme or action.", pane.rename_cluster,
            "F2", pane.can_change, "pencil-simple"),
        own("delete_cluster", "Delete cluster", "Takes the cluster away with your judgements in it.",
            pane.delete_cluster, "", pane.can_change, "trash"),
    ]  # fmt: skip
