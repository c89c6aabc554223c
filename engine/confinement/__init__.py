"""Limits for processes that read untrusted files: no network, only named files, no other programs, bounded resources.

``command`` returns the command line for a confined Python module; ``python -m engine.confinement`` then applies the
``Policy`` before importing that module, so that it covers all threads and input. Linux offers seccomp and Landlock to
every process (``engine.confinement.linux``); elsewhere only resource limits apply. Which limits are effective is
determined by trying (``Held``), not assumed from a call that returned without an error.
"""

import contextlib
import json
import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder that contains the ``engine`` package."""

_SYSTEM_READ = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime",
                "/usr/share/zoneinfo", "/dev/urandom", "/dev/random", "/dev/zero")  # fmt: skip
_MODEL_READ = ("/etc/nsswitch.conf", "/etc/passwd", "/proc/cpuinfo", "/proc/devices", "/proc/driver", "/proc/meminfo",
               "/proc/modules", "/proc/self", "/proc/stat", "/proc/sys/vm", "/sys", "/opt/rocm",
               "/usr/local/cuda")  # fmt: skip
_GPU = ("nvidia*", "kfd", "dri")


@dataclass(frozen=True, slots=True)
class Policy:
    """What a confined process may use; paths are absolute.

    ``read`` and ``write`` (which includes reading and creating) are files or folders with everything below them, in
    addition to the program's own. ``memory``: bytes of address space; ``data``: bytes of private writable memory.
    ``compute``: also allows the system files that numeric libraries read, and GPU devices.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    memory: int | None = None
    data: int | None = None
    compute: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """What this process was refused when it tried, right after the limits were applied.

    ``network``: no sockets. ``files``: only files named by the policy can be opened. ``programs``: no other program can
    be started. ``memory``, ``core_dumps``: the limits are set. ``landlock``: its ABI version, or 0.
    """

    network: bool = False
    files: bool = False
    programs: bool = False
    memory: bool = False
    core_dumps: bool = False
    landlock: int = 0


_held = Held()


def in_force() -> Held:
    """Returns the limits that apply to this process; none unless ``apply`` was called."""
    return _held


def command(policy: Policy, module: str, arguments: Iterable[str] = ()) -> list[str]:
    """Returns the command line that runs a module under ``policy``; start it with ``environment()``."""
    return [sys.executable, "-P", "-m", "engine.confinement", json.dumps(asdict(policy)), module, *arguments]


def environment() -> dict[str, str]:
    """Returns the environment for a confined process: this one's, with the program's folder first on Python's path."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def model_policy(read: Iterable[Path] = (), write: Iterable[Path] = ()) -> Policy:
    """Returns the policy of a process that loads a model from the folders in ``read`` and may write to those in
    ``write``. Private memory is limited to the machine's, except with a GPU, whose drivers need much more address
    space."""
    data = None
    if sys.platform != "win32" and not _gpu_devices():
        with contextlib.suppress(ValueError, OSError):
            data = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Policy(
        read=tuple(str(path.resolve()) for path in read),
        write=tuple(str(path.resolve()) for path in write),
        data=data,
        compute=True,
    )


def apply(policy: Policy) -> Held:
    """Limits this process permanently. Call it before the process starts a thread or reads any input."""
    global _held  # noqa: PLW0603 - a fact about the process
    memory, core_dumps = _limit_resources(policy)
    network = files = programs = False
    landlock = 0
    if sys.platform == "linux":
        from engine.confinement import linux

        read, write = readable(policy), writable(policy)
        linux.no_new_privileges()
        landlock = linux.restrict_files(read, write)
        linux.refuse_calls(strict=not policy.compute)
        network, files, programs = linux.refusals()
    _held = Held(network, files, programs, memory, core_dumps, landlock)
    return _held


def allow_cpu(seconds: float) -> None:
    """Ends this process when it uses more than ``seconds`` of CPU time from now on. Does nothing on Windows."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    with contextlib.suppress(ValueError, OSError):  # if another hard limit is lower, that one applies
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def readable(policy: Policy) -> list[str]:
    """Returns all paths that the process may read: the program, the system's libraries, and the policy's paths."""
    paths = sysconfig.get_paths()
    own = [*sys.path, paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]]
    own += [str(ROOT / "engine"), str(ROOT / "resources"), str(Path(sys.base_prefix) / "lib")]
    if site.ENABLE_USER_SITE:
        own.append(site.getusersitepackages())
    home = Path.home().resolve()
    found = [str(path) for path in map(Path, own) if path.is_absolute() and not _holds(path.resolve(), home)]
    found += [*_SYSTEM_READ, *policy.read]
    if policy.compute:
        found += [*_MODEL_READ, *filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))]
    return found


def writable(policy: Policy) -> list[str]:
    """Returns all paths that the process may write: the policy's, /dev/null, and with ``compute`` those for the GPU."""
    found = ["/dev/null", *policy.write]
    if policy.compute and (devices := _gpu_devices()):
        found += [*devices, "/dev/shm", str(Path.home() / ".nv")]  # noqa: S108 - shared memory, as the drivers use it
    return found


def _gpu_devices() -> list[str]:
    return [str(path) for pattern in _GPU for path in Path("/dev").glob(pattern)]


def _holds(folder: Path, home: Path) -> bool:
    """Returns whether a folder on Python's path is or contains the home folder, which is too much to allow."""
    return home == folder or folder in home.parents


def _limit_resources(policy: Policy) -> tuple[bool, bool]:
    """Returns whether memory is limited, and whether core dumps are disabled."""
    if sys.platform == "win32":
        return False, False
    import resource

    def limit(kind: int, size: int) -> bool:
        try:
            resource.setrlimit(kind, (size, size))
        except (ValueError, OSError):  # macOS rejects some limits
            return False
        return True

    memory = policy.memory is not None and limit(resource.RLIMIT_AS, policy.memory)
    memory = (policy.data is not None and limit(resource.RLIMIT_DATA, policy.data)) or memory
    if not policy.write and not policy.compute:
        limit(resource.RLIMIT_FSIZE, 0)
    # 1 byte, not 0: with any other limit, Linux passes dumps to a crash reporter.
    core = limit(resource.RLIMIT_CORE, 1)
    with contextlib.suppress(OSError):
        Path("/proc/self/coredump_filter").write_text("0", encoding="ascii")
    if policy.compute:
        # if memory runs out, the kernel should end this process instead of the window
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    return memory, core
