"""Settings of language models (context, device, how stages use them), and the dialog that adds a server."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QPushButton, QWidget

from desktop_app import present
from desktop_app.engine_bridge import EngineBridge
from desktop_app.widgets.dialogs import TypingDialog, lay_out_form
from desktop_app.widgets.fields import ChoiceBox, LowestInWords, number_box
from desktop_app.widgets.labels import named, say, text_label
from desktop_app.widgets.layouts import column, form_rows, row
from engine.errors import EnvironmentProblem
from engine.jobs import Failure
from engine.models.language import Manner
from engine.models.library import Added, AddedFolder, AddedServer
from engine.models.server_language import Server, check_server, is_loopback
from engine.models.server_report import Offered, ServerReport
from engine.models.tasks import look_at_task

TASK = "review-drafting"
_STAGES = (
    ("All stages", ""), ("Drafter", "drafter"), ("Literature Searcher", "literature"), ("Insight Miner", "insight"),
    ("Result Analyzer", "results"), ("Aggregator", "aggregator"),
)  # fmt: skip
_DEVICES = (("Best available", ""), ("CPU", "cpu"), ("GPU (CUDA)", "cuda"), ("GPU (Apple)", "mps"))
_PRECISIONS = (("Automatic", "auto"), ("32 bit", "float32"), ("16 bit (bfloat16)", "bfloat16"), ("16 bit", "float16"))
_REASONING = (("Model default", "auto"), ("Off", "off"), ("Low", "low"), ("Medium", "medium"), ("High", "high"))
_LONGEST = 100_000_000
_TOKENS: dict[str, Any] = {"suffix": " tokens", "groupSeparatorShown": True}


class LanguageSettings(QWidget):
    """The settings of the selected language model; each change is emitted immediately."""

    entry_changed = Signal(object)
    """The changed entry of the added model."""
    manner_changed = Signal(str, object)
    """A task or stage ("review-drafting/insight") and its request settings (``Manner``)."""
    model_chosen = Signal(str, str)
    """A stage and the id of its model; "" for the model of all stages."""
    stage_chosen = Signal(str)
    """The user selected this stage; ``show_stage`` should follow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry: Added | None = None
        self._manner = Manner()
        self.context = number_box("Context in tokens", 0, _LONGEST, zero="unknown", **_TOKENS)
        self.context.setToolTip("Maximum number of tokens in prompt and response together")
        self.concurrency = number_box("Requests at once", 1, 256)
        self.device = ChoiceBox("Device", _DEVICES, letters=0)
        self.precision = ChoiceBox("Precision", _PRECISIONS, letters=0)
        self._form = form_rows(
            ("Context", self.context), ("Requests at once", self.concurrency), ("Device", self.device),
            ("Precision", self.precision),
        )  # fmt: skip
        self.stage = ChoiceBox("Stage of a review draft", _STAGES, letters=0)
        self.model = ChoiceBox("Model of this stage", letters=0)
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.temperature = named(QDoubleSpinBox(minimum=-0.1, maximum=2.0, singleStep=0.1, decimals=1), "Temperature")
        LowestInWords(self.temperature, "same as run")
        self.tokens = number_box("Maximum answer length in tokens", 0, 1_000_000, zero="set by the stage", **_TOKENS)
        self.reasoning = ChoiceBox("Reasoning before an answer", _REASONING, letters=0)
        self.budget = number_box("Maximum reasoning length in tokens", 0, 1_000_000, zero="none", **_TOKENS)
        stages = form_rows(
            ("Stage", self.stage), ("Model", self.model), ("Temperature", self.temperature),
            ("Longest answer", self.tokens), ("Reasoning", self.reasoning), ("Longest reasoning", self.budget),
        )  # fmt: skip
        for form in (self._form, stages):
            form.setFieldGrowthPolicy(form.FieldGrowthPolicy.FieldsStayAtSizeHint)
        column(
            text_label("Settings", "section"), self._form, 4, text_label("Stages of a review draft", "section"),
            stages, of=self, spacing=8,
        )  # fmt: skip
        for changed in (
            self.context.editingFinished, self.concurrency.editingFinished, self.device.picked, self.precision.picked,
        ):  # fmt: skip
            changed.connect(self._entry_edited)
        for changed in (
            self.tokens.editingFinished, self.budget.editingFinished, self.temperature.editingFinished,
            self.reasoning.picked,
        ):  # fmt: skip
            changed.connect(self._manner_edited)
        self.model.picked.connect(lambda model: self.model_chosen.emit(self.use, model))
        self.stage.picked.connect(lambda _stage: self.stage_chosen.emit(self.use))

    @property
    def use(self) -> str:
        return f"{TASK}/{self.stage.value}" if self.stage.value else TASK

    def show_entry(self, entry: Added) -> None:
        self._entry = None  # suppresses signals while the fields are filled
        folder = entry if isinstance(entry, AddedFolder) else None
        own = folder.report.context if folder is not None else None
        self.context.setValue(entry.context or own or 0)
        self._form.setRowVisible(self.concurrency, folder is None)
        self._form.setRowVisible(self.device, folder is not None)
        self._form.setRowVisible(self.precision, folder is not None)
        if isinstance(entry, AddedServer):
            self.concurrency.setValue(entry.server.concurrency)
        else:
            self.device.show_value(entry.device)
            self.precision.show_value(entry.precision)
        self._entry = entry

    def show_stage(self, manner: Manner, models: Sequence[tuple[str, str]], chosen: str) -> None:
        """Shows a stage's request settings, the ``models`` to choose from (title, id), and the ``chosen`` one."""
        self._manner = manner
        self.temperature.setValue(-0.1 if manner.temperature is None else manner.temperature)
        self.tokens.setValue(manner.answer_tokens or 0)
        self.reasoning.show_value(manner.reasoning)
        self.budget.setValue(manner.reasoning_tokens)
        self.model.show_entries(models, chosen)

    def _entry_edited(self) -> None:
        entry = self._entry
        if entry is None:
            return
        context = self.context.value() or None
        changed: Added
        if isinstance(entry, AddedServer):
            server = replace(entry.server, concurrency=self.concurrency.value())
            changed = replace(entry, context=context, server=server)
        else:
            limit = None if context == entry.report.context else context
            changed = replace(entry, context=limit, device=self.device.value, precision=self.precision.value)
        if changed != entry:
            self._entry = changed
            self.entry_changed.emit(changed)

    def _manner_edited(self) -> None:
        heat = round(self.temperature.value(), 1)
        manner = Manner(
            None if heat < 0 else heat, self.tokens.value() or None, self.reasoning.value, self.budget.value()
        )
        if manner != self._manner:
            self._manner = manner
            self.manner_changed.emit(self.use, manner)


EXAMPLE = "http://127.0.0.1:8080/v1"


class ServerDialog(TypingDialog):
    """Asks for a server and a model (``server``, ``model``). Nothing is sent until “List models” is pressed."""

    def __init__(self, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__("Add a language-model server", parent)
        self.resize(560, 0)
        self._bridge = bridge
        about = "llama.cpp, LM Studio, Ollama, vLLM or any other server on this computer with OpenAI's chat interface."
        self.url = named(QLineEdit(self), "Address", hint=EXAMPLE)
        self.models = named(QComboBox(self, editable=True), "Model")
        present(self.models.lineEdit()).setPlaceholderText("the model's name on the server")
        self.list = named(QPushButton("List models", self), "List models", "Ask the server which models it offers.")
        self.context = number_box(
            "Context", 0, _LONGEST, zero="unknown", parent=self, **{**_TOKENS, "keyboardTracking": True}
        )
        self.context.setToolTip("Maximum number of tokens in prompt and response together.")
        self.key = named(QLineEdit(self), "Key", hint="only if the server needs one")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.report: ServerReport | None = None
        self.remote = named(QCheckBox("Allow another computer", self), "Allow another computer")
        models = row((self.models, 1), self.list, spacing=8)
        form = form_rows(
            ("Address", self.url), ("Model", models), ("Context", self.context), ("Key", self.key), ("", self.remote)
        )
        self.note, self.ok = lay_out_form(self, about, form, "Add")
        self.list.clicked.connect(self._ask)
        self.url.returnPressed.connect(self._list_unless_chosen)
        self.url.textChanged.connect(self._moved)
        self.remote.toggled.connect(self._check)
        self.models.editTextChanged.connect(self._model_chosen)
        self.context.valueChanged.connect(self._check)
        self.url.setText(EXAMPLE)
        self.url.selectAll()

    @property
    def server(self) -> Server:
        url = self.url.text().strip()
        # Only for this computer: to others, papers would be sent unencrypted without anybody having written it.
        local = "://" not in url and is_loopback(f"http://{url}")
        return Server(f"http://{url}" if local else url, self.key.text(), self.remote.isChecked())

    @property
    def offered(self) -> Offered | None:
        listed = self.report.models if self.report is not None else ()
        return next((one for one in listed if one.id == self.model), None)

    @property
    def model(self) -> str:
        return self.models.currentText().strip()

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
                else "Everything you send to this model stays on this computer.",
                bad=self.remote.isChecked(),
            )
        self.list.setEnabled(allowed)
        if allowed and (host := self.offered.host if self.offered else "") and not self.remote.isChecked():
            allowed = False
            say(self.note, f"{self.model} runs on {host}: the server would send papers and reviews there.", bad=True)
        if allowed and self.model and not self.context.value():
            unlisted = self.report is not None and self.report.models and self.offered is None
            start = "The server doesn't list this model. " if unlisted else ""
            most = f", up to {longest:,}" if self.offered and (longest := self.offered.longest) else ""
            words = f"{start}Enter the model's context size in tokens{most}. Rejoinder doesn't guess it."
            say(self.note, words, bad=True)
        self.ok.setEnabled(allowed and bool(self.model) and self.context.value() > 0)

    def _moved(self) -> None:
        if self.report is not None and self.server.url != self.report.server.url:
            self.report = None  # it is about another server
            self.models.clear()
            self.context.setValue(0)
        self._check()

    def _model_chosen(self) -> None:
        offered = self.offered
        if offered is not None or self.report is not None:
            self.context.setValue((offered.context if offered is not None else None) or 0)
        self._check()
        if offered is not None and self.report is not None and offered.context and self.ok.isEnabled():
            can = f"; {', '.join(offered.abilities)}" if offered.abilities else ""
            longest = f", supports up to {offered.longest:,}" if offered.longest not in (None, offered.context) else ""
            say(self.note, f"{self.report.kind}: {offered.context:,} tokens{longest}{can}.")

    def _list_unless_chosen(self) -> None:
        if not self.model:
            self.list.click()

    def _ask(self) -> None:
        self.list.setEnabled(False)
        say(self.note, "Contacting the server…")
        self._bridge.submit(
            look_at_task(self.server), self, on_done=partial(self._listed, self.server), on_error=self._failed
        )

    def _listed(self, asked: Server, report: ServerReport) -> None:
        if asked != self.server:  # edited meanwhile
            return
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
        if len(names) == 1 and self.ok.isEnabled():
            self.ok.setFocus()
        else:
            self.models.setFocus()  # the first one is as good as any other
            present(self.models.lineEdit()).selectAll()
        if not names:
            say(self.note, "The server didn't list any models. Enter a model's name.", bad=True)

    def _failed(self, failure: Failure) -> None:
        self._check()
        self.url.setFocus()
        say(self.note, str(failure.problem) if failure.problem is not None else failure.summary, bad=True)
