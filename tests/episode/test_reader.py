"""Tests of reading records: newer ones are read, damaged ones are refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent import Episode, Screen, Termination, load
from pytest_mobileagent.action import Raw
from pytest_mobileagent.errors import RecordError, ScreenError
from tests.episode.recording import record, recorder_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, make_screen: Callable[..., Screen]) -> Path:
    """Return the folder of a complete record."""
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)
    return folder


@pytest.fixture
def edited(folder: Path) -> Callable[[Any], Episode]:
    """Return a function that edits the lines of the record and loads it."""

    def load_edited(edit: Any) -> Episode:
        stream = folder / "episode.jsonl"
        lines = [json.loads(line) for line in stream.read_text().split("\n")[:-1]]
        edit(lines)
        stream.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return load(folder)

    return load_edited


@pytest.mark.parametrize("version", [2, 2.0, 2.7])
def test_newer_minor_version_is_read_and_its_fields_kept(edited, version):
    def edit(lines: list[dict[str, Any]]) -> None:
        head, _, step, *_, end = lines
        head |= {"schema_version": version, "mood": "good"}
        head["device"]["foldable"] = True
        head["reset"]["seconds"] = 2
        head["case"] |= {"shard": 3}
        head["case"]["task"] |= {"rubric": ["a"]}
        head["case"]["task"]["kind"] = "a kind of tomorrow"
        step |= {"confidence": 0.5}
        step["actions"] = [{"action": "Pinch", "x": 1}, {"action": "Tap", "x": 1, "y": 2, "z": 3}]
        step["calls"][0]["reasoning_tokens"] = 9
        end |= {"termination": "bored", "by": "the agent"}
        lines.insert(3, {"record": "thought", "words": "hm"})

    episode = edited(edit)
    assert episode.extra == {
        "mood": "good",
        "device": {"foldable": True},
        "reset": {"seconds": 2},
        "end": {"termination": "bored", "by": "the agent"},
    }
    assert episode.case.to_json()["shard"] == 3
    assert episode.case.to_json()["task"]["rubric"] == ["a"]
    assert episode.case.task.kind == "a kind of tomorrow"
    first = episode.steps[0]
    assert first.extra == {"confidence": 0.5}
    assert first.calls[0].to_json()["reasoning_tokens"] == 9
    assert [type(action) for action in first.actions] == [Raw, Raw]
    assert isinstance(first.action, Raw)
    assert json.loads(first.action.command) == {"action": "Pinch", "x": 1}
    assert episode.termination is Termination.INTERRUPTED


@pytest.mark.parametrize("version", [3, 0, None, "2", True, 10**400])
def test_other_major_version_is_refused(edited, version):
    with pytest.raises(RecordError, match=r"has schema version .*reads up to 2: install a newer"):
        edited(lambda lines: lines[0].update(schema_version=version))


START = '{"record":"episode","schema_version":2}\n'
DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "does not begin with an episode"),
        ("\n", "is damaged"),
        ("[]\n", "a line is not a record"),
        ("{}\n", "a line is not a record"),
        ('{"record":"observation"}\n', "does not begin with an episode"),
        ('{"record":"episode"}\n', "has schema version None"),
        (START, "stops before the first screen"),
        (START + "\0\0\0\n", "is damaged"),
        (START + f'{{"record":"observation","probes":{DEEP}}}\n', "is damaged"),
        (START + f"{DEEP}\n", "is damaged"),
        (START + '{"record":"observation"}\n', "does not contain a complete record: KeyError"),
        (START + '{"record":"observation","xml":"a","png":"\\u0000"}\n', "a complete record"),
    ],
)
def test_damaged_record_is_refused(tmp_path, content, complaint):
    with pytest.raises(RecordError, match=r"no episode is recorded in .*: No such file"):
        load(tmp_path)
    (tmp_path / "episode.jsonl").write_text(content)
    with pytest.raises(RecordError, match=complaint):
        load(tmp_path)


JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.lists(st.integers() | st.text(max_size=3), max_size=2),
    st.just({}),
    st.just([[[{"a": [None]}]]]),
    st.just({"action": "Tap"}),
)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, make_screen: Callable[..., Screen]) -> Path:
    recorder = recorder_in(tmp_path_factory.mktemp("recorded"))
    folder = record(recorder, make_screen)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)
    return folder


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in plain data: its container, and its key or index there."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for place, below in list(items):
        yield value, place
        if isinstance(below, dict | list):
            yield from places(below)


@settings(max_examples=150)
@given(data=st.data())
def test_arbitrary_record_is_read_or_refused(recorded, folders, data):
    lines = [json.loads(line) for line in (recorded / "episode.jsonl").read_text().split("\n")[:-1]]
    container, place = data.draw(st.sampled_from(list(places(lines))))
    if data.draw(st.booleans()):
        container[place] = data.draw(JUNK)
    else:
        del container[place]
    folder = next(folders) / "episodes" / "e.0"
    folder.mkdir(parents=True)
    (folder.parent.parent / "screens").symlink_to(recorded.parent.parent / "screens")
    (folder / "episode.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    try:
        episode = load(folder)
    except RecordError:
        return
    # Everything that uses an episode can use this one.
    assert episode.screens
    _ = episode.totals, episode.seconds_thinking, episode.seconds_acting, episode.step_count
    _ = episode.case.key, episode.case.to_json(), repr(episode), str(episode.reset)
    assert isinstance(episode.answers("a"), bool)
    assert isinstance(episode.typed("a"), bool)
    assert not [event.describe() for event in episode.events if not event.describe()]


def test_screenshots_are_read_on_demand_and_must_be_there(folder, tmp_path, make_screen):
    first, other = load(folder), load(folder)
    seen = make_screen().png
    assert first.screen.png == seen
    for file in (tmp_path / "screens").glob("*.png"):
        file.unlink()
    assert first.screen.png == seen, "it was read before"
    assert other.screen.elements, "the hierarchy is another file"
    with pytest.raises(ScreenError, match=r"^the screenshot at step \d+: .* cannot be read: "):
        _ = other.screen.png
    with pytest.raises(RecordError, match="does not contain a complete record: FileNotFoundError"):
        load(folder)


def test_a_link_in_place_of_a_screenshot_is_not_a_record(folder, tmp_path):
    shot = next((tmp_path / "screens").glob("*.png"))
    shot.unlink()
    (tmp_path / "elsewhere.png").write_bytes(b"\x89PNG of something private")
    shot.symlink_to(tmp_path / "elsewhere.png")
    with pytest.raises(RecordError, match=r"elsewhere\.png, which is not what was recorded"):
        load(folder)
