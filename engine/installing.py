"""The command to add a library to this installation, made by pip, pipx or uv."""

import sys
from importlib.util import find_spec
from pathlib import Path


def command_for(package: str) -> str:
    """Returns the command that installs ``package`` into the current environment.

    pipx addresses its environments by name and keeps injected packages on upgrades. uv's environments don't contain
    pip. Double quotes work in the shells of all systems.
    """
    if Path(sys.prefix, "pipx_metadata.json").is_file():
        return f'pipx inject rejoinder "{package}"'
    if find_spec("pip") is None:
        return f'uv pip install --python "{sys.executable}" "{package}"'
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable  # PowerShell doesn't run a quoted name
    return f'{python} -m pip install "{package}"'
