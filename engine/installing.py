"""What a person runs to add a library to this installation, be it made by pip, pipx or uv."""

import sys
from importlib.util import find_spec
from pathlib import Path


def command_for(package: str) -> str:
    """The command that installs ``package`` into the environment that runs this.

    pipx knows its environments by name and keeps what was injected when it upgrades. Those of uv hold no pip. Double
    quotes are understood by the shells of every system.
    """
    if Path(sys.prefix, "pipx_metadata.json").is_file():
        return f'pipx inject rejoinder "{package}"'
    if find_spec("pip") is None:
        return f'uv pip install --python "{sys.executable}" "{package}"'
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable  # PowerShell calls nothing in quotes
    return f'{python} -m pip install "{package}"'
