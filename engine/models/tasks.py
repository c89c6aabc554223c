"""What the job engine does for the Models pane: look into folders, and try a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.models.encoder_process import ProcessEmbedder
from engine.models.language import Completion, Message, Prompt
from engine.models.library import Added, AddedFolder, ModelLibrary, closed_after, load_language_model
from engine.models.registry import fingerprint
from engine.models.server_language import Server
from engine.models.server_report import ServerReport, look_at

TRY_TOKENS = 200
"""The budget of an answer that is only tried."""


@dataclass(frozen=True, slots=True)
class AddFolder:
    """A folder to look into and to add to the library kept at ``library`` (None: the person's own)."""

    folder: Path
    library: Path | None = None


@dataclass(frozen=True, slots=True)
class TryEncoder:
    """Two texts for an encoder."""

    folder: Path
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class TryLanguageModel:
    """A question for a language model; partial results are pieces of its answer."""

    entry: Added
    question: str


def add_folder_task(params: AddFolder) -> Task[AddFolder, AddedFolder]:
    """Looks into the folder and adds it."""
    title = f"Check {params.folder.name}"
    return Task("models.add", title, _add, params, DuplicatePolicy.AFTER, str(params.folder), Lane.LONG)


def hash_task(folder: Path) -> Task[str, str]:
    """The hash of what shapes a model's answers: all its weights are read."""
    return Task(
        "models.hash",
        f"Compute checksum of {folder.name}",
        _hash,
        str(folder),
        DuplicatePolicy.DISCARD,
        str(folder),
        Lane.LONG,
    )


def look_at_task(server: Server) -> Task[Server, ServerReport]:
    """Asks a server for its models and what they can do."""
    return Task("models.list", "Ask the server for its models", look_at, server, DuplicatePolicy.REPLACE, server.url)


def try_encoder_task(params: TryEncoder) -> Task[TryEncoder, float]:
    """The cosine of two texts, -1..1."""
    return Task("models.try", f"Try {params.folder.name}", _try_encoder, params, DuplicatePolicy.REPLACE)


def try_language_model_task(params: TryLanguageModel) -> Task[TryLanguageModel, Completion]:
    """An answer of at most ``TRY_TOKENS`` tokens."""
    return Task("models.try", f"Try {params.entry.title}", _try_language_model, params, DuplicatePolicy.REPLACE)


def _add(params: AddFolder, report: Report) -> AddedFolder:
    report.progress(0.0, "Reading the headers of the weights")
    return ModelLibrary(params.library).add_folder(params.folder)


def _hash(folder: str, report: Report) -> str:
    report.progress(0.0, "Reading the weights")
    return fingerprint(Path(folder))


def _try_encoder(params: TryEncoder, report: Report) -> float:
    if not (params.first.strip() and params.second.strip()):
        raise BadInput("Comparing needs two texts.", "Nothing was computed.", "Enter one in each field.")
    embedder = ProcessEmbedder(params.folder, "tried")
    try:
        first, second = embedder.encode([params.first, params.second], report)
    finally:
        embedder.close()
    return float(first @ second)


def _try_language_model(params: TryLanguageModel, report: Report) -> Completion:
    report.progress(0.0, "Asking the model")
    with closed_after(load_language_model(params.entry, beside_window=True)) as model:
        prompt = Prompt((Message("user", params.question),), max_tokens=TRY_TOKENS)
        return model.complete(prompt, on_text=report.partial, report=report)
