"""--mobile-runs: the folder in which runs are created."""

import pytest

from pytest_mobileagent import load


def test_each_run_writes_a_folder_of_its_own(project):
    for _ in range(2):
        project.run("tasks", "--agent=noop", "-k", "code", "--mobile-runs=out/here")
    folders = list((project.pytester.path / "out" / "here").iterdir())
    assert len(folders) == 2
    for folder in folders:
        (episode,) = (folder / "episodes").iterdir()
        assert load(episode).goal == "Tell me the code."


def test_a_folder_that_cannot_be_made_is_reported(project):
    (project.pytester.path / "taken").write_text("")
    result = project.run("tasks", "--agent=noop", "--mobile-runs=taken", "-k", "code")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mobile-runs=taken *taken is a file; name a folder"])
