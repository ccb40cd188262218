"""Tests of the script that `make test` runs: which tests it skips because they passed before."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PYTEST = """
import sys
from pathlib import Path
words = sys.argv[1:]
Path("ran").write_text(" ".join(words))
is_broken = "False" in Path("pytest_mobileagent/virtual/phone.py").read_text()
sys.exit(is_broken and "--ignore=tests/virtual" not in words)
"""
ALL = "-n 3 -m not slow"
LEFT_OUT = f"{ALL} --ignore=tests/virtual --ignore=tests/sdk --ignore=tests/fixtures"
ONLY = "-n 3 tests/virtual tests/sdk tests/fixtures"


@dataclass(frozen=True)
class Checkout:
    """A project with the same folders, in which a fake pytest only records its arguments."""

    root: Path
    script: ModuleType

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def run(self, virtual: str = "auto") -> tuple[int, str]:
        """Run the project's fast tests; return the exit status and the arguments of pytest."""
        status: int = self.script.main(virtual)
        return status, (self.root / "ran").read_text()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    script = load("fast_tests")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    checkout = Checkout(tmp_path, script)
    checkout.write("pytest_mobileagent/virtual/phone.py", "ON = True\n")
    checkout.write("pytest_mobileagent/report/page.py", "\n")
    checkout.write("pytest.py", PYTEST)
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return checkout


def test_passed_tests_are_left_out_until_their_files_change(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checkout.run() == (0, ALL)
    assert capsys.readouterr().out == ""
    checkout.write("pytest_mobileagent/report/page.py", "CHANGED = True\n")
    assert checkout.run() == (0, LEFT_OUT)
    assert "(tests/virtual, tests/sdk, tests/fixtures) are left out" in capsys.readouterr().out
    assert checkout.run("all") == (0, ALL)  # as .ci/run does
    checkout.write("fixtures/new.py", "NEW = 1\n")  # not yet tracked by git
    assert [checkout.run(), checkout.run()] == [(0, ALL), (0, LEFT_OUT)]
    checkout.write("pytest_mobileagent/virtual/phone.py", "ON = False\n")
    # A failure is never remembered as a pass.
    assert [checkout.run(), checkout.run()] == [(1, ALL), (1, ALL)]
    checkout.write("pytest_mobileagent/virtual/phone.py", "ON = True\n")
    assert checkout.run() == (0, LEFT_OUT)


def test_partial_runs_and_runs_outside_of_git_do_not_count_as_passed(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k phone")
    assert checkout.run() == (0, ALL)
    monkeypatch.delenv("PYTEST_ADDOPTS")
    assert checkout.run() == (0, ALL)
    shutil.rmtree(checkout.root / ".git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(checkout.root.parent))
    assert [checkout.run(), checkout.run()] == [(0, ALL), (0, ALL)]


def test_files_as_in_the_main_branch_of_origin_need_no_tests(
    checkout: Checkout, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
        subprocess.run(["git", *who, *words], cwd=checkout.root, check=True, capture_output=True)

    git("commit", "-m", "First")
    origin = tmp_path_factory.mktemp("origin")
    git("clone", "--bare", ".", str(origin))
    git("remote", "add", "origin", str(origin))
    assert checkout.run("only") == (0, ONLY)
    checkout.script.record().unlink()
    git("fetch", "origin")
    git("remote", "set-head", "origin", "--auto")
    assert checkout.run() == (0, LEFT_OUT)
    assert "the files that they run are those of origin's main branch" in capsys.readouterr().out
    checkout.write("pytest_mobileagent/report/page.py", "CHANGED = True\n")
    git("commit", "-am", "Change what these tests do not run")
    assert checkout.run() == (0, LEFT_OUT)
    assert checkout.run("all") == (0, ALL)
    checkout.script.record().unlink()
    checkout.write("fixtures/new.py", "NEW = 1\n")
    assert not checkout.script.is_as_in_origin()
    git("add", ".")
    assert not checkout.script.is_as_in_origin()
    git("commit", "-m", "Add a fixture")
    assert checkout.run() == (0, ALL)


def test_passes_with_another_python_do_not_count_and_virtual_devices_may_be_run_alone(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [checkout.run("only"), checkout.run("only")] == [(0, ONLY), (0, ONLY)]
    assert checkout.run() == (0, LEFT_OUT)
    monkeypatch.setattr(sys, "version", "3.99")
    assert checkout.run() == (0, ALL)


def test_all_that_the_virtual_device_imports_counts() -> None:
    used = load("fast_tests").USED
    folders = tuple(f"{path}/" for path in used if "*" not in path)
    for path in (ROOT / "pytest_mobileagent" / "virtual").rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            name = line.strip().removeprefix("from ").partition(" import ")[0]
            if line.strip().startswith("from pytest_mobileagent."):
                module = name.replace(".", "/")
                is_top = (ROOT / f"{module}.py").is_file() and module.count("/") == 1
                assert is_top or f"{module}/".startswith(folders), f"{path}: {line}"
