"""Language models from a local transformers folder, in this process or in one of their own."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from engine.jobs import QuietReport, Report
from engine.models.answer_text import AnswerStream, split_reasoning
from engine.models.child import Answer, ModelProcess, serve
from engine.models.devices import Device, choose_device, free_memory, limit_threads
from engine.models.folders import Precision, context_of, load_pretrained, memory_needed
from engine.models.language import (
    AnswersTogether,
    Completion,
    ContextTooLong,
    Finish,
    LanguageModelInfo,
    Message,
    OnPiece,
    OnText,
    Outcomes,
    Prompt,
)

if TYPE_CHECKING:
    import torch

_MODULE = "engine.models.transformers_language"
CPU_TOKENS, GPU_TOKENS = 4096, 65_536
"""Tokens of prompts and answers processed at once; a single long prompt may have more."""
MOST_AT_ONCE = 32


class TransformersLanguageModel(AnswersTogether):
    """A local folder with a causal language model: safetensors only, its own chat template, bf16 on a GPU.

    Loads on first use; never downloads, and runs no code from the folder.
    """

    def __init__(
        self,
        folder: Path,
        info: LanguageModelInfo,
        *,
        device: str | None = None,
        precision: Precision = "auto",
        parameters: int = 0,
        leave_free: int = 0,
    ) -> None:
        """``device`` is torch's name, or None for the best; ``parameters`` is the number of weights, 0 if unknown;
        ``leave_free`` is the number of processors left to others."""
        self._folder = folder
        self.info = info
        self._device = device
        self._precision: Precision = precision
        self._parameters = parameters
        self._leave_free = leave_free
        self._tokenizer: Any = None
        self._model: Any = None
        self._grammar_tokenizer: Any = None

    def complete_all(
        self, prompts: Sequence[Prompt], *, report: Report = QuietReport(), on_text: OnPiece | None = None
    ) -> Outcomes:
        """As ``engine.models.questions.complete_all``: prompts of similar length are answered in one batch."""
        self._load(report)
        limit_threads(self._leave_free)
        read = [self._tokens(prompt) for prompt in prompts]
        fitting = []
        for place, (prompt, tokens) in enumerate(zip(prompts, read, strict=True)):
            if self._longest is not None and len(tokens) + prompt.max_tokens > self._longest:
                yield place, ContextTooLong(len(tokens) + prompt.max_tokens, self._longest)
            else:
                fitting.append(place)
        for batch in _batches(fitting, read, prompts, on_gpu=self._model.device.type != "cpu"):
            yield from self._answer(batch, [prompts[at] for at in batch], [read[at] for at in batch], on_text, report)

    @property
    def _longest(self) -> int | None:
        own = context_of(self._model.config.to_dict())
        return min(filter(None, (own, self.info.context)), default=None)

    def _answer(
        self,
        places: Sequence[int],
        prompts: Sequence[Prompt],
        read: Sequence[list[int]],
        on_text: OnPiece | None,
        report: Report,
    ) -> Iterator[tuple[int, Completion]]:
        import torch

        started = time.perf_counter()
        width, ends = max(map(len, read)), self._ends()
        filler = next(iter(ends), 0)
        # Shorter prompts are padded on the left, where the attention mask hides the padding.
        tokens = torch.tensor([[filler] * (width - len(one)) + one for one in read], device=self._model.device)
        mask = torch.tensor([[0] * (width - len(one)) + [1] * len(one) for one in read], device=self._model.device)
        schemas = [self._schema_processor(one.schema, width) if one.schema is not None else None for one in prompts]
        pieces = [None if on_text is None else partial(on_text, place) for place in places]
        stream = _Streams(
            [
                _Stream(self._tokenizer, width, one.max_tokens, ends, piece)
                for one, piece in zip(prompts, pieces, strict=True)
            ],
            report,
        )
        heat = prompts[0].temperature
        sampling = {"do_sample": True, "temperature": heat} if heat > 0 else {"do_sample": False}
        cuda = [self._model.device] if self._model.device.type == "cuda" else []
        # Sampling uses torch's global generator, whose state is restored afterwards.
        with torch.random.fork_rng(devices=cuda), torch.inference_mode():
            torch.manual_seed(prompts[0].seed)
            out = self._model.generate(
                tokens,
                attention_mask=mask,
                max_new_tokens=max(one.max_tokens for one in prompts),
                logits_processor=[_Schemas(schemas)] if any(schemas) else [],
                stopping_criteria=[stream],
                pad_token_id=filler,
                **sampling,
            )
        seconds = time.perf_counter() - started
        for place, ids, row, one in zip(places, read, out[:, width:], stream.rows, strict=True):
            written = one.finish(row)
            ended = bool(written) and written[-1] in ends
            reasoning, text = split_reasoning(one.text)
            finish: Finish = "stop" if ended else "length"
            yield place, Completion(text, finish, len(ids), len(written), seconds, reasoning)

    def _load(self, report: Report) -> None:
        if self._model is not None:
            return
        import torch

        device = choose_device(self._device)
        report.progress(0.0, f"Loading the language model{self._memory(device)}")
        kinds = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
        own = torch.float32 if device.name == "cpu" else torch.bfloat16
        tokenizer, model = load_pretrained(
            self._folder,
            "AutoModelForCausalLM",
            "Nothing was written.",
            "Copy the folder again, or choose another model in the Models pane.",
            dtype=kinds.get(self._precision, own),
        )
        report.check()
        self._model = model.to(device.name).eval()
        self._tokenizer = tokenizer
        self.info = replace(self.info, used=f"{device.title}, {str(self._model.dtype).removeprefix('torch.')}")

    def _memory(self, device: Device) -> str:
        """Describes the memory needed and available; "" if the number of weights is unknown."""
        if not self._parameters:
            return ""
        needed = memory_needed(self._parameters, self._precision, on_gpu=device.name != "cpu")
        free = free_memory(device.name)
        return f": about {needed / 1e9:.1f} GB needed, {free / 1e9:.1f} GB free on {device.title}"

    def _tokens(self, prompt: Prompt) -> list[int]:
        if not prompt.messages:
            raise BadInput("There is nothing to answer.")
        turns = [asdict(message) for message in prompt.messages]
        if not self._tokenizer.chat_template:  # a base model: turns as plain text
            text = "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns) + "\n\nassistant: "
            return list(self._tokenizer(text)["input_ids"])
        more = {} if prompt.reasoning == "auto" else {"enable_thinking": prompt.reasoning != "off"}
        text = self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **more)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _schema_processor(self, schema: dict[str, Any], prompt_length: int) -> Any:
        if self._grammar_tokenizer is None:
            width = self._model.get_output_embeddings().weight.shape[0]
            self._grammar_tokenizer = tokenizer_for_grammars(self._tokenizer, width)
        return SchemaProcessor(self._grammar_tokenizer, schema, prompt_length)

    def _ends(self) -> list[int]:
        """Returns the tokens that end an answer, the model's own first."""
        known = self._model.generation_config.eos_token_id
        ends = (*(known if isinstance(known, list) else [known]), self._tokenizer.eos_token_id)
        return [int(token) for token in ends if token is not None]


def _batches(
    places: Sequence[int], read: Sequence[list[int]], prompts: Sequence[Prompt], *, on_gpu: bool
) -> Iterator[list[int]]:
    """Yields batches of prompts with the same sampling settings and similar length, so that little padding is
    needed."""

    def group(place: int) -> tuple[float, int, int]:
        prompt = prompts[place]
        return prompt.temperature, prompt.seed if prompt.temperature > 0 else 0, len(read[place])

    batch: list[int] = []
    for place in sorted(places, key=group, reverse=True):
        longest = max((len(read[at]) + prompts[at].max_tokens for at in (*batch, place)), default=0)
        full = longest * (len(batch) + 1) > (GPU_TOKENS if on_gpu else CPU_TOKENS) or len(batch) == MOST_AT_ONCE
        # Samples of one batch share a generator, so each would differ from when it is drawn alone.
        if batch and (full or prompts[place].temperature > 0 or group(place)[:2] != group(batch[0])[:2]):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


class _Stream:
    """One answer while it is generated; text is passed on as soon as its characters are complete."""

    def __init__(
        self, tokenizer: Any, prompt_length: int, budget: int, ends: Sequence[int], on_text: OnText | None
    ) -> None:
        self._tokenizer = tokenizer
        self._prompt_length, self._budget = prompt_length, budget
        self._ends = frozenset(ends)
        self._stream = None if on_text is None else AnswerStream(on_text)
        self._shown = 0
        self.text = ""

    def __call__(self, tokens: torch.Tensor) -> bool:
        """Returns whether the answer has ended."""
        if self._stream is not None:
            self._show(self._decode(self._own(tokens[self._prompt_length :])), whole=False)
        return int(tokens[-1]) in self._ends or len(tokens) - self._prompt_length >= self._budget

    def finish(self, written: torch.Tensor) -> list[int]:
        """Passes on all remaining text and returns the answer's tokens."""
        own = self._own(written)
        self.text = self._decode(own)
        self._show(self.text, whole=True)
        return own

    def _own(self, tokens: torch.Tensor) -> list[int]:
        """Returns the tokens up to the first end token or the budget; the batch continues until its last answer is
        done."""
        ids: list[int] = tokens.tolist()[: self._budget]
        end = next((at for at, token in enumerate(ids) if token in self._ends), len(ids))
        return ids[: end + 1]

    def _decode(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _show(self, text: str, *, whole: bool) -> None:
        # A character may be split over several tokens; until the last one it decodes to a replacement character.
        end = len(text) if whole else len(text.rstrip("\N{REPLACEMENT CHARACTER}"))
        if self._stream is not None and end > self._shown:
            self._stream.feed(text[self._shown : end])
            self._shown = end


class _Streams:
    """The stopping criterion of a batch: passes each answer its tokens, and checks for Cancel."""

    def __init__(self, rows: Sequence[_Stream], report: Report) -> None:
        self.rows = rows
        self._report = report

    def __call__(self, input_ids: torch.Tensor, _scores: Any, **_: Any) -> torch.Tensor:
        import torch

        self._report.check()
        ended = [stream(row) for stream, row in zip(self.rows, input_ids, strict=True)]
        return torch.tensor(ended, dtype=torch.bool, device=input_ids.device)


class ProcessLanguageModel(AnswersTogether):
    """The same model in a child process, for jobs of the window.

    Cancel ends the process if it doesn't react within half a second (a long prompt is read in one piece); the next
    request then loads the model again.
    """

    def __init__(self, folder: Path, info: LanguageModelInfo, **how: Any) -> None:
        """``how`` are arguments of ``TransformersLanguageModel``."""
        self.info = info
        given = {"folder": str(folder), "info": asdict(info), **how}
        self._child = ModelProcess(_MODULE, (json.dumps(given),), name="language model", patience=0.5, read=(folder,))

    @property
    def pid(self) -> int | None:
        return self._child.pid

    def complete_all(
        self, prompts: Sequence[Prompt], *, report: Report = QuietReport(), on_text: OnPiece | None = None
    ) -> Outcomes:
        """As ``TransformersLanguageModel.complete_all``."""
        request = {"prompts": [asdict(prompt) for prompt in prompts], "stream": on_text is not None}
        with self._child.turn(report), closing(self._child.ask(request, report)) as answers:
            for answer in answers:
                if "too_long" in answer:
                    yield answer["place"], ContextTooLong(*answer["too_long"])
                elif "completion" in answer:
                    self.info = replace(self.info, used=answer["used"])
                    yield answer["place"], Completion(**answer["completion"])
                elif "text" in answer and on_text is not None:
                    on_text(answer["place"], answer["text"])

    def close(self) -> None:
        self._child.close()


# --- decoding constrained to a JSON schema, by llguidance (a byte-exact grammar over tokens) --------------------------
def tokenizer_for_grammars(tokenizer: Any, vocabulary: int) -> Any:
    """Returns llguidance's version of a fast tokenizer; takes about a second for a large vocabulary, so keep it.

    ``vocabulary`` is the width of the model's logits, which may exceed the tokenizer's. Raises BadInput for a slow
    tokenizer (one without tokenizer.json).
    """
    import llguidance.hf

    try:
        return llguidance.hf.from_tokenizer(tokenizer, n_vocab=max(vocabulary, len(tokenizer)))
    except ValueError as error:
        raise BadInput(
            "This model's tokenizer has no tokenizer.json.",
            "Its answers can't be constrained to a form, so it can't be used for structured tasks.",
            "Add tokenizer.json to the model's folder (saving a fast tokenizer there makes one).",
        ) from error


class SchemaProcessor:
    """Masks every token that would violate the schema, for one sequence."""

    def __init__(self, grammar_tokenizer: Any, schema: dict[str, Any], prompt_length: int) -> None:
        """Raises BadInput for a schema that the grammar library can't express."""
        import llguidance

        grammar = llguidance.LLMatcher.grammar_from_json_schema(
            json.dumps(schema), defaults={"whitespace_flexible": False}
        )
        self._matcher = llguidance.LLMatcher(grammar_tokenizer, grammar, log_level=0)
        if self._matcher.is_error():
            raise BadInput(f"The answer's form can't be expressed: {self._matcher.get_error()}")
        self._seen = prompt_length

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """``input_ids`` (1, length), ``scores`` (1, vocabulary)."""
        import numpy as np
        import torch

        written = input_ids[0, self._seen :].tolist()
        self._seen = input_ids.shape[1]
        if written and not self._matcher.is_stopped():
            self._matcher.consume_tokens(written)
        bits = np.unpackbits(np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8), bitorder="little")
        allowed = torch.from_numpy(bits[: scores.shape[1]].astype(bool))
        if allowed.shape[0] < scores.shape[1]:
            allowed = torch.nn.functional.pad(allowed, (0, scores.shape[1] - allowed.shape[0]))
        return scores.masked_fill(~allowed.to(scores.device), float("-inf"))

    @property
    def complete(self) -> bool:
        """Whether the text up to the last call satisfies the schema."""
        return bool(self._matcher.is_accepting())


class _Schemas:
    """A logits processor for a batch: each row has its own schema, or none."""

    def __init__(self, rows: Sequence[SchemaProcessor | None]) -> None:
        self._rows = rows

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """``input_ids`` (rows, length), ``scores`` (rows, vocabulary)."""
        import torch

        return torch.cat(
            [
                scores[at : at + 1] if row is None else row(input_ids[at : at + 1], scores[at : at + 1])
                for at, row in enumerate(self._rows)
            ]
        )


def main() -> None:
    """Runs the child's side of ProcessLanguageModel. Its argument is the constructor's arguments as JSON."""
    given = json.loads(sys.argv[1])
    folder, info = Path(given.pop("folder")), LanguageModelInfo(**given.pop("info"))
    model = TransformersLanguageModel(folder, info, leave_free=1, **given)

    def respond(request: Answer, emit: Callable[[Answer], None], report: Report) -> Answer:
        prompts = [
            Prompt(**one | {"messages": tuple(Message(**message) for message in one["messages"])})
            for one in request["prompts"]
        ]

        def on_text(place: int, text: str) -> None:
            emit({"place": place, "text": text})

        for place, outcome in model.complete_all(
            prompts, report=report, on_text=on_text if request["stream"] else None
        ):
            if isinstance(outcome, ContextTooLong):
                emit({"place": place, "too_long": [outcome.needed, outcome.context]})
            elif isinstance(outcome, Completion):
                emit({"place": place, "completion": asdict(outcome), "used": model.info.used})
        return {}

    serve(respond, with_progress=True)


if __name__ == "__main__":
    main()
