"""Fits on the engine thread: the original of a table once, then the current scenario whenever it changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from desktop_app.engine_bridge import BridgedJob, EngineBridge
from engine.calibration.scenarios import Scenario, StoredReview
from engine.calibration.tasks import CompareParams, Refit, RefitParams, compare_task, refit_task
from engine.jobs import Report, Task

if TYPE_CHECKING:
    from engine.exchange.calibration import CalibrationExport
    from engine.exchange.records import Export


def make_files(export: CalibrationExport, kind: str, stem: str, bridge: EngineBridge, report: Report) -> Export:
    """The files of an export; the document process is started where a format needs it."""
    from engine.documents.tasks import stopping
    from engine.exchange.calibration import export_files
    from engine.exchange.records import Export

    return Export(export_files(export, kind, stem, lambda: stopping(bridge.documents, report)))


class CalibrationWork(QObject):
    """Keeps the newest fit of each scenario."""

    fitted = Signal(object, object)
    """The Refit of the current scenario, and that of the original."""
    compared = Signal(object)
    """Rows of the comparison of methods."""
    failed = Signal(object)
    stopped = Signal()
    """A fit was cancelled in the list of jobs; ``ensure`` submits it again."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._fits: dict[str, Refit] = {}
        self._keys: dict[str, object] = {}
        self._jobs: dict[str, BridgedJob] = {}
        self._shown = ""
        self._original = ""

    def forget(self) -> None:
        """Another table or project: nothing that runs is delivered any more."""
        for job in self._jobs.values():
            job.cancel()
        self._jobs.clear()
        self._fits.clear()
        self._keys.clear()
        self._shown = self._original = ""

    def known(self) -> tuple[Refit, ...]:
        """The fits so far, the original first."""
        rest = [fit for key, fit in self._fits.items() if key != self._original]
        return (self._fits[self._original], *rest) if self._original in self._fits else tuple(rest)

    def ensure(
        self, reviews: tuple[StoredReview, ...], scenario: Scenario, original: Scenario, cutoff: int | None
    ) -> None:
        """Submits what is not fitted as it is now, and tells ``fitted`` of what is."""
        before = self._fits.get(self._shown)
        self._original, self._shown = original.id, scenario.id
        current = True
        for wanted in dict.fromkeys((original, scenario)):
            key = (wanted, cutoff, id(reviews))
            if self._keys.get(wanted.id) == key:
                continue
            self._keys[wanted.id] = key
            current = False
            # From the original's fit, whatever was tried in between: the same scenario always shows the same figures.
            start = self._fits.get(original.id) if wanted.id != original.id else None
            latest = self._fits.get(wanted.id, before) if start is not None else None
            if latest is not None and latest.scenario.method != wanted.method:
                latest = None
            task = refit_task(RefitParams(wanted, reviews, cutoff, start, latest))
            self._submit(wanted.id, task, self._take, partial(self._stopped, wanted.id))
        if current:
            self._tell()

    def compare(self, refit: Refit, cutoff: int | None) -> None:
        """Has every method calculated on the reviews of a fit."""
        self._submit("compare", compare_task(CompareParams(refit, cutoff)), self.compared.emit)

    def _stopped(self, scenario_id: str) -> None:
        self._keys.pop(scenario_id, None)
        self.stopped.emit()

    def _submit(
        self, name: str, task: Task[Any, Any], take: Callable[[Any], None], cancelled: Callable[[], None] | None = None
    ) -> None:
        """Runs a job in place of the one of this name; ``take`` is called with partial results, too."""
        if name in self._jobs:
            self._jobs.pop(name).cancel()
        self._jobs[name] = self._bridge.submit(
            task, self, on_partial=take, on_done=take, on_error=self.failed.emit, on_cancelled=cancelled
        )

    def _take(self, refit: Refit) -> None:
        self._fits[refit.scenario.id] = refit
        if refit.scenario.id in (self._shown, self._original):
            self._tell()

    def _tell(self) -> None:
        if self._shown in self._fits and self._original in self._fits:
            self.fitted.emit(self._fits[self._shown], self._fits[self._original])
