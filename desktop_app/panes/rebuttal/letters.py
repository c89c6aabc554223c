"""Responses from letters: those that came with the comments, and those of a file. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.panes.rebuttal.entries import key_of
from desktop_app.panes.rebuttal.state import RebuttalState
from engine.exchange.response_letter import read_replies, same_words, unmatched
from engine.exchange.response_reading import LetterText
from engine.rebuttal.points import said
from engine.rebuttal.records import Point

Replies = Sequence[tuple[Point, str]]


@dataclass(frozen=True, slots=True)
class LetterTaken:
    """The result in sentences; ``differing`` responses differ from those written here and were not imported."""

    words: tuple[str, ...]
    differing: tuple[tuple[Point, str], ...]


def responses(state: RebuttalState) -> list[tuple[Point, str]]:
    """What the project's letter says to comments that have no response here yet."""
    return [
        (row.point, row.comment.response)
        for row in state.rebuttal.outline.rows
        if row.comment.response.strip() and not row.point.text.strip()
    ]


def take_responses(state: RebuttalState) -> None:
    """Takes over the responses of the letter that came with the comments, where nothing is written yet."""
    state.store.import_replies(state.rebuttal.paper_id, responses(state), "the letter")


def take_letter(state: RebuttalState, name: str, letter: LetterText) -> LetterTaken:
    """Takes over the responses of a letter where nothing is written yet, in one step."""
    found = read_replies(letter.text, state.rebuttal.outline)
    replies = [(one.point, one.reply) for one in found if one.point is not None]
    differing = tuple((p, text) for p, text in replies if p.text.strip() and not same_words(said(p.text), text))
    same = sum(bool(point.text.strip()) for point, _ in replies) - len(differing)
    taken = state.store.import_replies(state.rebuttal.paper_id, replies, name)
    words = [f"{_many(taken, 'response was', 'responses were')} imported from {name}."]
    if differing:
        words.append(f"{_many(len(differing), 'differs', 'differ')} from what is written here and was not imported.")
    if same:
        words.append(f"{_many(same, 'is', 'are')} already written here.")
    if lost := len(unmatched(found)):
        words.append(f"{_many(lost, 'answers', 'answer')} no comment of these reviews.")
    return LetterTaken((*words, *letter.warnings), differing)


def overwrite(state: RebuttalState, paper_id: str | None, replies: Replies, name: str) -> None:
    """Replaces what is written here with a letter's responses, in one step."""
    points = {key_of(point): point for _, point in state.points()}
    now = [(points.get(key_of(point), point), text) for point, text in replies]
    state.store.import_replies(paper_id, now, name, over=True)


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
