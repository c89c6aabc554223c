"""The processes that read PDFs: what is loaded into them, and what they can do, while they do their real work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.documents.service import DocumentService

linux = pytest.importorskip("engine.confinement.linux", exc_type=ImportError)
pytestmark = pytest.mark.skipif(not linux.landlock_abi(), reason="needs Linux with Landlock; elsewhere doctor says so")
SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample" / "submitted.pdf"


@pytest.fixture(scope="module")
def worked() -> Iterator[DocumentService]:
    """A service whose two workers have done each kind of work once."""
    with DocumentService() as service:
        opened = service.open(SAMPLE)
        assert service.render(opened.sha256, 1, 1.0).samples
        assert service.parse(SAMPLE).paragraphs
        assert service.inspect(SAMPLE).pages
        assert service.typeset("A title", ["A paragraph."]).startswith(b"%PDF")
        assert service.metadata(SAMPLE) is not None
        yield service


def test_no_worker_has_a_library_that_sends_usage_data_or_speaks_tls(worked: DocumentService) -> None:
    assert len(worked.worker_pids) == 2
    for pid in worked.worker_pids:
        loaded = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
        assert "mupdf" in loaded, "the reader itself is loaded"
        assert not [name for name in ("onnxruntime", "pymupdf/layout", "hf_xet", "libssl") if name in loaded]


def test_every_worker_is_confined_and_says_so(worked: DocumentService) -> None:
    assert len(worked.held) == 2
    for held in worked.held:
        assert held.network and held.files and held.programs and held.memory and held.core_dumps
    for pid in worked.worker_pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            status = dict(
                line.split(":\t", 1) for line in (thread / "status").read_text().splitlines() if ":\t" in line
            )
            assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1"


def test_a_worker_holds_no_file_of_anybody_open(worked: DocumentService) -> None:
    """What it reads comes through a pipe, so that no path of a paper is known to it."""
    for pid in worked.worker_pids:
        held = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
        assert {name for name in held if name.startswith("/")} <= {"/dev/null"}
