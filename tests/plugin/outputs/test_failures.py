"""What agents in pytest's own process print is shown up to a size."""

from __future__ import annotations

from tests.plugin.projects import PHONE

AGENT = """
from pytest_mobileagent import Agent, Finish

class Prints(Agent):
    def start(self, briefing):
        pass
    def step(self, observation):
        print("first words")
        print("x" * 20_000_000)
        print("last words")
        return Finish("4711")
"""
TASKS = """
from pytest_mobileagent import task

@task("Read.", app="a", golden_steps=6)
def test_read(episode):
    assert episode.answers("6")
"""


def test_a_flood_is_cut_in_reports_and_kept_in_the_episode_up_to_a_size(pytester):
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS, prints=AGENT)
    result = pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "--agent=prints.py:Prints", "--mobile-agent-process=off",
        "--junitxml=junit.xml", "-o", "junit_logging=all",
    )  # fmt: skip
    result.assert_outcomes(failed=1)
    told = result.stdout.str()
    assert len(told) < 200_000
    assert len((pytester.path / "junit.xml").read_text()) < 400_000
    (kept,) = pytester.path.glob("runs/*/episodes/*/agent-stdout.txt")
    assert f"characters more are in {kept}" in told
    for text in (told, kept.read_text()):
        assert "first words" in text
        assert "last words" in text
        assert "characters are left out" in text
    assert 8_000_000 < kept.stat().st_size < 9_000_000
