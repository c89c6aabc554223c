"""What Rejoinder is made of may be passed on with it: dependencies, data and weights, by what each says of itself."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from scripts.make_package import dependencies

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
COMPATIBLE = frozenset({
    "AGPL-3.0-or-later", "0BSD", "AGPL-3.0-only",
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "CC0-1.0", "CNRI-Python",
    "ISC", "LGPL-3.0-only", "LLVM-exception", "MIT", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Public-Domain", "Zlib",
    "GPL-3.0-only",
})  # fmt: skip
"""Licences whose works may be part of one under AGPL-3.0 or later."""
NAMES = {
    "Apache 2.0": "Apache-2.0", "Apache 2.0 License": "Apache-2.0", "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0", "BSD": "BSD-3-Clause", "BSD License": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause", "3-Clause BSD License": "BSD-3-Clause", "2-clause BSD": "BSD-2-Clause",
    "ISC License": "ISC", "ISC License (ISCL)": "ISC", "MIT License": "MIT", "MIT, BSD": "MIT AND BSD-3-Clause",
    "PSFL": "PSF-2.0", "Python Software Foundation License": "PSF-2.0", "Public Domain": "Public-Domain",
    "Dual Licensed - GNU AFFERO GPL 3.0 or Artifex Commercial License": "AGPL-3.0-only",
}  # fmt: skip
"""What metadata say instead of an SPDX identifier."""
PARTS_OF_PYMUPDF = {"pymupdf-layout", "pymupdf4llm"}
"""Empty distributions without a licence, which PyMuPDF 2 requires; what they were is part of PyMuPDF."""


def licence_of(name: str) -> str:
    """What an installed distribution says of its licence, as an SPDX expression."""
    if name in PARTS_OF_PYMUPDF:
        assert {Path(str(file)).suffix for file in metadata.files(name) or ()} <= {"", ".pyc"}, name
        return licence_of("pymupdf")
    about = metadata.metadata(name)
    if found := about.get("License-Expression"):
        return str(found)
    first = (about.get("License") or "").strip().split("\n")[0]
    classes = [line.split(" :: ")[-1] for line in about.get_all("Classifier") or () if line.startswith("License ::")]
    for said in (first, *classes):
        if said in NAMES or (said and fits(said)):
            return NAMES.get(said, said)
    return f"unknown ({first}, {classes})"


def terms(expression: str) -> set[str]:
    """The licences in an SPDX expression."""
    return set(re.findall(r"[A-Za-z0-9][\w.-]*", expression)) - {"AND", "OR", "WITH"}


def fits(expression: str) -> bool:
    """Whether a work under the expression may be passed on with Rejoinder: all parts, or one of the alternatives."""
    return all(
        any((named := terms(way)) and named <= COMPATIBLE for way in part.split(" OR "))
        for part in expression.split(" AND ")
    )


def listed(heading: str) -> dict[str, str]:
    """The rows of a table of the page: first column to licence."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `?([^|`]+?)`?(?: \([^|]*)? \| ([^|]+?) \|", part, re.MULTILINE)
    return dict(rows[2:])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems install some others")
def test_every_dependency_is_listed_with_the_licence_that_it_states() -> None:
    of_gpus = ("nvidia-", "cuda-", "triton")
    installed = {name for name in dependencies() if not name.startswith(of_gpus)}
    assert listed("Libraries") == {name: licence_of(name) for name in sorted(installed)}


def test_every_licence_fits_that_of_rejoinder() -> None:
    assert (
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license"]
        == "AGPL-3.0-or-later"
    )
    said = listed("Libraries") | listed("Data and weights")
    assert len(said) > 90 and {name: licence for name, licence in said.items() if not fits(licence)} == {}


@pytest.mark.parametrize(
    ("expression", "holds"),
    [("MIT AND CC-BY-NC-4.0", False), ("GPL-2.0-only", False), ("GPL-2.0-only OR LGPL-3.0-only", True),
     ("unknown (, [])", False), ("=========", False), ("", False),
     ("Apache-2.0 WITH LLVM-exception", True), ("Proprietary", False)],
)  # fmt: skip
def test_a_licence_that_does_not_fit_is_found(expression: str, holds: bool) -> None:
    assert fits(expression) is holds


def test_weights_and_data_that_ship_are_listed_with_the_licences_of_their_cards() -> None:
    rows = listed("Data and weights")
    for card in (ROOT / "resources" / "heads").glob("*.json"):
        said = json.loads(card.read_text(encoding="utf-8"))
        assert rows[f"resources/heads/{card.stem}.safetensors"] == "AGPL-3.0-or-later" == said["licence"]
        assert f"{said['data']} | {said['data_licence']}" in PAGE and fits(said["data_licence"])
    weights = {".safetensors", ".bin", ".onnx", ".npz", ".pt", ".h5", ".joblib", ".pkl", ".model"}
    shipped = {file.relative_to(ROOT).as_posix() for file in (ROOT / "resources").rglob("*") if file.suffix in weights}
    assert shipped <= set(rows) and "resources/aligners/fused.json" in rows
    assert {file.name for file in (ROOT / "resources").iterdir() if file.is_dir() and file.name[0] not in "._"} <= {
        row.split("/")[1] for row in rows if row.startswith("resources/")
    }
