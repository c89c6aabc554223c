"""Groups paragraphs with roles into blocks: comments with the responses that answer them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.reviews.layout import Unit, listed
from engine.reviews.roles import Placed


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive comment paragraphs and the response paragraphs that answer them."""

    reviewer: str
    comment: tuple[Unit, ...]
    response: tuple[Unit, ...] = ()
    silent: bool = False
    """In a part that contains no requests ("Strengths")."""


def blocks_of(placed: Sequence[Placed]) -> Iterator[Block]:
    """Yields the comments with the responses that follow them."""
    waiting: list[tuple[str, list[Unit]]] = []  # comment blocks without a response so far
    response: list[Unit] = []
    silent = {p.unit for p in placed if p.silent}

    def flush() -> Iterator[Block]:
        for at, (reviewer, units) in enumerate(waiting, start=1):
            answered = at == len(waiting) or listed(units[0])
            yield Block(reviewer, tuple(units), tuple(response) if answered else (), units[0] in silent)
        waiting.clear()
        response.clear()

    bridged = False
    for p in placed:
        if p.role == "comment":
            if response or bridged or (waiting and waiting[-1][0] != p.reviewer):
                yield from flush()
            if not waiting or p.opens:
                waiting.append((p.reviewer, []))
            waiting[-1][1].append(p.unit)
        elif p.role == "response":
            if waiting:
                response.append(p.unit)
        elif not p.bridges and (p.unit.kind != "rule" or response):
            yield from flush()
        bridged = p.bridges
    yield from flush()
