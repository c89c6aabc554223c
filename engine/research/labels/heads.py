"""Trains heads: three views are fitted to the sentences, and the last step to the views' predictions for unseen ones.

The sentences are divided into folds by paper. For each fold, the views are fitted without it and applied to it; the
last step, its thresholds and the calibration use only these predictions. Then the views are fitted to everything. All
randomness is seeded, and the networks are fitted on one thread, so that the same data give the same heads.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import not_trained
from engine.jobs import Report
from engine.models import Embedder
from engine.research.trainer import Course, seeded, train
from engine.reviews.labels.features import ReviewSentences, Vectors, letter_grams, matrix, vocabulary, word_grams
from engine.reviews.labels.heads import (
    NONE,
    Head,
    Heads,
    Network,
    Target,
    about_sentences,
    decide,
    joined,
    network_inputs,
    stack_inputs,
)
from engine.reviews.labels.measures import (
    accuracy,
    best_balance,
    best_thresholds,
    calibration_error,
    macro_f1,
    micro_f1,
    promises,
)
from engine.reviews.labels.records import LabelledReview, Layer
from engine.reviews.labels.taxonomy import layer as layer_info

Indices = NDArray[np.intp]
Truth = Vectors
"""(sentences, labels): 1 if a label applies, 0 if not, -1 in rows of which nothing is known."""


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """Hyperparameters of heads, chosen by cross-validation (docs/methods-labels.md).

    ``lexical_cost``, ``stack_cost``, ``softmax_cost``: C of the regressions; the last one joins views for targets with
    exactly one label. ``least_words``, ``least_letters``: the fewest sentences that contain an n-gram. ``hidden``:
    units of the networks; ``..._rounds``: epochs of training.
    """

    lexical_cost: float = 2.0
    stack_cost: float = 0.01
    softmax_cost: float = 0.02
    least_words: int = 2
    least_letters: int = 4
    hidden: int = 192
    own_rounds: int = 16
    around_rounds: int = 10
    dropout: float = 0.5
    learning_rate: float = 2e-3
    batch: int = 64
    folds: int = 5
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Examples:
    """Sentences with their known labels. ``reviews``: in order; ``groups``: (reviews,), each review's paper. ``truth``:
    by target name, (sentences, labels) as ``Truth``. ``vectors``: from the encoder."""

    reviews: tuple[ReviewSentences, ...]
    groups: tuple[str, ...]
    targets: tuple[Target, ...]
    truth: Mapping[str, Truth]
    vectors: Vectors

    @property
    def sizes(self) -> list[int]:
        return [len(review.texts) for review in self.reviews]

    @property
    def texts(self) -> list[str]:
        return [text for review in self.reviews for text in review.texts]

    def sentence_groups(self) -> NDArray[np.intp]:
        """Returns the number of each sentence's paper, (sentences,)."""
        numbers = {group: at for at, group in enumerate(dict.fromkeys(self.groups))}
        return np.repeat([numbers[group] for group in self.groups], self.sizes)


def layer_target(name: Layer) -> Target:
    """Returns the target for a layer of the taxonomy; the aspect may be none."""
    info = layer_info(name)
    labels = tuple(option.id for option in info.labels)
    return Target(name, labels if info.several or name != "aspect" else (*labels, NONE), info.several)


def examples(
    reviews: Sequence[LabelledReview], targets: Sequence[Target], embedder: Embedder, report: Report
) -> Examples:
    """Converts annotated reviews to examples. If a sentence has several aspects, the rarest one is learnt, since
    annotators add common ones to others. Raises BadInput if there is no sentence, and Cancelled."""
    kept = [review for review in reviews if review.sentences]
    sentences = tuple(ReviewSentences.of(review) for review in kept)
    if not sentences:
        raise not_trained("There is no labelled sentence.", "Label some sentences first.")
    truth = truths(kept, targets)
    vectors = embedder.encode([text for review in sentences for text in review.texts], report)
    return Examples(sentences, tuple(review.paper for review in kept), tuple(targets), truth, vectors)


def truths(reviews: Sequence[LabelledReview], targets: Sequence[Target]) -> dict[str, Truth]:
    """Returns the known labels of the sentences of ``reviews``, by target name."""
    return {target.name: _truth(reviews, target) for target in targets}


def _truth(reviews: Sequence[LabelledReview], target: Target) -> Truth:
    counts: dict[str, int] = dict.fromkeys(target.labels, 0)
    said = [sentence.layers.get(target.name) for review in reviews for sentence in review.sentences]  # type: ignore[call-overload]
    for labels in said:
        for label in labels or ():
            counts[label] += 1
    truth = np.full((len(said), len(target.labels)), -1, dtype=np.float32)
    for row, labels in zip(truth, said, strict=True):
        if labels is None or (not labels and not target.several and NONE not in target.labels):
            continue
        row[:] = 0
        chosen = labels if target.several else (min(labels, key=lambda label: counts[label]) if labels else NONE,)
        for label in chosen:
            row[target.labels.index(label)] = 1
    return truth


def labels_learnt(data: Examples, chosen: Indices) -> dict[str, list[str]]:
    """Returns, by target, the labels that occur in the ``chosen`` sentences; others can't be learnt."""
    counts = {target: (data.truth[target.name][chosen] > 0).sum(axis=0) for target in data.targets}
    return {
        target.name: [label for label, count in zip(target.labels, found, strict=True) if count]
        for target, found in counts.items()
    }


def split(data: Examples, *, by: str, seed: int) -> tuple[Indices, ...]:
    """Splits sentences into training, development and test (70, 10 and 20 %), at random ``by``
    "sentence" or "paper"."""
    rng = np.random.default_rng(seed)
    groups = np.arange(len(data.texts)) if by == "sentence" else data.sentence_groups()
    order = rng.permutation(int(groups.max()) + 1)
    first, second = (int(share * len(order) + 1e-9) for share in (0.7, 0.8))
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    mine = rank[groups]
    return tuple(np.flatnonzero(mask) for mask in (mine < first, (mine >= first) & (mine < second), mine >= second))


def fit(
    data: Examples,
    settings: HeadSettings,
    report: Report,
    *,
    chosen: Indices | None = None,
    development: Indices | None = None,
    by_sentence: bool = False,
    prior: Heads | None = None,
    dealt: Indices | None = None,
    fitted: "dict[bytes, _Views] | None" = None,
) -> tuple[Heads, dict[str, Vectors], dict[str, NDArray[np.bool_]]]:
    """Fits heads to the ``chosen`` sentences (default: all). Returns them, the probabilities of all sentences, and the
    predicted labels, from regressions and thresholds fitted on other sentences. Other texts are only read as
    neighbours. The card has the figures of the inner cross-validation.

    No view is applied to a sentence that it was fitted to, or to its neighbours. In a split by sentence, the neighbours
    of a test sentence are training sentences, whose labels fitted views have memorised; probabilities based on these
    would use labels that a new review doesn't have.

    Args:
        development: further sentences for choosing thresholds.
        by_sentence: folds by sentence, for a split by sentence.
        prior: heads of other reviews whose predictions may be used.
        dealt: (sentences,): the fold of each sentence; by default chosen by paper with the seed.
        fitted: a cache of views by the sentences they were fitted to, shared by outer folds.

    Raises BadInput (a target has too few examples) and Cancelled.
    """
    everything = np.arange(len(data.texts)) if chosen is None else chosen
    known = {target.name: _known(data, target, everything) for target in data.targets}
    fold = _folds(data, everything, settings, by_sentence=by_sentence) if dealt is None else dealt[everything]
    prepared = _Prepared.of(data)

    def views_of(rows: Indices, part: Report) -> _Views:
        known_views = {} if fitted is None else fitted
        key = rows.tobytes()
        if key not in known_views:
            known_views[key] = _views(prepared, data, settings, rows, part)
        return known_views[key]

    answers = [np.zeros((len(data.texts), sum(len(t.labels) for t in data.targets)), np.float32) for _ in range(3)]
    steps = settings.folds + 1
    for at, number in enumerate(np.unique(fold)):
        views = views_of(everything[fold != number], report.part(at / steps, (at + 1) / steps))
        for answer, view in zip(answers, views.said, strict=True):
            answer[everything[fold == number]] = view[everything[fold == number]]
    full = views_of(everything, report.part(settings.folds / steps, 1.0))
    unseen = np.setdiff1d(np.arange(len(data.texts)), everything)
    for answer, view in zip(answers, full.said, strict=True):
        answer[unseen] = view[unseen]
    said = (answers[0], answers[1], answers[2])
    about = about_sentences(data.reviews, data.vectors, prior)
    judged = everything if development is None else np.concatenate([everything, development])
    folds = np.full(len(data.texts), -1, dtype=np.intp)
    folds[everything] = fold
    last = [
        _last_step(data, target, said, about, known[target.name], judged, folds, settings) for target in data.targets
    ]
    heads = tuple(step.head for step in last)
    card = {
        "cross_validation": {step.head.target.name: step.figures for step in last},
        "suggestions": {step.head.target.name: step.suggestions for step in last},
        "learnt": labels_learnt(data, everything),
        "sentences": len(everything),
        "settings": asdict(settings),
    }
    made = Heads(
        full.words, full.letters, full.lexical, full.own, full.around, heads, card, prior.digest if prior else ""
    )
    chances = {step.head.target.name: step.chances for step in last}
    return made, chances, {step.head.target.name: step.held for step in last}


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What stays the same for all folds."""

    words: list[Any]
    letters: list[Any]
    own: Vectors
    around: Vectors

    @classmethod
    def of(cls, data: Examples) -> "_Prepared":
        own, around = network_inputs(data.reviews, data.vectors)
        texts = data.texts
        return cls([word_grams(text) for text in texts], [letter_grams(text) for text in texts], own, around)


@dataclass(frozen=True, slots=True)
class _Views:
    """Fitted views, and their predictions for all sentences."""

    words: Any
    letters: Any
    lexical: Vectors
    own: Network
    around: Network
    said: tuple[Vectors, Vectors, Vectors]


def _known(data: Examples, target: Target, among: Indices) -> Indices:
    truth = data.truth[target.name]
    known: Indices = among[truth[among, 0] >= 0]
    if len(known) < 20 or (truth[known].sum(axis=0) > 0).sum() < 2:
        raise not_trained(
            f"There are too few labels of {target.name} to learn from ({len(known)} sentences).",
            "Label at least 20 sentences, with two different labels.",
        )
    return known


def _folds(data: Examples, among: Indices, settings: HeadSettings, *, by_sentence: bool) -> NDArray[np.intp]:
    """Returns each sentence's fold, (len(among),); by paper if there are enough papers."""
    rng = np.random.default_rng(settings.seed)
    groups = data.sentence_groups()[among]
    if by_sentence or len(np.unique(groups)) < settings.folds:
        return rng.permutation(len(among)) % settings.folds
    names, which = np.unique(groups, return_inverse=True)
    dealt: NDArray[np.intp] = (rng.permutation(len(names)) % settings.folds)[which]
    return dealt


def _views(prepared: _Prepared, data: Examples, settings: HeadSettings, rows: Indices, report: Report) -> _Views:
    from scipy.sparse import csr_matrix, hstack

    words = vocabulary([prepared.words[row] for row in rows], settings.least_words)
    letters = vocabulary([prepared.letters[row] for row in rows], settings.least_letters)
    report.progress(0.05, "Counting words")
    grams = csr_matrix(
        hstack(
            [
                matrix(words.rows(prepared.words), len(words.hashes)),
                matrix(letters.rows(prepared.letters), len(letters.hashes)),
            ]
        )
    )
    truth = np.hstack([data.truth[target.name] for target in data.targets])
    lexical = np.zeros((grams.shape[1] + 1, truth.shape[1]), np.float32)
    for column in range(truth.shape[1]):
        report.progress(0.1 + 0.4 * column / truth.shape[1], "Learning from words")
        mine = rows[truth[rows, column] >= 0]
        lexical[:, column] = _logistic(grams[mine], truth[mine, column], settings.lexical_cost)
    lexical = lexical.astype(np.float16).astype(np.float32)
    own = _network(
        prepared.own, truth, rows, settings=settings, rounds=settings.own_rounds, report=report.part(0.5, 0.7)
    )
    around = _network(
        prepared.around, truth, rows, settings=settings, rounds=settings.around_rounds, report=report.part(0.7, 1.0)
    )
    said = np.asarray(grams @ lexical[:-1] + lexical[-1], dtype=np.float32)
    return _Views(words, letters, lexical, own, around, (said, own(prepared.own), around(prepared.around)))


def _logistic(inputs: Any, truth: Vectors, cost: float) -> Vectors:
    """Returns weights followed by the intercept. A label that always or never applies has zero weights."""
    held = float(truth.mean()) if len(truth) else 0.0
    if held in {0.0, 1.0}:
        return np.append(np.zeros(inputs.shape[1]), -6.0 if held == 0.0 else 6.0).astype(np.float32)
    model = regression(inputs, truth > 0, C=cost, solver="liblinear", tol=1e-2, max_iter=200)
    return np.append(model.coef_[0], model.intercept_[0]).astype(np.float32)


def _softmax(inputs: Vectors, truth: Vectors, cost: float) -> tuple[Vectors, Vectors]:
    """Returns weights (features, labels) and intercepts. A label that never occurs is never predicted."""
    chosen = truth.argmax(axis=1)
    weights = np.zeros((inputs.shape[1], truth.shape[1]), np.float32)
    intercept = np.full(truth.shape[1], -30, np.float32)
    if len(np.unique(chosen)) == 1:
        intercept[chosen[:1]] = 0
        return weights, intercept
    model = regression(inputs.astype(np.float64), chosen, C=cost, max_iter=300)
    if len(model.classes_) == 2:  # one column, for the second class
        first, second = model.classes_
        weights[:, second], intercept[first], intercept[second] = model.coef_[0], 0, model.intercept_[0]
    else:
        weights[:, model.classes_], intercept[model.classes_] = model.coef_.T, model.intercept_
    return weights, intercept


def regression(inputs: Any, truth: Any, **how: Any) -> Any:
    """Fits a logistic regression (scikit-learn), without a warning if it doesn't converge."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(**how).fit(inputs, truth)


def _network(
    inputs: Vectors, truth: Truth, rows: Indices, *, settings: HeadSettings, rounds: int, report: Report
) -> Network:
    """Trains one hidden layer: AdamW with a decreasing rate, binary cross-entropy over known labels; on one thread."""
    import torch

    generator = torch.Generator().manual_seed(settings.seed)
    first = torch.nn.Linear(inputs.shape[1], settings.hidden)
    second = torch.nn.Linear(settings.hidden, truth.shape[1])
    layers = torch.nn.ModuleList([first, second])
    with torch.no_grad():
        for part in (first, second):
            bound = part.in_features**-0.5
            for parameter in (part.weight, part.bias):
                parameter.uniform_(-bound, bound, generator=generator)
    given, wanted = torch.from_numpy(inputs), torch.from_numpy(truth)

    def batches(_start: int) -> Iterator[Any]:
        while True:
            order = torch.from_numpy(rows)[torch.randperm(len(rows), generator=generator)]
            yield from torch.split(order, settings.batch)

    def losses(batch: Any) -> Iterator[Any]:
        shown = _dropped(given[batch], 0.4 * settings.dropout, generator)
        hidden = _dropped(torch.nn.functional.gelu(first(shown)), settings.dropout, generator)
        target = wanted[batch]
        found = torch.nn.functional.binary_cross_entropy_with_logits(
            second(hidden), target.clamp(min=0), reduction="none"
        )
        counted = target >= 0
        yield (found * counted).sum() / counted.sum().clamp(min=1)

    optimiser = torch.optim.AdamW(layers.parameters(), lr=settings.learning_rate)
    course = Course(rounds * -(-len(rows) // settings.batch), clip=0.0, title="Learning from the encoder's vectors")
    with seeded(settings.seed, threads=1):
        train(layers, optimiser, batches, losses, course, report)
    # Rounded as they will be stored.
    tensors = [first.weight, first.bias, second.weight, second.bias]
    return Network(*(t.detach().numpy().astype(np.float16).astype(np.float32) for t in tensors))


def _dropped(values: Any, share: float, generator: Any) -> Any:
    import torch

    kept = torch.rand(values.shape, generator=generator) >= share
    return values * kept / (1 - share)


@dataclass(frozen=True, slots=True)
class _LastStep:
    """``chances`` and ``held`` of all sentences; ``figures`` and ``suggestions`` (from ``promises``) are computed from
    these."""

    head: Head
    chances: Vectors
    held: NDArray[np.bool_]
    figures: dict[str, float]
    suggestions: dict[str, Any]


def _last_step(  # noqa: PLR0917 (the views' predictions, and the rows to use)
    data: Examples,
    target: Target,
    said: tuple[Vectors, Vectors, Vectors],
    about: Vectors,
    known: Indices,
    judged: Indices,
    folds: Indices,
    settings: HeadSettings,
) -> _LastStep:
    """Fits the joining regression, and chooses thresholds on predictions for sentences it wasn't fitted to."""
    inputs = stack_inputs(target, data.targets, said, data.sizes, about)
    truth = data.truth[target.name]

    def joining(rows: Indices) -> Head:
        if not target.several:
            stack, intercept = _softmax(inputs[rows], truth[rows], settings.softmax_cost)
            return Head(target, stack, intercept, np.ones(truth.shape[1], np.float32))
        columns = [
            _logistic(inputs[rows], truth[rows, column], settings.stack_cost) for column in range(truth.shape[1])
        ]
        weights = np.stack(columns, axis=1)
        return Head(target, weights[:-1], weights[-1], np.ones(truth.shape[1], np.float32))

    head = joining(known)
    chances = joined(head, data.targets, said, data.sizes, about)
    for number in np.unique(folds[known]):
        part = joined(joining(known[folds[known] != number]), data.targets, said, data.sizes, about)
        held = known[folds[known] == number]
        chances[held] = part[held]
    rows = judged[truth[judged, 0] >= 0]
    choose = best_thresholds if target.several else best_balance

    def cut(rows: Indices) -> Head:
        return replace(head, thresholds=choose(truth[rows], chances[rows]).astype(np.float32))

    done = cut(rows)
    held = decide(done, chances)
    for number in np.unique(folds[known]):
        mine = known[folds[known] == number]
        held[mine] = decide(cut(rows[folds[rows] != number]), chances[mine])
    offered = held[known] & (np.array(target.labels) != NONE)
    suggestions = promises(truth[known], chances[known], offered, data.sentence_groups()[known], target.labels)
    return _LastStep(done, chances, held, figures(truth[known], chances[known], held[known]), suggestions)


def figures(truth: Truth, chances: Vectors, held: NDArray[np.bool_]) -> dict[str, float]:
    """Returns the figures for a card: micro- and macro-F1, accuracy (all labels of a sentence correct), calibration
    error."""
    return {
        "micro_f1": round(micro_f1(truth, held), 4),
        "macro_f1": round(macro_f1(truth, held), 4),
        "accuracy": round(accuracy(truth, held), 4),
        "calibration_error": round(calibration_error(truth, chances), 4),
        "sentences": len(truth),
    }
