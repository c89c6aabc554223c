"""How long a person was really at it: time with focus, up to an idle cut-off after each sign of life."""

IDLE_CUTOFF = 60.0
"""Seconds without input after which the clock stops; reading one paper's title takes less."""


class ActiveTime:
    """A clock that is informed of what happens and never looks at the time itself. Active is the time with the focus,
    within ``idle_cutoff`` seconds after the last input. Moments are seconds of any steady clock; one before the last
    counts as the last."""

    def __init__(self, idle_cutoff: float = IDLE_CUTOFF) -> None:
        if idle_cutoff <= 0:
            raise ValueError("the idle cut-off must be positive")
        self.idle_cutoff = idle_cutoff
        self._settled = 0.0
        self._focused = False
        self._last_input = 0.0
        self._counted_to: float | None = None

    def focus_out(self, moment: float) -> None:
        """The window lost the focus, was hidden or closed."""
        self._advance(moment)
        self._focused = False

    def input(self, moment: float) -> None:
        """A key, a click, a scroll, or the focus. Input means focus, even where nothing reported it."""
        self._last_input = self._advance(moment)
        self._focused = True

    focus_in = input

    def seconds(self, moment: float) -> float:
        """The active seconds up to ``moment``; asking changes nothing."""
        return self._settled + self._open_part(self._later(moment))

    def _later(self, moment: float) -> float:
        return moment if self._counted_to is None else max(moment, self._counted_to)

    def _open_part(self, moment: float) -> float:
        if not self._focused or self._counted_to is None:
            return 0.0
        return max(0.0, min(moment, self._last_input + self.idle_cutoff) - self._counted_to)

    def _advance(self, moment: float) -> float:
        moment = self._later(moment)
        self._settled += self._open_part(moment)
        self._counted_to = moment
        return moment
