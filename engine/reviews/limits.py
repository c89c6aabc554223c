"""Limits on the length of a reply, counted as the venue does: raw Markdown, in code points, UTF-16 units or words."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import Literal, get_args

from engine.errors import BadInput
from engine.resource_files import resource_table

Unit = Literal["code points", "utf-16", "words"]
UNITS: tuple[Unit, ...] = get_args(Unit)
Scope = Literal["reply", "reviewer", "total"]
_BOUNDS = ("per_reply", "per_reviewer", "total")


@dataclass(frozen=True, slots=True)
class Limit:
    """A venue's limits; None where there is none. ``per_reply``: one post; ``per_reviewer``: all posts to one reviewer;
    ``total``: the whole rebuttal. ``pages``: how many pages of a kind (``page``) the whole may fill; ``total`` is then
    an estimate of that. ``note``: the source of the figures, for display."""

    id: str
    title: str
    unit: Unit = "code points"
    per_reply: int | None = None
    per_reviewer: int | None = None
    total: int | None = None
    note: str = ""
    pages: int | None = None
    page: str = ""

    @property
    def tightest(self) -> int | None:
        """The lowest limit that applies to what one reviewer receives; None without any limit."""
        given = [bound for bound in (self.per_reply, self.per_reviewer, self.total) if bound is not None]
        return min(given, default=None)

    @property
    def one_post(self) -> bool:
        """Whether all posts to a reviewer together may be no longer than one, so that a second one gains nothing."""
        each, all_ = self.per_reply, self.per_reviewer
        return each is not None and all_ is not None and all_ <= each


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that is exceeded: which scope, whose (a reviewer, "" for the total), the length, and the limit."""

    scope: Scope
    whose: str
    spent: int
    allowed: int

    def sentence(self, unit: Unit) -> str:
        """Returns what is too long and by how much, as a sentence."""
        name = {"reply": f"A reply to {self.whose}", "reviewer": f"The answer to {self.whose}"}.get(
            self.scope, "The rebuttal"
        )
        over = self.spent - self.allowed
        return f"{name} is {over:,} {unit_name(unit, over)} too long ({self.spent:,} of {self.allowed:,})."


@cache
def presets() -> tuple[Limit, ...]:
    """Returns the bundled limits (``resources/limits.toml``) in display order."""
    content = resource_table("limits.toml")
    return tuple(
        Limit(
            entry["id"],
            entry["title"],
            entry["unit"],
            entry["per_reply"] or None,
            entry["per_reviewer"] or None,
            entry["total"] or None,
            entry["note"],
            entry.get("pages"),
            entry.get("page", ""),
        )
        for entry in content["limit"]
    )


def preset(key: str) -> Limit:
    """Returns a limit by id; for an unknown id the one without bounds."""
    return next((limit for limit in presets() if limit.id == key), presets()[-1])


def with_own(limit: Limit, own: Iterable[tuple[str, str]]) -> Limit:
    """Returns a limit with values that the user changed: ``unit``, or one of the bounds as digits, "" for none. A
    length of the whole counts instead of the pages of which it was an estimate.

    Raises BadInput for any other value.
    """
    for name, value in own:
        if name == "unit" and value in UNITS:
            limit = replace(limit, unit=value)
        elif name in _BOUNDS and (not value or (value.isascii() and value.isdigit() and int(value) > 0)):
            limit = _bounded(limit, name, int(value) if value else None)
        else:
            raise BadInput(f"“{value}” isn't a valid limit.", "The limit wasn't changed.", "Enter a whole number.")
    return limit


def _bounded(limit: Limit, name: str, value: int | None) -> Limit:
    if name == "per_reply":
        return replace(limit, per_reply=value)
    if name == "per_reviewer":
        return replace(limit, per_reviewer=value)
    return replace(limit, total=value, pages=None, page="")


def count(text: str, unit: Unit) -> int:
    """Returns the length of a text. Code points as Python and JSON schema count; UTF-16 units as JavaScript counts;
    words separated by white space. A line end is one character, as in a web form's field."""
    if unit == "words":
        return len(text.split())
    text = text.replace("\r\n", "\n")
    return len(text) if unit == "code points" else len(text) + sum(ord(ch) > 0xFFFF for ch in text)


def unit_name(unit: Unit, number: int) -> str:
    word = "word" if unit == "words" else "character"
    return word if number == 1 else f"{word}s"


def page_count(pages: float) -> str:
    """Formats a number of pages, rounded up to two decimals, so that slightly over a limit doesn't look like it."""
    return f"{ceil(round(100 * pages, 6)) / 100:.2f}"


def fits(text: str, limit: int, unit: Unit) -> int:
    """Returns how many code points of a text are within a limit, i.e. where the excess begins."""
    if unit == "words":
        words = 0
        for at in range(len(text)):
            if not text[at].isspace() and (at == 0 or text[at - 1].isspace()):
                words += 1
                if words > limit:
                    return at
        return len(text)
    spent = 0
    for at, ch in enumerate(text):
        spent += 2 if unit == "utf-16" and ord(ch) > 0xFFFF else 1
        if spent > limit:
            return at
    return len(text)
