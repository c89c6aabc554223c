"""Embedders: turn texts into vectors."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.adapters import adapter_in, apply_adapter
from engine.models.devices import choose_device, has_bfloat16, limit_threads
from engine.shown import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BATCH_CHARACTERS = 4000
"""Characters per batch: about a thousand tokens, or a few hundred milliseconds on a slow processor, so Cancel is
quick."""

_CHARACTERS_PER_TOKEN = 8  # a generous bound: the model truncates anything longer anyway


TokenPooling = Literal["cls", "mean"]


class Embedder(Protocol):
    """Turns texts into vectors. Equal ``fingerprint``s mean equal vectors within rounding."""

    @property
    def fingerprint(self) -> str: ...

    def encode(self, texts: Sequence[str], report: Report = QuietReport()) -> "Vectors":
        """Returns an array (len(texts), d), float32, each row of length 1. Raises Cancelled."""
        ...


class SentenceTransformerEmbedder:
    """A local sentence-transformers (or plain transformers) folder. Loads on first use; never downloads.

    CPU and GPU give equal results within rounding: single precision on both, unless ``fast`` requests bfloat16 products
    and the device has them (about 2.4 times the speed; cosines move by less than 1e-4). The model truncates inputs
    longer than its window.
    """

    def __init__(
        self,
        folder: Path,
        fingerprint: str,
        *,
        device: str | None = None,
        leave_free: int = 1,
        token_pooling: TokenPooling | None = None,
        fast: bool = False,
    ) -> None:
        """``device`` is torch's name, or None for the best; ``leave_free`` is the number of processors left to the
        window. ``token_pooling`` is how tokens become one vector; None uses the folder's setting. ``fingerprint`` is
        the folder's; settings that change the vectors are appended to it."""
        self._folder = folder
        self._device = device
        self._leave_free = leave_free
        self._token_pooling = token_pooling
        self._half = fast and has_bfloat16(device)
        self.fingerprint = "-".join(filter(None, (fingerprint, token_pooling, "bf16" if self._half else "")))
        self._model: Any = None

    def encode(self, texts: Sequence[str], report: Report = QuietReport()) -> "Vectors":
        import numpy as np

        model = self._loaded(report)
        limit_threads(self._leave_free)
        window = (model.max_seq_length or 512) * _CHARACTERS_PER_TOKEN
        total = sum(min(len(text), window) for text in texts) or 1
        vectors: Vectors = np.zeros((len(texts), model.get_embedding_dimension()), dtype=np.float32)
        done = 0
        for batch in batches(texts, window, BATCH_CHARACTERS * (8 if model.device.type != "cpu" else 1)):
            report.progress(done / total, f"Encoding {counted(len(texts), 'text')}")
            with self._precision(model.device.type):
                vectors[batch] = model.encode(
                    [readable(texts[index][:window]) for index in batch],
                    batch_size=len(batch),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                    normalize_embeddings=True,
                )
            done += sum(min(len(texts[index]), window) for index in batch)
        report.progress(1.0)
        return vectors

    def _precision(self, device: str) -> AbstractContextManager[Any]:
        if not self._half:
            return nullcontext()
        import torch

        return torch.autocast(device, dtype=torch.bfloat16)

    def _loaded(self, report: Report) -> Any:
        if self._model is None:
            report.progress(0.0, "Loading the model")
            self._model = load_sentence_transformer(self._folder, self._device, self._token_pooling)
            report.check()
        return self._model


def load_sentence_transformer(
    folder: Path, device: str | None = None, token_pooling: TokenPooling | None = None
) -> Any:
    """Loads the model in a local folder, ready to encode, with its adapter if the folder has one. ``token_pooling``
    overrides the folder's setting.

    Raises EnvironmentProblem if the folder contains no model that can be loaded.
    """
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise EnvironmentProblem(
            f"There is no model in {folder}.",
            "Nothing was computed.",
            "Choose a folder with config.json and the weights.",
        )
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        model = SentenceTransformer(str(folder), device=choose_device(device).name, local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise EnvironmentProblem(
            f"The model in {folder} can't be loaded ({type(error).__name__}: {str(error).splitlines()[0]}).",
            "Nothing was computed.",
            "Copy the folder again, or choose another model in the Models pane.",
        ) from error
    adapter = adapter_in(folder)
    if adapter is not None:
        apply_adapter(model[0].model, adapter)
    if token_pooling is not None:
        place = next(at for at, part in enumerate(model) if type(part).__name__ == "Pooling")
        model[place] = type(model[place])(model.get_embedding_dimension(), pooling_mode=token_pooling)
    model.eval()
    return model


def readable(text: str) -> str:
    """Replaces lone surrogates, which occur in text of broken PDFs and which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")


def batches(texts: Sequence[str], window: int, characters: int) -> Iterator[list[int]]:
    """Yields indices of texts in batches of similar length, the longest first: little padding, and memory use peaks at
    once. A batch has at most 64 texts and at most ``characters`` (each text counted up to ``window``), or consists of
    one text."""
    order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
    batch: list[int] = []
    for index in order:
        # Padding makes every text of a batch as long as its first one.
        longest = min(len(texts[batch[0]] if batch else texts[index]), window) + 1
        if batch and longest * (len(batch) + 1) > characters:
            yield batch
            batch = []
        batch.append(index)
        if len(batch) == 64:
            yield batch
            batch = []
    if batch:
        yield batch
