"""A fine-tuned encoder that labels review sentences: its folder with a card, and prediction, here or in a child
process.

The encoder reads a sentence with its neighbours as a second segment, which inform the result but aren't classified; the
mean of the sentence's own tokens, its position in the review and its wording cues are the input of one linear layer per
target. On a processor with bfloat16 products the encoder uses those, which is about 2.5 times as fast.
``engine.research`` trains it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import EnvironmentProblem
from engine.files import json_object
from engine.jobs import Report
from engine.models.child import Answer, ModelProcess, serve
from engine.models.devices import choose_device, has_bfloat16, limit_threads
from engine.models.embedders import readable
from engine.models.folders import load_pretrained
from engine.models.library import AddedFolder, ModelLibrary
from engine.reviews.labels.features import SURROUNDINGS, ReviewSentences, Vectors, surroundings
from engine.reviews.labels.heads import Target

Context = Literal["none", "before", "both"]
WEIGHTS = "labels.safetensors"
CARD = "labels.json"
USE = "review-labels"
"""The task of the model library for which a fine-tuned encoder is chosen."""
PATIENCE = 0.8
"""Seconds that a child has to react to cancellation before it is ended."""


@dataclass(frozen=True, slots=True)
class FineTuneSettings:
    """``length``, ``context_length``: maximum tokens in total, and of each neighbour. ``weights``: factors of the
    targets' losses, 1 if not given. ``patience``: evaluations (one per epoch) without improvement.
    ``frozen_embeddings``: word embeddings aren't trained, which saves a fifth of the time."""

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1.2e-4
    head_rate: float = 1e-3
    length: int = 72
    context: Context = "both"
    context_length: int = 16
    dropout: float = 0.1
    weights: tuple[tuple[str, float], ...] = ()
    patience: int = 2
    frozen_embeddings: bool = True
    seed: int = 1


class SentenceClassifier:
    """An encoder with one linear layer per target. ``load`` reads what ``save`` wrote. ``learnt``: by target the labels
    seen in training; probabilities of others are meaningless."""

    def __init__(self, folder: Path, targets: Sequence[Target], settings: FineTuneSettings, device: str | None) -> None:
        import torch

        self.targets = tuple(targets)
        self.learnt: dict[str, list[str]] = {target.name: list(target.labels) for target in targets}
        self.settings = settings
        self.place = choose_device(device)
        self.tokenizer, self.encoder = load_encoder_folder(folder)
        self._length = min(settings.length, longest(self.encoder))
        width = int(self.encoder.config.hidden_size) + SURROUNDINGS
        self.layers = torch.nn.ModuleList([torch.nn.Linear(width, len(target.labels)) for target in self.targets])
        self.module = torch.nn.ModuleList([self.encoder, self.layers]).to(self.place.name)
        self._dropout = torch.nn.Dropout(settings.dropout)
        if self.place.name == "cpu":
            limit_threads(0)
        self._half = self.place.name == "cpu" and has_bfloat16("cpu")

    @classmethod
    def load(cls, folder: Path, device: str | None = None) -> "SentenceClassifier":
        """Raises EnvironmentProblem if the folder contains no such model."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            card = read_card(folder)
            given = {**card["settings"], "weights": tuple(map(tuple, card["settings"]["weights"]))}
            made = cls(folder, card_targets(folder), FineTuneSettings(**given), device)
            made.layers.load_state_dict(load_file(folder / WEIGHTS))
            made.learnt |= card.get("learnt", {})
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
            raise EnvironmentProblem(
                f"The folder {folder} has no fine-tuned label encoder, or it is damaged.",
                "Nothing was labelled with it.",
                "Choose the folder that was trained.",
            ) from error
        return made

    def save(self, folder: Path, **card: Any) -> None:
        """Writes encoder, tokenizer, layers and card into one folder."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        self.encoder.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        save_file(self.layers.state_dict(), folder / WEIGHTS)
        content = {
            "targets": [[t.name, list(t.labels), t.several] for t in self.targets],
            "learnt": self.learnt,
            "settings": asdict(self.settings),
            **card,
        }
        (folder / CARD).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    def inputs(self, reviews: Sequence[ReviewSentences]) -> "Inputs":
        """Returns sentences as token ids, with the lengths of the sentences themselves and features of their
        surroundings."""
        settings, tokenizer = self.settings, self.tokenizer
        tokens: list[list[int]] = []
        own: list[int] = []
        for review in reviews:
            texts = [readable(text)[: self._length * 12] for text in review.texts]
            pieces = tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
            for at, piece in enumerate(pieces):
                row = [tokenizer.cls_token_id, *piece[: self._length - 2], tokenizer.sep_token_id]
                own.append(len(row))
                before = pieces[at - 1] if at and settings.context != "none" else []
                after = pieces[at + 1] if at + 1 < len(pieces) and settings.context == "both" else []
                for beside in (before[-settings.context_length :], after[: settings.context_length]):
                    room = self._length - len(row) - 1
                    if beside and room > 2:
                        row += [*beside[:room], tokenizer.sep_token_id]
                tokens.append(row)
        return Inputs(tokens, own, surroundings(reviews))

    def odds(self, inputs: "Inputs", rows: Sequence[int], *, drop: bool = False) -> list[Any]:
        """Returns for each target the logits of the sentences ``rows``, as a tensor."""
        import torch

        place = self.place.name
        most = max(len(inputs.tokens[row]) for row in rows)
        numbers = torch.full((len(rows), most), self.tokenizer.pad_token_id or 0)
        mask, own = torch.zeros(len(rows), most), torch.zeros(len(rows), most)
        for at, row in enumerate(rows):
            size = len(inputs.tokens[row])
            numbers[at, :size] = torch.tensor(inputs.tokens[row])
            mask[at, :size] = 1
            own[at, : inputs.own[row]] = 1
        numbers, mask, own = (tensor.to(place) for tensor in (numbers, mask, own))
        segments = (mask.bool() & ~own.bool()).long()
        kinds = int(getattr(self.encoder.config, "type_vocab_size", 1) or 1)
        further = {"token_type_ids": segments} if kinds > 1 else {}
        with self.precision():
            states = self.encoder(input_ids=numbers, attention_mask=mask, **further).last_hidden_state.float()
        mean = (states * own[..., None]).sum(1) / own.sum(1, keepdim=True)
        pooled = torch.cat([mean, torch.from_numpy(inputs.places[list(rows)]).to(place)], dim=1)
        if drop:
            pooled = self._dropout(pooled)
        return [layer(pooled) for layer in self.layers]

    def precision(self) -> AbstractContextManager[Any]:
        """Uses bfloat16 if the processor supports it."""
        import torch

        return torch.autocast(self.place.name, dtype=torch.bfloat16, enabled=self._half)

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> dict[str, Vectors]:
        """Returns for each target the probabilities (sentences, labels)."""
        return self.chances_of(self.inputs(reviews), None, report)

    def chances_of(self, inputs: "Inputs", rows: NDArray[np.intp] | None, report: Report) -> dict[str, Vectors]:
        """As ``chances``, for some rows."""
        import torch

        wanted = list(range(len(inputs.tokens))) if rows is None else [int(row) for row in rows]
        order = sorted(range(len(wanted)), key=lambda at: len(inputs.tokens[wanted[at]]))
        found = [np.zeros((len(wanted), len(target.labels)), np.float32) for target in self.targets]
        self.module.eval()
        with torch.inference_mode():
            for start in range(0, len(order), 32):
                report.progress(start / len(order), "Reading labels")
                some = order[start : start + 32]
                for target, odds, values in zip(
                    self.targets, self.odds(inputs, [wanted[at] for at in some]), found, strict=True
                ):
                    chances = odds.sigmoid() if target.several else odds.softmax(-1)
                    values[some] = chances.float().cpu().numpy()
        return {target.name: values for target, values in zip(self.targets, found, strict=True)}


@dataclass(frozen=True, slots=True)
class Inputs:
    """Token ids of each sentence with its neighbours, how many are its own, and features of its surroundings."""

    tokens: list[list[int]]
    own: list[int]
    places: Vectors


def longest(encoder: Any) -> int:
    """Returns the maximum number of tokens of an encoder, minus two because some families number positions from two."""
    return int(getattr(encoder.config, "max_position_embeddings", None) or 514) - 2


def load_encoder_folder(folder: Path) -> tuple[Any, Any]:
    """Returns tokenizer and encoder of a local folder. Raises EnvironmentProblem."""
    do = "Choose a folder with config.json, the tokenizer and safetensors weights."
    return load_pretrained(folder, "AutoModel", "Nothing was trained.", do, dtype="float32")


def add_tuned(folder: Path, library: ModelLibrary) -> AddedFolder:
    """Adds a fine-tuned encoder to the user's models and chooses it to suggest labels. A folder that was already added
    is only chosen."""
    place = folder.expanduser().resolve()
    known = [one for one in library.added() if isinstance(one, AddedFolder) and one.folder == place]
    entry = known[0] if known else library.add_folder(place)
    library.choose(USE, entry.id)
    return entry


def read_card(folder: Path) -> dict[str, Any]:
    """Returns the card of a fine-tuned encoder; empty if there is none that can be read."""
    return json_object(folder / CARD)


def card_targets(folder: Path) -> tuple[Target, ...]:
    """Returns the targets of a fine-tuned encoder from its card. Raises EnvironmentProblem if the card doesn't state
    them."""
    try:
        named = read_card(folder)["targets"]
        return tuple(Target(name, tuple(labels), bool(several)) for name, labels, several in named)
    except (KeyError, TypeError, ValueError) as error:
        raise EnvironmentProblem(
            f"The card of the fine-tuned encoder in {folder} is missing or broken.",
            "No label was read.",
            "Choose another one in Models, or remove it there.",
        ) from error


def card_learnt(folder: Path) -> dict[str, list[str]]:
    """Returns by target the labels seen in training; all of them if an older card doesn't say."""
    everything = {target.name: list(target.labels) for target in card_targets(folder)}
    return {**everything, **read_card(folder).get("learnt", {})}


class ProcessClassifier:
    """Predicts like ``SentenceClassifier``, in a child process; ``close`` ends it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.targets: tuple[Target, ...] = card_targets(folder)
        self.learnt = card_learnt(folder)
        self._child = ModelProcess(__name__, (), name="fine-tuned encoder", patience=PATIENCE, read=(folder,))

    def chances(self, reviews: Sequence[ReviewSentences], report: Report) -> Mapping[str, Vectors]:
        """Returns by target the probabilities (sentences, labels).

        Raises Cancelled, and EnvironmentProblem if the folder can't be loaded or the child was ended.
        """
        request = {"folder": str(self.folder), "texts": [list(review.texts) for review in reviews]}
        with self._child.turn(report):
            (answer,) = self._child.ask(request, report)
        return {name: np.array(values, np.float32) for name, values in answer["chances"].items()}

    def close(self) -> None:
        self._child.close()


def main() -> None:
    """Runs the child's side: serves until the input ends."""
    loaded: dict[str, SentenceClassifier] = {}

    def respond(request: Answer, _emit: Callable[[Answer], None], report: Report) -> Answer:
        folder: str = request["folder"]
        if folder not in loaded:
            loaded[folder] = SentenceClassifier.load(Path(folder))
        chances = loaded[folder].chances([ReviewSentences(tuple(texts)) for texts in request["texts"]], report)
        return {"chances": {name: values.tolist() for name, values in chances.items()}}

    serve(respond, with_progress=True)


if __name__ == "__main__":
    main()
