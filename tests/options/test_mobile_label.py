"""--mobile-label: the name of a run in tables and pages."""

from __future__ import annotations

import pytest

from pytest_mobileagent.episode.runs import about


def test_a_run_is_named_by_its_label_in_every_table(project):
    folder = project.pytester.path
    for name in ("first", "pr-118"):
        arguments = (f"--mobile-label={name}", f"--mobile-runs={name}", "--mobile-baseline=first")
        result = project.run(
            "tasks", "--agent=noop", "-k", "code", *arguments[: 2 + (name != "first")]
        )
        result.stdout.fnmatch_lines([f"*= mobile agent {name} =*"])
    result.stdout.fnmatch_lines(["against first (*): *"])
    (run,) = (folder / "pr-118").iterdir()
    assert about(run)["label"] == "pr-118"
    assert "## Run of pr-118\n" in (run / "summary.md").read_text()


def test_an_agent_in_a_file_is_named_after_the_file_and_so_is_the_folder(project):
    path = project.pytester.path / "agents" / "noop.py"
    result = project.run("tasks", f"--agent={path}:Noop", "-k", "code")
    result.stdout.fnmatch_lines(["*= mobile agent noop =*"])
    (run,) = (project.pytester.path / "runs").iterdir()
    assert run.name[20:-5] == "noop"
    assert about(run)["agent"] == "noop"


@pytest.mark.parametrize("text", ["two\nlines", "x" * 81])
def test_a_label_is_one_short_line(project, text):
    result = project.run("tasks", "--agent=noop", f"--mobile-label={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["* must be one line of at most 80 characters"])
