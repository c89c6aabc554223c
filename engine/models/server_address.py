"""Addresses of language-model servers, and which of them are allowed."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from engine.errors import BadInput
from engine.shown import visible_line

CONCURRENCY = 16
"""Default number of concurrent requests; lower if the server was configured so or can't handle it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server's address and limits; ``url`` ends before ``/chat/completions`` (usually in ``/v1``).

    ``allow_remote`` permits an address other than this machine's own: prompts then leave the machine. ``concurrency``:
    the maximum number of concurrent requests.
    """

    url: str
    api_key: str = field(default="", repr=False)
    allow_remote: bool = False
    connect_seconds: float = 5.0
    silence_seconds: float = 300.0
    """How long a server may stay silent: a long prompt on a slow processor takes minutes before the first word."""
    concurrency: int = CONCURRENCY


def is_loopback(url: str) -> bool:
    """Returns whether an address is this machine's own. Only localhost counts among names, since DNS could redirect
    others."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_server(server: Server) -> None:
    """Raises BadInput for an invalid address or key, or for another machine's address without ``allow_remote``."""
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
