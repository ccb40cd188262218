"""The session: what is a step, what ends an episode, and whose fault it was."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_mobileagent import (
    Agent,
    Ask,
    EpisodeOver,
    Finish,
    Impossible,
    ModelCall,
    Raw,
    Reply,
    Tap,
    Task,
    Termination,
    Type,
    Wait,
    load,
)
from pytest_mobileagent.errors import DeviceError, TaskError
from pytest_mobileagent.run.session import NO_USER
from pytest_mobileagent.testing import FakePhone, make_screen, play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Action, Briefing, Observation, Phone

PATIENCE = 10.0


@pytest.fixture
def phone() -> FakePhone:
    screens = [make_screen(str(number), size=(100, 200)) for number in range(10)]
    return FakePhone(screens)


def agent(step: Callable[..., Any], **methods: Any) -> type[Agent]:
    """Make an agent class of a step, called with the agent itself."""
    return type("Mine", (Agent,), {"step": step, **methods})


def script(*decisions: Any) -> type[Agent]:
    """Make an agent class that decides one after the other, and then finishes."""
    each = iter(decisions)
    return agent(lambda _, __: next(each, Finish()))


def throw(error: BaseException) -> Callable[..., NoReturn]:
    def thrower(*arguments: Any) -> NoReturn:
        raise error

    return thrower


def tap(*_: Any) -> Action:
    return Tap(1, 1)


class Count:
    """A probe that reads how many actions were done on a phone."""

    script = "count"

    def parse(self, output: str) -> str:
        return output


def test_an_agent_that_reports_ends_the_episode(phone: FakePhone) -> None:
    decisions = [Tap(1, 1), Type("a"), Finish("It is done.")]
    phone.answers["count"] = "some"
    episode = play(script(*decisions), Task("Do it.", probes={"done": Count()}), phone=phone)
    assert episode.termination is Termination.SELF_REPORTED
    assert (episode.answer, episode.error) == ("It is done.", "")
    assert [step.action for step in episode.steps] == decisions
    assert [screen.texts for screen in episode.screens] == [("0",), ("1",), ("2",), ("2",)]
    assert phone.actions == [Tap(1, 1), Type("a")], "a report is not done on the phone"
    assert episode.initial_probe("done") == episode.probe("done") == "some"
    assert 0 <= episode.seconds_thinking + episode.seconds_acting <= episode.seconds


def test_an_agent_may_give_up(phone: FakePhone) -> None:
    episode = play(script(Impossible("no such app")), "Do it.", phone=phone)
    assert episode.termination is Termination.GAVE_UP
    assert episode.step_count == 0


@pytest.mark.parametrize(
    ("taps", "termination"),
    [(2, Termination.SELF_REPORTED), (3, Termination.SELF_REPORTED), (4, Termination.STEP_LIMIT)],
)
def test_an_agent_gets_its_steps_and_may_then_report(
    phone: FakePhone, taps: int, termination: Termination
) -> None:
    episode = play(script(*[Tap(1, 1)] * taps), "Do it.", phone=phone, step_limit=3)
    assert episode.termination is termination
    assert episode.step_count == len(phone.actions) == min(taps, 3)


def test_several_actions_are_one_step(phone: FakePhone) -> None:
    both = [Tap(1, 1), Tap(2, 2)]
    episode = play(script(both, Reply((Type("a"), Finish("b")))), "Do it.", phone=phone)
    assert [step.actions for step in episode.steps] == [tuple(both), (Type("a"), Finish("b"))]
    assert phone.actions == [*both, Type("a")]
    assert (episode.step_count, len(episode.actions), episode.answer) == (2, 3, "b")
    assert episode.termination is Termination.SELF_REPORTED


class Unread:
    """An object of the agent's own."""


UNDONE: dict[str, tuple[Any, str, int]] = {
    "nothing": ([], "no action could be made out of what you said", 0),
    "a point in words": (Tap("a", 1), "whole pixels", 0),  # type: ignore[arg-type]
    "a point that is no number": (Tap(float("nan"), 1), "whole pixels", 0),  # type: ignore[arg-type]
    "a point of thousands of digits": (Tap(10**9999, 1), "whole pixels", 0),
    "a point off the screen": (Tap(100, 1), "outside of the screen, which is 100x200", 0),
    "an endless wait": (Wait(float("inf")), "seconds have to be", 0),
    "an answer that is no text": (Finish(3), "text is needed", 0),  # type: ignore[arg-type]
    "a text that is an object": (Type(["a"]), "text is needed", 0),  # type: ignore[arg-type]
    "a place that is no pair": (Type("a", at=3), "pair of pixels", 0),  # type: ignore[arg-type]
    "a NUL": (Type("a\0b"), "cannot hold NUL", 0),
    "what a program did": (Raw("input tap 1 1"), "no action that a phone can do", 0),
    "a half": ([Tap(1, 1), Tap(100, 1), Tap(2, 2)], "action 2 of 3: Tap(x=100, y=1)", 1),
    "what follows a report": ([Finish("a"), Tap(1, 1)], "nothing can follow Finish", 0),
    "a huge text": (Type("\0" + "a" * 10**6), " … ", 0),
}


@pytest.mark.parametrize(("reply", "notice", "done"), UNDONE.values(), ids=UNDONE)
def test_what_cannot_be_done_is_a_step_with_a_notice(
    phone: FakePhone, tmp_path: Path, reply: Any, notice: str, done: int
) -> None:
    seen: list[str] = []
    each = iter([Reply(reply, "words"), Finish()])

    def step(_: Agent, observation: Observation) -> Any:
        seen.append(observation.notice)
        return next(each)

    episode = play(agent(step), "Do it.", phone=phone, folder=tmp_path)
    assert (episode.termination, episode.answer) == (Termination.SELF_REPORTED, "")
    assert episode.step_count == 1
    assert notice in episode.steps[0].notice
    assert seen == ["", episode.steps[0].notice]
    assert len(seen[1]) < 2000
    assert len(episode.actions) == len(phone.actions) == done
    assert episode.steps[0].said == "words"


def test_garbage_reaches_the_limit(phone: FakePhone) -> None:
    episode = play(agent(lambda *_: Reply([])), "Do it.", phone=phone, step_limit=3)
    assert episode.termination is Termination.STEP_LIMIT
    assert (episode.step_count, len(episode.actions)) == (3, 0)


def test_calls_of_a_decision_that_the_limit_forbids_are_kept(phone: FakePhone) -> None:
    call = ModelCall("gpt", price_usd=0.5)
    episode = play(
        agent(lambda *_: Reply(Tap(1, 1), calls=[call])), "Do it.", phone=phone, step_limit=2
    )
    assert [step.calls for step in episode.steps] == [(call,), (call,)]
    assert (episode.unused, episode.totals.price_usd) == ((call,), 1.5)


@pytest.mark.parametrize(
    ("user", "replies"),
    [
        (None, [None, NO_USER, None]),
        ("Blue.", [None, "Blue.", None]),
        ({"colour": "Blue.", "size": "L."}, [None, "Blue.", None]),
        ({"size": "L."}, [None, NO_USER, None]),
    ],
)
def test_a_question_gets_the_answer_that_the_task_has(
    phone: FakePhone, user: Any, replies: list[str | None]
) -> None:
    heard: list[str | None] = []
    each = iter([Ask("Which Colour?"), Tap(1, 1), Finish()])

    def step(_: Agent, observation: Observation) -> Any:
        heard.append(observation.reply)
        return next(each)

    episode = play(agent(step), Task("Buy a shirt.", user=user), phone=phone)
    assert heard == replies
    assert [step.reply for step in episode.steps] == [*replies[1:], None]
    assert phone.actions == [Tap(1, 1)]
    assert episode.step_count == 2


def test_what_an_agent_said_and_asked_is_kept(phone: FakePhone) -> None:
    call = ModelCall("gpt", input_tokens=10)
    replies = [Reply(Tap(1, 1), "Let me see.", [call]), Reply(Finish(), said=42)]  # type: ignore[arg-type]
    episode = play(script(*replies), "Do it.", phone=phone)
    assert [(step.said, step.calls) for step in episode.steps] == [
        ("Let me see.", (call,)),
        ("42", ()),
    ]


class Unprintable:
    __repr__ = __str__ = throw(RuntimeError("no words"))


class OwnTap(Tap):
    """An action of the agent's own."""


WRONG: dict[str, tuple[Any, str]] = {
    "nothing": (None, "None is not an action"),
    "a text": ("tap the button", "'tap the button' is not an action"),
    "a class": (Tap, "is not an action"),
    "a class of its own": (OwnTap(1, 1), "of type OwnTap"),
    "a reply of nothing": (Reply(None), "None is not an action"),  # type: ignore[arg-type]
    "a list of texts": ([Tap(1, 1), "back"], "'back' is not an action"),
    "a reply with a number of calls": (Reply(Finish(), "", 3), "list of ModelCalls, not 3"),  # type: ignore[arg-type]
    "a reply with other calls": (Reply(Finish(), "", [3]), "ModelCalls, not 3"),  # type: ignore[list-item]
    "what cannot be printed": (Unprintable(), "RuntimeError: no words"),
    "words that cannot be printed": (Reply(Finish(), Unprintable()), "RuntimeError: no words"),  # type: ignore[arg-type]
    "a text that cannot be printed": (Type(Unprintable()), "RuntimeError: no words"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("reply", "complaint"), WRONG.values(), ids=WRONG)
def test_an_agent_that_returns_no_action_is_at_fault(
    phone: FakePhone, reply: Any, complaint: str
) -> None:
    episode = play(script(Tap(1, 1), reply), "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    assert episode.error.startswith("the agent failed at step 2: ")
    assert complaint in episode.error
    assert [step.action for step in episode.steps] == [Tap(1, 1)] == phone.actions


class Integer:
    """A whole number as numpy has them."""

    def __index__(self) -> int:
        return 7


class OwnReply(Reply):
    """A reply of the agent's own."""


@pytest.mark.parametrize(
    ("reply", "action"),
    [(Tap(Integer(), 1), Tap(7, 1)), (OwnReply(Tap(1, 2)), Tap(1, 2)), ((Tap(1, 2),), Tap(1, 2))],  # type: ignore[arg-type]
)
def test_odd_but_clear_replies_are_taken(phone: FakePhone, reply: Any, action: Action) -> None:
    play(script(reply), "Do it.", phone=phone)
    assert phone.actions == [action]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no idea"),
        SystemExit("no idea"),
        KeyboardInterrupt("no idea"),
        RecursionError("no idea"),
        DeviceError("no idea"),
        TaskError("no idea"),
        AssertionError("no idea \ud83d"),
    ],
    ids=repr,
)
def test_an_agent_that_raises_is_at_fault(phone: FakePhone, error: BaseException) -> None:
    episode = play(agent(throw(error)), "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    told = episode.error.replace("pytest_mobileagent.errors.", "")
    assert f"the agent failed at step 1: it raised {type(error).__name__}: no idea" in told
    assert "in thrower" in episode.error, "the traceback is kept"


def test_a_long_error_is_cut_and_kept_whole_in_the_episodes_folder(
    phone: FakePhone, tmp_path: Path
) -> None:
    words = "x" * 10**6
    for number, step in enumerate([throw(ValueError(words)), lambda *_: words]):
        episode = play(agent(step), "Do it.", phone=phone, folder=tmp_path / str(number))
        assert len(episode.error) < 3000
        assert episode.folder is not None
        assert words in (episode.folder / "agent-error.txt").read_text()


@pytest.mark.parametrize("method", ["__init__", "start"])
def test_an_agent_that_does_not_start_is_at_fault(phone: FakePhone, method: str) -> None:
    closed: list[str] = []
    methods = {method: throw(RuntimeError("no model")), "close": lambda _: closed.append("closed")}
    episode = play(agent(tap, **methods), "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    assert "RuntimeError: no model" in episode.error
    assert closed == (["closed"] if method == "start" else [])


def test_what_is_no_agent_at_all_is_at_fault(phone: FakePhone) -> None:
    episode = play(lambda: None, "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR


def test_an_agent_with_a_loop_of_its_own_works_until_it_returns_the_answer(
    phone: FakePhone,
) -> None:
    class Loop(Agent):
        def run(self, briefing: Briefing, phone: Phone) -> Any:
            assert briefing.goal == "Count."
            assert phone.observe().screen.texts == ("0",)
            assert phone.act(Tap(1, 1), said="one").screen.texts == ("1",)
            assert phone.act([Tap(1, 1), Tap(1, 1)]).screen.texts == ("3",)
            assert phone.observe().screen.texts == ("3",)
            return 0

    episode = play(Loop, "Count.", phone=phone)
    assert (episode.termination, episode.answer) == (Termination.SELF_REPORTED, "0")
    assert [step.said for step in episode.steps] == ["one", "", ""]


def test_a_loop_that_goes_on_after_any_error_ends_at_the_limit(phone: FakePhone) -> None:
    closed = threading.Event()

    class Stubborn(Agent):
        def run(self, briefing: Briefing, phone: Phone) -> str:
            while True:
                try:  # noqa: SIM105 - as people write it
                    phone.act(Tap(1, 1))
                except Exception:  # noqa: BLE001
                    pass

        def close(self) -> None:
            closed.set()

    episode = play(Stubborn, "Do it.", phone=phone, step_limit=3)
    assert (episode.termination, episode.error) == (Termination.STEP_LIMIT, "")
    assert closed.is_set()


def test_after_the_end_a_loop_can_neither_see_nor_act(phone: FakePhone) -> None:
    raised: list[str] = []

    class Late(Agent):
        def run(self, briefing: Briefing, phone: Phone) -> str:
            asks: list[Callable[[], Observation]] = [
                lambda: phone.act(Finish("a")),
                lambda: phone.act(Tap(1, 1)),
                phone.observe,
            ]
            for ask in asks:
                try:
                    ask()
                except EpisodeOver:
                    raised.append("over")
            return "b"

    episode = play(Late, "Do it.", phone=phone)
    assert (raised, episode.answer, phone.actions) == (["over"] * 3, "a", [])


def test_an_agent_that_hangs_is_ended_and_closed_if_it_ever_comes_back(phone: FakePhone) -> None:
    for method in ("__init__", "start", "step"):
        release, closed = threading.Event(), threading.Event()

        def hang(*_: Any, event: threading.Event = release) -> None:
            event.wait(PATIENCE)

        methods: dict[str, Any] = {
            "step": tap,
            "close": lambda _, event=closed: event.set(),
            method: hang,
        }
        try:
            episode = play(agent(**methods), "Do it.", phone=phone, time_limit=0.1)
            assert episode.termination is Termination.TIME_LIMIT
            assert episode.error == "the agent failed at step 1: 0.1 seconds were over"
            assert not closed.is_set()
        finally:
            release.set()
        assert method == "__init__" or closed.wait(PATIENCE)


def test_an_agent_that_only_wastes_time_is_ended(phone: FakePhone) -> None:
    episode = play(agent(tap), "Do it.", phone=phone, time_limit=0.02, step_limit=1_000_000)
    assert episode.termination is Termination.TIME_LIMIT
    assert episode.step_count > 0


@pytest.mark.parametrize(
    ("step", "termination", "error"),
    [
        (
            lambda *_: Finish(),
            Termination.SELF_REPORTED,
            "the agent could not be closed: OSError: x",
        ),
        (tap, Termination.STEP_LIMIT, "the agent could not be closed: OSError: x"),
        (throw(ValueError("y")), Termination.AGENT_ERROR, "the agent failed at step 1: it raised"),
    ],
    ids=["reports", "taps", "raises"],
)
def test_how_an_agent_closes_changes_no_ending(
    phone: FakePhone, step: Any, termination: Termination, error: str
) -> None:
    episode = play(agent(step, close=throw(OSError("x"))), "Do it.", phone=phone, step_limit=3)
    assert episode.termination is termination
    assert episode.error.startswith(error)


def test_an_agent_that_hangs_while_it_closes_changes_no_ending(phone: FakePhone) -> None:
    release = threading.Event()
    hanging = agent(lambda *_: Finish(), close=lambda _: release.wait(PATIENCE))
    try:
        episode = play(hanging, "Do it.", phone=phone, time_limit=0.1)
    finally:
        release.set()
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.error == "the agent could not be closed: its time was over"


def test_a_broken_phone_is_not_the_agents_fault_however_the_agent_closes(
    phone: FakePhone, tmp_path: Path
) -> None:
    def break_down(phone: FakePhone, _: Action) -> None:
        if phone.actions:
            msg = "the phone fell into the water"
            raise DeviceError(msg)

    broken = FakePhone(phone.screens, react=break_down)
    with pytest.raises(DeviceError, match="fell into the water"):
        play(agent(tap, close=throw(OSError("x"))), "Do it.", phone=broken, folder=tmp_path)
    episode = load(tmp_path / "episodes" / "play.0")
    assert episode.termination is Termination.INTERRUPTED
    assert episode.step_count == 2


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("part", "content", "complaint"),
    [
        ("xml", "Killed", "fake shows no screen: not a view hierarchy"),
        ("png", b"Error", "fake shows no screen: the screenshot is not a PNG image"),
    ],
)
def test_a_screen_that_cannot_be_read_is_the_phones_fault(
    phone: FakePhone, place: int, part: str, content: Any, complaint: str
) -> None:
    object.__setattr__(phone.screens[place], part, content)
    with pytest.raises(DeviceError, match=rf"{complaint}.*\(step {place + 1}: .*\.png\)"):
        play(agent(tap), "Do it.", phone=phone)
