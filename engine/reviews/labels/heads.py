"""Heads: small models on the bundled encoder's vectors that predict the labels of review sentences.

Three views of a sentence are scored separately and then combined, label by label:

1. ``lexical``: a logistic regression over word and letter n-grams (``features``);
2. ``own``: a network with one hidden layer over the sentence's vector and its position in the review;
3. ``around``: the same over the vectors of the sentence and its neighbours.

Their scores for the sentence, its neighbours and the rest of the review, and features of wording and layout
(``features``), are combined by a last regression, logistic or softmax, fitted on predictions for sentences that the
three had not seen (stacking; Wolpert 1992). So its probabilities are calibrated, and a label can depend on those around
it. Heads may build on ``prior`` heads, whose predictions are additional features, so that a few labels of one's own
suffice. Prediction needs only numpy.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from engine.errors import BadInput, EnvironmentProblem
from engine.files import write_whole
from engine.reviews.labels.features import (
    ReviewSentences,
    Vectors,
    Vocabulary,
    letter_grams,
    neighbours,
    positions,
    surroundings,
    word_grams,
)

VERSION = 1
NONE = "none"
"""The class of a single-label layer that means that none of its labels applies."""
VIEW_WEIGHTS = (0.5, 0.25, 0.25)
"""Weights of the views in the mean that summarises neighbours."""
SCALE_OWN, SCALE_AROUND = 8.0, 4.0
"""Unit vectors have tiny entries; networks learn faster from entries near 1."""


@dataclass(frozen=True, slots=True)
class Target:
    """A classification task. ``several``: any number of ``labels`` may apply, otherwise exactly one does."""

    name: str
    labels: tuple[str, ...]
    several: bool


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer with GELU (exact): x -> w2 gelu(w1 x + b1) + b2."""

    w1: Vectors
    b1: Vectors
    w2: Vectors
    b2: Vectors

    def __call__(self, inputs: Vectors) -> Vectors:
        hidden = inputs @ self.w1.T + self.b1
        return (gelu(hidden) @ self.w2.T + self.b2).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Head:
    """The last step for one target.

    ``stack``: (features, labels), ``intercept``: (labels,). ``thresholds``: (labels,): with several labels, each
    applies from its threshold on; otherwise the one with the highest ratio of probability to threshold does.
    """

    target: Target
    stack: Vectors
    intercept: Vectors
    thresholds: Vectors


@dataclass(frozen=True)
class Heads:
    """Everything needed to predict labels; see the module. ``card`` describes the training data and the quality.

    ``words``, ``letters``: vocabularies; ``lexical``: (their sizes together + 1, all labels), the last row is the
    intercept. Columns of ``lexical``, ``own`` and ``around`` are in the order of the targets' labels.
    """

    words: Vocabulary
    letters: Vocabulary
    lexical: Vectors
    own: Network
    around: Network
    heads: tuple[Head, ...]
    card: Mapping[str, Any] = field(default_factory=dict)
    prior: str = ""
    """The digest of the heads that these build on; empty if there are none."""

    @property
    def digest(self) -> str:
        """SHA-256 of the weights, first 16 hex digits."""
        return hashlib.sha256(to_bytes(self)).hexdigest()[:16]

    @property
    def origin(self) -> str:
        return f"model:{self.card.get('id', 'heads')}@{self.card.get('version', '0')}"

    @property
    def targets(self) -> tuple[Target, ...]:
        return tuple(head.target for head in self.heads)

    def chances(
        self, reviews: Sequence[ReviewSentences], vectors: Vectors, prior: "Heads | None" = None
    ) -> dict[str, Vectors]:
        """Returns for each target the probabilities (sentences of all reviews, labels), which sum to 1 per sentence if
        only one label applies. ``vectors``: the encoder's, a row per sentence; ``prior``: the heads that these build
        on."""
        views = self.views(reviews, vectors)
        sizes = [len(review.texts) for review in reviews]
        about = about_sentences(reviews, vectors, prior)
        return {head.target.name: joined(head, self.targets, views, sizes, about) for head in self.heads}

    def views(self, reviews: Sequence[ReviewSentences], vectors: Vectors) -> tuple[Vectors, Vectors, Vectors]:
        """Returns the scores of the three views: each (sentences, all labels), as log odds."""
        own, around = network_inputs(reviews, vectors)
        lexical, _ = self.by_words([text for review in reviews for text in review.texts])
        return lexical, self.own(own), self.around(around)

    def by_words(self, texts: Sequence[str]) -> tuple[Vectors, NDArray[np.intp]]:
        """Returns the lexical view of sentences, and how many n-grams of words it knows in each."""
        words = self.words.rows([word_grams(text) for text in texts])
        letters = self.letters.rows([letter_grams(text) for text in texts])
        split = len(self.words.hashes)
        lexical = np.tile(self.lexical[-1], (len(texts), 1))
        for at, ((word_at, word_weight), (letter_at, letter_weight)) in enumerate(zip(words, letters, strict=True)):
            lexical[at] += word_weight @ self.lexical[word_at] + letter_weight @ self.lexical[split + letter_at]
        return lexical, np.array([len(known) for known, _ in words], dtype=np.intp)


def network_inputs(reviews: Sequence[ReviewSentences], vectors: Vectors) -> tuple[Vectors, Vectors]:
    """Returns the inputs of the two networks: (sentences, d + positions) and (sentences, 3 d + positions)."""
    sizes = [len(review.texts) for review in reviews]
    places = positions(reviews)
    own = np.hstack([SCALE_OWN * vectors, places]).astype(np.float32)
    beside = [SCALE_AROUND * neighbours(vectors, sizes, distance) for distance in (-1, 1)]
    return own, np.hstack([SCALE_OWN * vectors, *beside, places]).astype(np.float32)


def about_sentences(reviews: Sequence[ReviewSentences], vectors: Vectors, prior: Heads | None) -> Vectors:
    """Returns the last step's features besides the views: ``features.surroundings``, additional ones of the reviews,
    and the prior heads' log odds for the sentence and the ones before and after it."""
    about = surroundings(reviews)
    further = [review.further for review in reviews if review.further is not None]
    if further:
        about = np.hstack([about, np.vstack(further)]).astype(np.float32)
    if prior is None:
        return about
    chances = prior.chances(reviews, vectors)
    said = np.hstack([0.5 * log_odds(chances[target.name]) for target in prior.targets])
    sizes = [len(review.texts) for review in reviews]
    return np.hstack([about, said, *(neighbours(said, sizes, distance) for distance in (-1, 1))]).astype(np.float32)


def stack_inputs(
    target: Target,
    targets: Sequence[Target],
    views: tuple[Vectors, Vectors, Vectors],
    sizes: Sequence[int],
    about: Vectors,
) -> Vectors:
    """Returns the input of the last step: the views' log odds of the target's labels, the mean probabilities of all
    other targets' labels, of the target's labels for two sentences before and after, and of all labels for the rest of
    the review, and the features ``about`` the sentences."""
    start = 0
    columns = slice(0, 0)
    for other in targets:
        if other.name == target.name:
            columns = slice(start, start + len(other.labels))
        start += len(other.labels)
    mean = mean_chances(views)
    mine = mean[:, columns]
    elsewhere = np.delete(mean, np.arange(mean.shape[1])[columns], axis=1)
    beside = [neighbours(mine, sizes, distance) for distance in (-1, 1, -2, 2)]
    odds = [np.clip(view[:, columns], -8, 8) for view in views]
    rest = rest_of_review(mean, sizes)
    parts = [*odds, log_odds(mine), 3 * elsewhere, *(3 * part for part in beside), 3 * rest, about]
    return np.hstack(parts).astype(np.float32)


def rest_of_review(values: Vectors, sizes: Sequence[int]) -> Vectors:
    """Returns for each row the mean of the other rows of its review; zeros if there are none."""
    which = np.repeat(np.arange(len(sizes)), sizes)
    total = np.zeros((len(sizes), values.shape[1]), np.float32)
    np.add.at(total, which, values)
    others = np.asarray(sizes, dtype=np.float32)[which] - 1
    means: Vectors = ((total[which] - values) / np.maximum(others, 1)[:, None]).astype(np.float32)
    means[others == 0] = 0
    return means


def mean_chances(views: tuple[Vectors, Vectors, Vectors]) -> Vectors:
    total = sum(weight * sigmoid(view) for weight, view in zip(VIEW_WEIGHTS, views, strict=True))
    return np.asarray(total, dtype=np.float32)


def joined(
    head: Head, targets: Sequence[Target], views: tuple[Vectors, Vectors, Vectors], sizes: Sequence[int], about: Vectors
) -> Vectors:
    """Returns the calibrated probabilities of one target."""
    odds = stack_inputs(head.target, targets, views, sizes, about) @ head.stack + head.intercept
    if head.target.several:
        return sigmoid(odds)
    raised = np.exp(odds - odds.max(axis=1, keepdims=True))
    summing: Vectors = (raised / raised.sum(axis=1, keepdims=True)).astype(np.float32)
    return summing


def decide(head: Head, chances: Vectors) -> NDArray[np.bool_]:
    """Returns which labels are assigned, (sentences, labels)."""
    if head.target.several:
        held: NDArray[np.bool_] = chances >= head.thresholds
        return held
    best = np.argmax(chances / head.thresholds, axis=1)
    one: NDArray[np.bool_] = np.arange(len(head.target.labels)) == best[:, None]
    return one


def sigmoid(odds: Vectors) -> Vectors:
    chances: Vectors = (0.5 * (1.0 + np.tanh(0.5 * odds))).astype(np.float32)
    return chances


def log_odds(chances: Vectors) -> Vectors:
    """Converts probabilities to log odds, clipped away from 0 and 1."""
    kept = np.clip(chances, 1e-4, 1 - 1e-4)
    odds: Vectors = np.log(kept / (1 - kept)).astype(np.float32)
    return odds


def gelu(values: Vectors) -> Vectors:
    """Returns x Phi(x), with the error function by Abramowitz and Stegun 7.1.26 (off by at most 1.5e-7)."""
    x = np.abs(values) / np.float32(np.sqrt(2.0))
    t = 1.0 / (1.0 + 0.3275911 * x)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(values) * (1.0 - series * np.exp(-(x**2)))
    curved: Vectors = (0.5 * values * (1.0 + erf)).astype(np.float32)
    return curved


# files ----------------------------------------------------------------------------------------------------------------


def to_bytes(heads: Heads) -> bytes:
    """Returns the weights as safetensors, in half precision, without the card."""
    tensors: dict[str, NDArray[Any]] = {
        "words.hashes": heads.words.hashes,
        "words.idf": heads.words.idf.astype(np.float16),
        "letters.hashes": heads.letters.hashes,
        "letters.idf": heads.letters.idf.astype(np.float16),
        "lexical": heads.lexical.astype(np.float16),
    }
    for name, network in (("own", heads.own), ("around", heads.around)):
        for part in ("w1", "b1", "w2", "b2"):
            tensors[f"{name}.{part}"] = getattr(network, part).astype(np.float16)
    for head in heads.heads:
        for part in ("stack", "intercept", "thresholds"):
            tensors[f"{head.target.name}.{part}"] = getattr(head, part).astype(np.float32)
    # A single entry, since the order of several would change from run to run.
    meta = {
        "heads": json.dumps(
            {"format": VERSION, "targets": [[t.name, t.labels, t.several] for t in heads.targets], "prior": heads.prior}
        )
    }
    return bytes(save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, metadata=meta))


def from_bytes(content: bytes, card: Mapping[str, Any]) -> Heads:
    """Creates heads from safetensors and their card.

    Raises:
        BadInput: it isn't such a file, or it has a newer version.
    """
    try:
        size = int.from_bytes(content[:8], "little")
        meta = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["heads"])
        if int(meta["format"]) > VERSION:
            raise BadInput("These heads were made by a newer Rejoinder.", "They are not used.", "Train them again.")
        tensors = load(content)
        targets = [Target(name, tuple(labels), bool(several)) for name, labels, several in meta["targets"]]

        def single(name: str) -> Vectors:
            return tensors[name].astype(np.float32)

        networks = [
            Network(*(single(f"{name}.{part}") for part in ("w1", "b1", "w2", "b2"))) for name in ("own", "around")
        ]
        return Heads(
            words=Vocabulary(tensors["words.hashes"], single("words.idf")),
            letters=Vocabulary(tensors["letters.hashes"], single("letters.idf")),
            lexical=single("lexical"),
            own=networks[0],
            around=networks[1],
            heads=tuple(
                Head(t, *(single(f"{t.name}.{part}") for part in ("stack", "intercept", "thresholds"))) for t in targets
            ),
            card=card,
            prior=str(meta["prior"]),
        )
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError, MemoryError) as error:
        raise BadInput(
            f"These heads can't be read ({type(error).__name__}: {error}).", "They are not used.", "Train them again."
        ) from error


def write(heads: Heads, folder: Path, name: str) -> tuple[Path, Path]:
    """Writes ``name.safetensors`` and ``name.json`` (the card). Raises EnvironmentProblem."""
    weights, card = folder / f"{name}.safetensors", folder / f"{name}.json"
    write_whole(weights, to_bytes(heads), make_folders=True)
    write_whole(card, (json.dumps(heads.card, indent=1, ensure_ascii=False) + "\n").encode())
    return weights, card


def read(folder: Path, name: str) -> Heads:
    """Reads what ``write`` wrote. Raises EnvironmentProblem if it is missing or damaged."""
    try:
        card = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        return from_bytes((folder / f"{name}.safetensors").read_bytes(), card)
    except (OSError, ValueError) as error:
        what = f"The folder {folder} has no heads ({name}.json and {name}.safetensors), or they are damaged."
        raise EnvironmentProblem(
            what, "Nothing was labelled with them.", "Choose the folder that was trained."
        ) from error


def shipped_folder() -> Path:
    return Path(str(resources.files("resources").joinpath("heads")))


SHIPPED = "peer-review-analyze"
"""The name of the bundled heads, and their id in the provenance of labels."""


def shipped() -> Heads:
    """Returns the bundled heads. Raises EnvironmentProblem if they are missing or damaged."""
    try:
        return read(shipped_folder(), SHIPPED)
    except BadInput as error:
        raise EnvironmentProblem(error.what, "Labels come only from rules.") from error


def calm(sentences: Sequence[str]) -> bool:
    """Returns whether no sentence is a negative judgement by its words, according to the bundled heads; False if they
    are missing or hardly know a sentence's words, as in another language. Needs no encoder."""
    heads = _kept(shipped_folder())
    labels = [label for one in heads for target in one.targets for label in target.labels]
    if "negative" not in labels or not sentences:
        return False
    odds, known = heads[0].by_words(sentences)
    sizes = np.array([len(sentence.encode()) for sentence in sentences])
    return bool((odds[:, labels.index("negative")] < CALM).all() and (sizes <= _BYTES_KNOWN * known).all())


CALM = -1.5
"""Log odds of a negative judgement below which a sentence is calm; the inner loop's choice (docs/methods-labels.md)."""
_BYTES_KNOWN = 8
"""Most bytes per known n-gram: 3 to 5 in English reviews."""


@cache
def _kept(_folder: Path) -> tuple[Heads, ...]:
    return shipped_or_none()


def shipped_or_none() -> tuple[Heads, ...]:
    """Returns the bundled heads, or nothing if they are missing."""
    try:
        return (shipped(),)
    except EnvironmentProblem:
        return ()


def shipped_chances(reviews: Sequence[ReviewSentences], vectors: Vectors, fingerprint: str) -> Vectors:
    """Returns the bundled heads' probabilities (sentences, labels of all their layers). ``vectors`` are those of the
    encoder with this ``fingerprint``; no columns if the heads were trained with another encoder."""
    heads = shipped()
    if heads.card.get("encoder_fingerprint") != fingerprint:
        return np.zeros((len(vectors), 0), np.float32)
    found = heads.chances(reviews, vectors)
    return np.hstack([found[target.name] for target in heads.targets])
