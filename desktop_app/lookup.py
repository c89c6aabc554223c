"""What the user allows to be sent over a network: paper look-ups, and text for language-model servers."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from engine.errors import EnvironmentProblem
from engine.user_files import data_folder

if TYPE_CHECKING:
    from desktop_app.settings import Settings
    from engine.papers.connectors import LookupSettings

PREFIX = "network."
LIST_OF_MODELS = "models.json"
NONE = "Rejoinder opens no network connection: papers and reviews stay on this computer."


def lookup_settings(settings: Settings) -> LookupSettings:
    """Returns the settings of the enabled connectors. None are enabled by default; then no connection is made."""
    from engine.papers.connectors import CONNECTORS, settings_of

    on = [connector for connector in CONNECTORS if settings.flag(PREFIX + connector)]
    return settings_of(on, settings.text(PREFIX + "contact"))


def network_words(settings: Settings) -> tuple[str, str]:
    """Returns the status bar's text about network use, and sentences that explain it.

    Language-model servers count once they are in the list of models; those on this computer are labelled as local.
    """
    from engine.papers.connectors import CONNECTORS, TITLES

    on = [TITLES[connector] for connector in CONNECTORS if settings.flag(PREFIX + connector)]
    local, remote = _servers()
    sentences = []
    if on:
        whose = " with your e-mail address" if settings.text(PREFIX + "contact").strip() else ""
        sentences.append(f"Papers you enter and words you search for are sent to {', '.join(on)}{whose}.")
    if remote:
        sentences.append(
            f"Text that you give to a language model may be sent to {', '.join(remote)}. To prevent that, remove the "
            "server in Models."
        )
    if local:
        sentences.append("Text that you give to a language model may be sent to a server on this computer.")
    if not sentences:
        return "none", NONE
    return ", ".join([*on, *remote, *(["local server"] if local else [])]), " ".join(
        [*sentences, "Nothing else leaves this computer." if on or remote else "Nothing leaves this computer."]
    )


def _servers() -> tuple[list[str], list[str]]:
    """Returns the language-model servers in the list of models: hosts on this computer, and other hosts."""
    if not (data_folder() / LIST_OF_MODELS).is_file():  # usual case; avoids the imports below
        return [], []
    from engine.models.library import AddedServer, ModelLibrary
    from engine.models.server_language import is_loopback

    try:
        urls = [entry.server.url for entry in ModelLibrary().added() if isinstance(entry, AddedServer)]
    except EnvironmentProblem:  # without a readable list no server can be used
        return [], []
    hosts = [(is_loopback(url), urlsplit(url).hostname or url) for url in urls]
    return [host for own, host in hosts if own], list(dict.fromkeys(host for own, host in hosts if not own))
