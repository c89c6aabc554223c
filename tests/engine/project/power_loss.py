"""Power cuts: replays the system calls of a worker and builds the disk as a cut at any moment may leave it.

A worker of ``kills.py`` runs under strace, which writes down each call that touches files, with its data, and the
acknowledgements. Of what was not synced when the power goes, a random part is there: writes whole, torn at sectors of
512 bytes or missing; creations, renames and removals in one of two ways. *Ordered* is what journalling file systems do
(ext4, XFS, APFS, NTFS): a prefix is there, and syncing any file commits it. *Loose* is what POSIX promises: any of them
may be missing until their folder is synced.

    python -m tests.engine.project.power_loss --cuts 20 --seed 1
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.engine.project.kills import VERBS, Worker, forked, in_fork, make_base, place, warm_up
from tests.engine.project.survivors import CATEGORIES, Ledger, examine

SECTOR = 512
TRACED = (
    "openat,close,dup,write,pwrite64,?pwritev,?writev,ftruncate,?truncate,fallocate,fsync,fdatasync,?sync,?syncfs,"
    "?rename,renameat,renameat2,?link,linkat,?symlink,?unlink,unlinkat,?mkdir,mkdirat,?rmdir,sendfile,copy_file_range,"
    "lseek,mmap"
)


@dataclass(eq=False)
class Inode:
    """A file: what is on the disk for sure, and the changes since: (offset, bytes) or (new length, None)."""

    synced: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def now(self) -> bytearray:
        """The content as programs see it."""
        content = bytearray(self.synced)
        for change in self.pending:
            _apply(content, *change)
        return content

    def sync(self) -> None:
        """What was pending is there for sure."""
        for change in self.pending:
            _apply(self.synced, *change)
        self.pending.clear()

    def after_cut(self, chance: random.Random) -> bytearray:
        """A content that a power cut may leave."""
        content = bytearray(self.synced)
        likely = chance.choice((0.0, 0.5, 0.9, 1.0))
        for start, data in self.pending:
            if data is None:
                if chance.random() < likely:
                    _apply(content, start, None)
                continue
            torn = chance.random() < 0.2
            whole = chance.random() < likely
            for at in range(0, len(data), SECTOR):
                if chance.random() < 0.5 if torn else whole:
                    _apply(content, start + at, data[at : at + SECTOR])
        return content


def _apply(content: bytearray, start: int, data: bytes | None) -> None:
    end = start if data is None else start + len(data)
    if end > len(content):
        content.extend(bytes(end - len(content)))
    if data is None:
        del content[end:]
    else:
        content[start:end] = data


_FOLDER = Inode()
_Names = dict[Path, Inode]


@dataclass
class Disk:
    """The names below one folder. A change of names is a list of (path, inode or None), applied as one."""

    root: Path
    ordered: bool
    names: _Names = field(default_factory=dict)
    synced: _Names = field(default_factory=dict)
    pending: list[list[tuple[Path, Inode | None]]] = field(default_factory=list)

    @classmethod
    def of(cls, base: Path, root: Path, ordered: bool) -> Disk:
        """The disk on which ``root`` is as ``base`` is now, all synced."""
        found = {root / path.relative_to(base): path for path in base.rglob("*")}
        names = {at: _FOLDER if path.is_dir() else Inode(bytearray(path.read_bytes())) for at, path in found.items()}
        return cls(root, ordered, names, dict(names))

    def change(self, *changes: tuple[Path, Inode | None]) -> None:
        """Creates, renames or removes."""
        _rename(self.names, changes)
        self.pending.append(list(changes))

    def sync(self, inode: Inode, path: Path) -> None:
        """fsync of a file or folder."""
        if inode is not _FOLDER:
            inode.sync()
        done = [
            change
            for change in self.pending
            if self.ordered or (inode is _FOLDER and any(name.parent == path for name, _ in change))
        ]
        for change in done:
            _rename(self.synced, change)
            self.pending.remove(change)

    def after_cut(self, chance: random.Random) -> dict[Path, bytes | None]:
        """Files (and folders: None) that a power cut at this moment may leave."""
        names = dict(self.synced)
        likely = chance.choice((0.0, 0.5, 1.0))
        if self.ordered:
            kept = self.pending[: round(likely * len(self.pending))]
        else:
            kept = [change for change in self.pending if chance.random() < likely]
        for change in kept:
            _rename(names, change)
        contents: dict[int, bytes] = {}
        left: dict[Path, bytes | None] = {}
        for path, inode in sorted(names.items(), key=lambda item: len(item[0].parts)):
            if path.parent != self.root and path.parent not in left:
                continue  # its folder was not made
            if inode is _FOLDER:
                left[path] = None
            elif not path.name.endswith("-shm"):  # shared memory, made afresh from the log
                left[path] = contents.setdefault(id(inode), bytes(inode.after_cut(chance)))
        return left


def _rename(names: _Names, changes: Any) -> None:
    for path, inode in changes:
        if inode is None:
            names.pop(path, None)
        else:
            names[path] = inode


Call = tuple[str, str, int]


def calls(log: Path) -> list[Call]:
    """(name, arguments, result) of the calls that succeeded, in the order in which they returned."""
    begun: dict[str, str] = {}
    found: list[Call] = []
    with log.open(encoding="ascii") as lines:
        for line in lines:
            process, _, call = line.rstrip("\n").partition(" ")
            call = call.lstrip()
            if call.endswith(" <unfinished ...>"):
                begun[process] = call.removesuffix(" <unfinished ...>")
                continue
            if call.startswith("<... "):
                call = begun.pop(process) + call.partition(" resumed>")[2]
            name, _, rest = call.partition("(")
            arguments, _, result = rest.rpartition(" = ")
            if number := re.match(r" *(\d+)\b", result):
                found.append((name, arguments.rstrip().removesuffix(")"), int(number[1])))
    return found


def _strings(arguments: str) -> list[bytes]:
    # All bytes of a string are written as \\x.., so that no quote is inside one.
    return [bytes.fromhex(text.replace("\\x", "")) for text in arguments.split('"')[1::2]]


class Replay:
    """Applies calls to a disk; lines on the acknowledgement channel come out as they were written."""

    def __init__(self, disk: Disk, channel: int) -> None:
        self.disk, self.channel = disk, channel
        self.open: dict[int, tuple[Inode, Path]] = {}
        self.foreign: dict[int, Path] = {}
        self.offsets: dict[int, int] = {}
        self.said = b""

    def take(self, name: str, arguments: str, result: int) -> list[dict[str, Any]]:
        """One call; returns the events that a write to the channel completed."""
        head = arguments.partition(",")[0].strip()
        number = int(head) if head.isdecimal() else -1
        if name == "write" and number == self.channel:
            *lines, self.said = (self.said + _strings(arguments)[0][:result]).split(b"\n")
            return [json.loads(line) for line in lines]
        handler = getattr(self, f"_{name}", None)
        if handler is not None:
            handler(number, arguments, result)
        elif name not in ("sync", "syncfs"):
            raise NotImplementedError(f"the replay does not know {name}({arguments[:80]})")
        return []

    def _path(self, text: bytes) -> Path:
        return Path(os.path.normpath(self.disk.root / os.fsdecode(text)))

    def _ours(self, path: Path) -> bool:
        return path == self.disk.root or self.disk.root in path.parents

    def _openat(self, _number: int, arguments: str, result: int) -> None:
        self._close(result, "", 0)
        path = self._path(_strings(arguments)[0])
        if not self._ours(path):
            if path.is_file():  # what is copied from there is read when it is copied
                self.foreign[result], self.offsets[result] = path, 0
            return
        if "O_TMPFILE" in arguments:
            self.open[result] = Inode(), path
        elif path == self.disk.root or self.disk.names.get(path) is _FOLDER:
            self.open[result] = _FOLDER, path
        else:
            if path not in self.disk.names:
                self.disk.change((path, Inode()))
            inode = self.disk.names[path]
            if "O_TRUNC" in arguments:
                inode.pending.append((0, None))
            self.open[result] = inode, path
            self.offsets[result] = len(inode.now()) if "O_APPEND" in arguments else 0

    def _close(self, number: int, _arguments: str, _result: int) -> None:
        self.open.pop(number, None)
        self.foreign.pop(number, None)
        self.offsets.pop(number, None)

    def _dup(self, number: int, _arguments: str, result: int) -> None:
        if number in self.open:
            self.open[result], self.offsets[result] = self.open[number], self.offsets.get(number, 0)

    def _lseek(self, number: int, _arguments: str, result: int) -> None:
        if number in self.offsets:
            self.offsets[number] = result

    def _put(self, number: int, start: int, data: bytes) -> None:
        self.open[number][0].pending.append((start, data))

    def _pwrite64(self, number: int, arguments: str, result: int) -> None:
        if number in self.open:
            self._put(number, int(arguments.rsplit(",", 1)[1]), _strings(arguments)[0][:result])

    def _write(self, number: int, arguments: str, result: int) -> None:
        if number in self.open:
            self._put(number, self.offsets[number], _strings(arguments)[0][:result])
            self.offsets[number] += result

    def _sendfile(self, number: int, arguments: str, result: int) -> None:
        source, offset = arguments.split(",")[1:3]
        found = re.match(r" \[(\d+)\]", offset)
        self._copied(number, int(source), None if found is None else int(found[1]), result)

    def _copy_file_range(self, number: int, arguments: str, result: int) -> None:
        parts = [part.strip() for part in arguments.split(",")]
        if parts[3] != "NULL":
            raise NotImplementedError("copy_file_range to an offset")
        found = re.match(r"\[(\d+)\]", parts[1])
        self._copied(int(parts[2]), number, None if found is None else int(found[1]), result)

    def _copied(self, target: int, source: int, start: int | None, length: int) -> None:
        if target not in self.open or not length:
            return
        content = self.open[source][0].now() if source in self.open else self.foreign[source].read_bytes()
        begin = self.offsets[source] if start is None else start
        self._put(target, self.offsets[target], bytes(content[begin : begin + length]))
        self.offsets[target] += length
        if start is None:
            self.offsets[source] += length

    def _ftruncate(self, number: int, arguments: str, _result: int) -> None:
        if number in self.open:
            self.open[number][0].pending.append((int(arguments.rsplit(",", 1)[1]), None))

    def _fallocate(self, number: int, arguments: str, _result: int) -> None:
        _, mode, start, length = (part.strip() for part in arguments.split(","))
        if number in self.open and mode == "0":
            inode = self.open[number][0]
            inode.pending.append((max(len(inode.now()), int(start) + int(length)), None))

    def _fsync(self, number: int, _arguments: str, _result: int) -> None:
        if number in self.open:
            self.disk.sync(*self.open[number])

    _fdatasync = _fsync

    def _rename(self, _number: int, arguments: str, _result: int) -> None:
        if "RENAME_EXCHANGE" in arguments:
            raise NotImplementedError("two names that change places")
        old, new = (self._path(text) for text in _strings(arguments))
        moved = [path for path in self.disk.names if path == old or old in path.parents]
        changes: list[tuple[Path, Inode | None]] = [
            (new / path.relative_to(old), self.disk.names[path]) for path in moved
        ]
        self.disk.change(*changes, *((path, None) for path in moved))

    _renameat = _renameat2 = _rename

    def _link(self, _number: int, arguments: str, _result: int) -> None:
        old, new = _strings(arguments)
        by_number = re.fullmatch(rb"/proc/self/fd/(\d+)", old)
        inode = self.open[int(by_number[1])][0] if by_number else self.disk.names[self._path(old)]
        self.disk.change((self._path(new), inode))

    _linkat = _link

    def _unlink(self, _number: int, arguments: str, _result: int) -> None:
        path = self._path(_strings(arguments)[0])
        if path in self.disk.names:
            self.disk.change((path, None))

    _unlinkat = _rmdir = _unlink

    def _mkdir(self, _number: int, arguments: str, _result: int) -> None:
        path = self._path(_strings(arguments)[0])
        if self._ours(path):
            self.disk.change((path, _FOLDER))

    _mkdirat = _mkdir

    def _mmap(self, _number: int, arguments: str, _result: int) -> None:
        parts = [part.strip() for part in arguments.split(",")]
        if (
            "PROT_WRITE" in parts[2]
            and "MAP_SHARED" in parts[3]
            and parts[4].isdecimal()
            and int(parts[4]) in self.open
        ):
            path = self.open[int(parts[4])][1]
            if not path.name.endswith("-shm"):
                raise NotImplementedError(f"writes to {path.name} through memory")


def record(base: Path, saved: dict[str, Any], folder: Path, seed: int, verbs: int, log: Path) -> int:
    """Runs a worker through ``verbs`` verbs under strace; returns the number of its channel."""
    shutil.copytree(base, folder)
    gate, opens = os.pipe()
    numbers = os.pipe()

    def work(channel: int) -> None:
        os.write(numbers[1], str(channel).encode())
        worker = Worker(folder, Ledger.of(saved), seed, channel)
        os.read(gate, 1)
        worker.open()
        names = list(VERBS)
        worker.chance.shuffle(names)
        for name in (names * 10)[:verbs]:
            getattr(worker, name)()
            worker.act()

    child, reading = forked(work)
    tracer = subprocess.Popen(
        ["strace", "-f", "-p", str(child), "-o", str(log), "-xx", "-s", "100000000", "-e", f"trace={TRACED}"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert tracer.stderr is not None
    attached = tracer.stderr.readline()
    if "attached" not in attached:
        raise RuntimeError(f"strace cannot attach: {attached}")
    os.write(opens, b"x")
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    tracer.wait()
    tracer.stderr.close()
    channel = int(os.read(numbers[0], 10))
    for end in (gate, opens, *numbers):
        os.close(end)
    if b'"error"' in said:
        raise RuntimeError(said[said.index(b'"error"') :].decode())
    return channel


def cut(
    base: Path, saved: dict[str, Any], made: list[Call], channel: int, folder: Path, cuts: int, chance: random.Random
) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Examines ``cuts`` power cuts in one recorded run; yields whether names were ordered, and what was found."""
    for ordered in (True, False):
        moments = sorted(chance.randint(1, len(made)) for _ in range((cuts + ordered) // 2))
        disk = Disk.of(base, folder, ordered)
        replay = Replay(disk, channel)
        ledger = Ledger.of(saved)
        for moment, call in enumerate(made, 1):
            for event in replay.take(*call):
                ledger.take(event)
            while moments and moments[0] == moment:
                moments.pop(0)
                _build(disk.after_cut(chance), folder)
                yield ordered, in_fork(partial(examine, folder, ledger))
        assert not moments


def _build(left: dict[Path, bytes | None], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, content in left.items():
        path.mkdir() if content is None else path.write_bytes(content)


def run(cuts: int, seed: int, verbs: int = 12, cuts_per_run: int = 20) -> dict[str, Any]:
    """The figures of ``cuts`` power cuts, ``cuts_per_run`` of them in each recorded run of ``verbs`` verbs."""
    if shutil.which("strace") is None:
        raise RuntimeError("strace is not installed")
    root, chance, started = place(), random.Random(seed), time.monotonic()
    counts: Counter[str] = Counter()
    examples: list[str] = []
    done = {True: 0, False: 0}
    try:
        warm_up(root)
        (root / "base").mkdir()
        saved = in_fork(lambda: make_base(root / "base").saved())
        while (left := cuts - sum(done.values())) > 0:
            folder, log = root / "folder", root / "calls.log"
            channel = record(root / "base", saved, folder, chance.randrange(2**32), verbs, log)
            made = calls(log)
            for ordered, verdict in cut(root / "base", saved, made, channel, folder, min(left, cuts_per_run), chance):
                done[ordered] += 1
                for category, sentence in verdict["violations"]:
                    counts[category] += 1
                    examples.append(f"{category} ({'ordered' if ordered else 'loose'}): {sentence}")
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return {
        "cuts": sum(done.values()),
        "ordered": done[True],
        "loose": done[False],
        "seconds": time.monotonic() - started,
        "violations": {category: counts[category] for category in CATEGORIES},
        "examples": examples[:60],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    json.dump(run(chosen.cuts, chosen.seed), sys.stdout, indent=1)
