"""Watches for network use in this process: any connection or look-up beyond this machine's own pipes is written down.

Loaded by Python itself in every process that the tests start (the folder is on PYTHONPATH), and by conftest in the
tests' own process. The autouse fixture ``no_network`` fails the test during which a line appeared.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

WATCHED = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"}


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in WATCHED:
        return
    asked = arguments[0]
    if isinstance(asked, socket.socket) and asked.family == getattr(socket, "AF_UNIX", None):
        return
    log = os.environ.get("REJOINDER_SOCKET_LOG")
    if log:
        with open(log, "a", encoding="utf-8") as file:  # noqa: PTH123 - runs before everything
            address = arguments if isinstance(asked, (str, bytes)) or asked is None else arguments[1]
            file.write(f"{event} {address}\n")


def _command() -> None:
    """Writes down which command of the command line this process was started for (tests/e2e/command_log.py)."""
    log, words = os.environ.get("REJOINDER_COMMAND_LOG"), sys.orig_argv
    if log and "engine.cli.main" in words:
        with open(log, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(" ".join(words[words.index("engine.cli.main") + 1 :]) + "\n")


sys.addaudithook(_watch)
_command()
