"""``rejoinder reproduce all``: every published table that runs here, in one report that can be resumed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.output import FOLDER, emit, json_option, json_text, remark, write
from engine.errors import BadInput
from engine.files import json_object

if TYPE_CHECKING:
    from engine.research.report import Outcome, Part

_PACKAGES = ("rejoinder", "torch", "sentence-transformers", "numpy", "scipy", "bm25s")


@click.command("all")
@click.option(
    "--data",
    type=FOLDER,
    required=True,
    help="Folder with expertise/, revisions/, peer_review_analyze/, disapere/ and jitsupeer/; see docs/formats.md.",
)
@click.option("--out", type=FOLDER, required=True, help="Folder for the report.")
@json_option
def reproduce_all(data: Path, out: Path, as_json: bool) -> None:
    """All tables of the five papers that can be computed here, in one report (report.html, and JSON for each part).

    Results already computed from the same data by the same version are reused, so an interrupted run continues where it
    stopped. Exit code 1: a part could not be computed.
    """
    from engine.research.report import PARTS, render

    if not data.is_dir():
        raise BadInput(f"The folder {data} does not exist.", "Nothing was computed.", "Give the data folder.")
    versions = {"Python": sys.version.split()[0]} | {name: metadata.version(name) for name in _PACKAGES}
    found, summary = [], []
    for number, part in enumerate(PARTS, start=1):
        remark(f"{part.name} (part {number} of {len(PARTS)})")
        outcome, kept = _outcome(part, data, out / f"{part.name}.json", versions["rejoinder"])
        found.append(outcome)
        state = "not computed" if outcome.problem else "kept" if kept else "computed"
        summary.append(
            {"part": part.name, "state": state, "seconds": round(outcome.seconds, 1), "problem": outcome.problem}
        )
        remark(f"  {state}" + (f": {outcome.problem}" if outcome.problem else f", {outcome.seconds:.1f} seconds"))
    report = write(out / "report.html", render(found, versions, f"{datetime.now(UTC):%Y-%m-%d}"), folders=True)
    if as_json:
        emit({"report": report, "parts": summary})
    sys.exit(1 if any(row["problem"] for row in summary) else 0)


def _outcome(part: Part, data: Path, file: Path, version: str) -> tuple[Outcome, bool]:
    """A part's outcome, and whether it was computed by an earlier run."""
    from engine.research.report import Outcome

    if missing := part.missing(data):
        return Outcome(part, None, problem=f"the data folder has no {', '.join(missing)}."), False
    state = part.state(data, version)
    known = json_object(file)
    if known.get("state") == state:
        return Outcome(part, known["document"], known["seconds"]), True
    started = time.monotonic()
    document, problem = _computed(part, data)
    seconds = time.monotonic() - started
    if document is not None:
        kept = {"state": state, "call": part.call("DIR"), "seconds": seconds, "document": document}
        write(file, json_text(kept).encode(), folders=True, quiet=True)
    return Outcome(part, document, seconds, problem), False


def _computed(part: Part, data: Path) -> tuple[dict[str, Any] | None, str]:
    """Runs the call in a process of its own, whose memory is free again afterwards: its document, or why there is none.

    Neither says where the data are. Exit 1 is a result that fell short, which the document says.
    """
    with tempfile.TemporaryFile() as out:
        folder = str(data.resolve())
        call = [sys.executable, "-m", "engine.cli.main", "reproduce", *part.call(folder)]
        last = ""
        with subprocess.Popen(
            call, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                last = line.strip().replace(folder, "DIR") or last
                remark(f"  {line.rstrip()}")
        out.seek(0)
        printed = out.read().replace(json_text(folder)[1:-1].encode(), b"DIR")
    try:
        return json.loads(printed), ""
    except ValueError as problem:
        ended = f"a signal ({-process.returncode})" if process.returncode < 0 else f"exit {process.returncode}"
        found = f" Its output of {len(printed):,} bytes isn't a JSON document: {problem}." if printed else ""
        return None, f"the command ended with {ended}. Its last output: {last or 'none.'}{found}"
