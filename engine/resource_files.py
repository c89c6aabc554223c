"""Bundled data (the package ``resources``), by path."""

import tomllib
from importlib import resources
from typing import Any


def resource_text(path: str) -> str:
    """Returns the text of a file. Raises FileNotFoundError."""
    return resources.files("resources").joinpath(*path.split("/")).read_text(encoding="utf-8")


def resource_table(path: str) -> dict[str, Any]:
    return tomllib.loads(resource_text(path))


def rendered(template: str, **values: Any) -> str:
    """Renders an HTML template with autoescaping; a name missing from ``values`` is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(resource_text(f"templates/{template}")).render(**values)
