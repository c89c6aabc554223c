"""The models that a user added, and which task uses which; stored in one small file in the user's data folder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine import user_files
from engine.errors import BadInput, EnvironmentProblem
from engine.models.folders import FolderReport, ModelKind, Precision, inspect_folder
from engine.models.language import LanguageModel, LanguageModelInfo, Manner, public_name
from engine.models.registry import fingerprint
from engine.models.server_language import Server, ServerKind, ServerLanguageModel, check_server
from engine.models.server_report import Offered, ServerReport
from engine.models.transformers_language import ProcessLanguageModel, TransformersLanguageModel
from engine.shown import visible_line

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True)
class Use:
    """A task that a model can be chosen for."""

    id: str
    title: str
    kind: ModelKind


USES = (
    Use("expertise-keywords", "Expertise: keywords of papers, for RATE", "language model"),
    Use("edit-generation", "Linking: proposed edits and responses", "language model"),
    Use("rebuttal-drafting", "Rebuttal: draft responses", "language model"),
    Use("review-labels", "Labels and Rebuttal: suggest sentence labels", "label encoder"),
    Use("review-drafting", "Review: draft and check by stages", "language model"),
    Use("review-judging", "ReviewBench: rubrics and scores", "language model"),
)


@dataclass(frozen=True, slots=True)
class AddedFolder:
    """An added folder, as inspected when it was added; tasks and scripts refer to it by ``id``.

    ``device``: torch's name, "" for the best; ``context``: a smaller limit than the folder's, or None for the folder's.
    """

    id: str
    title: str
    folder: Path
    report: FolderReport
    device: str = ""
    precision: Precision = "auto"
    context: int | None = None

    @property
    def kind(self) -> ModelKind:
        return self.report.kind

    @property
    def there(self) -> bool:
        return self.folder.is_dir()


@dataclass(frozen=True, slots=True)
class AddedServer:
    """A model on a server; nothing is sent until it is used. ``report`` is what the server said about it when it was
    added or checked; ``context`` takes precedence over it."""

    id: str
    title: str
    server: Server
    model: str
    context: int | None = None
    server_kind: ServerKind = "OpenAI-compatible"
    report: Offered | None = None

    @property
    def kind(self) -> ModelKind:
        return "language model"


Added = AddedFolder | AddedServer


class ModelLibrary:
    """Added models and choices, read from the file at each call, since the window and the command line share it."""

    def __init__(self, path: Path | None = None) -> None:
        self._given = path

    @property
    def path(self) -> Path:
        return self._given or user_files.data_folder() / "models.json"

    def added(self, kind: ModelKind | None = None) -> tuple[Added, ...]:
        """Returns the added models in the order they were added. Raises EnvironmentProblem if the file can't be
        read."""
        return tuple(entry for entry in self._entries() if kind is None or entry.kind == kind)

    def find(self, key: str) -> Added:
        """Returns the model with this id. Raises BadInput if there is none."""
        entries = self._entries()
        for entry in entries:
            if entry.id == key:
                return entry
        known = ", ".join(entry.id for entry in entries) or "none yet"
        raise BadInput(f"There is no model “{key}”.", "Nothing was changed.", f"Added models: {known}.")

    def chosen(self, use: str) -> Added | None:
        """Returns the model that a task uses: the user's choice, otherwise the only one of its kind, otherwise None. A
        stage ("review-drafting/insight") without a choice of its own uses its task's."""
        kind = _use(use).kind
        candidates = self.added(kind)
        uses = self._read()["uses"]
        if "/" in use and not uses.get(use):
            return self.chosen(use.partition("/")[0])
        if use in uses:
            return next((entry for entry in candidates if entry.id == uses[use]), None)
        return candidates[0] if len(candidates) == 1 else None

    def own_choices(self) -> frozenset[str]:
        """Returns the tasks and stages for which the user chose a model."""
        return frozenset(use for use, key in self._read()["uses"].items() if key)

    def add_folder(self, folder: Path, title: str = "", key: str = "") -> AddedFolder:
        """Inspects a folder and adds it; ``key`` is its id, by default derived from the title.

        Raises BadInput as ``inspect_folder`` does, or if the folder was already added or the id is taken.
        """
        folder = folder.expanduser().resolve()
        report = inspect_folder(folder)
        if any(isinstance(entry, AddedFolder) and entry.folder == folder for entry in self._entries()):
            raise BadInput(f"{folder.name} has already been added.", "Nothing was changed.")
        name = title.strip() or folder.name
        entry = AddedFolder(self._free_id(name, key), name, folder, report)
        self._keep(entry)
        return entry

    def add_server(
        self,
        server: Server,
        model: str,
        title: str = "",
        context: int | None = None,
        *,
        kind: ServerKind = "OpenAI-compatible",
        report: Offered | None = None,
        key: str = "",
    ) -> AddedServer:
        """Adds a server's model as ``look_at`` found it; nothing is sent. ``key`` is its id, by default derived from
        the title. Raises BadInput as ``check_server`` does, or if the id is taken."""
        if not model.strip():
            raise BadInput(
                "No model was chosen.", "Nothing was added.", "Choose one of the models that the server lists."
            )
        name = title.strip() or model
        known = context or (report.context if report is not None else None)
        entry = AddedServer(self._free_id(name, key), name, server, model, known, kind, report)
        _check_place(entry)
        self._keep(entry)
        return entry

    def update(self, entry: Added) -> None:
        """Stores changes to an added model: title, context, address, device, precision. Raises BadInput."""
        self.find(entry.id)
        if isinstance(entry, AddedServer):
            _check_place(entry)
        content = self._read()
        changed = _form().dump_python(entry, mode="json")
        content["models"] = [changed if kept["id"] == entry.id else kept for kept in content["models"]]
        user_files.write(self.path, content)

    def manner(self, use: str) -> Manner:
        """Returns the settings with which a stage ("review-drafting/insight") runs its model: its own, otherwise its
        task's."""
        manners = self._read()["manners"]
        try:
            return Manner(**manners.get(use) or manners.get(use.partition("/")[0]) or {})
        except (TypeError, BadInput):
            return Manner()

    def set_manner(self, use: str, manner: Manner) -> None:
        """Stores the settings with which a task or a stage runs its model."""
        _use(use)
        content = self._read()
        content["manners"][use] = asdict(manner)
        user_files.write(self.path, content)

    def checked(self, entry: AddedServer, seen: ServerReport) -> tuple[AddedServer, str]:
        """Stores what a server says about an added model. Returns the entry, and what is wrong ("" if nothing). Raises
        BadInput if the server no longer has it."""
        offered = seen.model(entry.model)
        entry = replace(entry, server_kind=seen.kind, report=offered, context=entry.context or offered.context)
        self.update(entry)
        if entry.context is None:
            return entry, "The number of tokens it can read is unknown. Enter it as the model's context."
        if offered.context is not None and offered.context < entry.context:
            return entry, (
                f"The server allows {offered.context:,} tokens, but the context is set to {entry.context:,}: longer "
                "prompts will fail. Lower the context, or load the model with a longer one."
            )
        return entry, ""

    def remove(self, key: str) -> Callable[[], None]:
        """Removes a model from the list; its folder isn't touched. Returns a function that adds it again in its old
        position and for its tasks, unless they use another one by then. Raises BadInput if there is no such model."""
        self.find(key)
        before = self._read()
        place = next(at for at, entry in enumerate(before["models"]) if entry["id"] == key)
        tasks = {use: chosen for use, chosen in before["uses"].items() if chosen == key}
        rest = {use: chosen for use, chosen in before["uses"].items() if chosen != key}
        models = [entry for entry in before["models"] if entry["id"] != key]
        user_files.write(self.path, before | {"models": models, "uses": rest})

        def restore() -> None:
            content = self._read()
            if all(entry["id"] != key for entry in content["models"]):
                content["models"].insert(place, before["models"][place])
            content["uses"] = tasks | content["uses"]
            user_files.write(self.path, content)

        return restore

    def choose(self, use: str, key: str) -> None:
        """Assigns a model to a task; "" assigns none.

        Raises BadInput if the model is of another kind or doesn't exist.
        """
        if key and self.find(key).kind != _use(use).kind:
            raise BadInput(f"“{key}” isn't a {_use(use).kind}.", "Nothing was changed.")
        content = self._read()
        content["uses"][use] = key
        user_files.write(self.path, content)

    def _read(self) -> dict[str, Any]:
        content = user_files.read(self.path)
        with self._readable():
            return {
                "models": list(content.get("models", [])),
                "uses": dict(content.get("uses", {})),
                "manners": dict(content.get("manners", {})),
            }

    def _entries(self) -> tuple[Added, ...]:
        with self._readable():
            return tuple(_form().validate_python(value) for value in self._read()["models"])

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EnvironmentProblem(
                f"The list of models in {self.path} has an entry that can't be read.",
                "None of the added models can be used.",
                "Repair the file, or move it away and add the models again.",
            ) from error

    def _free_id(self, name: str, wanted: str) -> str:
        taken = {entry.id for entry in self._entries()}
        plain = "".join(c if c.isalnum() or c in "._-" else " " for c in wanted or name)
        valid = plain.split() == [wanted]
        if wanted and (not valid or wanted in {*taken, "none"}):
            what = f"The id “{wanted}” is taken." if valid else f"“{visible_line(wanted)}” can't be an id."
            raise BadInput(what, "Nothing was added.", "Choose another one, of letters, digits, dots, _ and -.")
        stem = wanted or "-".join(plain.split()).lower() or "model"
        return next(key for key in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if key not in taken)

    def _keep(self, entry: Added) -> None:
        content = self._read()
        for use in USES:  # a task that uses the only model of its kind keeps it
            if use.kind == entry.kind and (only := self.chosen(use.id)) is not None:
                content["uses"].setdefault(use.id, only.id)
        content["models"].append(_form().dump_python(entry, mode="json"))
        user_files.write(self.path, content)


def load_language_model(entry: Added, *, beside_window: bool = False) -> LanguageModel:
    """Returns the model, ready to use; weights are loaded with the first question.

    Args:
        beside_window: run it in a child process, which the caller closes (``closed_after``).

    Raises BadInput (it isn't a language model, or a server's address isn't allowed) and EnvironmentProblem (the folder
    is missing).
    """
    if isinstance(entry, AddedServer):
        _check_place(entry)
        said = entry.report
        return ServerLanguageModel(
            entry.server, entry.model, title=entry.title, context=entry.context, kind=entry.server_kind,
            version=said.version if said else "", reasons=said is not None and "reasoning" in said.abilities,
        )  # fmt: skip
    if entry.kind != "language model":
        raise BadInput(f"“{entry.title}” isn't a language model.", "Nothing was written.", "Choose another model.")
    if not entry.there:
        raise EnvironmentProblem(
            f"The model folder {entry.folder} is missing.",
            "Nothing was written.",
            "Restore it, or choose another model in the Models pane.",
        )
    context = min(filter(None, (entry.context, entry.report.context)), default=None)
    version = " ".join(filter(None, (fingerprint(entry.folder), entry.device, entry.precision)))
    info = LanguageModelInfo(entry.id, entry.title, "transformers", version, context)
    backend = ProcessLanguageModel if beside_window else TransformersLanguageModel
    return backend(
        entry.folder, info, device=entry.device or None, precision=entry.precision, parameters=entry.report.parameters
    )


def _check_place(entry: AddedServer) -> None:
    """Raises BadInput as ``check_server`` does, and for a model that the server itself runs elsewhere."""
    check_server(entry.server)
    host = entry.report.host if entry.report is not None else ""
    if host and not entry.server.allow_remote:
        raise BadInput(
            f"{entry.title} doesn't run on this computer: the server passes requests on to {host}.",
            "Nothing was sent there, because papers and reviews would leave this computer.",
            "Choose a model that runs here, or turn on “Allow another computer” for this server.",
        )


Model = TypeVar("Model", bound=LanguageModel | None)


@contextmanager
def closed_after(model: Model) -> Iterator[Model]:
    """Yields the model for a ``with`` block; its process or its connections are closed afterwards."""
    try:
        yield model
    finally:
        if isinstance(model, ProcessLanguageModel | ServerLanguageModel):
            model.close()


def answers_as(entry: Added) -> str:
    """Returns the id under which projects know a language model (``LanguageModelInfo.id``), without loading it."""
    return entry.id if isinstance(entry, AddedFolder) else public_name(entry.model)


def _use(key: str) -> Use:
    task = key.partition("/")[0]
    return next(use for use in USES if use.id == task)


@cache
def _form() -> "TypeAdapter[Added]":
    from pydantic import TypeAdapter

    return TypeAdapter(AddedFolder | AddedServer)
