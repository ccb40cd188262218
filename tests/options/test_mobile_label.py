"""--mobile-label: the name of a run in tables and pages."""

from __future__ import annotations

from pytest_mobileagent.episode.runs import about


def test_a_run_is_named_by_its_label_in_every_table(asking):
    asking.run("--mobile-label=first", "--mobile-runs=first", agent="noop")
    named = ["--mobile-label=pr-118", "--mobile-runs=pr-118", "--mobile-baseline=first"]
    result = asking.run(*named, agent="noop")
    result.stdout.fnmatch_lines(["*= mobile agent pr-118 =*", "against first (*): *"])
    (run,) = (asking.pytester.path / "pr-118").iterdir()
    assert about(run)["label"] == "pr-118"
    assert "## Run of pr-118\n" in (run / "summary.md").read_text()


def test_an_agent_in_a_file_is_named_after_the_file_and_so_is_the_folder(asking):
    asking.run(agent="Silent").stdout.fnmatch_lines(["*= mobile agent asking =*"])
    (run,) = (asking.pytester.path / "runs").iterdir()
    assert run.name[20:-5] == about(run)["agent"] == "asking"


def test_a_label_is_one_short_line(wrong):
    for text in ("two\nlines", "x" * 81):
        assert wrong("--mobile-label", text) == "must be one line of at most 80 characters"
