"""A language-model server that does as it is scripted: each dialect, reasoning, babble, truncation, stalls, failures,
restarts and rate limits. It stands for no real model; a token of it is a word.
"""

from __future__ import annotations

import json
import random
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Dialect = Literal["vLLM", "llama.cpp", "Ollama", "LM Studio", "OpenAI-compatible"]
Style = Literal["", "tags", "tags without a beginning", "reasoning_content", "reasoning"]
_TOKEN = re.compile(r"\S+\s*")


@dataclass
class Script:
    """What the server does; may be changed while it runs.

    ``answer`` makes the answer of the last message. ``reasoning`` words come before it in the ``style`` of a server.
    ``failures`` and ``stalls`` are shares of the requests; ``at_once``: more requests than that are refused with 429
    and ``retry_after``. Of longer prompts, only the last ``reads`` tokens are read, without a word about it.
    """

    answer: Callable[[str], str]
    dialect: Dialect = "OpenAI-compatible"
    context: int = 32_768
    reads: int = 10**9
    model: str = "scripted"
    latency: float = 0.0
    style: Style = ""
    reasoning: int = 0
    can_stop_reasoning: bool = True
    before: str = ""
    after: str = ""
    failures: float = 0.0
    stalls: float = 0.0
    stall_seconds: float = 30.0
    at_once: int = 1000
    retry_after: str = "0.05"
    no_schema: bool = False
    no_native: bool = False
    seed: int = 0
    seen: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    connections: int = 0
    refused: int = 0
    most_at_once: int = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    script: Script
    lock: threading.Lock
    released: threading.Event
    chance: random.Random
    busy: list[int]
    open: set[Any]

    def setup(self) -> None:
        super().setup()
        self.open.add(self.connection)
        with self.lock:
            self.script.connections += 1

    def finish(self) -> None:
        self.open.discard(self.connection)
        with suppress(OSError, ValueError):
            super().finish()

    def handle(self) -> None:
        with suppress(OSError):  # the client, or the end of the test, closed the connection
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.script.paths.append(self.path)
        found = described(self.script, self.path, {})
        self._say(found) if found is not None else self._say({"error": "not found"}, 404)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.script.paths.append(self.path)
        found = described(self.script, self.path, asked)
        if found is not None:
            self._say(found)
            return
        native = self.path == "/api/chat" and self.script.dialect == "Ollama" and not self.script.no_native
        if not native and self.path != "/v1/chat/completions":
            self._say({"error": "not found"}, 404)
            return
        with self.lock:
            self.busy[0] += 1
            self.script.most_at_once = max(self.script.most_at_once, self.busy[0])
            crowded = self.busy[0] > self.script.at_once
            fails = self.chance.random() < self.script.failures
            stalls = self.chance.random() < self.script.stalls
            self.script.refused += crowded
        try:
            if crowded:
                self._say({"error": {"message": "too many requests"}}, 429, {"Retry-After": self.script.retry_after})
            elif self.script.no_schema and ("response_format" in asked or "format" in asked):
                self._say({"error": {"message": "response_format is not supported"}}, 400)
            elif fails:
                self._fail()
            else:
                self._answer(asked, native=native, stalls=stalls)
        finally:
            with self.lock:
                self.busy[0] -= 1

    def _fail(self) -> None:
        """An error inside, a connection that is closed without a word, or one that is closed in the middle."""
        way = self.chance.randrange(3)
        if way == 0:
            self._say({"error": {"message": "out of memory"}}, 500)
            return
        if way == 1:
            self._begin()
            self._piece({"choices": [{"delta": {"content": '{"ans'}, "finish_reason": None}]})
        self.close_connection = True
        with suppress(OSError):
            self.connection.close()

    def _answer(self, asked: dict[str, Any], *, native: bool, stalls: bool) -> None:
        script = self.script
        with self.lock:
            script.seen.append(asked)
        self.released.wait(script.latency)
        self._begin()
        if stalls:
            self.released.wait(script.stall_seconds)
        options = asked.get("options", {})
        left = int(asked.get("max_tokens") or options.get("num_predict") or 10**9)
        stopped = asked.get("think") is False or asked.get("chat_template_kwargs", {}).get("enable_thinking") is False
        thinks = script.style and not (stopped and script.can_stop_reasoning)
        thought = (
            " ".join(["hmm", "{perhaps}", '{"answer": "no"}'][n % 3] for n in range(script.reasoning)) if thinks else ""
        )
        tokens = sum(len(_TOKEN.findall(message["content"])) for message in asked["messages"])
        words = _TOKEN.findall(asked["messages"][-1]["content"])[-script.reads :]
        text = f"{script.before}{script.answer(''.join(words))}{script.after}"
        written = 0
        pieces: list[tuple[str, str]] = []
        if thought and script.style == "tags":
            text, thought = f"<think>{thought}</think>\n{text}", ""
        elif thought and script.style == "tags without a beginning":
            text, thought = f"{thought}</think>\n{text}", ""
        name = "thinking" if native else script.style
        pieces += [(name, piece) for piece in _TOKEN.findall(thought)]
        pieces += [("content", piece) for piece in _TOKEN.findall(text)]
        for kind, piece in pieces[:left]:
            written += 1
            said = {kind: piece}
            self._piece(
                {"message": said, "done": False} if native else {"choices": [{"delta": said, "finish_reason": None}]}
            )
        finish = "stop" if len(pieces) <= left else "length"
        if native:
            self._piece({"message": {"content": ""}, "done": True, "done_reason": finish, "eval_count": written,
                         "prompt_eval_count": min(tokens, script.reads)})  # fmt: skip
        else:
            self._piece({"choices": [{"delta": {}, "finish_reason": finish}]})
            self._piece({"choices": [], "usage": {"prompt_tokens": min(tokens, script.reads),
                                                "completion_tokens": written}})  # fmt: skip
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _piece(self, event: dict[str, Any]) -> None:
        self._chunk(
            f"{json.dumps(event)}\n".encode() if "message" in event else f"data: {json.dumps(event)}\n\n".encode()
        )

    def _chunk(self, data: bytes) -> None:
        with suppress(OSError, ValueError):
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _say(self, body: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        with suppress(OSError):
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)


def described(script: Script, path: str, asked: dict[str, Any]) -> dict[str, Any] | None:
    """What a server of this kind says of itself at a path, after its documentation; None where it has no such path."""
    name, context = script.model, script.context
    listed: dict[Dialect, dict[str, Any]] = {
        "vLLM": {"id": name, "object": "model", "owned_by": "vllm", "root": name, "max_model_len": context},
        "llama.cpp": {"id": name, "object": "model", "owned_by": "llamacpp",
                      "meta": {"n_vocab": 32_000, "n_ctx_train": 131_072, "n_params": 7, "size": 14}},
        "Ollama": {"id": f"{name}:latest", "object": "model", "owned_by": "library"},
        "LM Studio": {"id": name, "object": "model", "owned_by": "organization_owner"},
        "OpenAI-compatible": {"id": name, "object": "model", "owned_by": "somebody"},
    }  # fmt: skip
    if path == "/v1/models":
        return {"object": "list", "data": [listed[script.dialect]]}
    match script.dialect, path:
        case "llama.cpp", "/props":
            return {
                "default_generation_settings": {"n_ctx": context, "params": {}}, "total_slots": 4,
                "model_path": "/models/scripted.gguf", "chat_template": "… <think> …", "modalities": {"vision": True},
            }  # fmt: skip
        case "Ollama", "/api/tags":
            return {
                "models": [{"name": f"{name}:latest", "model": f"{name}:latest", "digest": "abc" * 10, "details": {}}]
            }
        case "Ollama", "/api/ps":
            return {"models": []}
        case "Ollama", "/api/show" if asked.get("model") == f"{name}:latest":
            return {
                "parameters": f"temperature 0.6\nnum_ctx                        {context}",
                "model_info": {"general.architecture": "q", "q.context_length": 131_072},
                "capabilities": ["completion", "thinking", "tools"],
            }  # fmt: skip
        case "LM Studio", "/api/v0/models":
            return {"data": [
                {"id": name, "type": "llm", "arch": "q", "quantization": "Q4_K_M", "state": "loaded",
                 "max_context_length": 131_072, "loaded_context_length": context, "capabilities": ["tool_use"]},
                {"id": "embedder", "type": "embeddings", "max_context_length": 512},
            ]}  # fmt: skip
    return None


class Running:
    """A scripted server that runs at ``url`` (ending in /v1) until its block ends."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None
        self._port = 0
        self._open: set[Any] = set()
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        """Begins to listen, at the same port as before."""
        self._released, self._open = threading.Event(), set()
        bound = type("Bound", (_Handler,), {
            "script": self.script, "lock": threading.Lock(), "released": self._released,
            "chance": random.Random(self.script.seed), "busy": [0], "open": self._open,
        })  # fmt: skip
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), bound)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        """Stops as a killed server does: nobody listens any more, and what was begun breaks off."""
        assert self._server is not None and self._thread is not None
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def restart(self, away: float) -> None:
        """Is away for some seconds."""
        self.stop()
        threading.Event().wait(away)
        self.start()


@contextmanager
def scripted_server(script: Script) -> Iterator[Running]:
    """The server for the length of a block."""
    running = Running(script)
    try:
        yield running
    finally:
        running.stop()


def even(text: str) -> str:
    """Whether the number at the end of a question is even."""
    return json.dumps({"answer": "yes" if int(text.rsplit(" ", 1)[1]) % 2 == 0 else "no"})


if __name__ == "__main__":  # for benchmarks: a server in a process of its own, which takes no time from the client's
    import sys

    with scripted_server(Script(even, latency=float(sys.argv[1]))) as serving:
        print(serving.url, flush=True)
        sys.stdin.read()
