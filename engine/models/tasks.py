"""Tasks of the Models pane: inspect and hash folders, query servers, and try models."""

from pathlib import Path

from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models.encoder_process import ProcessEmbedder
from engine.models.language import Completion, Message, Prompt
from engine.models.library import Added, AddedFolder, ModelLibrary, closed_after, load_language_model
from engine.models.registry import fingerprint
from engine.models.server_language import Server
from engine.models.server_report import ServerReport, look_at

TRY_TOKENS = 200
"""The token budget of a test answer."""


@task("models.add", "Check {folder.name}", DuplicatePolicy.AFTER, "{folder}", Lane.LONG)
def add_folder_task(report: Report, folder: Path, library: Path | None = None) -> AddedFolder:
    """Inspects a folder and adds it to the library at ``library`` (None: the user's own)."""
    report.progress(0.0, "Reading the headers of the weights")
    return ModelLibrary(library).add_folder(folder)


@task("models.hash", "Compute checksum of {folder.name}", DuplicatePolicy.DISCARD, "{folder}", Lane.LONG)
def hash_task(report: Report, folder: Path) -> str:
    """Returns the hash of what determines a model's results; reads all its weights."""
    report.progress(0.0, "Reading the weights")
    return fingerprint(folder)


@task("models.list", "Ask the server for its models", DuplicatePolicy.REPLACE, "{server.url}")
def look_at_task(report: Report, server: Server) -> ServerReport:
    """Asks a server for its models and their abilities."""
    return look_at(server, report)


@task("models.try", "Try {folder.name}", DuplicatePolicy.REPLACE)
def try_encoder_task(report: Report, folder: Path, first: str, second: str) -> float:
    """Returns the cosine similarity of two texts, -1..1."""
    if not (first.strip() and second.strip()):
        raise BadInput("Comparing needs two texts.", "Nothing was computed.", "Enter one in each field.")
    embedder = ProcessEmbedder(folder, "tried")
    try:
        one, other = embedder.encode([first, second], report)
    finally:
        embedder.close()
    return float(one @ other)


@task("models.try", "Try {entry.title}", DuplicatePolicy.REPLACE)
def try_language_model_task(report: Report, entry: Added, question: str) -> Completion:
    """Returns an answer of at most ``TRY_TOKENS`` tokens; its pieces are reported as partial results."""
    report.progress(0.0, "Asking the model")
    with closed_after(load_language_model(entry, beside_window=True)) as model:
        prompt = Prompt((Message("user", question),), max_tokens=TRY_TOKENS)
        return model.complete(prompt, on_text=report.partial, report=report)
