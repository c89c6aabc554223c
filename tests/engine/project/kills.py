"""Kills processes at random moments of every verb of a project and examines what is left.

    python -m tests.engine.project.kills --kills 50 --seed 1

prints one JSON document. Workers and examiners are forked from this process, which has the engine loaded and, at every
fork, neither an open database nor a second thread. A kill comes after a random time, or (``--calls``, where strace can
attach) before a random system call that touches files.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from engine.documents.store import DocumentStore
from engine.papers.store import PaperStore
from engine.project import Project, backups, new_id, now, restore
from engine.project.merge import merge_files, merge_into
from tests.engine.project.survivors import (
    CATEGORIES,
    FIRST,
    MINE,
    SECOND,
    THEIRS,
    Ledger,
    Model,
    content_of,
    examine,
    face_of,
)

ARCHIVE = Path(__file__).resolve().parents[2] / "archive"
PDF = b"%PDF-1.7 of the base"
LIFE = 8
"""Kills that one folder lives through before a fresh one takes its place."""
FILE_CALLS = (
    "openat,pwrite64,ftruncate,fallocate,fsync,fdatasync,?rename,renameat,renameat2,?link,linkat,?unlink,unlinkat,"
    "sendfile,copy_file_range,mkdirat,?mkdir"
)


def place() -> Path:
    """A folder for files that need not survive a power cut: in memory where the system has such a place."""
    memory = Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK)
    return Path(tempfile.mkdtemp(prefix="kills-", dir=memory if usable else None))


class Worker:
    """Does verbs in one folder, and says before each what it will do, after each that it is done."""

    def __init__(self, folder: Path, ledger: Ledger, seed: int, channel: int) -> None:
        self.folder, self.ledger, self.channel = folder, ledger, channel
        self.chance = random.Random(seed)
        self.key = f"typing-{seed}"
        self.count = 0
        self.saying = threading.Lock()
        self.project: Project

    @property
    def model(self) -> Model:
        """What the project holds by now."""
        return self.ledger.model

    def say(self, **event: Any) -> None:
        """Writes one line to the parent; this process's own copy of the ledger learns the same."""
        with self.saying:
            self.ledger.take(event)
            _write_all(self.channel, json.dumps(event).encode() + b"\n")

    @contextmanager
    def verb(self, name: str, after: Model | None = None, **what: Any) -> Iterator[dict[str, Any]]:
        """Announces the verb with the state that it leads to, and acknowledges it with what the body adds."""
        self.count += 1
        number = self.count
        self.say(begin=number, verb=name, after=None if after is None else asdict(after), **what)
        heard: dict[str, Any] = {}
        yield heard
        self.say(done=number, **heard)

    def path(self, kind: str) -> Path:
        return self.folder / f"{kind}-{new_id()}.rejoinder"

    def open(self) -> None:
        with self.verb("open"):
            self.project = Project.open(self.folder / MINE, annotator=FIRST)

    def act(self) -> None:
        title = f"{self.count}-{new_id()}"
        with self.verb("act", self.model.act({f"paper {title}": ""})):
            PaperStore(self.project).add_paper(title)

    def type_text(self) -> None:
        titles = [name.removeprefix("paper ") for name in self.model.content if name.startswith("paper ")]
        if not titles:
            return self.act()
        title = self.chance.choice(titles)
        for _ in range(self.chance.randint(1, 5)):
            key, text = f"{self.key}-{title}", self.model.content[f"paper {title}"] + self.chance.choice("abcde ")
            with (
                self.verb("typing", self.model.act({f"paper {title}": text}, key)),
                self.project.action("Type", coalesce=key) as action,
            ):
                action.execute("UPDATE paper SET abstract = ?, updated_at = ? WHERE title = ?", (text, now(), title))
        return None

    def undo(self) -> None:
        if done := self.model.done():
            with self.verb("undo", self.model.at_step(done[-1] - 1)):
                self.project.undo()
        else:
            self.act()

    def redo(self) -> None:
        undone = [number for number in self.model.reachable() if number not in self.model.done()]
        if undone:
            with self.verb("redo", self.model.at_step(undone[0])):
                self.project.redo()
        else:
            self.undo()

    def go_to(self) -> None:
        ids = [entry.id for entry in reversed(self.project.history(limit=10**6))]
        number = self.chance.choice([-1, *self.model.reachable()])
        with self.verb("go to", self.model.at_step(number)):
            self.project.go_to(0 if number < 0 else ids[number])

    def put_blob(self) -> None:
        import hashlib

        content = self.chance.randbytes(self.chance.choice((10, 5_000, 80_000)))
        with self.verb("keep file", self.model.with_blob(hashlib.sha256(content).hexdigest())):
            self.project.put_blob(content, "application/pdf")

    def back_up(self) -> None:
        with self.verb("backup") as heard:
            heard["backup"] = self.project.back_up().path.name

    def back_up_while_acting(self) -> None:
        failed: list[BaseException] = []

        def run() -> None:
            try:
                with self.verb("backup while acting") as heard:
                    heard["backup"] = self.project.back_up("regular", lambda _share: None).path.name
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        while thread.is_alive():
            self.act()
            thread.join(0.001)
        thread.join()
        if failed:
            raise failed[0]

    def save_copy(self) -> None:
        path = self.path("copy")
        with self.verb("save copy", make={"name": path.name, "kind": "copy", "face": self.model.face()}):
            self.project.save_copy(path)

    def compact(self) -> None:
        with self.verb("compact", self.model.compacted()):
            self.project.compact()

    def reopen(self) -> None:
        with self.verb("close"):
            self.project.close()
        self.open()

    def restore(self) -> None:
        found = backups(self.folder / MINE)
        if not found:
            return self.back_up()
        chosen = self.chance.choice(found).path
        with Project.open(chosen, read_only=True) as backup:
            face = face_of(backup)
        self.project.close()
        with self.verb("restore", Model(**self.ledger.past[face])):
            restore(self.folder / MINE, chosen)
        self.open()
        return None

    def other_acts(self) -> None:
        title = f"theirs-{new_id()}"
        with (
            self.verb("act of another person", theirs=title),
            Project.open(self.folder / THEIRS, annotator=SECOND) as project,
        ):
            PaperStore(project).add_paper(title)

    def merge_files(self) -> None:
        self.other_acts()
        path = self.path("merged")
        content = self.model.merged(self.ledger.theirs).content
        with self.verb("merge files", make={"name": path.name, "kind": "merged", "content": content}):
            merge_files(self.folder / MINE, self.folder / THEIRS, path)

    def merge_into(self) -> None:
        self.other_acts()
        with self.verb("merge into", self.model.merged(self.ledger.theirs)):
            merge_into(self.project, self.folder / THEIRS)

    def create(self) -> None:
        path = self.path("new")
        with self.verb("create", make={"name": path.name, "kind": "new", "content": {}}):
            Project.create(path, annotator=FIRST).close()

    def migrate(self) -> None:
        path = self.path("old")
        with path.open("wb") as file:
            file.write(self.chance.choice(sorted(ARCHIVE.glob("*.rejoinder"))[:-1]).read_bytes())
            file.flush()
            os.fsync(file.fileno())
        folder = os.open(self.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        with closing(sqlite3.connect(path)) as old:
            content = content_of(old.execute)
        with self.verb("migrate", make={"name": path.name, "kind": "migrated", "content": content}):
            Project.open(path, annotator=FIRST).close()

    def run(self, target: str, warm_up: int, gate: int) -> None:
        """Some verbs, then ``target`` once the gate opens, then verbs until the end."""
        if target == "open":
            self._wait(gate)
        self.open()
        for _ in range(warm_up):
            getattr(self, self.chance.choice(LIGHT))()
        if target != "open":
            if target in ("merge_files", "merge_into"):
                self.other_acts()
            self._wait(gate)
            getattr(self, target)()
        self.say(passed=True)
        while True:
            getattr(self, self.chance.choice(VERBS))()

    def _wait(self, gate: int) -> None:
        self.say(ready=True)
        os.read(gate, 1)


LIGHT = ("act", "act", "act", "type_text", "type_text", "undo", "redo", "go_to", "put_blob")
VERBS = (
    "act", "type_text", "undo", "redo", "go_to", "put_blob", "back_up", "back_up_while_acting", "save_copy", "compact",
    "reopen", "restore", "other_acts", "merge_files", "merge_into", "create", "migrate",
)  # fmt: skip
TARGETS = ("open", *VERBS)


def make_base(folder: Path) -> Ledger:
    """The two files that every folder begins with, and what they hold."""
    with Project.create(folder / MINE, annotator=FIRST) as project:
        DocumentStore(project).add_document(PDF, "base.pdf")
        for number in range(3):
            PaperStore(project).add_paper(f"base {number}")
        project.save_copy(folder / THEIRS)
        key = project.query("SELECT sha256 FROM document")[0][0]
        model = Model(blobs=[key], referenced=[key]).act({"document base.pdf": key})
        for number in range(3):
            model = model.act({f"paper base {number}": ""})
        assert model.face() == face_of(project)
        project.back_up()
    with Project.open(folder / THEIRS, annotator=SECOND) as project:
        PaperStore(project).add_paper("theirs")
    return Ledger(model, ["theirs"])


def warm_up(root: Path) -> None:
    """Loads what the first opening of every process would load."""
    old = root / "warm.rejoinder"
    shutil.copyfile(min(ARCHIVE.glob("*.rejoinder")), old)
    Project.open(old).close()
    Project.create(root / "new.rejoinder").close()
    with Project.open(old, read_only=True) as project:
        project.check()
    for path in root.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert threading.active_count() == 1, "a process with threads must not be forked"


def forked(body: Callable[[int], None]) -> tuple[int, int]:
    """Runs ``body(channel)`` in a forked process; returns its id and the end of the channel to read from."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _child(body, writing)
    os.close(writing)
    return child, reading


def _child(body: Callable[[int], None], writing: int) -> NoReturn:
    code = 0
    try:
        # Lets strace attach where only ancestors may (Yama); no effect elsewhere. 0x59616D61 is PR_SET_PTRACER.
        ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)
        body(writing)
    except BaseException:
        os.write(writing, json.dumps({"error": traceback.format_exc(limit=-4)[:1500]}).encode() + b"\n")
        code = 1
    finally:
        os._exit(code)


def in_fork(body: Callable[[], Any]) -> Any:
    """The JSON result of ``body``, run in a process of its own."""
    child, reading = forked(lambda channel: _write_all(channel, json.dumps({"result": body()}).encode()))
    with os.fdopen(reading, "rb") as file:
        answer = json.loads(file.read())
    os.waitpid(child, 0)
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def _write_all(channel: int, line: bytes) -> None:
    while line:
        line = line[os.write(channel, line) :]


class Reader:
    """Lines of a worker, as they come."""

    def __init__(self, channel: int, ledger: Ledger) -> None:
        self.channel, self.ledger = channel, ledger
        self.part, self.ended, self.ready, self.passed = b"", False, False, False

    def read(self, wait: float | None) -> None:
        """Takes what came within ``wait`` seconds (None: until something comes)."""
        if self.ended or not select.select([self.channel], [], [], wait)[0]:
            return
        read = os.read(self.channel, 1 << 20)
        self.ended = not read
        *lines, self.part = (self.part + read).split(b"\n")
        for line in lines:
            event = json.loads(line)
            self.ready = self.ready or "ready" in event
            self.passed = self.passed or "passed" in event
            self.ledger.take(event)


class Killer:
    """Lives of folders, each killed some times."""

    def __init__(self, root: Path, seed: int, calls: float) -> None:
        self.root, self.calls = root, calls
        self.chance = random.Random(seed)
        warm_up(root)
        self.base = root / "base"
        self.base.mkdir()
        self.first = in_fork(lambda: make_base(self.base).saved())
        self.seconds = {target: 0.002 if target in LIGHT else 0.05 for target in TARGETS}
        self.reach = {target: 20 if target in LIGHT else 300 for target in TARGETS}
        self.folder: Path | None = None
        self.ledger = Ledger.of(self.first)
        self.lived = 0
        self.verbs: Counter[str] = Counter()
        self.modes: Counter[str] = Counter()
        self.violations: list[tuple[str, str]] = []
        self.acknowledged = self.lives = 0

    def kill_once(self) -> None:
        """One worker, one kill, one examination."""
        if self.folder is None or self.lived == LIFE:
            self._new_life()
        assert self.folder is not None
        self.lived += 1
        folder, ledger = self.folder, self.ledger
        target = self.chance.choice(TARGETS)
        seed, warm_up = self.chance.randrange(2**32), self.chance.randint(0, 4)
        by_call = self.chance.random() < self.calls
        gate, opens = os.pipe()
        child, reading = forked(lambda channel: Worker(folder, ledger, seed, channel).run(target, warm_up, gate))
        reader = Reader(reading, ledger)
        while not reader.ready and not reader.ended:
            reader.read(None)
        if by_call:
            self._kill_at_call(child, reader, target, opens)
        else:
            self._kill_at_time(child, reader, target, opens)
        while not reader.ended:
            reader.read(None)
        os.waitpid(child, 0)
        for end in (reading, gate, opens):
            os.close(end)
        self.modes["call" if by_call else "time"] += 1
        self.verbs.update({event["verb"] for event in ledger.pending.values()} or {"between verbs"})
        self._examine(folder, ledger)

    def _kill_at_time(self, child: int, reader: Reader, target: str, opens: int) -> None:
        started = time.monotonic()
        os.write(opens, b"x")
        until = started + self.chance.random() * self.seconds[target]
        while not reader.ended and (left := until - time.monotonic()) > 0:
            reader.read(left)
            if reader.passed:
                self.seconds[target] = (self.seconds[target] + time.monotonic() - started) / 2
                break
        os.kill(child, signal.SIGKILL)

    def _kill_at_call(self, child: int, reader: Reader, target: str, opens: int) -> None:
        number = self.chance.randint(1, self.reach[target])
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", str(child), "-o", os.devnull, "-e", f"trace={FILE_CALLS}",
             "-e", f"inject={FILE_CALLS}:signal=KILL:when={number}"],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert tracer.stderr is not None
        attached = tracer.stderr.readline()
        if "attached" not in attached:
            raise RuntimeError(f"strace cannot attach: {attached}")
        os.write(opens, b"x")
        while not reader.ended and not reader.passed:
            reader.read(None)
        if reader.passed:
            self.reach[target] = max(3, (self.reach[target] + number) // 2)
            os.kill(child, signal.SIGKILL)
        tracer.wait()
        tracer.stderr.close()

    def _examine(self, folder: Path, ledger: Ledger) -> None:
        self.acknowledged += ledger.verbs
        verdict = in_fork(lambda: examine(folder, ledger))
        self.violations += [tuple(found) for found in verdict["violations"]]
        if verdict["violations"] or verdict["model"] is None:
            self._end_life()
            return
        ledger.model = Model(**verdict["model"])
        ledger.theirs, ledger.verified = verdict["theirs"], set(verdict["verified"])
        ledger.pending, ledger.made, ledger.verbs = {}, {}, 0

    def _new_life(self) -> None:
        self._end_life()
        self.lives += 1
        self.folder = self.root / f"life-{self.lives}"
        shutil.copytree(self.base, self.folder)
        self.ledger = Ledger.of(self.first)

    def _end_life(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder)
        self.folder, self.lived = None, 0


def run(kills: int, seed: int, calls: float = 0.0) -> dict[str, Any]:
    """The figures of ``kills`` kills; ``calls`` is the share that comes at a system call."""
    root = place()
    started = time.monotonic()
    try:
        killer = Killer(root, seed, calls)
        for _ in range(kills):
            killer.kill_once()
    finally:
        shutil.rmtree(root, ignore_errors=True)
    counts = Counter(category for category, _ in killer.violations)
    return {
        "kills": kills,
        "seconds": time.monotonic() - started,
        "acknowledged": killer.acknowledged,
        "lives": killer.lives,
        "modes": dict(killer.modes),
        "interrupted": dict(killer.verbs.most_common()),
        "violations": {category: counts[category] for category in CATEGORIES},
        "examples": [f"{category}: {sentence}" for category, sentence in killer.violations[:60]],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=float, default=0.0)
    chosen = parser.parse_args()
    json.dump(run(chosen.kills, chosen.seed, chosen.calls), sys.stdout, indent=1)
