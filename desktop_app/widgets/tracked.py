"""A text with tracked changes as rich text: insertions blue and underlined, deletions orange and struck through."""

import html
import re
from collections.abc import Sequence

from desktop_app.theme import theme
from desktop_app.widgets.edit_words import changes_of
from engine.revision.records import Edit

_WORD = re.compile(r"\w+")


def tracked_html(source_text: str, target_text: str, *, context: int = 0, evidence: Sequence[str] = ()) -> str:
    """Returns the word differences in the theme's colours. ``context`` is the number of characters shown on either side
    of a change (0: all); ``evidence`` are phrases to highlight in the new text."""
    tokens = theme().tokens
    marks = _lit(target_text, evidence)
    runs: list[str] = []
    before, changes = "", changes_of(source_text, target_text)
    for at, change in enumerate(changes):
        text = change.text
        here, there = change.source[0], change.target[0]
        spaced = source_text[:here][-1:].isspace() or target_text[:there][-1:].isspace()
        if spaced and before[-1:].isalnum() and text[:1].isalnum():
            runs.append(" ")  # white space that exists only in the other version
        before = text
        if context and len(changes) > 1 and change.operation == "equal" and len(text) > 2 * context:
            head, tail = text[:context], text[-context:]
            head, tail = head.rpartition(" ")[0] or head, tail.partition(" ")[2] or tail  # cut at whole words
            words = html.escape(f"{f'{head} ' if at else ''}[…]{f' {tail}' if at < len(changes) - 1 else ''}")
        elif change.operation == "delete":
            words = html.escape(text)
        else:
            words = _marked(text, marks[slice(*change.target)])
        words = words.replace("\n", "<br>")
        if change.operation == "insert":
            words = f"<span style='color:{tokens.data['added'].ink};text-decoration:underline'>{words}</span>"
        elif change.operation == "delete":
            words = f"<span style='color:{tokens.data['deleted'].ink};text-decoration:line-through'>{words}</span>"
        runs.append(words)
    return "".join(runs)


def edit_html(edit: Edit, *, context: int) -> str:
    """Returns an edit's word differences; for a passage, which has no known change, only its text."""
    if edit.passage:
        return html.escape(edit.target_text).replace("\n", "<br>")
    return tracked_html(edit.source_text, edit.target_text, context=context)


def lit_html(text: str, evidence: Sequence[str]) -> str:
    """Returns a text as HTML with phrases highlighted."""
    return _marked(text, _lit(text, evidence)).replace("\n", "<br>")


def _lit(text: str, evidence: Sequence[str]) -> list[bool]:
    """Returns whether each character belongs to one of the phrases, ignoring case and punctuation."""
    marks = [False] * len(text)
    for run in evidence:
        words = [re.escape(word) for word in _WORD.findall(run)]
        for match in re.finditer(r"\W+".join(words), text, re.IGNORECASE) if words else ():
            marks[match.start() : match.end()] = [True] * (match.end() - match.start())
    return marks


def _marked(text: str, marks: Sequence[bool]) -> str:
    ground = theme().tokens.data["attention"].wash
    parts, start = [], 0
    for at in range(1, len(text) + 1):
        if at == len(text) or marks[at] != marks[start]:
            piece = html.escape(text[start:at])
            parts.append(f"<span style='background-color:{ground}'>{piece}</span>" if marks[start] else piece)
            start = at
    return "".join(parts)
