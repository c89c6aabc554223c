"""The device that models will run on, determined without importing torch."""

import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

_version = cache(metadata.version)


def device() -> tuple[str, str]:
    """Returns ``CPU`` or ``GPU``, and a sentence that explains why.

    Asks torch if it is already loaded; otherwise uses its version and the machine, which takes a millisecond, not a
    second.
    """
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda"):
        if torch.cuda.is_available():
            return "GPU", f"Models run on {torch.cuda.get_device_name(0)}."
        if torch.backends.mps.is_available():
            return "GPU", "Models run on the integrated GPU."
        return "CPU", "Models run on the CPU. PyTorch found no usable GPU."
    try:
        version = _version("torch")
    except metadata.PackageNotFoundError:
        return "CPU", "Models can't run: PyTorch isn't installed."
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return "GPU", "Models run on the integrated GPU."
    if version.endswith("+cpu"):
        return "CPU", f"Models run on the CPU. The installed PyTorch {version} is a CPU build."
    if Path("/proc/driver/nvidia/version").exists():
        return "GPU", f"Models run on the GPU with PyTorch {version}."
    return "CPU", "Models run on the CPU. No GPU was found."
