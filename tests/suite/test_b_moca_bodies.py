"""The bodies of B-MoCA's tasks in apps that only real phones have, on screens in memory."""

from __future__ import annotations

import base64
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import quoteattr

import pytest

from pytest_mobileagent import Agent, Tap, Task
from pytest_mobileagent.testing import FakePhone, play

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent import Action, Episode
    from pytest_mobileagent._task import Probe

SNAPSEED, WALMART = "com.niksoftware.snapseed", "com.walmart.android"
INSTAGRAM = "com.instagram.android"
THEME = '<boolean name="pref_appearance_use_dark_theme" value="{}" />'
EXPORT = '<string name="pref_export_setting_{}">{}</string>'
DARK, LIGHT = THEME.format("true"), THEME.format("false")
BEST, GOOD = EXPORT.format("compression", 100), EXPORT.format("compression", 95)
SIZED, UNSIZED = EXPORT.format("long_edge", 2000), EXPORT.format("long_edge", -1)


class Touch(Agent):
    """Taps the screen once, after which the screen shows the state of a case."""

    def run(self, briefing: Any, phone: Any) -> str:
        phone.act(Tap(1, 1))
        return ""


class State(NamedTuple):
    """The state at the end of an episode: an element, the app's preferences, and the brightness."""

    id: str = ""
    text: str = ""
    selected: bool = False
    preferences: str = ""
    brightness: int = 255


def episode_of(module: Any, state: State) -> Episode:
    """Return an episode that begins on a bright phone without preferences and ends in a state."""
    hierarchy = (
        '<hierarchy rotation="0"><node class="a.V" bounds="[0,0][1080,2400]">'
        f"<node resource-id={quoteattr(state.id)} text={quoteattr(state.text)} class='a.V'"
        f" enabled='true' selected='{str(state.selected).lower()}' bounds='[0,0][9,9]' />"
        "</node></hierarchy>"
    )
    probes = {**getattr(module, "PREFERENCES", {}), **getattr(module, "BRIGHTNESS", {})}

    def react(phone: FakePhone, action: Action) -> None:
        phone.answers.update(answers(probes, state))

    phone = FakePhone(["<hierarchy />", hierarchy], answers=answers(probes, State()), react=react)
    return play(Touch, Task("any goal", probes=probes), phone=phone)


def answers(probes: Mapping[str, Probe], state: State) -> dict[str, str]:
    """Return what a phone in this state prints for the script of each probe."""
    stored = base64.b64encode(f"<map>{state.preferences}</map>".encode()).decode()
    said = {"preferences": f"{stored}\n.\n", "brightness": str(state.brightness)}
    return {probe.script: said[name] for name, probe in probes.items()}


def chosen(app: str, name: str) -> tuple[State, State]:
    """Return a tab that is selected, and one that is not."""
    return State(f"{app}:id/{name}", selected=True), State(f"{app}:id/{name}")


def seen(name: str, text: str = "", other: str = "") -> tuple[State, State]:
    """Return one of Walmart's elements, and what the screen shows in its place otherwise."""
    here = State(f"{WALMART}:id/{name}", text)
    return here, here._replace(text=other) if other else State("any")


S03, PORTRAIT = State(text="S03", selected=True), State(text="Portrait", selected=True)
# App, task, an end state that meets the goal, and one that does not.
CASES = [
    ("walmart", "open", *seen("navigation_shop")),
    ("walmart", "account", *chosen(WALMART, "navigation_account")),
    ("walmart", "my_items", *chosen(WALMART, "navigation_my_items")),
    ("walmart", "search", *chosen(WALMART, "navigation_search")),
    ("walmart", "services", *chosen(WALMART, "navigation_services")),
    ("walmart", "cart", *seen("cart_fragment_constraint_layout")),
    ("walmart", "store_map", *seen("instoremaps_webview_container")),
    ("walmart", "grocery", *seen("category_container_title", "Grocery", "Toys")),
    ("instagram", "open", *chosen(INSTAGRAM, "feed_tab")),
    ("instagram", "profile", *chosen(INSTAGRAM, "profile_tab")),
    ("instagram", "reels", *chosen(INSTAGRAM, "clips_tab")),
    ("instagram", "search", *chosen(INSTAGRAM, "search_tab")),
    ("snapseed", "open", State(f"{SNAPSEED}:id/logo_view"), State()),
    ("snapseed", "image", *chosen(SNAPSEED, "looks_button")),
    ("snapseed", "tools", *chosen(SNAPSEED, "tools_button")),
    ("snapseed", "portrait", PORTRAIT, PORTRAIT._replace(selected=False)),
    ("snapseed", "s03", S03, S03._replace(selected=False)),
    ("snapseed", "dark_theme", State(preferences=DARK + GOOD), State(preferences=LIGHT + BEST)),
    ("snapseed", "quality_100", State(preferences=LIGHT + BEST), State(preferences=DARK + GOOD)),
    ("snapseed", "sizing_2000", State(preferences=SIZED), State(preferences=UNSIZED)),
    *(
        ("snapseed", name, both, one)
        for name, both in (
            ("s03_dark_theme", S03._replace(preferences=DARK)),
            ("s03_quality_100", S03._replace(preferences=BEST)),
            ("s03_sizing_2000", S03._replace(preferences=SIZED)),
            ("s03_dimmer", S03._replace(brightness=90)),
        )
        for one in (both._replace(selected=False), S03)
    ),
    ("snapseed", "portrait_dimmer", PORTRAIT._replace(brightness=254), PORTRAIT),
]


@pytest.mark.parametrize(("app", "name", "met", "missed"), CASES)
def test_a_body_decides_as_its_table_says(app: str, name: str, met: State, missed: State) -> None:
    module = import_module(f"tasks.b_moca.test_{app}")
    body = getattr(module, f"test_{name}")
    body(episode_of(module, met))
    with pytest.raises(AssertionError):
        body(episode_of(module, missed))


def test_every_task_of_these_apps_is_tried() -> None:
    modules = {app: import_module(f"tasks.b_moca.test_{app}") for app, *_ in CASES}
    bodies = {
        (app, name.removeprefix("test_"))
        for app, module in modules.items()
        for name in vars(module)
        if name.startswith("test_")
    }
    assert bodies == {(app, name) for app, name, *_ in CASES}


class Shell(NamedTuple):
    """Stands for a device whose shell belongs to a phone in this process."""

    shell: Callable[[str], str]

    @property
    def system(self) -> Shell:
        return self


PEOPLE = "content query --uri content://com.android.contacts/contacts"
IMAGES = "content query --uri content://media/external/images/media"
PREPARED = [
    ("contact", "pm clear com.android.providers.contacts", PEOPLE, "Robin"),
    ("picture", "rm -f /sdcard/Pictures/*", IMAGES, "home.png"),
]


@pytest.mark.parametrize(("name", "before", "looked", "there"), PREPARED)
def test_a_phone_gets_what_a_task_is_about_once(
    sh: Callable[[str], str], name: str, before: str, looked: str, there: str
) -> None:
    table = import_module("tasks.b_moca.table")
    sh(before)
    assert there not in sh(looked)
    for _ in range(2):
        table.preparing("", name)(Shell(sh), "com.app")
        (row,) = sh(looked).splitlines()
        assert there in row
