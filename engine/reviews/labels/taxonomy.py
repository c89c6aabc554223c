"""The bundled layers and labels (``resources/taxonomies/review-labels.toml``)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.resource_files import resource_table
from engine.reviews.labels.records import LAYERS, LabelOption, Layer, LayerInfo

_FILE = "taxonomies/review-labels.toml"
_OWN = {"id", "title", "description"}


@lru_cache(maxsize=1)
def layers() -> Mapping[Layer, LayerInfo]:
    """Returns all layers by id, in display order."""
    content = resource_table(_FILE)
    return {layer: _layer(layer, content[layer]) for layer in LAYERS}


def layer(name: Layer) -> LayerInfo:
    return layers()[name]


@lru_cache(maxsize=32)
def by_code(name: Layer, data_set: str) -> Mapping[str, str]:
    """Maps a data set's codes to the labels of a layer."""
    return {code: option.id for option in layer(name).labels for code in option.codes.get(data_set, ())}


def codes(name: Layer, labels: tuple[str, ...], data_set: str) -> tuple[str, ...]:
    """Returns the first code that a data set has for each of the labels, leaving out unknown ones."""
    found = (layer(name).option(label).codes.get(data_set, ()) for label in labels)
    return tuple(known[0] for known in found if known)


def _layer(name: Layer, content: Mapping[str, Any]) -> LayerInfo:
    return LayerInfo(
        id=name,
        title=content["title"],
        several=content["several"],
        source=content["source"],
        labels=tuple(
            LabelOption(
                id=entry["id"],
                title=entry["title"],
                description=entry["description"],
                codes={key: tuple(value) for key, value in entry.items() if key not in _OWN},
            )
            for entry in content["label"]
        ),
    )
