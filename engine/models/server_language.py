"""Language models behind a server: vLLM, llama.cpp, LM Studio, ``transformers serve`` and others with OpenAI's chat
interface, and Ollama through its own interface, the only one in which a request can set the context length."""

import re
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit

from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.answer_text import AnswerStream, split_reasoning
from engine.models.language import (
    AnswerFailed,
    Completion,
    ContextTooLong,
    Finish,
    LanguageModelInfo,
    OnPiece,
    OnText,
    Outcomes,
    Prompt,
    public_name,
)
from engine.models.server_address import Server, check_server, is_loopback
from engine.models.server_connection import Call, Connection, Refused, error_words, failure, parsed, strange

__all__ = ["Refused", "Server", "ServerKind", "ServerLanguageModel", "check_server", "is_loopback"]

ServerKind = Literal["vLLM", "llama.cpp", "Ollama", "LM Studio", "OpenAI-compatible"]
_FINISHES: tuple[tuple[Finish, str], ...] = (
    ("stop", "stop|eos|eos_token|eosfound|stop_?sequence|stopstringfound|end_turn|tool_calls|function_call"),
    ("length", ".*(length|max|limit|budget|truncated|incomplete).*"),
    ("filtered", ".*(filter|safety|refusal|recitation|prohibited|blocked).*"),
    ("unstated", ""),
)
"""Servers' names for the reason an answer ended; any other means it is incomplete ("abort", "modelUnloaded")."""
_LONGEST_TOKEN, _TOKENS_ASIDE = 32, 300
"""Characters of a token, on average, and tokens beyond the budget that an answer may have before it counts as cut off:
not every server observes the budget, and a model can write without end."""


class ServerLanguageModel:
    """One model of a server. Its connections stay open until ``close``, and only go to that server."""

    def __init__(
        self,
        server: Server,
        model: str,
        *,
        title: str = "",
        context: int | None = None,
        kind: ServerKind = "OpenAI-compatible",
        version: str = "",
        reasons: bool = False,
    ) -> None:
        """``version`` distinguishes models that the server offers under the same name; ``reasons``: it is known to
        reason. Raises BadInput as ``check_server`` does."""
        self._connection = Connection(server)
        self._server = server
        self._model = model
        self._kind: ServerKind = kind
        self.reasons = reasons
        self._cannot: set[str] = set()
        name = public_name(model)
        self.info = LanguageModelInfo(name, title or name, "server", f"{name} {version}".strip(), context, server.url)

    @property
    def concurrency(self) -> int:
        """The current number of concurrent requests; lower than allowed if the server couldn't handle them."""
        return self._connection.limit

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report = QuietReport()) -> Completion:
        """As ``LanguageModel.complete``. The server is asked to constrain the answer to the schema; not every server
        can."""
        pieces = None if on_text is None else lambda _place, piece: on_text(piece) if piece else None
        for _, outcome in self._run([prompt], report, pieces, again=on_text is None):
            if isinstance(outcome, EnvironmentProblem):
                raise outcome
            return outcome
        raise AssertionError("a call has one outcome")

    def complete_all(
        self, prompts: Sequence[Prompt], *, report: Report = QuietReport(), on_text: OnPiece | None = None
    ) -> Outcomes:
        """As ``engine.models.questions.complete_all``, concurrently."""
        for place, outcome in self._run(prompts, report, on_text, again=True):
            if isinstance(outcome, EnvironmentProblem) and not isinstance(outcome, AnswerFailed | ContextTooLong):
                raise outcome
            yield place, outcome

    def close(self) -> None:
        self._connection.close()

    def _run(self, prompts: Sequence[Prompt], report: Report, on_piece: OnPiece | None, *, again: bool) -> Outcomes:
        fitting = []
        for place, prompt in enumerate(prompts):
            # Ollama, LM Studio and others may silently truncate a prompt that is too long.
            needed = prompt.tokens + prompt.max_tokens
            if needed > (self.info.context or needed):
                yield place, ContextTooLong(needed, self.info.context)
            else:
                fitting.append(place)
        calls = [self._call(prompts[place], again=again) for place in fitting]
        heard = None if on_piece is None else lambda at, piece: on_piece(fitting[at], piece)
        for at, outcome in self._connection.run(calls, report, heard):
            place = fitting[at]
            if isinstance(outcome, Completion):
                self.reasons |= bool(outcome.reasoning)
                yield place, self._of_the_whole(prompts[place], outcome)
            else:
                yield place, outcome

    def _of_the_whole(self, prompt: Prompt, said: Completion) -> Completion | ContextTooLong:
        """Returns the answer unless the server says that it read fewer tokens than the prompt has words: no usual token
        spans two, so it left something out. Ollama doesn't count what it has cached, and is asked not to truncate."""
        least, read = sum(len(message.content.split()) for message in prompt.messages), said.prompt_tokens or 0
        if not 0 < read < least or self._kind == "Ollama":
            return said
        return ContextTooLong(None, None, f"its server read only {read:,} tokens of more than {least:,}")

    def _call(self, prompt: Prompt, *, again: bool) -> Call:
        known: list[set[str]] = []

        def make() -> tuple[str, dict[str, Any]]:
            known[:] = [set(self._cannot)]
            if self._kind == "Ollama" and "native" not in self._cannot:
                return f"{root_of(self._server.url)}/api/chat", self._ollama(prompt)
            return f"{self._server.url.rstrip('/')}/chat/completions", self._openai(prompt)

        def weaken(status: int) -> bool:
            if self._cannot != known[0]:  # another request has found out meanwhile what the server doesn't support
                return True
            if self._kind == "Ollama" and status in (404, 405):
                asked = ["native"]
            elif status in (400, 422, 501):
                asked = ["reasoning"] * (prompt.reasoning != "auto") + ["schema"] * (prompt.schema is not None)
            else:
                asked = []
            self._cannot.update([name for name in asked if name not in self._cannot][:1])
            return self._cannot != known[0]

        return Call(make, lambda on_piece: _Answer(self._server, on_piece, self._budget(prompt)), weaken, again)

    def _budget(self, prompt: Prompt) -> int:
        """Returns the tokens for reasoning and answer, as far as the context allows."""
        if not self.reasons or prompt.reasoning == "off":
            return prompt.max_tokens
        wanted = prompt.max_tokens + prompt.reasoning_tokens
        if self.info.context is None:
            return wanted
        return max(prompt.max_tokens, min(wanted, self.info.context - prompt.tokens))

    def _openai(self, prompt: Prompt) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
            "max_tokens": self._budget(prompt),
            "seed": prompt.seed,
            "temperature": prompt.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if prompt.schema is not None and "schema" not in self._cannot:
            name = "".join(c if c.isalnum() else "_" for c in prompt.schema.get("title", "answer"))[:64]
            form = {"name": name, "schema": prompt.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if prompt.reasoning != "auto" and "reasoning" not in self._cannot:
            # vLLM and llama.cpp pass these to the model's chat template; the others use OpenAI's own field.
            if self._kind in ("vLLM", "llama.cpp", "OpenAI-compatible"):
                body["chat_template_kwargs"] = {"enable_thinking": prompt.reasoning != "off"}
            if prompt.reasoning != "off":
                body["reasoning_effort"] = prompt.reasoning
            elif self._kind in ("Ollama", "LM Studio", "OpenAI-compatible"):
                body["reasoning_effort"] = "none"
        return body

    def _ollama(self, prompt: Prompt) -> dict[str, Any]:
        options = {"num_predict": self._budget(prompt), "seed": prompt.seed, "temperature": prompt.temperature}
        if self.info.context is not None:
            options["num_ctx"] = self.info.context
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
            "options": options,
            "stream": True,
            "truncate": False,  # otherwise Ollama silently drops what exceeds its context
            "shift": False,
        }
        if prompt.schema is not None and "schema" not in self._cannot:
            body["format"] = prompt.schema
        if prompt.reasoning != "auto" and "reasoning" not in self._cannot:
            body["think"] = {"off": False}.get(prompt.reasoning, prompt.reasoning)
        return body


def root_of(url: str) -> str:
    """Returns a server's address without the path of OpenAI's interface."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix("/v1").removesuffix("/api")
    return f"{parts.scheme}://{parts.netloc}{path}"


class _Answer:
    """Parses an answer from server-sent events (OpenAI), lines of JSON (Ollama), or one object (without streaming)."""

    def __init__(self, server: Server, on_piece: Callable[[str], None], budget: int) -> None:
        self._server, self._budget = server, budget
        self.size, self.full, self._most = 0, False, _LONGEST_TOKEN * (budget + _TOKENS_ASIDE)
        self._stream = AnswerStream(on_piece)
        self._written: list[str] = []
        self._thought: list[str] = []
        self._other: list[str] = []
        self._aside = 0
        self._finish, self._ended = "", False
        self._read: int | None = None
        self._wrote: int | None = None
        self._started = time.perf_counter()

    def line(self, line: str) -> None:
        event = line.startswith("data:")
        data = line[5:].strip() if event else line.strip()
        if line.startswith("error: {"):  # llama.cpp, before it named errors in the data
            raise failure(self._server, 200, error_words(line[7:]))
        if data == "[DONE]":
            self._ended = True
        elif data and (event or (data.startswith("{") and data.endswith("}"))):
            self._event(data, sure=event)
        elif data and not line.startswith((":", "event:", "id:", "retry:")):
            self._other.append(line)
            self._aside += len(line)
            self.full = self._aside > 4 * self._most  # escapes, spaces and counts included

    def _event(self, data: str, *, sure: bool) -> None:
        try:
            event = parsed(data)
            failed, usage = event.get("error"), event.get("usage")
            usage = usage if isinstance(usage, dict) else {}
            counts = (
                usage.get("prompt_tokens", event.get("prompt_eval_count")),
                usage.get("completion_tokens", event.get("eval_count")),
            )
            said = next(iter(event.get("choices") or []), event if "message" in event else {})
            part = said.get("delta") or said.get("message") or {}
            thought = part.get("reasoning_content") or part.get("reasoning") or part.get("thinking")
            refusal = part.get("refusal")
            piece = part.get("content") or refusal or ""
            finish = said.get("finish_reason") or said.get("done_reason") or self._finish
            if refusal or self._finish == "refusal":
                finish = "refusal"
            if not (isinstance(piece, str) and isinstance(finish, str)):
                raise TypeError
        except (ValueError, TypeError, AttributeError) as error:
            if not sure:
                self._other.append(data)
                return
            raise strange(self._server, data) from error
        if failed:
            raise failure(self._server, 200, error_words(data))
        self._read, self._wrote = map(_count, counts, (self._read, self._wrote))
        thought = thought if isinstance(thought, str) else ""
        self.size += len(thought) + len(piece) + (finish != self._finish)
        left = self._most - self.size
        if left < 0:
            self.full, finish = True, "length"
            thought, piece = thought[:left], piece[:left]
        self._thought.append(thought)
        if piece:
            self._written.append(piece)
            self._stream.feed(piece)
        self._finish = finish
        if event.get("done") is True:
            self._ended = True

    def result(self) -> Completion:
        if self._other and not self._written and not self._finish:
            whole = "\n".join(self._other)
            self._other.clear()
            self._event(whole, sure=True)
        ends = (kind for kind, pattern in _FINISHES if re.fullmatch(pattern, self._finish, re.IGNORECASE))
        finish = next(ends, None)
        if finish == "unstated" and (self._wrote or 0) >= self._budget:
            finish = "length"
        if (not self._ended and not self._finish) or finish is None:
            raise AnswerFailed(
                f"The language-model server at {self._server.url} stopped in the middle of its answer.",
                "The answer is incomplete and wasn't used. Saved data isn't affected.",
                "Check that the server is still running, and try again.",
            )
        inside, text = split_reasoning(_whole_characters(self._written))
        reasoning = "\n\n".join(filter(None, (_whole_characters(self._thought).strip(), inside)))
        return Completion(text, finish, self._read, self._wrote, time.perf_counter() - self._started, reasoning)


def _count(value: Any, before: int | None) -> int | None:
    return value if isinstance(value, int) and value >= 0 else before


def _whole_characters(pieces: Sequence[str]) -> str:
    """Joins pieces into one text, including the halves of surrogate pairs; a lone half is replaced."""
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
