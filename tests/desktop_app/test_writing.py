"""Files of an export that are in place already."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.writing import Written, write_export
from engine.errors import BadInput
from engine.exchange.records import Export, ExportFile
from engine.jobs import QuietReport, Report


def _written(folder: Path, name: str, content: bytes) -> Written:
    def make(_report: Report) -> Export:
        return Export(tuple(ExportFile(one, content) for one in ("links.csv", "links-card.md")))

    task = write_export("export", folder, make, name)
    return task.run(QuietReport())


def test_what_is_exported_again_takes_the_place_of_what_was_exported_before(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        assert _written(tmp_path, "links.csv", content).names == ("links.csv", "links-card.md")
        assert {file.read_bytes() for file in tmp_path.iterdir()} == {content}


@pytest.mark.parametrize("name", ["links.csv", ""])
def test_a_file_that_nobody_was_asked_about_is_never_replaced(tmp_path: Path, name: str) -> None:
    (mine := tmp_path / "links-card.md").write_bytes(b"mine")
    with pytest.raises(BadInput, match=r"Already there: links-card\.md"):
        _written(tmp_path, name, b"theirs")
    assert list(tmp_path.iterdir()) == [mine] and mine.read_bytes() == b"mine"
