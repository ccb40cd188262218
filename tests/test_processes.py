"""Tests of the environment that processes are started with, and of waiting for their output.

Waiting has to work in a process with many open files, too.
"""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.check.temporal import in_fork
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.processes import environment, is_readable, was_killed, without_keys

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_no_key_is_left_by_its_own_name_or_another():
    given = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "sk-12345678",
        "HF_TOKEN": "hf_12345678",
        "ADB_VENDOR_KEYS": "/keys",  # a path, not a key
        "SAME": "https://me:sk-12345678@example.com",
        "SHORT_KEY": "go",
        "GOAL": "let it go",
    }
    assert without_keys(given) == {
        "PATH": "/bin",
        "ADB_VENDOR_KEYS": "/keys",
        "GOAL": "let it go",
    }


@pytest.mark.parametrize(
    ("status", "killed"),
    [(-9, True), (-15, True), (137, True), (143, True), (None, True), (-11, False), (139, False),
     (-2, False), (0, False), (1, False), (9, False), (15, False)],
)  # fmt: skip
def test_the_exit_status_of_a_killed_process_is_recognised(status: int | None, killed: bool):
    assert was_killed(status) is killed


BEYOND = 1024  # the first descriptor that `select.select` does not support


@pytest.fixture
def crowd() -> Iterator[None]:
    """Open enough files that further descriptors exceed the limit of `select.select`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2 * BEYOND:
        if hard != resource.RLIM_INFINITY and hard < 2 * BEYOND:
            pytest.skip(f"no more than {hard} files may be open")
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * BEYOND, hard))
    opened = [os.open(os.devnull, os.O_RDONLY)]
    while opened[-1] < BEYOND:
        opened.append(os.dup(opened[0]))
    yield
    for each in opened:
        os.close(each)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("crowd")
def test_any_descriptor_can_be_waited_for() -> None:
    reading, writing = os.pipe()
    assert reading > BEYOND
    assert not is_readable(reading, 0)
    assert not is_readable(reading, -1)
    os.write(writing, b"x")
    assert is_readable(reading, 0)
    os.read(reading, 1)
    os.close(writing)
    assert is_readable(reading, 0)  # end of file
    os.close(reading)


@pytest.mark.usefixtures("crowd")
def test_a_worker_with_many_open_files_asks_about_prefixes() -> None:
    assert in_fork(lambda: {"held": [True]}) == {"held": [True]}


def test_environment_can_be_read_while_another_thread_changes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Changing(dict[str, str]):
        def __iter__(self) -> Iterator[str]:
            return iter([*super().__iter__(), "PYTEST_CURRENT_TEST"])  # gone when it is read

    monkeypatch.setattr(os, "environ", Changing(OPENAI_API_KEY="sk-secret-of-some-length"))
    assert environment() == {"OPENAI_API_KEY": "sk-secret-of-some-length"}
    assert redacted({"text": "sk-secret-of-some-length"}) == {"text": "…"}
