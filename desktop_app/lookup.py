"""What the user allows to be sent over a network: look-ups of papers, and language models on a server."""

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
    """The connectors that are switched on; none by default, and then nothing is ever asked."""
    from engine.papers.connectors import CONNECTORS, settings_of

    on = [connector for connector in CONNECTORS if settings.flag(PREFIX + connector)]
    return settings_of(on, settings.text(PREFIX + "contact"))


def network_words(settings: Settings) -> tuple[str, str]:
    """What the status bar says of the network, and the sentences behind it.

    Language-model servers count as soon as they are in the list of models; one on this computer is named as such.
    """
    from engine.papers.connectors import CONNECTORS, TITLES

    on = [TITLES[connector] for connector in CONNECTORS if settings.flag(PREFIX + connector)]
    local, remote = _servers()
    sentences = []
    if on:
        sentences.append(f"Papers you enter and words you search for are sent to {', '.join(on)}.")
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
    """The hosts of the language-model servers in the list of models: on this computer, and elsewhere."""
    if not (data_folder() / LIST_OF_MODELS).is_file():  # the usual start, for which nothing more is imported
        return [], []
    from engine.models.library import AddedServer, ModelLibrary
    from engine.models.server_language import is_loopback

    try:
        urls = [entry.server.url for entry in ModelLibrary().added() if isinstance(entry, AddedServer)]
    except EnvironmentProblem:  # a list that cannot be read has no model that could be used
        return [], []
    hosts = [(is_loopback(url), urlsplit(url).hostname or url) for url in urls]
    return [host for own, host in hosts if own], list(dict.fromkeys(host for own, host in hosts if not own))
