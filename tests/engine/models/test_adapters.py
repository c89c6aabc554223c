"""SPECTER2's adapters and LoRA: the layout is read, the operations are the published ones, all else is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import EnvironmentProblem
from engine.models import SentenceTransformerEmbedder
from engine.models.adapters import adapter_in, apply_adapter
from tests.engine.models.tiny_encoder import WIDTH, make_tiny_encoder

TEXTS = ("alpha beta gamma", "delta")
CONFIG = {"config": {"non_linearity": "relu", "reduction_factor": 4, "original_ln_before": True, "mh_adapter": False}}


def write_adapter(folder: Path, name: str = "specter2_proximity", file: str = "pytorch_adapter.bin") -> dict[str, Any]:
    import torch

    torch.manual_seed(7)
    weights = {}
    for layer in range(2):
        stem = f"bert.encoder.layer.{layer}.output.adapters.[PRX]"
        weights[f"{stem}.adapter_down.0.weight"] = torch.randn(4, WIDTH)
        weights[f"{stem}.adapter_down.0.bias"] = torch.randn(4)
        weights[f"{stem}.adapter_up.weight"] = torch.randn(WIDTH, 4)
        weights[f"{stem}.adapter_up.bias"] = torch.randn(WIDTH)
    place = folder / name
    place.mkdir()
    (place / "adapter_config.json").write_text(json.dumps(CONFIG))
    if file.endswith(".bin"):
        torch.save(weights, place / file)
    else:
        from safetensors.torch import save_file

        save_file(weights, place / file)
    return weights


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_tiny_encoder(tmp_path / "base")


@pytest.mark.parametrize("file", ["pytorch_adapter.bin", "model.safetensors"])
def test_the_adapter_of_a_folder_is_used(folder: Path, file: str) -> None:
    before = SentenceTransformerEmbedder(folder, "a").encode(TEXTS)
    write_adapter(folder, file=file)
    after = SentenceTransformerEmbedder(folder, "b").encode(TEXTS)
    assert after.shape == before.shape and not np.allclose(before, after, atol=1e-2)


def test_one_layer_is_the_published_formula(folder: Path) -> None:
    import torch
    from transformers import BertModel

    network = BertModel.from_pretrained(folder).eval()
    weights = write_adapter(folder)
    inner = network.encoder.layer[0].output
    hidden, given = torch.randn(1, 3, 32), torch.randn(1, 3, WIDTH)
    with torch.no_grad():
        dense = inner.dense(hidden)
        normed = inner.LayerNorm(dense + given)
        stem = "bert.encoder.layer.0.output.adapters.[PRX]"
        down = torch.relu(normed @ weights[f"{stem}.adapter_down.0.weight"].T + weights[f"{stem}.adapter_down.0.bias"])
        up = down @ weights[f"{stem}.adapter_up.weight"].T + weights[f"{stem}.adapter_up.bias"]
        expected = inner.LayerNorm(up + dense + given)
        found_in = adapter_in(folder)
        assert found_in is not None
        apply_adapter(network, found_in)
        assert torch.allclose(network.encoder.layer[0].output(hidden, given), expected, atol=1e-5)


def test_of_several_the_one_for_nearness(folder: Path) -> None:
    assert adapter_in(folder) is None
    write_adapter(folder, "specter2_regression")
    write_adapter(folder, "specter2_proximity")
    found = adapter_in(folder)
    assert found is not None and found.name == "specter2_proximity"
    shutil.move(folder / "specter2_proximity", folder / "specter2_classification")
    with pytest.raises(EnvironmentProblem, match="several adapters"):
        adapter_in(folder)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"mh_adapter": True}, "isn't the same kind as SPECTER2's"),
        ({"non_linearity": "prelu"}, "isn't the same kind as SPECTER2's"),
        ({"scaling": 2.0}, "isn't the same kind as SPECTER2's"),
    ],
)
def test_another_architecture_is_named(folder: Path, change: dict[str, Any], word: str) -> None:
    write_adapter(folder)
    (folder / "specter2_proximity" / "adapter_config.json").write_text(json.dumps({"config": change}))
    with pytest.raises(EnvironmentProblem, match=word):
        SentenceTransformerEmbedder(folder, "a").encode(TEXTS)


def test_damaged_missing_and_foreign_weights_are_named(folder: Path) -> None:
    import torch

    write_adapter(folder)
    file = folder / "specter2_proximity" / "pytorch_adapter.bin"
    torch.save({}, file)
    with pytest.raises(EnvironmentProblem, match="doesn't belong to this base model"):
        SentenceTransformerEmbedder(folder, "a").encode(TEXTS)
    file.write_bytes(b"PK no archive")
    with pytest.raises(EnvironmentProblem, match="can't be read"):
        SentenceTransformerEmbedder(folder, "a").encode(TEXTS)
    file.unlink()
    with pytest.raises(EnvironmentProblem, match="no weights"):
        SentenceTransformerEmbedder(folder, "a").encode(TEXTS)


LORA = {"peft_type": "LORA", "r": 2, "lora_alpha": 6, "bias": "none", "target_modules": ["query"]}


def write_lora(folder: Path, config: dict[str, Any], more: dict[str, Any] | None = None) -> dict[str, Any]:
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(3)
    stem = "base_model.model.bert.encoder.layer.1.attention.self.query"
    weights = {f"{stem}.lora_A.weight": torch.randn(2, WIDTH), f"{stem}.lora_B.weight": torch.randn(WIDTH, 2)}
    place = folder / "retriever"
    place.mkdir()
    (place / "adapter_config.json").write_text(json.dumps(config))
    save_file(weights | (more or {}), place / "adapter_model.safetensors")
    return weights


@pytest.mark.parametrize(("rslora", "scale"), [(False, 6 / 2), (True, 6 / 2**0.5)])
def test_lora_is_added_to_the_weights_that_it_names(folder: Path, rslora: bool, scale: float) -> None:
    import torch
    from transformers import BertModel

    before = SentenceTransformerEmbedder(folder, "a").encode(TEXTS)
    down, up = write_lora(folder, LORA | {"use_rslora": rslora}).values()
    network = BertModel.from_pretrained(folder).eval()
    query = network.encoder.layer[1].attention.self.query
    expected = query.weight.detach() + scale * (up @ down)
    found = adapter_in(folder)
    assert found is not None
    apply_adapter(network, found)
    assert torch.allclose(query.weight, expected, atol=1e-5)
    assert not np.allclose(before, SentenceTransformerEmbedder(folder, "b").encode(TEXTS), atol=1e-3)


@pytest.mark.parametrize(
    ("change", "more", "words"),
    [
        ({"peft_type": "IA3"}, {}, r"isn't plain LoRA \(peft_type\)"),
        ({"use_dora": True}, {}, "isn't plain LoRA"),
        ({"alpha_pattern": {"query": 1}}, {}, "isn't plain LoRA"),
        ({}, {"base_model.model.pooler.weight": (WIDTH, WIDTH)}, "contains more than LoRA"),
        ({}, {"base_model.model.other.lora_A.weight": (2, WIDTH)}, "doesn't belong to this base model"),
        ({}, {f"pooler.dense.lora_{part}.weight": shape for part, shape in (("A", (2, 9)), ("B", (WIDTH, 2)))},
         "doesn't belong to this base model"),
    ],
)  # fmt: skip
def test_other_lora_is_named(
    folder: Path, change: dict[str, Any], more: dict[str, tuple[int, int]], words: str
) -> None:
    import torch

    write_lora(folder, LORA | change, {name: torch.zeros(shape) for name, shape in more.items()})
    with pytest.raises(EnvironmentProblem, match=words):
        SentenceTransformerEmbedder(folder, "a").encode(TEXTS)
