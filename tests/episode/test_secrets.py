"""Which words are secrets, and that none is left in what is recorded."""

from __future__ import annotations

from pytest_mobileagent.episode.redaction import secrets_of, without_secrets


def test_secrets_are_known_by_their_names() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-12345678",
        "hf_token": "hf-12345678",
        "MY_PASSWORD": "short",
        "KEYBOARD": "a long value",
        "PATH": "/usr/bin:/bin",
    }
    assert set(secrets_of(environment)) == {"sk-12345678", "hf-12345678"}


def test_plain_data_is_searched_to_its_depth_and_the_longest_secret_goes_first() -> None:
    secrets = ["sk-12345", "sk-12345678"]
    data = {"a": ["sk-12345678!", {"b": ("sk-12345", 1, None)}], "c": "short"}
    hidden = {"a": ["…!", {"b": ["…", 1, None]}], "c": "short"}
    assert without_secrets(data, [*secrets, "short"]) == hidden
