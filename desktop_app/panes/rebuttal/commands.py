"""The commands of the rebuttal pane, with their keys. Keys that work while one writes have Alt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command
from desktop_app.panes.rebuttal.entries import GROUPINGS
from desktop_app.panes.rebuttal.templates_view import KEYS
from engine.rebuttal.records import ACTION_TITLES, ACTIONS

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.pane import RebuttalPane


def rebuttal_commands(pane: RebuttalPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    def own(  # noqa: PLR0917 - a table of records reads best by position
        name: str,
        title: str,
        words: str,
        handler: Callable[[], object],
        shortcut: str = "",
        enabled: Callable[[], bool] = pane.has_comments,
        icon: str = "",
        title_now: Callable[[], str] | None = None,
    ) -> Command:
        return Command(
            f"rebuttal.{name}", title, words, handler, shortcut, scope=pane.pane_id, enabled=enabled, icon=icon,
            title_now=title_now,
        )  # fmt: skip

    write = pane.can_write
    return [
        own("next", "Next point", "Brings the next point to hand.", lambda: pane.step(1), "J; Alt+Down"),
        own("previous", "Previous point", "Brings the previous point to hand.", lambda: pane.step(-1), "K; Alt+Up"),
        own(
            "next_open", "Next unanswered", "Goes to the next comment without a reply.", pane.next_open,
            "Space; Alt+Return", icon="skip-forward",
        ),
        own(
            "edit", "Write the reply", "Puts the cursor into the reply.", pane.edit, "E; Return", write,
            "pencil-simple",
        ),
        *(
            own(
                f"template_{number}", f"Put template {number} in",
                f"Puts template {number} of the list into the reply; its slots are tab stops.",
                partial(pane.put_in_number, number - 1), f"Alt+{number}", partial(pane.has_template, number - 1),
            )
            for number in range(1, KEYS + 1)
        ),
        own(
            "search_templates", "Search templates", "Looks for words in all templates.", pane.search_templates,
            "Alt+S", write, "magnifying-glass",
        ),
        own(
            "quote", "Quote the reviewer", "Puts the reviewer's words into the reply, as a quotation.", pane.quote,
            "Alt+Q", pane.has_reply, "quotes",
        ),
        own(
            "action", "Action", "Chooses what the reply does: answer, task done, reject…", pane.open_actions, "Alt+R",
            pane.has_point, title_now=pane.action_words,
        ),
        *(
            own(
                f"action_{action}", f"Action: {ACTION_TITLES[action]}",
                f"Says that the reply does this: {ACTION_TITLES[action].lower()}.",
                partial(pane.choose_action, action), "", pane.has_point,
            )
            for action in ACTIONS
        ),
        own("no_action", "Action: open", "Takes the choice of an action back.", partial(pane.choose_action, None), "",
            pane.has_action),
        own(
            "accept", "Accept generated text", "You stand by what a template or a model wrote here.", pane.accept,
            "Alt+A", pane.has_generated, "check",
        ),
        *(
            own(f"group_{by}", words, f"Lists the comments {words.lower()}.", partial(pane.group_by, by))
            for words, by in GROUPINGS
        ),
        own(
            "to_linking", "Add reviews and PDFs", "Opens Linking, where reviews and both versions are added.",
            lambda: pane.context.show_pane("linking"), "", lambda: True, "link",
        ),
    ]  # fmt: skip
