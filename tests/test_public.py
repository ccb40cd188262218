"""Tests that every public name exists, is documented, and is visible to type checkers."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import pytest_mobileagent
from pytest_mobileagent.lazy_names import imports_for_types

FACES = ["agent", "check", "device", "dialect", "errors", "perception", "probes", "record"]
FACES += ["releases", "testing", "virtual.sdk"]
ON_DEMAND = ["agent", "check", "device", "perception", "probes"]

USER = """
from pytest_mobileagent import Action, Agent, Briefing, Finish, Observation, Phone, Reply, Screen
from pytest_mobileagent.testing import FakePhone, make_screen, play


class Steps(Agent):
    def start(self, briefing: Briefing) -> None:
        self.goal: str = briefing.goal

    def step(self, observation: Observation) -> Action | Reply:
        screen: Screen = observation.screen
        return Reply(Finish(screen.get(text="Total").text), said=self.goal)


class Loop(Agent):
    def run(self, briefing: Briefing, phone: Phone) -> str:
        phone.act([Finish()], said=briefing.goal)
        return "done"


episode = play(Steps, "How much is it?", phone=FakePhone([make_screen("Total")]))
assert episode.answers("Total")
"""


def test_every_public_name_is_documented():
    values = {name: getattr(pytest_mobileagent, name) for name in pytest_mobileagent.__all__}
    # Unions of types, such as Action, have no docstring.
    assert [each for each, it in values.items() if not (get_args(it) or it.__doc__)] == []


@pytest.mark.parametrize("name", FACES)
def test_a_public_module_has_and_documents_all_its_names(name):
    face = importlib.import_module(f"pytest_mobileagent.{name}")
    assert face.__doc__
    assert face.__all__
    values = {each: getattr(face, each) for each in face.__all__}
    # Names of types, such as an `Action` of the sdk, have no docstring.
    assert [each for each, it in values.items() if not (get_args(it) or it.__doc__)] == []


def test_public_modules_import_their_names_on_demand():
    names = [f"pytest_mobileagent.{each}" for each in ON_DEMAND]
    code = f"import sys, {', '.join(names)}; print(*(m for m in sys.modules if 'mobile' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    allowed = {"pytest_mobileagent", "pytest_mobileagent.lazy_names", *names}
    assert set(done.stdout.split()) == allowed
    for name in ("pytest_mobileagent", *names):
        face = importlib.import_module(name)
        assert set(imports_for_types(name)) <= {*face.__all__}
        with pytest.raises(AttributeError, match="nothing_like_it"):
            _ = face.nothing_like_it


@pytest.mark.slow
def test_code_of_users_is_type_checked(tmp_path):
    file = tmp_path / "user.py"
    file.write_text(USER)
    # The cache of `make lint`, if there is one, saves a minute of a core.
    cache = f"--cache-dir={Path(__file__).parents[1] / '.mypy_cache'}"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", cache, str(file)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_module_takes_the_name_of_what_is_public():
    """Importing a submodule sets its name in the package, and may replace a public name."""
    package = Path(pytest_mobileagent.__file__).parent
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert modules & set(pytest_mobileagent.__all__) == set()
