"""Installed into an empty environment, the plugin works in somebody else's project."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    built = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment in which nothing is installed but the wheel."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*install, str(wheel)], check=True)
    # What the wheel depends on comes from this environment: tests use no network.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_wheel_holds_only_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pytest_mobileagent"}
    assert "pytest_mobileagent/py.typed" in names
    assert not [name for name in names if "__pycache__" in name]


def test_the_wheel_holds_the_agents_and_the_templates(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for path in (ROOT / "agents").rglob("*.py"):  # what agents share, too
        name = path.relative_to(ROOT / "agents").as_posix()
        assert f"pytest_mobileagent/shipped_agents/{name}" in names
    for path in (ROOT / "pytest_mobileagent" / "init" / "project").rglob("*.*"):
        if "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names
    for name in ("page.html", "page.css", "main.js"):
        assert f"pytest_mobileagent/review/page/{name}" in names


def test_extras_hold_what_only_some_need(wheel):
    (metadata,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA")]
    lines = zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
    extras = [line.partition(": ")[2] for line in lines if line.startswith("Provides-Extra")]
    own = ["appium", "easyocr", "grpc", "mcp", "models", "virtual", "vision"]
    assert sorted(extras) == ["all", *own]
    needed = [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert not [line for line in needed if "babel" in line or "appium" in line]


@pytest.mark.slow
def test_a_project_that_begins_with_it_runs(python, tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("pytest_mobileagent", "init").returncode == 0
    passes = run("pytest", "tasks", "--agent=oracle", "-p", "no:cacheprovider")
    assert passes.returncode == 0, passes.stdout + passes.stderr
    assert "2 passed" in passes.stdout
    for words in (
        "import pytest_mobileagent; print(pytest_mobileagent.__file__)",
        "from pytest_mobileagent.agent.registry import shipped_agents; print(shipped_agents())",
    ):
        command = [python, "-P", "-c", words]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert found.stdout.startswith(str(python.parents[1]))
