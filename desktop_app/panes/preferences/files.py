"""Clusters out of labelled sentences and files, judgements and rankings into files; the banner says how it went."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.panes.preferences.acts import EXPORT, WORK
from desktop_app.panes.preferences.commands import EXPORTS
from desktop_app.panes.preferences.material import Material
from desktop_app.panes.preferences.work import clusters_task, collection_task, export_task, import_task
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.writing import Written, free_folder
from engine.rebuttal.preferences.tasks import clusters_from_labels

if TYPE_CHECKING:
    from engine.exchange.preference_clusters import Imported


class Files(Material):
    """The part of the pane that deals with files."""

    def from_labels(self) -> None:
        """Has clusters made of the labelled sentences of the project's reviews."""
        assert self.project is not None
        self.context.bridge.submit(
            clusters_from_labels(self.project), self, on_done=self._labels_done, on_error=self._failed
        )

    def _labels_done(self, count: int) -> None:
        what = (
            f"{count} clusters were made of labelled sentences."
            if count
            else "No root and theme has two labelled sentences that are not in a cluster yet."
        )
        self.banner.show_notice(Notice(WORK, what, kind="note"))

    def import_file(self) -> None:
        """Asks for a table and has it taken in."""
        path = self.context.files.open_file(self, "Import clusters or judgements", "Tables (*.csv *.tsv)")
        if path is not None:
            self.import_from(path)

    def import_folder(self) -> None:
        """Asks for a folder in the layout of JitsuPeer and has it taken in."""
        folder = self.context.files.choose_folder(self, "Import a folder of clusters")
        if folder is not None:
            self.import_from(folder)

    def import_from(self, path: Path) -> None:
        """Has a file or folder taken in; a table of judgements goes into the cluster at hand."""
        assert self.project is not None
        key = self.desk.cluster.id if self.desk is not None else ""
        self.context.bridge.submit(
            import_task(self.project, path, key), self, on_done=self._imported, on_error=self._failed
        )

    def _imported(self, found: Imported) -> None:
        self._at_hand = found.cluster_id or self._at_hand
        self.banner.show_notice(Notice(WORK, found.words, " ".join(found.warnings[:5]), kind="note"))
        self.mark_dirty()

    def export(self, format_: str) -> None:
        """Asks where to write, and has it written."""
        title, files = EXPORTS[format_][0].rstrip("…"), self.context.files
        if format_ == "jitsupeer":
            folder = files.choose_folder(self, title)
            path = folder / "jitsupeer" if folder is not None else None
        else:
            path = files.save_file(self, title, "preferences", ".csv")
        if path is not None:
            self.export_to(format_, path)

    def _folder_written(self, written: Written) -> None:
        paths = [str(Path(written.folder) / name) for name in written.names]
        notice = written_notice(EXPORT, paths, written.loss)
        folder = Path(written.folder).name
        self.banner.show_notice(replace(notice, what=f"Written: {len(paths)} files in the folder {folder}."))

    def export_to(self, format_: str, path: Path) -> None:
        """Has the files of a format written, named after ``path``; a folder of that name where the format is one."""
        assert self.project is not None
        if format_ == "jitsupeer":
            self.context.bridge.submit(
                collection_task(self.project, free_folder(path.parent, path.name)), self, on_done=self._folder_written,
                on_error=self._failed,
            )  # fmt: skip
            return
        if format_ == "clusters":
            task = clusters_task(self.project, path)
        else:
            assert self.desk is not None
            task = export_task(self.project, self.desk.cluster.id, self.method, format_, path)
        self.context.bridge.submit(
            task,
            self,
            on_done=lambda paths: self.banner.show_notice(written_notice(EXPORT, paths, EXPORTS[format_][2:])),
            on_error=self._failed,
        )
