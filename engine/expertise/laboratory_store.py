"""The stored runs of similarity algorithms: algorithm, data and scores."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from engine.expertise.algorithms.registry import changed_options, label
from engine.expertise.evaluation import Predictions
from engine.expertise.records import Representation
from engine.project import Store, new_id, now, records

PUBLISHED = "import:published"
"""The origin of scores that came with the data: they can be compared but not explained, and aren't stored again."""
AT_ONCE = 2000
"""Scores per transaction, to keep transactions short."""


@dataclass(frozen=True, slots=True)
class Run:
    """One algorithm on one data set; ``data_id`` is a study's key or the hash of a folder's content."""

    data_id: str
    data_title: str
    algorithm: str
    origin: str
    representation: Representation
    profile_length: int
    draws: int
    seed: int
    parameters: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    id: str = ""
    created_at: str = ""

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The changed parameters, as (name, value)."""
        if self.origin == PUBLISHED:
            return (("published", ""),)
        return changed_options(self.algorithm, dict(self.parameters))

    @property
    def label(self) -> str:
        return label(self.algorithm, self.options)

    @property
    def kind(self) -> tuple[str, Representation, int, tuple[tuple[str, str], ...]]:
        """Identifies runs that replace each other on the same data."""
        return self.algorithm, self.representation, self.profile_length, self.options


class LaboratoryStore(Store):
    """Reads and writes ``similarity_run`` and ``similarity_result``; these are results, so nothing is undone."""

    def runs(self, data_id: str) -> tuple[Run, ...]:
        """Returns complete runs on a data set: the newest of each kind, oldest first."""
        newest = {run.kind: run for run in self._runs("data_id = ? AND complete = 1", data_id)}
        return tuple(newest.values())

    def _runs(self, where: str, value: str) -> list[Run]:
        sql = f"SELECT * FROM similarity_run WHERE {where} ORDER BY created_at, id"  # noqa: S608 - named here
        return records(Run, self._project.query(sql, (value,)))

    def predictions(self, run_id: str) -> tuple[Predictions, ...]:
        """Returns the scores of a run, one set per draw."""
        found: dict[int, dict[str, dict[str, float]]] = {}
        for row in self._project.query(
            "SELECT draw, participant, paper, score FROM similarity_result WHERE run_id = ? ORDER BY draw", (run_id,)
        ):
            found.setdefault(row["draw"], {}).setdefault(row["participant"], {})[row["paper"]] = row["score"]
        return tuple(found.values())

    def save(self, run: Run, predictions: Sequence[Predictions]) -> Run:
        """Stores a run in short transactions and finally replaces earlier ones of the same kind on the same data. In a
        read-only project nothing is stored, but the run gets a key so that it can be shown."""
        if self._project.read_only:
            return replace(run, id=new_id(), created_at=now())
        values = asdict(run) | {"parameters": dict(run.parameters)}
        with self._project.results("Run a similarity algorithm") as write:
            key = write.insert("similarity_run", {n: v for n, v in values.items() if n not in ("id", "created_at")})
        scores = [
            {"run_id": key, "draw": draw, "participant": person, "paper": paper, "score": score}
            for draw, of_people in enumerate(predictions)
            for person, own in of_people.items()
            for paper, score in own.items()
        ]
        for start in range(0, len(scores), AT_ONCE):
            with self._project.results("Run a similarity algorithm") as write:
                write.insert_all("similarity_result", scores[start : start + AT_ONCE])
        earlier = self._runs("data_id = ?", run.data_id)
        with self._project.results("Run a similarity algorithm") as write:
            for found in earlier:
                if found.kind == run.kind and found.id != key:
                    write.delete("similarity_run", id=found.id)
            write.update("similarity_run", key, {"complete": True})
            write.touched("similarity_run", {key})
        return self._runs("id = ?", key)[0]

    def forget(self, run_ids: Sequence[str]) -> None:
        """Deletes runs with their scores; they can be repeated."""
        with self._project.results("Forget runs of similarity algorithms") as write:
            for key in run_ids:
                write.delete("similarity_run", id=key)
            write.touched("similarity_run", set(run_ids))
