"""Scores a whole venue in blocks of submissions, on threads, processes or a Dask cluster; can be resumed after a kill.

Each block's scores are written to a folder immediately; the folder's manifest identifies what they are scores of. Only
the scorer and a few blocks are in memory, regardless of the venue's size.
"""

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EnvironmentProblem, not_computed
from engine.expertise.algorithms.base import Scorer
from engine.expertise.algorithms.tpms import TpmsScorer
from engine.files import EXPORTED_FILE, whole_file
from engine.installing import command_for
from engine.jobs import QuietReport, Report
from engine.models.devices import processors
from engine.shown import counted

SUBMISSIONS_AT_ONCE = 512
"""A block: 10,000 reviewers x 512 submissions are 40 MB in double precision."""
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Workers:
    """Where blocks are scored: "here", on "threads" or "processes", or on the "dask" cluster at ``address``."""

    kind: str = "here"
    count: int = 1
    address: str = ""

    @classmethod
    def parse(cls, text: str) -> "Workers":
        """Parses "1" (here), "4" (threads), "processes", "processes:4" or "tcp://host:8786". Raises BadInput."""
        if text.startswith(("tcp://", "tls://")):
            return cls("dask", 0, text)
        name, _, figure = text.rpartition(":") if ":" in text else (text, "", "")
        if text.isdigit() and int(text) > 0:
            return cls("threads" if int(text) > 1 else "here", int(text))
        if text in ("threads", "processes"):
            return cls(text, processors())
        if name in ("threads", "processes") and figure.isdigit() and int(figure) > 0:
            return cls(name, int(figure))
        raise not_computed(
            f"“{text}” isn't a valid choice of workers.",
            "Give a number of threads, “processes”, or the address of a Dask scheduler (tcp://host:8786).",
        )


@dataclass(frozen=True, slots=True)
class Block:
    """Scores of some submissions: indexes of submissions and reviewers, (pairs), ascending by submission; with a limit,
    descending by score within each submission."""

    submissions: NDArray[np.int32]
    reviewers: NDArray[np.int32]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Venue:
    """What every block needs; sent to each worker once."""

    scorer: Scorer
    profiles: Mapping[str, Sequence[str]]
    submissions: tuple[str, ...]
    block: int
    top_k: int | None


def score_venue(
    scorer: Scorer,
    profiles: Mapping[str, Sequence[str]],
    submissions: Sequence[str],
    *,
    folder: Path,
    provenance: str,
    top_k: int | None = None,
    workers: Workers | None = None,
    resume: bool = False,
    block: int = SUBMISSIONS_AT_ONCE,
    report: Report,
) -> Iterator[Block]:
    """Yields all scores, or those of the ``top_k`` best reviewers of each submission, in blocks in the order of the
    submissions; reviewers without a profile have no pairs.

    Blocks are kept in ``folder`` until the caller removes them (``forget``); ``resume`` reuses those of an earlier run
    with the same ``provenance`` (algorithm, parameters, texts). Raises BadInput if the folder contains something else,
    EnvironmentProblem if it can't be written or the cluster doesn't respond, and Cancelled.
    """
    if top_k is not None and top_k < 1:
        raise not_computed("The number of reviewers per submission must be at least 1.")
    if isinstance(scorer, TpmsScorer):
        scorer = scorer.for_venue(profiles, submissions)
    venue = _Venue(scorer, profiles, tuple(submissions), block, top_k)
    whole = -(-len(venue.submissions) // block)
    missing = _prepare(folder, _manifest(venue, provenance), whole, resume)
    done = whole - len(missing)
    report.progress(
        done / max(whole, 1),
        f"Scoring {counted(len(submissions), 'submission')} for {counted(len(profiles), 'reviewer')}",
    )
    for number, scored in _run(venue, missing, workers or Workers()):
        _write(folder, number, scored)
        done += 1
        report.progress(done / whole)
    for number in range(whole):
        report.check()
        yield _read(folder, number)


def forget(folder: Path) -> None:
    for file in [*folder.glob("block-*.npz"), *folder.glob(".block-*"), folder / MANIFEST]:
        file.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def score_block(venue: Any, number: int) -> tuple[int, Block]:
    """Scores one block; runs on a worker."""
    start = number * venue.block
    keys = venue.submissions[start : start + venue.block]
    scores = venue.scorer.score(venue.profiles, keys, report=QuietReport()).T.astype(np.float32)
    if venue.top_k is None:
        columns, reviewers = np.nonzero(~np.isnan(scores))
    else:
        best = [_best(row, venue.top_k) for row in scores]
        reviewers = np.concatenate(best) if best else np.zeros(0, dtype=np.intp)
        columns = np.repeat(np.arange(len(best)), [len(chosen) for chosen in best])
    found = scores[columns, reviewers]
    return number, Block((columns + start).astype(np.int32), reviewers.astype(np.int32), found)


def _best(scores: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """Returns the indexes of the highest scores, descending; ties in the order of reviewers."""
    there = np.flatnonzero(~np.isnan(scores))
    if len(there) > count:
        least = np.partition(scores[there], len(there) - count)[len(there) - count]
        there = there[scores[there] >= least]
    chosen: NDArray[np.intp] = there[np.argsort(-scores[there], kind="stable")][:count]
    return chosen


def _run(venue: _Venue, numbers: Sequence[int], workers: Workers) -> Iterator[tuple[int, Block]]:
    if not numbers:
        return
    if workers.kind == "here":
        for number in numbers:
            yield score_block(venue, number)
        return
    from joblib import Parallel, delayed, parallel_config
    from threadpoolctl import threadpool_limits

    with ExitStack() as open_:
        if workers.kind == "dask":
            open_.enter_context(_cluster(workers.address))
            open_.enter_context(parallel_config("dask", scatter=[venue]))
            pool = Parallel(return_as="generator_unordered", pre_dispatch="all")
        else:
            if workers.kind == "threads":
                open_.enter_context(threadpool_limits(1))  # the threads are used for the blocks
            kind = {"threads": "threading", "processes": "loky"}[workers.kind]
            open_.enter_context(parallel_config(kind))
            pool = Parallel(n_jobs=workers.count, return_as="generator_unordered")
        yield from pool(delayed(score_block)(venue, number) for number in numbers)


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError as error:
        raise EnvironmentProblem(
            "The library for Dask clusters isn't installed.", "Nothing was computed.",
            f"Run: {command_for('distributed')}",
        ) from error  # fmt: skip
    try:
        client = Client(address, timeout=10, set_as_default=True)
    except (OSError, ValueError, TimeoutError) as error:
        raise EnvironmentProblem(
            f"No Dask scheduler is responding at {address}.", "Nothing was computed.",
            "Start one with “dask scheduler”, and workers with “dask worker ADDRESS”.",
        ) from error  # fmt: skip
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise EnvironmentProblem(
                f"The Dask cluster at {address} has no workers.", "Nothing was computed.",
                f"Start some with “dask worker {address}”, in an environment in which Rejoinder is installed.",
            )  # fmt: skip
        yield


def _manifest(venue: _Venue, provenance: str) -> str:
    whole = hashlib.sha256(provenance.encode("utf-8", "surrogatepass"))
    for name, papers in venue.profiles.items():
        whole.update(json.dumps([name, *papers]).encode())
    whole.update(json.dumps([*venue.submissions, "|", venue.block, venue.top_k]).encode())
    return whole.hexdigest()


def _prepare(folder: Path, of: str, whole: int, resume: bool) -> list[int]:
    """Returns the numbers of the blocks still to be scored."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = [
            file.name
            for file in folder.iterdir()
            if file.name != MANIFEST and not file.name.startswith((".block-", "block-"))
        ]
        if strangers:
            raise not_computed(
                f"{folder} contains {strangers[0]}, which isn't part of a scoring run.",
                "Choose another name for the output.",
            )
        known = _known(folder)
        if resume and known not in ("", of):
            raise not_computed(
                f"{folder} contains parts of another run with different papers, profiles, algorithm or options.",
                "Use the same options as that run, or leave out --resume to start again.",
            )
        if not resume or not known:
            forget(folder)
            folder.mkdir(exist_ok=True)
            _replace(folder / MANIFEST, json.dumps({"of": of, "blocks": whole}).encode())
        return [number for number in range(whole) if not _place(folder, number).is_file()]
    except OSError as error:
        raise _unwritable(folder, error) from error


def _known(folder: Path) -> str:
    try:
        return str(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["of"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return ""


def _place(folder: Path, number: int) -> Path:
    return folder / f"block-{number:06d}.npz"


def _write(folder: Path, number: int, block: Block) -> None:
    written = io.BytesIO()
    np.savez(written, submissions=block.submissions, reviewers=block.reviewers, scores=block.scores)
    try:
        _replace(_place(folder, number), written.getvalue())
    except OSError as error:
        raise _unwritable(folder, error) from error


def _replace(path: Path, content: bytes) -> None:
    with whole_file(path, replace=True, mode=EXPORTED_FILE) as unfinished:
        unfinished.write_bytes(content)


def _read(folder: Path, number: int) -> Block:
    with np.load(_place(folder, number)) as parts:
        return Block(parts["submissions"], parts["reviewers"], parts["scores"])


def _unwritable(folder: Path, error: OSError) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"{folder} couldn't be written: {error.strerror}.", "The scores so far are kept.",
        "Free some space or give yourself write permission there, then run the command again with --resume.",
    )  # fmt: skip
