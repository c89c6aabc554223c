"""What a project must hold after a crash: a model of the acknowledged work, and the examination of what is on disk.

A worker (``kills.py``) writes two lines per verb to a pipe: before it begins, what the file holds when the verb is
done; after it returned, that it is done. ``Ledger`` collects the lines. ``examine`` opens what a crash left and
compares: an acknowledged verb must have happened, the one under way happened completely or not at all.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.project import Project, backups
from engine.project.merge import merge_files

MINE, THEIRS = "mine.rejoinder", "theirs.rejoinder"
FIRST, SECOND = "First", "Second"
CATEGORIES = ("lost", "unsound", "false_result", "leftover", "blocked", "error")
"""Lost: acknowledged work is missing. Unsound: a file fails its check. False result: a file that is neither absent nor
complete, or a state between two acts. Leftover: an unknown file stays after the next opening. Blocked: a file cannot be
opened, or a verb cannot be repeated. Error: a verb failed without a crash."""
_LOCK_BYTES = 1_024
"""A lock, or the record of who holds the file, is no larger: none of the project's text is in it."""


@dataclass
class Model:
    """The content of a project as it follows from the verbs.

    A step is [state, coalescing key, {name: [before, after]}]; states are d(one), u(ndone), a(bandoned).
    """

    steps: list[list[Any]] = field(default_factory=list)
    content: dict[str, str] = field(default_factory=dict)
    blobs: list[str] = field(default_factory=list)
    referenced: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=lambda: [FIRST])
    seen: list[str] = field(default_factory=list)

    def changed(self) -> Model:
        """A copy to change."""
        return copy.deepcopy(self)

    def act(self, values: Mapping[str, str], key: str | None = None) -> Model:
        """After an act that sets these values; one with the key of the last step continues that step."""
        after = self.changed()
        effects = {name: [self.content.get(name), value] for name, value in values.items()}
        last = after.steps[-1] if after.steps else None
        if key is not None and last is not None and last[0] == "d" and last[1] == key:
            for name, (before, value) in effects.items():
                last[2][name] = [last[2].get(name, [before])[0], value]
        else:
            after.steps.append(["d", key, effects])
        for step in after.steps[:-1]:
            step[0] = "a" if step[0] == "u" else step[0]
        after.content.update(values)
        return after

    def at_step(self, index: int) -> Model:
        """After undoing what is done beyond step ``index`` (-1: all), or else redoing what is undone up to it."""
        after = self.changed()
        back = [step for step in after.steps[index + 1 :] if step[0] == "d"]
        for step in reversed(back):
            after._play(step, 0)
        for step in [] if back else after.steps[: index + 1]:
            if step[0] == "u":
                after._play(step, 1)
        return after

    def _play(self, step: list[Any], side: int) -> None:
        step[0] = "ud"[side]
        for name, values in step[2].items():
            if values[side] is None:
                self.content.pop(name, None)
            else:
                self.content[name] = values[side]

    def reachable(self) -> list[int]:
        """The indexes of the steps that undo and redo can reach."""
        return [number for number, step in enumerate(self.steps) if step[0] != "a"]

    def done(self) -> list[int]:
        """The indexes of the steps that are done."""
        return [number for number, step in enumerate(self.steps) if step[0] == "d"]

    def with_blob(self, key: str) -> Model:
        """After a file was kept that nothing refers to."""
        after = self.changed()
        after.blobs = sorted({*after.blobs, key})
        return after

    def compacted(self) -> Model:
        """After files that nothing refers to were dropped."""
        after = self.changed()
        after.blobs = [key for key in after.blobs if key in after.referenced]
        return after

    def merged(self, titles: Iterable[str]) -> Model:
        """After merging the other file, whose own papers are ``titles``: those not merged before come as one act."""
        new = [title for title in titles if title not in self.seen]
        after = self.act({f"paper {title}": "" for title in new})
        after.seen += new
        after.people = sorted({*after.people, SECOND})
        return after

    def face(self) -> str:
        """What can be read of it in a file, as one comparable text."""
        states = "".join(step[0] for step in self.steps)
        return _face(self.content, states, self.blobs, self.people)


def _face(content: Mapping[str, str], states: str, blobs: Iterable[str], people: Iterable[str]) -> str:
    parts = {"content": content, "steps": states, "blobs": sorted(blobs), "people": sorted(people)}
    return json.dumps(parts, sort_keys=True)


def content_of(query: Callable[[str], Iterable[Any]]) -> dict[str, str]:
    """Papers with their abstracts, and documents with their hashes, by name."""
    content = {f"paper {row[0]}": str(row[1]) for row in query("SELECT title, abstract FROM paper")}
    return content | {f"document {row[0]}": str(row[1]) for row in query("SELECT filename, sha256 FROM document")}


def face_of(project: Project) -> str:
    """The same text as ``Model.face``, from an open project."""
    states = "".join(entry.state[0] for entry in reversed(project.history(limit=10**6)))
    blobs = [row[0] for row in project.query("SELECT sha256 FROM blob")]
    return _face(content_of(project.query), states, blobs, [name for _, name in project.annotators()])


def difference(found: str, wanted: str) -> str:
    """Where two faces differ, in words."""
    left, right = json.loads(found), json.loads(wanted)
    heard = []
    for part in left:
        if left[part] == right[part]:
            continue
        if isinstance(left[part], dict):
            names = sorted(n for n in {*left[part], *right[part]} if left[part].get(n) != right[part].get(n))
            heard += [f"{n}: {left[part].get(n)!r} for {right[part].get(n)!r}" for n in names[:4]]
        else:
            heard.append(f"{part}: {left[part]} for {right[part]}")
    return "; ".join(heard)


@dataclass
class Ledger:
    """What the workers of one folder announced and acknowledged."""

    model: Model
    theirs: list[str]
    past: dict[str, dict[str, Any]] = field(default_factory=dict)
    pending: dict[int, dict[str, Any]] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    newest_backup: str = ""
    verified: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    verbs: int = 0

    def __post_init__(self) -> None:
        self._remember(self.model)

    @classmethod
    def of(cls, saved: Mapping[str, Any]) -> Ledger:
        """A ledger that begins with what ``saved`` returned."""
        return cls(Model(**saved["model"]), list(saved["theirs"]))

    def saved(self) -> dict[str, Any]:
        """What both files hold, as JSON."""
        return {"model": asdict(self.model), "theirs": self.theirs}

    def _remember(self, model: Model) -> None:
        self.past[model.face()] = asdict(model)

    def take(self, event: dict[str, Any]) -> None:
        """One line of a worker."""
        if "begin" in event:
            self.pending[event["begin"]] = event
            if after := event.get("after"):
                self._remember(Model(**after))
        elif "done" in event:
            begun = self.pending.pop(event["done"])
            self.verbs += 1
            if after := begun.get("after"):
                self.model = Model(**after)
            if title := begun.get("theirs"):
                self.theirs.append(title)
            for made in (begun.get("make"), event.get("make")):
                if made:
                    self.made[made["name"]] = made
            self.newest_backup = event.get("backup", self.newest_backup)
        elif "error" in event:
            self.errors.append(event["error"])

    def choices(self) -> list[Model]:
        """What the project may hold: the acknowledged state, or that after the act under way."""
        return [self.model, *(Model(**event["after"]) for event in self.pending.values() if event.get("after"))]


class Examination:
    """One look at a folder after a crash."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.folder, self.ledger = folder, ledger
        self.violations: list[tuple[str, str]] = []
        self.model: Model | None = None
        self.theirs = list(ledger.theirs)
        self._pending = [event["make"] for event in ledger.pending.values() if event.get("make")]

    def run(self) -> dict[str, Any]:
        """Opens everything as the next session would; the result is JSON."""
        for error in self.ledger.errors:
            self._tell("error", error)
        self._look("blocked", MINE, self._project)
        if self.model is not None:
            self._look("blocked", THEIRS, self._other)
            self._unknown_files(closed=False)
            self._backups()
            for made in self.ledger.made.values():
                self._look("false_result", made["name"], lambda m=made: self._result(m, acknowledged=True))
            for made in self._pending:
                self._look("false_result", made["name"], lambda m=made: self._result(m, acknowledged=False))
            self._kept_by_restore()
            self._unknown_files(closed=True)
        return {
            "violations": self.violations,
            "model": None if self.model is None else asdict(self.model),
            "theirs": self.theirs,
            "verified": sorted(self.ledger.verified),
        }

    def _tell(self, category: str, sentence: str) -> None:
        begun = ", ".join(event["verb"] for event in self.ledger.pending.values()) or "no verb"
        found = category, f"{sentence} [during {begun}]"
        if found not in self.violations:
            self.violations.append(found)

    def _look(self, category: str, name: str, look: Any) -> None:
        try:
            look()
        except Exception as error:
            self._tell(category, f"{name}: {type(error).__name__}: {error}")

    def _project(self) -> None:
        with Project.open(self.folder / MINE, annotator=FIRST) as project:
            if project.read_only:
                self._tell("blocked", f"the project opens for reading only: {project.read_only_reason}")
            self._sound(project)
            found = face_of(project)
            by_face = {model.face(): model for model in self.ledger.choices()}
            self.model = by_face.get(found)
            if self.model is None:
                missing = json.loads(self.ledger.model.face())["content"].keys() - json.loads(found)["content"].keys()
                category = "lost" if missing or found in self.ledger.past else "false_result"
                self._tell(category, difference(found, self.ledger.model.face()))

    def _other(self) -> None:
        with Project.open(self.folder / THEIRS, annotator=SECOND) as project:
            self._sound(project)
            found = {name.removeprefix("paper ") for name in content_of(project.query)}
            begun = {event["theirs"] for event in self.ledger.pending.values() if event.get("theirs")}
            if missing := set(self.ledger.theirs) - found:
                self._tell("lost", f"{THEIRS} lacks {sorted(missing)}")
            self.theirs += sorted(begun & found)

    def _sound(self, project: Project) -> None:
        if problems := project.check():
            self._tell("unsound", f"{project.path.name}: {problems[0]}")

    def _backups(self) -> None:
        path = self.folder / MINE
        names = set()
        for backup in backups(path):
            names.add(backup.path.name)
            if backup.path.name not in self.ledger.verified:
                self._look("unsound", backup.path.name, lambda p=backup.path: self._known_state(p, "backup"))
        self.ledger.verified = names
        if self.ledger.newest_backup and self.ledger.newest_backup not in names:
            self._tell("lost", f"the backup {self.ledger.newest_backup} is gone")

    def _known_state(self, path: Path, what: str) -> None:
        with Project.open(path, read_only=True) as project:
            self._sound(project)
            if face_of(project) not in self.ledger.past:
                near = difference(face_of(project), self.ledger.model.face())
                self._tell("false_result", f"{what} {path.name} is no state the project was in: {near}")

    def _kept_by_restore(self) -> None:
        for path in self.folder.glob("mine.replaced*.rejoinder"):
            self._look("unsound", path.name, lambda p=path: self._known_state(p, "replaced file"))
            self._remove(path)

    def _result(self, made: Mapping[str, Any], *, acknowledged: bool) -> None:
        path = self.folder / made["name"]
        if not path.exists():
            if acknowledged or made["kind"] == "migrated":
                self._tell("lost", f"{path.name} was made and is gone")
            self._again(path, made)
        else:
            with Project.open(path, annotator=FIRST) as project:
                self._sound(project)
                if made["kind"] == "copy":
                    if face_of(project) != made["face"]:
                        self._tell("false_result", f"{path.name}: {difference(face_of(project), made['face'])}")
                elif content_of(project.query) != made["content"]:
                    lacks = sorted(made["content"].keys() - content_of(project.query).keys())
                    self._tell("false_result", f"{path.name} ({made['kind']}) lacks {lacks}")
            good = {backup.path for backup in backups(path)}
            for left in path.with_name(f"{path.stem}.backups").glob("*"):
                if left not in good:
                    self._tell("leftover", str(left.relative_to(self.folder)))
        self._remove(path)

    def _again(self, path: Path, made: Mapping[str, Any]) -> None:
        """What was interrupted can be done again under the same name."""
        try:
            if made["kind"] == "new":
                Project.create(path, annotator=FIRST).close()
            elif made["kind"] == "copy":
                with Project.open(self.folder / MINE, read_only=True) as project:
                    project.save_copy(path)
            elif made["kind"] == "merged":
                merge_files(self.folder / MINE, self.folder / THEIRS, path)
            Project.open(self.folder / MINE, annotator=FIRST).close()  # readers leave an empty log beside it
        except Exception as error:
            self._tell("blocked", f"{path.name} cannot be made again: {error}")

    def _remove(self, path: Path) -> None:
        for ending in ("", "-wal", "-shm", "-journal"):  # a file that was opened for reading only keeps its log
            path.with_name(path.name + ending).unlink(missing_ok=True)
        shutil.rmtree(path.with_name(f"{path.stem}.backups"), ignore_errors=True)

    def _unknown_files(self, *, closed: bool) -> None:
        """Files that a crash left and that the next opening did not remove: each is a copy of confidential text."""
        known = {MINE, THEIRS, *(made["name"] for made in (*self.ledger.made.values(), *self._pending))}
        known = {name for name in known if (self.folder / name).exists()}
        known |= {path.name for path in self.folder.glob("mine.replaced*.rejoinder")}
        if not closed:
            known |= {name + ending for name in known for ending in ("-wal", "-shm", "-journal")}
        good = {backup.path for name in known for backup in backups(self.folder / name)}
        for path in sorted(self.folder.rglob("*")):
            if not closed and path.parent not in (self.folder, self.folder / "mine.backups"):
                continue  # looked at when its project was opened
            if path.is_dir() or path in good or (path.parent == self.folder and path.name in known):
                continue
            if path.match("old-*.rejoinder"):
                continue  # copied for a migration that had not begun
            if path.name.endswith((".lock", ".holder")) and path.stat().st_size < _LOCK_BYTES:
                continue
            self._tell("leftover", str(path.relative_to(self.folder)))


def examine(folder: Path, ledger: Ledger) -> dict[str, Any]:
    """What is wrong in the folder after a crash ({"violations": [(category, sentence)], ...}), and what it holds."""
    return Examination(folder, ledger).run()
