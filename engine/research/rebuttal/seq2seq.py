"""Generates text from text with a local encoder-decoder (BART, Pegasus, T5), unchanged or fine-tuned.

As in Purkayastha et al. (2023): zero-shot uses the model unchanged, one- and two-shot fine-tune it on that many
examples of each target text, "all" on everything; then beam search with five beams. AdamW with a rate that falls to
zero; the weights with the best held-out loss are kept. Nothing is stored: a fine-tuned model lives only as long as the
object.
"""

import copy
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.errors import not_trained
from engine.jobs import Report
from engine.models.devices import choose_device, limit_threads
from engine.models.folders import load_pretrained
from engine.rebuttal.canonical.records import AnsweredReview, DescribedReview
from engine.research.trainer import Course, seeded, shuffled, train

Shots = Literal["zero", "one", "two", "all"]
SHOTS: dict[Shots, int | None] = {"zero": 0, "one": 1, "two": 2, "all": None}
"""The number of examples of each target text to fine-tune on; None for all."""
Example = tuple[str, str]
"""Input and target text."""


@dataclass(frozen=True, slots=True)
class Seq2SeqSettings:
    """Settings of generation and fine-tuning. ``batch`` examples are processed at once, and gradients of ``gather``
    batches are accumulated. ``length``, ``written``: the most tokens of input and output. ``left_out``: held-out share
    of the examples; ``patience``: epochs without improvement. ``beams``: of the search."""

    epochs: int = 5
    batch: int = 8
    gather: int = 4
    learning_rate: float = 5e-5
    length: int = 192
    written: int = 64
    left_out: float = 0.1
    patience: int = 2
    beams: int = 5
    seed: int = 1


class Seq2Seq:
    """A model in a folder. Loaded at its first use; never downloads, and runs no code from the folder."""

    def __init__(self, folder: Path, settings: Seq2SeqSettings | None = None) -> None:
        self._folder = folder
        self._settings = settings or Seq2SeqSettings()
        self._tokenizer: Any = None
        self._model: Any = None
        self._untouched: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return self._folder.name

    def forget(self) -> None:
        """Reverts all fine-tuning."""
        if self._model is not None:
            self._model.load_state_dict(self._untouched)

    def write(self, texts: Sequence[str], report: Report, *, prefix: str = "") -> list[str]:
        """Returns the model's output for each text. For T5, which selects its task by a prefix, ``prefix`` is
        prepended. Raises EnvironmentProblem if the folder contains no such model, and Cancelled."""
        self._load(report)
        import torch

        found: list[str] = []
        for start in range(0, len(texts), self._settings.batch):
            report.progress(start / len(texts), f"Writing {len(texts)} texts")
            read = self._read(texts[start : start + self._settings.batch], prefix)
            with torch.inference_mode():
                out = self._model.generate(
                    **read, num_beams=self._settings.beams, max_new_tokens=self._settings.written, do_sample=False
                )
            found += self._tokenizer.batch_decode(out, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return [" ".join(text.split()) for text in found]

    def fine_tune(self, examples: Sequence[Example], report: Report, *, prefix: str = "") -> list[float]:
        """Fine-tunes the model; the seed decides the order and the held-out examples. Returns the mean held-out loss
        per token, before and after each epoch; the weights are those with the lowest loss. Raises BadInput (fewer than
        two examples) and Cancelled; on any error the model reverts to the one in the folder."""
        if len(examples) < 2:
            raise not_trained("There are fewer than two examples to learn from.")
        self._load(report)
        import torch

        settings = self._settings
        learnt, held = _divided(examples, settings.left_out, random.Random(settings.seed))
        size = settings.batch * settings.gather
        an_epoch = -(-len(learnt) // size)

        def losses(some: Sequence[Example]) -> Iterator[Any]:
            for start in range(0, len(some), settings.batch):
                part = some[start : start + settings.batch]
                yield self._of(part, prefix).loss * len(part) / len(some)

        try:
            with seeded(settings.seed):
                done = train(
                    self._model,
                    torch.optim.AdamW(self._model.parameters(), lr=settings.learning_rate),
                    lambda start: shuffled(learnt, size, settings.seed, start),
                    losses,
                    Course(
                        settings.epochs * an_epoch,
                        look_every=an_epoch,
                        patience=settings.patience,
                        title="Learning to write",
                    ),
                    report,
                    look=lambda _report: -self._loss(held, prefix),
                )
        except BaseException:
            self.forget()
            raise
        return [-score for score in done.scores]

    def _loss(self, examples: Sequence[Example], prefix: str) -> float:
        import torch

        total = count = 0.0
        with torch.inference_mode():
            for start in range(0, len(examples), self._settings.batch):
                some = examples[start : start + self._settings.batch]
                total += float(self._of(some, prefix).loss) * len(some)
                count += len(some)
        return total / count

    def _of(self, examples: Sequence[Example], prefix: str) -> Any:
        read = self._read([text for text, _ in examples], prefix)
        labels = self._tokenizer(
            text_target=[text for _, text in examples], truncation=True, padding=True,
            max_length=self._settings.written, return_tensors="pt",
        )["input_ids"]  # fmt: skip
        labels[labels == self._tokenizer.pad_token_id] = -100  # the loss ignores -100
        return self._model(**read, labels=labels.to(self._model.device))

    def _read(self, texts: Sequence[str], prefix: str) -> Any:
        marked = [f"{prefix}: {text}" if prefix and self._model.config.model_type == "t5" else text for text in texts]
        room = min(self._settings.length, int(getattr(self._model.config, "max_position_embeddings", 0) or 10**6))
        found = self._tokenizer(marked, truncation=True, padding=True, max_length=room, return_tensors="pt")
        found.pop("token_type_ids", None)
        return found.to(self._model.device)

    def _load(self, report: Report) -> None:
        if self._model is not None:
            return
        report.progress(0.0, "Loading the model")
        limit_threads(0)
        do = "Choose a folder with an encoder-decoder (BART, Pegasus, T5) and its weights as safetensors."
        self._tokenizer, model = load_pretrained(self._folder, "AutoModelForSeq2SeqLM", "Nothing was written.", do)
        self._model = model.to(choose_device().name).eval()
        self._untouched = copy.deepcopy(self._model.state_dict())


def _divided(examples: Sequence[Example], share: float, rng: random.Random) -> tuple[list[Example], list[Example]]:
    """Splits into training and held-out examples by target text (by example if there is only one target), so that no
    held-out target was memorised."""
    groups: dict[str, list[Example]] = {}
    for example in examples:
        groups.setdefault(example[1], []).append(example)
    dealt = list(groups.values()) if len(groups) > 1 else [[example] for example in examples]
    rng.shuffle(dealt)
    held: list[Example] = []
    while len(dealt) > 1 and len(held) < max(1, round(share * len(examples))):
        held += dealt.pop()
    return [example for group in dealt for example in group], held


def few(examples: Sequence[Example], shots: int | None, seed: int) -> list[Example]:
    """Returns ``shots`` examples of each target text, drawn by the seed; all for None."""
    if shots is None:
        return list(examples)
    found: list[Example] = []
    seen: Counter[str] = Counter()
    for example in random.Random(seed).sample(list(examples), len(examples)):
        if seen[example[1]] < shots:
            seen[example[1]] += 1
            found.append(example)
    return found


ANSWER_PREFIX, DESCRIBE_PREFIX = "Generate Rebuttal", "Describe Review"


def answering(
    model: Seq2Seq, known: Sequence[AnsweredReview], questions: Sequence[tuple[str, str]], *, seed: int, report: Report
) -> Iterator[tuple[Shots, list[str]]]:
    """Yields the model's answers to the questions (review sentence, action) for each number of shots."""
    examples = [(_question(one.review, one.action), one.rebuttal) for one in known]
    yield from _by_shots(model, examples, [_question(*one) for one in questions], ANSWER_PREFIX, seed, report)


def describing(
    model: Seq2Seq, known: Sequence[DescribedReview], reviews: Sequence[str], *, seed: int, report: Report
) -> Iterator[tuple[Shots, list[str]]]:
    """Yields the model's descriptions of the review sentences for each number of shots."""
    examples = [(one.review, one.description) for one in known]
    yield from _by_shots(model, examples, reviews, DESCRIBE_PREFIX, seed, report)


def _by_shots(  # noqa: PLR0917 - the same for both tasks
    model: Seq2Seq, examples: Sequence[Example], asked: Sequence[str], prefix: str, seed: int, report: Report
) -> Iterator[tuple[Shots, list[str]]]:
    for number, (name, shots) in enumerate(SHOTS.items()):
        part = report.part(number / len(SHOTS), (number + 1) / len(SHOTS))
        model.forget()
        if shots != 0:
            model.fine_tune(few(examples, shots, seed), part.part(0.0, 0.7), prefix=prefix)
        yield name, model.write(asked, part.part(0.7, 1.0), prefix=prefix)


def _question(review: str, action: str) -> str:
    return f"{review} [SEP] {action.replace('_', ' ')}"
