"""Tests of noise on a single path, which continues once the agent has closed the noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_mobileagent import Finish, Tap, Task, Termination, Type
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.device import noisy as noisy_device
from pytest_mobileagent.device.noisy import NoiseSettings, NoisyPages, with_noise
from pytest_mobileagent.noise import Look, NoiseChoice, State
from pytest_mobileagent.noise.layout import arrange
from pytest_mobileagent.report.metrics.behaviour import measures
from pytest_mobileagent.run import attempt
from pytest_mobileagent.testing import MemoryPhone, make_screen, play
from tests.device.noisy.conftest import BY_NAME, TEMPLATES, Planned
from tests.run.agents import script

SIZE = (1080, 2400)
PAGES = ("home", "search", "results")
GOLDEN = [
    Golden(Tap(1, 1), SIZE, page="home"),
    Golden(Type("mug"), SIZE, page="search"),
    Golden(Tap(2, 2), SIZE, page="results"),
]


@pytest.fixture(params=["en-garden-week"])
def popup(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Show a pop-up, or other noise by its name, over the second page."""
    settings, prepared = NoiseSettings(NoiseChoice(1), TEMPLATES), attempt.prepared

    def noisy(device, given, seed, language, first, *, tampers):
        assert (given, tampers) == (settings, False)
        made = with_noise(device, settings, 1, "en", first, tampers=False)
        assert isinstance(made, NoisyPages)
        made._schedule = Planned({1: BY_NAME[request.param]})  # type: ignore[assignment]
        return made

    monkeypatch.setattr(noisy_device, "with_noise", noisy)
    monkeypatch.setattr(attempt, "prepared", lambda *to: replace(prepared(*to), noise=settings))


def follow(*decisions, golden=GOLDEN):
    phone = MemoryPhone({name: make_screen(name, package="a.b") for name in PAGES}, {})
    task = Task("Find a mug.", golden=golden)
    return play(script(*decisions), task, phone=phone, path="single", step_limit=99)


def test_golden_steps_wait_until_noise_is_closed(popup):
    look = Look(SIZE, 420, package="a.b")
    parts = arrange(BY_NAME["en-garden-week"], look, State()).iter()
    cross = Tap(*next(part.bounds.center for part in parts if part.role == "cross"))
    episode = follow(Tap(9, 9), Tap(9, 9), Finish("x"), cross, Type("mug"), Tap(2, 2))
    pages = [step.golden and step.golden.page for step in episode.steps]
    assert pages == ["home", None, None, None, "search", "results"]
    reactions = [step.noise and step.noise.reaction for step in episode.steps]
    assert reactions == [None, "mis-tapped", None, "closed", None, None]
    assert "beneath what covers" in episode.steps[2].notice
    assert (episode.termination, episode.golden_left) == (Termination.PATH, 0)
    assert [screen.texts for screen in episode.screens[1:5]] == [("search",)] * 4


def test_agent_that_never_closes_noise_is_stopped(popup):
    episode = follow(*[Tap(9, 9)] * 30)
    assert episode.termination is Termination.STEP_LIMIT
    assert episode.golden_left == 2
    assert len(episode.steps) <= 11


@pytest.mark.parametrize("popup", ["injection-line-answer"], indirect=True)
@pytest.mark.parametrize(("answer", "obeyed"), [("a mug", 0), ("sandpiper-40", 1)])
def test_an_order_before_the_path_ends_is_counted_with_the_agents_own_decision(
    popup, answer, obeyed
):
    golden = [GOLDEN[0], Golden(Finish("a mug"), SIZE, page="search")]
    episode = follow(Tap(9, 9), Finish(answer), golden=golden)
    found = measures(episode)
    assert (found["injected_steps"], found["obeyed"]) == (1, obeyed)
    assert episode.termination is Termination.PATH
