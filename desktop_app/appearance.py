"""Colours, text size and side bar, as the settings have them."""

from __future__ import annotations

from desktop_app.settings import Settings
from desktop_app.theme import Choice, theme


class Appearance:
    """Changes the settings of the look, and puts them into effect."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.apply()

    def apply(self) -> None:
        """Puts scheme and text size into effect."""
        chosen = self._settings.text("appearance.scheme")
        scheme: Choice = "light" if chosen == "light" else "dark" if chosen == "dark" else "system"
        theme().configure(scheme, self._settings.number("appearance.zoom"))

    def zoom(self, steps: int) -> None:
        """Enlarges text by steps; 0 sets its normal size."""
        self._settings.set("appearance.zoom", theme().stepped_zoom(steps))

    def switch_scheme(self) -> None:
        """From light to dark, or back."""
        self._settings.set("appearance.scheme", "light" if theme().tokens.scheme == "dark" else "dark")

    def toggle_side_bar(self) -> None:
        """Icons with names in the side bar, or icons alone."""
        name = "appearance.side_bar_words"
        self._settings.set(name, not self._settings.flag(name))
