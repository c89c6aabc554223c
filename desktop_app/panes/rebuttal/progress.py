"""How far a rebuttal is, and how much of its limit is used. No Qt."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.panes.rebuttal.matrix_lines import ReviewerLine
from desktop_app.panes.rebuttal.state import RebuttalState
from engine.rebuttal.budget import Spent, reviewer_limit
from engine.reviews.limits import unit_name

_FINE = 1000
"""Parts of a page that the budget bar tells apart."""


def total_length(state: RebuttalState) -> int:
    """The length of the whole rebuttal as it is sent."""
    return sum(line.spent.total for line in state.lines if isinstance(line, ReviewerLine))


def progress_words(state: RebuttalState) -> tuple[str, str]:
    """How many comments are answered; the length, and how many responses have serious issues."""
    missing, all_ = len(state.matrix.unanswered), len(state.matrix.rows)
    if not all_:
        return "", ""
    wrong = sum(any(flag.grave for flag in line.flags) for line in state.matrix.rows)
    limit, length = state.rebuttal.limit, total_length(state)
    of = f" of {limit.total:,}" if limit.total else ""
    fix = f" · {wrong} to fix" if wrong else ""
    words = f"{all_ - missing} of {all_} answered" if missing else f"All {all_} answered"
    return words, f"{length:,}{of} {unit_name(limit.unit, length)} in total{fix}"


def filled_pages(state: RebuttalState) -> float | None:
    """How many pages the rebuttal fills, estimated from the last layout while typing; None before the first."""
    if state.laid_out is None or state.rebuttal.limit.pages is None:
        return None
    of, pages, length = state.laid_out
    return pages if of == state.made else pages * total_length(state) / max(1, length)


def budget_line(state: RebuttalState) -> ReviewerLine | None:
    """The current reviewer's use of the limit, or the whole rebuttal's where only that is limited."""
    limit, heads = state.rebuttal.limit, [line for line in state.lines if isinstance(line, ReviewerLine)]
    if limit.total is None or reviewer_limit(limit) is not None:
        found = state.found
        own = [head for head in heads if found is not None and head.reviewer == found[0].reviewer]
        return next(iter((*own, *heads)), None)
    if not state.matrix.rows:
        return None
    pages, whole, words = filled_pages(state), Spent("", total_length(state), 0, limit.total, 1), ""
    if pages is not None and limit.pages is not None and state.laid_out is not None:
        whole = replace(whole, total=round(_FINE * pages), allowed=_FINE * limit.pages)
        about = "" if state.laid_out[0] == state.made else "about "
        words = f"{about}{pages:.2f} of {limit.pages} page{'' if limit.pages == 1 else 's'}"
    return ReviewerLine("Whole rebuttal", whole, limit.unit, words)
