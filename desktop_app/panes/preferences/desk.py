"""The cluster at hand as the pane holds it: read once, then kept true by each judgement. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.project import Project
from engine.rebuttal.preferences.records import (
    Candidate,
    Cluster,
    DescriptionChoice,
    Extract,
    Judgement,
    Sentence,
    Written,
)
from engine.rebuttal.preferences.scheduler import Pair, Queue, Step
from engine.rebuttal.preferences.store import PreferenceStore

SHOWN = 5
"""How many review sentences stand above a pair."""


@dataclass(slots=True)
class Desk:
    """What the acting annotator has of one cluster."""

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    candidates: Mapping[str, Candidate]
    judged: tuple[str, ...]
    """The candidates that are judged: those that were not left out."""
    written: tuple[Written, ...]
    extract: Extract | None
    choices: tuple[DescriptionChoice, ...]
    own: list[Judgement]
    queue: Queue
    step: Step = field(init=False)

    def __post_init__(self) -> None:
        self.advance()

    @property
    def pair(self) -> Pair | None:
        """The pair at hand."""
        return self.step.pair

    @property
    def description(self) -> str:
        """What is shown of the cluster: what was chosen, else what a person wrote, else the central sentence."""
        if self.choices and self.extract is not None and self.choices[-1].choice == "extracted":
            return self.choices[-1].extracted
        if self.written:
            return self.written[-1].text
        return self.extract.text if self.extract is not None else ""

    def advance(self) -> None:
        """Says anew which pair is next."""
        self.step = self.queue.exhaustive(self.own)

    def judged_now(self, judgement: Judgement) -> None:
        """Takes a judgement that was just made."""
        self.own.append(judgement)
        self.advance()


def read_desk(project: Project, store: PreferenceStore, cluster_id: str) -> Desk:
    """Reads all of a cluster. Raises KeyError."""
    cluster = store.cluster(cluster_id)
    candidates = {candidate.id: candidate for candidate in store.candidates(cluster_id)}
    judged = tuple(key for key, candidate in candidates.items() if candidate.decision != "out")
    name = dict(project.annotators()).get(project.annotator_id, "")
    return Desk(
        cluster,
        store.sentences(cluster_id),
        candidates,
        judged,
        store.written(cluster_id),
        store.extract(cluster_id),
        store.choices(cluster_id).get(cluster_id, ()),
        list(store.judgements(cluster_id, annotator_id=project.annotator_id)),
        Queue(cluster_id, judged, cluster.plan, name),
    )
