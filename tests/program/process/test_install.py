"""Environments that programs need are made once, and never half-made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.program.process import workplace as module
from pytest_mobileagent.program.process.workplace import environment_variables, install


@pytest.fixture
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "requirements.txt"
    path.write_text("")
    return path


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that are run; they only make the environment's folder."""
    run: list[list[str]] = []

    def record(command: list[str], requirements: Path) -> None:
        run.append(command)
        if "venv" in command:
            Path(command[-1], "bin").mkdir(parents=True)

    monkeypatch.setattr(module, "_run", record)
    return run


def test_an_environment_is_made_once_however_many_ask(
    requirements: Path, commands: list[list[str]]
) -> None:
    with ThreadPoolExecutor(8) as pool:
        (made,) = set(pool.map(install, [requirements] * 8))
    assert [("venv" in each, "pip" in each) for each in commands] == [(True, False), (False, True)]
    assert made.is_relative_to(requirements.parent / "cache")
    assert environment_variables(made, {"PATH": "/usr/bin"}) == {
        "VIRTUAL_ENV": str(made),
        "PATH": f"{made}/bin:/usr/bin",
    }


def test_other_content_makes_another(requirements: Path, commands: list[list[str]]) -> None:
    (requirements.parent / "more.txt").write_text("requests")
    made = [install(requirements)]
    requirements.write_text("-r more.txt\n-r requirements.txt\n-r none.txt\n")
    made.append(install(requirements))
    (requirements.parent / "more.txt").write_text("requests>2")
    made.append(install(requirements))
    assert len(set(made)) == 3


def test_one_that_is_half_made_is_never_used(
    requirements: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = install(requirements)
    for link in good.parent.iterdir():
        if link.is_symlink():
            link.unlink()  # as if whoever made it had been killed before
    again = install(requirements)
    assert again != good
    assert not good.exists()


def test_what_pip_says_last_is_shown(requirements: Path) -> None:
    command = [sys.executable, "-c", "print('no such package'); raise SystemExit(1)"]
    with pytest.raises(HostError, match=r"(?s)cannot install .*status 1.*no such package"):
        module._run(command, requirements)


def test_a_failure_leaves_nothing(requirements: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(command: list[str], requirements: Path) -> None:
        Path(command[-1]).mkdir()
        raise HostError("no")

    monkeypatch.setattr(module, "_run", fail)
    with pytest.raises(HostError):
        install(requirements)
    folders = requirements.parent / "cache" / "pytest-mobileagent" / "environments"
    assert not [path for path in folders.iterdir() if path.suffix != ".lock"]


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"none\.txt"):
        install(tmp_path / "none.txt")


@pytest.mark.slow
def test_a_program_finds_what_was_installed(requirements: Path) -> None:
    about = "mine-1.dist-info"
    with zipfile.ZipFile(requirements.parent / "mine-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("mine.py", "import sys; print(sys.prefix)")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    requirements.write_text("--no-index\n./mine-1-py3-none-any.whl\n")
    environment = install(requirements)
    command = ["python", "-m", "mine"]
    path = environment_variables(environment, os.environ)["PATH"]
    done = subprocess.run(
        [shutil.which(command[0], path=path) or "", *command[1:]],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(environment)
