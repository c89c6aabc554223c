"""What could use a network is neither importable nor switched on, in any process of the program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from engine import offline

ROOT = Path(__file__).resolve().parent.parent
STARTS = {
    "engine": "import engine",
    "command line": "import engine.cli.main",
    "window": "import desktop_app.main",
    "document worker": "import engine.documents.worker, pymupdf",
    "model process": "import engine.models.encoder_worker, sentence_transformers",
    "label process": "import engine.reviews.labels.classifier",
    "training process": "import engine.research.labels.process",
}
NEVER = {"onnxruntime", "pymupdf.layout", "pymupdf4llm", "hf_xet"}
SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",
    "PYMUPDF_SUGGEST_LAYOUT_ANALYZER": "0",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
}
"""The least that must hold, whatever ``engine.offline`` lists."""
REPORT = """
import json, os, sys
print(json.dumps({"modules": [m for m, found in sys.modules.items() if found is not None], "env": dict(os.environ)}))
"""


def _state_after(code: str) -> dict[str, list[str] | dict[str, str]]:
    environment = {name: value for name, value in os.environ.items() if name not in offline.ENVIRONMENT}
    done = subprocess.run(
        [sys.executable, "-c", code + REPORT], cwd=ROOT, env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, list[str] | dict[str, str]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("start", STARTS)
def test_every_start_sets_the_switches_and_loads_nothing_of_what_is_blocked(start: str) -> None:
    state = _state_after(STARTS[start])
    roots = {name for name in state["modules"] if name in offline.BLOCKED or name.partition(".")[0] in offline.BLOCKED}
    assert roots == set() and set(offline.BLOCKED) >= NEVER
    assert isinstance(state["env"], dict) and SWITCHES.items() <= state["env"].items()
    assert {name: state["env"].get(name) for name in offline.ENVIRONMENT} == dict(offline.ENVIRONMENT)


@pytest.mark.parametrize("name", offline.BLOCKED)
def test_what_is_blocked_cannot_be_imported(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import engine\ntry: import {name}\nexcept ModuleNotFoundError: print('refused')"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "refused\n"


def test_without_the_block_pymupdf_would_load_onnxruntime() -> None:
    """The reason for it all, so that it can go when this fails. The switches hold, so nothing is sent."""
    code = "import sys, pymupdf; print('onnxruntime' in sys.modules)"
    environment = {**os.environ, **offline.ENVIRONMENT}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_the_libraries_read_their_switches() -> None:
    code = (
        "import engine, json\n"
        "from huggingface_hub import constants as c\n"
        "print(json.dumps([c.HF_HUB_OFFLINE, c.HF_HUB_DISABLE_TELEMETRY, c.HF_HUB_DISABLE_UPDATE_CHECK]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [True, True, True]


NETWORK_CODE = re.compile(
    rb"^\s*(?:import|from)\s+(?:socket|ssl|http\.client|http\.server|urllib\.request|ftplib|smtplib|xmlrpc|requests|httpx2?|"
    rb"aiohttp|websockets?)\b",
    re.MULTILINE,
)


def _has_network_code(distribution: metadata.Distribution) -> bool:
    """Whether Python modules import a client or server, or a native library looks names up."""
    for file in distribution.files or ():
        if ".dist-info" in str(file) or "tests" in file.parts:
            continue
        path = Path(str(distribution.locate_file(file)))
        if path.is_file() and (
            (path.suffix == ".py" and NETWORK_CODE.search(path.read_bytes()))
            or (".so" in path.name and b"getaddrinfo" in path.read_bytes())
        ):
            return True
    return False


def test_the_page_on_security_names_every_library_with_network_code_and_every_switch() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    table = page[page.index("## Libraries") : page.index("## Confinement")].lower().replace("_", "-")
    words = set(re.findall(r"[a-z0-9.-]+", table))
    names = {re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower(): d for d in metadata.distributions()}
    found = {name for name, distribution in names.items() if _has_network_code(distribution)}
    assert {"httpx2", "onnxruntime", "huggingface-hub"} <= found, "the scan finds what is known"
    assert found - words - {"rejoinder"} == set()
    assert not [name for name in (*offline.ENVIRONMENT, *offline.BLOCKED) if name not in page]
