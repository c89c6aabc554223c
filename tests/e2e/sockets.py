"""What a whole tree of processes did with sockets, by its system calls (strace), and what of that is a breach."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CALLS = "socket,connect,sendto,sendmsg,sendmmsg,bind"
_LINE = re.compile(r"^(?P<pid>\d+) +(?P<call>\w+)\((?P<rest>.*)$")
_IP = re.compile(r"sa_family=AF_INET6?,.*?sin6?_port=htons\((?P<port>\d+)\).*?\"(?P<host>[0-9a-f.:]+)\"")
_PATH = re.compile(r'sun_path=@?"(?P<path>[^"]*)"')
RESOLVERS = ("nscd", "systemd/resolve", "systemd-resolve", "avahi", "unbound", "dnsmasq", "sssd", "lookupd")
"""Parts of the addresses at which a process of this machine answers name look-ups. Those of users go the same way, so
that a traced process is given USER and asks for none."""
_NAME_PORTS = {53, 137, 853, 5353, 5355}


@dataclass(slots=True)
class Trace:
    """``programs``: the words of each program that was started. ``ip``, ``lookups`` and ``other``: lines of the trace
    that show sockets of the Internet, look-ups of names, and sockets of any other kind that is not harmless.
    """

    programs: list[str] = field(default_factory=list)
    processes: set[str] = field(default_factory=set)
    ip: list[str] = field(default_factory=list)
    lookups: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    @property
    def breaches(self) -> list[str]:
        """All lines that must not be there."""
        return self.ip + self.lookups + self.other

    def ran(self, words: str) -> bool:
        """Whether a program of the tree was started with these words."""
        return any(words in program for program in self.programs)


def read_trace(text: str, allowed: Sequence[tuple[str, int]] = ()) -> Trace:
    """Sorts the lines of a trace. ``allowed``: addresses (host, port) that the test itself has set up.

    Harmless are sockets to processes of this machine (AF_UNIX) that answer no names, and the kernel's news of devices
    that were plugged in. With an allowed address, sockets of the Internet may be made and lead there; and the kernel
    may be asked for this machine's own addresses, which the C library does before it connects.
    """
    found = Trace()
    for line in text.splitlines():
        parts = _LINE.match(line)
        if parts is None:
            continue
        found.processes.add(parts["pid"])
        call, rest = parts["call"], parts["rest"]
        if call == "execve":
            if "= -1" not in rest:
                found.programs.append(" ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', rest)[1:]))
        elif call == "socket":
            family = rest.partition(",")[0]
            if family in ("AF_INET", "AF_INET6"):
                if not allowed:
                    found.ip.append(line)
            elif family == "AF_NETLINK":
                if "NETLINK_KOBJECT_UEVENT" not in rest and not (allowed and "NETLINK_ROUTE" in rest):
                    found.other.append(line)
            elif family != "AF_UNIX":
                found.other.append(line)
        elif (path := _PATH.search(rest)) and any(name in path["path"] for name in RESOLVERS):
            found.lookups.append(line)
        elif "sa_family=AF_INET" in rest:
            address = _IP.search(rest)
            host, port = (address["host"], int(address["port"])) if address else ("", -1)
            if port in _NAME_PORTS:
                found.lookups.append(line)
            elif (host, port) not in allowed:
                found.ip.append(line)
    return found


def traced(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    allowed: Sequence[tuple[str, int]] = (),
    *,
    start: Path = ROOT,
) -> tuple[subprocess.CompletedProcess[str], Trace]:
    """Runs a command in ``start`` under strace, with all that it starts; the log goes into ``folder``.

    The test is skipped where that cannot be, and fails in CI.
    """
    log = folder / "strace.log"
    hindered = hindrance()
    if hindered:
        if os.environ.get("CI"):
            pytest.fail(f"network use cannot be watched: {hindered}")
        pytest.skip(f"network use cannot be watched: {hindered}")
    strace = ["strace", "-f", "-qq", "-s", "400", "--seccomp-bpf", "-e", f"trace={CALLS},execve", "-o", str(log)]
    names = {"USER": "ada", "LOGNAME": "ada", "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])}
    done = subprocess.run(
        [*strace, *command], cwd=start, env={**os.environ, **names, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done, read_trace(log.read_text(encoding="utf-8", errors="replace"), allowed)


def hindrance() -> str:
    """Why strace cannot be used here, or ""."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return "strace is not installed (scripts/environment.sh --tests installs it)"
    tried = subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"strace may not watch processes here ({tried.stderr.strip()[:200]})"
