"""The commands of an organiser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.survey.data_sets import KINDS

if TYPE_CHECKING:
    from desktop_app.panes.survey.pane import SurveyPane


def commands() -> list[Command]:
    """In the order of the key overview."""

    own: PaneCommands[SurveyPane] = PaneCommands("survey", lambda pane: pane.has_study())

    return [
        own(
            "new", "New study", "Begins a study with the standing texts, to be changed to your liking.",
            lambda pane: pane.new_study(), "Ctrl+Shift+N", lambda pane: pane.can_write(), "plus",
        ),
        own(
            "export_study", "Write the study file…", "Writes the one small file that participants open.",
            lambda pane: pane.ask_where_to_write_study(), "Ctrl+E", icon="paper-plane-tilt",
        ),
        own(
            "try", "See it as a participant", "Opens the study as participants see it; your project comes back after.",
            lambda pane: pane.try_study(), icon="eye",
        ),
        own(
            "merge", "Merge answers…", "Takes over the answers files that came back; dropping them does the same.",
            lambda pane: pane.ask_for_answers(), "Ctrl+I", lambda pane: pane.can_change(), "git-merge",
        ),
        own(
            "import", "Import a data set…", "Brings in the folder of a released data set, or an OpenReview export.",
            lambda pane: pane.ask_for_data_set(), when=lambda pane: pane.can_write(), icon="download-simple",
        ),
        own(
            "export", "Export…", "Writes the data set, the tables or the figures of this study.",
            lambda pane: pane.open_exports(), "Ctrl+Shift+E", lambda pane: pane.has_people(), "export",
        ),
        *(
            own(
                f"export_{name}", f"Export: {kind.title}", kind.help,
                given(lambda pane, name: pane.ask_where_to_export(name), name), when=lambda pane: pane.has_people(),
                icon="export",
            )
            for name, kind in KINDS.items()
        ),
        own(
            "remove_participant", "Remove this participant", "Takes the answers at hand out; Undo brings them back.",
            lambda pane: pane.remove_participant(), "Del", lambda pane: pane.has_person(), "trash",
        ),
        own(
            "remove_study", "Remove this study",
            "Takes the study and its answers out of the project; Undo brings them back.",
            lambda pane: pane.remove_study(), when=lambda pane: pane.can_change(), icon="trash",
        ),
        own("next_study", "Next study", "Shows the next study of this project.", lambda pane: pane.next_study(), "]"),
        own(
            "next_view", "Next view", "Turns to the next of study, answers, tables and figures.",
            lambda pane: pane.next_view(), "V",
        ),
    ]  # fmt: skip
