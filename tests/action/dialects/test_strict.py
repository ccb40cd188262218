"""What the published code fails on, and `parse` reads: dialect by dialect, as docs/dialects.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.action.action import Finish, Key, LongPress, Swipe, Tap, Type
from pytest_mobileagent.action.dialects import AppAgent, AppAgentReflection
from pytest_mobileagent.action.dialects.dialect import Decision, DialectError, Frame
from pytest_mobileagent.screen.element import Bounds
from pytest_mobileagent.screen.marks import Mark, appagent_grid

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.action.dialects.dialect import Dialect

SIZE = (1080, 2400)
LIST = Frame(
    SIZE, marks={str(n): Mark(str(n), Bounds(0, 200 * n, 400, 200 * n + 100)) for n in range(1, 8)}
)
GRID = Frame(SIZE, marks={mark.label: mark for mark in appagent_grid(SIZE)})


def said(action: str) -> str:
    return f"Observation: A list.\nThought: I go on.\nAction: {action}\nSummary: I did it."


def fails(dialect: Dialect, words: str, frame: Frame) -> str:
    """Return what the original does over words on which it fails."""
    with pytest.raises(DialectError) as raised:
        dialect.parse_strictly(words, frame)
    assert raised.value.words == words
    return raised.value.on_error or dialect.on_error


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("Observation: a\nThought: b\nAction:tap(5)\nSummary: c", id="no space"),
        pytest.param("observation: a\nthought: b\naction: tap(5)\nsummary: c", id="case of a name"),
        pytest.param(
            "**Observation:** a\n**Thought:** b\n**Action:** tap(5)\n**Summary:** c", id="markup"
        ),
        pytest.param("Observation：a\nThought：b\nAction：tap(5)\nSummary：c", id="wide colon"),
        pytest.param("Observation: a\nThought: b\nAction:\ntap(5)\nSummary: c", id="next line"),
        pytest.param(said('"tap(5)"'), id="quotes around"),
        pytest.param(said("`tap(5)`"), id="code around"),
        pytest.param(said("I tap it: tap(5)"), id="words before"),
        pytest.param(said("Tap(5)"), id="case of a function"),
        pytest.param(said("tap (5)"), id="space before parenthesis"),
        pytest.param(said("tap(5"), id="no end"),
        pytest.param(said("click(5)"), id="another name"),
        pytest.param(said('tap("5")'), id="number in quotes"),
        pytest.param(said("tap(element=5)"), id="argument with a name"),
        pytest.param(said("tap(element 5)"), id="word before a number"),
    ],
)
def test_appagents_run_ends_over_what_is_read_here(words: str) -> None:
    assert AppAgent().parse(words, LIST).actions == (Tap(200, 1050),)
    assert fails(AppAgent(), words, LIST) == "crash"


@pytest.mark.parametrize(
    ("action", "read"),
    [
        ("swipe(2, up, short)", Swipe(200, 450, 200, 234, 0.4)),
        ('swipe(2, "Up", "short")', Swipe(200, 450, 200, 234, 0.4)),
        ('text("oat milk', Type("oat milk")),
        ("Finish.", Finish()),
        ("<think>tap?</think>tap(5)", Tap(200, 1050)),
    ],
)
def test_appagents_run_ends_over_this_too(action: str, read: Action) -> None:
    assert AppAgent().parse(said(action), LIST).actions == (read,)
    assert fails(AppAgent(), said(action), LIST) == "crash"


@pytest.mark.parametrize(
    "words", ["", "Hm.", said("tap(9)"), said("swipe(1)"), said("back()"), said('tap(5, "top")')]
)
def test_what_neither_reads_ends_appagents_run(words: str) -> None:
    with pytest.raises(DialectError):
        AppAgent().parse(words, LIST)
    assert fails(AppAgent(), words, LIST) == "crash"


@pytest.mark.parametrize(
    ("action", "code", "here"),
    [
        ('text("a (b) c")', Type("a ("), Type("a (b) c")),
        ("text(milk)", Type("il"), Type("milk")),
        ('text("Tom\'s")', Type("Toms"), Type("Tom's")),
        ('text("FINISH it")', Finish(), Type("FINISH it")),
    ],
)
def test_appagents_code_takes_texts_apart(action: str, code: Action, here: Action) -> None:
    assert AppAgent().parse(said(action), LIST).actions == (here,)
    assert AppAgent().parse_strictly(said(action), LIST).actions == (code,)


@pytest.mark.parametrize(
    ("action", "read"),
    [
        ("tap(5)", Tap(200, 1050)),
        ("long_press( 2 )", LongPress(200, 450)),
        ('swipe(2, "up", "far")', Swipe(200, 450, 200, 234, 0.4)),
        ("tap(0)", Tap(200, 1450)),  # the last element
        ("tap(-1)", Tap(200, 1250)),
        ("It is done: FINISH", Finish()),
    ],
)
def test_what_appagents_code_does(action: str, read: Action) -> None:
    decision = AppAgent().parse_strictly(said(action), LIST)
    assert decision.actions == (read,)
    assert decision.said["summary"] == "I did it."


def test_appagents_grid_as_its_code_has_it() -> None:
    code = AppAgent(grid=True)
    tapped = code.parse_strictly(said('tap(11, "top-left")'), GRID)
    assert tapped.actions == (Tap(150, 150),)
    swiped = code.parse_strictly(said('swipe(11, "center", 20, "center")'), GRID)
    assert swiped.actions == (Swipe(180, 180, 180, 300, 0.4),)
    beside = code.parse_strictly(said('tap(999, "center")'), GRID)
    assert beside.actions == ()
    assert code.parse_strictly(said("grid()"), GRID).signal == "grid"
    assert fails(code, said('text("a")'), GRID) == "crash"
    assert fails(code, said("tap(5)"), GRID) == "crash"
    assert fails(AppAgent(offers_grid=False), said("grid()"), LIST) == "crash"
    # Its grid is not quite the one it draws, where that leaves something over at the edges.
    odd = Frame((1100, 2410), marks={mark.label: mark for mark in appagent_grid((1100, 2410))})
    assert code.parse(said('tap(1, "center")'), odd).actions == (Tap(60, 60),)
    assert code.parse_strictly(said('tap(1, "center")'), odd).actions == (Tap(61, 60),)


@pytest.mark.parametrize("decision", ["Back", "**BACK**", "BACK."])
def test_a_decision_of_appagents_exploration_is_read_to_the_letter(decision: str) -> None:
    words = f"Decision: {decision}\nThought: It did.\nDocumentation: It opens."
    back = Decision((Key("back"),), {"thought": "It did.", "documentation": "It opens."}, "back")
    reflection = AppAgentReflection()
    assert reflection.parse(words, LIST) == back
    assert fails(reflection, words, LIST) == "crash"
    assert reflection.parse_strictly(words.replace(decision, "BACK"), LIST) == back
