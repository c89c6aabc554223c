"""Finds out what a language-model server offers: its kind, its models, their context lengths and abilities.

The requests are those documented by each server: ``/v1/models`` (``max_model_len`` of vLLM, ``meta`` of llama.cpp),
llama.cpp's ``/props``, Ollama's ``/api/tags``, ``/api/show`` and ``/api/ps``, LM Studio's ``/api/v1/models`` and
``/api/v0/models``. All go to the given address and nowhere else.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.server_address import Server
from engine.models.server_connection import Call, Connection, Refused, parsed
from engine.models.server_language import ServerKind, root_of

Ability = Literal["reasoning", "vision", "tools"]
_KINDS: Mapping[str, ServerKind] = {"vllm": "vLLM", "llamacpp": "llama.cpp", "organization_owner": "LM Studio"}
"""Kinds of server by their value of ``owned_by``."""
_LONGEST = 2**24
"""Characters of a description; more is no description."""
_PATHS = re.compile(r"/+((chat/)?completions|models)?/*$")
"""Paths that people paste along with an address."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A model of a server. ``context``: tokens that a request may have now, None if the server doesn't say;
    ``longest``: the maximum the model was made for. ``version`` distinguishes models offered under one name. ``host``:
    the other computer that the server forwards requests to, "" if none."""

    id: str
    context: int | None = None
    longest: int | None = None
    abilities: tuple[Ability, ...] = ()
    version: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class ServerReport:
    kind: ServerKind
    server: Server
    models: tuple[Offered, ...]

    def model(self, name: str) -> Offered:
        """Returns the model of that name, or the only one for "". Raises BadInput if there is none."""
        if not name and len(self.models) == 1:
            return self.models[0]
        found = next((one for one in self.models if one.id in (name, f"{name}:latest")), None)
        if found is None:
            listed = ", ".join(one.id for one in self.models) or "none"
            asked = f"The server at {self.server.url} has no model named “{name}”." if name else "No model was chosen."
            raise BadInput(asked, "Nothing was added or changed.", f"Its models are: {listed}.")
        return found


def look_at(server: Server, report: Report = QuietReport()) -> ServerReport:
    """Asks a server for its models and their abilities. Raises BadInput as ``check_server`` does, Cancelled, and
    EnvironmentProblem if nothing responds or it isn't such a server."""
    with closing(Connection(replace(server, silence_seconds=min(server.silence_seconds, 30.0)))) as connection:
        server = replace(server, url=_PATHS.sub("", server.url))
        root = root_of(server.url)
        listed = _json(connection, f"{server.url}/models", report)
        failed = isinstance(listed, EnvironmentProblem)
        # LM Studio answers 200 at any path.
        if (isinstance(listed, Refused) or not (failed or "data" in _dict(listed))) and server.url != f"{root}/v1":
            server = replace(server, url=f"{root}/v1")  # the address was given without OpenAI's path
            listed = _json(connection, f"{server.url}/models", report)
        if isinstance(listed, EnvironmentProblem):
            raise listed
        entries = [entry for entry in _list(listed, "data") if isinstance(entry.get("id"), str)]
        if not entries and not (isinstance(listed, dict) and "data" in listed):
            raise EnvironmentProblem(
                f"The server at {server.url} doesn't answer like a language-model server.",
                "Nothing was added.",
                "Check the address: it usually ends in /v1.",
            )
        owners = {str(entry.get("owned_by", "")).casefold() for entry in entries}
        kind = next((kind for owner, kind in _KINDS.items() if owner in owners), None)
        if kind is None and any("max_model_len" in entry for entry in entries):
            kind = "vLLM"
        if kind in (None, "llama.cpp"):
            props = _dict(_json(connection, f"{root}/props", report))
            if kind or "default_generation_settings" in props:
                # A server with several models reports the properties of each that is loaded.
                def own(entry: Mapping[str, Any]) -> Mapping[str, Any]:
                    state = _dict(entry.get("status")).get("value", props)
                    address = f"{root}/props?model={quote(entry['id'], safe='')}"
                    return props if state is props else _dict(state == "loaded" and _json(connection, address, report))

                models = (_llama(entry, own(entry)) for entry in _chatting(entries))
                return ServerReport("llama.cpp", server, tuple(models))
        if kind in (None, "LM Studio"):
            rooms = list(map(_older, _list(_json(connection, f"{root}/api/v1/models", report), "models")))
            rooms = rooms or _list(_json(connection, f"{root}/api/v0/models", report), "data")
            if any("max_context_length" in entry for entry in rooms):
                return ServerReport("LM Studio", server, tuple(map(_studio, _chatting(rooms))))
        if kind is None and (tags := _list(_json(connection, f"{root}/api/tags", report), "models")):
            loaded = _list(_json(connection, f"{root}/api/ps", report), "models")
            offered = (_ollama(connection, root, tag, loaded, report) for tag in tags)
            return ServerReport("Ollama", server, tuple(filter(None, offered)))
        return ServerReport(kind or "OpenAI-compatible", server, tuple(map(_plain, entries)))


def _plain(entry: Mapping[str, Any]) -> Offered:
    limit = next((number for name in ("max_model_len", "context_length", "max_context_length")
                  if (number := _whole(entry.get(name)))), None)  # fmt: skip
    return Offered(
        entry["id"], limit, limit, (), str(entry.get("root") or "") if entry.get("root") != entry["id"] else ""
    )


def _llama(entry: Mapping[str, Any], props: Mapping[str, Any]) -> Offered:
    settings, modalities = _dict(props.get("default_generation_settings")), _dict(props.get("modalities"))
    template, meta = str(props.get("chat_template", "")), _dict(entry.get("meta"))
    abilities: list[Ability] = ["vision"] if modalities.get("vision") else []
    if "<think>" in template or "enable_thinking" in template or "reasoning_content" in template:
        abilities.insert(0, "reasoning")
    context = _whole(meta.get("n_ctx")) or _whole(settings.get("n_ctx")) or _whole(props.get("n_ctx"))
    version = f"{props.get('model_path', '')} {meta.get('size', '')}".strip()
    return Offered(entry["id"], context, _whole(meta.get("n_ctx_train")), tuple(abilities), version)


def _chatting(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Removes models that don't generate text: embedding models of LM Studio, and classifiers of llama.cpp."""
    return [
        entry for entry in entries
        if isinstance(entry.get("id"), str) and entry.get("type") != "embeddings"
        and "text" in (_words(_dict(entry.get("architecture")).get("output_modalities")) or ("text",))
    ]  # fmt: skip


def _older(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Converts a model entry of LM Studio's newer interface to the older format."""
    can = _dict(entry.get("capabilities"))
    loaded = _list(entry, "loaded_instances")
    return {
        "id": entry.get("key"), "arch": entry.get("architecture"),
        "type": "embeddings" if entry.get("type") == "embedding" else "vlm" if can.get("vision") else "llm",
        "quantization": _dict(entry.get("quantization")).get("name"),
        "max_context_length": entry.get("max_context_length"),
        "loaded_context_length": _dict(loaded[0].get("config")).get("context_length") if loaded else None,
        "capabilities": ["tool_use"] * bool(can.get("trained_for_tool_use")),
    }  # fmt: skip


def _studio(entry: Mapping[str, Any]) -> Offered:
    abilities: list[Ability] = ["vision"] if entry.get("type") == "vlm" else []
    abilities += ["tools"] * ("tool_use" in _words(entry.get("capabilities")))
    version = " ".join(str(entry[name]) for name in ("arch", "quantization") if entry.get(name))
    # LM Studio chooses the context of a model when it loads it, and may choose less than the maximum.
    longest, loaded = _whole(entry.get("max_context_length")), _whole(entry.get("loaded_context_length"))
    return Offered(entry["id"], loaded, longest, tuple(abilities), version)


def _ollama(
    connection: Connection, root: str, tag: Mapping[str, Any], loaded: Sequence[Mapping[str, Any]], report: Report
) -> Offered | None:
    """Returns None for a model that doesn't generate text."""
    name = str(tag.get("model") or tag.get("name"))
    shown = _dict(_json(connection, f"{root}/api/show", report, {"model": name}))
    about, can = _dict(shown.get("model_info")), _words(shown.get("capabilities"))
    if can and "completion" not in can and "embedding" in can:
        return None
    longest = next((_whole(value) for key, value in about.items() if key.endswith(".context_length")), None)
    stated = re.search(r"^num_ctx\s+(\d{1,9})\b", str(shown.get("parameters", "")), re.MULTILINE)
    running = next(
        (_whole(one.get("context_length")) for one in loaded if name in (one.get("model"), one.get("name"))), None
    )
    named: Mapping[str, Ability] = {"thinking": "reasoning", "vision": "vision", "tools": "tools"}
    abilities = [ability for word, ability in named.items() if word in can]
    context, version = int(stated[1]) if stated else running, str(tag.get("digest", ""))[:16]
    return Offered(name, context, longest, tuple(abilities), version, _elsewhere(name, {**shown, **tag}))


def _elsewhere(name: str, about: Mapping[str, Any]) -> str:
    """Returns the computer that Ollama forwards a cloud model's requests to, since it lists such models like local
    ones."""
    host = str(about.get("remote_host") or "")
    return urlsplit(host).hostname or host or ("ollama.com" if name.endswith(("-cloud", ":cloud")) else "")


class _Whole:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self.size, self.full = 0, False

    def line(self, line: str) -> None:
        self._lines.append(line)
        self.size += len(line) + 1
        self.full = self.size > _LONGEST

    def result(self) -> str:
        return "\n".join(self._lines)


def _json(connection: Connection, url: str, report: Report, body: dict[str, Any] | None = None) -> Any:
    """Returns the JSON at an address, or the error: not every server supports each address."""
    call = Call(lambda: (url, body), lambda _on_piece: _Whole())
    ((_, said),) = connection.run([call], report)
    if isinstance(said, EnvironmentProblem):
        return said
    try:
        return parsed(said)
    except ValueError:
        return None


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any, name: str) -> list[Mapping[str, Any]]:
    inner = _dict(value).get(name)
    return [entry for entry in inner if isinstance(entry, dict)] if isinstance(inner, list) else []


def _words(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _whole(value: Any) -> int | None:
    """A number of tokens; the 10^30 of a tokenizer without a limit is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else None
