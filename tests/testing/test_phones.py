"""Tests of the public in-memory phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Agent, Device, Event, Finish, Key, Open, System, Tap, setting
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.testing import FakePhone, MemoryPhone, make_screen, play

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent import Action, Observation

HOME = make_screen("Search", {"text": "", "resource-id": "app:id/menu", "bounds": "[0,500][9,600]"})
PAGES = {"home": HOME, "results": make_screen("Lamp"), "menu": make_screen("Settings")}
LINKS = {("home", "Search"): "results", ("home", "menu"): "menu", ("home", "com.a"): "menu"}


def test_fakes_are_devices_with_a_system() -> None:
    device: Device = FakePhone([HOME])
    system: System = system_of(device)
    assert system.snapshots() == ["default_boot"]
    assert str(system.reset("default_boot", ["com.a"])) == "snapshot default_boot"
    assert system.packages() == {"com.a"}
    device.close()


def test_a_fake_phone_shows_one_screen_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "list.xml").write_text(PAGES["results"].xml)
    phone = FakePhone([HOME, HOME.xml, tmp_path / "list.xml"])
    seen = []
    for _ in range(4):
        seen.append(phone.observe().screen.texts)
        phone.perform(Tap(1, 1))
    assert seen == [("Search",), ("Search",), ("Lamp",), ("Lamp",)]
    phone.reset("default_boot", ())
    assert (phone.screen, phone.actions) == (HOME, [])


def test_a_fake_phone_answers_probes_and_reports_events() -> None:
    probe = setting("system", "font_scale")
    phone = FakePhone([HOME], answers={probe.script: "1.5\n"})
    assert phone.observe({"font": probe}).probes == {"font": "1.5"}
    phone.pending_events.append(Event("clicked"))
    assert (phone.events(), phone.events()) == ((Event("clicked"),), ())


@pytest.mark.parametrize(
    ("actions", "page"),
    [
        ([], "home"),
        ([Tap(5, 60)], "results"),
        ([Tap(5, 550)], "menu"),
        ([Tap(5, 2000)], "home"),
        ([Open("com.a")], "menu"),
        ([Open("com.b")], "home"),
        ([Tap(5, 60), Key("back")], "home"),
        ([Key("back"), Key("back")], "home"),
    ],
)
def test_pages_are_linked_by_what_is_touched(actions: list[Action], page: str) -> None:
    phone = MemoryPhone(PAGES, LINKS)
    for action in actions:
        phone.perform(action)
    assert phone.screen is PAGES[page]
    phone.reset("default_boot", ())
    assert phone.screen is HOME


class Seeker(Agent):
    class Options:
        word: str = "Search"
        taps: list[int] = []  # noqa: RUF012 - as people write it

    def start(self, briefing):  # type: ignore[no-untyped-def]
        self.options = briefing.options

    def step(self, observation: Observation) -> Action:
        found = observation.screen.find(text=self.options.word)
        return Tap(*found.bounds.center) if found else Finish(" ".join(observation.screen.texts))


def test_a_phone_without_a_screen_is_refused() -> None:
    with pytest.raises(ValueError, match="needs at least one screen"):
        FakePhone([])


def test_a_link_to_a_page_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"unknown pages: \['nowhere'\] \(pages: home, results, menu\)"
    ):
        MemoryPhone(PAGES, {("home", "Search"): "nowhere"})


def test_an_agent_is_played_with_its_options() -> None:
    episode = play(Seeker, "Find it.", phone=MemoryPhone(PAGES, LINKS))
    assert (episode.answer, episode.agent, episode.step_count) == ("Lamp", "Seeker", 1)
    assert episode.options == {"word": "Search", "taps": []}
    options = {"word": "none", "taps": [1, 2]}
    other = play(Seeker, "Find it.", phone=MemoryPhone(PAGES, LINKS), options=options)
    assert (other.answer, other.options) == ("Search", options)
    assert not other.screen.where or other.folder is None or not other.folder.exists()
