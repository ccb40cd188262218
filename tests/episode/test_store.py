from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent import Finish, Screen, Tap, Type, Usage, load
from pytest_mobileagent.action.action import ends_episode
from pytest_mobileagent.agent import Reply
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.episode import Episode, Step, TaskRecord, Termination
from pytest_mobileagent.episode.device_info import DeviceInfo
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
USAGES = st.builds(Usage, st.integers(0), st.integers(0), st.floats(0, 9))
REPLIES = st.builds(Reply, ACTIONS, STRANGE, USAGES)
ENDINGS = st.sampled_from(Termination)
TASKS = st.builds(
    TaskRecord,
    id=PLAIN,
    goal=PLAIN,
    suite=PLAIN,
    apps=st.lists(PLAIN, max_size=2).map(tuple),
    kind=PLAIN,
    level=st.none() | st.integers(1, 3),
    golden_steps=st.none() | st.integers(1),
    step_limit=st.integers(1),
    parameters=st.dictionaries(PLAIN, st.integers() | PLAIN, max_size=2),
)
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)
HEAD = {
    "agent": "mine",
    "seed": 7,
    "epoch": 1,
    "attempt": 2,
    "recorded": "2026-05-04T08:00:00.000+00:00",
    "reset": "snapshot default_boot",
}
TASK = TaskRecord("suite/task", "Do it.")


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that do not exist yet, one after the other."""
    root = tmp_path_factory.mktemp("episodes")
    return (root / str(number) for number in range(1_000_000))


def readable(text: str) -> str:
    """Text as UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode()


@settings(max_examples=60)
@given(
    task=TASKS,
    looks=st.lists(st.tuples(SCREENS, PROBES, SECONDS), min_size=1, max_size=4),
    replies=st.lists(st.tuples(REPLIES, SECONDS), min_size=3, max_size=3),
    report=st.none() | PLAIN,
    end=st.tuples(ENDINGS, STRANGE, SECONDS),
)
def test_what_was_recorded_is_read_back(  # noqa: PLR0917 - each is drawn
    folders: Iterator[Path],
    task: TaskRecord,
    looks: list[tuple[Screen, Any, float]],
    replies: list[tuple[Reply, float]],
    report: str | None,
    end: tuple[Termination, str, float],
) -> None:
    folder = next(folders)
    recorder = Recorder(folder)
    recorder.start(task, DEVICE, HEAD)
    replies = replies[: len(looks) - 1]
    if report is not None:
        replies.append((Reply(Finish(report)), 1.5))
    seen = []
    for place, (screen, probes, seconds) in enumerate(looks):
        seen.append(recorder.look(Capture(screen, probes), seconds))
        if place < len(replies):
            recorder.step(*replies[place])
    recorder.end(*end)

    episode = load(folder)
    screens = [replace(screen, xml=readable(screen.xml)) for screen, _, _ in looks]
    values = [to_wire(probes) for _, probes, _ in looks]
    waits = [seconds for _, _, seconds in looks]
    steps = []
    for place, (reply, seconds) in enumerate(replies):
        after = min(place + 1, len(looks) - 1)
        acting = waits[after] if after > place else 0.0
        said = readable(reply.said)
        steps.append(
            Step(screens[place], reply.action, said, reply.usage, seconds, acting, values[after])
        )
    assert episode == Episode(
        task=task,
        device=DEVICE,
        screen=screens[-1],
        steps=tuple(steps),
        initial_probes=values[0],
        started=screens[0].time,
        termination=end[0],
        error=readable(end[1]),
        seconds=end[2],
        **HEAD,  # type: ignore[arg-type]
    )
    assert episode.folder == folder
    assert [look.probes for look in seen] == values
    assert [look.screen.where for look in seen] == [
        screen.where for screen in (episode.screens if report is None else episode.screens[:-1])
    ]
    assert all(Path(look.screen.where.split(": ", 1)[1]).is_file() for look in seen)


def record(recorder: Recorder, make_screen: Callable[..., Screen], steps: int = 3) -> None:
    recorder.start(TASK, DEVICE, HEAD)
    recorder.look(Capture(make_screen("0 äöü\u2028"), {"n": 0}))
    for number in range(1, steps + 1):
        recorder.step(Reply(Tap(number, 0), "über 👍\u2028"), 0.5)
        recorder.look(Capture(make_screen(str(number)), {"n": number}), 0.25)
    recorder.step(Reply(Finish("fertig ✓")), 0.5)


def test_a_killed_writer_leaves_a_readable_prefix(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = Recorder(tmp_path / "a")
    record(recorder, make_screen, steps=2)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)
    whole = load(tmp_path / "a")
    stream = tmp_path / "a" / "episode.jsonl"
    content = stream.read_bytes()
    lengths: list[int] = []
    for cut in range(len(content)):
        stream.write_bytes(content[:cut])
        try:
            episode = load(tmp_path / "a")
        except RecordError as error:
            assert "does not begin with an episode" in str(error) or "first look" in str(error)  # noqa: PT017
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


def test_what_was_done_is_on_disk_before_the_writer_goes_on(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    recorder = Recorder(tmp_path / "a")
    record(recorder, make_screen, steps=1)
    episode = load(tmp_path / "a")
    assert [step.action for step in episode.steps] == [Tap(1, 0), Finish("fertig ✓")]
    assert ends_episode(episode.steps[-1].action)
    recorder.close()


def test_equal_screens_are_stored_once(tmp_path: Path, make_screen: Callable[..., Screen]) -> None:
    recorder = Recorder(tmp_path / "a")
    recorder.start(TASK, DEVICE, HEAD)
    for screen in (make_screen("a"), make_screen("b"), make_screen("a"), make_screen("a", shade=9)):
        recorder.look(Capture(screen, {}))
        recorder.step(Reply(Tap(1, 1)), 0.0)
    recorder.close()
    stored = sorted(path.suffix for path in (tmp_path / "a" / "screens").iterdir())
    assert stored == [".png", ".png", ".xml", ".xml"]
    assert [screen.texts for screen in load(tmp_path / "a").screens[:3]] == [("a",), ("b",), ("a",)]


def test_two_writers_in_one_folder_refuse(
    tmp_path: Path, make_screen: Callable[..., Screen]
) -> None:
    first = Recorder(tmp_path / "a")
    with pytest.raises(InfrastructureError, match=r"cannot record an episode in .*a: "):
        Recorder(tmp_path / "a")
    record(first, make_screen)
    first.close()
    with pytest.raises(InfrastructureError):
        Recorder(tmp_path / "a")
    assert len(load(tmp_path / "a").steps) == 4


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfrastructureError, match="cannot record an episode in"):
        Recorder(tmp_path / "file" / "a")


def test_a_folder_without_an_episode_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"no episode is recorded in .*: No such file"):
        load(tmp_path)


START = '{"record":"episode","schema_version":1}\n'


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "does not begin with an episode"),
        ("\n", "is damaged"),
        ("[]\n", "a line is no record"),
        ("{}\n", "a line is no record"),
        ('"record"\n', "a line is no record"),
        ('{"record":"look"}\n', "does not begin with an episode"),
        ('{"record":"episode"}\n', "has schema version None; this version reads 1"),
        ('{"record":"episode","schema_version":2}\n', "has schema version 2; this version reads 1"),
        (START, "stops before the first look"),
        (START + "nonsense\n", "is damaged"),
        (START + "{}\n", "a line is no record"),
        (START + '{"record":"look"}\n', "does not hold a whole record: KeyError"),
        (START + '{"record":"look","xml":"a","png":"b"}\n', "does not hold a whole record"),
    ],
)
def test_a_damaged_record_is_told(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "episode.jsonl").write_text(content)
    with pytest.raises(RecordError, match=complaint):
        load(tmp_path)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, make_screen: Callable[..., Screen]) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "a"
    recorder = Recorder(folder)
    record(recorder, make_screen)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)
    return folder


JUNK: st.SearchStrategy[Any] = (
    st.none() | st.integers() | st.text() | st.lists(st.integers(), max_size=2) | st.just({})
)


@given(line=st.integers(0, 8), data=st.data())
def test_a_record_with_junk_in_it_is_read_or_refused(
    recorded: Path, folders: Iterator[Path], line: int, data: st.DataObject
) -> None:
    records = [
        json.loads(text) for text in (recorded / "episode.jsonl").read_text().split("\n")[:-1]
    ]
    field = data.draw(st.sampled_from(sorted(records[line])))
    records[line][field] = data.draw(JUNK)
    if data.draw(st.booleans()):
        del records[line][field]
    folder = next(folders)
    folder.mkdir()
    (folder / "screens").symlink_to(recorded / "screens")
    (folder / "episode.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    try:
        episode = load(folder)
    except RecordError:
        return
    assert episode.screens


def test_a_lost_screen_is_told(tmp_path: Path, make_screen: Callable[..., Screen]) -> None:
    recorder = Recorder(tmp_path / "a")
    record(recorder, make_screen)
    recorder.close()
    next((tmp_path / "a" / "screens").glob("*.png")).unlink()
    with pytest.raises(RecordError, match="does not hold a whole record: FileNotFoundError"):
        load(tmp_path / "a")
