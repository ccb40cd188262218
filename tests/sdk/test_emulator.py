"""Tests that the emulator of the tests' SDK has the real one's flags and messages."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import FakeSdk


@pytest.fixture
def emulator(sdk: FakeSdk) -> Callable[..., tuple[int, str]]:
    sdk.add_avd("pixel")

    def run(*words: str) -> tuple[int, str]:
        command: list[str | Path] = [sdk.root / "emulator" / "emulator", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_emulator_lists_its_avds_after_other_messages(emulator):
    status, said = emulator("-list-avds")
    assert (status, said.splitlines()[1:]) == (0, ["pixel"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-avd", "nope"], "Unknown AVD name [nope], use -list-avds to see valid list."),
        (["-no-window"], "No AVD specified. Use '@foo' or '-avd foo'"),
        (["@pixel", "-nonsense"], "unknown option: -nonsense"),
        (["@pixel", "-port"], "option '-port' requires a value"),
    ],
)
def test_unknown_arguments_end_it(emulator, words, said):
    status, text = emulator(*words)
    assert status == 1
    assert said in text


def test_the_emulator_knows_its_version_and_its_flags(emulator):
    assert emulator("-version")[1].startswith("Android emulator version ")
    assert "    -read-only\n" in emulator("-help")[1]
    assert emulator("-no_window", "-list_avds")[0] == 0
