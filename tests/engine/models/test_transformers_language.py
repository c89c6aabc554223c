"""A tiny random model through the real path: seeds, budgets, streaming, stop, and answers held to a schema."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.models.devices import choose_device
from engine.models.language import ContextTooLong, LanguageModel, LanguageModelInfo, Message, Prompt, UnusableAnswer
from engine.models.objects import complete_as
from engine.models.questions import complete_all
from engine.models.transformers_language import ProcessLanguageModel, TransformersLanguageModel
from tests.engine.models.tiny_language_model import CONTEXT

ASKED = (Message("system", "You help."), Message("user", "Is the paper sound?"))
INFO = LanguageModelInfo("tiny", "Tiny", "transformers", "0")


class Weakness(BaseModel):
    """What the tests ask for: bounded, so that even random weights come to an end."""

    verdict: Literal["sound", "unsound"]
    score: int = Field(ge=1, le=10)
    quotes: list[Annotated[str, Field(max_length=8)]] = Field(max_length=2)
    words: str = Field(max_length=12)


@pytest.fixture(scope="module")
def here(tiny_language_model: Path) -> TransformersLanguageModel:
    return TransformersLanguageModel(tiny_language_model, INFO, device="cpu")


@pytest.fixture(scope="module")
def apart(tiny_language_model: Path) -> Iterator[ProcessLanguageModel]:
    model = ProcessLanguageModel(tiny_language_model, INFO, device="cpu")
    yield model
    model.close()


@pytest.fixture(params=["here", "apart"])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    found: LanguageModel = request.getfixturevalue(request.param)
    return found


def test_equal_seeds_give_equal_answers_and_the_budget_is_kept(model: LanguageModel) -> None:
    answers = [model.complete(Prompt(ASKED, max_tokens=24, seed=seed, temperature=1.0)) for seed in (1, 1, 2)]
    assert answers[0].text == answers[1].text != answers[2].text
    assert all((a.completion_tokens or 0) <= 24 for a in answers)
    assert model.complete(Prompt(ASKED, max_tokens=5)).text == model.complete(Prompt(ASKED, max_tokens=5, seed=9)).text
    assert model.complete(Prompt(ASKED, max_tokens=5)).finish == "length"


def test_where_it_ran_is_known_afterwards(model: LanguageModel) -> None:
    model.complete(Prompt(ASKED, max_tokens=1))
    assert model.info.used == f"{choose_device('cpu').title}, float32"
    assert model.info.provenance == f"model:tiny@0 ({model.info.used})" and model.info.origin == INFO.provenance


def test_what_is_streamed_is_what_is_returned(model: LanguageModel) -> None:
    heard: list[str] = []
    answer = model.complete(Prompt(ASKED, max_tokens=40, seed=3, temperature=1.0), on_text=heard.append)
    assert "".join(heard) == answer.text and len(heard) > 3


def test_here_and_apart_agree(here: TransformersLanguageModel, apart: ProcessLanguageModel) -> None:
    assert here.complete(Prompt(ASKED, max_tokens=20)).text == apart.complete(Prompt(ASKED, max_tokens=20)).text


def test_a_batch_answers_as_single_prompts_do(model: LanguageModel) -> None:
    questions = ["Is it sound?", "Is the paper that was sent in clear, and is it sound?", "Why?", "word " * CONTEXT]
    prompts = [Prompt((Message("user", words),), max_tokens=4 + at) for at, words in enumerate(questions)]
    prompts[2] = replace(prompts[2], max_tokens=300, schema=Weakness.model_json_schema())
    heard: dict[int, str] = {}
    answers = dict(complete_all(model, prompts, on_text=lambda at, text: heard.update({at: heard.get(at, "") + text})))
    assert isinstance(answers[3], ContextTooLong) and len(answers) == 4
    for at in range(3):
        alone = model.complete(prompts[at])
        assert replace(alone, seconds=0.0) == replace(answers[at], seconds=0.0) and heard[at] == alone.text


def test_memory_is_reported_before_loading(tiny_language_model: Path) -> None:
    said: list[str] = []

    class Telling(QuietReport):
        def progress(self, _fraction: float, words: str = "") -> None:
            said.append(words)

    model = TransformersLanguageModel(tiny_language_model, INFO, device="cpu", parameters=5_000_000_000)
    model.complete(Prompt(ASKED, max_tokens=1), report=Telling())
    assert "about 24.0 GB needed" in said[0] and "GB free on CPU" in said[0]


@pytest.mark.parametrize("seed", range(4))
def test_even_random_weights_write_what_the_schema_allows(model: LanguageModel, seed: int) -> None:
    answer = complete_as(model, Prompt(ASKED, max_tokens=300, seed=seed, temperature=1.0), Weakness)
    assert 1 <= answer.value.score <= 10 and len(answer.value.quotes) <= 2
    assert answer.completions[-1].finish == "stop"


def test_an_answer_that_was_cut_off_is_repaired_once_and_then_kept_raw(here: TransformersLanguageModel) -> None:
    with pytest.raises(UnusableAnswer) as caught:
        complete_as(here, Prompt(ASKED, max_tokens=3), Weakness)
    assert "cut off" in caught.value.what
    assert caught.value.raw.startswith("{")


def test_a_prompt_that_does_not_fit_is_refused_with_the_figures(model: LanguageModel) -> None:
    with pytest.raises(ContextTooLong) as caught:
        model.complete(Prompt((Message("user", "word " * CONTEXT),), max_tokens=10))
    assert caught.value.context == CONTEXT and (caught.value.needed or 0) > CONTEXT
    assert model.complete(Prompt(ASKED, max_tokens=2)).completion_tokens == 2, "the model still works"


class _CancelledAfter(QuietReport):
    def __init__(self, event: threading.Event) -> None:
        self.event = event

    def check(self) -> None:
        if self.event.is_set():
            raise Cancelled


def test_stop_ends_an_answer_early_and_the_next_request_is_answered(model: LanguageModel) -> None:
    stop, heard = threading.Event(), []

    def hear(text: str) -> None:
        heard.append(text)
        stop.set()

    with pytest.raises(Cancelled):
        model.complete(Prompt(ASKED, max_tokens=450, temperature=1.0), on_text=hear, report=_CancelledAfter(stop))
    assert len(heard) < 300
    assert model.complete(Prompt(ASKED, max_tokens=2)).completion_tokens == 2


def test_stop_while_a_child_is_still_loading_ends_it(tiny_language_model: Path) -> None:
    model, stop = ProcessLanguageModel(tiny_language_model, INFO, device="cpu"), threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        model.complete(Prompt(ASKED, max_tokens=10), report=_CancelledAfter(stop))
    model.close()


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="can't be loaded"):
        TransformersLanguageModel(tmp_path, INFO, device="cpu").complete(Prompt(ASKED, max_tokens=1))


def test_pickled_weights_are_not_loaded(tiny_language_model: Path, tmp_path: Path) -> None:
    import shutil

    import torch
    from safetensors.torch import load_file

    folder = tmp_path / "pickled"
    shutil.copytree(tiny_language_model, folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(EnvironmentProblem, match="can't be loaded"):
        TransformersLanguageModel(folder, INFO, device="cpu").complete(Prompt(ASKED, max_tokens=1))
