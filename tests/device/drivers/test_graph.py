"""Tests of recorded pages as a device: where actions lead, and what such a device lacks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Agent, Bounds, Task, setting
from pytest_mobileagent.action import Finish, Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.device.device import PageDevice
from pytest_mobileagent.device.drivers.graph import NO_EDGE, GraphDevice
from pytest_mobileagent.errors import GraphError, NoEdgeError, NoShellError, TaskError
from pytest_mobileagent.testing import make_screen, play
from tests.run.agents import script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent import Action, Observation

SIZE = (1000, 1000)
SHOP, MAIL = "org.example.shop", "org.example.mail"
NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
ALL, CARD, BUTTON = Bounds(0, 0, 1000, 1000), Bounds(0, 0, 1000, 300), Bounds(700, 0, 1000, 100)
EDGES: list[tuple[str, Action, tuple[Bounds, ...], str]] = [
    ("home", Tap(500, 150), (CARD,), "card"),
    ("home", Tap(850, 50), (BUTTON,), "cart"),
    ("home", Tap(850, 60), (CARD,), "corner"),
    ("home", Tap(5, 995), (BUTTON,), "outside"),
    ("home", Scroll("up"), (), "more"),
    ("home", LongPress(500, 150), (CARD,), "menu"),
    ("home", Tap(500, 450), (), "field"),  # The bounds are those of the element there.
    ("field", Type("red shoes"), (), "typed"),
    ("field", Type("red socks"), (), "socks"),
    ("typed", Key("enter"), (), "results"),
    ("home2", Type("fast", at=(500, 450), enter=True), (), "results"),
    ("results", Key("back"), (), "home"),
    ("launcher", Open(SHOP), (), "home"),
    ("more", Key("home"), (), "launcher"),
    ("cart", Wait(3), (), "loaded"),
    ("field", Tap(5, 5), (), "field"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a graph of a shop's pages."""
    names = list(dict.fromkeys(name for edge in EDGES for name in (edge[0], edge[3])))
    with GraphWriter(tmp_path / "shop") as writer:
        for number, name in enumerate(names):
            row = {"text": name, "bounds": "[0,400][1000,500]", "clickable": "true"}
            screen = make_screen(name, row, size=SIZE, shade=number)
            app = "launcher" if name == "launcher" else SHOP
            time = NOON if name == "home" else None
            writer.page(name, png=screen.png, xml=screen.xml, package=app, time=time)
        mail = make_screen("Inbox", size=SIZE, shade=99)
        writer.page("inbox", png=mail.png, xml=mail.xml, package=MAIL)
        writer.same("home2", "home")
        for source, action, boxes, target in EDGES:
            writer.edge(source, Golden(action, SIZE, boxes), target)
        writer.head(start="home", snapshots={"in the cart": "cart"})
    return tmp_path / "shop"


@pytest.fixture
def pages(folder: Path) -> Iterator[GraphDevice]:
    """Yield the shop's pages as a device."""
    device = GraphDevice(Graph.open(folder))
    yield device
    device.close()


def way(pages: GraphDevice, *actions: Action) -> list[str]:
    """Perform actions, and return the page after each, or "-" if no edge is recorded."""
    found = []
    for action in actions:
        try:
            pages.perform(action)
        except NoEdgeError:
            found.append("-")
        else:
            found.append(pages.page)
            assert pages.observe().screen.page == pages.page
    return found


BACK, ENTER = Key("back"), Key("enter")


@pytest.mark.parametrize(
    ("actions", "leads"),
    [
        ([Tap(10, 290)], ["card"]),
        ([Tap(900, 50)], ["cart"]),  # The point is in both boxes; the smaller box wins.
        ([Tap(850, 60)], ["corner"]),  # This very action was recorded, so no box matters.
        ([Tap(5, 995)], ["outside"]),
        ([Tap(500, 900)], ["-"]),
        ([LongPress(500, 10)], ["menu"]),
        ([LongPress(500, 900)], ["-"]),
        ([DoubleTap(500, 150)], ["-"]),  # never treated as a tap
        ([Swipe(500, 800, 500, 200)], ["more"]),
        ([Scroll("down")], ["-"]),
        ([Tap(20, 499)], ["field"]),  # inside the element's box
        ([Tap(20, 520)], ["-"]),
        # Both texts match; the more similar one wins.
        ([Tap(500, 450), Type("red socks")], ["field", "socks"]),
        ([Tap(500, 450), Type("blue")], ["field", "-"]),
        ([Tap(500, 450), Type("red shoes"), ENTER], ["field", "typed", "results"]),
        ([Tap(500, 450), Type("red shoes", enter=True)], ["field", "results"]),
        ([Type("red shoes", at=(500, 450))], ["typed"]),
        ([Type("red shoes", at=(500, 450), enter=True)], ["results"]),
        ([Type("red shoes", at=(500, 900))], ["-"]),
        ([Type("fast"), ENTER], ["results", "results"]),  # The text was entered when it was typed.
        ([Type("fast"), ENTER, ENTER], ["results", "results", "-"]),
        ([ENTER], ["-"]),
        ([Wait(1)], ["home"]),
        ([Tap(900, 50), Wait(1)], ["cart", "loaded"]),
        ([Open(MAIL)], ["inbox"]),  # possible on any page
        ([Open("no.such.app")], ["-"]),
        ([Open(MAIL), Open(SHOP)], ["inbox", "home"]),
        ([Open(MAIL), Key("home")], ["inbox", "launcher"]),  # possible on any page
        ([Key("overview")], ["-"]),
        ([Tap(10, 290), BACK], ["card", "home"]),
        ([BACK], ["-"]),
        ([Tap(500, 450), Tap(5, 5), BACK], ["field", "field", "home"]),
        ([Type("fast"), BACK, BACK], ["results", "home", "-"]),  # as recorded
        ([Type("red shoes", at=(500, 450)), BACK, BACK, BACK], ["typed", "field", "home", "-"]),
    ],
)
def test_actions_lead_to_recorded_pages(pages, actions, leads):
    assert way(pages, *actions) == leads


def test_page_left_by_going_back_is_kept_as_before(pages):
    way(pages, Tap(10, 290))
    assert pages.observe().before is None
    way(pages, BACK)
    before = pages.observe().before
    assert before is not None
    assert before.page == "card"
    way(pages, BACK)
    assert pages.observe().before is None, "it did not go back"


def test_reset_opens_the_page_named_by_the_snapshot(pages):
    for snapshot, page in (("in the cart", "cart"), ("menu", "menu"), ("default_boot", "home")):
        reset = pages.reset(snapshot, [SHOP])
        assert (reset.kind, reset.snapshot, pages.page) == ("snapshot", snapshot, page)
        assert way(pages, BACK) == ["-"], "nothing of before is left"
    with pytest.raises(TaskError, match=r"neither a snapshot nor a page 'x' .*: in the cart"):
        pages.reset("x", ())
    assert pages.snapshots() == ["default_boot", "in the cart"]


def test_any_page_can_be_opened_and_the_clock_is_that_of_the_pages(pages):
    assert pages.observe().screen.time == NOON
    way(pages, Tap(10, 290))
    assert pages.observe().screen.time == NOON, "that of the page before"
    pages.reset("menu", ())
    assert pages.observe().screen.time == datetime(2000, 1, 1)
    pages.show("results")
    assert pages.observe().screen.texts == ("results", "results")
    with pytest.raises(GraphError, match="has no page 'x'"):
        pages.show("x")
    assert isinstance(pages, PageDevice)


def test_recorded_pages_have_no_phone_behind_them(pages):
    assert pages.system.packages() == {SHOP, MAIL, "launcher"}
    assert set(pages.system.versions()) == {SHOP, MAIL, "launcher"}
    assert pages.events() == ()
    with pytest.raises(NoShellError, match="graph:shop has recorded pages, which have no shell"):
        pages.system.shell("date")
    with pytest.raises(TaskError, match=r"the probe 'x' cannot be read: .* no shell"):
        pages.observe({"x": setting("system", "font_scale")})


def test_known_facts_about_the_phone_are_reported(folder):
    with GraphWriter(folder, replaces=True) as writer:
        screen = make_screen("x", size=(720, 1280))
        writer.page("x", png=screen.png, xml=screen.xml)
        writer.head(device={"model": "Pixel 6", "android": "13", "sdk": 33, "locale": "zh-CN"})
    info = GraphDevice(Graph.open(folder)).info
    assert (info.model, info.android, info.sdk, info.locale) == ("Pixel 6", "13", 33, "zh-CN")
    assert (info.serial, info.size, info.listener) == ("graph:shop", (720, 1280), False)


def test_a_missing_edge_is_reported_to_the_agent_and_the_step_counts(pages):
    pages.reset("home", ())
    agent = script(Tap(500, 900), Tap(10, 290), Finish())
    episode = play(agent, Task("Open the card.", app=SHOP, snapshot="home"), phone=pages)
    assert [step.notice for step in episode.steps] == [NO_EDGE, "", ""]
    assert (episode.step_count, episode.pages) == (2, ("home", "home", "card", "card"))
    assert (episode.page, episode.actions) == ("card", (Tap(10, 290),))


def test_pages_rather_than_their_list_of_apps_say_which_apps_can_be_opened(folder):
    with GraphWriter(folder, replaces=True) as writer:
        for name in ("launcher", "home"):
            writer.page(name, png=make_screen(name, size=SIZE).png, xml=None)
        writer.edge("launcher", Golden(Open(SHOP), SIZE), "home")
        writer.head(packages=[MAIL], apps={})
    agent = script(Open("no.such.app"), Open(SHOP), Finish())
    episode = play(agent, Task("Open the shop."), phone=GraphDevice(Graph.open(folder)))
    assert [step.notice for step in episode.steps] == [NO_EDGE, "", ""]
    assert episode.page == "home"


def test_page_is_recorded_with_its_equals_and_the_agent_sees_no_page_ids(pages):
    seen: list[Observation] = []

    class Curious(Agent):
        def step(self, observation: Observation) -> Action:
            seen.append(observation)
            return BACK if len(seen) == 1 else Finish()

    episode = play(Curious, Task("Go back.", app=SHOP, snapshot="results"), phone=pages)
    assert [episode.reached(page) for page in ("home", "home2", "card")] == [True, True, False]
    first, second = seen
    assert (first.screen.page, first.screen.same, first.before) == ("", (), None)
    assert (second.screen.page, second.screen.same) == ("", ())
    assert second.before is not None
    assert second.before.texts == ("results", "results")
    assert second.before.page == ""


def test_page_that_becomes_unreadable_is_a_task_error(pages, folder):
    with Graph.open(folder) as graph:
        graph.file(graph.page("card").png).write_bytes(b"\x89PNG\r\n\x1a\n and then nothing")
    task = Task("Open the card.", app=SHOP, snapshot="home")
    with pytest.raises(GraphError, match=r"page 'card' of .*: its screenshot .* is damaged"):
        play(script(Tap(10, 290), Finish()), task, phone=pages)


def test_rule_without_matching_action_is_a_graph_error(folder):
    with GraphWriter(folder, replaces=True) as writer:
        screen = make_screen("x", size=SIZE)
        writer.page("x", png=screen.png, xml=screen.xml)
        writer.edge("x", Golden(Open(SHOP), SIZE), "x")
        writer.head(rule="aitw")
    device = GraphDevice(Graph.open(folder))
    with pytest.raises(GraphError, match=r"page 'x' of .* has no action like Open"):
        device.perform(Tap(1, 1))
