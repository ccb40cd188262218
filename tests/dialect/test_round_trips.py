"""Every dialect reads what it prints: its actions in each variant, with named parts and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.action import Ask, Finish, Impossible, Key, KeyName, Open, Type, Wait
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.dialect import (
    A3,
    AgentCpm,
    Aitw,
    Aitz,
    AndroidArena,
    AndroidControl,
    AndroidWorld,
    AnthropicComputerUse,
    AppAgent,
    AppAgentReflection,
    AutoDroid,
    AutoGlm,
    BMoca,
    BMocaGesture,
    CogAgent,
    Decision,
    DialectError,
    Frame,
    GelabZero,
    GeminiComputerUse,
    MobileAgent,
    MobileAgentV2,
    MobileAgentV3,
    MobileBenchV2,
    Odyssey,
    OpenAiComputerUse,
    OsAtlas,
    Qwen,
    SeeAct,
    UiTars,
    UiVenus,
    dialects,
)
from pytest_mobileagent.dialect.anthropic_computer_use import Version
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds, Element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.dialect import Dialect

    Actions = st.SearchStrategy[Any]
    Decisions = st.SearchStrategy[Decision]

# In pictures whose sides are multiples of 28, UI-TARS and Qwen can express every pixel.
SMALL = Frame((560, 840))


def marked(boxes: dict[str, tuple[int, int, int, int]], **classes: str) -> Frame:
    """Return the small frame with marks; those of a class have elements."""
    marks = {}
    for label, box in boxes.items():
        kind, bounds = classes.get(f"_{label}"), Bounds(*box)
        marks[label] = Mark(label, bounds, Element(kind, bounds=bounds) if kind else None)
    return Frame(SMALL.size, marks=marks)


NUMBERED = marked({"0": (0, 0, 560, 840), "1": (0, 0, 100, 100), "12": (100, 400, 300, 600)})
LETTERS = marked({"A": (0, 0, 560, 840), "B": (100, 400, 300, 600), "AA": (0, 0, 20, 20)})
NODES = marked({"n5cf0": (0, 0, 100, 100), "n1a2b": (0, 100, 400, 200)})
KINDS = marked({"c5": (100, 100, 300, 300), "c6": (0, 0, 400, 400), "s21": (0, 400, 400, 800)})
PAGE = marked(
    {"0": (0, 0, 100, 100), "1": (0, 100, 400, 200), "2": (0, 0, 560, 840)},
    _0="android.widget.Button",
    _1="android.widget.EditText",
)

X, Y = st.integers(0, 559), st.integers(0, 839)
NOWHERE, AT = st.none(), st.tuples(X, Y)
ANYWHERE = NOWHERE | AT
TAP, DOUBLE_TAP, LONG_PRESS = (st.builds(kind, X, Y) for kind in (Tap, DoubleTap, LongPress))
SWIPE = st.builds(Swipe, X, Y, X, Y)
WAYS = st.sampled_from(get_args(Direction))
SCROLL = st.builds(Scroll, WAYS)
KEY = st.builds(Key, st.sampled_from(get_args(KeyName)))
SECONDS, SOME_SECONDS = st.floats(0, 60), st.floats(0.1, 60)
MILLISECONDS = st.integers(201, 60_000).map(lambda each: each / 1000)
ENDS = st.sampled_from([Finish(), Impossible()])
TEXT, SOME = st.text(), st.text(min_size=1)
UTF_8 = st.text(st.characters(codec="utf-8"))
LINE = UTF_8.filter(lambda text: len((text + ".").splitlines()) == 1)
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="<>“”\"'"), max_size=20)
WORD = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters='<"'))
SPOKEN = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"], exclude_characters="\"'”"))
VALUE = st.text(st.characters(codec="utf-8", exclude_characters="\r\n."), min_size=1).filter(
    lambda text: text == text.strip()
)
THOUGHT = st.text("abc ,.(')\n").map(str.strip)
SAID = st.text("abc ,.'\"").map(str.strip)
FIELD = st.text("abc ,.(')：😀value1?").map(str.strip)
ODD = st.text("ab 微信'\"\\\n", min_size=1)
BRACKETS = st.text("ab [N/A]é", max_size=15)


def keys(*names: KeyName) -> Actions:
    return st.sampled_from([*map(Key, names)])


def swipes(seconds: float) -> Actions:
    return st.builds(Swipe, X, Y, X, Y, st.just(seconds))


def of(text: Actions, *kinds: Any) -> Actions:
    """Return actions of several kinds that consist of a text."""
    return st.one_of([text.map(kind) for kind in kinds])


def typing(text: Actions, at: Actions = NOWHERE, **flags: Any) -> Actions:
    return st.builds(Type, text, at, **flags)


def either(*words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(["", *words])


def one(*actions: Actions, **said: st.SearchStrategy[str]) -> Decisions:
    """Return decisions of one action, with named parts unless these are empty."""

    def made(action: Action, parts: dict[str, str]) -> Decision:
        return Decision((action,), {name: text for name, text in parts.items() if text})

    return st.builds(made, st.one_of(actions), st.fixed_dictionaries(said))


def several(
    *actions: Actions, signals: Sequence[str] = (), least: int = 0, **said: Any
) -> Decisions:
    """Return decisions of several actions with one signal or none, and named parts or none."""
    chosen = st.lists(st.one_of(actions), min_size=least, max_size=3).map(tuple)
    parts: st.SearchStrategy[Any] = st.just({}) | st.fixed_dictionaries(said)
    return st.builds(Decision, chosen, parts, either(*signals))


def with_status(action: Action, status: str, thought: str) -> Decision:
    """Return AgentCPM's decision, whose status may end the episode as well."""
    ends = {"finish": Finish(), "impossible": Impossible(thought), "need_feedback": Ask(thought)}
    more = (ends[status],) if status else ()
    return Decision((action, *more), {"thought": thought} if thought else {})


def on_mark(label: str, way: Direction, text: str, kind: int) -> Decision:
    """Return SeeAct's decision on a mark."""
    at = LETTERS.marks[label].bounds.center
    actions: list[Action] = [
        Tap(*at),
        LongPress(*at),
        Type(text, at=at, enter=True),
        Scroll(way, at),
    ]
    return Decision((actions[kind],), {"element": label})


SPOKEN_ENDS = of(TEXT, Open, Ask, Finish, Impossible)
NO_BREAK = TEXT.filter(lambda text: not text.endswith(("\n", "\\n")))
COMPUTER = TAP | DOUBLE_TAP | LONG_PRESS | SWIPE | KEY | SPOKEN_ENDS
COMPUTER |= typing(NO_BREAK, enter=st.booleans())
WHEEL = st.builds(Scroll, WAYS, AT) | SECONDS.map(Wait)
GEMINI = TAP | SWIPE | KEY | st.builds(LongPress, X, Y, SECONDS) | SPOKEN_ENDS
QWEN = TAP | KEY | st.builds(LongPress, X, Y, SOME_SECONDS) | SOME_SECONDS.map(Wait)
QWEN |= of(TEXT, Type, Open, Ask, Finish) | st.just(Impossible())
VENUS = TAP | st.builds(LongPress, X, Y, st.just(0.5)) | swipes(1.0) | SOME.map(Open)
VENUS |= typing(TEXT, clear=st.just(True)) | st.just(Wait(1.0)) | TEXT.map(Finish)
VENUS |= keys("back", "home", "enter", "overview")
FAR = st.builds(Swipe, X, st.integers(0, 750), X, st.integers(0, 750)).filter(
    lambda swipe: abs(swipe.x1 - swipe.x2) > 100 or abs(swipe.y1 - swipe.y2) > 100
)
APPAGENT_PARTS = dict.fromkeys(("observation", "thought", "summary"), st.just("so"))

# The variants of a dialect, a frame, and decisions that they all express in it.
# fmt: off
ROUND_TRIPS: list[tuple[Sequence[Dialect], Frame, Decisions]] = [
    ([A3()], SMALL, one(
        TAP, DOUBLE_TAP, st.builds(LongPress, X, Y, MILLISECONDS), keys("enter", "home", "back"),
        st.builds(Swipe, X, Y, X, Y, MILLISECONDS), typing(UTF_8, clear=st.just(True)),
        UTF_8.filter(bool).map(Open), SECONDS.map(Wait), UTF_8.map(Finish),
    )),
    ([A3("paper")], SMALL, one(
        TAP, LONG_PRESS, SWIPE, SCROLL, keys("enter", "home", "back"), SECONDS.map(Wait),
        typing(LINE.filter(bool), clear=st.just(True)), LINE.filter(bool).map(Open),
        of(LINE, Finish, Impossible), thought=st.just("It is next."),
    )),
    ([A3("paper")], NUMBERED, one(
        st.builds(Scroll, WAYS, st.sampled_from([(50, 50), (200, 500)])),
    )),
    ([AgentCpm()], SMALL, st.just(Decision()) | st.builds(
        with_status,
        st.one_of(
            TAP, st.builds(LongPress, X, Y, MILLISECONDS), MILLISECONDS.map(Wait),
            st.builds(Swipe, X, Y, X, Y, MILLISECONDS), st.builds(Scroll, WAYS, AT),
            typing(TEXT, clear=st.booleans()), keys("back", "home", "enter", "overview"),
        ),
        either("finish", "impossible", "need_feedback"),
        TEXT.filter(lambda text: not text.startswith("interrupted")),
    )),
    ([Aitw()], SMALL, one(
        TAP, st.builds(lambda x, y: Swipe(x, y, 559 - x, (y + 420) % 840), X, Y), ENDS,
        PLAIN.filter(lambda text: text == text.strip() and "Action" not in text).map(Type),
        keys("back", "home", "enter"), plan=either("DUAL_POINT,TYPE"),
    )),
    *(
        ([aitz], NUMBERED, one(
            taps, PLAIN.map(Type), SCROLL, keys("back", "home", "enter"), ENDS,
            thought=either("Open {it}."), next=either("scroll"),
        ))
        for aitz, taps in ((Aitz("text"), TAP), (Aitz("marks"), st.just(Tap(200, 500))))
    ),
    ([AndroidArena()], NODES, one(
        st.sampled_from([Tap(50, 50), LongPress(200, 150), Impossible("N/A"), Finish()]), SCROLL,
        keys("back", "enter", "overview"), BRACKETS.map(Open),
        BRACKETS.filter(lambda text: text != "N/A").map(Finish),
        typing(BRACKETS, st.just((200, 150)), clear=st.just(True)), thought=either("I go on."),
    )),
    ([AndroidControl()], SMALL, one(
        TAP, LONG_PRESS, PLAIN.map(Type), typing(PLAIN, AT, enter=st.just(True)), PLAIN.map(Open),
        SCROLL, keys("back", "home"), st.just(Wait()),
    )),
    ([AndroidControl("mobile_use")], SMALL, one(
        TAP, st.builds(LongPress, X, Y, SECONDS), SWIPE, SECONDS.map(Wait),
        of(PLAIN, Type, Open, Finish), keys("back", "home", "enter", "overview"),
        st.just(Impossible()),
    )),
    ([AndroidWorld()], SMALL, one(
        TAP, DOUBLE_TAP, LONG_PRESS, st.builds(Scroll, WAYS, ANYWHERE),
        keys("enter", "home", "back"),
        typing(UTF_8.filter(bool), ANYWHERE, clear=st.booleans(), enter=st.just(True)),
        UTF_8.filter(bool).map(Open), UTF_8.map(Finish), st.sampled_from([Wait(), Impossible()]),
        reason=st.just("so"),
    )),
    ([AnthropicComputerUse("20241022")], SMALL, several(COMPUTER, signals=["screenshot"])),
    *(
        ([AnthropicComputerUse(version)], SMALL, several(COMPUTER, WHEEL, signals=["screenshot"]))
        for version in get_args(Version)[1:]
    ),
    ([AppAgent()], NUMBERED, one(
        st.sampled_from([Tap(50, 50), Tap(200, 500), LongPress(200, 500), Finish()]),
        SPOKEN.map(Type), **APPAGENT_PARTS,
    )),
    ([AppAgentReflection()], SMALL, st.sampled_from([
        Decision((Key("back"),), {"thought": "t", "documentation": "d"}, "back"),
        Decision((), {"thought": "t", "documentation": "d"}, "success"),
        Decision((), {"thought": "t", "documentation": "d"}, "continue"),
        Decision((), {"thought": "t"}, "ineffective"),
    ])),
    ([AutoDroid()], PAGE, one(
        st.sampled_from([Tap(50, 50), Key("back"), Finish()]),
        typing(TEXT.filter(lambda text: text != "N/A"), st.just((200, 150)), clear=st.just(True)),
        steps=TEXT, analyses=TEXT, next_step=TEXT,
    )),
    ([AutoGlm()], SMALL, one(
        TAP, DOUBLE_TAP, st.builds(LongPress, X, Y, st.just(3.0)), SOME_SECONDS.map(Wait),
        typing(TEXT.filter(lambda text: "<" not in text), clear=st.just(True)), of(ODD, Open, Ask),
        TEXT.filter(lambda text: "<" not in text).map(Finish), keys("back", "home"), thinking=SAID,
    )),
    ([AutoGlm()], SMALL, st.sampled_from([
        Decision((), {"message": "True"}, "note"),
        Decision((), {"instruction": "sum up"}, "call_api"),
        Decision((Tap(5, 6),), {"thinking": "a", "message": "it's paid"}),
        Decision((Ask(""),)),
    ])),
    *(
        ([BMoca()], frame, one(
            TAP, FAR, SCROLL, keys("home", "back", "overview"), st.just(Tap(200, 500)),
            description=st.just("A home screen."), thought=st.just("I open the app."),
        ))
        for frame in (SMALL, NUMBERED)
    ),
    ([BMocaGesture(), BMocaGesture(low=0.0)], SMALL, one(  # the buttons are below
        st.builds(Tap, X, st.integers(0, 750)), FAR, keys("home", "back", "overview"),
    )),
    ([CogAgent()], SMALL, one(
        TAP, PLAIN.map(Type), keys("back", "home", "enter"), ENDS,
        st.sampled_from([Swipe(280, 420, 280, 168, 0.5), Swipe(112, 420, 448, 420, 0.5)]),
        plan=either("1. Go.\n2. Stop."), action=either("Go."),
    )),
    ([CogAgent("9b")], SMALL, one(
        TAP, LONG_PRESS, DOUBLE_TAP, typing(PLAIN, ANYWHERE), st.builds(Scroll, WAYS, ANYWHERE),
        keys("back", "home", "enter", "overview", "delete", "tab", "escape", "menu"),
        st.sampled_from([Open("Clock"), Open("it's"), Finish(), Type("a\\'b\n\\"), Type("')")]),
        status=either("Here."), action=either("Go."), sensitivity=either("敏感操作"),
    )),
    ([GelabZero()], SMALL, one(
        TAP, st.builds(LongPress, X, Y, st.just(1.5)), swipes(1.5), typing(FIELD, ANYWHERE),
        SOME_SECONDS.map(Wait), FIELD.filter(bool).map(Open), of(FIELD, Ask, Finish, Impossible),
        thought=THOUGHT, explain=FIELD, summary=FIELD,
    )),
    ([GeminiComputerUse()], SMALL, several(
        GEMINI, typing(TEXT, enter=st.booleans()), SECONDS.map(Wait),
        signals=["screenshot", "list_apps"],
    )),
    ([GeminiComputerUse("browser")], SMALL, several(
        GEMINI, typing(TEXT, AT, clear=st.booleans(), enter=st.booleans()),
        st.builds(Scroll, WAYS, ANYWHERE), st.just(Wait(5.0)),
    )),
    ([MobileAgent()], SMALL, one(
        st.sampled_from([Swipe(280, 420, 280, to, 0.5) for to in (210, 630)]), st.just(Finish()),
        keys("back", "home"), st.text("ab (Wi-Fi)_.é", min_size=1, max_size=20).map(Type),
        observation=st.just("o"), thought=st.just("t"),
    )),
    ([MobileAgent()], SMALL, st.sampled_from([
        Decision((), {"action": "open App (Clock)", "name": "Clock"}, "open app"),
        Decision((), {"action": "click text (a (b))", "text": "a (b)"}, "click text"),
        Decision((), {"action": "click icon (X, top)", "icon": "X", "place": "top"}, "click icon"),
        Decision((), {"action": "fly"}, "unknown"),
    ])),
    *(
        ([MobileAgentV2()], frame, one(
            TAP, swipes(0.5), st.text("ab (Tap)_.é", min_size=1, max_size=20).map(Type),
            keys("back", "home"), st.just(Finish()), thought=st.just("t"),
        ))
        for frame in (SMALL, Frame(SMALL.size, shown=(1120, 1680)))
    ),
    ([MobileAgentV3("abs"), MobileAgentV3("0-1000")], SMALL, one(
        TAP, st.builds(LongPress, X, Y, SECONDS), swipes(0.5), of(UTF_8, Type, Open, Finish),
        SECONDS.map(Wait), keys("enter", "home", "back", "overview"), st.just(Impossible()),
        thought=st.just("so"), description=st.just("I do it"),
    )),
    ([MobileBenchV2()], KINDS, one(
        st.just(Tap(200, 200)), st.builds(Scroll, WAYS, st.just((200, 600))), WORD.map(Type),
        st.just(Finish()), observation=either("A list."), summary=either("Tapped."),
    )),
    ([Odyssey()], SMALL, one(
        TAP, LONG_PRESS, WORD.map(Type), SCROLL, keys("back", "home", "enter", "overview"), ENDS,
    )),
    ([OpenAiComputerUse()], SMALL, several(COMPUTER, WHEEL, signals=["screenshot"])),
    ([OsAtlas("finger"), OsAtlas("content")], SMALL, one(
        TAP, LONG_PRESS, PLAIN.filter(lambda text: "action" not in text.lower()).map(Type), SCROLL,
        keys("back", "home", "enter", "overview"), ENDS,
        st.sampled_from([Wait(), Open("Google Chrome")]),
        thought=either("Open the app.\nThen stop."),
    )),
    ([Qwen("2.5"), Qwen("3"), Qwen("gui-owl")], SMALL, one(QWEN, SWIPE, thought=SAID, action=SAID)),
    ([Qwen("mai-ui")], SMALL, one(
        QWEN, DOUBLE_TAP, swipes(1.0), st.builds(Scroll, WAYS, ANYWHERE), thought=SAID,
    )),
    ([SeeAct()], LETTERS, one(
        SCROLL, VALUE.map(Open), (VALUE | st.just("")).map(Finish), keys("enter", "home", "back"),
        st.just(Wait()),
    )),
    ([SeeAct()], LETTERS, st.builds(
        on_mark, st.sampled_from([*LETTERS.marks]), WAYS, VALUE, st.integers(0, 3)
    )),
    ([UiTars("1"), UiTars("1.5"), UiTars("doubao")], SMALL, several(
        TAP, DOUBLE_TAP, st.builds(LongPress, X, Y, SOME_SECONDS), SWIPE, KEY, SOME.map(Open),
        st.builds(Scroll, WAYS, ANYWHERE), typing(NO_BREAK, enter=st.booleans()),
        SOME_SECONDS.map(Wait), TEXT.map(Finish), SOME.map(Ask),
        least=1, thought=THOUGHT.filter(bool),
    )),
    ([UiVenus("1.5")], SMALL, one(VENUS, thought=THOUGHT, conclusion=THOUGHT)),
    ([UiVenus()], SMALL, one(VENUS, DOUBLE_TAP, TEXT.map(Ask), thought=THOUGHT)),
]
# fmt: on
# Parts that are read in every reply. These dialects, and one more, cannot express some texts:
# those without words, with outer spaces, or with unbalanced parentheses.
ADDED = {"mobileagent": {"observation", "thought", "action"}}
ADDED["mobileagent_v2"] = {"action", "operation"}
REFUSING = {"androidarena", *ADDED}


def test_every_dialect_reads_what_it_prints():
    tested = {each.name for variants, _, _ in ROUND_TRIPS for each in variants}
    assert tested == set(dialects()) - {"bmoca_discrete"}  # whose numbers are tested one by one


@pytest.mark.parametrize(
    ("variants", "frame", "decisions"),
    ROUND_TRIPS,
    ids=[f"{row[0][0].name}-{number}" for number, row in enumerate(ROUND_TRIPS)],
)
@settings(deadline=None)
@given(data=st.data())
def test_printed_decisions_are_read_back(variants, frame, decisions, data):
    decision = data.draw(decisions)
    for dialect in variants:
        try:
            words = dialect.print(decision, frame)
        except DialectError:
            assert dialect.name in REFUSING
            continue
        read = dialect.parse(words, frame)
        assert (read.actions, read.signal) == (decision.actions, decision.signal)
        assert {**read.said, **decision.said} == read.said
        assert read.said.keys() - decision.said.keys() <= ADDED.get(dialect.name, set())
