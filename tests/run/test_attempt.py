"""An attempt at a case, from a device in its initial state to a recorded episode."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import (
    Case,
    Device,
    DeviceInfo,
    Event,
    Reset,
    Screen,
    Scripted,
    Task,
    Termination,
    load,
    open_app,
)
from pytest_mobileagent.action import Finish, Open, Wait
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.agent.agent import Agent
from pytest_mobileagent.episode.event import Crash, LogLine
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import DeviceError, InfrastructureError, TaskError
from pytest_mobileagent.run.attempt import PAUSE, UnfitDeviceError, attempt, open_anew
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.runner import in_thread
from pytest_mobileagent.testing import FakePhone, make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent import Action, Episode

APP = "com.shop"
CLOCK = datetime(2026, 5, 4, 8, 5)
DEAF = DeviceInfo("deaf", "Fake phone", "15", 35, (1080, 2400), 420)


class Done(Agent):
    def step(self, observation: Any) -> Action:
        return Finish("done")


class Twice(Agent):
    taps = 0

    def step(self, observation: Any) -> Action:
        self.taps += 1
        return Tap(1, 1) if self.taps <= 2 else Finish()


@pytest.fixture
def phone() -> FakePhone:
    return FakePhone([make_screen(text, time=CLOCK) for text in "abc"])


@pytest.fixture
def tried(phone: FakePhone, tmp_path: Path) -> Callable[..., Episode]:
    """Makes an attempt at a case on the phone and loads the recorded episode."""

    def tried(
        agent: Callable[[], Any] = Done, *, device: Device | None = None, **fields: Any
    ) -> Episode:
        given = {"app": APP, "solution": [open_app()], **fields}
        task = Task("Do {what} at {now:%H:%M}.", **given)
        case = Case(task, "s/t", "s", "s.py::t", {"what": "it"}, epoch=1)
        chosen = ChosenAgent("mine", partial(in_thread, agent, None), {"history": 3})
        plan = AttemptPlan(case, chosen, Limits(3, 10), seed=7)
        about = {"attempt": 4, "node": "north", "versions": {"Python": "3.12.1"}}
        plan = replace(plan, about=about)
        folder = tmp_path / "episodes" / "e.4"
        attempt(plan, device or phone, Recorder(folder, ScreenStore(tmp_path / "screens")))
        return load(folder)

    return tried


def test_an_attempt_is_recorded_with_what_was_known(tried):
    episode = tried(level=2, tags=("smoke",))
    task = episode.case.task
    assert (episode.goal, task.goal) == ("Do it at 08:05.", "Do {what} at {now:%H:%M}.")
    assert (episode.case.id, episode.case.nodeid, episode.case.epoch) == ("s/t", "s.py::t", 1)
    assert (task.packages, task.level, task.golden_steps, task.tags) == ((APP,), 2, 1, ("smoke",))
    assert (episode.agent, episode.options) == ("mine", {"history": 3})
    assert (episode.seed, episode.attempt, episode.step_limit) == (7, 4, 3)
    assert episode.reset == Reset("snapshot", "default_boot")
    assert episode.apps == {APP: ""}
    assert (episode.node, episode.versions) == ("north", {"Python": "3.12.1"})
    assert episode.started == CLOCK
    assert datetime.fromisoformat(episode.recorded).tzinfo is not None


def test_a_device_without_the_app_or_a_listener_is_unfit(tried):
    bare = FakePhone([make_screen(time=CLOCK)], apps=["com.other"])
    with pytest.raises(UnfitDeviceError, match=r"device fake has no app com\.shop"):
        tried(device=bare)
    deaf = FakePhone([make_screen(time=CLOCK)], info=DEAF)
    assert tried(device=deaf).termination is Termination.SELF_REPORTED
    with pytest.raises(UnfitDeviceError, match="device deaf has no event listener"):
        tried(device=deaf, needs=("events",))


def test_a_phone_without_a_clock_is_broken(tried):
    with pytest.raises(DeviceError, match="does not report its time"):
        tried(device=FakePhone([make_screen(time=None)]))


def test_two_attempts_do_not_share_a_folder(tried):
    tried()
    with pytest.raises(InfrastructureError, match="cannot record an episode"):
        tried()


def test_each_step_has_the_events_of_its_own_and_none_from_before(tried):
    def react(phone: FakePhone, _: Action) -> None:
        done = str(len(phone.actions))
        phone.pending_events.append(Event("clicked", text=(done,)))

    phone = FakePhone([make_screen(time=CLOCK)], react=react)
    phone.pending_events.append(Event("announcement", text=("before",)))
    episode = tried(Twice, device=phone)
    assert [[event.text for event in step.events] for step in episode.steps] == [
        [("0",)],
        [("1",)],
        [],
    ]
    assert episode.event(type="clicked", text="1") == Event("clicked", text=("1",))
    assert episode.prefix(1).event(text="1") is None


FATAL = ("FATAL EXCEPTION: main", "Process: com.shop, PID: 7", "java.lang.Error: no")


class Late(FakePhone):
    """A phone that logs a crash after the last observation."""

    def log(self, *, late: bool = False) -> tuple[LogLine, ...]:
        lines = (LogLine("05-04 08:05:09.000", 7, 7, "E", "AndroidRuntime", each) for each in FATAL)
        return tuple(lines) if late else ()


@pytest.mark.parametrize("ending", ["self-reported", "step limit", "agent error"])
def test_a_crash_after_the_last_observation_is_of_the_last_step(tried, ending):
    class Ends(Twice):
        def step(self, observation: Any) -> Action:
            if ending == "agent error" and self.taps:
                raise ArithmeticError
            self.taps -= ending == "step limit"  # it never reports
            return super().step(observation)

    episode = tried(Ends, device=Late([make_screen(time=CLOCK)]))
    assert str(episode.termination) == ending
    *before, last = ([crash.error for crash in step.crashes] for step in episode.steps)
    assert not any(before)
    assert last == ["java.lang.Error: no"]


class Deaf(FakePhone):
    """A phone whose log cannot be read; `kept` are the crashes that Android has kept elsewhere."""

    kept: Sequence[tuple[datetime, Crash]] | None = None

    def log(self, *, late: bool = False) -> Any:
        del late

    def stored_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        return None if self.kept is None else [each for each in self.kept if each[0] >= since]


def test_crashes_that_android_has_kept_take_the_place_of_a_log(tried):
    seconds = (0, 10, 20)
    screens = [make_screen(str(n), time=CLOCK.replace(second=n)) for n in seconds]
    phone = Deaf(screens)
    at = [CLOCK.replace(hour=7), *(CLOCK.replace(second=n) for n in (0, 15, 59))]
    phone.kept = [(when, Crash("crash", "com.shop", f"E{n}")) for n, when in enumerate(at)]
    episode = tried(Twice, device=phone)
    seen = [step.screen.time.second for step in episode.steps if step.screen.time]
    crashed = [[crash.error for crash in step.crashes] for step in episode.steps]
    assert (seen, crashed) == ([0, 10, 20], [["E1"], ["E2"], ["E3"]])


@pytest.mark.parametrize("kept", [None, []])
def test_no_stored_crashes_are_known_only_if_android_says_so(tried, kept):
    phone = Deaf([make_screen(time=CLOCK)])
    phone.kept = kept
    assert tried(Twice, device=phone).crashes == (None if kept is None else ())


def test_a_task_may_prepare_the_device_and_clean_up_unrecorded(tried):
    order: list[tuple[str, int]] = []

    def note(what: str) -> Callable[[Any], None]:
        return lambda device: order.append((what, len(device.actions)))

    def lay_out(device: Any) -> None:
        note("prepare")(device)
        device.perform(Tap(9, 9))

    episode = tried(Twice, prepare=lay_out, clean_up=note("clean up"))
    assert order == [("prepare", 0), ("clean up", 3)]
    assert [screen.texts for screen in episode.screens] == [("b",), ("c",), ("c",), ("c",)]
    assert episode.step_count == 2


def fail(error: Exception) -> Callable[[Any], None]:
    def function(_: Any) -> None:
        raise error

    return function


def test_measures_are_read_before_the_first_look_and_after_the_last_screen(tried):
    read: list[tuple[int, str, str]] = []

    def count(device: Any, what: str, answer: str) -> int:
        read.append((len(device.actions), what, answer))
        return len(device.actions)

    class Answers(Twice):
        def step(self, observation: Any) -> Any:
            action = super().step(observation)
            return Finish("done") if isinstance(action, Finish) else action

    episode = tried(Answers, measures={"count": count})
    assert read == [(0, "it", ""), (2, "it", "done")]
    assert (episode.initial_probe("count"), episode.probe("count")) == (0, 2)
    assert episode.measured == {"count": 2}
    assert episode.prefix(0).probe("count") == 0
    with pytest.raises(TaskError, match="no probe 'count'"):
        episode.prefix(1).probe("count")


def test_a_measure_that_fails_is_the_tasks_fault_and_cleaned_up(tried):
    cleaned: list[Any] = []

    def measure(device: Any) -> int:
        return 1 // (0 if device.actions else 1)

    with pytest.raises(TaskError, match="its measure 'share' raised ZeroDivisionError"):
        tried(Twice, measures={"share": measure}, clean_up=cleaned.append)
    assert len(cleaned) == 1


@pytest.mark.parametrize("what", ["prepare", "clean_up"])
def test_errors_in_a_tasks_function_are_the_tasks_or_the_devices(tried, what):
    with pytest.raises(TaskError, match=f"its {what} raised KeyError: 'x'"):
        tried(**{what: fail(KeyError("x"))})


@pytest.mark.parametrize("error", [DeviceError("gone"), TaskError("broken")])
def test_an_error_that_names_its_fault_stays_as_it_is(tried, error):
    with pytest.raises(type(error), match=str(error)):
        tried(prepare=fail(error))


def test_a_broken_solution_is_the_tasks_fault_and_not_an_ending(tried, tmp_path):
    cleaned: list[Any] = []
    with pytest.raises(TaskError, match="no solution to play"):
        tried(Scripted, solution=(), clean_up=cleaned.append)
    episode = load(tmp_path / "episodes" / "e.4")
    assert episode.termination is Termination.INTERRUPTED
    assert len(cleaned) == 1


def test_a_phone_that_breaks_is_not_cleaned_up(tried):
    def break_down(_: FakePhone, __: Action) -> None:
        msg = "the phone fell into the water"
        raise DeviceError(msg)

    cleaned: list[Any] = []
    wet = FakePhone([Screen("<hierarchy/>", make_screen().png, time=CLOCK)], react=break_down)
    with pytest.raises(DeviceError, match="water"):
        tried(Twice, device=wet, clean_up=cleaned.append)
    assert cleaned == []


@pytest.mark.parametrize(
    ("sought", "words", "looks"),
    [("b", "b", 1), ("c", "c", 2), ("d", "d", 3), ("e", "d", 3), ("f", "d", 3)],
)
def test_an_app_that_is_opened_anew_may_show_its_name_first(sought, words, looks):
    phone = FakePhone([make_screen(text) for text in "abcde"])
    called: list[str] = []
    task = Task(
        "Shop.",
        app=APP,
        prepare=lambda _: called.append("prepare"),
        clean_up=lambda _: called.append("clean up"),
    )
    chosen = ChosenAgent("mine", partial(in_thread, Done, None))
    plan = AttemptPlan(Case(task, "s/t"), chosen, Limits(3, 10), seed=7)
    phone.perform(Tap(1, 1))  # the reset undoes this tap
    shown = open_anew(plan, phone, APP, lambda screen: screen.find(text=sought) is not None)
    assert shown.texts == (words,)
    assert phone.actions == [Open(APP), *[Wait(PAUSE)] * (looks - 1)]
    assert called == ["prepare", "clean up"]
