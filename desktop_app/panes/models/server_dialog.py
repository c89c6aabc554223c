"""Adding a language-model server: its address, its models, and whether other computers are allowed."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QLineEdit, QPushButton, QSpinBox, QWidget

from desktop_app.engine_bridge import EngineBridge
from desktop_app.widgets.labels import named, say
from desktop_app.widgets.layouts import form_rows, lay_out_form, row
from engine.errors import EnvironmentProblem
from engine.jobs import Failure
from engine.models.server_language import Server, check_server
from engine.models.server_report import Offered, ServerReport
from engine.models.tasks import look_at_task

EXAMPLE = "http://127.0.0.1:8080/v1"


class ServerDialog(QDialog):
    """``server`` and ``model`` are what was entered. Nothing is sent until “List models” is pressed."""

    def __init__(self, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add a language-model server")
        self.resize(560, 0)
        self._bridge = bridge
        about = "llama.cpp, Ollama, vLLM or any other server on this computer with OpenAI's chat interface."
        self.url = self._line("Address", EXAMPLE)
        self.key = self._line("Key")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText("only if the server needs one")
        self.models = named(QComboBox(self), "Model")
        self.models.setEditable(True)
        field = self.models.lineEdit()
        assert field is not None
        field.setPlaceholderText("the model's name on the server")
        self.list = named(QPushButton("List models", self), "List models", "Ask the server which models it offers.")
        self.context = named(QSpinBox(self), "Context", "Maximum number of tokens for question and answer.")
        self.context.setRange(0, 100_000_000)
        self.context.setSpecialValueText("unknown")
        self.context.setGroupSeparatorShown(True)
        self.context.setSuffix(" tokens")
        self.report: ServerReport | None = None
        self.remote = named(QCheckBox("Allow another computer", self), "Allow another computer")
        models = row((self.models, 1), self.list, spacing=8)
        form = form_rows(
            ("Address", self.url), ("Model", models), ("Context", self.context), ("Key", self.key), ("", self.remote)
        )
        self.note, self.ok = lay_out_form(self, about, form, "Add")
        self.list.clicked.connect(self._ask)
        self.url.textChanged.connect(self._check)
        self.remote.toggled.connect(self._check)
        self.models.editTextChanged.connect(self._model_chosen)
        self.context.valueChanged.connect(self._check)
        self.url.setText(EXAMPLE)

    @property
    def server(self) -> Server:
        return Server(self.url.text().strip(), self.key.text(), self.remote.isChecked())

    @property
    def offered(self) -> Offered | None:
        """The model as the server described it."""
        listed = self.report.models if self.report is not None else ()
        return next((one for one in listed if one.id == self.model), None)

    @property
    def model(self) -> str:
        return self.models.currentText().strip()

    def _line(self, name: str, example: str = "") -> QLineEdit:
        return named(QLineEdit(self), name, hint=example)

    def _check(self) -> None:
        try:
            check_server(self.server)
        except EnvironmentProblem as problem:
            say(self.note, str(problem), bad=True)
            allowed = False
        else:
            allowed = True
            say(
                self.note,
                "Papers, reviews and drafts that you work on with this model will be sent to that computer."
                if self.remote.isChecked()
                else "What you ask stays on this computer.",
                bad=self.remote.isChecked(),
            )
        self.list.setEnabled(allowed)
        if allowed and self.model and not self.context.value():
            say(self.note, "Enter how many tokens the model can read. Rejoinder doesn't guess it.", bad=True)
        self.ok.setEnabled(allowed and bool(self.model) and self.context.value() > 0)

    def _model_chosen(self) -> None:
        offered = self.offered
        if offered is not None:
            self.context.setValue(offered.context or 0)
        self._check()
        if offered is not None and self.report is not None and offered.context:
            can = f"; {', '.join(offered.abilities)}" if offered.abilities else ""
            longest = f", supports up to {offered.longest:,}" if offered.longest not in (None, offered.context) else ""
            say(self.note, f"{self.report.kind}: {offered.context:,} tokens{longest}{can}.")

    def _ask(self) -> None:
        self.list.setEnabled(False)
        say(self.note, "Asking the server…")
        self._bridge.submit(look_at_task(self.server), self, on_done=self._listed, on_error=self._failed)

    def _listed(self, report: ServerReport) -> None:
        names, wanted = [one.id for one in report.models], self.model
        self.report = report
        if report.server.url != self.url.text().strip():
            self.url.setText(report.server.url)
        with QSignalBlocker(self.models):
            self.models.clear()
            self.models.addItems(names)
            if wanted in names or (wanted and not names):
                self.models.setCurrentText(wanted)
        self._model_chosen()
        if not names:
            say(self.note, "The server lists no models. Enter the name of one.", bad=True)

    def _failed(self, failure: Failure) -> None:
        self._check()
        say(self.note, str(failure.problem) if failure.problem is not None else failure.summary, bad=True)
