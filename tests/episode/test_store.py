"""Tests that a recorded episode is read back unchanged, whatever its texts contain.

Texts that are too long are cut, and no part of a secret remains.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent import Case, Episode, ModelCall, Screen, Step, Task, Termination, load
from pytest_mobileagent.action import Finish, Raw, Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.episode.store import cut, cut_texts, shortened
from pytest_mobileagent.errors import InfrastructureError, RecordError
from pytest_mobileagent.jsonable import to_wire
from tests.episode.recording import CASE, DEVICE, HEAD, RESET, record, recorder_in

# Line ends of every kind, single surrogates, and characters that JSON and XML escape.
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
ABOUT = {
    "xml": STRANGE,
    "package": PLAIN,
    "activity": PLAIN,
    "time": st.none() | st.datetimes(timezones=ZONES),
}
SCREENS = st.builds(Screen, png=st.binary(max_size=20), **ABOUT) | st.builds(
    Screen, png=st.just(b""), extent=st.tuples(st.integers(1), st.integers(1)), **ABOUT
)
APPS = PLAIN.map(lambda text: text.replace("|", "").strip()).filter(bool)
ACTIONS = st.builds(Tap, st.integers(), st.integers()) | st.builds(Type, PLAIN, st.just((1, 2)))
CALLS = st.lists(st.builds(ModelCall, PLAIN, price_usd=st.none() | st.floats(0, 9)), max_size=2)
DECISIONS = st.tuples(st.lists(ACTIONS, max_size=2), STRANGE, CALLS, SECONDS)
CASES = st.builds(
    Case,
    st.builds(
        Task,
        goal=PLAIN.filter(str.strip),
        apps=st.lists(APPS, max_size=2, unique=True).map(tuple),
        level=st.none() | st.integers(1, 3),
        golden_steps=st.none() | st.integers(1, 99),
        tags=st.lists(PLAIN.filter(str.strip), max_size=2).map(tuple),
    ),
    id=PLAIN,
    suite=PLAIN,
    parameters=st.dictionaries(PLAIN, st.integers() | PLAIN, max_size=2),
    environment=st.none() | PLAIN,
    epoch=st.integers(0, 9),
)


def readable(text: str) -> str:
    """Return text as UTF-8 can represent it."""
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
def test_a_recorded_episode_is_read_back(folders, case, seen, decisions, outcomes, report, end):  # noqa: PLR0917 - each is drawn
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
        until, told = seen[after][2] if after > place else 0.0, (readable(said), notice)
        made = Step(screens[place], tuple(actions), *told, tuple(calls), seconds, until)
        steps.append(replace(made, probes=values[after], reply=reply))
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
    places = [screen.where for screen in shown]
    assert places == [screen.where for screen in episode.screens][: len(shown)]
    assert all(Path(screen.where.split(": ", 1)[1]).is_dir() for screen in shown)


def test_killed_writer_leaves_a_readable_prefix(tmp_path, make_screen):
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen, steps=2)
    recorder.end(Termination.SELF_REPORTED, "", 3.0)
    whole = load(folder)
    stream = folder / "episode.jsonl"
    content = stream.read_bytes()
    lengths: list[int] = []
    for end in range(0, len(content), 3):
        stream.write_bytes(content[:end])
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


def test_a_decision_is_on_disk_before_the_writer_continues_and_screens_are_in_order(
    tmp_path, make_screen
):
    recorder = recorder_in(tmp_path)
    folder = record(recorder, make_screen, steps=2)
    episode = load(folder)
    assert [step.action for step in episode.steps] == [Tap(1, 0), Tap(2, 0), Finish("fertig ✓")]
    assert episode.steps[-1].is_report
    assert [event.text for event in episode.events] == [("1",), ("2",)]
    names = sorted(path.name for path in (folder / "screens").glob("*.png"))
    assert names == ["000-start.png", "001-tap.png", "002-tap.png"]
    recorder.close()


def test_second_writer_in_a_folder_is_refused_and_so_is_a_folder_in_a_file(tmp_path, make_screen):
    first = recorder_in(tmp_path)
    folder = record(first, make_screen)
    for _ in ("while it is written", "when it is closed"):
        with pytest.raises(InfrastructureError, match=r"cannot record an episode in .*e\.0: "):
            record(recorder_in(tmp_path), make_screen)
        first.close()
    assert len(load(folder).steps) == 4
    (tmp_path / "file").touch()
    with pytest.raises(InfrastructureError, match="cannot record an episode in"):
        record(recorder_in(tmp_path / "file"), make_screen)


def test_uncounted_observation_is_read_back(tmp_path, make_screen):
    recorder = recorder_in(tmp_path)
    record(recorder, make_screen, steps=0)
    recorder.outcome("not yet", None, 1)
    recorder.observation(make_screen("1"), {})
    recorder.step([Swipe(1, 2, 1, 0)], "", [], 0.5, counts=False)
    recorder.observation(make_screen("2"), {})
    recorder.step([Tap(1, 1)], "", [], 0.5)
    recorder.observation(make_screen("3"), {})
    recorder.end(Termination.STEP_LIMIT, "", 1.0)
    episode = load(recorder.folder)
    assert [step.counts for step in episode.steps] == [True, False, True]
    assert (episode.step_count, len(episode.actions)) == (1 + 1, 2)
    lines = (recorder.folder / "episode.jsonl").read_text("utf-8").splitlines()
    assert sum('"counts"' in line for line in lines) == 1, "what is as usual is not written"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("abcdef", "abcdef"),
        ("abcdefg", "abc\n… 1 characters are left out …\nefg"),
        ("ab" * 50, "aba\n… 94 characters are left out …\nbab"),
    ],
)
def test_middle_of_a_long_text_is_left_out(text, left):
    assert cut(text, 6) == left
    assert cut_texts({"a": [text, 7, None]}, 6) == {"a": [left, 7, None]}


def test_no_part_of_a_key_remains_at_the_cut_or_at_a_shortened_end(monkeypatch):
    key = "sk-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    for length in range(80, 120):
        text = "." * length + key + "." * 400 + key + "." * length
        beginning, _, end = cut(text, 200).split("\n")
        told = shortened(text, 100)
        assert len(told) == 101
        assert not set(key) & set(beginning + end + told), length
    assert shortened("short", 5) == "short"


def test_agent_texts_are_recorded_up_to_a_limit(tmp_path, make_screen):
    recorder = recorder_in(tmp_path)
    recorder.start(CASE, DEVICE, RESET, HEAD)
    recorder.observation(make_screen("0"), {})
    long = "x" * 1_000_000
    recorder.step([Type(long), Raw(long)], long, [], 0.5)
    recorder.outcome(long, None, 2)
    recorder.observation(make_screen("1"), {})
    recorder.end(Termination.AGENT_ERROR, long, 1.0)
    episode = load(recorder.folder)
    (step,) = episode.steps
    typed, raw = step.actions
    assert isinstance(typed, Type)
    assert isinstance(raw, Raw)
    most = {typed.text: 100_000, raw.command: 100_000, step.said: 100_000}
    for text, limit in (most | {step.notice: 20_000, episode.error: 20_000}).items():
        note = f"\n… {1_000_000 - limit} characters are left out …\n"
        assert text == "x" * (limit // 2) + note + "x" * (limit // 2)
