"""Language models behind a local OpenAI-compatible server: llama.cpp, Ollama, vLLM, ``transformers serve``."""

from __future__ import annotations

import ipaddress
import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.language import Completion, ContextTooLong, LanguageModelInfo, OnText, Prompt

if TYPE_CHECKING:
    import asyncio

    import httpx2

_POLL = 0.1  # seconds between two looks at Cancel
_ATTEMPTS = 3  # a server that is starting or restarting answers 503 or drops the connection
_PAUSE = 0.5  # seconds before the second attempt, doubled before the third
_NOT_READY = (429, 502, 503)
_LOOPBACK_NAMES = {"localhost", "localhost.localdomain", "ip6-localhost"}
_CONTEXT_WORDS = ("context length", "context_length", "context size", "maximum context", "too long", "exceeds the")


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server listens; ``url`` ends before ``/chat/completions`` (usually in ``/v1``).

    ``allow_remote`` is the person's switch for any address but this machine's own: what a model is asked then leaves
    the machine.
    """

    url: str
    api_key: str = field(default="", repr=False)
    allow_remote: bool = False
    connect_seconds: float = 5.0
    silence_seconds: float = 300.0
    """How long a server may say nothing: a long prompt on a slow processor takes minutes before the first word."""


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own."""
    host = (urlsplit(url).hostname or "").lower()
    if host in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_server(server: Server) -> None:
    """Raises BadInput for an address that is none, or leads elsewhere without the person's switch."""
    parts = urlsplit(server.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(
            f"“{server.url}” is not the address of a server.",
            "Nothing was sent.",
            "Give an address like http://127.0.0.1:8080/v1.",
        )
    if not server.allow_remote and not is_loopback(server.url):
        raise BadInput(
            f"{parts.hostname} is another machine.",
            "Nothing was sent: papers and reviews would leave this machine.",
            "Use a server on this machine, or switch on “Allow another machine” for this server.",
        )


def list_models(server: Server, report: Report | None = None) -> tuple[str, ...]:
    """The ids of the models that a server offers. Raises what ``ServerLanguageModel.complete`` raises."""
    (answer,) = _Exchange(server, "GET", "/models", None).lines(report or QuietReport())
    try:
        return tuple(str(model["id"]) for model in json.loads(answer)["data"])
    except (ValueError, KeyError, TypeError) as error:
        raise _strange(server, answer) from error


class ServerLanguageModel:
    """One model of a server. Opens a connection for each request, and only to that server."""

    def __init__(self, server: Server, model: str, *, title: str = "", context: int | None = None) -> None:
        """Raises BadInput as ``check_server``."""
        check_server(server)
        self._server = server
        self._model = model
        self._info = LanguageModelInfo(f"{server.url} {model}", title or model, "server", model, context)

    @property
    def info(self) -> LanguageModelInfo:
        return self._info

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        """As ``LanguageModel.complete``. The server is asked to hold the answer to the schema; not every server can."""
        started = time.perf_counter()
        request: dict[str, Any] = asdict(prompt) | {
            "model": self._model,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if (schema := request.pop("schema")) is not None:
            name = "".join(c if c.isalnum() else "_" for c in schema.get("title", "answer"))[:64]
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": name, "schema": schema, "strict": True},
            }
        pieces: list[str] = []
        finish, ended = "", False
        usage: dict[str, Any] = {}
        lines = self._lines(request, report or QuietReport())
        for line in lines:
            if not line.startswith("data:"):
                continue
            data = line[5:].strip()
            if data == "[DONE]":
                ended = True
                continue
            try:
                event = json.loads(data)
                choices = event.get("choices") or []
                failed = event.get("error")
            except (ValueError, AttributeError) as error:
                raise _strange(self._server, data) from error
            if failed:
                raise _refused(self._server, 200, json.dumps(failed))
            usage = event.get("usage") or usage
            for choice in choices[:1]:
                piece = (choice.get("delta") or {}).get("content") or ""
                finish = choice.get("finish_reason") or finish
                if piece:
                    pieces.append(piece)
                    if on_text is not None:
                        on_text(piece)
        if not ended and not finish:
            raise EnvironmentProblem(
                f"The language-model server at {self._server.url} broke off in the middle of its answer.",
                "The answer is not complete and was not used; what is saved is not touched.",
                "See whether the server is still running, and try again.",
            )
        return Completion(
            "".join(pieces),
            "length" if finish == "length" else "stop",
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
            time.perf_counter() - started,
        )

    def _lines(self, request: dict[str, Any], report: Report) -> Iterator[str]:
        try:
            yield from _Exchange(self._server, "POST", "/chat/completions", request).lines(report)
        except Refused as refused:
            # A server that cannot hold answers to a schema says so; the caller that wants an object checks it anyway.
            if "response_format" not in request or refused.status not in (400, 422, 501):
                raise
            free = {key: value for key, value in request.items() if key != "response_format"}
            yield from _Exchange(self._server, "POST", "/chat/completions", free).lines(report)


class Refused(EnvironmentProblem):
    """The server answered with an error; ``status`` is HTTP's."""

    def __init__(self, server: Server, status: int, said: str) -> None:
        self.status = status
        super().__init__(
            f"The language-model server at {server.url} refused the request"
            + (f" ({status})" if status != 200 else "")
            + (f": {said}" if said else "."),
            "Nothing was written; what is saved is not touched.",
            "Look into the server's own log, or choose another model in the Models pane.",
        )


class _Exchange:
    """One request in an event loop and a thread of its own, so that Cancel need not wait for the server."""

    def __init__(self, server: Server, method: str, path: str, body: dict[str, Any] | None) -> None:
        check_server(server)
        self._server = server
        self._method = method
        self._url = server.url.rstrip("/") + path
        self._body = body
        self._heard: queue.SimpleQueue[str | BaseException | None] = queue.SimpleQueue()

    def lines(self, report: Report) -> Iterator[str]:
        """The answer's lines as they come (a GET's answer is one). Raises Cancelled and EnvironmentProblem."""
        import asyncio

        loop = asyncio.new_event_loop()
        task = loop.create_task(self._talk())
        thread = threading.Thread(target=_run, args=(loop, task), name="rejoinder-model-server", daemon=True)
        thread.start()
        try:
            while True:
                try:
                    heard = self._heard.get(timeout=_POLL)
                except queue.Empty:
                    report.check()
                    continue
                if heard is None:
                    return
                if isinstance(heard, BaseException):
                    raise self._plain(heard) from heard
                yield heard
                report.check()
        finally:
            with suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(task.cancel)
            thread.join()

    async def _talk(self) -> None:
        import asyncio

        import httpx2

        timeout = httpx2.Timeout(self._server.silence_seconds, connect=self._server.connect_seconds)
        headers = {"Authorization": f"Bearer {self._server.api_key}"} if self._server.api_key else {}
        # No proxy and no settings from the environment: what is asked goes to the named server and nowhere else.
        async with httpx2.AsyncClient(timeout=timeout, headers=headers, trust_env=False) as client:
            for attempt in range(_ATTEMPTS):
                if attempt:
                    await asyncio.sleep(_PAUSE * 2 ** (attempt - 1))
                try:
                    if await self._attempt(client, last=attempt == _ATTEMPTS - 1):
                        return
                except (httpx2.ConnectError, httpx2.RemoteProtocolError) as error:
                    # What was already heard must not be heard twice.
                    if attempt == _ATTEMPTS - 1 or self._began:
                        self._heard.put(error)
                        return
                except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
                    self._heard.put(error)
                    return

    _began = False

    async def _attempt(self, client: httpx2.AsyncClient, *, last: bool) -> bool:
        """Whether the server gave an answer, be it a refusal; a server that is not yet ready gives none."""
        async with client.stream(self._method, self._url, json=self._body) as response:
            if response.status_code in _NOT_READY and not last:
                return False
            if response.status_code >= 300:
                text = (await response.aread()).decode("utf-8", "replace")
                self._heard.put(_refused(self._server, response.status_code, text))
            elif self._body is None:
                self._heard.put((await response.aread()).decode("utf-8", "replace"))
                self._heard.put(None)
            else:
                async for line in response.aiter_lines():
                    self._began = True
                    self._heard.put(line)
                self._heard.put(None)
        return True

    def _plain(self, error: BaseException) -> BaseException:
        """A transport error in words for people."""
        import httpx2

        where = f"language-model server at {self._server.url}"
        unused = "Nothing was used of its answer; what is saved is not touched."
        if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout)):
            return EnvironmentProblem(
                f"Nobody answers at {self._server.url}.",
                "Nothing was written; what is saved is not touched.",
                "Start the language-model server, or correct its address in the Models pane.",
            )
        if isinstance(error, httpx2.TimeoutException):
            return EnvironmentProblem(
                f"The {where} said nothing for {self._server.silence_seconds:.0f} seconds.",
                unused,
                "See whether it is overloaded, allow it more time, or choose a smaller model.",
            )
        if isinstance(error, httpx2.TransportError):
            return EnvironmentProblem(
                f"The connection to the {where} broke off.",
                unused,
                "See whether the server is still running, and try again.",
            )
        return error


def _run(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    from asyncio import CancelledError

    try:
        with suppress(CancelledError):
            loop.run_until_complete(task)
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _refused(server: Server, status: int, body: str) -> EnvironmentProblem:
    said = body.strip()
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        found = json.loads(body)
        found = found.get("error", found)
        said = str(found.get("message", found) if isinstance(found, dict) else found)
    if any(words in said.lower() for words in _CONTEXT_WORDS):
        return ContextTooLong(None, None)
    return Refused(server, status, " ".join(said.split())[:300])


def _strange(server: Server, said: str) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"What the server at {server.url} answers is not what a language-model server says: “{said[:80]}”.",
        "Nothing was used of it; what is saved is not touched.",
        "Check the address: it usually ends in /v1.",
    )
