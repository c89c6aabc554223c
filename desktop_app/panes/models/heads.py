"""Heads for review labels in the Models pane: the ones that ship, and those of the open project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import EnvironmentProblem
from engine.reviews.labels.records import LAYERS, NEVER, suggested_from
from engine.reviews.labels.taxonomy import layer
from engine.shown import percent

if TYPE_CHECKING:
    from engine.project import Project
    from engine.reviews.labels.reading import Reading

KIND = "heads"
USE = "Suggesting labels in Rebuttal"
SHIPPED_USE = "Suggesting labels in Rebuttal and with `rejoinder label`, unless the project has its own heads."


@dataclass(frozen=True, slots=True)
class HeadsEntry:
    """Heads to list. ``own_id`` is their key in the open project, "" for the ones that ship, which are in ``folder``.
    ``size`` is in bytes; ``used``: they suggest the project's labels."""

    title: str
    card: Mapping[str, Any]
    size: int
    folder: Path | None = None
    own_id: str = ""
    used: bool = False

    @property
    def licence(self) -> str:
        return str(self.card.get("licence", ""))


def listed(project: Project | None) -> tuple[HeadsEntry, ...]:
    """The heads that ship, then those of the project, newest first. Missing ones are not listed."""
    from engine.reviews.labels.heads import shipped_file

    found: list[HeadsEntry] = []
    try:
        file = shipped_file()
        found.append(HeadsEntry(str(file.card["title"]), file.card, file.size, file.folder))
    except EnvironmentProblem:
        pass  # `rejoinder doctor` reports it
    if project is not None:
        from engine.reviews.labels.store import LabelStore

        store = LabelStore(project)
        found += [HeadsEntry(own.title, own.card, own.size, own_id=own.id, used=own.used) for own in store.own_heads()]
    return tuple(found)


def learnt_words(card: Mapping[str, Any]) -> str:
    """The training data, and how it was sampled."""
    licence = f" ({card['data_licence']})" if "data_licence" in card else ""
    counts = [f"{card[key]:,} {key}" for key in ("papers", "reviews", "sentences") if key in card]
    return f"{card.get('data', 'not stated')}{licence}: {', '.join(counts)}; seed {card.get('seed', 'not stated')}"


def measured_words(card: Mapping[str, Any]) -> str:
    """Accuracy on unseen sentences, one line per figure."""
    lines = []
    for name, figures in card.get("cross_validation", {}).items():
        title = layer(name).title if name in LAYERS else name
        limit = suggested_from(card, name)
        offered = (
            f"suggested from {percent(limit)}" if limit < NEVER else "not suggested: too few of its labels are right"
        )
        lines.append(
            f"{title}: micro-F1 {100 * figures['micro_f1']:.1f}, macro-F1 {100 * figures['macro_f1']:.1f}"
            f" (cross-validated); {offered}"
        )
    lines += [
        f"{row['task'].capitalize()}, {row['strategy']}, {row['split']}: {row['metric']} {row['value']:.1f}"
        f" [{row['low']:.1f}, {row['high']:.1f}]"
        for row in card.get("figures", ())
    ]
    return "\n".join(lines)


def tuned_values(folder: Path) -> dict[str, str]:
    """The facts of a fine-tuned encoder: its card."""
    from engine.reviews.labels.classifier import read_card

    card = read_card(folder)
    lines = [
        f"{layer(name).title if name in LAYERS else name}: micro-F1 {100 * figures['micro_f1']:.1f}, macro-F1"
        f" {100 * figures['macro_f1']:.1f} ({card.get('test_sentences', 0):,} held-out sentences)"
        for name, figures in card.get("figures", {}).items()
    ]
    before = ", first specialised on reviews" if card.get("specialised") else ""
    return {
        "Trained on": f"{learnt_words(card)}; from {card.get('base', 'another encoder')}{before}",
        "Measured": "\n".join(lines) or "not stated",
        **({"Licence": card["licence"]} if card.get("licence") else {}),
    }


def reading_words(readings: Sequence[Reading]) -> str:
    """The labels of a text by heads and rules, sentence by sentence, with confidence."""
    lines = []
    for reading in readings:
        lines.append(reading.text)
        for name, said in reading.labels.items():
            labels = ", ".join(
                f"{layer(name).option(label).title} {percent(sure)}"
                for label, sure in zip(said.labels, said.confidence, strict=True)
            )
            heads = "fine-tuned" if said.origin.startswith("model:fine-tuned") else "heads"
            by = "rules" if said.origin.startswith("rules:") else heads
            lines.append(f"    {layer(name).title}: {labels or 'none'} ({by})")
    return "\n".join(lines)
