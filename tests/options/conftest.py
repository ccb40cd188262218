"""How options are read and refused, without running a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def header(project) -> Callable[..., str]:
    """Returns what a run's header says of its options."""

    def read(*arguments: str) -> str:
        result = project.run("tasks", "--collect-only", "--agent=noop", *arguments)
        assert result.ret == 0, result.stderr.str()
        return result.stdout.str()

    return read


@pytest.fixture
def refused(project) -> Callable[..., str]:
    """Returns the error of options that end the run before anything starts."""

    def read(*arguments: str) -> str:
        result = project.run("tasks", "--agent=noop", *arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        return result.stderr.str()

    return read


@pytest.fixture
def comes_from(project, header, monkeypatch) -> Callable[[str, str], None]:
    """Checks that an option may be given by its environment variable and by its ini key."""

    def check(flag: str, text: str) -> None:
        name = flag.removeprefix("--").replace("-", "_")
        monkeypatch.setenv(name.upper(), text)
        assert f"{flag}={text} (environment variable {name.upper()})" in header()
        monkeypatch.delenv(name.upper())
        project.pytester.makeini(f"[pytest]\naddopts = -p no:cacheprovider\n{name} = {text}")
        assert f"{flag}={text} (ini key {name})" in header()

    return check
