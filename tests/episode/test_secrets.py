"""Tests of finding keys and other secrets, and of masking them in every form."""

from __future__ import annotations

import pytest

from pytest_mobileagent.episode.secrets import secrets_of, without_secrets
from tests.episode.test_decoding import WAYS


@pytest.mark.parametrize(
    "key", ['sk-or/v1+ab=c%9d"x\\y012', "pa&amp;ss%20word", "sk-test-01234567"]
)
@pytest.mark.parametrize(
    "way", ["as it is", "JSON", "JSON in JSON", "URL", "query", "HTML", "base64", "base64 for URLs"]
)
def test_key_that_looks_like_an_escape_is_removed(key, way):
    assert WAYS[way](key) not in without_secrets(f"The key {WAYS[way](key)} is wrong.", [key])


def test_secrets_are_recognised_by_variable_name():
    environment = {
        "OPENAI_API_KEY": "sk-12345678",
        "hf_token": "hf-12345678",
        "MY_PASSWORD": "short",
        "KEYBOARD": "a long value",
        "PATH": "/usr/bin:/bin",
    }
    assert set(secrets_of(environment)) == {"sk-12345678", "hf-12345678"}


def test_nested_data_is_searched_for_the_longest_secret_first():
    secrets = ["sk-12345", "sk-12345678"]
    data = {"a": ["sk-12345678!", {"b": ("sk-12345", 1, None)}], "c": "short"}
    hidden = {"a": ["…!", {"b": ["…", 1, None]}], "c": "short"}
    assert without_secrets(data, [*secrets, "short"]) == hidden
