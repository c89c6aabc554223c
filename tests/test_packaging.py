"""Desktop integration: what is declared is what the program writes and understands."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest

from desktop_app.project_control import ANSWERS_SUFFIX, PACKAGE_SUFFIX, RESULTS_SUFFIX, STUDY_SUFFIX, SUFFIX
from engine.exchange.study_file import preview_release, study_file
from engine.expertise.records import SurveyParticipant, SurveyRow
from engine.expertise.survey import new_study
from engine.papers.records import LibraryPaper
from engine.project import Project
from tests.engine.operations.packaged import at, dealt, lead_project

ROOT = Path(__file__).resolve().parents[1]
LINUX = ROOT / "packaging" / "linux"
NAMES = "{http://www.freedesktop.org/standards/shared-mime-info}"


def kinds() -> dict[str, ET.Element]:
    return {kind.attrib["type"]: kind for kind in ET.parse(LINUX / "rejoinder.xml").getroot()}


def entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(LINUX / "rejoinder.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def matches(match: ET.Element, content: bytes) -> bool:
    """As shared-mime-info reads a rule: at any of the offsets, and one of the inner rules where there are some."""
    value = match.attrib["value"].encode().decode("unicode_escape").encode()
    first, _, last = match.attrib["offset"].partition(":")
    here = any(content[at : at + len(value)] == value for at in range(int(first), int(last or first) + 1))
    inner = list(match)
    return here and (not inner or any(matches(one, content) for one in inner))


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Path]:
    study = new_study("A study", key="s")
    person = SurveyParticipant("", "", "k", "P", "2026-03-01T09:00:00+00:00")
    files = {kind: tmp_path / f"a{ending}" for kind, ending in (("study", STUDY_SUFFIX), ("answers", ANSWERS_SUFFIX))}
    files["study"].write_bytes(study_file(study).content)
    rows = [SurveyRow("r", "k", LibraryPaper("p", "On bees", "We count bees.", 2024, link="https://x.org/p"), 3.25)]
    files["answers"].write_bytes(
        preview_release(study, person, rows, [], written_at="2026-03-01T10:00:00+00:00").file.content
    )
    files["project"] = tmp_path / f"a{SUFFIX}"
    Project.create(files["project"]).close()
    with lead_project(tmp_path / "lead.rejoinder") as project:
        package = dealt(project, tmp_path / "out", "sentences")[0]
    results = at(package, tmp_path / "ann.rejoinder", lambda person: person.decide(0, 0))
    assert (package.suffix, results.suffix) == (PACKAGE_SUFFIX, RESULTS_SUFFIX)
    return files | {"package": package, "results": results}


def test_types_know_the_files_that_the_program_writes_and_no_others(written: dict[str, Path]) -> None:
    found = kinds()
    assert set(found) == {f"application/x-rejoinder-{name}" for name in written}
    for name, path in written.items():
        glob = found[f"application/x-rejoinder-{name}"].find(f"{NAMES}glob")
        assert glob is not None and glob.attrib["pattern"] == f"*{path.suffix}"
        content = path.read_bytes()
        recognised = {
            kind
            for kind, element in found.items()
            if any(matches(rule, content) for magic in element.iter(f"{NAMES}magic") for rule in magic)
        }
        assert recognised == {f"application/x-rejoinder-{name}"}


def test_the_entry_calls_a_command_that_is_installed_with_a_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command, argument = entry()["Exec"].split()
    assert command in project["gui-scripts"] and argument == "%f"
    opened = set(filter(None, entry()["MimeType"].split(";")))
    names = ("project", "package", "results", "study")
    assert opened == {f"application/x-rejoinder-{name}" for name in names} <= set(kinds())


def test_installing_puts_everything_in_its_place(tmp_path: Path) -> None:
    done = subprocess.run(
        [LINUX / "install.sh", tmp_path], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Error" not in done.stderr
    for name in (
        "applications/rejoinder.desktop", "mime/packages/rejoinder.xml", "icons/hicolor/scalable/apps/rejoinder.svg",
    ):  # fmt: skip
        assert (tmp_path / name).is_file()
    if shutil.which("update-mime-database"):
        globs = (tmp_path / "mime" / "globs2").read_text()
        assert all(f"application/x-rejoinder-{name}:*.rejoinder-{name}" in globs for name in ("study", "package"))
    if shutil.which("desktop-file-validate"):
        subprocess.run(["desktop-file-validate", tmp_path / "applications" / "rejoinder.desktop"], check=True)


def test_any_other_zip_is_none_of_ours(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("manifest.json", "{}")
        archive.writestr("background.js", "")
    content = (tmp_path / "other.zip").read_bytes()
    rules = [rule for kind in kinds().values() for magic in kind.iter(f"{NAMES}magic") for rule in magic]
    assert not any(matches(rule, content) for rule in rules)
