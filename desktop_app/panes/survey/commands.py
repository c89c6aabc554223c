"""The organiser's commands in the survey pane."""

from typing import TYPE_CHECKING

from desktop_app import if_any
from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.survey.choices import EXPORTS

if TYPE_CHECKING:
    from desktop_app.panes.survey.pane import SurveyPane


def commands() -> list[Command]:
    own: PaneCommands[SurveyPane] = PaneCommands("survey", lambda pane: pane.state.has_study())

    return [
        own("new", "New study", "Create a study from the standard texts, which you can edit.",
            lambda pane: pane.new_study(), "Ctrl+Shift+N", lambda pane: pane.state.can_write(), "plus"),
        own("export_study", "Export study file…", "Write the small file that participants open.",
            lambda pane: pane.ask_where_to_write_study(), "Ctrl+E", icon="paper-plane-tilt"),
        own("try", "Preview as a participant", "Open the study as participants see it. Leave it to return here.",
            lambda pane: pane.try_study(), icon="eye"),
        own("merge", "Merge answers…", "Add answers files that participants sent back. You can also drop them here.",
            lambda pane: pane.ask_for_answers(), "Ctrl+I", lambda pane: pane.state.can_change(), "git-merge"),
        own("import", "Import a data set…", "Import the folder of a released data set or an OpenReview export.",
            lambda pane: if_any(pane.context.files.choose_folder(pane, "Import a data set"), pane.import_data_set),
            when=lambda pane: pane.state.can_write(), icon="download-simple"),
        own("export", "Export study data…", "Export the data set, tables or figures of this study.",
            lambda pane: pane.export_button.click(), "Ctrl+Shift+E", lambda pane: pane.has_people(), "export"),
        *(
            own(f"export_{name}", f"Export {title}", words,
                given(lambda pane, name: pane.ask_where_to_export(name), name), when=lambda pane: pane.has_people(),
                icon="export")
            for name, (title, words, _ending) in EXPORTS.items()
        ),
        own("remove_participant", "Remove this participant", "Remove the selected participant's answers.",
            lambda pane: pane.remove_participant(), "Del", lambda pane: pane.has_person(), "trash"),
        own("remove_study", "Remove this study", "Remove the study and its answers from the project.",
            lambda pane: pane.remove_study(), when=lambda pane: pane.state.can_change(), icon="trash"),
        own("next_study", "Next study", "Show the next study of this project.", lambda pane: pane.next_study(), "]"),
        own("next_view", "Next view", "Switch between study, answers and results.", lambda pane: pane.next_view(), "V"),
    ]  # fmt: skip
