"""The plugin works in a user's project after installation into an empty environment."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from pytest_mobileagent.virtual.ui.fonts import FAMILIES

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
    """The interpreter of an environment in which only the wheel is installed."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*install, str(wheel)], check=True)
    # The wheel's dependencies come from this environment, because tests use no network.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_wheel_contains_only_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pytest_mobileagent"}
    assert "pytest_mobileagent/py.typed" in names
    assert not [name for name in names if "__pycache__" in name]


def test_wheel_contains_agents_and_templates(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for path in (ROOT / "agents").rglob("*.py"):  # includes the modules that agents share
        name = path.relative_to(ROOT / "agents").as_posix()
        assert f"pytest_mobileagent/shipped_agents/{name}" in names
    for path in (ROOT / "pytest_mobileagent" / "init" / "project").rglob("*.*"):
        if "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names
    for name in ("page.html", "page.css", "main.js"):
        assert f"pytest_mobileagent/review/page/{name}" in names


def metadata(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        return archive.read(name).decode().splitlines()


def test_wheel_contains_licence_metadata_and_texts(wheel):
    lines = metadata(wheel)
    assert "License-Expression: Apache-2.0" in lines
    assert "Author: The pytest-mobileagent developers" in lines
    named = [line.partition(": ")[2] for line in lines if line.startswith("License-File")]
    roboto = "pytest_mobileagent/virtual/ui/roboto"
    assert named == ["LICENSE", "THIRD-PARTY.md"]
    names = zipfile.ZipFile(wheel).namelist()
    assert f"{roboto}/LICENSE.txt" in names
    licences = {name.partition("/licenses/")[2] for name in names if "/licenses/" in name}
    assert licences == set(named)
    fonts = [name for name in names if name.endswith(".ttf")]
    assert fonts == [f"{roboto}/Roboto-Medium.ttf", f"{roboto}/Roboto-Regular.ttf"]


def test_readme_of_the_wheel_has_no_relative_links(wheel):
    page = "\n".join(metadata(wheel))
    assert "See Writing agents." in page
    assert re.findall(r"\]\((?!https?://|#)[^)]*\)", page) == []


def test_font_licences_of_dependencies_are_listed():
    page = (ROOT / "THIRD-PARTY.md").read_text("utf-8")
    packages = {family.package.replace("_", "-") for family in FAMILIES if family.package}
    assert packages
    assert [name for name in packages if f"| `virtual` | `{name}` |" not in page] == []


def test_optional_dependencies_are_in_extras(wheel):
    lines = metadata(wheel)
    extras = [line.partition(": ")[2] for line in lines if line.startswith("Provides-Extra")]
    own = ["appium", "easyocr", "gemini", "grpc", "gym", "mcp", "models", "ray", "rollouts"]
    assert sorted(extras) == ["all", *own, "virtual", "vision"]
    needed = [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert not [line for line in needed if "dateutil" in line or "appium" in line]


@pytest.mark.slow
def test_initialised_project_runs(python, tmp_path):
    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run(python.parent / "mobileagent", "init").returncode == 0
    passes = run(python, "-m", "pytest", "tasks", "--agent=oracle", "-p", "no:cacheprovider")
    assert passes.returncode == 0, passes.stdout + passes.stderr
    assert "2 passed" in passes.stdout
    for words in (
        "import pytest_mobileagent; print(pytest_mobileagent.__file__)",
        "from pytest_mobileagent.agent.registry import shipped_agents; print(shipped_agents())",
    ):
        command = [python, "-P", "-c", words]
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert found.stdout.startswith(str(python.parents[1]))
