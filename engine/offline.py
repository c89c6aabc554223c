"""What keeps libraries that could reach a network from doing it; takes effect when ``engine`` is imported.

Two independent lines: modules whose native code sends usage data are never imported, and the switches by which
libraries turn off telemetry, downloads and update checks are set for this process and for those it starts. What each
entry is for is listed in docs/security.md.
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
"""Read by the libraries when they are imported; each process of the program has all of them before that."""

BLOCKED = ("hf_xet", "onnxruntime", "pymupdf.layout", "pymupdf4llm")
"""Modules that cannot be imported. PyMuPDF imports its layout module where it is installed, that loads onnxruntime, and
onnxruntime's native client sends usage data; PyMuPDF has no switch for it. Hugging Face's transfer client has telemetry
of its own."""


def apply() -> None:
    """Sets the switches and blocks the modules; for processes that this one starts, the switches are inherited.

    Warns where a blocked module is loaded already, which happens only in a notebook that imported it first.
    """
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
