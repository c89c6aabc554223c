"""Exports figures in one style as PDF, SVG and PNG, and their data as CSV."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Literal, get_args

from engine.exchange.io import csv_file
from engine.exchange.records import ExportFile
from engine.shown import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FigureFormat = Literal["pdf", "svg", "png"]


@contextmanager
def styled(width: float = 5.0, height: float = 3.4) -> Iterator[tuple[Figure, Axes]]:
    """Yields a figure of ``width`` by ``height`` inches with one pair of axes in Rejoinder's style, off screen."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with (
        resources.as_file(resources.files("resources") / "figures.mplstyle") as style,
        mpl.rc_context(fname=str(style)),
    ):
        figure = Figure(figsize=(width, height))
        yield figure, figure.add_subplot()


def drawn(figure: Figure, format_: FigureFormat) -> bytes:
    """Returns the figure as a file's bytes, reproducibly. Must be called inside ``styled``."""
    from matplotlib.text import Text

    out = io.BytesIO()
    for text in figure.findobj(Text):
        text.set_text(visible(text.get_text()))  # SVG is XML, which allows no control characters
    # Date and library version are left out, so that files of the same figure can be compared.
    hidden = {
        "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
        "svg": {"Date": None},
        "png": {"Software": None},
    }
    figure.savefig(out, format=format_, metadata=hidden[format_])
    return out.getvalue()


def figure_files(
    name: str, figure: Figure, header: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[ExportFile, ...]:
    """Returns a figure as PDF, SVG and PNG, and its data as CSV."""
    files = [ExportFile(f"{name}.{ending}", drawn(figure, ending)) for ending in get_args(FigureFormat)]
    return (*files, csv_file(f"{name}.csv", header, rows))
