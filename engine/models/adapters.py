"""Loads adapters of a model folder: LoRA, and the bottleneck adapters on a BERT network that SPECTER2 uses.

LoRA (Hu et al. 2022) is read in the layout of the library ``peft``, which isn't needed: the low-rank update is added to
the weights at load time. A bottleneck adapter is a small layer after each feed-forward layer. Layout and order of
operations are those of the library ``adapters`` (Pfeiffer et al. 2020, "seq_bn"), which pins an older transformers and
so can't be installed alongside; only the one architecture that SPECTER2 uses is supported.
"""

import json
import re
from pathlib import Path
from typing import Any

from engine.errors import EnvironmentProblem

CONFIG = "adapter_config.json"
PREFERRED = "proximity"
"""The SPECTER2 adapter to prefer if there are several: the one trained for similarity of papers."""

_NAMES = (
    "adapter_model.safetensors",
    "adapter.safetensors",
    "model.safetensors",
    "pytorch_adapter.safetensors",
    "pytorch_adapter.bin",
)
_KEY = re.compile(r"encoder\.layer\.(\d+)\.output\.(?:[^.]+\.)?adapters\.([^.]+)\.adapter_(down\.0|up)\.(weight|bias)$")
_UNDERSTOOD = {
    "original_ln_before": True, "original_ln_after": True, "residual_before_ln": True, "ln_before": False,
    "ln_after": False, "mh_adapter": False, "output_adapter": True, "adapter_residual_before_ln": False,
    "is_parallel": False, "use_gating": False, "phm_layer": False,
}  # fmt: skip


def adapter_in(folder: Path) -> Path | None:
    """Returns the folder of a model's adapter, which is the model folder itself or a direct subfolder; None if there is
    none. Raises EnvironmentProblem if there are several and the name doesn't single out the proximity adapter."""
    found = [place for place in (folder, *sorted(folder.iterdir())) if (place / CONFIG).is_file()]
    if len(found) > 1:
        found = [place for place in found if PREFERRED in place.name] or found
    if len(found) > 1:
        names = ", ".join(place.name for place in found)
        raise _problem(
            folder, f"contains several adapters ({names})", "Keep only the one you want to use in the folder."
        )
    return found[0] if found else None


def apply_adapter(network: Any, folder: Path) -> None:
    """Applies the adapter in a folder to a transformers network (a bottleneck adapter requires BERT).

    Raises EnvironmentProblem if the adapter has an unsupported architecture or doesn't fit the network.
    """
    import torch

    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    if "peft_type" in config:
        _merge_lora(network, folder, config)
        return
    config = config.get("config", {})
    strange = sorted(name for name, value in _UNDERSTOOD.items() if config.get(name, value) != value)
    activation = str(config.get("non_linearity", "relu")).lower()
    if strange or activation not in ("relu", "gelu", "swish", "silu") or config.get("scaling", 1.0) != 1.0:
        what = ", ".join(strange) or f"{activation}, scaling {config.get('scaling', 1.0)}"
        raise _problem(folder, f"isn't the same kind as SPECTER2's ({what})", "Choose the folder of the base model.")
    weights: dict[tuple[int, str], Any] = {}
    for key, value in _weights(folder).items():
        if found := _KEY.search(key):
            weights[int(found[1]), f"{found[3].partition('.')[0]}.{found[4]}"] = value
    layers = network.encoder.layer
    wanted = {(at, name) for at in range(len(layers)) for name in ("down.weight", "down.bias", "up.weight", "up.bias")}
    if set(weights) != wanted or any(
        weights[at, "up.weight"].shape[0] != network.config.hidden_size for at, _ in wanted
    ):
        raise _problem(folder, "doesn't belong to this base model", "Copy the base model and the adapter again.")
    function = {"relu": torch.nn.functional.relu, "gelu": torch.nn.functional.gelu}.get(
        activation, torch.nn.functional.silu
    )
    for at, layer in enumerate(layers):
        layer.output = _adapted(layer.output, {name: weights[at, name] for _, name in wanted}, function)


def _merge_lora(network: Any, folder: Path, config: dict[str, Any]) -> None:
    import torch

    plain = {"peft_type": "LORA", "bias": "none"}
    others = ("use_dora", "fan_in_fan_out", "rank_pattern", "alpha_pattern", "modules_to_save", "layer_replication")
    strange = [name for name, value in plain.items() if config.get(name, value) != value]
    strange += [name for name in others if config.get(name)]
    if strange:
        raise _problem(folder, f"isn't plain LoRA ({', '.join(strange)})", "Merge it into its model.")
    weights, layers = _weights(folder), dict(network.named_modules())
    for key in [key for key in weights if key.endswith(".lora_A.weight")]:
        name = key.removesuffix(".lora_A.weight")
        down, up = weights.pop(key), weights.pop(f"{name}.lora_B.weight", None)
        # Keys may be prefixed with the names of wrappers used in training.
        while name not in layers and "." in name:
            name = name.partition(".")[2]
        weight = getattr(layers.get(name), "weight", None)
        if weight is None or up is None or (len(up), down.shape[1]) != weight.shape or up.shape[1] != len(down):
            raise _problem(folder, "doesn't belong to this base model", "Copy the base model and the adapter again.")
        scale = config.get("lora_alpha", 8) / len(down) ** (0.5 if config.get("use_rslora") else 1.0)
        with torch.no_grad():
            weight += (scale * (up.float() @ down.float())).to(weight)
    if weights:
        raise _problem(folder, f"contains more than LoRA ({min(weights)})", "Merge it into its model.")


def _adapted(output: Any, weights: dict[str, Any], function: Any) -> Any:
    import torch

    class AdaptedOutput(torch.nn.Module):
        """The output of a layer: norm, down, activation, up, residual from before the norm, then the norm again."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = output
            size, hidden = weights["down.weight"].shape
            self.down, self.up = torch.nn.Linear(hidden, size), torch.nn.Linear(size, hidden)
            for name, layer in (("down", self.down), ("up", self.up)):
                layer.load_state_dict({part: weights[f"{name}.{part}"] for part in ("weight", "bias")})

        def forward(self, hidden_states: Any, input_tensor: Any) -> Any:
            hidden = self.inner.dropout(self.inner.dense(hidden_states))
            normed = self.inner.LayerNorm(hidden + input_tensor)
            return self.inner.LayerNorm(self.up(function(self.down(normed))) + hidden + input_tensor)

    return AdaptedOutput()


def _weights(folder: Path) -> dict[str, Any]:
    import pickle

    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    file = next((folder / name for name in _NAMES if (folder / name).is_file()), None)
    if file is None:
        raise _problem(folder, "has no weights", "Copy the adapter again.")
    try:
        if file.suffix == ".safetensors":
            return dict(load_file(file))
        # ``weights_only`` loads tensors without running pickled code.
        return dict(torch.load(file, map_location="cpu", weights_only=True))
    except (OSError, ValueError, RuntimeError, EOFError, SafetensorError, pickle.UnpicklingError) as error:
        raise _problem(folder, f"can't be read ({type(error).__name__})", "Copy the adapter again.") from error


def _problem(folder: Path, what: str, do: str) -> EnvironmentProblem:
    return EnvironmentProblem(f"The adapter in {folder.name} {what}.", "Nothing was computed.", do)
