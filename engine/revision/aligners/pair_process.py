"""A cross-encoder in a process of its own, so that loading it never holds the window up; and that process.

``{"pairs"}`` (lists of two texts) is answered by ``{"chances"}``. Arguments: folder, device ("" for the best).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.jobs import Report
from engine.models.child import Answer, ModelProcess, serve


class ProcessPairClassifier:
    """What ``PairClassifier`` gives, from a child process that starts with the first pairs and ends with ``close``."""

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self._child = ModelProcess(__name__, (str(folder), device or ""), name="cross-encoder", read=(folder,))

    def __call__(self, pairs: Sequence[tuple[str, str]], report: Report) -> list[float]:
        """The chance of each pair, 0 to 1.

        Raises Cancelled, and EnvironmentProblem where the model cannot be loaded or the child was ended.
        """
        (answer,) = self._child.ask({"pairs": [list(pair) for pair in pairs]}, report)
        return [float(chance) for chance in answer["chances"]]

    def close(self) -> None:
        """Ends the child."""
        self._child.close()


def main() -> None:
    """Serves until the input ends."""
    from engine.revision.aligners.trained import PairClassifier

    folder, device = sys.argv[1:3]
    loaded: list[PairClassifier] = []

    def respond(request: Answer, _emit: Callable[[Answer], None], _report: Report) -> Answer:
        if not loaded:  # a folder that cannot be loaded is the answer to a request, not the end of the child
            loaded.append(PairClassifier.load(Path(folder), device or None))
        return {"chances": loaded[0]([(first, second) for first, second in request["pairs"]])}

    serve(respond)


if __name__ == "__main__":
    main()
