"""The biLM of ELMo (Peters et al. 2018), read from its published ``options.json`` and ``weights.hdf5``.

Layout as written by allenai/bilm-tf and read by allenai/allennlp (``elmo.py``, ``elmo_lstm.py``):

- a word is 50 numbers: 258, its UTF-8 bytes (48 at most), 259, then 260; the sentence's ends are words of the one
  character 256 or 257; numbers count from 1, 0 being no character;
- ``char_embed``, convolutions ``CNN/W_cnn_i`` (1, width, in, out) with the maximum over places and the activation,
  highways ``CNN_high_i`` with (1 - g) x + g f(x), g = sigmoid(W_carry x + b_carry), and ``CNN_proj``;
- ``RNN_0`` forward, ``RNN_1`` backward, ``RNN/MultiRNNCell/Cell<n>/LSTMCell``: ``W_0`` (inputs and state, 4 x cells)
  with the gates in the order input, memory, forget, output and 1 still to be added to the forget gate's ``B``; the
  cell's memory is clipped, its output projected by ``W_P_0`` and clipped; from the second layer on the input is added.

AllenNLP carries the state from batch to batch, so that its vectors depend on what was read before; here every text
starts from a zero state.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch

from engine.errors import BadInput, not_computed
from engine.expertise.algorithms.base import Vectors
from engine.jobs import QuietReport, Report
from engine.models import choose_device
from engine.shown import counted

OPTIONS, WEIGHTS = "options.json", "weights.hdf5"
SENTENCE_START, SENTENCE_END, WORD_START, WORD_END, FILL = 256, 257, 258, 259, 260
WORDS_AT_ONCE = 2000
"""Words per batch of texts, including padding."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:-\w+)*|\d+(?:[.,]\d+)*|\w+|[^\w\s]")


class ElmoEmbedder:
    """Encodes a text as the mean over its words of all concatenated layers, of length 1 (openreview-expertise,
    ``elmo``)."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        """Loads the weights. Raises BadInput if the folder doesn't have the published layout."""
        options, weights = _file(folder, OPTIONS), _file(folder, WEIGHTS)
        self._device = choose_device(device).name
        try:
            self._options = json.loads(options.read_text(encoding="utf-8"))
            self._network = _Network(self._options, weights, self._device)
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise _wrong(folder, f"{type(error).__name__}: {error}") from error
        whole = hashlib.sha256(options.read_bytes())
        with weights.open("rb") as stream:
            whole.update(hashlib.file_digest(stream, "sha256").digest())
        self.fingerprint = "elmo-" + whole.hexdigest()[:16]

    @property
    def dimension(self) -> int:
        """Length of a vector: layers x two directions x projection."""
        return self._network.dimension

    def encode(self, texts: Sequence[str], report: Report = QuietReport()) -> Vectors:
        """Returns (texts, dimension), float32, rows of length 1, 0 for a text without words. Raises Cancelled."""
        split = [words(text) for text in texts]
        vectors: Vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = sorted((at for at in range(len(texts)) if split[at]), key=lambda at: -len(split[at]))
        done, total = 0, sum(map(len, split)) or 1
        while order:
            report.progress(done / total, f"Encoding {counted(len(texts), 'text')}")
            many = max(1, WORDS_AT_ONCE // (len(split[order[0]]) + 2))
            batch, order = order[:many], order[many:]
            for at, layers in zip(batch, self.layers([split[at] for at in batch], report), strict=True):
                mean = layers.mean(axis=1).ravel()
                vectors[at] = mean / (np.linalg.norm(mean) or 1.0)
            done += sum(len(split[at]) for at in batch)
        report.progress(1.0)
        return vectors

    def layers(self, texts: Sequence[Sequence[str]], report: Report = QuietReport()) -> list[Vectors]:
        """Returns each text's activations, (layers, words, 2 x projection); layer 0 is the word's own vector, twice."""
        return self._network.layers(texts, report)


class _Network:
    def __init__(self, options: Any, weights: Path, device: str) -> None:
        character, lstm = options["char_cnn"], options["lstm"]
        self._longest = int(character["max_characters_per_token"])
        self._activation = {"relu": torch.relu, "tanh": torch.tanh}[character["activation"]]
        self._cell_clip, self._clip = lstm.get("cell_clip"), lstm.get("proj_clip")
        self._skip = bool(lstm.get("use_skip_connections"))
        self._device = device

        def tensor(value: Any) -> Any:
            return torch.tensor(value[...], dtype=torch.float32, device=device)

        with h5py.File(weights, "r") as file:
            embedding = tensor(file["char_embed"])
            self._characters = torch.cat([torch.zeros(1, embedding.shape[1], device=device), embedding])
            self._convolutions = [
                (tensor(file["CNN"][f"W_cnn_{at}"])[0].permute(2, 1, 0), tensor(file["CNN"][f"b_cnn_{at}"]))
                for at in range(len(character["filters"]))
            ]
            self._highways = [
                tuple(
                    tensor(file[f"CNN_high_{at}"][name])
                    for name in ("W_carry", "b_carry", "W_transform", "b_transform")
                )
                for at in range(int(character["n_highway"]))
            ]
            self._projection = tensor(file["CNN_proj"]["W_proj"]), tensor(file["CNN_proj"]["b_proj"])
            self._cells = [
                [
                    tuple(
                        tensor(file[f"RNN_{side}"]["RNN"]["MultiRNNCell"][f"Cell{at}"]["LSTMCell"][name])
                        for name in ("W_0", "B", "W_P_0")
                    )
                    for at in range(int(lstm["n_layers"]))
                ]
                for side in (0, 1)
            ]
        size = int(lstm["projection_dim"])
        filters = sum(count for _, count in character["filters"])
        for what, shape, wanted in (
            ("CNN_proj", tuple(self._projection[0].shape), (filters, size)),
            *(
                (
                    f"RNN_{side} Cell{at}",
                    (*cell[0].shape, *cell[2].shape),
                    (2 * size, 4 * lstm["dim"], lstm["dim"], size),
                )
                for side, cells in enumerate(self._cells)
                for at, cell in enumerate(cells)
            ),
        ):
            if shape != wanted:
                raise ValueError(f"{what} is {shape} and should be {wanted} by the options")
        self.dimension = (1 + len(self._cells[0])) * 2 * size

    def layers(self, texts: Sequence[Sequence[str]], report: Report) -> list[Vectors]:
        lengths = [len(text) + 2 for text in texts]
        longest = max(lengths)
        ids = torch.zeros(len(texts), longest, self._longest, dtype=torch.long)
        for row, text in enumerate(texts):
            marked: list[bytes | int] = [
                SENTENCE_START,
                *(word.encode("utf-8", "ignore") for word in text),
                SENTENCE_END,
            ]
            ids[row, : lengths[row]] = torch.tensor([self._word(word) for word in marked])
        with torch.no_grad():
            embedded = self._embed(ids.to(self._device))
            sides = [self._direction(side, embedded, lengths, report) for side in (0, 1)]
            outputs = [torch.cat([embedded, embedded], dim=-1)]
            outputs += [torch.cat(pair, dim=-1) for pair in zip(*sides, strict=True)]
            whole = torch.stack(outputs, dim=1).cpu().numpy()
        return [whole[row, :, 1 : length - 1] for row, length in enumerate(lengths)]

    def _word(self, word: bytes | int) -> list[int]:
        inner = [word] if isinstance(word, int) else list(word[: self._longest - 2])
        numbers = [WORD_START, *inner, WORD_END]
        return [number + 1 for number in numbers + [FILL] * (self._longest - len(numbers))]

    def _embed(self, ids: Any) -> Any:
        """Computes word vectors from characters, (texts, words, projection)."""
        hidden = self._characters[ids.flatten(0, 1)].transpose(1, 2)
        hidden = torch.cat(
            [
                self._activation(torch.nn.functional.conv1d(hidden, weight, bias).max(dim=-1).values)
                for weight, bias in self._convolutions
            ],
            dim=-1,
        )
        for carry, carry_bias, transform, bias in self._highways:
            gate = torch.sigmoid(hidden @ carry + carry_bias)
            hidden = gate * torch.relu(hidden @ transform + bias) + (1 - gate) * hidden
        weight, bias = self._projection
        return (hidden @ weight + bias).view(*ids.shape[:2], -1)

    def _direction(self, side: int, embedded: Any, lengths: Sequence[int], report: Report) -> list[Any]:
        """Returns each layer's outputs for one direction, (texts, words, projection), in reading order."""
        hidden = embedded if side == 0 else _turned(embedded, lengths)
        outputs = []
        for at, (weight, bias, projection) in enumerate(self._cells[side]):
            made = self._lstm(hidden, weight, bias, projection, report)
            hidden = made + hidden if at > 0 and self._skip else made
            outputs.append(hidden if side == 0 else _turned(hidden, lengths))
        return outputs

    def _lstm(self, inputs: Any, weight: Any, bias: Any, projection: Any, report: Report) -> Any:
        texts, steps, width = inputs.shape
        cells = projection.shape[0]
        fixed = inputs @ weight[:width] + bias
        state = torch.zeros(texts, projection.shape[1], device=inputs.device)
        memory = torch.zeros(texts, cells, device=inputs.device)
        outputs = []
        for step in range(steps):
            report.check()
            gates = fixed[:, step] + state @ weight[width:]
            entry, new, forget, leave = gates.split(cells, dim=-1)
            memory = torch.sigmoid(entry) * torch.tanh(new) + torch.sigmoid(forget + 1) * memory
            if self._cell_clip:
                memory = memory.clamp(-self._cell_clip, self._cell_clip)
            state = (torch.sigmoid(leave) * torch.tanh(memory)) @ projection
            if self._clip:
                state = state.clamp(-self._clip, self._clip)
            outputs.append(state)
        return torch.stack(outputs, dim=1)


def words(text: str) -> list[str]:
    """Splits words, numbers and punctuation; similar but not identical to the Moses tokenizer of the published
    pipeline."""
    return _WORD.findall(text)


def _turned(sequences: Any, lengths: Sequence[int]) -> Any:
    """Reverses each text's words; padding stays at the end."""
    turned = sequences.clone()
    for row, length in enumerate(lengths):
        turned[row, :length] = sequences[row, :length].flip(0)
    return turned


def _file(folder: Path, name: str) -> Path:
    """Returns the file of that name, or the only one that ends in it (as in "elmo_2x4096_..._options.json")."""
    found = [folder / name] if (folder / name).is_file() else sorted(folder.glob(f"*{name}"))
    if len(found) != 1:
        raise _wrong(folder, f"{name} is missing" if not found else f"there are several files named …{name}")
    return found[0]


def _wrong(folder: Path, what: str) -> BadInput:
    return not_computed(
        f"{folder.name} contains no ELMo model: {what}.",
        "Choose the folder with the published options.json and weights.hdf5.",
    )
