"""What a person runs to add a library to this installation, be it made by pip, pipx or uv."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def command_for(package: str) -> str:
    """The command that installs ``package`` into the environment that runs this.

    pipx knows its environments by name and keeps what was injected when it upgrades. Those of uv hold no pip.
    """
    if Path(sys.prefix, "pipx_metadata.json").is_file():
        return f"pipx inject rejoinder '{package}'"
    if find_spec("pip") is None:
        return f"uv pip install --python '{sys.executable}' '{package}'"
    return f"{sys.executable} -m pip install '{package}'"
