"""Aligners: which edits were made for which review comment. Command line and panes are made from this registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import BadInput
from engine.models import Embedder, load_encoder
from engine.revision.aligners.base import Aligner, AlignerInfo, Rankings
from engine.revision.aligners.encoder import EncoderAligner
from engine.revision.aligners.fused import FusedAligner
from engine.revision.aligners.lexical import Bm25Aligner

__all__ = ["DEFAULT", "STRATEGIES", "Aligner", "AlignerInfo", "Rankings", "Strategy", "make_aligner"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """An entry of the registry; ``make(embedder, use_responses)`` gets no embedder where it needs none."""

    id: str
    title: str
    needs_encoder: bool
    make: Callable[[Embedder | None, bool], Aligner]


def _bm25(embedder: Embedder | None, use_responses: bool) -> Aligner:  # noqa: ARG001 (one shape for all)
    return Bm25Aligner(use_responses=use_responses)


def _encoder(embedder: Embedder | None, use_responses: bool) -> Aligner:
    assert embedder is not None
    return EncoderAligner(embedder, use_responses=use_responses)


def _fused(embedder: Embedder | None, use_responses: bool) -> Aligner:
    assert embedder is not None
    return FusedAligner(embedder, use_responses=use_responses)


STRATEGIES: dict[str, Strategy] = {
    strategy.id: strategy
    for strategy in (
        Strategy("fused", "Words and meaning together", True, _fused),
        Strategy("bm25", "BM25", False, _bm25),
        Strategy("encoder", "Sentence encoder", True, _encoder),
    )
}
DEFAULT = "fused"


def make_aligner(strategy: str = DEFAULT, *, use_responses: bool = False, embedder: Embedder | None = None) -> Aligner:
    """The aligner of that name, with the bundled encoder where it needs one and none is given.

    Raises:
        BadInput: there is no such strategy.
        EnvironmentProblem: the encoder is missing.
    """
    entry = STRATEGIES.get(strategy)
    if entry is None:
        raise BadInput(
            f"There is no strategy named “{strategy}”.",
            "Nothing was computed.",
            f"Choose one of {', '.join(STRATEGIES)}.",
        )
    if entry.needs_encoder and embedder is None:
        embedder = load_encoder()
    return entry.make(embedder, use_responses)
