"""What a model is told of our API is what the code says of itself."""

from __future__ import annotations

import inspect

import pytest

from pytest_mobileagent import Episode, Screen
from pytest_mobileagent.draft import prompt as api_module
from pytest_mobileagent.draft.prompt import api


@pytest.mark.parametrize("described", [Episode, Screen])
def test_every_question_is_there_with_its_arguments_and_its_docstring(described):
    told = api()
    for name, member in inspect.getmembers(described, inspect.isfunction):
        if name.startswith("_") or name in api_module._OTHERS:
            continue
        assert f"    def {name}(self" in told, name
        assert (inspect.getdoc(member) or "").partition("\n")[0] in told, name


def test_what_a_check_cannot_use_is_left_out():
    told = api()
    for word in ("Raises:", "__", "def prefix", "png: bytes", "object of"):
        assert word not in told


def test_it_is_short_enough_to_be_sent_each_time():
    assert len(api()) < 40_000
