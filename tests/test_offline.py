"""The watch for network use is awake, in this process and in those that it starts."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in a process started here"])
def test_a_connection_is_noticed(no_network: Path, elsewhere: bool) -> None:
    if elsewhere:
        code = "import socket\ntry: socket.create_connection(('127.0.0.1', 9), timeout=1)\nexcept OSError: pass"
        subprocess.run([sys.executable, "-c", code], check=True)
    else:
        with pytest.raises(OSError), socket.create_connection(("127.0.0.1", 9), timeout=1):
            pass
    assert "socket.connect" in no_network.read_text()
    no_network.unlink()  # seen: the fixture would fail this test otherwise
