"""What was recorded is read back, whatever was said; what is damaged is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent import (
    Case,
    DeviceInfo,
    Episode,
    Event,
    Finish,
    ModelCall,
    Raw,
    Reset,
    Screen,
    Step,
    Tap,
    Task,
    Termination,
    Type,
    load,
)
from pytest_mobileagent.action.action import Action, ends_episode
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import InfrastructureError, RecordError
from pytest_mobileagent.plain import to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Line ends of every kind, half of surrogate pairs, and what JSON and XML escape.
STRANGE = st.text(
    st.characters() | st.sampled_from('\n\r\x0b\x0c\x1c\x85\u2028\u2029\ud83d\ude00"\\<&')
)
PLAIN = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\r\x85\u2028\u2029\\")
)
SECONDS = st.floats(0, 1e6)
PROBES = st.dictionaries(
    PLAIN,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | STRANGE,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(PLAIN, below, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)
ZONES = st.none() | st.just(UTC) | st.just(timezone(timedelta(hours=5, minutes=45)))
SCREENS = st.builds(
    Screen,
    xml=STRANGE,
    png=st.binary(max_size=20),
    package=PLAIN,
    activity=PLAIN,
    time=st.none() | st.datetimes(timezones=ZONES),
)
ACTIONS = st.builds(Tap, st.integers(), st.integers()) | st.builds(Type, PLAIN, st.just((1, 2)))
CALLS = st.lists(st.builds(ModelCall, PLAIN, price_usd=st.none() | st.floats(0, 9)), max_size=2)
DECISIONS = st.tuples(st.lists(ACTIONS, max_size=2), STRANGE, CALLS, SECONDS)
CASES = st.builds(
    Case,
    st.builds(
        Task,
        goal=PLAIN.filter(str.strip),
        apps=st.lists(PLAIN.filter(bool), max_size=2, unique=True).map(tuple),
        level=st.none() | st.integers(1, 3),
        golden_steps=st.none() | st.integers(1, 99),
        tags=st.lists(PLAIN, max_size=2).map(tuple),
    ),
    id=PLAIN,
    suite=PLAIN,
    parameters=st.dictionaries(PLAIN, st.integers() | PLAIN, max_size=2),
    environment=st.none() | PLAIN,
    epoch=st.integers(0, 9),
)
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)
RESET = Reset("snapshot", "default_boot")
CASE = Case(Task("Do it."), "suite/task")
HEAD = {
    "agent": "mine",
    "goal": "Do it.",
    "seed": 7,
    "attempt": 2,
    "step_limit": 9,
    "options": {"history": 3},
    "recorded": "2026-05-04T08:00:00.000+00:00",
}


def recorder_in(folder: Path) -> Recorder:
    """A recorder of the only episode of a run."""
    return Recorder(folder / "episodes" / "e.0", ScreenStore(folder / "screens"))


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that do not exist yet, one after the other."""
    root = tmp_path_factory.mktemp("runs")
    return (root / str(number) for number in range(1_000_000))


def readable(text: str) -> str:
    """Text as UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode()


@settings(max_examples=60)
@given(
    case=CASES,
    seen=st.lists(st.tuples(SCREENS, PROBES, SECONDS), min_size=1, max_size=4),
    decisions=st.lists(DECISIONS, min_size=3, max_size=3),
    outcomes=st.lists(st.tuples(PLAIN, st.none() | PLAIN), min_size=3, max_size=3),
    report=st.none() | PLAIN,
    end=st.tuples(st.sampled_from(Termination), STRANGE, SECONDS, CALLS),
)
def test_what_was_recorded_is_read_back(  # noqa: PLR0917 - each is drawn
    folders: Iterator[Path],
    case: Case,
    seen: list[tuple[Screen, Any, float]],
    decisions: list[tuple[list[Action], str, list[ModelCall], float]],
    outcomes: list[tuple[str, str | None]],
    report: str | None,
    end: tuple[Termination, str, float, list[ModelCall]],
) -> None:
    recorder = recorder_in(next(folders))
    recorder.start(case, DEVICE, RESET, HEAD)
    decisions = decisions[: len(seen) - 1]
    if report is not None:
        decisions.append(([Finish(report)], "", [], 1.5))
    shown = []
    for place, (screen, probes, seconds) in enumerate(seen):
        shown.append(recorder.observation(screen, probes, seconds))
        if place < len(decisions):
            recorder.step(*decisions[place])
            if place < len(seen) - 1:
                recorder.outcome(*outcomes[place])
    recorder.end(*end)

    episode = load(recorder.folder)
    screens = [replace(screen, xml=readable(screen.xml)) for screen, _, _ in seen]
    values = [to_wire(probes) for _, probes, _ in seen]
    steps = []
    for place, (actions, said, calls, seconds) in enumerate(decisions):
        after = min(place + 1, len(seen) - 1)
        notice, reply = outcomes[place] if place < len(seen) - 1 else ("", None)
        steps.append(
            Step(
                screens[place],
                tuple(actions),
                readable(said),
                notice,
                tuple(calls),
                seconds,
                seen[after][2] if after > place else 0.0,
                values[after],
                reply=reply,
            )
        )
    assert episode == Episode(
        case=Case.from_json(case.to_json()),
        device=DEVICE,
        screen=screens[-1],
        steps=tuple(steps),
        initial_probes=values[0],
        started=screens[0].time,
        termination=end[0],
        error=readable(end[1]),
        seconds=end[2],
        unused=tuple(end[3]),
        reset=RESET,
        **HEAD,  # type: ignore[arg-type]
    )
    assert episode.folder == recorder.folder
    assert [screen.where for screen in shown] == [screen.where for screen in episode.screens][
        : len(shown)
    ]
    assert all(Path(screen.where.split(": ", 1)[1]).is_file() for screen in shown)


def record(recorder: Recorder, make_screen: Callable[..., Screen], steps: int = 3) -> Path:
    recorder.start(CASE, DEVICE, RESET, HEAD)
    recorder.observation(make_screen("0 äöü\u2028"), {"n": 0})
    for number in range(1, steps + 1):
        recorder.step([Tap(number, 0)], "über 👍\u2028", [ModelCall("gpt", price_usd=0.5)], 0.5)
        recorder.observation(make_screen(str(number)), {"n": number}, 0.25)
        recorder.events([Event("clicked", text=(str(number),), sequence=number)])
    recorder.step([Finish("fertig ✓")], "", [], 0.5)
    return recorder.folder


def test_a_killed_writer_leaves_a_readable_prefix(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen, steps=2)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)
    whole = load(folder)
    stream = folder / "episode.jsonl"
    content = stream.read_bytes()
    lengths: list[int] = []
    for cut in range(0, len(content), 3):
        stream.write_bytes(content[:cut])
        try:
            episode = load(folder)
        except RecordError as error:
            assert "not begin with an episode" in str(error) or "first screen" in str(error)  # noqa: PT017
            assert not lengths, "a longer record is never worse"
            continue
        length = len(episode.steps)
        assert [step.action for step in episode.steps] == [s.action for s in whole.steps[:length]]
        assert episode.screens[:length] == whole.screens[:length]
        assert episode.screen == whole.screens[int(episode.probe("n"))]
        assert episode.termination is Termination.INTERRUPTED
        lengths.append(length)
    assert lengths == sorted(lengths)
    assert set(lengths) == {0, 1, 2, 3}


def test_what_was_decided_is_on_disk_before_the_writer_goes_on(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = recorder_in(tmp_path)
    episode = load(record(recorder, make_screen, steps=1))
    assert [step.action for step in episode.steps] == [Tap(1, 0), Finish("fertig ✓")]
    assert episode.steps[-1].action is not None
    assert ends_episode(episode.steps[-1].action)
    assert [event.text for event in episode.events] == [("1",)]
    recorder.close()


def test_a_folder_can_be_looked_through_in_order(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen, steps=2)
    recorder.close()
    names = sorted(path.name for path in (folder / "screens").glob("*.png"))
    assert names == ["000-start.png", "001-tap.png", "002-tap.png"]


def test_two_writers_in_one_folder_refuse(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    first = recorder_in(tmp_path)
    with pytest.raises(InfrastructureError, match=r"cannot record an episode in .*e\.0: "):
        recorder_in(tmp_path)
    folder = record(first, make_screen)
    first.close()
    with pytest.raises(InfrastructureError):
        recorder_in(tmp_path)
    assert len(load(folder).steps) == 4


def test_a_folder_that_cannot_be_made_is_an_error_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "episodes").write_text("")
    with pytest.raises(InfrastructureError, match="cannot record an episode in"):
        recorder_in(tmp_path)


@pytest.fixture
def edited(tmp_path: Path, make_screen: Callable[..., Screen]) -> Callable[[Any], Episode]:
    """Loads a whole record after its lines have been changed."""
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)

    def load_edited(edit: Any) -> Episode:
        stream = folder / "episode.jsonl"
        lines = [json.loads(line) for line in stream.read_text().split("\n")[:-1]]
        edit(lines)
        stream.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return load(folder)

    return load_edited


@pytest.mark.parametrize("version", [2, 2.0, 2.7])
def test_a_newer_minor_version_is_read_and_what_it_adds_is_kept(
    edited: Callable[[Any], Episode], version: float
) -> None:
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


@pytest.mark.parametrize("version", [3, 3.1, 0, -1, None, "2", True, [], 10**400])
def test_another_major_version_is_refused(edited: Callable[[Any], Episode], version: Any) -> None:
    with pytest.raises(RecordError, match=r"has schema version .*reads up to 2: install a newer"):
        edited(lambda lines: lines[0].update(schema_version=version))


START = '{"record":"episode","schema_version":2}\n'
DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "does not begin with an episode"),
        ("\n", "is damaged"),
        ("[]\n", "a line is no record"),
        ("{}\n", "a line is no record"),
        ('"record"\n', "a line is no record"),
        ('{"record":"observation"}\n', "does not begin with an episode"),
        ('{"record":"episode"}\n', "has schema version None"),
        (START, "stops before the first screen"),
        (START + "nonsense\n", "is damaged"),
        (START + "\0\0\0\n", "is damaged"),
        (START + "{}\n", "a line is no record"),
        (START + f'{{"record":"observation","probes":{DEEP}}}\n', "is damaged"),
        (START + f"{DEEP}\n", "is damaged"),
        (START + '{"record":"observation"}\n', "does not hold a whole record: KeyError"),
        (START + '{"record":"observation","xml":"a","png":"\\u0000"}\n', "not hold a whole record"),
    ],
)
def test_a_damaged_record_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "episode.jsonl").write_text(content)
    with pytest.raises(RecordError, match=complaint):
        load(tmp_path)


def test_a_folder_without_an_episode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"no episode is recorded in .*: No such file"):
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
    """Every place in plain data: its container, and its name or number there."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for place, below in list(items):
        yield value, place
        if isinstance(below, dict | list):
            yield from places(below)


@settings(max_examples=300)
@given(data=st.data())
def test_a_record_with_junk_in_it_is_read_or_refused(
    recorded: Path, folders: Iterator[Path], data: st.DataObject
) -> None:
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
    # What was read can be used by all who ask episodes.
    assert episode.screens
    _ = episode.totals, episode.seconds_thinking, episode.seconds_acting, episode.step_count
    _ = episode.case.key, episode.case.to_json(), repr(episode), str(episode.reset)
    assert isinstance(episode.answers("a"), bool)
    assert isinstance(episode.typed("a"), bool)
    assert not [event.describe() for event in episode.events if not event.describe()]


def test_a_lost_screen_is_an_error_of_the_record(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen)
    recorder.close()
    next((tmp_path / "screens").glob("*.png")).unlink()
    with pytest.raises(RecordError, match="does not hold a whole record: FileNotFoundError"):
        load(folder)
