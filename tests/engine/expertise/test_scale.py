"""A venue in blocks: the same scores on every kind of worker, after kills of either side, and in bounded parts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.expertise.algorithms.paperwise import VectorScorer
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.tpms import Tpms
from engine.expertise.records import PaperText
from engine.expertise.scale import Block, Workers, forget, score_venue
from engine.jobs import QuietReport, Report
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers

PEOPLE, PAPERS, SUBMITTED = 9, 4, 13


def venue() -> tuple[VectorScorer, dict[str, tuple[str, ...]], tuple[str, ...]]:
    chance = np.random.default_rng(0)
    keys = [f"p{at}" for at in range(PEOPLE * PAPERS)] + [f"s{at}" for at in range(SUBMITTED)]
    vectors = chance.normal(size=(len(keys), 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    profiles = {f"r{at}": tuple(keys[at * PAPERS : (at + 1) * PAPERS]) for at in range(PEOPLE)} | {"nobody": ()}
    return VectorScorer(keys, vectors, Pooling("top-3")), profiles, tuple(keys[PEOPLE * PAPERS :])


class Patient(VectorScorer):
    """Scores the first four papers at once, and the others when a file is there."""

    gate: Path

    def score(
        self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report
    ) -> np.ndarray:  # fmt: skip
        pause = threading.Event()
        while submissions[0] not in ("s0", "s1", "s2", "s3") and not self.gate.exists():
            pause.wait(0.01)
        return super().score(profiles, submissions, report=report)


def collect(folder: Path, gate: Path | None = None, **how: object) -> list[tuple[int, int, float]]:
    scorer, profiles, submissions = venue()
    if gate is not None:
        scorer.__class__ = Patient
        scorer.gate = gate  # type: ignore[attr-defined]
    given = {"report": QuietReport(), "provenance": "test", "block": 3, **how}
    blocks = list(score_venue(scorer, profiles, submissions, folder=folder, **given))  # type: ignore[arg-type]
    return [pair for block in blocks for pair in rows(block)]


def rows(block: Block) -> list[tuple[int, int, float]]:
    return list(zip(block.submissions.tolist(), block.reviewers.tolist(), block.scores.tolist(), strict=True))


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    scorer, profiles, submissions = venue()
    return scorer.score(profiles, submissions, report=QuietReport()).T


def test_all_pairs_in_order(tmp_path: Path, truth: np.ndarray) -> None:
    found = collect(tmp_path / "parts")
    assert [(paper, person) for paper, person, _ in found] == [
        (paper, person) for paper in range(SUBMITTED) for person in range(PEOPLE)
    ]
    assert all(value == pytest.approx(truth[paper, person], abs=1e-6) for paper, person, value in found)


def test_the_best_of_each(tmp_path: Path, truth: np.ndarray) -> None:
    found = collect(tmp_path / "parts", top_k=4)
    for paper in range(SUBMITTED):
        mine = [(person, value) for at, person, value in found if at == paper]
        assert [person for person, _ in mine] == np.argsort(-truth[paper, :PEOPLE], kind="stable")[:4].tolist()
        assert [value for _, value in mine] == sorted((value for _, value in mine), reverse=True)
    assert len(collect(tmp_path / "more", top_k=50)) == SUBMITTED * PEOPLE


@pytest.mark.parametrize("workers", ["3", "processes:2"])
def test_workers_give_the_same(tmp_path: Path, workers: str) -> None:
    assert collect(tmp_path / "a", workers=Workers.parse(workers)) == collect(tmp_path / "b")


def test_names_of_workers() -> None:
    assert Workers.parse("1").kind == "here" and Workers.parse("4") == Workers("threads", 4)
    assert Workers.parse("processes:2") == Workers("processes", 2) and Workers.parse("processes").count >= 1
    assert Workers.parse("tcp://10.0.0.1:8786").address == "tcp://10.0.0.1:8786"
    for wrong in ("0", "-1", "many", "processes:0", "udp://x"):
        with pytest.raises(BadInput, match="isn't a valid choice of workers"):
            Workers.parse(wrong)


class EndsAfter(QuietReport):
    def __init__(self, blocks: int) -> None:
        self.left = blocks

    def progress(self, fraction: float, words: str = "") -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def test_what_was_scored_before_a_cancel_is_kept_and_not_scored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "parts"
    with pytest.raises(Cancelled):
        collect(folder, report=EndsAfter(3))
    kept = sorted(file.name for file in folder.glob("block-*"))
    assert 1 <= len(kept) < 5
    asked: list[int] = []
    real = VectorScorer.score

    def counted(
        self: VectorScorer, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report
    ) -> np.ndarray:
        asked.append(len(submissions))
        return real(self, profiles, submissions, report=report)

    monkeypatch.setattr(VectorScorer, "score", counted)
    resumed = collect(folder, resume=True)
    assert len(asked) == 5 - len(kept)
    assert resumed == collect(tmp_path / "fresh")


KILLED = """
import os, signal, sys
from pathlib import Path
from engine.jobs import QuietReport
from tests.engine.expertise.test_scale import collect

class Kill(QuietReport):
    seen = 0
    def progress(self, fraction, words=""):
        Kill.seen += 1
        if Kill.seen == 4:
            os.kill(os.getpid(), signal.SIGKILL)

collect(Path(sys.argv[1]), report=Kill())
"""


def test_a_killed_process_is_taken_up_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    kept = {file.name: file.stat().st_mtime_ns for file in folder.glob("block-*")}
    assert len(kept) == 3
    (folder / ".block-half").write_bytes(b"cut off")
    assert collect(folder, resume=True) == collect(tmp_path / "fresh")
    assert all((folder / name).stat().st_mtime_ns == when for name, when in kept.items())


def test_without_resume_it_begins_anew_and_another_run_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    with pytest.raises(Cancelled):
        collect(folder, report=EndsAfter(3))
    for other in ({"provenance": "other"}, {"top_k": 2}, {"block": 4}):
        with pytest.raises(BadInput, match="parts of another run"):
            collect(folder, resume=True, **other)
    assert collect(folder, provenance="other") == collect(tmp_path / "fresh", provenance="other")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match=r"thesis.txt"):
        collect(tmp_path)
    forget(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_forgetting_removes_the_folder(tmp_path: Path) -> None:
    collect(tmp_path / "parts")
    forget(tmp_path / "parts")
    assert not (tmp_path / "parts").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match="couldn't be written"):
        collect(tmp_path / "file" / "parts")
    with pytest.raises(BadInput, match="at least 1"):
        collect(tmp_path / "parts", top_k=0)


def test_word_statistics_are_those_of_the_venue_not_of_the_block(tmp_path: Path) -> None:
    scorer = Tpms().read(invented_papers(), "title+abstract", report=QuietReport())
    whole = scorer.score(PROFILES, SUBMISSIONS, report=QuietReport())
    blocks = score_venue(
        scorer, PROFILES, SUBMISSIONS, folder=tmp_path / "p", provenance="", block=1, report=QuietReport()
    )
    found = [pair for block in blocks for pair in rows(block)]
    assert [value for *_, value in found] == pytest.approx(whole.T.ravel().tolist(), abs=1e-6)


def test_a_venue_without_a_word_has_no_word_scores(tmp_path: Path) -> None:
    papers = {"a": PaperText("a", "12 34"), "b": PaperText("b", "??")}
    scorer = Tpms().read(papers, "title", report=QuietReport())
    blocks = score_venue(scorer, {"x": ["a"]}, ["b"], folder=tmp_path / "p", provenance="", report=QuietReport())
    assert [pair for block in blocks for pair in rows(block)] == []


# --- a cluster ----------------------------------------------------------------------------------------------------


@pytest.mark.loopback
def test_a_cluster_of_two_workers_one_killed_midway_gives_the_same(tmp_path: Path) -> None:
    """In a process of its own: the cluster's threads and warnings are the library's."""
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "parts")],
        check=False, capture_output=True, text=True, timeout=240, cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    expected = collect(tmp_path / "fresh", block=1)
    assert done.stdout.strip().splitlines()[-1] == repr((True, [list(pair) for pair in expected]))


CLUSTER = """
import os, signal, sys
from pathlib import Path

if __name__ == "__main__":
    gate = Path(sys.argv[1]).with_name("gate")
    from distributed import LocalCluster
    from engine.expertise.scale import Workers
    from engine.jobs import QuietReport
    from tests.engine.expertise.test_scale import collect

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]

        class Kill(QuietReport):
            killed = False
            seen = 0
            def progress(self, fraction, words=""):
                Kill.seen += 1
                if Kill.seen == 4:
                    # Both workers now wait for the gate with a block in hand; one of them never comes to it.
                    os.kill(pids[0], signal.SIGKILL)
                    Kill.killed = True
                    gate.touch()

        workers = Workers.parse(cluster.scheduler_address)
        found = collect(Path(sys.argv[1]), gate, workers=workers, report=Kill(), block=1)
        print(repr((Kill.killed, [list(pair) for pair in found])), flush=True)
"""


@pytest.mark.loopback
def test_a_cluster_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def nobody(*_: object, **__: object) -> None:
        raise OSError("Timed out")

    monkeypatch.setattr(distributed, "Client", nobody)
    with pytest.raises(EnvironmentProblem, match="No Dask scheduler is responding at"):
        collect(tmp_path / "parts", workers=Workers.parse("tcp://127.0.0.1:1"))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EnvironmentProblem, match="isn't installed"):
        collect(tmp_path / "parts", workers=Workers.parse("tcp://127.0.0.1:1"))
