"""No encoder in these tests, unless they make one: templates are compared by words."""

from __future__ import annotations

import pytest

from engine.errors import EnvironmentProblem


@pytest.fixture(autouse=True)
def no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise EnvironmentProblem("The bundled sentence encoder is missing.")

    monkeypatch.setattr("engine.rebuttal.tasks.shared_encoder", missing)
