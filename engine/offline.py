"""Keeps libraries from using a network. Takes effect when ``engine`` is imported.

Two independent measures: modules whose native code sends usage data are never imported, and the variables that turn off
telemetry, downloads and update checks are set for this process and its child processes. docs/security.md explains each
entry.
"""

import os
import sys
import warnings
from collections.abc import Mapping
from types import MappingProxyType

ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_UPDATE_CHECK": "1",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_XET_TELEMETRY_ENABLED": "0",
        "ORT_DISABLE_TELEMETRY": "1",
        "OTEL_SDK_DISABLED": "true",
        "PYMUPDF_SUGGEST_LAYOUT_ANALYZER": "0",
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_OFFLINE": "1",
    }
)
"""Libraries read these when they are imported, so they are set before that in every process of the program."""

BLOCKED = ("hf_xet", "onnxruntime", "pymupdf.layout", "pymupdf4llm")
"""Modules that can't be imported. PyMuPDF imports its layout module if installed, which loads onnxruntime, whose native
client sends usage data; PyMuPDF has no option to prevent that. Hugging Face's transfer client has its own telemetry."""


def apply() -> None:
    """Sets the variables, which child processes inherit, and blocks the modules. Warns if a blocked module is already
    loaded, which happens only in a notebook that imported it first."""
    os.environ.update(ENVIRONMENT)
    for name in BLOCKED:
        if sys.modules.get(name) is not None:
            warnings.warn(
                f"{name} was imported before Rejoinder, which never loads it: it may use the network. Import engine"
                " first.",
                RuntimeWarning,
                stacklevel=2,
            )
            continue
        sys.modules[name] = None  # type: ignore[assignment]  # Python then raises ModuleNotFoundError for it
