"""Where a language-model server listens, and which addresses are allowed."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from engine.errors import BadInput
from engine.shown import visible_line

CONCURRENCY = 16
"""Requests that run at once, unless the server was given another number or cannot bear it."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server listens; ``url`` ends before ``/chat/completions`` (usually in ``/v1``).

    ``allow_remote`` is the person's switch for any address but this machine's own: what a model is asked then leaves
    the machine. ``concurrency``: the most requests at once.
    """

    url: str
    api_key: str = field(default="", repr=False)
    allow_remote: bool = False
    connect_seconds: float = 5.0
    silence_seconds: float = 300.0
    """How long a server may say nothing: a long prompt on a slow processor takes minutes before the first word."""
    concurrency: int = CONCURRENCY


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own. Names but localhost don't count: a name server may answer them."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_server(server: Server) -> None:
    """Raises BadInput for an address or a key that is none, or an address elsewhere without the person's switch."""
    try:
        parts = urlsplit(server.url)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known or parts.query or parts.fragment or not server.url.isprintable() or set(server.url) & set(" \\"):
        raise no_address(server)
    if "@" in parts.netloc:
        raise BadInput(
            f"The address of {parts.hostname} contains a user name or a password.",
            "Nothing was sent, because addresses are stored with a model's output, where others can read them.",
            "Enter the address without them, and the server's key separately.",
        )
    if not (server.api_key.isascii() and server.api_key.isprintable()):
        raise BadInput(
            f"The key for {parts.hostname} contains invalid characters.",
            "Nothing was sent.",
            "Copy the key again. It can contain only ASCII letters, digits and symbols.",
        )
    if not server.allow_remote and not is_loopback(server.url):
        raise BadInput(
            f"{parts.hostname} is another computer.",
            "Nothing was sent, because papers and reviews would leave this computer.",
            "Use a server on this computer, or turn on “Allow another computer” for this server.",
        )


def no_address(server: Server) -> BadInput:
    return BadInput(
        f"“{visible_line(server.url)}” isn't a server address.",
        "Nothing was sent.",
        "Enter an address like http://127.0.0.1:8080/v1.",
    )
