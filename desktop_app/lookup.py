"""What the person allows to be asked of the network, from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.settings import Settings
    from engine.papers.connectors import LookupSettings

PREFIX = "network."


def lookup_settings(settings: Settings) -> LookupSettings:
    """The connectors that are switched on; none by default, and then nothing is ever asked."""
    from engine.papers.connectors import CONNECTORS, settings_of

    on = [connector for connector in CONNECTORS if settings.flag(PREFIX + connector)]
    return settings_of(on, settings.text(PREFIX + "contact"))


def network_words(settings: Settings) -> tuple[str, str]:
    """What the status bar says of the network, and the sentence behind it."""
    from engine.papers.connectors import CONNECTORS, TITLES

    on = [TITLES[connector] for connector in CONNECTORS if settings.flag(PREFIX + connector)]
    if not on:
        return "none", "Rejoinder opens no network connection: papers and reviews stay on this computer."
    at = ", ".join(on)
    return (
        at,
        f"Papers that you enter and words that you search for are asked at {at}; nothing else leaves this computer.",
    )
