"""ELMo: the published layout with tiny random weights, against the equations written out word by word in numpy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import BadInput, Cancelled
from engine.expertise.algorithms.elmo_model import ElmoEmbedder, words
from engine.expertise.algorithms.registry import make_algorithm
from engine.jobs import QuietReport
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers

SIZE, CELLS, CHARACTERS = 6, 10, 50
FILTERS = [[1, 4], [2, 4], [3, 8]]
OPTIONS = {
    "lstm": {
        "use_skip_connections": True, "projection_dim": SIZE, "cell_clip": 3, "proj_clip": 3, "dim": CELLS,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu", "filters": FILTERS, "n_highway": 2, "embedding": {"dim": 4}, "n_characters": 262,
        "max_characters_per_token": CHARACTERS,
    },
}  # fmt: skip


def write_elmo(folder: Path, scale: float = 0.6, **changed: Any) -> dict[str, np.ndarray]:
    """The two published files with random weights; returns these by path."""
    import h5py

    chance = np.random.default_rng(3)
    total = sum(count for _, count in FILTERS)
    shapes: dict[str, tuple[int, ...]] = {
        "char_embed": (261, 4), "CNN_proj/W_proj": (total, SIZE), "CNN_proj/b_proj": (SIZE,),
    }  # fmt: skip
    for at, (width, count) in enumerate(FILTERS):
        shapes |= {f"CNN/W_cnn_{at}": (1, width, 4, count), f"CNN/b_cnn_{at}": (count,)}
    for at in range(2):
        for name in ("carry", "transform"):
            shapes |= {f"CNN_high_{at}/W_{name}": (total, total), f"CNN_high_{at}/b_{name}": (total,)}
    for side in range(2):
        for at in range(2):
            stem = f"RNN_{side}/RNN/MultiRNNCell/Cell{at}/LSTMCell"
            shapes |= {f"{stem}/W_0": (2 * SIZE, 4 * CELLS), f"{stem}/B": (4 * CELLS,), f"{stem}/W_P_0": (CELLS, SIZE)}
    weights = {name: (scale * chance.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()}
    folder.mkdir(exist_ok=True)
    with h5py.File(folder / "weights.hdf5", "w") as file:
        for name, value in weights.items():
            file[name] = value
    options = json.loads(json.dumps(OPTIONS))
    options["lstm"].update(changed)
    (folder / "options.json").write_text(json.dumps(options))
    return weights


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def word_vector(weights: dict[str, np.ndarray], word: bytes | int) -> np.ndarray:
    inner = [word] if isinstance(word, int) else list(word[: CHARACTERS - 2])
    numbers = [258, *inner, 259] + [260] * (CHARACTERS - 2 - len(inner))
    letters = weights["char_embed"][numbers]
    parts = []
    for at, (width, _) in enumerate(FILTERS):
        kernel, bias = weights[f"CNN/W_cnn_{at}"][0], weights[f"CNN/b_cnn_{at}"]
        places = [
            sum(letters[start + step] @ kernel[step] for step in range(width)) + bias
            for start in range(CHARACTERS - width + 1)
        ]
        parts.append(np.maximum(np.max(places, axis=0), 0))
    hidden = np.concatenate(parts)
    for at in range(2):
        of = {name: weights[f"CNN_high_{at}/{name}"] for name in ("W_carry", "b_carry", "W_transform", "b_transform")}
        gate = sigmoid(hidden @ of["W_carry"] + of["b_carry"])
        hidden = (1 - gate) * hidden + gate * np.maximum(hidden @ of["W_transform"] + of["b_transform"], 0)
    return hidden @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]


def by_hand(weights: dict[str, np.ndarray], text: list[str], clip: float = 3.0, skip: bool = True) -> np.ndarray:
    """(3, words, 2 x projection), one word and one gate after the other."""
    embedded = [word_vector(weights, mark) for mark in (256, *(word.encode() for word in text), 257)]
    sides = []
    for side in range(2):
        sequence = embedded if side == 0 else embedded[::-1]
        layers = [sequence]
        for at in range(2):
            stem = f"RNN_{side}/RNN/MultiRNNCell/Cell{at}/LSTMCell"
            matrix, bias, projection = (weights[f"{stem}/{name}"] for name in ("W_0", "B", "W_P_0"))
            state, memory, made = np.zeros(SIZE), np.zeros(CELLS), []
            for given in layers[-1]:
                entry, new, forget, leave = np.split(np.concatenate([given, state]) @ matrix + bias, 4)
                memory = np.clip(sigmoid(entry) * np.tanh(new) + sigmoid(forget + 1.0) * memory, -clip, clip)
                state = np.clip((sigmoid(leave) * np.tanh(memory)) @ projection, -clip, clip)
                made.append(state + given if at and skip else state)
            layers.append(made)
        sides.append([layer if side == 0 else layer[::-1] for layer in layers])
    both = [np.concatenate([left, right], axis=1) for left, right in zip(*map(np.array, sides), strict=True)]
    return np.array(both)[:, 1:-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("elmo")
    write_elmo(made)
    return made


TEXT = ["Birds", "sing", "é", "x" * 60, "."]


def test_every_layer_is_the_equations(folder: Path) -> None:
    weights = write_elmo(folder)
    (layers,) = ElmoEmbedder(folder).layers([TEXT])
    assert layers.shape == (3, 5, 2 * SIZE)
    assert np.allclose(layers, by_hand(weights, TEXT), atol=1e-4)


@pytest.mark.parametrize(("clip", "skip"), [(0.05, True), (0.3, False)])
def test_clips_and_connections_are_those_of_the_options(tmp_path: Path, clip: float, skip: bool) -> None:
    weights = write_elmo(tmp_path, cell_clip=clip, proj_clip=clip, use_skip_connections=skip)
    (layers,) = ElmoEmbedder(tmp_path).layers([TEXT])
    assert np.allclose(layers, by_hand(weights, TEXT, clip, skip), atol=1e-4)


def test_a_batch_is_its_texts_one_by_one_and_again(folder: Path) -> None:
    embedder = ElmoEmbedder(folder)
    texts = ["Small birds sing.", "Steel", "", "A much longer text about the bridges over the river, and their cracks."]
    together = embedder.encode(texts)
    assert together.shape == (4, 3 * 2 * SIZE) and together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1, 0, 1], abs=1e-5)
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(embedder.encode([text])[0], vector, atol=1e-5), "no state is carried over"
    (layers,) = embedder.layers([words(texts[0])])
    mean = layers.mean(axis=1).ravel()
    assert np.allclose(together[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_published_file_names_and_what_is_missing(folder: Path, tmp_path: Path) -> None:
    write_elmo(tmp_path)
    (tmp_path / "options.json").rename(tmp_path / "elmo_2x4096_512_2048cnn_2xhighway_options.json")
    assert ElmoEmbedder(tmp_path).fingerprint == ElmoEmbedder(folder).fingerprint
    (tmp_path / "weights.hdf5").write_bytes(b"no such file")
    with pytest.raises(BadInput, match="contains no ELMo model"):
        ElmoEmbedder(tmp_path)
    (tmp_path / "weights.hdf5").unlink()
    with pytest.raises(BadInput, match=r"weights.hdf5 is missing"):
        ElmoEmbedder(tmp_path)


@pytest.mark.parametrize("change", [{"dim": 12}, {"projection_dim": 5}, {"n_layers": 3}])
def test_options_and_weights_that_do_not_belong_together(tmp_path: Path, change: dict[str, int]) -> None:
    write_elmo(tmp_path, **change)
    with pytest.raises(BadInput, match="contains no ELMo model"):
        ElmoEmbedder(tmp_path)


def test_words() -> None:
    assert words("The state-of-the-art isn't 3.5%, is it?") == [
        "The", "state-of-the-art", "isn't", "3.5", "%", ",", "is", "it", "?",
    ]  # fmt: skip


def test_as_an_algorithm(folder: Path) -> None:
    algorithm = make_algorithm("elmo", folder=folder)
    assert dict(algorithm.info.parameters)["pooling"] == "max"
    papers = invented_papers()
    scorer = algorithm.read(papers, "title+abstract", report=QuietReport())
    scores = scorer.score({**PROFILES, "nobody": ()}, SUBMISSIONS, report=QuietReport())
    vectors = ElmoEmbedder(folder).encode([f"{paper.title}. {paper.abstract}" for paper in papers.values()])
    assert scores[0, 0] == pytest.approx(float((vectors[:3] @ vectors[3]).max()), abs=1e-5)
    assert np.isnan(scores[2]).all()
    assert scorer.explain(PROFILES["engineer"], "s3")[0].share == 1.0


def test_it_can_be_cancelled(folder: Path) -> None:
    class Stop(QuietReport):
        def __init__(self) -> None:
            self.left: Iterator[int] = iter(range(20))

        def check(self) -> None:
            if next(self.left, None) is None:
                raise Cancelled

    with pytest.raises(Cancelled):
        make_algorithm("elmo", folder=folder).embedder.encode(["many words " * 30], Stop())
