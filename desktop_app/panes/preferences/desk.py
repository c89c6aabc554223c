"""The cluster at hand as the pane holds it: read once, then kept true by each judgement. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.project import Project
from engine.rebuttal.preferences.adaptive import Goal
from engine.rebuttal.preferences.annotators import consistency
from engine.rebuttal.preferences.candidates import Head, Scored, scored
from engine.rebuttal.preferences.records import Cluster, DescriptionChoice, Extract, Judgement, Kind, Sentence, Written
from engine.rebuttal.preferences.scheduler import Pair, Queue, Step
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.preferences.tasks import suitability_head

SHOWN = 5
"""How many review sentences stand above a pair."""


@dataclass(slots=True)
class Desk:
    """What the acting annotator has of one cluster."""

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    candidates: Mapping[str, Scored]
    head: Head
    written: tuple[Written, ...]
    extract: Extract | None
    choices: tuple[DescriptionChoice, ...]
    own: list[Judgement]
    queue: Queue
    goal: Goal
    annotator_id: str
    step: Step = field(init=False)

    def __post_init__(self) -> None:
        self.advance()

    @property
    def judged(self) -> tuple[str, ...]:
        """The candidates that are judged."""
        return tuple(key for key, entry in self.candidates.items() if entry.judged)

    @property
    def pair(self) -> Pair | None:
        """The pair at hand."""
        return self.step.pair

    @property
    def descriptions(self) -> tuple[tuple[Kind, str], tuple[Kind, str]] | None:
        """Two descriptions to choose between blind, the left one first; None where there is nothing to choose."""
        if not self.written or self.extract is None:
            return None
        written, extracted = self.written[-1].text, self.extract.text
        chosen = next((choice for choice in self.choices if choice.annotator_id == self.annotator_id), None)
        if written == extracted or (chosen and (chosen.written, chosen.extracted) == (written, extracted)):
            return None
        both: tuple[tuple[Kind, str], tuple[Kind, str]] = (("written", written), ("extracted", extracted))
        return both if self.queue.written_left() else (both[1], both[0])

    @property
    def wrote_description(self) -> bool:
        """Whether the written description is the acting annotator's own, so that the choice is hardly blind."""
        return bool(self.written) and self.written[-1].annotator_id == self.annotator_id

    @property
    def description(self) -> str:
        """What is shown of the cluster: what most chose, else what a person wrote, else the central sentence; nothing
        while the choice is open, which must be blind."""
        if self.descriptions is not None:
            return ""
        counts = [choice.choice for choice in self.choices]
        if self.extract is not None and counts.count("extracted") > counts.count("written"):
            return self.extract.text
        if self.written:
            return self.written[-1].text
        return self.extract.text if self.extract is not None else ""

    @property
    def text_left(self) -> str:
        return self.candidates[self.pair.left_id].candidate.text if self.pair else ""

    @property
    def text_right(self) -> str:
        return self.candidates[self.pair.right_id].candidate.text if self.pair else ""

    def advance(self) -> None:
        """Says anew which pair is next."""
        self.step = self.queue.next_step(self.own, self.goal)

    def judged_now(self, judgement: Judgement) -> None:
        """Takes a judgement that was just made."""
        self.own.append(judgement)
        self.advance()

    def told(self) -> str:
        """The acting annotator's own work in one line: time, skipped pairs, self-consistency."""
        times = sorted(j.milliseconds for j in self.own if j.milliseconds is not None and j.answer != "skip")
        parts = [f"median {times[len(times) // 2] / 1000:.1f} s a pair"] if times else []
        skipped = sum(j.answer == "skip" for j in self.own)
        if skipped:
            parts.append(f"{skipped} skipped")
        same, looked = consistency(self.own)
        if looked:
            parts.append(f"{same} of {looked} repeated pairs judged alike")
        if self.step.confidence is not None and self.own:
            parts.append(f"the likeliest winner is that of all pairs with {100 * self.step.confidence:.0f} %")
        return " · ".join(parts)


def read_desk(project: Project, store: PreferenceStore, cluster_id: str, goal: Goal = "pagerank") -> Desk:
    """Reads all of a cluster. Raises KeyError."""
    cluster, head = store.cluster(cluster_id), suitability_head(store)
    entries = scored(cluster, store.candidates(cluster_id), head)
    name = dict(project.annotators()).get(project.annotator_id, "")
    return Desk(
        cluster,
        store.sentences(cluster_id),
        {entry.candidate.id: entry for entry in entries},
        head,
        store.written(cluster_id),
        store.extract(cluster_id),
        store.choices(cluster_id).get(cluster_id, ()),
        list(store.judgements(cluster_id, annotator_id=project.annotator_id)),
        Queue(cluster_id, [entry.candidate.id for entry in entries if entry.judged], cluster.plan, name),
        goal,
        project.annotator_id,
    )
