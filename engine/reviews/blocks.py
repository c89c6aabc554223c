"""Paragraphs in their roles as blocks: comments with the responses that answer them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from engine.reviews.layout import Unit, gathered
from engine.reviews.roles import Placed


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of comment paragraphs and the response paragraphs that answer it."""

    reviewer: str
    comment: tuple[Unit, ...]
    response: tuple[Unit, ...] = ()
    silent: bool = False
    """In a part that asks for nothing ("Strengths")."""


def blocks_of(placed: Sequence[Placed]) -> Iterator[Block]:
    """The comments with their responses, in order. Where each reviewer's part begins with a response and ends with a
    comment, the responses come first.
    """
    roles = [(p.reviewer, p.role) for p in placed if p.role]
    parts = [[role for _, role in part] for _, part in groupby(roles, key=lambda said: said[0])]
    turned = all(part[0] == "response" and part[-1] == "comment" for part in parts)
    if turned and sum(one != other for part in parts for one, other in pairwise(part)) > 1:
        backwards = list(_answered(tuple(replace(p, opens=False) for p in reversed(placed))))
        for block in reversed(backwards):
            yield replace(block, comment=block.comment[::-1], response=block.response[::-1])
    else:
        yield from _answered(placed)


def _answered(placed: Sequence[Placed]) -> Iterator[Block]:
    """The comments with the responses that follow them."""
    waiting: list[tuple[str, list[Unit]]] = []  # comment blocks that no response has followed yet
    response: list[Unit] = []
    silent = {p.unit for p in placed if p.silent}

    def flush() -> Iterator[Block]:
        shares = gathered([units[0] for _, units in waiting], response)
        for (reviewer, units), share in zip(waiting, shares or [tuple(response)] * len(waiting), strict=True):
            yield Block(reviewer, tuple(units), share, units[0] in silent)
        waiting.clear()
        response.clear()

    for p in placed:
        if p.role == "comment":
            if response or (waiting and waiting[-1][0] != p.reviewer):
                yield from flush()
            if not waiting or p.opens:
                waiting.append((p.reviewer, []))
            waiting[-1][1].append(p.unit)
        elif p.role == "response":
            if waiting:
                response.append(p.unit)
        elif not p.bridges and (p.unit.kind != "rule" or response):
            yield from flush()
    yield from flush()
