"""The tour: shows each section of a guide page as a message in the pane it describes."""

import re
from collections.abc import Callable
from typing import Protocol

from desktop_app import guide
from desktop_app.panes import PANES
from desktop_app.project_control import ProjectControl
from desktop_app.widgets.banner import Banner, Notice

PAGE, KEY = "guide/tour.md", "tour"


class Toured(Protocol):
    control: ProjectControl
    banner: Banner
    show_pane: Callable[[str], object]


def steps() -> tuple[tuple[str, str, str], ...]:
    """Returns for each step the pane's id, its title and the text."""
    panes = {spec.title: spec.id for spec in PANES}
    said = ((part.title, re.sub(r"[`*]", "", part.text.partition("\n")[2])) for part in guide.sections(PAGE)[1:])
    return tuple((panes[title], title, " ".join(words.split())) for title, words in said)


def start(window: Toured) -> None:
    """Opens the user's copy of the sample project and shows the first step."""
    if window.control.open_sample():
        show(window, 0)


def show(window: Toured, at: int) -> None:
    """Goes to the pane of a step and shows the step's text; the last step offers to end the tour."""
    found = steps()
    pane, title, text = found[at]
    window.show_pane(pane)
    last = at == len(found) - 1
    back = (("Back", lambda: show(window, at - 1)),) if at else ()
    go_on = ("End tour", lambda: window.banner.dismiss(KEY)) if last else ("Next", lambda: show(window, at + 1))
    what = f"Tour, {at + 1} of {len(found)}: {title}"
    window.banner.show_notice(Notice(KEY, what, text, kind="note", actions=(*back, go_on)))


def shown(window: Toured) -> Notice | None:
    return next((notice for notice in window.banner.notices if notice.key == KEY), None)


def go_on(window: Toured) -> None:
    if (notice := shown(window)) is not None:
        notice.actions[-1][1]()
