"""Tests what a confined process is refused; run as a module through ``engine.confinement.command``.

Prints one JSON object: the effective limits, and whether each attempt succeeded. Arguments are files to try to read and
append to. Used by ``rejoinder doctor``.
"""

import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict

from engine.confinement import in_force


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _socket(family: int) -> bool:
    return _succeeds(lambda: socket.socket(family, socket.SOCK_DGRAM).close())


def _open(path: str, flags: int) -> bool:
    return _succeeds(lambda: os.close(os.open(path, flags)))


def _fork() -> None:
    if sys.platform != "win32":
        if (child := os.fork()) == 0:
            os._exit(0)
        os.waitpid(child, 0)


def attempts(files: list[str]) -> dict[str, bool]:
    """Returns whether each attempt succeeded, by name."""
    names = ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_UNIX")
    families = {name: getattr(socket, name) for name in names if hasattr(socket, name)}
    found = {name: _socket(family) for name, family in families.items()}
    found["home"] = _succeeds(lambda: os.listdir(os.path.expanduser("~")))  # noqa: PTH111, PTH208 - nothing else loaded
    found |= {f"read {path}": _open(path, os.O_RDONLY) for path in files}
    found |= {f"write {path}": _open(path, os.O_WRONLY | os.O_APPEND) for path in files}
    if hasattr(os, "fork"):
        found["fork"] = _succeeds(_fork)
    return found


def main() -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps({"held": asdict(in_force()), "attempts": attempts(sys.argv[1:])}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
