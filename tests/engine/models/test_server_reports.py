"""What servers that hold several models say of each: the answers are those of their documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from engine.errors import BadInput
from engine.models.library import ModelLibrary, load_language_model
from engine.models.server_address import Server
from engine.models.server_report import Offered, look_at
from tests.engine.models.faulty_server import Exchange, Handler, faulty_server

pytestmark = pytest.mark.loopback


def answering(documents: dict[str, Any]) -> Handler:
    """A server that has ``documents`` by their paths, and nothing else."""

    def handler(exchange: Exchange) -> None:
        path = exchange.path if exchange.path in documents else urlsplit(exchange.path).path
        if "model" in exchange.asked:
            path = f"{path} {exchange.asked['model']}"
        exchange.say(documents.get(path, {"error": "404 page not found"}), 200 if path in documents else 404)

    return handler


def model(name: str, state: str, *writes: str) -> dict[str, Any]:
    return {
        "id": name, "object": "model", "owned_by": "llamacpp", "status": {"value": state},
        "architecture": {"input_modalities": ["text"], "output_modalities": list(writes)},
    }  # fmt: skip


LLAMA = {
    "/v1/models": {
        "data": [model("org/a:Q4", "loaded", "text"), model("b", "unloaded", "text"), model("c", "loaded", "decisions")]
    },
    "/props": {"role": "router", "model_path": "none", "default_generation_settings": {"params": {}, "n_ctx": 0}},
    "/props?model=org%2Fa%3AQ4": {"default_generation_settings": {"n_ctx": 8192}, "model_path": "/m/a.gguf"},
}
STUDIO = {
    "/v1/models": {"data": [{"id": "q", "owned_by": "organization_owner"}]},
    "/api/v1/models": {
        "models": [
            {
                "type": "llm", "key": "q", "architecture": "qwen3", "quantization": {"name": "Q4_K_M"},
                "loaded_instances": [{"id": "q", "config": {"context_length": 8192}}], "max_context_length": 40960,
                "capabilities": {"vision": True, "trained_for_tool_use": True},
            },
            {"type": "llm", "key": "idle", "loaded_instances": [], "max_context_length": 4096, "quantization": None},
            {"type": "embedding", "key": "e", "loaded_instances": [], "max_context_length": 2048},
        ]
    },
}  # fmt: skip
OLLAMA = {
    "/v1/models": {"data": [{"id": "a:8b", "owned_by": "library"}]},
    "/api/tags": {
        "models": [
            {"model": "a:8b"}, {"model": "e"}, {"model": "g", "remote_model": "g", "remote_host": "https://ollama.com:443"},
            {"model": "h:120b-cloud"},
        ]
    },
    "/api/ps": {"models": [{"model": "a:8b", "context_length": 16384}]},
    "/api/show a:8b": {"model_info": {"qwen3.context_length": 40960}, "capabilities": ["completion", "thinking"]},
    "/api/show e": {"model_info": {"bert.context_length": 512}, "capabilities": ["embedding"]},
    "/api/show g": {"model_info": {"g.context_length": 131072}, "capabilities": ["completion"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("documents", "models"),
    [
        (LLAMA, (Offered("org/a:Q4", 8192, version="/m/a.gguf"), Offered("b"))),
        (STUDIO, (Offered("q", 8192, 40960, ("vision", "tools"), "qwen3 Q4_K_M"), Offered("idle", None, 4096))),
        (
            OLLAMA,
            (
                Offered("a:8b", 16384, 40960, ("reasoning",)),
                Offered("g", None, 131072, host="ollama.com"),
                Offered("h:120b-cloud", host="ollama.com"),
            ),
        ),
    ],
)
@pytest.mark.parametrize("pasted", ["", "/", "/chat/completions", "/models"])
def test_models_that_write_are_listed_each_with_its_own_context(
    documents: dict[str, Any], models: tuple[Offered, ...], pasted: str
) -> None:
    with faulty_server(answering(documents)) as (url, _):
        seen = look_at(Server(url + pasted))
    assert seen.models == models and seen.server.url == url


def test_a_server_that_answers_200_everywhere_is_found_without_its_path() -> None:
    def handler(exchange: Exchange) -> None:
        unknown = {"error": f"Unexpected endpoint or method. (GET {exchange.path})"}
        exchange.say(STUDIO.get(urlsplit(exchange.path).path, unknown), 200)

    with faulty_server(handler) as (url, _):
        seen = look_at(Server(url.removesuffix("/v1")))
    assert (seen.kind, seen.server.url, seen.model("q").context) == ("LM Studio", url, 8192)


def test_a_model_that_the_server_asks_elsewhere_needs_permission(tmp_path: Path) -> None:
    library = ModelLibrary(tmp_path / "models.json")
    with faulty_server(answering(OLLAMA)) as (url, _):
        seen = look_at(Server(url))
    with pytest.raises(BadInput, match=r"passes requests on to ollama\.com"):
        library.add_server(seen.server, "g", context=8192, kind=seen.kind, report=seen.model("g"))
    allowed = library.add_server(Server(url, allow_remote=True), "g", context=8192, report=seen.model("g"))
    assert load_language_model(allowed).info.context == 8192
    assert library.added() == (allowed,)
