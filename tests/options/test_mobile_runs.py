"""--mobile-runs: where the runs' folders are made."""

from pytest_mobileagent import load


def test_each_run_writes_a_folder_of_its_own(project):
    for _ in range(2):
        project.run("tasks", "--agent=noop", "-k", "code", "--mobile-runs=out/here")
    folders = list((project.pytester.path / "out" / "here").iterdir())
    assert len(folders) == 2
    for folder in folders:
        (episode,) = (folder / "episodes").iterdir()
        assert load(episode).task.goal == "Tell me the code."


def test_a_folder_that_cannot_be_made_is_told(project):
    (project.pytester.path / "taken").write_text("")
    result = project.run("tasks", "--agent=noop", "--mobile-runs=taken", "-k", "code")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*infrastructure: cannot make a folder in --mobile-runs*"])
