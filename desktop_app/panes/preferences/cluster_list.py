"""The clusters of a project: a row each, and below them the ways to further ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.layouts import column, command_button
from engine.rebuttal.preferences.naming import cluster_title, title
from engine.rebuttal.preferences.records import Cluster, Standing
from engine.shown import counted

_WAYS = (("add_cluster", "New cluster…"), ("from_labels", "From labelled sentences"), ("import", "Import…"))


class ClusterList(QWidget):
    """``rows`` emits the key of the cluster that the person chose."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._done: Collection[str] = ()
        self.rows = EntryList("Clusters", self)
        offer_commands(self.rows, registry, ("preferences.rename_cluster", "preferences.delete_cluster"))
        ways = (command_button(registry, f"preferences.{name}", words, self, show_key=False) for name, words in _WAYS)
        column((self.rows, 1), hairline(), column(*ways, margins=(8, 6, 8, 6), spacing=4), of=self)

    def show_clusters(
        self, clusters: Sequence[Cluster], standings: Mapping[str, Standing], current: str, done: Collection[str] = ()
    ) -> None:
        """Shows all clusters; the acting annotator is done with those in ``done``."""
        entries, tips, self._done = [], [], done
        for cluster in clusters:
            standing = standings[cluster.id]
            line = self._standing(cluster, standing.own, standing.candidates)
            # The list is narrow: the action, which differs least between clusters, is shown in the second line.
            name, icon = cluster_title(replace(cluster, action="")), "check" if cluster.id in done else "cards"
            entries.append((cluster.id, name, line, icon))
            tips.append(f"{cluster_title(cluster)}: {counted(standing.candidates, 'candidate')}")
        self.rows.show_entries(entries, current, tips)

    def show_standing(self, cluster: Cluster, own: int, candidates: int) -> None:
        """Shows how many pairs of a cluster are judged."""
        self.rows.set_detail(cluster.id, self._standing(cluster, own, candidates))

    def _standing(self, cluster: Cluster, own: int, candidates: int) -> str:
        judged = f"{own} judged" if candidates > 1 or own else counted(candidates, "candidate")
        done = "done" if cluster.id in self._done else ""
        return " · ".join(filter(None, (title("action", cluster.action).lower(), judged, done)))
