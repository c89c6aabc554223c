"""Clusters and what they are made of: made, named, deleted; candidates and sentences in and out."""

from __future__ import annotations

from typing import Literal

from desktop_app.panes.preferences.acts import WORK, Acts
from desktop_app.panes.preferences.cluster_dialog import ClusterDialog
from desktop_app.widgets.banner import Notice
from engine.rebuttal.preferences.tasks import extract_descriptions, find_candidates


class Material(Acts):
    """The part of the pane that deals with clusters and candidates."""

    def add_cluster(self) -> None:
        """Asks for a new cluster and makes it."""
        dialog = ClusterDialog(parent=self)
        dialog.accepted.connect(lambda: self._added(dialog))
        dialog.open()

    def _added(self, dialog: ClusterDialog) -> None:
        store = self.store
        assert store is not None
        made = self._act(lambda: store.add_clusters([dialog.cluster()]))
        if made is not None:
            self._at_hand = made[0].id
            self.refresh_now()

    def rename_cluster(self) -> None:
        """Asks for other names of the cluster at hand."""
        assert self.desk is not None
        key, dialog = self.desk.cluster.id, ClusterDialog(self.desk.cluster, parent=self)
        dialog.accepted.connect(lambda: self._renamed(dialog, key))
        dialog.open()

    def _renamed(self, dialog: ClusterDialog, key: str) -> None:
        store, named = self._stored, dialog.cluster()
        self._act(lambda: store.rename_cluster(key, named.root, named.theme, named.action))

    def delete_cluster(self) -> None:
        """Takes the cluster at hand away."""
        self._on_cluster(lambda store, key: store.delete_cluster(key))

    def decide(self, decision: Literal["in", "out"] | None) -> None:
        """Takes the candidate at hand in, leaves it out, or lets its scores decide; goes on to the next."""
        entry, store = self.candidates.candidate, self._stored
        assert entry is not None
        row = self.candidates.list.currentIndex().row()
        self._act(lambda: store.decide_candidates([entry.candidate.id], decision))
        self.candidates.list.select_row(min(row + 1, self.candidates.model.rowCount() - 1))

    def remove_candidate(self) -> None:
        """Takes the candidate at hand away."""
        entry, store = self.candidates.candidate, self._stored
        assert entry is not None
        self._act(lambda: store.remove_candidate(entry.candidate.id))

    def remove_sentence(self) -> None:
        """Takes the review sentence at hand out of the cluster."""
        key, store = self.candidates.sentence_id, self._stored
        self._act(lambda: store.remove_sentence(key))

    def find_candidates(self) -> None:
        """Looks for rebuttal sentences that answer the cluster's review sentences."""
        assert self.desk is not None
        assert self.project is not None
        self.context.bridge.submit(
            find_candidates(self.project, self.desk.cluster.id), self, on_done=self._found, on_error=self._failed
        )

    def _found(self, count: int) -> None:
        what = f"{count} new candidates answer these sentences." if count else "No further answers were found."
        self.banner.show_notice(Notice(WORK, what, kind="note"))

    def add_texts(self) -> None:
        """Asks for further sentences and candidates."""
        assert self.desk is not None
        key, dialog = self.desk.cluster.id, ClusterDialog(adds=True, parent=self)
        dialog.accepted.connect(lambda: self._texts_added(dialog, key))
        dialog.open()

    def _texts_added(self, dialog: ClusterDialog, key: str) -> None:
        store, project, entered = self._stored, self.project, dialog.cluster()
        assert project is not None

        def add() -> None:
            with project.action("Add sentences and candidates"):
                store.add_sentences(key, entered.sentences)
                store.add_candidates(key, entered.candidates)

        self._act(add)

    def extract(self) -> None:
        """Has the most central sentence of the cluster found."""
        assert self.desk is not None
        assert self.project is not None
        self.context.bridge.submit(
            extract_descriptions(self.project, (self.desk.cluster.id,)), self, on_error=self._failed
        )
