"""Aligners: find the edits that were made for each review comment. The command line and panes are built from this
registry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from engine.errors import not_computed
from engine.models import Embedder, load_encoder, local_encoder, shared_encoder
from engine.models.language import LanguageModel
from engine.revision.aligners.base import BASE_RATE, Aligner, HumanAligner, RandomAligner, Rankings
from engine.revision.aligners.head import FusedAligner
from engine.revision.aligners.llm import MultiEditAligner, OnRanking, PairwiseAligner
from engine.revision.aligners.scoring import GeneratedBm25Aligner, bm25_aligner, encoder_aligner
from engine.revision.aligners.selection import SHORT, WithoutShortEdits
from engine.revision.aligners.trained import bi_encoder_aligner, cross_encoder_aligner
from engine.revision.records import Candidate

__all__ = ["DEFAULT", "STRATEGIES", "Aligner", "Means", "Need", "Rankings", "Strategy", "make_aligner"]

Given = TypeVar("Given")
Need = Literal["encoder", "model folder", "language model", "generated edits", "links"]


@dataclass(frozen=True, slots=True)
class Means:
    """The inputs of a strategy.

    ``generated``: by comment the text of an edit that a model wrote for it; ``links``: by comment a person's edits.
    ``whole``: every paragraph of the revised paper in order, edits and unchanged ones, for a strategy that reads the
    whole paper. ``rate``: the share of pairs that are links, if known. ``beside_window`` runs model folders in child
    processes.
    """

    use_responses: bool = False
    embedder: Embedder | None = None
    model_folder: Path | None = None
    language_model: LanguageModel | None = None
    generated: Mapping[str, str] | None = None
    links: Mapping[str, frozenset[str]] | None = None
    whole: tuple[Candidate, ...] = ()
    rate: float = BASE_RATE
    seed: int = 0
    beside_window: bool = False
    on_ranking: OnRanking | None = None
    """Called with each comment's ranking as soon as it is complete, by strategies that process comments one by one."""

    def lacks(self, need: Need) -> bool:
        there = {
            "encoder": self.embedder,
            "model folder": self.model_folder,
            "language model": self.language_model,
            "generated edits": self.generated,
            "links": self.links,
        }
        return there[need] is None


@dataclass(frozen=True, slots=True)
class Strategy:
    """An entry of the registry.

    ``least_characters``: edits of shorter paragraphs are ignored unless another number is given; the paper's models
    leave out those under 100, ours include all, since small edits are often the whole answer
    (docs/methods-alignment.md). ``whole_paper``: it reads ``Means.whole``.
    """

    id: str
    title: str
    needs: tuple[Need, ...]
    make: Callable[[Means], Aligner]
    least_characters: int = 0
    whole_paper: bool = False

    @property
    def needs_encoder(self) -> bool:
        return "encoder" in self.needs


def _bi_encoder(means: Means) -> Aligner:
    folder = _given(means.model_folder)
    embedder = shared_encoder(local_encoder(folder)) if means.beside_window else None
    return bi_encoder_aligner(folder, means.use_responses, embedder)


def _cross_encoder(means: Means) -> Aligner:
    folder = _given(means.model_folder)
    return cross_encoder_aligner(folder, means.use_responses, beside_window=means.beside_window)


def _pairwise(means: Means, shots: int = 0) -> Aligner:
    return PairwiseAligner(
        _given(means.language_model), shots=shots, use_responses=means.use_responses, on_ranking=means.on_ranking
    )


def _multi_edit(means: Means) -> Aligner:
    return MultiEditAligner(_given(means.language_model), use_responses=means.use_responses, whole=means.whole)


def _given(value: Given | None) -> Given:
    assert value is not None  # make_aligner has checked the needs
    return value


STRATEGIES: dict[str, Strategy] = {
    strategy.id: strategy
    for strategy in (
        Strategy(
            "fused", "Words and meaning", ("encoder",),
            lambda means: FusedAligner(_given(means.embedder), use_responses=means.use_responses),
        ),
        Strategy("bm25", "BM25", (), lambda means: bm25_aligner(means.use_responses)),
        Strategy(
            "encoder", "Sentence encoder", ("encoder",),
            lambda means: encoder_aligner(_given(means.embedder), means.use_responses),
        ),
        Strategy("random", "Chance", (), lambda means: RandomAligner(seed=means.seed, rate=means.rate), SHORT),
        Strategy(
            "bm25-generated", "BM25 with a generated edit", ("generated edits",),
            lambda means: GeneratedBm25Aligner(_given(means.generated)), SHORT,
        ),
        Strategy("bi-encoder", "Bi-encoder", ("model folder",), _bi_encoder, SHORT),
        Strategy("cross-encoder", "Cross-encoder", ("model folder",), _cross_encoder, SHORT),
        Strategy("llm-pairwise", "Language model, pair by pair", ("language model",), _pairwise, SHORT),
        Strategy(
            "llm-pairwise-1-shot", "Language model, pair by pair, with examples", ("language model",),
            lambda means: _pairwise(means, 1), SHORT,
        ),
        Strategy(
            "llm-multi-edit", "Language model, all edits at once", ("language model",), _multi_edit, SHORT,
            whole_paper=True,
        ),
        Strategy("human", "A person's links", ("links",), lambda means: HumanAligner(_given(means.links))),
    )
}  # fmt: skip
DEFAULT = "fused"
_SAYS: Mapping[Need, str] = {
    "encoder": "a sentence encoder",
    "model folder": "the folder of a model (--model)",
    "language model": "a language model (--language-model)",
    "generated edits": "edits generated by a model (--generated)",
    "links": "links made by a person (--links)",
}


def make_aligner(
    strategy: str = DEFAULT,
    *,
    use_responses: bool = False,
    embedder: Embedder | None = None,
    means: Means | None = None,
    least_characters: int | None = None,
) -> Aligner:
    """Creates the aligner of that name, with the bundled encoder if it needs one and none is given.

    ``means`` contains its other inputs; ``use_responses`` and ``embedder`` take precedence over it if given.
    ``least_characters`` None uses the strategy's own.

    Raises:
        BadInput: there is no such strategy, or one of its inputs is missing.
        EnvironmentProblem: the encoder or the model folder is missing.
    """
    entry = STRATEGIES.get(strategy)
    if entry is None:
        raise not_computed(f"There's no strategy named “{strategy}”.", f"Choose one of {', '.join(STRATEGIES)}.")
    given = means or Means()
    given = replace(given, use_responses=use_responses or given.use_responses, embedder=embedder or given.embedder)
    if entry.needs_encoder and given.embedder is None:
        given = replace(given, embedder=load_encoder())
    for need in entry.needs:
        if given.lacks(need):
            raise not_computed(f"“{entry.title}” needs {_SAYS[need]}.", "Add this option.")
    aligner = entry.make(given)
    least = entry.least_characters if least_characters is None else least_characters
    return WithoutShortEdits(aligner, least) if least > 0 else aligner
