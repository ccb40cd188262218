"""Fixtures that run pytest in separate processes, and tasks on a phone in memory."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from .leftovers import processes_with, wait_until
from .projects import Shop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.project import Project


@pytest.fixture
def start(project: Project) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts pytest in the project, as a process that is killed at the end of the test."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=project.pytester.path,
            stdout=subprocess.PIPE,
            text=True,
            # Background jobs of a shell, and therefore these tests, may ignore Ctrl-C (SIGINT).
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of runs, with a path short enough for sockets."""
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)  # of this process, in which runs may be
    return folder


@pytest.fixture
def markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which agents of `leftovers` leave their marks."""
    monkeypatch.setenv("MARKERS", str(tmp_path))
    return tmp_path


@pytest.fixture
def nothing_left(temporary: Path) -> Callable[[], None]:
    """Waits until no process and no folder of a run is left."""

    def check() -> None:
        wait_until(lambda: not processes_with(str(temporary)))
        wait_until(lambda: not list(temporary.glob("mobileagent-*")))

    return check


@pytest.fixture
def shop(pytester: pytest.Pytester) -> Shop:
    """A project whose test file is passed to each run."""
    return Shop(pytester)
