"""The colours of a run's summary."""

from __future__ import annotations

import pytest

from pytest_mobileagent.plugin.outputs.summary import painted
from tests.plugin.projects import PHONE

TASK = """
from pytest_mobileagent import Agent, Finish, task

class Says(Agent):
    def start(self, briefing): pass
    def step(self, observation): return Finish("12")

@task("Count.", app="a")
def test_count(episode): assert episode.answers("12")
"""


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("clock      3  100.0% (3/3)   1.00", "clock      3  <100.0% (3/3) green bold>   1.00"),
        (
            "clock  33.3% (1/3)  0.0% (0/3)",
            "clock  <33.3% (1/3) yellow bold>  <0.0% (0/3) red bold>",
        ),
        ("failed (2):", "<failed (2): red>"),
        ("  a   failed (2)", "  a   failed (2)"),
    ],
)
def test_rates_and_titles_have_colours(line: str, shown: str) -> None:
    assert painted(line, lambda text, **colours: f"<{' '.join([text, *colours])}>") == shown


@pytest.mark.parametrize(
    ("arguments", "environment", "has_colours"),
    [(["--color=yes"], {}, True), ([], {}, False), ([], {"NO_COLOR": "1"}, False)],
    ids=["terminal", "pipe", "NO_COLOR"],
)
def test_only_a_terminal_gets_colours(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environment: dict[str, str],
    *,
    has_colours: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASK)
    given = ("-p", "no:cacheprovider", "--agent=test_it.py:Says", "--mobile-agent-process=off")
    result = pytester.runpytest_inprocess(*given, *arguments)
    assert ("\x1b[1m100.0% (1/1)" in result.stdout.str()) is has_colours
    assert ("\x1b" in result.stdout.str()) is has_colours
