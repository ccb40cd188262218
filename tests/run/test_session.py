"""The loop: what ends an episode, and whose fault it was."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import (
    Action,
    Agent,
    DeviceInfo,
    Episode,
    Finish,
    Impossible,
    Reply,
    Screen,
    Tap,
    Termination,
    Type,
    Usage,
    Wait,
    load,
)
from pytest_mobileagent.agent.scripted import Scripted
from pytest_mobileagent.episode import TaskRecord
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import DeviceError, TaskError
from pytest_mobileagent.run.session import Assignment, play
from pytest_mobileagent.task.task import Task
from tests.run.memory import PATIENCE, Count, MemoryDevice, agent, finish, tap, throw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


@pytest.fixture
def device(make_screen: Callable[..., Screen]) -> MemoryDevice:
    return MemoryDevice([make_screen(str(number)) for number in range(10)])


@pytest.fixture
def run(device: MemoryDevice, tmp_path: Path) -> Iterator[Callable[..., Episode]]:
    """Let an agent work on the device, and read the record."""
    recorder = Recorder(tmp_path / "episode")
    recorder.start(
        TaskRecord("t", "Do it."),
        device.info,
        {"agent": "mine", "seed": 0, "epoch": 0, "attempt": 0, "recorded": "", "reset": ""},
    )

    def run(
        make_agent: Callable[[], Any],
        *,
        step_limit: int = 3,
        time_limit: float = PATIENCE,
        task: Task | None = None,
    ) -> Episode:
        task = task or Task("Do {what}.", probes={"done": Count()})
        assignment = Assignment(task, "Do it.", {"what": "it"}, step_limit, time_limit, 7)
        play(make_agent, device, assignment, device.observe(task.probes), recorder)
        return load(tmp_path / "episode")

    yield run
    recorder.close()


def test_an_agent_that_reports_ends_the_episode(
    run: Callable[..., Episode], device: MemoryDevice
) -> None:
    script = iter([Tap(1, 1), Type("a"), Finish("It is done.")])
    episode = run(agent(lambda _, __: next(script)))
    assert episode.termination is Termination.SELF_REPORTED
    assert (episode.answer, episode.error) == ("It is done.", "")
    assert [step.action for step in episode.steps] == [Tap(1, 1), Type("a"), Finish("It is done.")]
    assert [screen.texts for screen in episode.screens] == [("0",), ("1",), ("2",), ("2",)]
    assert device.done == [Tap(1, 1), Type("a")], "a report is not done on the phone"
    assert [episode.initial_probe("done"), *(step.probes["done"] for step in episode.steps)] == [
        0,
        1,
        2,
        2,
    ]
    assert 0 <= sum(s.seconds_thinking + s.seconds_acting for s in episode.steps) <= episode.seconds


def test_an_agent_may_give_up(run: Callable[..., Episode]) -> None:
    episode = run(agent(lambda _, __: Impossible("no such app")))
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.step_count == 0


@pytest.mark.parametrize(
    ("taps", "termination"),
    [(2, Termination.SELF_REPORTED), (3, Termination.SELF_REPORTED), (4, Termination.STEP_LIMIT)],
)
def test_an_agent_gets_its_steps_and_may_then_report(
    run: Callable[..., Episode], device: MemoryDevice, taps: int, termination: Termination
) -> None:
    script = iter([Tap(1, 1)] * taps)
    episode = run(agent(lambda _, __: next(script, Finish())), step_limit=3)
    assert episode.termination is termination
    assert episode.step_count == len(device.done) == min(taps, 3)


def test_what_an_agent_said_and_cost_is_kept(run: Callable[..., Episode]) -> None:
    script = iter([Reply(Tap(1, 1), "Let me see.", Usage(10, 2, 0.5)), Reply(Finish(), said=42)])  # type: ignore[arg-type]
    episode = run(agent(lambda _, __: next(script)))
    assert [(step.said, step.usage) for step in episode.steps] == [
        ("Let me see.", Usage(10, 2, 0.5)),
        ("42", Usage()),
    ]


def test_an_agent_is_seeded_told_and_closed_in_one_thread(run: Callable[..., Episode]) -> None:
    calls: list[tuple[Any, ...]] = []

    class Witness:
        seed = 0

        def __init__(self) -> None:
            self.note("init")

        def note(self, *what: Any) -> None:
            calls.append((threading.get_ident(), self.seed, *what))

        def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
            self.note("assign", task.goal, values)

        def start(self, goal: str, device: DeviceInfo) -> None:
            self.note("start", goal, device.serial)

        def step(self, screen: Screen) -> Action:
            self.note("step", screen.texts, screen.where.split(":")[0])
            return Tap(1, 1) if screen.texts == ("0",) else Finish()

        def close(self) -> None:
            self.note("close")

    run(Witness)
    assert [call[1:] for call in calls] == [
        (0, "init"),
        (7, "assign", "Do {what}.", {"what": "it"}),
        (7, "start", "Do it.", "memory"),
        (7, "step", ("0",), "step 1"),
        (7, "step", ("1",), "step 2"),
        (7, "close"),
    ]
    assert len({call[0] for call in calls} - {threading.get_ident()}) == 1


class Unprintable:
    __repr__ = __str__ = throw(RuntimeError("no words"))


WRONG = {
    "nothing": (None, "None is not an action"),
    "a text": ("tap the button", "'tap the button' is not an action"),
    "a class": (Tap, "is not an action"),
    "a point in words": (Tap("a", 1), "whole pixels"),  # type: ignore[arg-type]
    "a point that is no number": (Tap(float("nan"), 1), "whole pixels"),  # type: ignore[arg-type]
    "a point off the screen": (Tap(100, 1), "(100, 1) is outside of the screen, which is 100x200"),
    "an endless wait": (Wait(float("inf")), "seconds have to be"),
    "an answer that is no text": (Finish(3), "text is needed"),  # type: ignore[arg-type]
    "half of an emoji": (Type("\ud83d"), "half of a surrogate pair"),
    "a reply of nothing": (Reply(None), "None is not an action"),  # type: ignore[arg-type]
    "a reply with no usage": (Reply(Finish(), "", 3), "has to be a Usage, not 3"),  # type: ignore[arg-type]
    "what cannot be printed": (Unprintable(), "RuntimeError: no words"),
    "words that cannot be printed": (Reply(Finish(), Unprintable()), "RuntimeError: no words"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("reply", "complaint"), WRONG.values(), ids=WRONG)
def test_an_agent_that_returns_nonsense_is_at_fault(
    run: Callable[..., Episode], device: MemoryDevice, reply: Any, complaint: str
) -> None:
    script = iter([Tap(1, 1), reply])
    episode = run(agent(lambda _, __: next(script)))
    assert episode.termination is Termination.AGENT_ERROR
    assert episode.error.startswith("the agent failed at step 2: ")
    assert complaint in episode.error
    assert [step.action for step in episode.steps] == [Tap(1, 1)] == device.done


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no idea"),
        SystemExit("no idea"),
        KeyboardInterrupt("no idea"),
        RecursionError("no idea"),
        DeviceError("no idea"),
        AssertionError("no idea \ud83d"),
    ],
    ids=repr,
)
def test_an_agent_that_raises_is_at_fault(
    run: Callable[..., Episode], error: BaseException
) -> None:
    episode = run(agent(throw(error)))
    assert episode.termination is Termination.AGENT_ERROR
    assert f"the agent failed at step 1: it raised {''.join(type(error).__name__)}: no idea" in (
        episode.error.replace("pytest_mobileagent.errors.", "")
    )
    assert "in thrower" in episode.error, "the traceback is kept"


@pytest.mark.parametrize("method", ["__init__", "start"])
def test_an_agent_that_does_not_start_is_at_fault(run: Callable[..., Episode], method: str) -> None:
    closed: list[str] = []
    broken = agent(
        finish,
        **{method: throw(RuntimeError("no model")), "close": lambda _: closed.append("closed")},
    )
    episode = run(broken)
    assert episode.termination is Termination.AGENT_ERROR
    assert "RuntimeError: no model" in episode.error
    assert closed == (["closed"] if method == "start" else [])


def test_what_is_no_agent_at_all_is_at_fault(run: Callable[..., Episode]) -> None:
    assert run(lambda: None).termination is Termination.AGENT_ERROR


def test_a_broken_task_is_told_and_is_no_ending(
    run: Callable[..., Episode], tmp_path: Path
) -> None:
    with pytest.raises(TaskError, match="no solution to play"):
        run(Scripted)
    assert load(tmp_path / "episode").termination is Termination.INTERRUPTED


def test_an_agent_may_print(
    run: Callable[..., Episode], capsys: pytest.CaptureFixture[str]
) -> None:
    def chatty(_: Agent, screen: Screen) -> Action:
        print("I see", screen.texts)
        return Finish()

    assert run(agent(chatty)).termination is Termination.SELF_REPORTED
    assert capsys.readouterr().out == "I see ('0',)\n"


@pytest.mark.parametrize("method", ["__init__", "start", "step"])
def test_an_agent_that_hangs_is_ended_and_closed_if_it_ever_comes_back(
    run: Callable[..., Episode], method: str
) -> None:
    release, closed = threading.Event(), threading.Event()

    def hang(*_: Any) -> None:
        release.wait(PATIENCE)

    methods: dict[str, Any] = {"step": tap, "close": lambda _: closed.set(), method: hang}
    try:
        episode = run(agent(**methods), time_limit=0.2)
        assert episode.termination is Termination.TIME_LIMIT
        assert episode.error == "the agent failed at step 1: 0.2 seconds were over"
        assert not closed.is_set()
    finally:
        release.set()
    assert method == "__init__" or closed.wait(PATIENCE)


def test_an_agent_that_only_wastes_time_is_ended(run: Callable[..., Episode]) -> None:
    episode = run(agent(tap), time_limit=0.2, step_limit=1_000_000)
    assert episode.termination is Termination.TIME_LIMIT
    assert episode.step_count > 0


@pytest.mark.parametrize(
    ("step", "termination", "error"),
    [
        (finish, Termination.SELF_REPORTED, "the agent could not be closed: it raised OSError: x"),
        (tap, Termination.STEP_LIMIT, "the agent could not be closed: it raised OSError: x"),
        (throw(ValueError("y")), Termination.AGENT_ERROR, "the agent failed at step 1: it raised"),
    ],
    ids=["reports", "taps", "raises"],
)
def test_how_an_agent_closes_changes_no_ending(
    run: Callable[..., Episode], step: Any, termination: Termination, error: str
) -> None:
    episode = run(agent(step, close=throw(OSError("x"))))
    assert episode.termination is termination
    assert episode.error.startswith(error)


def test_an_agent_that_hangs_while_it_closes_changes_no_ending(
    run: Callable[..., Episode],
) -> None:
    release = threading.Event()
    try:
        episode = run(agent(finish, close=lambda _: release.wait(PATIENCE)), time_limit=0.2)
    finally:
        release.set()
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.error == "the agent could not be closed: its time was over"


def test_a_broken_phone_is_not_the_agents_fault_however_the_agent_closes(
    run: Callable[..., Episode], device: MemoryDevice, tmp_path: Path
) -> None:
    device.breaks_at_look = 2
    with pytest.raises(DeviceError, match="fell into the water"):
        run(agent(tap, close=throw(OSError("x"))))
    episode = load(tmp_path / "episode")
    assert episode.termination is Termination.INTERRUPTED
    assert episode.step_count == 2


@pytest.mark.parametrize("look", [0, 1])
@pytest.mark.parametrize(
    ("part", "content", "complaint"),
    [
        ("xml", "Killed", "memory shows no screen: not a view hierarchy"),
        ("png", b"Error", "memory shows no screen: the screenshot is not a PNG image"),
    ],
)
def test_a_screen_that_cannot_be_read_is_the_phones_fault(  # noqa: PLR0917 - a table
    run: Callable[..., Episode],
    device: MemoryDevice,
    look: int,
    part: str,
    content: Any,
    complaint: str,
) -> None:
    object.__setattr__(device.screens[look], part, content)
    with pytest.raises(DeviceError, match=rf"{complaint}.*\(step {look + 1}: .*\.xml\)"):
        run(agent(tap))


# One attempt at a task: the same, from the phone's starting point on.
