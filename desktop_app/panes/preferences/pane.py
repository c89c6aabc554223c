"""The Preferences pane: clusters on the left; pairs, candidates, ranking and annotators of the current one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QWidget

from desktop_app import present
from desktop_app.commands import CommandRegistry
from desktop_app.panes.base import ACT, AppContext, Pane
from desktop_app.panes.preferences.annotators_view import AnnotatorsView
from desktop_app.panes.preferences.candidates_view import CandidatesView, ClusterDialog
from desktop_app.panes.preferences.choices import ANNOTATORS, CANDIDATES, RANKING, VIEWS
from desktop_app.panes.preferences.files import WORK, PreferenceFiles
from desktop_app.panes.preferences.judging import JudgingView
from desktop_app.panes.preferences.ranking_view import RankingView
from desktop_app.panes.preferences.state import PreferencesState, study_task
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.layouts import Flow, at_least, column, command_button, row, splitter, stacked, tabs
from engine.exchange.preference_study import TASK, Study
from engine.operations.ranked_templates import keep_as_template
from engine.project import Changes
from engine.rebuttal.preferences.candidates import cluster_title, title
from engine.rebuttal.preferences.records import Answer, Cluster, Standing, Verdict
from engine.rebuttal.preferences.store import TABLES, PreferenceStore
from engine.rebuttal.preferences.tasks import clusters_from_labels, extract_descriptions, find_candidates
from engine.shown import counted

_WAYS = (("add_cluster", "New cluster…"), ("from_labels", "From labelled sentences"), ("import", "Import…"))


class ClusterList(QWidget):
    """The list of clusters; ``rows`` emits the key of the selected one."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._done: Collection[str] = ()
        self.rows = EntryList("Clusters", self)
        offer_commands(self.rows, registry, ("preferences.rename_cluster", "preferences.delete_cluster"))
        ways = (command_button(registry, f"preferences.{name}", words, self, show_key=False) for name, words in _WAYS)
        column((self.rows, 1), hairline(), column(*ways, margins=(8, 6, 8, 12), spacing=4), of=self)

    def show_clusters(
        self, clusters: Sequence[Cluster], standings: Mapping[str, Standing], current: str, done: Collection[str] = ()
    ) -> None:
        """Shows all clusters; ``done`` are those that the acting annotator is done with."""
        entries, tips, self._done = [], [], done
        for cluster in clusters:
            standing = standings[cluster.id]
            line = self.standing(cluster, standing.own, standing.candidates)
            # The list is narrow: the action, which differs least, is on the second line unless there is nothing else.
            name, icon = cluster_title(replace(cluster, action="")), "check" if cluster.id in done else "cards"
            name = name or cluster_title(cluster)
            entries.append((cluster.id, name, line, icon))
            tips.append(f"{cluster_title(cluster)}: {counted(standing.candidates, 'candidate')}")
        self.rows.show_entries(entries, current, tips)

    def standing(self, cluster: Cluster, own: int, candidates: int) -> str:
        judged = f"{own} judged" if candidates > 1 or own else counted(candidates, "candidate")
        done = "done" if cluster.id in self._done else ""
        action = f"“{title('action', cluster.action).lower()}”" if cluster.action else ""
        return " · ".join(filter(None, (action if cluster.root or cluster.theme else "", judged, done)))


_METHOD = "preferences.method"


class PreferencesPane(Pane):
    pane_id = "preferences"
    shows_paper = False
    purpose = (
        "Judge which of two rebuttals answers a kind of criticism better, one key per pair, and see the ranking with "
        "confidence intervals. Start with a cluster: review sentences of one kind and candidate rebuttals."
    )
    tables = TABLES | {"annotator", "annotation_done"}
    first_step, other_steps = "preferences.add_cluster", ("preferences.import", "preferences.from_labels")
    search_hint = "Search clusters"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        stored = bytes(context.state.bytes(_METHOD).data()).decode("utf-8", "replace")
        self.state = PreferencesState("bradley-terry" if stored == "bradley-terry" else "pagerank")
        self.files = PreferenceFiles(self.make_tools(lambda: None), self.state, self._imported)
        self._skipping = False
        self._stale = True
        self._build()
        self._connect()

    def _build(self) -> None:
        registry = self.context.commands
        self.list = ClusterList(registry, self.body)
        at_least(self.list, 210)
        self.tabs = tabs("Views of the cluster", [title for _name, title, _help in VIEWS], self.body)
        self.annotator = AnnotatorButton(
            self.context, lambda: self.state.subject, self.body, task=TASK, what="cluster", done="preferences.done"
        )
        self.judging = JudgingView(registry, self.body)
        self.candidates = CandidatesView(registry, self.body)
        self.ranking = RankingView(registry, self.body)
        self.annotators = AnnotatorsView(registry, self.body)
        self.views = stacked(self.body, self.judging, self.candidates, self.ranking, self.annotators)
        main = QWidget(self.body)
        head = row((Flow(self.tabs, None, self.annotator), 1), margins=(12, 4, 8, 4))
        column(head, hairline(), (self.views, 1), of=main)
        column(splitter((self.list, 270, 0), (main, 980, 1), parent=self.body), of=self.body)

    def _connect(self) -> None:
        def verbs() -> PreferenceStore:
            return self.state.verbs

        self.list.rows.picked.connect(self._cluster_chosen)
        self.tabs.currentChanged.connect(self._view_changed)
        self.judging.note.returnPressed.connect(self._note_entered)
        self.judging.note_left.connect(self._leave_note)
        self.candidates.thresholds_changed.connect(
            lambda *shares: self.change(lambda key: verbs().set_thresholds(key, *shares))
        )
        self.candidates.plan_changed.connect(lambda plan: self.change(lambda key: verbs().set_plan(key, plan)))
        self.candidates.description.committed.connect(
            lambda text, coalesce, key: key and self.act(lambda: verbs().describe(key, text, coalesce=coalesce))
        )
        for view in (self.candidates, self.annotators):
            view.list.picked.connect(self.context.commands.state_changed)
        self.ranking.method.picked.connect(self.choose_method)
        self.ranking.basis.picked.connect(self.rank_by)

    def project_set(self) -> None:
        self.state.open(self.project)
        self._skipping, self._stale = False, True

    def is_empty(self) -> bool:
        return self.state.store is None or not self.state.store.clusters()

    def on_changes(self, changes: Changes) -> None:
        self._stale |= bool(changes.tables & self.tables)
        if changes.initiator is self and changes.tables == {"preference_judgement"}:
            return  # own judgement: the state already contains it
        super().on_changes(changes)

    def refresh(self) -> None:
        state = self.state
        state.read()
        self.list.show_clusters(state.clusters, state.verbs.standings(), state.key, state.done)
        self._show()

    def take_focus(self) -> None:
        parts = (self.judging, self.candidates.list, self.ranking.bars, self.annotators.list)
        parts[self.state.view].setFocus()

    def find_searched(self, by: int) -> bool:
        """Goes to the next match with all the words: a candidate in the Candidates view, otherwise a cluster."""
        opened = self.state.opened
        if self.state.view == CANDIDATES and opened is not None:
            texts, view = {key: one.candidate.text for key, one in opened.candidates.items()}, self.candidates.list
        else:
            texts, view = {cluster.id: cluster_title(cluster) for cluster in self.state.clusters}, self.list.rows
        return view.find_record(self.searched, by, lambda entry: texts[entry[0]])

    def judge(self, answer: Answer) -> None:
        state, milliseconds, note = self.state, self.judging.milliseconds(), self.judging.note.text().strip()
        opened = present(state.opened)
        pair, judged_pair = opened.descriptions is None, opened.pair
        if self.act(lambda: state.judge(answer, milliseconds, note, self)) and pair:
            self.judging.note.clear()  # the same pair may come again
            self.judging.show_pair(answer)
            self.judging.notes.pop(judged_pair, None)
            judged = sum(judgement.answer != "skip" for judgement in opened.own)
            standing = self.list.standing(opened.cluster, judged, len(opened.candidates))
            self.list.rows.set_detail(opened.cluster.id, standing)
            self._show_status()

    def write_note(self, *, skipping: bool = False) -> None:
        """Moves the focus to the note; with ``skipping``, Enter skips the pair."""
        self._skipping = skipping
        self.judging.note.setFocus()

    def _note_entered(self) -> None:
        skipping = self._skipping
        self._leave_note()
        if skipping and self.state.can_judge_pair:
            self.judge("skip")

    def _leave_note(self) -> None:
        self._skipping = False
        self.judging.setFocus()

    def next_open(self) -> None:
        """Goes to the next cluster with pairs left or, in Annotators, to the next pair to adjudicate."""
        if self.state.view == ANNOTATORS:
            self.annotators.next_open()
            return
        if found := self.state.next_open():
            self.list.rows.pick(found)
        else:
            self.banner.show_notice(Notice(ACT, "No other cluster has pairs left for you.", kind="note"))

    def change(self, verb: Callable[[str], object]) -> None:
        """Calls ``verb`` with the current cluster's key, if the cluster can be changed."""
        if self.state.can_change:
            self.act(lambda: verb(self.state.key))

    def add_cluster(self) -> None:
        dialog = ClusterDialog(parent=self)

        def add() -> None:
            self.state.add_cluster(dialog.cluster())
            self.refresh_now()

        dialog.save = add
        dialog.open()

    def rename_cluster(self) -> None:
        dialog = ClusterDialog(present(self.state.opened).cluster, parent=self)

        def rename() -> None:
            named = dialog.cluster()
            self.state.verbs.rename_cluster(self.state.key, named.root, named.theme, named.action)

        dialog.save = rename
        dialog.open()

    def add_texts(self) -> None:
        dialog = ClusterDialog(adds=True, parent=self)
        dialog.save = lambda: self.state.add_texts(self.state.key, dialog.cluster())
        dialog.open()

    def decide(self, decision: Literal["in", "out"] | None) -> None:
        """Includes or excludes the selected candidate, or lets its scores decide; then goes to the next one."""
        entry = present(self.candidates.candidate)
        self.change(lambda _key: self.state.verbs.decide_candidates([entry.candidate.id], decision))
        self.candidates.list.step(1)

    def _imported(self, key: str) -> None:
        self.state.key = key or self.state.key
        self.mark_dirty()

    def from_labels(self) -> None:
        assert self.project is not None
        none = "No aspect and theme have two labelled sentences that aren't in a cluster yet."
        self.submit(clusters_from_labels(self.project), lambda count: self._count(count, "cluster", "created", none))

    def find_candidates(self) -> None:
        task = find_candidates(present(self.project), self.state.key)
        self.submit(task, lambda count: self._count(count, "candidate", "found", "No more candidates were found."))

    def _count(self, count: int, name: str, verb: str, none: str) -> None:
        words = f"{counted(count, name)} {verb}." if count else none
        self.banner.show_notice(Notice(WORK, words, kind="note"))

    def extract(self) -> None:
        self.submit(extract_descriptions(present(self.project), (self.state.key,)))

    def choose_method(self, method: str) -> None:
        """Ranks by another method, which is saved; the adaptive schedule then looks for that method's winner."""
        self.state.method = "bradley-terry" if method == "bradley-terry" else "pagerank"
        self.context.state.set_bytes(_METHOD, QByteArray(self.state.method.encode()))
        self._stale = True
        self.refresh_now()

    def rank_by(self, basis: str) -> None:
        self.change(lambda key: self.state.verbs.set_basis(key, basis))

    def adjudicate(self, verdict: Verdict | None) -> None:
        entry = present(self.annotators.disagreement)
        self.change(lambda key: self.state.verbs.adjudicate(key, entry.pair, verdict))

    def to_library(self) -> None:
        study, key, project = self.state.study, self.ranking.candidate_id, self.project
        added = self.result(lambda: keep_as_template(present(project), present(study), key))
        if added is not None:
            self.banner.show_notice(Notice(WORK, f"Added to the library “{added}”.", kind="note"))

    def _show(self) -> None:
        self.judging.show_cluster(self.state.opened)
        self.candidates.show_cluster(self.state.opened)
        self.annotator.refresh()
        self._show_status()
        self._study_if_seen()
        self.context.commands.state_changed.emit()

    def _show_status(self) -> None:
        opened = self.state.opened
        done, total = (opened.step.judged, opened.step.total) if opened is not None else (0, 0)
        about = f" of about {total}" if done < total else ""
        self.set_status(f"{done}{about} {'pair' if not about and done == 1 else 'pairs'} judged" if opened else "")

    def _cluster_chosen(self, key: str) -> None:
        self.state.key, self._stale = key, True
        self.state.read_opened()
        self._show()

    def _view_changed(self, number: int) -> None:
        self.state.view = number
        self.views.setCurrentIndex(number)
        self._study_if_seen()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _study_if_seen(self) -> None:
        state = self.state
        if state.view not in (RANKING, ANNOTATORS) or not self._stale or not self.isVisible():
            return
        if self.project is None or state.opened is None:
            self._show_study(None)
            return
        if state.study is not None and state.study.cluster.id != state.key:
            self._show_study(None)
        self._stale = False
        task = study_task(self.project, state.key, state.method)
        self.calculate(task, self._studied, self._not_studied, WORK)

    def _not_studied(self) -> None:
        self._stale = True
        self._show_study(None)
        self.ranking.bars.set_message("")

    def _studied(self, study: Study) -> None:
        if study.cluster.id == self.state.key:
            self._show_study(study)

    def _show_study(self, study: Study | None) -> None:
        self.state.study = study
        self.ranking.show_study(study)
        self.annotators.show_study(study, self.project.annotator_id if self.project is not None else "")
        self.context.commands.state_changed.emit()
