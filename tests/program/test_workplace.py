"""Copies of a program's folder for each episode, which are removed completely afterwards.

Also, the environments that programs need: each is created once, and never used half-finished.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.program import Adapter, Values
from pytest_mobileagent.program import workplace as module
from pytest_mobileagent.program.workplace import environment_variables, install, workplace


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program's repository, in which 100 bytes count as a large file."""
    monkeypatch.setattr(module, "_LARGE", 100)
    folder = tmp_path / "Other-Agent"
    for name in (".git", "venv/bin", "web/node_modules", "src"):
        (folder / name).mkdir(parents=True)
    (folder / "venv" / "pyvenv.cfg").touch()
    (folder / "src" / "run.py").write_text("print()")
    (folder / "src" / "run.py").chmod(0o755)
    (folder / "weights.bin").write_bytes(b"x" * 100)
    (folder / "config.yaml").write_text("url: {openai_chat_url}")
    (folder / "inside").symlink_to("src/run.py")
    (folder / "outside").symlink_to("../elsewhere")
    (tmp_path / "elsewhere").write_text("far")
    return folder


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    (tmp_path / "parent").mkdir()
    return tmp_path / "parent"


def adapter(folder: Path | None, *, copy: bool = True, files: tuple[str, ...] = ()) -> Adapter:
    return Adapter("x", ("x",), folder=folder, copy=copy, files=files)


def test_copy_contains_small_files_and_links_large_ones(source, parent):
    with workplace(adapter(source), parent, parent) as place:
        copy = place.folder
        assert copy.name == "Other-Agent"
        assert (copy / "src" / "run.py").read_text() == "print()"
        assert os.access(copy / "src" / "run.py", os.X_OK)
        for name in (".git", "venv", "web/node_modules", "weights.bin"):
            assert (copy / name).readlink() == source / name
        (copy / "inside").write_text("changed")
        assert (copy / "src" / "run.py").read_text() == "changed"
        assert (copy / "outside").read_text() == "far"
    assert (source / "src" / "run.py").read_text() == "print()"
    assert not list(parent.iterdir())


def test_placeholders_are_replaced_in_the_copy_only(source, parent):
    with workplace(adapter(source, files=("config.yaml",)), parent, parent) as place:
        variables = place.prepare(
            adapter(source, files=("config.yaml",)), Values("a\0b\r\n", openai_chat_url="http://x")
        )
        assert (place.folder / "config.yaml").read_text() == "url: http://x"
        with open(variables["MOBILEAGENT_GOAL_FILE"], newline="") as goal:  # noqa: PTH123
            assert goal.read() == "a\ufffdb\r\n"
        assert variables["MOBILEAGENT_ANSWER_FILE"] == str(place.notes / "answer")
        assert variables["MOBILEAGENT_IMPOSSIBLE_FILE"] == str(place.notes / "impossible")
    assert "{openai_chat_url}" in (source / "config.yaml").read_text()


def test_written_files_are_kept_without_secrets(source, parent, tmp_path):
    kept = tmp_path / "kept"
    with workplace(adapter(source), parent, parent) as place:
        place.prepare(adapter(source), Values("go"))
        (place.folder / "logs").mkdir()
        (place.folder / "logs" / "1.txt").write_text("key sk-very-secret.")
        (place.folder / "config.yaml").write_text("changed")
        (place.folder / "link").symlink_to("/etc/passwd")
        (place.folder / "huge").write_bytes(b"x" * 10_000_001)
        (place.folder / "__pycache__").mkdir()
        (place.folder / "__pycache__" / "x.pyc").touch()
        place.save(kept, ["sk-very-secret"])
    files = {str(path.relative_to(kept)): path for path in kept.rglob("*") if path.is_file()}
    assert sorted(files) == ["config.yaml", "logs/1.txt"]
    assert files["logs/1.txt"].read_text() == "key …."


def test_nothing_is_kept_of_a_folder_that_is_not_a_copy(source, parent):
    for each, folder in ((adapter(source, copy=False), source), (adapter(None), parent)):
        with workplace(each, parent) as place:
            assert place.folder == folder
            place.prepare(each, Values("go"))
            (place.folder / "log").touch()
            place.save(parent / "kept")
        assert (folder / "log").exists()
        assert not (parent / "kept").exists()


def test_only_files_are_copied(source, parent, monkeypatch):
    os.mkfifo(source / "pipe")
    monkeypatch.chdir(source)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        with workplace(adapter(source), parent, parent) as place:
            assert not {"pipe", "socket"} & {path.name for path in place.folder.iterdir()}


def test_oversized_folder_is_refused(source, parent, monkeypatch):
    monkeypatch.setattr(module, "_MOST_FILES", 1)
    with (
        pytest.raises(AgentError, match="copy = false"),
        workplace(adapter(source), parent, parent),
    ):
        pass
    assert not list(parent.iterdir())


def test_copy_inside_the_folder_does_not_include_itself(source):
    with workplace(adapter(source), source, source) as place:
        assert not list(place.folder.glob("mobileagent-program-*"))


def test_copy_with_read_only_folders_is_removed(source, parent):
    with workplace(adapter(source), parent, parent) as place:
        (place.folder / "src").chmod(0o500)
    assert not list(parent.iterdir())


def test_without_room_it_is_not_a_failure_of_the_agent(source, tmp_path):
    with pytest.raises(HostError), workplace(adapter(source), source, tmp_path / "none"):
        pass


@pytest.fixture
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "requirements.txt"
    path.write_text("")
    return path


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that are run; they only create the environment's folder."""
    run: list[list[str]] = []

    def record(command: list[str], requirements: Path) -> None:
        run.append(command)
        if "venv" in command:
            Path(command[-1], "bin").mkdir(parents=True)

    monkeypatch.setattr(module, "_run", record)
    return run


def test_environment_is_created_once_for_concurrent_users(requirements, commands):
    with ThreadPoolExecutor(8) as pool:
        (made,) = set(pool.map(install, [requirements] * 8))
    assert [("venv" in each, "pip" in each) for each in commands] == [(True, False), (False, True)]
    assert made.is_relative_to(requirements.parent / "cache")
    assert environment_variables(made, {"PATH": "/usr/bin"}) == {
        "VIRTUAL_ENV": str(made),
        "PATH": f"{made}/bin:/usr/bin",
    }


def test_other_requirements_create_another_environment(requirements, commands):
    (requirements.parent / "more.txt").write_text("requests")
    made = [install(requirements)]
    requirements.write_text("-r more.txt\n-r requirements.txt\n-r none.txt\n")
    made.append(install(requirements))
    (requirements.parent / "more.txt").write_text("requests>2")
    made.append(install(requirements))
    assert len(set(made)) == 3


def test_a_half_made_environment_is_never_used(requirements, commands, monkeypatch):
    good = install(requirements)
    for link in good.parent.iterdir():
        if link.is_symlink():
            link.unlink()  # as if its creator had been killed
    again = install(requirements)
    assert again != good
    assert not good.exists()


def test_the_last_lines_of_pip_are_shown(requirements):
    command = [sys.executable, "-c", "print('no such package'); raise SystemExit(1)"]
    with pytest.raises(HostError, match=r"(?s)cannot install .*status 1.*no such package"):
        module._run(command, requirements)


def test_failed_installation_leaves_nothing_behind(requirements, monkeypatch):
    def fail(command: list[str], requirements: Path) -> None:
        Path(command[-1]).mkdir()
        raise HostError("no")

    monkeypatch.setattr(module, "_run", fail)
    with pytest.raises(HostError):
        install(requirements)
    folders = requirements.parent / "cache" / "pytest-mobileagent" / "environments"
    assert not [path for path in folders.iterdir() if path.suffix != ".lock"]


def test_missing_requirements_file_is_named(tmp_path):
    with pytest.raises(HostError, match=r"none\.txt"):
        install(tmp_path / "none.txt")


@pytest.mark.slow
def test_program_can_import_installed_packages(requirements):
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
