"""State of the preferences pane: the clusters of a project and the current one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median

from desktop_app import present
from desktop_app.panes.preferences.choices import JUDGING
from engine.agreement.store import AgreementStore
from engine.exchange.preference_study import TASK, Study, read_study
from engine.jobs import DuplicatePolicy, Report, task
from engine.packages.store import WorkStore
from engine.project import Project
from engine.rebuttal.preferences.annotators import consistency
from engine.rebuttal.preferences.candidates import Scored, cluster_title, scored
from engine.rebuttal.preferences.ranking import Method
from engine.rebuttal.preferences.records import (
    Answer,
    Choice,
    Cluster,
    DescriptionChoice,
    Extract,
    Judgement,
    Kind,
    NewCluster,
    Sentence,
    Written,
)
from engine.rebuttal.preferences.scheduler import Goal, Pair, Queue, Step
from engine.rebuttal.preferences.store import PreferenceStore
from engine.shown import estimated

SHOWN = 5
"""Number of review sentences shown above a pair."""


@dataclass(slots=True)
class OpenCluster:
    """A cluster as the acting annotator sees it: read once, then updated after each judgement."""

    cluster: Cluster
    sentences: tuple[Sentence, ...]
    candidates: Mapping[str, Scored]
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
        return tuple(key for key, entry in self.candidates.items() if entry.judged)

    @property
    def pair(self) -> Pair | None:
        return self.step.pair

    @property
    def descriptions(self) -> tuple[tuple[Kind, str], tuple[Kind, str]] | None:
        """Two descriptions for a blind choice, the left one first; None if there is nothing to choose."""
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
        """Whether the acting annotator wrote the description, so that the choice isn't really blind."""
        return bool(self.written) and self.written[-1].annotator_id == self.annotator_id

    @property
    def description(self) -> str:
        """The cluster's description: the one most chosen, else the written one, else the central sentence. Empty while
        the choice is open, which must be blind."""
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
        self.step = self.queue.next_step(self.own, self.goal)

    def judged_now(self, judgement: Judgement) -> None:
        self.own.append(judgement)
        self.advance()

    def summary(self) -> str:
        times = [j.milliseconds for j in self.own if j.milliseconds is not None and j.answer != "skip"]
        parts = [f"median {median(times) / 1000:.1f} s per pair"] if times else []
        skipped = sum(j.answer == "skip" for j in self.own)
        if skipped:
            parts.append(f"{skipped} skipped")
        same, looked = consistency(self.own)
        if looked:
            parts.append(f"{same} of {looked} repeated pairs judged the same")
        if self.step.confidence is not None and self.own:
            chance = estimated(self.step.confidence)
            parts.append(f"chance that the current favourite wins or ties for first with all pairs judged: {chance}")
        return " · ".join(parts)


def read_cluster(project: Project, store: PreferenceStore, cluster_id: str, goal: Goal = "pagerank") -> OpenCluster:
    """Reads a whole cluster. Raises KeyError if it doesn't exist."""
    cluster = store.cluster(cluster_id)
    entries = scored(cluster, store.candidates(cluster_id))
    name = dict(project.annotators()).get(project.annotator_id, "")
    judged = [entry.candidate.id for entry in entries if entry.judged]
    items, inside = WorkStore(project).own_items("pairs"), {entry.candidate.id for entry in entries}
    parts = [(one, two) for one, _, two in (item.partition(":") for item in items or ()) if one in inside]
    return OpenCluster(
        cluster, store.sentences(cluster_id), {entry.candidate.id: entry for entry in entries},
        store.written(cluster_id), store.extract(cluster_id), store.choices(cluster_id).get(cluster_id, ()),
        list(store.judgements(cluster_id, annotator_id=project.annotator_id)),
        Queue(cluster_id, judged, cluster.plan, name, None if items is None else parts), goal, project.annotator_id,
    )  # fmt: skip


class PreferencesState:
    """Reads clusters and writes judgements.

    Attributes:
        view: the current view (``JUDGING`` to ``ANNOTATORS``).
        opened: the current cluster; None if there is none.
        study: its ranking and agreement, once calculated.
    """

    def __init__(self, method: Method) -> None:
        self.method: Method = method
        self.view = JUDGING
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.store = PreferenceStore(project) if project is not None else None
        self.clusters: tuple[Cluster, ...] = ()
        self.opened: OpenCluster | None = None
        self.study: Study | None = None
        self.key = ""

    def read(self) -> None:
        self.clusters = present(self.store).clusters()
        keys = [cluster.id for cluster in self.clusters]
        if self.key not in keys:
            self.key = keys[0] if keys else ""
        self.read_opened()

    def read_opened(self) -> None:
        self.opened = self._read(self.key) if self.key else None

    def _read(self, key: str) -> OpenCluster:
        assert self.project is not None
        return read_cluster(self.project, self.verbs, key, "pagerank" if self.method == "pagerank" else "points")

    @property
    def verbs(self) -> PreferenceStore:
        return present(self.store)

    @property
    def subject(self) -> tuple[str, str]:
        return (self.opened.cluster.id, cluster_title(self.opened.cluster)) if self.opened is not None else ("", "")

    @property
    def done(self) -> Collection[str]:
        return AgreementStore(present(self.project)).own_done(TASK)

    @property
    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    @property
    def can_change(self) -> bool:
        return self.can_write and self.opened is not None

    def can_on(self, view: int) -> bool:
        """Whether changes can be made and this is the current view."""
        return self.can_change and self.view == view

    @property
    def can_judge_pair(self) -> bool:
        opened = self.opened
        return self.can_on(JUDGING) and opened is not None and opened.pair is not None and opened.descriptions is None

    @property
    def can_judge(self) -> bool:
        opened = self.opened
        return self.can_judge_pair or (self.can_on(JUDGING) and opened is not None and opened.descriptions is not None)

    @property
    def most_competent(self) -> str:
        """The name of the annotator with the highest competence; "" if it isn't known."""
        study = self.study
        if study is None or not study.agreement.most_competent:
            return ""
        return study.names[study.agreement.most_competent]

    def judge(self, answer: Answer, milliseconds: int | None, note: str, initiator: object) -> None:
        opened = present(self.opened)
        if opened.descriptions is not None:
            left, right = opened.descriptions
            texts = dict(opened.descriptions)
            choice: Choice = left[0] if answer == "left" else right[0] if answer == "right" else "tie"
            self.verbs.choose_description(
                self.key, texts["written"], texts["extracted"], left[0], choice, milliseconds=milliseconds
            )
            return
        pair = present(opened.pair)
        opened.judged_now(
            self.verbs.judge(
                self.key, pair.left_id, pair.right_id, answer, milliseconds=milliseconds, repeat=pair.repeat, note=note,
                initiator=initiator,
            )
        )  # fmt: skip

    def add_cluster(self, cluster: NewCluster) -> None:
        self.key = self.verbs.add_clusters([cluster])[0].id

    def add_texts(self, key: str, entered: NewCluster) -> None:
        with present(self.project).action("Add sentences and candidates"):
            self.verbs.add_sentences(key, entered.sentences)
            self.verbs.add_candidates(key, entered.candidates)

    def next_open(self) -> str:
        """Returns the key of the next cluster with pairs left for the annotator, wrapping around; "" for none."""
        keys = [cluster.id for cluster in self.clusters]
        at = keys.index(self.key) + 1 if self.key in keys else 0
        others = (key for key in keys[at:] + keys[:at] if key != self.key)
        return next((key for key in others if self._read(key).pair is not None), "")


@task("preferences.study", "Rank a cluster", DuplicatePolicy.REPLACE, "preferences")
def study_task(report: Report, project: Project, cluster_id: str, method: Method) -> Study:
    report.progress(0.1, "Ranking and comparing")
    return read_study(project, cluster_id, method, AgreementStore(project).visible(cluster_id, TASK))
