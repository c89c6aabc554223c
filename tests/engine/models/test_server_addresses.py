"""Addresses of servers and keys: which are taken, which are this machine, and what projects keep of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import BadInput
from engine.models.caches import AnswerCache
from engine.models.language import Completion, Message, Prompt, public_name
from engine.models.server_language import Server, ServerLanguageModel, is_loopback


def test_another_machine_needs_the_persons_switch() -> None:
    server = Server("http://192.0.2.1:1/v1")
    with pytest.raises(BadInput, match="another computer"):
        ServerLanguageModel(server, "m")
    ServerLanguageModel(replace(server, allow_remote=True), "m")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "ftp://127.0.0.1",
        "http://",
        "http://[::1",
        "http://127.0.0.1:x/v1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:0/v1",
        "http://127.0.0.1:80/v1?key=a",
        "http://127.0.0.1:80/v1#a",
        "http://127.0.0.1:80/a b",
        "http://127.0.0.1:80/\n",
        "http://127.0.0.1\\@example.org/v1",
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(BadInput, match="isn't a server address"):
        ServerLanguageModel(Server(url, allow_remote=True), "m")


def test_an_address_holds_no_password_and_a_key_is_plain_ascii() -> None:
    with pytest.raises(BadInput, match="a user name or a password") as caught:
        ServerLanguageModel(Server("http://ann:sekrit@127.0.0.1:80/v1"), "m")
    assert "sekrit" not in str(caught.value)
    for key in ("sekrit\n", "sekrität"):
        with pytest.raises(BadInput, match="contains invalid characters") as caught:
            ServerLanguageModel(Server("http://127.0.0.1:80/v1", key), "m")
        assert "sekrit" not in str(caught.value)


def test_what_earlier_versions_kept_of_a_model_is_shown_without_its_server() -> None:
    assert public_name("http://10.0.0.7:8080/v1 org/small") == "org/small"
    assert public_name("https://ada:1/v1 /home/ada/m/small.gguf") == "small.gguf"


@pytest.mark.parametrize(
    ("model", "name"),
    [("qwen2.5:7b", "qwen2.5:7b"), ("org/small", "org/small"), ("/home/ada/m/small.gguf", "small.gguf"),
     (r"C:\Users\ada\small.gguf", "small.gguf")],
)  # fmt: skip
def test_what_projects_keep_of_a_model_says_neither_server_nor_folder(model: str, name: str) -> None:
    first, second = (ServerLanguageModel(Server(f"http://127.0.0.{n}:9/v1"), model).info for n in (1, 2))
    assert (first.id, first.title, first.version) == (name, name, name) and first.id == second.id
    cache, prompt = AnswerCache(), Prompt((Message("user", "Is it sound?"),), max_tokens=5)
    with cache.keeping(first) as keep:
        keep(prompt, Completion("Said by the first.", "stop", 3, 4, 0.1))
    assert cache.get(first, [prompt]) and not cache.get(second, [prompt])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://LOCALHOST:1/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://localhost.localdomain/v1", False),
        ("http://[::1", False),
        ("http://10.0.0.1/v1", False),
        ("http://user@127.0.0.1@example.org/v1", False),
        ("http://0.0.0.0/v1", False),
    ],
)
def test_what_counts_as_this_machine(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected
