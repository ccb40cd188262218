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


def test_the_wheel_holds_only_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pytest_mobileagent"}
    assert "pytest_mobileagent/py.typed" in names


@pytest.mark.slow
def test_it_works_in_another_project(wheel, tmp_path, pytester):
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True)
    # What the wheel depends on comes from this environment: tests use no network.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pytester.makeconftest(
        """
        def pytest_mobileagent_apps(config):
            return config.rootpath / "apps"
        """
    )
    pytester.mkdir("apps").joinpath("hello.py").write_text(
        """
from pytest_mobileagent.virtual import Activity, App, Column, Icon, Text

class Main(Activity):
    name = ".Main"
    title = "Hello"

    def content(self):
        return Column([Text("Hello", id="hello")])

class Hello(App):
    package = "com.example.hello"
    label = "Hello"
    icon = Icon("home", "#336699")
    activities = [Main]
"""
    )
    pytester.makepyfile(
        test_hello="""
        from pytest_mobileagent import Agent, Finish, Open, open_app, task
        import pytest

        class Opener(Agent):
            def step(self, screen):
                shown = screen.find(resource_id="hello")
                return Finish() if shown else Open("com.example.hello")

        @task("Say hello.", app="com.example.hello", golden_steps=1)
        def test_hello(episode):
            assert episode.screen.find(resource_id="hello")
        """
    )
    command = [python, "-m", "pytest", "--agent=test_hello.py:Opener", "-p", "no:cacheprovider"]
    run = subprocess.run(command, cwd=pytester.path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout
    where = "import pytest_mobileagent; print(pytest_mobileagent.__file__)"
    found = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    assert str(environment) in found.stdout
