"""Long-lived objects: created with Python's cycle collector paused, and excluded from later collections."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lasting() -> Iterator[None]:
    """Pauses the cycle collector, then freezes all objects that exist at the end of the body.

    A parsed document consists of some hundred thousand small objects without cycles, and what a window imports and
    builds lives until the program ends. Otherwise the collector would traverse them repeatedly while they are created
    and in every later run, blocking all threads (50 ms and more for the modules, a quarter of a second for 120 pages).
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if running:
            gc.enable()
