"""Folders and servers that a person adds: looked into, refused with the reason, remembered, chosen for tasks."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.models.folders import inspect_folder, licence_of, memory_needed
from engine.models.language import Message, Prompt
from engine.models.library import AddedFolder, AddedServer, ModelLibrary, load_language_model
from engine.models.server_language import Server
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.models.tiny_language_model import CONTEXT

SERVER = Server("http://127.0.0.1:8080/v1")


@pytest.fixture
def library(tmp_path: Path) -> ModelLibrary:
    return ModelLibrary(tmp_path / "models.json")


@pytest.fixture
def folder(tiny_language_model: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "Tiny Model"
    shutil.copytree(tiny_language_model, copy)
    return copy


def test_what_a_folder_holds_is_read_from_its_headers(tiny_language_model: Path, tiny_encoder: Path) -> None:
    report = inspect_folder(tiny_language_model)
    assert (report.kind, report.context, report.licence) == ("language model", CONTEXT, "not stated")
    assert report.architecture == "LlamaForCausalLM" and report.size > report.parameters * 4
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(tiny_language_model)
    assert report.parameters == sum(part.numel() for part in model.state_dict().values())
    assert inspect_folder(tiny_encoder).kind == "encoder"
    assert memory_needed(10**9, on_gpu=True) == 2.4e9 and memory_needed(10**9, on_gpu=False) == 4.8e9


@pytest.mark.parametrize(
    ("architecture", "kind"),
    [
        ("BertForSequenceClassification", "reranker"),
        ("T5ForConditionalGeneration", "sequence to sequence"),
        ("BertModel", "encoder"),
        ("GPT2LMHeadModel", "language model"),
    ],
)
def test_the_kind_follows_from_the_architecture(folder: Path, architecture: str, kind: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": [architecture]}))
    assert inspect_folder(folder).kind == kind


def test_pickled_weights_are_refused_with_the_reason(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    assert inspect_folder(folder).remarks == ("pytorch_model.bin is also there but is never opened.",)
    (folder / "model.safetensors").unlink()
    with pytest.raises(BadInput, match="Opening a pickle can run any code"):
        inspect_folder(folder)
    (folder / "pytorch_model.bin").rename(folder / "training_args.bin")
    with pytest.raises(BadInput, match="no weights"):
        inspect_folder(folder)


def test_code_in_the_folder_is_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "mine.py--Mine"}}))
    with pytest.raises(BadInput, match="contains its own program code"):
        inspect_folder(folder)


def test_weights_that_are_cut_off_or_missing_are_noticed(folder: Path) -> None:
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="damaged or cut off"):
        inspect_folder(folder)
    weights.write_bytes(whole)
    index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(BadInput, match="lacks model-2"):
        inspect_folder(folder)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="isn't a folder"):
        inspect_folder(tmp_path / "gone")
    with pytest.raises(BadInput, match=r"config\.json is missing"):
        inspect_folder(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(BadInput, match="can't be read"):
        inspect_folder(tmp_path)


def test_the_licence_is_the_cards_then_the_files(tmp_path: Path) -> None:
    assert licence_of(tmp_path) == "not stated"
    (tmp_path / "LICENSE").write_text("\n  MIT License\n\nCopyright")
    assert licence_of(tmp_path) == "MIT License"
    (tmp_path / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# Model")
    assert licence_of(tmp_path) == "apache-2.0"


def test_what_was_added_is_there_for_the_next_one_who_asks(library: ModelLibrary, folder: Path) -> None:
    added = library.add_folder(folder)
    server = library.add_server(SERVER, "qwen", title="Tiny Model", context=4096)
    assert (added.id, server.id) == ("tiny-model", "tiny-model-2")
    again = ModelLibrary(library.path)
    assert again.added() == (added, server) == again.added("language model")
    assert again.added("encoder") == ()
    with pytest.raises(BadInput, match="already"):
        again.add_folder(folder)
    again.remove(added.id)
    assert library.added() == (server,) and folder.is_dir()
    with pytest.raises(BadInput, match="tiny-model-2"):
        library.find("tiny-model")


def test_a_removed_model_comes_back_where_it_was(library: ModelLibrary, folder: Path) -> None:
    first, second = library.add_folder(folder), library.add_server(SERVER, "qwen")
    for use in ("edit-generation", "rebuttal-drafting"):
        library.choose(use, first.id)
    restore = library.remove(first.id)
    library.choose("edit-generation", second.id)
    restore()
    restore()
    assert library.added() == (first, second), "once, and in its place"
    assert library.chosen("rebuttal-drafting") == first
    assert library.chosen("edit-generation") == second, "what was chosen since stays"


def test_a_task_uses_what_was_chosen_or_the_only_one(library: ModelLibrary, folder: Path, tiny_encoder: Path) -> None:
    assert library.chosen("edit-generation") is None
    encoder = library.add_folder(tiny_encoder)
    assert library.chosen("edit-generation") is None
    first = library.add_folder(folder)
    assert library.chosen("edit-generation") == first
    second = library.add_server(SERVER, "qwen")
    assert library.chosen("edit-generation") == first, "another one doesn't take its place, nor away its tasks"
    library.choose("edit-generation", second.id)
    assert library.chosen("edit-generation") == second
    with pytest.raises(BadInput, match="isn't a language model"):
        library.choose("edit-generation", encoder.id)
    library.remove(second.id)
    assert library.chosen("edit-generation") == first
    library.choose("edit-generation", "")
    assert library.chosen("edit-generation") is None, "none is a choice, too"


def test_servers_elsewhere_and_without_a_model_are_not_added(library: ModelLibrary) -> None:
    with pytest.raises(BadInput, match="another computer"):
        library.add_server(Server("http://192.0.2.7/v1"), "m")
    with pytest.raises(BadInput, match="No model"):
        library.add_server(SERVER, " ")
    assert library.added() == ()


@pytest.mark.parametrize("content", [{"models": 3}, {"models": [3]}, {"uses": [1]}, {"uses": ["abc"]}, {"manners": 3}])
def test_a_list_of_a_wrong_shape_is_left_as_it_is(library: ModelLibrary, content: dict[str, object]) -> None:
    library.path.write_text(json.dumps(content))
    with pytest.raises(EnvironmentProblem, match="can't be read"):
        library.added()
    if content != {"models": [3]}:  # entries are read by what needs them
        for use in (library.own_choices, lambda: library.choose("review-drafting", "")):
            with pytest.raises(EnvironmentProblem, match="can't be read"):
                use()
    assert json.loads(library.path.read_text()) == content


def test_an_entry_that_cannot_be_read_is_said(library: ModelLibrary) -> None:
    library.path.write_text(json.dumps({"models": [{"folder": "x"}]}))
    with pytest.raises(EnvironmentProblem, match="can't be read"):
        library.added()


def test_an_added_folder_answers(library: ModelLibrary, folder: Path, tiny_encoder: Path) -> None:
    entry = library.add_folder(folder)
    model = load_language_model(replace(entry, device="cpu"))
    assert model.info.context == CONTEXT and re.fullmatch(r"[0-9a-f]{16} cpu auto", model.info.version)
    assert model.complete(Prompt((Message("user", "Sound?"),), max_tokens=3)).completion_tokens == 3
    assert load_language_model(library.add_server(SERVER, "qwen")).info.backend == "server"
    with pytest.raises(BadInput, match="isn't a language model"):
        load_language_model(library.add_folder(tiny_encoder))
    shutil.rmtree(folder)
    assert isinstance(entry, AddedFolder) and not entry.there
    with pytest.raises(EnvironmentProblem, match="is missing"):
        load_language_model(entry)


def test_the_key_of_a_server_is_kept_but_not_shown(library: ModelLibrary) -> None:
    entry = library.add_server(Server(SERVER.url, api_key="secret"), "m")
    assert isinstance(entry, AddedServer) and "secret" not in repr(entry)
    (found,) = library.added()
    assert isinstance(found, AddedServer) and found.server.api_key == "secret"


def test_an_encoder_reads_no_more_than_its_settings_let_it(tmp_path: Path) -> None:
    folder = make_tiny_encoder(tmp_path / "tiny")
    assert inspect_folder(folder).context == 64
    settings = folder / "sentence_bert_config.json"
    for content, context in (('{"max_seq_length": 16}', 16), ('{"max_seq_length": 999}', 64), ("[]", 64), ("{", 64)):
        settings.write_text(content, encoding="utf-8")
        assert inspect_folder(folder).context == context
