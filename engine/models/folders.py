"""Inspects a model folder that a user wants to add: its kind, whether it is safe to open, and what it needs."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Literal

from engine.errors import BadInput, EnvironmentProblem

ModelKind = Literal["encoder", "label encoder", "reranker", "language model", "sequence to sequence"]
"""A label encoder is one that was fine-tuned to label review sentences (`rejoinder train encoder`)."""

Precision = Literal["auto", "float32", "bfloat16", "float16"]
"""How weights are held in memory; "auto" is single precision on a CPU and bfloat16 on a GPU."""

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle")
_NOT_WEIGHTS = frozenset({"training_args.bin", "optimizer.bin", "optimizer.pt", "scheduler.pt"})
_LEFT = "It was not added."


@dataclass(frozen=True, slots=True)
class FolderReport:
    """The contents of a folder; ``parameters`` is the number of weights, ``size`` the bytes on disk."""

    kind: ModelKind
    architecture: str
    parameters: int
    size: int
    licence: str
    context: int | None
    remarks: tuple[str, ...] = ()


def inspect_folder(folder: Path) -> FolderReport:
    """Reads the configuration and the headers of the weights, without running code or loading weights.

    Raises BadInput with the reason if the folder isn't a model, has only pickled weights, has truncated weights, or
    needs its own code.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} isn't a folder.", _LEFT, "Choose the folder with config.json and the weights.")
    config = _config(folder)
    if "auto_map" in config:
        raise BadInput(
            f"The model in {folder.name} contains its own program code.",
            f"{_LEFT} Such code would run with all your permissions.",
            "Choose a model with an architecture built into transformers.",
        )
    weights = sorted(folder.rglob("*.safetensors"))
    pickled = [file for pattern in _PICKLES for file in folder.rglob(pattern) if file.name not in _NOT_WEIGHTS]
    if not weights and pickled:
        raise BadInput(
            f"The weights in {folder.name} are stored as a Python pickle ({pickled[0].name}).",
            f"{_LEFT} Opening a pickle can run any code hidden in it.",
            "Get the same model as safetensors, or convert it on an isolated computer.",
        )
    if not weights:
        raise BadInput(
            f"There are no weights in {folder.name}.", _LEFT, "Choose the folder with the .safetensors files."
        )
    parameters = sum(_parameters(file) for file in weights)
    _check_shards(folder)
    remarks = (f"{pickled[0].name} is also there but is never opened.",) if pickled else ()
    return FolderReport(
        _kind(folder, config),
        next(iter(_architectures(config)), str(config.get("model_type", "unknown"))),
        parameters,
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        licence_of(folder),
        _context(folder, config),
        remarks,
    )


def memory_needed(parameters: int, precision: Precision = "auto", *, on_gpu: bool) -> int:
    """Returns the bytes needed to run a model: its weights in the given precision ("auto": single on a CPU, half on a
    GPU) plus a fifth for activations.

    A long context needs more, which isn't included.
    """
    half = on_gpu if precision == "auto" else precision != "float32"
    return round(parameters * (2 if half else 4) * 1.2)


def licence_of(folder: Path) -> str:
    """Returns the licence stated in the model card, or the first line of a LICENSE file, or "not stated"."""
    card = folder / "README.md"
    if card.is_file():
        text = card.read_text(encoding="utf-8", errors="replace")
        front = re.match(r"---\s*\n(.*?)\n---", text, re.DOTALL)
        stated = re.search(r"^license:\s*['\"]?([\w.+-]+)", front[1], re.MULTILINE) if front else None
        if stated:
            return stated[1]
    for name in ("LICENSE", "LICENSE.txt", "LICENSE.md"):
        if (folder / name).is_file():
            lines = (folder / name).read_text(encoding="utf-8", errors="replace").split("\n")
            first = next((line.strip(" #") for line in lines if line.strip()), "")
            if first:
                return first[:80]
    return "not stated"


def _config(folder: Path) -> Mapping[str, Any]:
    for name in ("config.json", "0_Transformer/config.json"):
        file = folder / name
        if file.is_file():
            try:
                value = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError, RecursionError) as error:
                raise BadInput(f"{name} in {folder.name} can't be read ({error}).", _LEFT, "Copy it again.") from error
            if isinstance(value, dict):
                return value
    raise BadInput(
        f"There is no model in {folder.name}: config.json is missing.",
        _LEFT,
        "Choose the folder with config.json and the weights.",
    )


def _parameters(file: Path) -> int:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as opened:
            shapes = [opened.get_slice(key).get_shape() for key in opened.keys()]  # noqa: SIM118 (not a mapping)
            return sum(map(prod, shapes))
    except (SafetensorError, OSError) as error:
        raise BadInput(
            f"The weights in {file.name} are damaged or cut off ({error}).", _LEFT, "Copy the folder again."
        ) from error


def _check_shards(folder: Path) -> None:
    for index in folder.glob("*.safetensors.index.json"):
        try:
            named = set(json.loads(index.read_text(encoding="utf-8")).get("weight_map", {}).values())
            missing = sorted(name for name in named if not (folder / name).is_file())
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput(
                f"{index.name} in {folder.name} can't be read ({error}).", _LEFT, "Copy it again."
            ) from error
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise BadInput(f"{folder.name} lacks {missing[0]}{more}.", _LEFT, "Copy the whole folder again.")


def _architectures(config: Mapping[str, Any]) -> tuple[str, ...]:
    named = config.get("architectures")
    return tuple(map(str, named)) if isinstance(named, list) else ()


def _kind(folder: Path, config: Mapping[str, Any]) -> ModelKind:
    names = " ".join(_architectures(config))
    if (folder / "labels.json").is_file() and (folder / "labels.safetensors").is_file():
        return "label encoder"
    if (folder / "modules.json").is_file():
        return "encoder"
    if "ForCausalLM" in names or "LMHeadModel" in names:
        return "language model"
    if "ForConditionalGeneration" in names or config.get("is_encoder_decoder"):
        return "sequence to sequence"
    if "ForSequenceClassification" in names:
        return "reranker"
    return "encoder"


def _context(folder: Path, config: Mapping[str, Any]) -> int | None:
    """Returns the number of tokens that the model reads at once, which for a sentence encoder may be less than its
    positions."""
    positions = context_of(config)
    for file in (folder / "sentence_bert_config.json", folder / "0_Transformer" / "sentence_bert_config.json"):
        try:
            longest = json.loads(file.read_text(encoding="utf-8")).get("max_seq_length")
        except (OSError, ValueError, AttributeError, RecursionError):
            continue
        if isinstance(longest, int) and longest > 0:
            return min(longest, positions or longest)
    return positions


def context_of(config: Mapping[str, Any]) -> int | None:
    """Returns the number of tokens that a model's positions cover, or None if its configuration doesn't say."""
    inner = config.get("text_config")
    inner = inner if isinstance(inner, Mapping) else config
    for name in ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length"):
        value = inner.get(name)
        if isinstance(value, int) and value > 0:
            return value
    return None


def load_pretrained(folder: Path, kind: str, means: str, do: str, **how: Any) -> tuple[Any, Any]:
    """Loads tokenizer and model of a transformers folder with the named class of transformers ("AutoModel").

    Never downloads, runs no code from the folder, and reads weights from safetensors only. ``how`` are further
    arguments. Raises EnvironmentProblem with ``means`` and ``do`` if the folder contains no such model.
    """
    import transformers
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
        model = getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, use_safetensors=True, **how
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise EnvironmentProblem(
            f"The model in {folder} can't be loaded ({type(error).__name__}: {str(error).splitlines()[0]}).", means, do
        ) from error
    return tokenizer, model
