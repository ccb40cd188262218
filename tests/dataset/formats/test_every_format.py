"""Tests of writing each data set format and reading it back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Finish, Key, Open, Scroll, Tap, Type
from pytest_mobileagent.dataset import LeftOutError, Trajectory, TrajectoryStep
from pytest_mobileagent.dataset.formats import FORMATS, layout, screen_of
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.testing import make_screen
from tests.dataset.conftest import CLOCK, HOME, LIST

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, format: str, *trajectories: Trajectory, **options: Any) -> dict[str, Any]:
    """Write trajectories as the only split of a data set, and return the data set's description."""
    chosen = layout(format)
    dialect = dialects()[options.get("dialect", chosen.dialect)]()
    target = chosen(folder, dialect, options.get("observed", chosen.observations))
    for number, each in enumerate(trajectories):
        target.add("train", number, each)
    target.close()
    known = [
        {"goal": t.goal, "succeeded": t.succeeded, "origin": dict(t.origin)} for t in trajectories
    ]
    return {"dialect": target.words.name, "splits": ["train"], "trajectories": known}


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def round_off(action: Any) -> Any:
    """Return a tap rounded to ten pixels."""
    if isinstance(action, Tap):
        return Tap(round(action.x, -1), round(action.y, -1))
    return action


SPLIT = [Tap(540, 350), Type("6:30 <video>"), Key("enter")]
READ_AGAIN = {
    "androidcontrol": [Open(CLOCK), Tap(540, 2140), *SPLIT, Key("back"), Finish()],
    "coat": [Tap(140, 2100), Tap(540, 2140), *SPLIT, Key("back"), Finish()],
    "llamafactory": [
        *(Open(CLOCK), Tap(540, 2140), Tap(540, 350), Type("6:30 < video>"), Key("enter")),
        *(Key("back"), Finish()),
    ],
}


@pytest.mark.parametrize("format", READ_AGAIN)
def test_a_trajectory_comes_back(tmp_path, trajectory, format):
    about = write(tmp_path, format, trajectory, trajectory)
    for whole in layout(format).read(tmp_path, about):
        assert (whole.goal, whole.succeeded) == (trajectory.goal, True)
        assert whole.origin == {"task": "clock/alarm"}
        read = [each.action for each in whole.steps]
        wanted = READ_AGAIN[format]
        if format == "llamafactory":  # Its dialect states positions in a smaller picture.
            read = [round_off(each) for each in read]
            wanted = [round_off(each) for each in wanted]
        assert read == wanted
        assert whole.steps[0].screen.png == HOME.png
        assert all(each.screen.png == LIST.png for each in whole.steps[1:])


def test_a_touch_of_androidcontrol_has_the_boxes_that_count(tmp_path, trajectory):
    write(tmp_path, "androidcontrol", trajectory, observed=("screenshot", "hierarchy"))
    (episode,) = load(tmp_path / "androidcontrol_train.json")
    assert episode["goal"] == trajectory.goal
    assert episode["is_successful"] is True
    tap = episode["steps"][1]
    assert tap["action_content"] == {"action": "click", "coordinate": [540, 2140]}
    assert tap["check_options"]["candidate_bbox"] == [[400, 2000, 680, 2280]]
    assert (tmp_path / tap["screenshot"]).read_bytes() == LIST.png
    assert (tmp_path / tap["view_hierarchy"]).read_text() == LIST.xml


def test_text_of_a_screen_is_not_a_picture_to_llamafactory(tmp_path, trajectory):
    observed = ("screenshot", "elements", "hierarchy")
    write(tmp_path, "llamafactory", trajectory, observed=observed)
    samples = load(tmp_path / "train.json")
    assert len(samples) == 7
    for sample in samples:
        text = "".join(message["content"] for message in sample["messages"])
        assert text.count("<image>") == len(sample["images"]) == 1
        assert "<video>" not in text
        assert (tmp_path / sample["images"][0]).is_file()
    prompt = samples[1]["messages"][0]["content"]
    assert prompt.startswith("<image>Goal: Set < image> for 6:30.\n\nActions so far:\n1. ")
    assert '"open"' in prompt
    info = load(tmp_path / "dataset_info.json")
    assert info["mobileagent_train"]["file_name"] == "train.json"
    assert info["mobileagent_train"]["columns"] == {"messages": "messages", "images": "images"}


def test_without_pictures_llamafactory_gets_texts_only(tmp_path, trajectory):
    about = write(tmp_path, "llamafactory", trajectory, observed=("elements",))
    assert {path.name for path in tmp_path.iterdir()} == {"train.json", "dataset_info.json"}
    assert "images" not in load(tmp_path / "train.json")[0]
    with pytest.raises(RecordError, match="no pictures"):
        list(layout("llamafactory").read(tmp_path, about))


def test_a_step_of_aitz_is_as_its_scorer_reads_it(tmp_path, trajectory):
    steps = (*trajectory.steps[:2], TrajectoryStep(LIST, Scroll("up")), trajectory.steps[-1])
    write(tmp_path, "coat", Trajectory(trajectory.goal, steps, True, {}))
    found = load(tmp_path / "train" / "general" / "GENERAL-0" / "GENERAL-0.json")
    descriptions = [step["coat_action_desc"] for step in found]
    assert descriptions[:3] == ["click on the Clock", "click on the Add", "scroll up"]
    assert descriptions[3] == "stop and set the query as completed"
    assert [step["result_action_type"] for step in found] == [4, 4, 4, 10]
    assert found[0]["coat_action_think"] == "I go on."
    positions, texts = (json.loads(found[1][name]) for name in ("ui_positions", "ui_text"))
    assert positions[texts.index("Add")] == [2000, 400, 280, 280]  # top, left, height, width
    touch, lift = (json.loads(found[2][name]) for name in ("result_touch_yx", "result_lift_yx"))
    assert touch[0] - lift[0] == pytest.approx(0.5)
    assert (tmp_path / "train" / found[0]["image_path"]).read_bytes() == HOME.png


def test_demonstrations_of_bmoca_are_texts_of_steps(tmp_path, trajectory):
    steps = (*trajectory.steps[:2], trajectory.steps[-1])
    about = write(tmp_path, "bmoca", Trajectory("Open it.\n\nNow.", steps, True, {}))
    text = (tmp_path / "train" / "0.txt").read_text("utf-8")
    goal, first, second = text.strip().split("\n\n")
    assert goal == "Goal: Open it.\nNow."
    assert first.startswith("- Observation: [")
    assert first.endswith("- Action: tap(0)")
    assert "Add" in second
    assert "- Action: tap(" in second
    with pytest.raises(RecordError, match="export the original runs"):
        list(layout("bmoca").read(tmp_path, about))


@pytest.mark.parametrize("format", FORMATS)
def test_a_trajectory_that_a_format_cannot_express_leaves_no_file(tmp_path, format):
    asks = TrajectoryStep(LIST, Type("x", at=(1, 2), clear=True))
    with pytest.raises(LeftOutError, match="cannot express Type"):
        write(tmp_path, format, Trajectory("Do it.", (asks,), True, {}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", sorted(READ_AGAIN))
def test_a_screen_without_a_picture_is_left_out(tmp_path, format):
    blind = make_screen("Add")
    object.__setattr__(blind, "png", b"")
    with pytest.raises(LeftOutError, match="no picture"):
        write(tmp_path, format, Trajectory("Do it.", (TrajectoryStep(blind, Key("back")),), True))


@pytest.mark.parametrize("name", ["../outside.png", "/etc/hostname"])
def test_a_data_set_names_no_file_outside_of_its_folder(tmp_path, name):
    (tmp_path / "outside.png").write_bytes(LIST.png)
    (tmp_path / "set").mkdir()
    with pytest.raises(RecordError, match="is outside"):
        screen_of(tmp_path / "set", name)
