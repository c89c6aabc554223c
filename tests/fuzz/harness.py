"""Runs inputs through targets in a process of its own and judges them.

A finding is: an exception that is not ours, more than ``SECONDS`` for one input, more than ``MEMORY`` of growth, a
process that dies, or rows in a project after an import that failed.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.mutate import mutated
from tests.fuzz.seeds import Files
from tests.fuzz.target import Context, Target
from tests.fuzz.targets import TARGETS

SECONDS = 10.0
MEMORY = 1_000_000_000
ROOT = Path(__file__).resolve().parents[2]
SERVE = """
import faulthandler, signal, sys
faulthandler.register(signal.SIGUSR1, file=int(sys.argv[1]))
from tests.fuzz.harness import serve
serve()
"""
CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Finding:
    """What went wrong, and where in the code; equal ``place`` means the same cause."""

    target: str
    place: str
    words: str
    files: Files = field(compare=False, repr=False)


def unpacked(files: Files, folder: Path) -> Path:
    """Writes an input into an empty folder; the file of its first name."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / next(iter(files))


def tried(target: Target, files: Files, context: Context) -> str:
    """Reads one input in this process: "" where it was read or refused as it should be, else what went wrong."""
    from engine.errors import EnvironmentProblem

    with tempfile.TemporaryDirectory(dir=context.place) as place:
        path = unpacked(files, Path(place))
        try:
            target.read(Path(place), path, context)
        except EnvironmentProblem as problem:
            if not problem.what or not problem.means:
                return f"bare problem\nno consequence: {problem}"
        except MemoryError:
            return "memory\nMemoryError"
        except BaseException as error:
            return _described(error)
    return ""


def _described(error: BaseException) -> str:
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/engine/" in f.filename] or list(frames)
    name = ours[-1].filename.removeprefix(f"{ROOT}/")
    place = f"{type(error).__name__} at {name}:{ours[-1].lineno}"
    return place + "\n" + "".join(traceback.format_exception(error))[-3000:]


# --- the process that reads -------------------------------------------------------------------------------------------


def serve() -> None:
    """Reads inputs from standard input, a line of JSON each with the target's name, and answers each with a line."""
    import resource
    import warnings

    warnings.simplefilter("error")  # a warning of a library would be printed into the person's terminal
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (6_000_000_000, resource.RLIM_INFINITY))
    started: set[str] = set()
    with tempfile.TemporaryDirectory() as place:
        context = Context(Path(place))
        for line in sys.stdin:
            name, packed = json.loads(line)
            files = {key: base64.b64decode(value) for key, value in packed.items()}
            if name not in started:
                started.add(name)
                tried(
                    TARGETS[name], TARGETS[name].make()[0], context
                )  # imports are neither time nor memory of an input
            answers.write("\n")
            answers.flush()
            before = _peak(reset=True)
            words = tried(TARGETS[name], files, context)
            growth = _peak() - before
            if not words and growth > MEMORY:
                words = f"memory\ngrew by {growth / 1e6:.0f} MB"
            answers.write(json.dumps(words) + "\n")
            answers.flush()
        context.close()


def _peak(*, reset: bool = False) -> int:
    """The highest resident memory since the last reset, in bytes (Linux; 0 elsewhere)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))


class Reader:
    """The process, seen from outside: it is replaced when it hangs or dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, target: str, files: Files) -> str:
        """As ``tried``, and "hang" or "died" where the process did not answer."""
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        packed = {key: base64.b64encode(value).decode() for key, value in files.items()}
        try:
            self._process.stdin.write(json.dumps([target, packed]).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            return "died\nbefore it read anything"
        for limit in (60.0, SECONDS):  # the first line says that reading begins
            answer = self._answer(limit)
            if isinstance(answer, str):
                return answer
        found: str = json.loads(answer)
        return found

    def _answer(self, limit: float) -> bytes | str:
        assert self._process is not None and self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], limit)
        if not ready:
            stack = self._stack()
            self.stop()
            return f"hang at {stack}"
        answer = self._process.stdout.readline()
        if not answer:
            code = self._process.wait()
            self.stop()
            return f"died\nexit {code}"
        return answer

    def _start(self) -> None:
        paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
        self._stacks, heard = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(heard)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            stderr=subprocess.DEVNULL,
            pass_fds=(heard,),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            cwd=ROOT,
            start_new_session=True,
        )
        os.close(heard)

    def _stack(self) -> str:
        """Where the process is busy, by its own account."""
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1)
        text = ""
        while select.select([self._stacks], [], [], 0.5)[0] and (part := os.read(self._stacks, 1 << 16)):
            text += part.decode("utf-8", "replace")
        ours = [line.strip() for line in text.splitlines() if "/engine/" in line]
        return (ours[0].replace(str(ROOT) + "/", "") if ours else "?") + "\n" + text[-2000:]

    def stop(self) -> None:
        """Ends the process and what it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            os.close(self._stacks)
            self._process = None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


# --- inputs -----------------------------------------------------------------------------------------------------------


def inputs(target: Target, seed: int, more: Iterable[Files] = ()) -> Iterator[Files]:
    """Valid inputs, then changed ones without end; the same seed gives the same inputs."""
    draw = random.Random(f"{target.name} {seed}")
    valid = [*target.make(), *more]
    yield from valid
    kept = list(valid)
    while True:
        made = mutated(draw.choice(kept), draw)
        if draw.random() < 0.05 and len(kept) < 200:
            kept.append(made)  # changes gather
        yield made


def folder_name(target: str) -> str:
    """The folder of a target's cases."""
    return target.replace(" ", "_").replace("'", "")


def stored(target: str) -> list[tuple[Path, Files]]:
    """The permanent cases of a target: folders below ``cases/<target>/``."""
    folder = CASES / folder_name(target)
    found = []
    for case in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = [path for path in sorted(case.rglob("*")) if path.is_file()]
        found.append((case, {path.relative_to(case).as_posix(): path.read_bytes() for path in files}))
    return found


def run(target: Target, seconds: float, seed: int = 0, more: Iterable[Files] = ()) -> tuple[int, list[Finding]]:
    """How many inputs were read in that time, and a finding for each cause."""
    count, found = 0, {}
    deadline = time.monotonic() + seconds
    with Reader() as reader:
        for files in inputs(target, seed, more):
            if time.monotonic() > deadline:
                break
            words = reader.read(target.name, files)
            count += 1
            if words:
                place, _, rest = words.partition("\n")
                known = found.get(place)
                if known is None or sum(map(len, files.values())) < sum(map(len, known.files.values())):
                    found[place] = Finding(target.name, place, rest, files)
    return count, list(found.values())


def save(finding: Finding, folder: Path) -> Path:
    """Writes a finding's input into a folder, to look at it or to keep it as a case."""
    digest = hashlib.sha256(repr(sorted(finding.files.items())).encode()).hexdigest()[:8]
    place = folder / folder_name(finding.target) / digest
    place.mkdir(parents=True, exist_ok=True)
    unpacked(finding.files, place)
    return place


def main(arguments: list[str]) -> None:
    """``python -m tests.fuzz.harness SECONDS SEED OUT [target ...]``: reports to standard output, findings to OUT."""
    seconds, seed, out = float(arguments[0]), int(arguments[1]), Path(arguments[2])
    names = arguments[3:] or list(TARGETS)
    total = 0
    for name in names:
        count, found = run(TARGETS[name], seconds / len(names), seed)
        total += count
        print(f"{name}: {count} inputs, {len(found)} findings", flush=True)
        for finding in found:
            print(f"   {finding.place}   {save(finding, out)}", flush=True)
            (save(finding, out).parent / f"{save(finding, out).name}.txt").write_text(
                finding.place + "\n" + finding.words
            )
    print(f"{total} inputs")


if __name__ == "__main__":
    main(sys.argv[1:])
