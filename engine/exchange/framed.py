"""DataFrames with documented columns of fixed types, from functions that yield rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from math import isnan
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from engine.project import Project

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
DTYPES = {"text": "string", "number": "Float64", "count": "Int64", "yes/no": "boolean"}
Rows = Iterable[Sequence[object]]


def framed(
    **columns: str,
) -> Callable[[Callable[Concatenate[Project, P], Rows]], Callable[Concatenate[Project, P], pd.DataFrame]]:
    """Makes a function that yields rows return a DataFrame. ``columns`` gives the type (see ``DTYPES``) and meaning of
    each column as "type: meaning", which are appended to the function's docstring. NaN becomes missing."""

    def typed(rows: Callable[Concatenate[Project, P], Rows]) -> Callable[Concatenate[Project, P], pd.DataFrame]:
        @wraps(rows)
        def made(project: Project, /, *args: P.args, **kwargs: P.kwargs) -> pd.DataFrame:
            import pandas as pd

            cells = list(zip(*rows(project, *args, **kwargs), strict=True)) or [()] * len(columns)
            return pd.DataFrame(
                {
                    name: pd.array(
                        [None if isinstance(cell, float) and isnan(cell) else cell for cell in column],
                        dtype=DTYPES[meaning.partition(":")[0]],
                    )
                    for (name, meaning), column in zip(columns.items(), cells, strict=True)
                }
            )

        listed = "".join(f"\n    {name} ({meaning.replace(':', ')', 1)}" for name, meaning in columns.items())
        made.__annotations__["return"] = "pd.DataFrame"
        made.__doc__ = f"{rows.__doc__}\n\n    Columns:{listed}\n"
        return made

    return typed
