"""Export… and Import… in the File menu: every format of ``engine.formats``, and the open bundle."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import EngineBridge
from desktop_app.project_control import SUFFIX, ProjectControl, with_suffix
from desktop_app.widgets.banner import Kind, Notice, written_notice
from desktop_app.widgets.dialogs import ask, ask_to_export
from desktop_app.widgets.file_dialogs import file_dialog, file_filter, file_name, save_dialog
from desktop_app.writing import Written, free_folder, write_export
from engine.agreement.records import ADJUDICATED
from engine.jobs import DuplicatePolicy, Report, task
from engine.project import Project
from engine.shown import counted, problems_in_short, shortened

if TYPE_CHECKING:
    from engine.exchange.records import Export
    from engine.formats import Imported, Wanted
    from engine.operations.bundle import Bundled

NOTICE = "formats"
BUNDLE, BUNDLE_WORDS = "bundle", "Open bundle"


def export_filters() -> dict[str, str]:
    """Returns the export dialog's file filters by format, the bundle first."""
    from engine.formats import WRITERS

    words = {key: f"{one.title} (*{one.ending})" for key, one in WRITERS.items() if one.ending}
    folders = {key: f"{one.title}, a folder (*)" for key, one in WRITERS.items() if not one.ending}
    return {BUNDLE: f"{BUNDLE_WORDS} (*.zip)", **words, **folders}


def import_filters() -> dict[str, str]:
    """Returns the import filters of formats read from files; folders and a paper's files are added in panes."""
    from engine.formats import READERS

    return {BUNDLE: f"{BUNDLE_WORDS} (*.zip datapackage.json)"} | {
        key: file_filter(reader.title, reader.endings).partition(";;")[0]
        for key, reader in READERS.items()
        if reader.endings
    }


@task("project.export", "Export {project.path.name}", DuplicatePolicy.AFTER)
def _write_bundle(report: Report, project: Project, path: Path) -> Bundled:
    from engine.operations.bundle import write_bundle

    return write_bundle(project, path, progress=report.progress)


@task("project.import", "Import {bundle.name}", DuplicatePolicy.DISCARD)
def _read_bundle(report: Report, bundle: Path, target: Path) -> Bundled:
    from engine.operations.bundle import read_bundle

    return read_bundle(bundle, target, report.progress)


@task("project.import", "Import files", DuplicatePolicy.DISCARD)
def _read(_report: Report, project: Project, paths: tuple[str, ...], format_: str) -> Imported:
    from engine.formats import READERS

    return READERS[format_].read(project, [Path(path) for path in paths])


@task("project.export", "Check claims before the export", DuplicatePolicy.REPLACE)
def _unfounded(_report: Report, project: Project, wanted: Wanted) -> tuple[str, ...]:
    from engine.formats import unfounded

    return unfounded(project, wanted)


def _make(project: Project, format_: str, wanted: Wanted, _report: Report) -> Export:
    from engine.formats import WRITERS

    return WRITERS[format_].make(project, wanted)


class ProjectFormats(QObject):
    """Exports and imports whole projects, papers and libraries for one window."""

    notice = Signal(object)

    def __init__(self, bridge: EngineBridge, control: ProjectControl, papers: CurrentPaper, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._control, self._papers, self._window = bridge, control, papers, window

    def ask_export(self, format_: str) -> None:
        """Asks for file and format; ``format_`` is preselected."""
        path, filters = self._bridge.opened.path, export_filters()
        how = {"suffix": "", "name": file_name(self._bridge.opened.title)}
        dialog = save_dialog(self._window, "Export", path.parent, ";;".join(filters.values()), **how, overwrites=False)
        dialog.selectNameFilter(filters[format_])
        chosen = dialog.selectedNameFilter
        dialog.fileSelected.connect(lambda name: self.ask_whose(Path(name), _format(chosen(), filters)))
        dialog.open()

    def ask_whose(self, path: Path, format_: str) -> None:
        """Exports; if several annotators' links are visible and the format has links, first asks whose to export."""
        from engine.exchange.studies import Studies
        from engine.formats import WRITERS

        project = self._bridge.opened
        linked = format_ in WRITERS and WRITERS[format_].links
        if not linked or not any(len(s.visible & s.done & {*s.worked}) > 1 for s in Studies(project).standings()):
            self.export(path, format_)
            return
        own = dict(project.annotators())[project.annotator_id]
        words = "Adjudicated links are the links that annotators agree on, plus those decided where they differed."
        answers = {
            "Adjudicated": lambda: self.export(path, format_, ADJUDICATED),
            f"{shortened(own, 24)} only": lambda: self.export(path, format_),
            "Cancel": None,
        }
        ask(self._window, "Export", "Whose links do you want to export?", words, answers)

    def export(self, path: Path, format_: str, whose: str = "") -> None:
        """Writes the project, or what the format contains of it, in a job without overwriting anything. ``whose``
        selects links: an annotator's key, ``ADJUDICATED``, or by default those of the acting annotator."""
        from engine.formats import WRITERS, Wanted

        project = self._bridge.opened
        if format_ == BUNDLE:
            path = path if path.suffix == ".zip" else path.with_name(f"{path.name}.zip")
            self._bridge.submit(
                _write_bundle(project, path),
                self,
                on_done=lambda made: self.notice.emit(written_notice(NOTICE, Written.of(path, made.notes))),
            )
            return
        writer = WRITERS[format_]
        ending = writer.ending
        target = free_folder(path.parent, path.name.removesuffix(ending), ending)
        folder, file = (target.parent, target.name) if ending else (target, "")
        wanted = Wanted(target.name, self._papers.id, whose)
        task = write_export("project.export", folder, partial(_make, project, format_, wanted), file)

        def write() -> None:
            self._bridge.submit(task, self, on_done=lambda made: self.notice.emit(written_notice(NOTICE, made)))

        def checked(claims: tuple[str, ...]) -> None:
            if claims:
                words = f"{counted(len(claims), 'claim')} to decide on."
                ask_to_export(self._window, "rebuttal", words, claims, write)
            else:
                write()

        if writer.claims:
            self._bridge.submit(_unfounded(project, wanted), self, on_done=checked)
        else:
            write()

    def ask_import(self) -> None:
        project, filters = self._bridge.project, import_filters()
        if project is None or project.read_only:
            filters = {BUNDLE: filters[BUNDLE]}
        folder = project.path.parent if project is not None else Path.home()
        dialog = file_dialog(self._window, "Import", folder, ";;".join(filters.values()), several=True)
        chosen = dialog.selectedNameFilter
        dialog.filesSelected.connect(lambda names: self.bring(tuple(map(str, names)), _format(chosen(), filters)))
        dialog.open()

    def bring(self, paths: tuple[str, ...], format_: str) -> None:
        """Imports files in a job; for a bundle, asks for the name of the new project."""
        from engine.operations.bundle import is_bundle

        if format_ == BUNDLE or is_bundle(Path(paths[0])):
            bundle = Path(paths[0])
            name = bundle.parent.name if bundle.suffix == ".json" else bundle.stem
            import_ = partial(self.import_bundle, bundle)
            self._control.ask_new_file("Import into a new project", import_, bundle.with_name(f"{name}{SUFFIX}"))
            return

        def done(found: Imported) -> None:
            kind: Kind = "attention" if found.problems else "note"
            self.notice.emit(Notice(NOTICE, " ".join(found.sentences), problems_in_short(found.problems), kind=kind))

        self._bridge.submit(_read(self._bridge.opened, paths, format_), self, on_done=done)

    def import_bundle(self, bundle: Path, target: Path | str) -> None:
        """Creates a project from a bundle in a job, and opens it."""
        target = with_suffix(target)

        def done(found: Bundled) -> None:
            if self._control.open(target):
                rows = f"{counted(sum(found.rows.values()), 'row was', 'rows were')} imported from {bundle.name}."
                self.notice.emit(Notice(NOTICE, rows, " ".join(found.notes), kind="note"))

        self._bridge.submit(_read_bundle(bundle, target), self, on_done=done)


def _format(chosen: str, filters: dict[str, str]) -> str:
    return next((key for key, words in filters.items() if words == chosen), BUNDLE)
