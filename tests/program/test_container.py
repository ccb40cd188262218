"""Programs in containers, with a stand-in for Docker."""

from __future__ import annotations

import csv
import io
import os
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.program.launch import ProgramProcess, contained, engine

if TYPE_CHECKING:
    from pathlib import Path

# Runs the command after the image with the given variables, and logs its arguments.
DOCKER = """#!/bin/sh
echo "$@" >> "$0.log"
[ "$1" = version ] && exit 0
[ "$1" = rm ] && exit 0
while [ "$1" != the-image ]; do shift; done
shift
exec sh "$@"
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin" / "docker"
    path.parent.mkdir()
    path.write_text(DOCKER)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    return path


def test_program_runs_in_a_container_that_ends_with_it(docker, tmp_path):
    environment = {**os.environ, "OPENAI_API_KEY": "sk-very-secret", "MOBILEAGENT_GOAL": "go"}
    container = contained(
        ["sh", "-c", 'echo "$MOBILEAGENT_GOAL" "$1"; echo "$PATH"', "x", "a  b"],
        "the-image",
        tmp_path,
        environment,
        run="run 1/2",
        own=["OPENAI_API_KEY", "MOBILEAGENT_GOAL", "PATH", "NONE"],
        paths=[tmp_path / "a,b"],
        search=["/shim"],
    )
    process = ProgramProcess(
        container.words,
        tmp_path,
        container.environment,
        tmp_path / "program",
        after=container.after,
    )
    process.start()
    assert process.wait(30) == 0
    process.end()
    said, path = process.stdout.read_text().splitlines()
    assert said == "go a  b"
    assert path.startswith("/shim:")
    version, run, rm = docker.with_name("docker.log").read_text().splitlines()
    assert version == "version"
    assert "--rm --init --interactive --network=host" in run
    assert "sk-very-secret" not in run
    names = [words.split()[0] for words in run.split("--env ")[1:]]
    assert names == ["MOBILEAGENT_GOAL", "MOBILEAGENT_PATH", "OPENAI_API_KEY"]
    assert container.name.startswith("mobileagent-run-1-2-")
    assert rm == f"rm --force {container.name}"


def test_any_path_can_be_mounted(docker, tmp_path):
    odd = tmp_path / 'a,"b"\nc'
    container = contained(["x"], "image", odd, {}, run="r")
    mount = container.words[container.words.index("--mount") + 1]
    fields = next(csv.reader(io.StringIO(mount, newline="")))
    assert fields == ["type=bind", f"source={odd}", f"target={odd}"]


def test_missing_container_engine_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="install docker or podman"):
        engine()


def test_failing_docker_is_quoted(docker):
    docker.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2; exit 1")
    with pytest.raises(HostError, match="does not work: Cannot connect to the Docker daemon"):
        engine()


def test_podman_is_used_without_docker(docker):
    docker.rename(docker.with_name("podman"))
    assert engine() == str(docker.with_name("podman"))
