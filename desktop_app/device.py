"""What the models will run on, found without importing torch."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from pathlib import Path


def device() -> tuple[str, str]:
    """``CPU`` or ``GPU``, and a sentence that says why.

    Once torch is loaded it is asked; before that its version and the machine are looked at, which costs a millisecond
    and not a second.
    """
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda"):
        if torch.cuda.is_available():
            return "GPU", f"Models run on {torch.cuda.get_device_name(0)}."
        if torch.backends.mps.is_available():
            return "GPU", "Models run on the graphics part of this computer's chip."
        return "CPU", "Models run on the processor: torch found no graphics card it can use."
    try:
        version = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return "CPU", "Models cannot run: torch is not installed."
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return "GPU", "Models run on the graphics part of this computer's chip."
    if version.endswith("+cpu"):
        return "CPU", f"Models run on the processor: the installed torch {version} is the build for processors."
    if Path("/proc/driver/nvidia/version").exists():
        return "GPU", f"Models run on the graphics card, with torch {version}."
    return "CPU", "Models run on the processor: no graphics card was found."
