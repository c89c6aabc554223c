"""What clusters are called: labels of the taxonomy and rebuttal actions by their titles, other words as they are."""

from __future__ import annotations

from typing import Literal

from engine.rebuttal.preferences.records import Cluster, NewCluster
from engine.rebuttal.records import ACTION_TITLES
from engine.reviews.labels.taxonomy import layer

Part = Literal["root", "theme", "action"]


def options(part: Part) -> tuple[tuple[str, str], ...]:
    """(id, title) of everything that a cluster's root, theme or action can be by the taxonomy."""
    if part == "action":
        return tuple((name, title) for name, title in ACTION_TITLES.items())
    labels = layer("aspect" if part == "root" else "theme").labels
    return tuple((label.id, label.title) for label in labels)


def title(part: Part, value: str) -> str:
    """The title of an id, or the words themselves where the taxonomy does not have them."""
    return dict(options(part)).get(value, value)


def identified(part: Part, words: str) -> str:
    """The id that words mean: an id or a title, whatever their case, spaces or hyphens; else the words as they are."""
    plain = _plain(words)
    for key, name in options(part):
        if plain in (_plain(key), _plain(name)):
            return key
    return words.strip()


def cluster_title(cluster: Cluster | NewCluster) -> str:
    """Root, theme and action on one line."""
    parts = (title("root", cluster.root), title("theme", cluster.theme), title("action", cluster.action).lower())
    return " · ".join(part for part in parts if part)


def _plain(words: str) -> str:
    return "".join(letter for letter in words.lower() if letter.isalnum())
