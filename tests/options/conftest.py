"""Fixtures for reading options and testing their errors without running a task."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.llm.providers import PROVIDERS
from pytest_mobileagent.plugin.options import OPTIONS
from pytest_mobileagent.testing import ScriptedModel
from tests.options.asking import Asking
from tests.options.gating import Gated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.project import Project


@pytest.fixture
def header(project: Project) -> Callable[..., str]:
    """Returns the header of a run, which lists the options."""

    def read(*arguments: str) -> str:
        result = project.run("tasks", "--collect-only", "--agent=noop", *arguments)
        assert result.ret == 0, result.stderr.str()
        return result.stdout.str()

    return read


@pytest.fixture
def refused(project: Project) -> Callable[..., str]:
    """Returns the error for options that end the run before anything starts."""

    def read(*arguments: str) -> str:
        result = project.run("tasks", "--agent=noop", *arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        return result.stderr.str()

    return read


@pytest.fixture(scope="session")
def wrong() -> Callable[[str, str], str]:
    """Returns why a value of an option is refused, which ends any run (see test_sources.py)."""

    def read(flag: str, text: str) -> str:
        (option,) = (option for option in OPTIONS if option.flag == flag)
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the tests look at what it says
            option.parse(text)
        return str(raised.value)

    return read


@pytest.fixture
def asking(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """A project whose agents ask models, on a phone in memory, with no API keys set."""
    for provider in PROVIDERS.values():
        for name in (*provider.key, *provider.url_variables):
            monkeypatch.delenv(name, raising=False)
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")
    project = Asking(pytester)
    project.write()
    return project


@pytest.fixture
def gated(pytester: pytest.Pytester) -> Gated:
    """A project with a gate and a baseline, on a phone in memory."""
    project = Gated(pytester)
    project.write()
    return project


@pytest.fixture
def served() -> Iterator[Callable[..., str]]:
    """Returns the model `openai:own`, served locally with scripted replies."""
    with contextlib.ExitStack() as stack:

        def serve(*replies: Any, name: str = "own") -> str:
            url = stack.enter_context(ScriptedModel(replies).serve())
            return f"openai:{name}@{url}/v1"

        yield serve


@pytest.fixture
def fnmatch() -> Callable[[str, str], None]:
    """Checks that a line matches a pattern in which only * and ? are special characters."""

    def check(line: str, pattern: str) -> None:
        pytest.LineMatcher([line]).fnmatch_lines([pattern.replace("[", "[[]")])

    return check
