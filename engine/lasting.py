"""Objects that stay: made while Python's cycle collector rests, and left out of its walks from then on."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lasting() -> Iterator[None]:
    """A parsed document is some hundred thousand small objects without a single cycle, and what a window imports and
    builds stays until the program ends. Left alone, the collector walks them again and again while they are made, and
    whenever it runs later, with every other thread standing still (50 ms and more for the modules, a quarter of a
    second for 120 pages). So it rests meanwhile, and what is there then is taken out of its walks."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if running:
            gc.enable()
