"""The accessibility forwarder: installed by adb, controlled by broadcasts, received by gRPC."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from pytest_mobileagent.virtual.grpc import forwarding, forwarding_services
from pytest_mobileagent.virtual.grpc.forwarder import PACKAGE, forest
from tests.virtual.apks import Tag, build
from tests.virtual.conftest import APPS, Hand

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.phones import Adb, Running, StartPhone

PATIENCE = 10
SERVICE = f"{PACKAGE}/{PACKAGE}.AccessibilityForwarder"
BROADCAST = f"am broadcast -n {PACKAGE}/{PACKAGE}.FlagsBroadcastReceiver -a"
ACTION = "accessibility_forwarder.intent.action"


class Environment:
    """The server of an environment, which collects what it receives."""

    def __init__(self) -> None:
        self.forests: queue.Queue[Any] = queue.Queue()
        self.events: queue.Queue[dict[str, str]] = queue.Queue()
        self.server = grpc.server(ThreadPoolExecutor(4))
        forwarding_services.add_A11yServiceServicer_to_server(self, self.server)
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    def SendForest(self, request: Any, _: object) -> Any:  # noqa: N802 - the protocol's name
        self.forests.put(request)
        return forwarding.ForestResponse()

    def SendEvent(self, request: Any, _: object) -> Any:  # noqa: N802
        self.events.put(dict(request.event))
        return forwarding.EventResponse()


@pytest.fixture
def environment() -> Iterator[Environment]:
    environment = Environment()
    yield environment
    environment.server.stop(None).wait()


@pytest.fixture
def running(start_phone: StartPhone, server: Adb, tmp_path: Path) -> Iterator[Running]:
    """A phone on which the forwarder is installed and enabled, but not configured."""
    apk = tmp_path / "forwarder.apk"
    service = Tag("service", {"name": ".AccessibilityForwarder", "exported": False})
    apk.write_bytes(build(PACKAGE, inside=(service,)))
    with start_phone(server, apps=[APPS]) as running:
        assert "\nSuccess" in running.adb.text("install", str(apk))
        running.adb.text("shell", f"settings put secure enabled_accessibility_services {SERVICE}")
        yield running
        running.adb.text("shell", "settings put secure enabled_accessibility_services ''")


def texts(sent: Any) -> set[str]:
    return {node.text for window in sent.windows for node in window.tree.nodes}


@pytest.mark.slow
def test_forests_and_events_reach_the_environment(
    running: Running, environment: Environment
) -> None:
    sh = running.adb.text
    sh("shell", f"{BROADCAST} {ACTION}.ENABLE_ACCESSIBILITY_TREE_LOGS")
    sh("shell", f"{BROADCAST} {ACTION}.SET_GRPC --ei port {environment.port} --es host 10.0.2.2")
    environment.forests.get(timeout=PATIENCE)
    sh("shell", "am start -n org.demo/.NotesActivity")
    while "Loud" not in texts(environment.forests.get(timeout=PATIENCE)):
        pass
    hand = Hand(running.phone)
    x, y = running.loop.call(lambda: hand.center("resource-id", "org.demo:id/loud"))
    sh("shell", f"input tap {x} {y}")
    while (event := environment.events.get(timeout=PATIENCE))["event_type"] != "TYPE_VIEW_CLICKED":
        pass
    assert event["source_text"] == "Loud"
    assert event["event_package_name"] == "org.demo"
    assert event["view_id"] == "org.demo:id/loud"
    sh("shell", f"{BROADCAST} {ACTION}.DISABLE_ACCESSIBILITY_TREE_LOGS")


@pytest.mark.slow
def test_without_a_network_the_log_tells_it(running: Running, environment: Environment) -> None:
    sh = running.adb.text
    sh("shell", "cmd connectivity airplane-mode enable")
    sh("shell", f"{BROADCAST} {ACTION}.ENABLE_ACCESSIBILITY_TREE_LOGS")
    sh("shell", f"{BROADCAST} {ACTION}.SET_GRPC --ei port {environment.port}")
    while "extra: exception [" not in sh("logcat", "-d", "-s", "AndroidRLTask"):
        pass
    assert environment.forests.empty()
    sh("shell", "cmd connectivity airplane-mode disable")
    environment.forests.get(timeout=PATIENCE)


def test_a_forest_has_a_tree_for_every_window(demo: Phone) -> None:
    windows = forest(demo.accessibility).windows
    (window,) = [each for each in windows if each.is_active]
    nodes = {node.unique_id: node for node in window.tree.nodes}
    assert list(nodes) == list(range(len(nodes)))
    for node in nodes.values():
        assert all(nodes[child].depth == node.depth + 1 for child in node.child_ids)
    children = [child for node in nodes.values() for child in node.child_ids]
    assert sorted(children) == list(range(1, len(nodes)))
    (loud,) = [node for node in nodes.values() if node.view_id_resource_name == "org.demo:id/loud"]
    assert (loud.text, loud.is_checkable, loud.is_clickable) == ("Loud", True, True)
    assert {action.id for action in loud.actions} >= {1, 16}
    assert [each.layer for each in windows] == sorted((w.layer for w in windows), reverse=True)
