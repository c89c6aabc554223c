"""``rejoinder models``: folders and servers added, checked, set, used and removed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from engine.cli.align import means_of
from engine.cli.main import rejoinder
from engine.cli.review_ablate import crew_of, stage_manners
from engine.cli.review_bench import judge_of
from engine.errors import BadInput
from engine.models.language import Manner
from engine.models.library import AddedServer, ModelLibrary
from engine.models.server_language import Server, ServerLanguageModel
from tests.command_line import rejoinder as call
from tests.engine.models.scripted_server import Script, even, scripted_server
from tests.engine.models.tiny_language_model import make_tiny_language_model


def called(*words: str, code: int = 0) -> Any:
    done = call("models", *words, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_a_folder_is_added_set_used_checked_and_removed(tmp_path: Path) -> None:
    folder = make_tiny_language_model(tmp_path / "Tiny")
    assert call("models", "list").stderr == "No models have been added yet.\n"
    added = called("add", str(folder))
    assert (added["id"], added["kind"], added["context"]) == ("tiny", "language model", 512) and added["memory"] > 0
    assert called("set", "tiny", "--device", "cpu", "--precision", "float32", "--context", "400")["device"] == "cpu"
    used = called(
        "use", "review-drafting/insight", "tiny", "--temperature", "0.3", "--tokens", "900", "--reasoning", "off"
    )
    assert (used["model"], used["temperature"], used["answer_tokens"], used["reasoning"]) == ("tiny", 0.3, 900, "off")
    assert ModelLibrary().manner("review-drafting/insight") == Manner(0.3, 900, "off")
    assert ModelLibrary().manner("review-drafting") == Manner()
    (listed,) = called("list")["models"]
    assert listed["context"] == 400 and "review-drafting" in listed["uses"]
    assert called("check", "tiny")["problems"] == []
    assert (listed["context_from"], called("set", "tiny", "--context", "512")["context_from"]) == ("user", "folder")
    (folder / "config.json").unlink()
    assert "config.json is missing" in called("check", "tiny", code=1)["problems"][0]
    for setting in (("--concurrency", "4"), ("--key", "k"), ("--no-allow-remote",)):
        assert "can't be set for a folder" in call("models", "set", "tiny", *setting).stderr
    assert call("models", "use", "no-such-task", "tiny").returncode == 2
    assert called("remove", "tiny") == {"removed": "tiny"} and called("list") == {"models": []}
    make_tiny_language_model(folder)
    assert called("add", "--folder", str(folder), "--id", "own")["id"] == "own"
    for bad in ("a b", "a/b", "none", "own"):
        assert call("models", "add", "--folder", str(tmp_path), "--id", bad).returncode == 2
        with pytest.raises(BadInput, match=r"is taken|can't be an id"):
            ModelLibrary().add_server(Server("http://127.0.0.1:1/v1"), "m", context=5000, key=bad)
    for places in ((), (str(folder), "--folder", str(folder))):
        assert "Give one of FOLDER, ADDRESS" in call("models", "add", *places).stderr


def test_removing_says_how_to_add_the_model_again(tmp_path: Path) -> None:
    folder = make_tiny_language_model(tmp_path / "A tiny one")
    before = ModelLibrary().add_folder(folder, "My writer", "w1")
    said = CliRunner().invoke(rejoinder, ["models", "remove", "w1"]).stdout
    assert said.startswith("Removed w1. ") and ModelLibrary().added() == ()
    _, _, command = said.partition("rejoinder ")
    assert CliRunner().invoke(rejoinder, shlex.split(command)).exit_code == 0
    assert ModelLibrary().added() == (before,)
    ModelLibrary().add_server(Server("http://127.0.0.1:9/v1", "secret"), "m 2", context=5000, key="s")
    said = CliRunner().invoke(rejoinder, ["models", "remove", "s"]).stdout
    assert said.endswith("http://127.0.0.1:9/v1 --model 'm 2' --key KEY --context 5000 --title 'm 2' --id s\n")


def here(*words: str, code: int = 0) -> Any:
    """In this process, which may talk to the scripted server."""
    done = CliRunner().invoke(rejoinder, ["models", *words, "--json"])
    assert done.exit_code == code if code != 2 else done.exception is not None, done.output
    return json.loads(done.stdout) if done.stdout else str(done.exception)


@pytest.mark.parametrize(
    "words", ["temperature=nan", "temperature=-1", "temperature=inf", "tokens=0", "reasoning-tokens=-5"]
)
def test_numbers_out_of_their_range_are_refused(words: str) -> None:
    with pytest.raises(BadInput, match="A model can't run with temperature"):
        stage_manners([f"insight:{words}"], with_model=True)
    name, value = words.split("=")
    assert call("models", "use", "review-drafting", f"--{name}", value).returncode == 2
    assert ModelLibrary().manner("review-drafting") == Manner()


def test_models_that_a_command_loads_are_closed_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(ServerLanguageModel, "close", lambda self: closed.append(self.info.title))
    ModelLibrary().add_server(Server("http://127.0.0.1:1/v1"), "m", context=5000)
    with click.Context(rejoinder):
        judge_of("m")
        crew_of("m", with_library=False)
        means_of(None, None, "m", None, None)
        assert closed == []
    assert closed == ["m", "m", "m"]


@pytest.mark.loopback
def test_a_server_is_asked_for_its_context_and_abilities() -> None:
    with scripted_server(Script(even, "llama.cpp", context=16_384)) as server:
        added = here("add", server.url)
        assert (added["server_kind"], added["context"], added["longest"]) == ("llama.cpp", 16_384, 131_072)
        assert added["abilities"] == ["reasoning", "vision"] and added["context_from"] == "server"
        other = here("add", "--server", server.url, "--id", "mine", "--context", "9000")
        assert (other["id"], other["context"], other["context_from"]) == ("mine", 9000, "user")
        assert "is taken" in here("add", "--server", server.url, "--id", "mine", code=2)
        assert here("remove", "mine") == {"removed": "mine"}
        assert here("set", "scripted", "--context", "8000", "--concurrency", "4")["concurrency"] == 4
        assert here("check", "scripted")["context"] == 8000, "what a person set stays"
        assert here("set", "scripted", "--key", "k2", "--allow-remote")["remote"] is True
        (entry,) = ModelLibrary().added()
        assert isinstance(entry, AddedServer) and entry.server.api_key == "k2" and entry.server.concurrency == 4
        assert here("set", "scripted", "--key", "", "--no-allow-remote")["remote"] is False
        assert "can't be set for a server" in here("set", "scripted", "--device", "cpu", code=2)
        server.script.context = 4096
        assert "allows 4,096 tokens" in here("check", "scripted", code=1)["problems"][0]
        server.script.model = "another"
        assert "has no model named" in here("check", "scripted", code=1)["problems"][0]


@pytest.mark.loopback
def test_an_unknown_context_is_asked_for_and_never_guessed() -> None:
    with scripted_server(Script(even)) as server:
        assert "doesn't report how many tokens" in here("add", server.url, code=2)
        assert ModelLibrary().added() == ()
        assert here("add", server.url, "--context", "32000")["context"] == 32_000
