"""Tests of `python -m pytest_mobileagent init`, which writes a working project into a folder."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    ".gitignore",
    "agents/hasty.py",
    "apps/shopping.py",
    "pyproject.toml",
    "tasks/shopping/test_shopping.py",
]


def init(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest_mobileagent", "init", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def written(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def made(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return the project that a new user starts with."""
    assert init(pytester.path).returncode == 0
    return pytester


def test_init_says_what_it_has_written(tmp_path):
    done = init(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["wrote", "pyproject.toml"],
        ["wrote", "apps/shopping.py"],
        ["wrote", "agents/hasty.py"],
        ["wrote", "tasks/shopping/test_shopping.py"],
        ["wrote", ".gitignore"],
    ]
    assert lines[0].endswith("where agents and apps are, and the agent to run (6 lines)")
    assert written(tmp_path) == FILES
    assert len((tmp_path / "pyproject.toml").read_text().splitlines()) == 6


def test_init_makes_the_folder_that_it_is_given(tmp_path):
    assert init(tmp_path, "new/bench").returncode == 0
    assert written(tmp_path / "new" / "bench") == FILES


def test_init_overwrites_nothing(tmp_path):
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "shopping.py").write_text("mine")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / ".gitignore").write_text("mine\n")
    done = init(tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "apps" / "shopping.py").read_text() == "mine"
    assert (tmp_path / "pyproject.toml").read_text() == "[project]\n"
    assert "left apps/shopping.py unchanged" in done.stdout
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert "left .gitignore unchanged; add these lines to it:\n\nruns/\n" in done.stdout
    assert '[tool.pytest]\naddopts = ["--import-mode=importlib"]' in done.stdout
    assert 'mobile_agent_paths = ["agents"]' in done.stdout


def test_its_lines_fit_below_the_older_header_of_pytests_options(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    done = init(tmp_path)
    assert "[tool.pytest.ini_options]\naddopts" in done.stdout
    assert "[tool.pytest]" not in done.stdout


def test_a_folder_that_cannot_be_written_is_an_error_in_words(tmp_path):
    (tmp_path / "apps").write_text("a file, no folder")
    done = init(tmp_path)
    assert done.returncode == 1
    assert "error: cannot write apps/shopping.py: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("agent", "outcomes"),
    [
        ([], {"passed": 1, "failed": 1}),
        pytest.param(["--agent=oracle"], {"passed": 2}, marks=pytest.mark.slow),
        pytest.param(["--agent=noop"], {"failed": 2}, marks=pytest.mark.slow),
        pytest.param(["--agent=truncated_oracle"], {"failed": 2}, marks=pytest.mark.slow),
    ],
    ids=["hasty", "oracle", "noop", "truncated_oracle"],
)
def test_the_project_runs(made, agent, outcomes):
    result = made.runpytest_subprocess("tasks", *agent, "-p", "no:cacheprovider")
    result.assert_outcomes(**outcomes)
    told = [line for line in result.outlines if line.startswith("FAILED ")]
    assert len(told) == outcomes.get("failed", 0)
    # No test body or solution raises any other error.
    assert all(" - AssertionError: " in line for line in told)
    result.stdout.fnmatch_lines(["suite *", "shopping * 2 *"])


@pytest.mark.slow
def test_the_project_runs_on_several_phones(made):
    result = made.runpytest_subprocess("tasks", "-n", "2", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED tasks/shopping/test_shopping.py::test_milk*"])
