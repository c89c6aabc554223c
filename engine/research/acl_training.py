"""Trains the sentence encoder of the ACL reviewer matching: an average of word pieces, learned from abstracts alone.

After the code of Neubig et al. (2020), acl-org/reviewer-paper-matching, which trains the model of Wieting et al. (2019,
section 3), "Simple and Effective Paraphrastic Similarity from Parallel Translations". Two halves of one abstract should
be more similar, by a margin, than either is to the hardest other half:

    mean over pairs (a, b):  max(0, margin - cos(a, b) + cos(a, n_a)) + max(0, margin - cos(a, b) + cos(b, n_b))

where n_a is the half b of another abstract that is most similar to a, searched in a mega-batch before the batch's own
step. A half is a random half of an abstract's word pieces, drawn again each epoch (in the published command, segments
of one).
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.errors import not_trained
from engine.expertise.algorithms.acl import AclModel, make_tokenizer
from engine.jobs import Report
from engine.research.trainer import Course, seeded, train

LEAST_ABSTRACTS = 2


@dataclass(frozen=True, slots=True)
class AclTraining:
    """The published settings, except ``megabatch``: the most batches in which a negative is searched.

    Their number grows from 1 by one every ``anneal`` batches. Wieting et al. use up to 60, the published command of the
    reviewer matching stays at 1; docs/methods-similarity-trained.md shows the gain from 10.
    """

    dimension: int = 1024
    pieces: int = 20_000
    margin: float = 0.4
    batch: int = 64
    epochs: int = 20
    learning_rate: float = 0.001
    gradient_norm: float = 5.0
    megabatch: int = 10
    anneal: int = 10
    seed: int = 1


def train_acl(abstracts: Sequence[str], settings: AclTraining, *, report: Report) -> AclModel:
    """Trains a model from abstracts (titles with abstracts work as well). Equal input gives equal weights on the same
    machine. Duplicates and texts of fewer than two word pieces are ignored. Raises BadInput if fewer than two texts
    remain, and Cancelled."""
    texts = list(dict.fromkeys(text.strip() for text in abstracts if text.strip()))
    if len(texts) < LEAST_ABSTRACTS:
        raise not_trained(
            f"There {'is one abstract' if texts else 'are no abstracts'} to learn from.",
            "Give at least two, and preferably a few thousand.",
        )
    report.progress(0.0, "Learning word pieces")
    tokenizer = make_tokenizer(texts, settings.pieces)
    report.progress(0.05, f"Training on {len(texts)} abstracts")
    pieces = [np.asarray(tokenizer.encode(text), dtype=np.int64) for text in texts]
    pieces = [ids for ids in pieces if len(ids) >= 2]
    if len(pieces) < LEAST_ABSTRACTS:
        raise not_trained("The abstracts are too short to be split.", "Give whole abstracts.")
    weights, losses = _fit(pieces, tokenizer.vocab_size(), settings, report.part(0.05, 1.0))
    card = {
        "method": "acl",
        **asdict(settings),
        "abstracts": len(pieces),
        "learned_pieces": tokenizer.vocab_size(),
        "first_epoch_loss": round(losses[0], 6),
        "last_epoch_loss": round(losses[-1], 6),
    }
    return AclModel(tokenizer.serialized_model_proto(), weights, card)


def _fit(
    pieces: Sequence[NDArray[np.int64]], vocabulary: int, settings: AclTraining, report: Report
) -> tuple[NDArray[np.float32], list[float]]:
    chance = np.random.default_rng(settings.seed)
    generator = torch.Generator().manual_seed(settings.seed)
    table = torch.randn(vocabulary, settings.dimension, generator=generator)
    bag = torch.nn.EmbeddingBag.from_pretrained(table, freeze=False, mode="mean")
    begins: list[int] = []

    def batches(_start: int) -> Iterator[tuple[Any, list[Half]]]:
        size, seen = 1, 0
        for _ in range(settings.epochs):
            begins.append(seen)
            halves = [_halves(pieces[at], chance) for at in chance.permutation(len(pieces))]
            left = [halves[at : at + settings.batch] for at in range(0, len(halves), settings.batch)]
            while left:
                group, left = left[:size], left[size:]
                for batch in _with_negatives(bag, group):
                    yield batch
                    seen += 1
                    size += seen % settings.anneal == 0 and size < settings.megabatch

    def losses(batch: tuple[Any, list[Half]]) -> Iterator[Any]:
        indices, halves_of = batch
        yield _margin_loss(_encode(bag, halves_of), indices, settings.margin)

    optimiser = torch.optim.Adam(bag.parameters(), lr=settings.learning_rate, fused=True)
    course = Course(-(-len(pieces) // settings.batch) * settings.epochs, decay=False, clip=settings.gradient_norm)
    with seeded(settings.seed, threads=1):  # a different order of summation would give different weights
        done = train(bag, optimiser, batches, losses, course, report)
    found: NDArray[np.float32] = bag.weight.detach().numpy().copy()
    epochs = [done.losses[start:end] for start, end in pairwise([*begins, done.step])]
    return found, [sum(own) / max(1, len(own)) for own in epochs]


Half = Any  # an array of piece ids
Batch = Sequence[tuple[Half, Half]]


def _halves(ids: NDArray[np.int64], chance: np.random.Generator) -> tuple[Half, Half]:
    shuffled = chance.permutation(ids)
    return shuffled[: len(ids) // 2], shuffled[len(ids) // 2 :]


def _with_negatives(bag: Any, group: Sequence[Batch]) -> Iterator[tuple[Any, list[Half]]]:
    """Yields, for each batch, the distinct halves, and the indexes among them of (left, right, far left, far right),
    (4, batch). The hardest negatives are searched in the whole group, with the weights before its first step."""
    lefts = [left for batch in group for left, _ in batch]
    rights = [right for batch in group for _, right in batch]
    count = len(lefts)
    if count < 2:  # nothing to compare it with
        return
    with torch.no_grad():
        vectors = torch.nn.functional.normalize(_encode(bag, [*lefts, *rights]))
        alike = vectors[:count] @ vectors[count:].T
        alike.fill_diagonal_(-2.0)
        far_right, far_left = alike.argmax(dim=1) + count, alike.argmax(dim=0)
    start = 0
    for batch in group:
        own = torch.arange(start, start + len(batch))
        asked = torch.stack([own, own + count, far_left[own], far_right[own]])
        used, indices = torch.unique(asked, return_inverse=True)
        yield indices, [lefts[at] if at < count else rights[at - count] for at in used.tolist()]
        start += len(batch)


def _margin_loss(vectors: Any, indices: Any, margin: float) -> Any:
    left, right, far_left, far_right = torch.nn.functional.normalize(vectors)[indices]
    near = (left * right).sum(dim=1)
    beside = [(left * far_right).sum(dim=1), (right * far_left).sum(dim=1)]
    return sum(torch.clamp(margin - near + far, min=0.0).mean() for far in beside)


def _encode(bag: Any, halves: Sequence[Half]) -> Any:
    offsets = np.cumsum([0, *map(len, halves[:-1])])
    return bag(torch.from_numpy(np.concatenate(halves)), torch.from_numpy(offsets.astype(np.int64)))
