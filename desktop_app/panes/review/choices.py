"""Forms, stances and drawer pages as plain data, so that commands can be listed without importing anything else."""

from typing import TYPE_CHECKING, Literal

from engine.review_drafting.form_files import FORMS, form_files

if TYPE_CHECKING:
    from engine.review_drafting.store import Stance

STANCES: "tuple[tuple[Stance, str, str], ...]" = (
    ("strength", "Strength", "+"), ("weakness", "Weakness", "−"), ("question", "Question", "?"), ("note", "Note", "·"),
)  # fmt: skip
"""The stances of evidence cards: key, title, sign."""
CARD_KEYS = 9
"""Number of cards that have a key."""

Page = Literal["stages", "literature", "runs", "history", "export"]
PAGES: dict[Page, tuple[str, str, str]] = {
    "stages": ("Draft", "Alt+S", "Show the stages that draft a review and what each one found."),
    "literature": ("Literature", "Alt+L", "Show papers in the library that are close to this one."),
    "runs": ("Runs", "Alt+R", "Show earlier runs and compare two of them."),
    "history": ("History", "Alt+H", "Show saved versions of the review, to compare or restore them."),
    "export": ("Export", "Alt+E", "Check the review before you export it, then export it."),
}
"""Title, key and help of each page of the drawer."""


def forms() -> dict[str, str]:
    """Returns the titles of the review forms: the bundled ones and the user's own."""
    return FORMS | {file.key: file.title for file in form_files() if not file.problem}


DRAWER_MENU = tuple(f"review.show_{page}" for page in PAGES)
"""The commands of the drawer's menu."""
