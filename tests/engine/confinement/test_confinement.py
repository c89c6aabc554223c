"""Confined processes: what they are refused is found by trying, in a process of its own under the same policy."""

from __future__ import annotations

import errno
import json
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine import confinement
from engine.confinement import Policy

linux = pytest.importorskip("engine.confinement.linux", exc_type=ImportError)
pytestmark = pytest.mark.skipif(not linux.landlock_abi(), reason="needs Linux with Landlock; elsewhere doctor says so")


def confined(policy: Policy, module: str, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        confinement.command(policy, module, arguments),
        env=confinement.environment(), capture_output=True, text=True, check=False, timeout=60, **more,
    )  # fmt: skip


def run_code(policy: Policy, code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs code under a policy: as a module in a folder that is on Python's path, and so readable."""
    (folder / "hostile.py").write_text(textwrap.dedent(code), encoding="utf-8")
    environment = confinement.environment()
    environment["PYTHONPATH"] += f":{folder}"
    return subprocess.run(
        confinement.command(policy, "hostile"), env=environment, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "private" / "review.txt"
    path.parent.mkdir()
    path.write_text("nobody's business")
    return path


@pytest.mark.parametrize("policy", [Policy(), confinement.model_policy()], ids=["documents", "models"])
def test_no_socket_no_file_and_no_process(policy: Policy, secret: Path) -> None:
    found = json.loads(confined(policy, "engine.confinement.probe", str(secret)).stdout)
    assert not any(found["attempts"].values()), found
    assert {f"read {secret}", f"write {secret}", "AF_INET", "AF_INET6", "AF_UNIX", "home", "fork"} <= {
        *found["attempts"]
    }
    held = found["held"]
    assert held["network"] and held["files"] and held["programs"] and held["core_dumps"]
    assert held["landlock"] == linux.landlock_abi()


def test_without_confinement_the_same_attempts_succeed(secret: Path) -> None:
    """So that the attempts above are known to fail for the right reason."""
    command = [sys.executable, "-m", "engine.confinement.probe", str(secret)]
    done = subprocess.run(command, env=confinement.environment(), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert all(found["attempts"][name] for name in (f"read {secret}", f"write {secret}", "AF_INET", "home", "fork"))
    assert not any(found["held"].values())


def test_a_policy_allows_what_it_names_and_no_more(secret: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "made.txt").touch()
    policy = confinement.model_policy(read=[secret.parent], write=[out])
    found = json.loads(confined(policy, "engine.confinement.probe", str(secret), str(out / "made.txt")).stdout)
    tried = found["attempts"]
    assert tried[f"read {secret}"] and not tried[f"write {secret}"]
    assert tried[f"read {out / 'made.txt'}"] and tried[f"write {out / 'made.txt'}"]


def test_the_home_folder_is_not_the_programs_own_even_on_pythons_path(monkeypatch: pytest.MonkeyPatch) -> None:
    home = str(Path.home())
    monkeypatch.setattr(sys, "path", [home, str(Path.home().parent), "", *sys.path])
    assert not {home, str(Path.home().parent), ""} & set(confinement.readable(Policy()))


CALLS = """
    import ctypes, errno, os, sys, threading
    libc = ctypes.CDLL(None, use_errno=True)
    x86 = os.uname().machine == "x86_64"
    def number(call, *arguments):
        ctypes.set_errno(0)
        return libc.syscall(call, *arguments), ctypes.get_errno()
    from engine.confinement.linux import REFUSED, REFUSED_TO_READERS
    let_through = []
    for name, numbers in {**REFUSED, **REFUSED_TO_READERS}.items():
        call = numbers[0 if x86 else 1]
        if call >= 0 and number(call, -1, -1, -1, -1, -1, -1) != (-1, errno.EPERM):
            let_through.append(name)
    def try_socket():
        if number(41 if x86 else 198, 2, 1, 0)[0] >= 0:
            let_through.append("in a thread")
    thread = threading.Thread(target=try_socket)
    thread.start(); thread.join()
    x32 = number(0x40000000 + 41, 2, 1, 0) if x86 else (-1, errno.EPERM)
    clone = number(56 if x86 else 220, 17, 0, 0, 0, 0)  # SIGCHLD alone: a process
    assert not let_through, let_through
    assert x32 == (-1, errno.EPERM), x32
    assert clone == (-1, errno.EPERM), clone
    assert number(435, 0, 0) == (-1, errno.ENOSYS)
"""


def test_the_filter_refuses_each_call_in_every_thread_and_by_every_numbering(tmp_path: Path) -> None:
    done = run_code(Policy(), CALLS, tmp_path)
    assert done.returncode == 0, done.stderr


def test_nothing_can_be_written_to_a_file_that_is_open_already(tmp_path: Path) -> None:
    with (tmp_path / "given.txt").open("w") as file:
        code = "import os, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); os.write(1, b'x')"
        (tmp_path / "hostile.py").write_text(code)
        environment = confinement.environment()
        environment["PYTHONPATH"] += f":{tmp_path}"
        command = confinement.command(Policy(), "hostile")
        done = subprocess.run(command, env=environment, stdout=file, stderr=subprocess.PIPE, text=True, check=False)
    assert "File too large" in done.stderr
    assert (tmp_path / "given.txt").read_text() == ""


def test_processes_outside_cannot_be_signalled(tmp_path: Path) -> None:
    code = "import os; os.kill(os.getppid(), 0)"
    for policy in (Policy(), confinement.model_policy()):
        if policy.compute and linux.landlock_abi() < 6:
            continue
        assert "PermissionError" in run_code(policy, code, tmp_path).stderr


def test_a_memory_bomb_ends(tmp_path: Path) -> None:
    bomb = "held = []\nwhile True: held.append(bytearray(10_000_000))"
    for policy in (Policy(memory=400_000_000), Policy(data=400_000_000, compute=True)):
        done = run_code(policy, bomb, tmp_path)
        assert "MemoryError" in done.stderr, done.stderr


def test_models_may_have_as_much_memory_as_the_machine_or_the_drivers_of_a_gpu_see_to_it() -> None:
    policy = confinement.model_policy()
    if confinement._gpu_devices():
        assert policy.data is None
    else:
        assert policy.data is not None and abs(policy.data - psutil.virtual_memory().total) < 2**20


def test_endless_computing_ends(tmp_path: Path) -> None:
    code = "from engine.confinement import allow_cpu\nallow_cpu(3600)\nallow_cpu(0)\nwhile True: pass"
    assert run_code(Policy(), code, tmp_path).returncode == -signal.SIGXCPU


def test_no_core_is_dumped(tmp_path: Path) -> None:
    code = """
        import resource, sys
        sys.stdout.write(str(resource.getrlimit(resource.RLIMIT_CORE)) + open("/proc/self/coredump_filter").read())
    """
    policy = Policy(read=("/proc",))
    assert run_code(policy, code, tmp_path).stdout.split() == ["(1,", "1)00000000"]


def test_where_nothing_is_offered_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on another system: the module runs, and says that nothing but limits of resources holds."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.platform = 'freebsd14'\n")
    environment = confinement.environment()
    environment["PYTHONPATH"] = f"{tmp_path}:{environment['PYTHONPATH']}"
    command = confinement.command(Policy(), "engine.confinement.probe")
    found = json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert found["attempts"]["AF_INET"] and not found["held"]["network"]
    assert not found["held"]["files"] and not found["held"]["programs"] and found["held"]["landlock"] == 0


def test_a_kernel_without_landlock_or_an_unknown_processor_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux, "landlock_abi", lambda: 0)
    assert linux.restrict_files(["/"], []) == 0
    monkeypatch.setattr(linux.platform, "machine", lambda: "riscv64")
    assert not linux.refuse_calls(strict=True)
    assert not confinement.in_force().network, "this process was not confined"


def test_a_refusal_is_told_from_another_failure() -> None:
    linux._libc.open(b"/nonexistent", 0)
    assert errno.errorcode[linux.ctypes.get_errno()] == "ENOENT" and not linux._refused(-1)
    assert resource.getrlimit(resource.RLIMIT_CORE)[1] != 1, "this process was not limited"
