"""Links of a file found again in a project: by id, else by the words that they quote."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from engine.exchange.records import OutsideLink
from engine.reviews.records import Comment
from engine.revision.records import CommentJudgement, Edit, NewLink


@dataclass(frozen=True, slots=True)
class Resolved:
    """What can be taken over into a project, and sentences on what cannot."""

    links: tuple[NewLink, ...]
    states: tuple[CommentJudgement, ...]
    warnings: tuple[str, ...] = ()


def resolve_links(links: Sequence[OutsideLink], comments: Sequence[Comment], edits: Sequence[Edit]) -> Resolved:
    """Find comments and edits of ``links``: by key, by outside id or label, by the quoted words where those are found
    in exactly one comment or edit. What stays unknown or ambiguous is counted in a warning, never guessed.
    """
    comment_ids = _unique([(c.id, c.id) for c in comments] + [(c.external_id, c.id) for c in comments if c.external_id])
    edit_ids = _unique([(e.id, e.id) for e in edits] + [(e.label, e.id) for e in edits if e.label])
    comment_words = [(_plain(c.comment), c.id) for c in comments]
    edit_words = [(_plain(side), e.id) for e in edits for side in (e.target_text, e.source_text) if side]
    found: dict[tuple[str, str], NewLink] = {}
    states: dict[str, CommentJudgement] = {}
    unknown_comments = unknown_edits = 0
    for link in links:
        comment = comment_ids.get(link.comment_id) or _quoted(link.comment_quote, comment_words)
        if comment is None:
            unknown_comments += 1
            continue
        if link.state is not None:
            states[comment] = CommentJudgement(comment, link.state)
        if not link.edit_id and not link.edit_quote:
            continue
        edit = edit_ids.get(link.edit_id) or _quoted(link.edit_quote, edit_words)
        if edit is None:
            unknown_edits += 1
            continue
        found.setdefault((comment, edit), NewLink(comment, edit, link.confidence, link.note))
    warnings = []
    if unknown_comments:
        warnings.append(f"{unknown_comments} of {len(links)} rows name a comment that this project does not have.")
    if unknown_edits:
        warnings.append(f"{unknown_edits} of {len(links)} rows name an edit that this comparison does not have.")
    return Resolved(tuple(found.values()), tuple(states.values()), tuple(warnings))


def _unique(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Names that mean one thing only."""
    meant: dict[str, set[str]] = {}
    for name, key in pairs:
        meant.setdefault(name, set()).add(key)
    return {name: next(iter(keys)) for name, keys in meant.items() if len(keys) == 1}


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _quoted(quote: str, words: Sequence[tuple[str, str]]) -> str | None:
    plain = _plain(quote)
    if not plain:
        return None
    same = {key for text, key in words if text == plain}
    if len(same) == 1:
        return next(iter(same))
    if same or len(plain) < 20:
        return None
    within = {key for text, key in words if plain in text}
    return next(iter(within)) if len(within) == 1 else None
