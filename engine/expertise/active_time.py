"""Active time of a person: time with focus, up to an idle cut-off after each input."""

IDLE_CUTOFF = 60.0
"""Seconds without input after which the clock stops; reading a paper's title takes less."""


class ActiveTime:
    """A clock that receives events instead of reading the time. Active time is time with focus, within
    ``idle_cutoff`` seconds after the last input. Moments are seconds of any monotonic clock; earlier ones than the last
    count as the last."""

    def __init__(self, idle_cutoff: float = IDLE_CUTOFF) -> None:
        if idle_cutoff <= 0:
            raise ValueError("the idle cut-off must be positive")
        self.idle_cutoff = idle_cutoff
        self._settled = 0.0
        self._focused = False
        self._last_input = 0.0
        self._counted_to: float | None = None

    def focus_out(self, moment: float) -> None:
        """Reports that the window lost focus, was hidden or closed."""
        self._advance(moment)
        self._focused = False

    def input(self, moment: float) -> None:
        """Reports a key, click, scroll or focus. Input implies focus, even if that wasn't reported."""
        self._last_input = self._advance(moment)
        self._focused = True

    focus_in = input

    def seconds(self, moment: float) -> float:
        """Returns the active seconds up to ``moment``, without changing the state."""
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
