"""Settings: typed, remembered, never silently lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app import settings as module
from desktop_app.settings import RECENT_KEPT, SPEC, Settings, WindowState
from engine.errors import EnvironmentProblem
from engine.user_files import config_folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def test_the_folder_is_that_of_the_environment(own_home: Path) -> None:
    assert config_folder() == own_home / "config"


def test_every_setting_has_words_and_an_allowed_default() -> None:
    assert len({s.name for s in SPEC}) == len(SPEC)
    for setting in SPEC:
        assert setting.title and setting.description.endswith(".")
        assert setting.check(setting.default) == setting.default


def test_what_is_chosen_comes_back(path: Path, qtbot: QtBot) -> None:
    settings = Settings(path)
    with qtbot.waitSignal(settings.changed, check_params_cb=lambda name: name == "annotator.name"):
        settings.set("annotator.name", "Ada")
    settings.set("appearance.zoom", 1.25)
    qtbot.waitUntil(path.exists)  # by itself, after the pause
    again = Settings(path)
    assert again.text("annotator.name") == "Ada"
    assert again.number("appearance.zoom") == 1.25
    assert again.trouble == []


def test_defaults_are_not_written(path: Path) -> None:
    settings = Settings(path)
    settings.set("annotator.name", "Ada")
    settings.set("annotator.name", "")
    settings.flush()
    assert not path.exists() or json.loads(path.read_text()) == {"version": module.VERSION}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("appearance.scheme", "pink"),
        ("appearance.zoom", 9.0),
        ("appearance.zoom", "big"),
        ("annotator.name", 3),
        ("work.reopen_last", "yes"),
    ],
)
def test_a_value_that_the_spec_does_not_have_is_refused(path: Path, name: str, value: object) -> None:
    settings = Settings(path)
    before = settings[name]
    with pytest.raises(ValueError, match=next(one.title for one in SPEC if one.name == name)):
        settings.set(name, value)
    assert settings[name] == before


def test_unknown_names_are_kept(path: Path) -> None:
    path.write_text(json.dumps({"version": 1, "from.the.future": [1, 2], "annotator.name": "Ada"}))
    settings = Settings(path)
    settings.set("annotator.name", "Grace")
    settings.flush()
    stored = json.loads(path.read_text())
    assert stored["from.the.future"] == [1, 2]
    assert stored["annotator.name"] == "Grace"


@pytest.mark.parametrize("content", [b"{ not json", b"[1, 2]", b"\xff\xfe\x00", b""])
def test_an_unreadable_file_is_kept_aside_and_reported(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    settings = Settings(path)
    assert len(settings.trouble) == 1
    aside = path.with_name("settings.json.unreadable-1")
    assert aside.read_bytes() == content
    assert str(aside) in settings.trouble[0].do
    settings.set("annotator.name", "Ada")
    settings.flush()
    path.write_bytes(b"broken again")
    Settings(path)
    assert aside.read_bytes() == content
    assert path.with_name("settings.json.unreadable-2").exists()


def test_one_bad_value_costs_only_itself(path: Path) -> None:
    path.write_text(json.dumps({"version": 1, "appearance.zoom": 77, "annotator.name": "Ada"}))
    settings = Settings(path)
    assert settings.number("appearance.zoom") == 1.0
    assert settings.text("annotator.name") == "Ada"
    assert "Text size" in settings.trouble[0].what


def test_older_files_are_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "VERSION", 3)
    steps = {
        1: lambda old: {"annotator.name": old.pop("name"), **old},
        2: lambda old: {**old, "appearance.zoom": old.pop("zoom") / 100},
    }
    monkeypatch.setattr(module, "MIGRATIONS", steps)
    path.write_text(json.dumps({"version": 1, "name": "Ada", "zoom": 150, "other": True}))
    settings = Settings(path)
    assert settings.text("annotator.name") == "Ada"
    assert settings.number("appearance.zoom") == 1.5
    settings.flush()
    assert json.loads(path.read_text())["version"] == 3


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "file").write_text("")
    settings = Settings(tmp_path / "file" / "settings.json")
    settings.set("annotator.name", "Ada")
    with qtbot.waitSignal(settings.problem) as heard:
        settings.flush()
    assert isinstance(heard.args[0], EnvironmentProblem)
    assert settings.text("annotator.name") == "Ada"


def test_shortcuts_are_remembered(path: Path) -> None:
    settings = Settings(path)
    settings.set_shortcuts({"edit.undo": "Ctrl+U"})
    settings.flush()
    assert Settings(path).shortcuts == {"edit.undo": "Ctrl+U"}


def test_recent_projects_are_few_unique_and_the_latest_is_first(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "window.json")
    for number in range(RECENT_KEPT + 3):
        state.add_recent(tmp_path / f"{number}.rejoinder", f"Paper {number}")
    state.add_recent(tmp_path / "5.rejoinder", "Paper 5, revised")
    state.save()
    kept = WindowState(tmp_path / "window.json")
    recent = kept.recent
    assert len(recent) == RECENT_KEPT
    assert recent[0] == (tmp_path / "5.rejoinder").resolve()
    assert len(set(recent)) == len(recent)
    assert set(kept.titles) == {str(path) for path in recent}, "no title of a project that is listed no more"
    assert kept.titles[str(recent[0])] == "Paper 5, revised"
    kept.forget_recent(recent[0])
    assert set(kept.titles) == {str(path) for path in kept.recent}


def test_broken_window_state_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "window.json").write_text('{"recent": 3, "titles": [1], "geometry": 5}')
    state = WindowState(tmp_path / "window.json")
    assert state.recent == [] and state.titles == {}
    assert state.bytes("geometry").isEmpty()
    (tmp_path / "window.json").write_text("nonsense")
    assert WindowState(tmp_path / "window.json").recent == []


def test_two_windows_keep_each_others_choices_and_recent_projects(path: Path, tmp_path: Path) -> None:
    first, second = Settings(path), Settings(path)
    first.set("appearance.scheme", "dark")
    first.set("appearance.zoom", 1.5)
    first.flush()
    second.set("annotator.name", "Ada")
    second.flush()
    first.set("appearance.zoom", 1.0)
    first.flush()
    again = Settings(path)
    chosen = (again.text("appearance.scheme"), again.number("appearance.zoom"), again.text("annotator.name"))
    assert chosen == ("dark", 1.0, "Ada")
    kept = tmp_path / "window.json"
    one = WindowState(kept)
    one.add_recent(tmp_path / "one.rejoinder", "One")
    one.save()
    two = WindowState(kept)
    two.add_recent(tmp_path / "two.rejoinder", "Two")
    two.save()
    one.set_text("pane", "home")
    one.save()
    assert [recent.stem for recent in WindowState(kept).recent] == ["two", "one"]
