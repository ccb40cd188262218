"""--mobile-runs: the folder in which runs are created."""

from pytest_mobileagent import load


def test_each_run_writes_a_folder_of_its_own(asking):
    for _ in range(2):
        asking.run("--mobile-runs=out/here", agent="noop")
    folders = list((asking.pytester.path / "out" / "here").iterdir())
    assert len(folders) == 2
    for folder in folders:
        (episode,) = (folder / "episodes").iterdir()
        assert load(episode).goal == "Tell me the code."


def test_a_folder_that_cannot_be_made_is_reported(asking):
    (asking.pytester.path / "taken").write_text("")
    said = asking.refused("--mobile-runs=taken", agent="noop")
    assert said.startswith("--mobile-runs=taken ")
    assert said.endswith("taken is a file; name a folder")
