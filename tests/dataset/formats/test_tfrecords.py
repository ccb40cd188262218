"""Tests of reading the TFRecords of AITW and AndroidControl without TensorFlow."""

from __future__ import annotations

import io
import json
import struct
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from pytest_mobileagent import rows
from pytest_mobileagent.action import Finish, Key, Open, Type
from pytest_mobileagent.action.gestures import Scroll, Swipe, Tap
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.dataset.formats import streams
from pytest_mobileagent.dataset.formats.release import import_release
from pytest_mobileagent.dataset.formats.streams import examples
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.errors import GraphError
from tests.dataset.formats.copies import example, message, write_json, write_records

if TYPE_CHECKING:
    from pathlib import Path

WIDTH, HEIGHT = 40, 80


def step(episode: str, number: int, of: int, kind: int, **more: Any) -> dict[str, list[Any]]:
    """Return a step of AITW; points are (y, x)."""
    pixels = bytes([number, 100, 200] * WIDTH * HEIGHT)
    return {
        "episode_id": [episode],
        "episode_length": [of],
        "step_id": [number],
        "goal_info": ["Turn on {the} lamp."],
        "current_activity": ["org.lamp/.Main"],
        "image/encoded": [pixels],
        "image/width": [WIDTH],
        "image/height": [HEIGHT],
        "image/channels": [3],
        "image/ui_annotations_positions": [0.25, 0.5, 0.25, 0.5],
        "results/action_type": [kind],
        "results/yx_touch": more.get("touch", [-1.0, -1.0]),
        "results/yx_lift": more.get("lift", [-1.0, -1.0]),
        "results/type_action": [more.get("text", "")],
    }


def aitw(folder: Path) -> Path:
    first = [
        step("11", 0, 3, 4, touch=[0.5, 0.25], lift=[0.51, 0.25]),
        step("11", 1, 3, 4, touch=[0.75, 0.5], lift=[0.25, 0.5]),
    ]
    second = [step("11", 2, 3, 10), step("12", 0, 2, 3, text='say "on"'), step("12", 1, 2, 5)]
    # An episode may continue in the next file.
    write_records(folder / "general" / "general-00000-of-00002", first)
    write_records(folder / "general" / "general-00001-of-00002", second)
    write_json(folder / "splits" / "standard.json", {"train": ["12"], "test": ["11"]})
    return folder


def read(data: Path, graph: Path) -> dict[str, Any]:
    import_release(data, graph)
    check_graph(Graph.open(graph))
    return {row.id: row for row in rows(graph / "tasks.jsonl")}


def actions(row: Any) -> list[Any]:
    return [golden_from_json(each).action for each in row.golden]


def test_aitw_is_read_with_its_splits(tmp_path):
    found = read(aitw(tmp_path / "aitw"), tmp_path / "graph")
    assert actions(found["11"]) == [Tap(10, 40), Swipe(20, 60, 20, 20), Finish()]
    assert actions(found["12"]) == [Type('say "on"'), Key("back")]
    assert found["11"].tags == ["standard-test"]
    assert found["11"].task_fields["goal"] == "Turn on {{the}} lamp."
    assert golden_from_json(found["11"].golden[0]).boxes == ((20, 20, 40, 40),)
    screen = Graph.open(tmp_path / "graph").screen("11-1")
    assert screen.size == (WIDTH, HEIGHT)
    assert screen.image.getpixel((3, 3)) == (1, 100, 200)
    assert (screen.package, screen.activity) == ("org.lamp", "org.lamp/.Main")


def test_an_episode_without_a_step_and_a_file_that_is_cut_off_are_named(tmp_path):
    steps = [step("11", 0, 3, 5), step("11", 2, 3, 5)]
    write_records(tmp_path / "lacking" / "general" / "part", steps)
    why = r"part, record 1: the episode 11 .* not numbered from 0 to 2"
    with pytest.raises(GraphError, match=why):
        read(tmp_path / "lacking", tmp_path / "graph")
    data = aitw(tmp_path / "aitw")
    file = data / "general" / "general-00001-of-00002"
    file.write_bytes(file.read_bytes()[:-60])
    why = r"00001-of-00002, record \d: it is not a gzipped TFRecord"
    with pytest.raises(GraphError, match=why):
        read(data, tmp_path / "graph")


def test_values_are_read_packed_and_one_by_one(tmp_path):
    write_records(tmp_path / "some", [{"whole": [1, -2, 1 << 40], "parts": [0.5, -1.0]}])
    ((number, found),) = examples(tmp_path / "some")
    assert (number, found) == (1, {"whole": [1, -2, 1 << 40], "parts": [0.5, -1.0]})
    assert example({"a": [b"x"]})  # Unpacked values have a field each.
    one = bytes([1 << 3 | 5]) + struct.pack("<f", 0.5)
    entry = message(1, b"parts") + message(2, message(2, one + one))
    assert streams.example(message(1, message(1, entry))) == {"parts": [0.5, 0.5]}


# AndroidControl.


def rect(left: int, top: int, right: int, bottom: int) -> bytes:
    return b"".join(message(n, side) for n, side in enumerate((left, top, right, bottom), 1))


def forest() -> bytes:
    """Return a window with a frame, a button inside it, and an invisible node."""
    frame = message(1, 0) + message(2, rect(0, 0, WIDTH, HEIGHT)) + message(6, b"org.lamp")
    frame += message(23, 1) + message(25, bytes([1, 2]))
    button = message(1, 1) + message(2, rect(0, 20, 40, 60)) + message(7, b"Lamp <on>")
    button += message(14, 1) + message(23, 1)
    hidden = message(1, 2) + message(2, rect(0, 0, 1, 1)) + message(7, b"hidden")
    tree = b"".join(message(1, each) for each in (frame, button, hidden))
    return message(1, message(4, 1) + message(11, tree))


def png() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT)).save(target, "PNG")
    return target.getvalue()


ACTIONS: list[dict[str, Any]] = [
    {"action_type": "open_app", "app_name": "Lamp"},
    {"action_type": "click", "x": 20, "y": 40},
    {"action_type": "scroll", "direction": "down"},
]


def androidcontrol(folder: Path, said: list[dict[str, Any]] = ACTIONS) -> Path:
    screens = len(said) + 1
    episode: dict[str, list[Any]] = {
        "episode_id": [77],
        "goal": ["Turn on the lamp."],
        "screenshots": [png()] * screens,
        "accessibility_trees": [forest()] * screens,
        "screenshot_widths": [WIDTH] * screens,
        "screenshot_heights": [HEIGHT] * screens,
        "actions": [json.dumps(each) for each in said],
        "step_instructions": ["Do it."] * len(said),
    }
    write_records(folder / "android_control-00000-of-00020", [episode])
    write_json(folder / "splits.json", {"train": [1], "test": [77]})
    write_json(
        folder / "test_subsplits.json", {"IDD": [2], "app_unseen": [77], "task_unseen": [77]}
    )
    return folder


def test_googles_androidcontrol_is_read_with_its_four_splits(tmp_path):
    found = read(androidcontrol(tmp_path / "data"), tmp_path / "graph")
    row = found["77"]
    assert row.tags == ["test", "test-app_unseen", "test-task_unseen"]
    # AndroidControl's "down" is the direction of the content; ours is that of the finger.
    assert actions(row) == [Open("Lamp"), Tap(20, 40), Scroll("up")]
    assert golden_from_json(row.golden[1]).boxes == ((0, 20, 40, 60),)
    assert (row.page, row.instructions) == ("77_3", ["Do it."] * 3)
    screen = Graph.open(tmp_path / "graph").screen("77_0")
    assert screen.texts == ("Lamp <on>",)
    assert screen.get(text="Lamp <on>").clickable
    assert screen.package == "org.lamp"


def test_an_episode_without_an_action_is_left_out(tmp_path):
    data = androidcontrol(tmp_path / "data")
    write_records(data / "android_control-00001-of-00020", [{"episode_id": [1], "goal": ["x"]}])
    release, count = import_release(data, tmp_path / "graph")
    assert count == 1
    assert release.problems.left_out == {"episodes without an action": 1}


def test_an_unknown_action_is_named_with_its_record(tmp_path):
    data = androidcontrol(tmp_path / "data", [{"action_type": "fly"}])
    with pytest.raises(GraphError, match=r"00000-of-00020, record 1: it is not an episode: .*fly"):
        read(data, tmp_path / "graph")
