"""``rejoinder`` in the tests' own process, entered where a process of its own would enter.

Starting a process and importing the engine takes longer than most commands. Tests of processes (pipes, signals,
terminals, the network) start them.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from subprocess import CompletedProcess

import pytest

from engine.cli.main import main

SIGNALS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]


def rejoinder(*arguments: object) -> CompletedProcess[str]:
    """What a call prints and how it ends. The streams begin as ASCII, as under the most narrow locale."""
    words = ["rejoinder", *map(str, arguments)]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2))
    handlers = [(number, signal.getsignal(number)) for number in SIGNALS]
    code = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONSAFEPATH", os.environ.get("PYTHONSAFEPATH", ""))  # the command sets it
        for name, value in (("argv", words), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, value)
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            for number, handler in handlers:
                signal.signal(number, handler)
    for stream in (out, err):
        stream.flush()
    return CompletedProcess(words, code, *(stream.buffer.getvalue().decode() for stream in (out, err)))
