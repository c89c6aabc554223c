"""A report on all published tables that can be reproduced here, compared with the published figures."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.expertise.algorithms.registry import ALGORITHMS
from engine.research.tables import tables
from engine.resource_files import rendered
from engine.revision.aligners import STRATEGIES, Means

_SEEDS = 20
_NO_FOLDER = "needs a model folder, and none is bundled"


@dataclass(frozen=True, slots=True)
class Part:
    """One call of ``rejoinder reproduce`` with ``arguments``. ``reads`` are subfolders of the data folder; ``data`` is
    the folder passed to the call ("" for the data folder itself, None if it reads no data)."""

    name: str
    paper: str
    title: str
    arguments: tuple[str, ...]
    data: str | None = None
    reads: tuple[str, ...] = ()

    def missing(self, data: Path) -> tuple[str, ...]:
        """Returns the required folders that are missing."""
        return tuple(name for name in self.reads if not (data / name).is_dir())

    def call(self, data: str) -> list[str]:
        return [*self.arguments, *([] if self.data is None else ["--data", str(Path(data, self.data))]), "--json"]

    def state(self, data: Path, version: str) -> str:
        """Returns a digest of everything its result depends on: the call, the program's version, and the files it
        reads."""
        files = sorted(path for name in self.reads for path in (data / name).rglob("*") if path.is_file())
        known = [(str(path.relative_to(data)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        return hashlib.sha256(repr((version, self.arguments, known)).encode()).hexdigest()


def _rebuttal(task: str, title: str, *reads: str) -> Part:
    arguments = ("rebuttal", "--tasks", task, "--seed", "1")
    return Part(f"rebuttal-{task}", JITSUPEER, title, arguments, "", reads)


CALIBRATION = "Schraudolph (1998), Scoring Conference Submissions by Alternate Maximization of Likelihood"
EXPERTISE = "Stelmakh et al. (2023), A Gold Standard Dataset for the Reviewer Assignment Problem"
ARIES = "D'Arcy et al. (2024), ARIES: A Corpus of Scientific Paper Edits Made in Response to Peer Reviews"
JITSUPEER = "Purkayastha et al. (2023), Exploring Jiu-Jitsu Argumentation for Writing Peer Review Rebuttals"
REVIEWGROUNDER = (
    "Li et al., ReviewGrounder: Improving Review Substantiveness with Rubric-Guided, Tool-Integrated Agents"
)
PARTS = (
    Part("calibration", CALIBRATION, "Table 1", ("calibration-table-1", "--seeds", str(_SEEDS))),
    Part("similarity", EXPERTISE, "Tables 1 to 5, figures 1 and 2", ("similarity", "--lengths", "--seed", "0"),
         "expertise", ("expertise",)),
    Part("alignment", ARIES, "Table 2, on other papers", ("alignment",), "revisions", ("revisions",)),
    Part("review-bench", REVIEWGROUNDER, "Tables 1, 3 and 7: stages by rules, without a model",
         ("review-bench", "--seed", "0"), "revisions", ("revisions",)),
    _rebuttal("theme", "Themes of review sentences (Table 1)", "peer_review_analyze"),
    _rebuttal("labels", "Labels of review sentences (Table 9, and DISAPERE)", "disapere"),
    _rebuttal("rebuttal-action", "Actions of rebuttal sentences (DISAPERE)", "disapere"),
    _rebuttal("answers", "What a rebuttal sentence answers (DISAPERE)", "disapere"),
    _rebuttal("scoring", "Scoring and ranking of canonical rebuttals (Tables 4 and 10)", "jitsupeer"),
    _rebuttal("descriptions", "Description generation (Table 11)", "jitsupeer"),
    _rebuttal("generation", "Generation of canonical rebuttals (Table 12)", "jitsupeer"),
)  # fmt: skip
"""All parts that need only bundled models, quick ones first."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a part: its document, or why there is none (``problem``), and the seconds it took."""

    part: Part
    document: Mapping[str, Any] | None
    seconds: float = 0.0
    problem: str = ""


def not_run() -> tuple[tuple[str, str], ...]:
    """Returns what the papers compare but the report can't compute, with the reason."""
    nothing = Means()
    aligners = [
        (f"ARIES: {entry.title}", f"needs {' and '.join(need for need in entry.needs if need != 'encoder')}")
        for entry in STRATEGIES.values()
        if any(nothing.lacks(need) for need in entry.needs if need != "encoder")
    ]
    similarities = [(f"Gold standard: {e.title}", _NO_FOLDER) for e in ALGORITHMS.values() if e.needs == "folder"]
    return (
        *similarities,
        *aligners,
        ("ARIES: tables 5 and 6", "need a project with analyses (reproduce edit-generation --data PROJECT)"),
        (
            "ReviewGrounder: drafts, reference reviews and scores by models",
            "need a language model (review ablate --model)",
        ),
        ("Jiu-Jitsu: fine-tuned BERT, RoBERTa, SciBERT", f"{_NO_FOLDER} (reproduce rebuttal --fine-tune FOLDER)"),
        ("Jiu-Jitsu: BART, Pegasus, T5", f"{_NO_FOLDER} (reproduce rebuttal --seq2seq FOLDER)"),
    )


def render(outcomes: Sequence[Outcome], versions: Mapping[str, str], made: str) -> bytes:
    """Returns the report as one self-contained HTML page."""
    papers: dict[str, list[dict[str, Any]]] = {}
    for found in outcomes:
        shown = {
            "title": found.part.title,
            "call": " ".join(["rejoinder reproduce", *found.part.call("DIR")]),
            "seconds": round(found.seconds, 1),
            "problem": found.problem,
            "tables": [
                {
                    "title": table.title,
                    "header": table.header,
                    "rows": table.rows,
                    "picture": table.picture and base64.b64encode(table.picture()).decode(),
                }
                for table in ([] if found.document is None else tables(found.part.arguments[0], found.document))
            ],
        }
        papers.setdefault(found.part.paper, []).append(shown)
    page = rendered(
        "reproduction.html.jinja",
        papers=papers,
        not_run=not_run(),
        versions=versions,
        made=made,
        seconds=round(sum(o.seconds for o in outcomes)),
    )
    return page.encode()
