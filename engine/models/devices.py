"""Devices that models run on, and how many threads they may use. Imports torch only when needed."""

import os
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """``name`` is torch's ("cpu", "cuda", "mps"), ``title`` is shown to the user."""

    name: str
    title: str


def choose_device(wanted: str | None = None) -> Device:
    """Returns the named device, or the best available: CUDA, then Apple's Metal, then the CPU.

    If the named device isn't available, returns the CPU; results are the same within rounding.
    """
    import torch

    for name in (wanted, "cuda", "mps") if wanted is None else (wanted,):
        if name is not None and name.startswith("cuda") and torch.cuda.is_available():
            return Device(name, str(torch.cuda.get_device_name(name)))
        if name == "mps" and torch.backends.mps.is_available():
            return Device("mps", "Apple GPU")
    return Device("cpu", f"CPU, {processors()} cores")


def free_memory(device: str) -> int:
    """Returns the free bytes of the memory that a model on this device is loaded into."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(psutil.virtual_memory().available)


def measure(device: str, side: int = 4096) -> dict[str, float]:
    """Measures a device: ``memory`` and ``free`` in bytes, ``single`` and ``half`` precision in 10^12 operations per
    second. The rates are the best of several products of two square matrices with ``side`` rows; takes a second or less
    on a GPU."""
    import torch

    if device.startswith("cuda"):
        memory = torch.cuda.get_device_properties(device).total_memory
    else:
        import psutil

        memory = psutil.virtual_memory().total

    def wait() -> None:
        if device != "cpu":
            getattr(torch, device.partition(":")[0]).synchronize()

    rates = {}
    for name, kind in (("single", torch.float32), ("half", torch.float16)):
        square, best = torch.ones(side, side, device=device, dtype=kind), float("inf")
        for _ in range(6):  # the first one loads the library
            wait()
            start = time.perf_counter()
            torch.mm(square, square)
            wait()
            best = min(best, time.perf_counter() - start)
        rates[name] = 2 * side**3 / best / 1e12
    return {"memory": memory, "free": free_memory(device), **rates}


def has_bfloat16(device: str | None = None) -> bool:
    """Returns whether the device (as in ``choose_device``) multiplies bfloat16 in hardware, which makes it faster."""
    name = choose_device(device).name
    import torch

    if name.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported())
    return name == "cpu" and bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not available on every system
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def limit_threads(leave_free: int = 1) -> int:
    """Lets torch use all processors except ``leave_free`` (at least one); returns how many.

    With a window open, one processor stays free for its event loop. Call it on the thread that computes.
    """
    import torch

    threads = max(1, processors() - leave_free)
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    return threads
