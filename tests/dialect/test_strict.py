"""Tests of replies that `parse` accepts but the published code fails on (see docs/dialects.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.action.action import Finish, Key, LongPress, Swipe, Tap, Type
from pytest_mobileagent.dialect import (
    Aitw,
    AndroidArena,
    AndroidWorld,
    AppAgent,
    AppAgentReflection,
    AutoDroid,
    BMoca,
    CogAgent,
    MobileAgent,
    MobileAgentV2,
    MobileAgentV3,
    Odyssey,
    Qwen,
    SeeAct,
    UiTars,
)
from pytest_mobileagent.dialect.dialect import Decision, DialectError, Frame
from pytest_mobileagent.perception.marks import Mark, appagent_grid
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.dialect.dialect import Dialect

SIZE = (1080, 2400)
LIST = Frame(
    SIZE, marks={str(n): Mark(str(n), Bounds(0, 200 * n, 400, 200 * n + 100)) for n in range(1, 8)}
)
GRID = Frame(SIZE, marks={mark.label: mark for mark in appagent_grid(SIZE)})


def said(action: str) -> str:
    return f"Observation: A list.\nThought: I go on.\nAction: {action}\nSummary: I did it."


def fails(dialect: Dialect, words: str, frame: Frame) -> str:
    """Return how the original fails on words that it cannot read."""
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
def test_replies_that_crash_appagent_are_parsed_here(words: str) -> None:
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
def test_calls_that_crash_appagent_are_parsed_here(action: str, read: Action) -> None:
    assert AppAgent().parse(said(action), LIST).actions == (read,)
    assert fails(AppAgent(), said(action), LIST) == "crash"


@pytest.mark.parametrize(
    "words", ["", "Hm.", said("tap(9)"), said("swipe(1)"), said("back()"), said('tap(5, "top")')]
)
def test_a_reply_that_neither_reads_ends_appagents_run(words: str) -> None:
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
def test_texts_are_split_like_in_appagent(action: str, code: Action, here: Action) -> None:
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
def test_actions_of_appagents_code(action: str, read: Action) -> None:
    decision = AppAgent().parse_strictly(said(action), LIST)
    assert decision.actions == (read,)
    assert decision.said["summary"] == "I did it."


def test_grid_places_match_appagent() -> None:
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
    # Where the grid leaves a remainder at the edges, the code's grid differs from the drawn one.
    odd = Frame((1100, 2410), marks={mark.label: mark for mark in appagent_grid((1100, 2410))})
    assert code.parse(said('tap(1, "center")'), odd).actions == (Tap(60, 60),)
    assert code.parse_strictly(said('tap(1, "center")'), odd).actions == (Tap(61, 60),)


@pytest.mark.parametrize("decision", ["Back", "**BACK**", "BACK."])
def test_reflections_are_strict_like_in_appagents_exploration(decision: str) -> None:
    words = f"Decision: {decision}\nThought: It did.\nDocumentation: It opens."
    back = Decision((Key("back"),), {"thought": "It did.", "documentation": "It opens."}, "back")
    reflection = AppAgentReflection()
    assert reflection.parse(words, LIST) == back
    assert fails(reflection, words, LIST) == "crash"
    assert reflection.parse_strictly(words.replace(decision, "BACK"), LIST) == back


PLAIN = Frame(SIZE)
TENS = Frame(
    SIZE, marks={str(n): Mark(str(n), Bounds(0, 100 * n, 200, 100 * n + 80)) for n in range(10)}
)
LETTERS = Frame(SIZE, marks={each: Mark(each, Bounds(0, 0, 200, 80)) for each in "AB"})
NODES = Frame(SIZE, marks={each: Mark(each, Bounds(0, 0, 200, 80)) for each in ("n1", "n5cf0")})


def v3(action: str) -> str:
    return f"### Thought ###\na\n### Action ###\n{action}\n### Description ###\nb"


def parts(action: str) -> str:
    return f"Observation: a\nThought: b\nAction: {action}"


def aitw(kind: str, text: str = "") -> str:
    points = '"touch_point": "[-1.0, -1.0]", "lift_point": "[-1.0, -1.0]"'
    return f'Action Decision: "action_type": "{kind}", {points}, "typed_text": "{text}"'


AUTODROID = '{"Finished": "No", "id": 3, "action": "tap", "input_text": %s}'
CLICK = '{"action_type": "click", "index": 3}'
OWL = '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [500, 500]}}'
# Replies that `parse` reads, with the way in which the original fails on them.
LENIENT = [
    (AndroidWorld(), TENS, f"**Reason:** a\naction: {CLICK}", "no action"),
    (AndroidWorld(), TENS, 'Reason: a\nAction: {"action_type": "Click", "index": 3}', "no action"),
    (
        AndroidWorld(),
        TENS,
        'Reason: a\nAction: {"action_type": "scroll", "direction": "Up"}',
        "no action",
    ),
    (
        AndroidWorld(),
        TENS,
        'Reason: a\nAction: {"action_type": "input_text", "text": "a}b", "index": 3}',
        "no action",
    ),
    (SeeAct(), LETTERS, "**ELEMENT:** B\n**ACTION:** CLICK\n**VALUE:** None", "no action"),
    (SeeAct(), LETTERS, "ELEMENT: B\nACTION: click\nVALUE: None", "no action"),
    (SeeAct(), LETTERS, "ELEMENT: B)\nACTION: CLICK\nVALUE: None", "no action"),
    (AutoDroid(), TENS, AUTODROID % "null", "finish"),
    (AutoDroid(), TENS, f"```json\n{AUTODROID % '1'}\n```", "finish"),
    (AndroidArena(), NODES, "I tap. #click[n1]#", "no action"),
    (AndroidArena(), NODES, "<think>#a# is it</think> click [n1]", "no action"),
    (BMoca(), TENS, "- Thought: I tap it\n- Action: swipe(up)", "no action"),
    (BMoca(), TENS, "- Action: Tap(3)", "no action"),
    (BMoca(), TENS, "- Action: tap('3')", "no action"),
    (MobileAgent(), PLAIN, "**Observation:** a\nThought: b\naction: stop", "ask again"),
    (MobileAgent(), PLAIN, parts("type abc"), "crash"),
    (MobileAgentV2(), PLAIN, "### Action ###\nTap (5,6)\n### Operation ###\na", "crash"),
    (MobileAgentV2(), PLAIN, "### Action ###\nTap [5, 6]\n### Operation ###\na", "crash"),
    (MobileAgentV3(), PLAIN, v3('I do {"action": "click", "coordinate": [5, 6]}'), "no action"),
    (Aitw("digirl"), PLAIN, aitw("TYPE", "a, b"), "give up"),
    (Aitw("spa-bench"), PLAIN, aitw("STATUS_TASK_IMPOSSIBLE"), "give up"),
    (Aitw("spa-bench"), PLAIN, "action decision: " + aitw("PRESS_HOME")[17:], "give up"),
    (CogAgent(), PLAIN, "Grounded Operation: tap the button [[5,6]]", "no action"),
    (CogAgent(), PLAIN, "Grounded Operation:Press Home", "no action"),
    (Odyssey(), PLAIN, "PRESS_BACK", "no action"),
    (Odyssey(), PLAIN, "COMPLETE", "no action"),
    (Odyssey(), PLAIN, "LONG_PRESS: (1, 2)", "no action"),
    (Odyssey(), PLAIN, "CLICK: (1,2)", "no action"),
    (Qwen("gui-owl"), PLAIN, f"<tool_call>{OWL}</tool_call>", "crash"),
    (Qwen("3"), PLAIN, OWL, "crash"),
]


@pytest.mark.parametrize(("dialect", "frame", "words", "ends"), LENIENT)
def test_replies_read_here_that_fail_in_the_original(
    dialect: Dialect, frame: Frame, words: str, ends: str
) -> None:
    dialect.parse(words, frame)
    assert fails(dialect, words, frame) == ends


# Replies that both read, though not always with the same result.
READ = [
    (AndroidWorld(), TENS, f"Reason: a\nAction: ```json\n{CLICK}\n```", Tap(100, 340)),
    (
        SeeAct(),
        LETTERS,
        "ELEMENT: B\nACTION: INPUT TEXT\nVALUE: at 9:30",
        Type("at 9", at=(100, 40), enter=True),
    ),
    (AutoDroid(), TENS, AUTODROID.replace('"No"', '"not finished"') % '"a"', Finish()),
    (AutoDroid(), TENS, AUTODROID % '"a"', Key("back")),
    (AndroidArena(), NODES, "I tap. #click [n5cf0]#", Tap(100, 40)),
    (AndroidArena(), NODES, "#set_text [n1] [a b]#", Type("a b", at=(100, 40), clear=True)),
    (AndroidArena(), NODES, "#set_text [n1] [a [b] c]#", Type("a [b", at=(100, 40), clear=True)),
    (AndroidArena(), NODES, "#finish [42]#", Finish("42")),
    (BMoca(), TENS, '- Thought: I press tap(5) and swipe\n- Action: swipe("up")', Tap(100, 540)),
    (MobileAgent(), PLAIN, parts("click text (Bus stop)"), Finish()),
    (MobileAgent(), PLAIN, parts("type (a_b)"), Type("a\nb")),
    (MobileAgentV2(), PLAIN, "### Action ###\nTap (5, 6)\n### Operation ###\na", Tap(5, 6)),
    (MobileAgentV2(), PLAIN, "### Action ###\nType (a (b) c)", Type("b")),
    (
        MobileAgentV3(),
        PLAIN,
        v3('```json\n{"action": "click", "coordinate": [5, 6]}\n```'),
        Tap(5, 6),
    ),
    (MobileAgentV3(), PLAIN, v3('{"action": "long_press", "coordinate": [5, 6]}'), None),
    (MobileAgentV3(), PLAIN, v3('{"action": "system_button", "button": "Enter"}'), None),
    (Aitw("digirl"), PLAIN, aitw("TYPE", "abc"), Type("abc")),
    (Aitw("digirl"), PLAIN, aitw("STATUS_TASK_IMPOSSIBLE"), None),
    (CogAgent(), PLAIN, "Grounded Operation:tap it [[500,250,900,950]]", Tap(540, 600)),
    (CogAgent(), PLAIN, 'Grounded Operation:type it: "abc', Type("abc")),
    (CogAgent(), PLAIN, "Grounded Operation:task complete", Finish()),
    (Odyssey(), PLAIN, "CLICK: (500, 250)", Tap(540, 600)),
    (Odyssey(), PLAIN, "TYPE: at 9:30", Type("at 9")),
    (Qwen("gui-owl"), PLAIN, f"Action: a\n<tool_call>\n{OWL}\n</tool_call>", Tap(540, 1200)),
]


@pytest.mark.parametrize(("dialect", "frame", "words", "action"), READ)
def test_strict_parsing_matches_the_original(
    dialect: Dialect, frame: Frame, words: str, action: Action | None
) -> None:
    expected = () if action is None else (action,)
    assert dialect.parse_strictly(words, frame).actions == expected


@pytest.mark.parametrize(
    ("dialect", "frame", "words", "ends"),
    [
        (
            AndroidWorld(text_only=True),
            TENS,
            'Reason: a\nAction: {"action_type": "click"}',
            "crash",
        ),
        (AndroidWorld(), TENS, 'Reason: a\nAction: {"action_type": "click"}', "no action"),
        (AutoDroid(), TENS, "{'id': 3}", "no action"),
        (AutoDroid(), TENS, "{'Finished': 1, 'id': 3}", "no action"),
        (AutoDroid(), TENS, "Hm.", "finish"),
        (AndroidArena(), NODES, "", "crash"),
        (AndroidArena(), NODES, "#set_text#", "crash"),
        (AndroidArena(), NODES, "#fly#", "no action"),
        (MobileAgent(), PLAIN, "Hm.", "ask again"),
        (MobileAgent(), PLAIN, parts("click icon (red)"), "crash"),
        (MobileAgentV2(), PLAIN, "### Action ###\nTap (9999, 1)", "no action"),
        (Qwen("gui-owl"), PLAIN, "<tool_call>\n{", "crash"),
        (Qwen("gui-owl"), PLAIN, "", "crash"),
    ],
)
def test_originals_end_in_their_own_way(
    dialect: Dialect, frame: Frame, words: str, ends: str
) -> None:
    assert fails(dialect, words, frame) == ends


@pytest.mark.parametrize(
    ("dialect", "words"),
    [
        (UiTars("1.5"), "Action: click(point='<point>5 6</point>')"),
        (Aitw("auto-ui"), aitw("TYPE", "a, b")),
        (CogAgent("9b"), "Grounded Operation: CLICK(box=[[1,2,3,4]])"),
        (AppAgent(functions="mobile-bench-v2"), said('text("a (b) c")')),
    ],
)
def test_dialects_without_a_program_are_always_strict(dialect: Dialect, words: str) -> None:
    assert dialect.parse_strictly(words, PLAIN) == dialect.parse(words, PLAIN)
