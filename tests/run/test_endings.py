"""How episodes end, and who is at fault."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Agent, EpisodeOver, Reply, Termination, load
from pytest_mobileagent.action import Finish, Type
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.testing import FakePhone, play
from tests.run.agents import agent, script, tap, throw

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Briefing, Observation, Phone


PATIENCE = 10.0


class Unprintable:
    __repr__ = __str__ = throw(RuntimeError("no words"))


class OwnTap(Tap):
    """An action class defined by the agent."""


WRONG: dict[str, tuple[Any, str]] = {
    "nothing": (None, "None is not an action"),
    "a text": ("tap the button", "'tap the button' is not an action"),
    "a class of its own": (OwnTap(1, 1), "of type OwnTap"),
    "a reply of nothing": (Reply(None), "None is not an action"),  # type: ignore[arg-type]
    "a list of texts": ([Tap(1, 1), "back"], "'back' is not an action"),
    "a reply with a number of calls": (Reply(Finish(), "", 3), "list of ModelCalls, not 3"),  # type: ignore[arg-type]
    "a reply with other calls": (Reply(Finish(), "", [3]), "ModelCalls, not 3"),  # type: ignore[list-item]
    "what cannot be printed": (Unprintable(), "RuntimeError: no words"),
    "a text that cannot be printed": (Type(Unprintable()), "RuntimeError: no words"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("reply", "complaint"), WRONG.values(), ids=WRONG)
def test_an_agent_that_returns_no_action_is_at_fault(phone, reply, complaint):
    episode = play(script(Tap(1, 1), reply), "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    assert episode.error.startswith("the agent failed at step 2: ")
    assert complaint in episode.error
    assert [step.action for step in episode.steps] == [Tap(1, 1)] == phone.actions


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no idea"),
        KeyboardInterrupt("no idea"),
        DeviceError("no idea"),
        AssertionError("no idea \ud83d"),
    ],
    ids=repr,
)
def test_an_agent_that_raises_is_at_fault(phone, error):
    episode = play(agent(throw(error)), "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    told = episode.error.replace("pytest_mobileagent.errors.", "")
    assert f"the agent failed at step 1: it raised {type(error).__name__}: no idea" in told
    assert "in thrower" in episode.error, "the traceback is kept"


def test_a_long_error_is_cut_and_kept_whole_in_the_episodes_folder(phone, tmp_path):
    words = "x" * 10**6
    for number, step in enumerate([throw(ValueError(words)), lambda *_: words]):
        episode = play(agent(step), "Do it.", phone=phone, folder=tmp_path / str(number))
        assert len(episode.error) < 3000
        assert episode.folder is not None
        assert words in (episode.folder / "agent-error.txt").read_text()


def test_an_error_of_any_length_takes_a_bounded_place(phone, tmp_path):
    short = "it is no use "  # words too short to be an encoded key, which would be decoded
    step = throw(ValueError(short * 800_000))
    episode = play(agent(step), "Do it.", phone=phone, folder=tmp_path / "e")
    sizes = [path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(sizes) < 9_000_000
    assert "characters are left out" in episode.error


@pytest.mark.parametrize("answer", ["x" * 200_000, "a\0b"])
def test_an_answer_that_cannot_be_taken_is_the_agents_failure(phone, answer):
    class Loop:
        def run(self, _: object, __: object) -> str:
            return answer

    episode = play(Loop, "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    assert "its answer cannot be accepted: the text of Finish" in episode.error.replace(
        "Finish(answer='a\\x00b'):", "the text of Finish"
    )


@pytest.mark.parametrize("method", ["__init__", "start"])
def test_an_agent_that_does_not_start_is_at_fault(phone, method):
    closed: list[str] = []
    methods = {method: throw(RuntimeError("no model")), "close": lambda _: closed.append("closed")}
    episode = play(agent(tap, **methods), "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR
    assert "RuntimeError: no model" in episode.error
    assert closed == (["closed"] if method == "start" else [])


def test_an_object_that_is_not_an_agent_is_at_fault(phone):
    episode = play(lambda: None, "Do it.", phone=phone)
    assert episode.termination is Termination.AGENT_ERROR


def test_an_agent_with_a_loop_of_its_own_works_until_it_returns_the_answer(phone):
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


def test_a_loop_that_catches_all_errors_ends_at_the_limit(phone):
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


def test_after_the_end_a_loop_can_neither_see_nor_act(phone):
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


def test_an_agent_that_hangs_is_ended_and_closed_if_it_ever_comes_back(phone):
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
            assert episode.error == "the agent failed at step 1: it exceeded 0.1 seconds"
            assert not closed.is_set()
        finally:
            release.set()
        assert method == "__init__" or closed.wait(PATIENCE)


def test_an_agent_that_only_wastes_time_is_ended(phone):
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
def test_closing_an_agent_does_not_change_the_ending(phone, step, termination, error):
    episode = play(agent(step, close=throw(OSError("x"))), "Do it.", phone=phone, step_limit=3)
    assert episode.termination is termination
    assert episode.error.startswith(error)


def test_an_agent_that_hangs_while_closing_does_not_change_the_ending(phone):
    release = threading.Event()
    hanging = agent(lambda *_: Finish(), close=lambda _: release.wait(PATIENCE))
    try:
        episode = play(hanging, "Do it.", phone=phone, time_limit=0.1)
    finally:
        release.set()
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.error == "the agent could not be closed in time"


def test_a_broken_phone_is_not_the_agents_fault_however_the_agent_closes(phone, tmp_path):
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
def test_a_screen_that_cannot_be_read_is_the_phones_fault(phone, place, part, content, complaint):
    object.__setattr__(phone.screens[place], part, content)
    with pytest.raises(DeviceError, match=rf"{complaint}.*\(step {place + 1}: .*play\.0\)"):
        play(agent(tap), "Do it.", phone=phone)
