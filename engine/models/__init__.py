"""Embedders, devices and the model registry. Importing this imports no model library."""

from engine.models.caches import CachedEmbedder, EmbeddingCache
from engine.models.devices import choose_device
from engine.models.embedders import Embedder, SentenceTransformerEmbedder
from engine.models.encoder_process import ProcessEmbedder
from engine.models.registry import (
    ModelInfo,
    bundled_encoder,
    fingerprint,
    load_encoder,
    local_encoder,
    models,
    shared_encoder,
)

__all__ = [
    "CachedEmbedder",
    "Embedder",
    "EmbeddingCache",
    "ModelInfo",
    "ProcessEmbedder",
    "SentenceTransformerEmbedder",
    "bundled_encoder",
    "choose_device",
    "fingerprint",
    "load_encoder",
    "local_encoder",
    "models",
    "shared_encoder",
]
