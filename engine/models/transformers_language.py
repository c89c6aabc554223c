"""Language models from a local transformers folder, in this process or in one of their own."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from engine.jobs import QuietReport, Report
from engine.models.child import Answer, ModelProcess, serve
from engine.models.devices import choose_device, limit_threads
from engine.models.folders import context_of, load_pretrained
from engine.models.language import Completion, ContextTooLong, LanguageModelInfo, Message, OnText, Prompt

if TYPE_CHECKING:
    import torch

_MODULE = "engine.models.transformers_language"


class TransformersLanguageModel:
    """A folder with a causal language model: safetensors only, its own chat template, bf16 on a GPU.

    Loads when first used; never downloads, and runs no code from the folder.
    """

    def __init__(
        self, folder: Path, info: LanguageModelInfo, *, device: str | None = None, leave_free: int = 0
    ) -> None:
        """``device``: as torch names it, or None for the best; ``leave_free``: processors left to others."""
        self._folder = folder
        self._info = info
        self._device = device
        self._leave_free = leave_free
        self._tokenizer: Any = None
        self._model: Any = None
        self._grammar_tokenizer: Any = None

    @property
    def info(self) -> LanguageModelInfo:
        return self._info

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        """As ``LanguageModel.complete``."""
        report = report or QuietReport()
        started = time.perf_counter()
        self._load(report)
        import torch

        limit_threads(self._leave_free)
        tokens = self._tokens(prompt.messages)
        length = tokens.shape[1]
        context = context_of(self._model.config.to_dict())
        if context is not None and length + prompt.max_tokens > context:
            raise ContextTooLong(length + prompt.max_tokens, context)
        processors = [] if prompt.schema is None else [self._schema_processor(prompt.schema, length)]
        stream = _Stream(self._tokenizer, length, on_text, report)
        heat = prompt.temperature
        sampling = {"do_sample": True, "temperature": heat} if heat > 0 else {"do_sample": False}
        cuda = [self._model.device] if self._model.device.type == "cuda" else []
        # Sampling draws from torch's global generator: it is put back as it was.
        with torch.random.fork_rng(devices=cuda), torch.inference_mode():
            torch.manual_seed(prompt.seed)
            out = self._model.generate(
                tokens,
                attention_mask=torch.ones_like(tokens),
                max_new_tokens=prompt.max_tokens,
                logits_processor=processors,
                stopping_criteria=[stream],
                pad_token_id=next(iter(self._ends()), None),
                **sampling,
            )
        written = out[0, length:]
        stream.finish(written)
        ended = bool(written.shape[0]) and int(written[-1]) in self._ends()
        return Completion(
            stream.text,
            "stop" if ended else "length",
            length,
            int(written.shape[0]),
            time.perf_counter() - started,
        )

    def _load(self, report: Report) -> None:
        if self._model is not None:
            return
        report.progress(0.0, "Loading the language model")
        import torch

        device = choose_device(self._device)
        tokenizer, model = load_pretrained(
            self._folder,
            "AutoModelForCausalLM",
            "Nothing was written.",
            "Copy the folder again, or choose another model in the Models pane.",
            dtype=torch.float32 if device.name == "cpu" else torch.bfloat16,
        )
        report.check()
        self._model = model.to(device.name).eval()
        self._tokenizer = tokenizer

    def _tokens(self, messages: Sequence[Message]) -> torch.Tensor:
        import torch

        if not messages:
            raise BadInput("There is nothing to answer.")
        turns = [asdict(message) for message in messages]
        if self._tokenizer.chat_template:
            text = self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            tokens = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        else:  # a base model: turns as plain text
            text = "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns) + "\n\nassistant: "
            tokens = self._tokenizer(text)["input_ids"]
        return torch.tensor([tokens], device=self._model.device)

    def _schema_processor(self, schema: dict[str, Any], prompt_length: int) -> Any:
        if self._grammar_tokenizer is None:
            width = self._model.get_output_embeddings().weight.shape[0]
            self._grammar_tokenizer = tokenizer_for_grammars(self._tokenizer, width)
        return SchemaProcessor(self._grammar_tokenizer, schema, prompt_length)

    def _ends(self) -> list[int]:
        """The tokens that end an answer, the model's own first."""
        known = self._model.generation_config.eos_token_id
        ends = (*(known if isinstance(known, list) else [known]), self._tokenizer.eos_token_id)
        return [int(token) for token in ends if token is not None]


class _Stream:
    """A stopping criterion that hears each token: text goes out as soon as its characters are whole, and Cancel in."""

    def __init__(self, tokenizer: Any, prompt_length: int, on_text: OnText | None, report: Report) -> None:
        self._tokenizer = tokenizer
        self._prompt_length = prompt_length
        self._on_text = on_text
        self._report = report
        self._told = 0
        self.text = ""

    def __call__(self, input_ids: torch.LongTensor, _scores: Any, **_: Any) -> torch.Tensor:
        import torch

        self._report.check()
        if self._on_text is not None:
            self._tell(self._decode(input_ids[0, self._prompt_length :]), whole=False)
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)

    def finish(self, written: torch.Tensor) -> None:
        """All that was written, to the last character."""
        self.text = self._decode(written)
        self._tell(self.text, whole=True)

    def _decode(self, tokens: torch.Tensor) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _tell(self, text: str, *, whole: bool) -> None:
        # A character may be spread over several tokens; until the last one it decodes to a replacement character.
        end = len(text) if whole else len(text.rstrip("\N{REPLACEMENT CHARACTER}"))
        if self._on_text is not None and end > self._told:
            self._on_text(text[self._told : end])
            self._told = end


class ProcessLanguageModel:
    """The same model in a process of its own, for jobs beside a window.

    Cancel ends the process where it does not listen within half a second (a long prompt is read in one piece); the
    next request then loads the model again.
    """

    def __init__(self, folder: Path, info: LanguageModelInfo, *, device: str | None = None) -> None:
        self._info = info
        arguments = (str(folder), device or "", info.id, info.title, info.version)
        self._child = ModelProcess(_MODULE, arguments, name="language model", patience=0.5, read=(folder,))

    @property
    def info(self) -> LanguageModelInfo:
        return self._info

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._child.pid

    def complete(self, prompt: Prompt, *, on_text: OnText | None = None, report: Report | None = None) -> Completion:
        """As ``LanguageModel.complete``."""
        report = report or QuietReport()
        with self._child.turn(report), closing(self._child.ask({"prompt": asdict(prompt)}, report)) as answers:
            for answer in answers:
                if "too_long" in answer:
                    raise ContextTooLong(*answer["too_long"])
                if "text" in answer and on_text is not None:
                    on_text(answer["text"])
                if "completion" in answer:
                    return Completion(**answer["completion"])
        raise AssertionError("a child's last answer ends the loop")

    def close(self) -> None:
        """Ends the child."""
        self._child.close()


# --- decoding that can only write what a JSON schema allows, by llguidance (a byte-exact grammar over tokens) ---------
def tokenizer_for_grammars(tokenizer: Any, vocabulary: int) -> Any:
    """llguidance's view of a fast tokenizer; about a second for a large vocabulary, so keep it.

    ``vocabulary`` is the width of the model's logits, which may exceed the tokenizer's. Raises BadInput for a slow
    tokenizer (one without tokenizer.json).
    """
    import llguidance.hf

    try:
        return llguidance.hf.from_tokenizer(tokenizer, n_vocab=max(vocabulary, len(tokenizer)))
    except ValueError as error:
        raise BadInput(
            "This model's tokenizer has no tokenizer.json.",
            "Its answers cannot be held to a form, so it cannot be used for structured work.",
            "Add tokenizer.json to the model's folder (saving a fast tokenizer there makes one).",
        ) from error


class SchemaProcessor:
    """A logits processor for ``generate`` with one sequence: masks every token that would leave the schema."""

    def __init__(self, grammar_tokenizer: Any, schema: dict[str, Any], prompt_length: int) -> None:
        """Raises BadInput for a schema that the grammar library cannot express."""
        import llguidance

        grammar = llguidance.LLMatcher.grammar_from_json_schema(
            json.dumps(schema), defaults={"whitespace_flexible": False}
        )
        self._matcher = llguidance.LLMatcher(grammar_tokenizer, grammar, log_level=0)
        if self._matcher.is_error():
            raise BadInput(f"The form of the answer cannot be expressed: {self._matcher.get_error()}")
        self._seen = prompt_length

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.Tensor:
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
        """Whether what was written up to the last call satisfies the schema."""
        return bool(self._matcher.is_accepting())


def main() -> None:
    """The child's side of ProcessLanguageModel. Arguments: folder, device, id, title, version."""
    folder, device, key, title, version = sys.argv[1:6]
    model = TransformersLanguageModel(
        Path(folder), LanguageModelInfo(key, title, "transformers", version), device=device or None, leave_free=1
    )

    def respond(request: Answer, emit: Callable[[Answer], None], report: Report) -> Answer:
        try:
            messages = tuple(Message(**message) for message in request["prompt"]["messages"])
            prompt = Prompt(**request["prompt"] | {"messages": messages})
            completion = model.complete(prompt, on_text=lambda text: emit({"text": text}), report=report)
        except ContextTooLong as problem:
            return {"too_long": [problem.needed, problem.context]}
        return {"completion": asdict(completion)}

    serve(respond)


if __name__ == "__main__":
    main()
