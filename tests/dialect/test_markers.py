"""Markers around replies are taken off in every dialect, and texts to type keep theirs."""

from __future__ import annotations

import itertools

import pytest

from pytest_mobileagent import Action, Finish, Frame, LongPress, Tap, Type
from pytest_mobileagent.dialect import (
    AutoGlm,
    Decision,
    Dialect,
    DialectError,
    Odyssey,
    Qwen,
    SeeAct,
    UiTars,
    dialects,
)
from pytest_mobileagent.dialect.parts import without_markers
from pytest_mobileagent.perception.marks import Mark
from pytest_mobileagent.screen.element import Bounds

LABELS = ("1", "2", "A", "B", "c1", "s2", "n1a2b")
MARKS = {
    label: Mark(label, Bounds(0, 200 * at, 1080, 200 * at + 200)) for at, label in enumerate(LABELS)
}
FRAME = Frame((1080, 2400), marks=MARKS)
ACTIONS: list[Action] = [
    *(Tap(540, 200 * at + 100) for at in range(len(LABELS))),
    Type("oat milk"),
    Type("oat milk", clear=True),
    Type("oat milk", enter=True),
    Finish("It is open."),
    Finish(),
]
THOUGHT = 'I could TYPE: no, or tap(2), or do(action="Back")'
BEFORE = [
    "",
    "<|begin_of_box|>",
    "<|im_start|>assistant\n",
    "<s> ",
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<start_of_turn>model\n",
    "[gMASK]<sop>",
    f"<think>\n{THOUGHT}\n</think>\n",
    f"{THOUGHT}</think>\n\n",
    f"◁think▷{THOUGHT}◁/think▷\n",
    f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>",
]
AFTER = [
    "<|end_of_box|>",
    "<|im_end|>\n",
    "<|endoftext|>",
    "</s>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<eos>",
    "<end_of_turn>",
    "<|user|>",
    "<|observation|>",
    "[/INST]",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "[EOS]",
    "[|endofturn|]",
    "<seed:eos>",
    "<unused12>",
    "<|im_end|><|endoftext|> </s>",
    "<|im_end|>\n<|im_start|>user\ntap(2)",
    "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\ntap(2)",
    "\n<|observation|>tap(2)",
]
WRAPPED = [
    *((before, "<|end_of_box|>" if "box" in before else "") for before in BEFORE[1:]),
    *(("", after) for after in AFTER),
    ("```\n", "\n```"),
    ("```json\n", "\n```<|im_end|>"),
]


# A reflection has no action.
SPOKEN = [make() for name, make in dialects().items() if name != "appagent-reflection"]
every = pytest.mark.parametrize("dialect", SPOKEN, ids=lambda dialect: dialect.name)


@every
def test_markers_are_taken_off_in_every_dialect(dialect: Dialect) -> None:
    read = 0
    for action in ACTIONS:
        try:
            words = dialect.print(Decision((action,)), FRAME)
            plain = dialect.parse(words, FRAME).actions
        except ValueError:  # it cannot express the action, or needs other labels
            continue
        for before, after in WRAPPED:
            marked = f"{before}{words}{after}"
            assert dialect.parse(marked, FRAME).actions == plain, marked
        read += 1
    assert read


TYPED = (Type("a b", clear=True),)
DO = 'do(action="Type", text="a b"'


@pytest.mark.parametrize(
    ("words", "actions"),
    [
        (f"<answer><|begin_of_box|>{DO})<|end_of_box|></answer>", TYPED),
        (f"<answer>{DO})<|im_end|></answer>", TYPED),
        (f"<answer>{DO[:-1]}<|im_end|>", TYPED),
        (f"<answer>```\n{DO})\n```</answer></s>", TYPED),
        ('do(action="Type", text="<|begin_of_box|>a b<|end_of_box|>")', TYPED),
        (f"<|begin_of_box|>I see.<|end_of_box|>\n<|begin_of_box|>{DO})<|end_of_box|>", TYPED),
        ('<think>x</think><answer>finish(message="Done.<|user|>', (Finish("Done."),)),
    ],
)
def test_no_marker_is_typed_or_answered_by_autoglm(words: str, actions: object) -> None:
    assert AutoGlm().parse(words, FRAME).actions == actions


def test_no_marker_is_typed_by_other_dialects() -> None:
    typed = Odyssey().parse("TYPE: <|begin_of_box|>a b<|end_of_box|>\nThat is all.", FRAME)
    assert typed.actions == (Type("a b"),)
    for words in ("a b<|im_end|>", "<|x|>a b<|im_end|><|endoftext|>", "<|begin_of_box|>a b"):
        typed = UiTars().parse(f"Action: type(content='{words}')", FRAME)
        assert typed.actions == (Type("a b"),)
        typed = Qwen().parse(f'{{"action": "type", "text": "{words}"}}', FRAME)
        assert typed.actions == (Type("a b"),)


TEXTS = ["</s>", "a </s>", "</s> a", "a <|im_end|> b", "a<|user|>b", "<|begin_of_box|>", "<s>"]
TEXTS += [
    "a [INST] b",
    '<invoke name="x">',
    "<arg_key>a</arg_key><arg_value>",
    "<function=x>y</function>",
    "```\nx\n```",
]


@every
def test_a_goal_may_ask_to_type_a_token(dialect: Dialect) -> None:
    kinds = [(False, False), (True, False), (False, True)]
    for action in [Type(text, None, *kind) for text in TEXTS for kind in kinds]:
        try:
            words = dialect.print(Decision((action,)), FRAME)
        except DialectError:
            continue  # it has no quotes, so that its parser could not tell
        assert dialect.parse(words, FRAME).actions == (action,)


@pytest.mark.parametrize("dialect", [Odyssey(), SeeAct()])
def test_a_dialect_without_quotes_does_not_print_a_token_at_the_end(dialect: Dialect) -> None:
    with pytest.raises(DialectError, match="cannot express"):
        dialect.print(Decision((Type("a </s>"),)), FRAME)


CLICK = [("action", "click"), ("coordinate", "[499, 500]")]
HOLD = [("action", "long_press"), ("coordinate", "[499, 500]"), ("time", "2")]
TYPES = [("action", "type"), ("text", "007 <b>")]


def xml(given: list[tuple[str, str]], value: str, end: str) -> str:
    return "<function=mobile_use>" + "".join(value % each for each in given) + end


VALUES = [
    "\n<parameter=%s>\n%s\n</parameter>",
    "\n<parameter=%s>\n%s\n",
    "<parameter=%s>%s</parameter>",
]
ENDS = ["\n</function>\n</tool_call>", "\n</function>", "", "</tool_call><|im_end|>"]


BEGINNINGS = ["<tool_call>\n", "Thought: x\n<tool_call>", ""]


@pytest.mark.parametrize(
    ("given", "action"),
    [(CLICK, Tap(539, 1201)), (HOLD, LongPress(539, 1201, 2.0)), (TYPES, Type("007 <b>"))],
)
def test_xml_calls_are_read(given: list[tuple[str, str]], action: Action) -> None:
    for begin, value, end in itertools.product(BEGINNINGS, VALUES, ENDS):
        words = begin + xml(given, value, end)
        assert Qwen().parse(words, FRAME).actions == (action,), words


BY_NAME = (
    '<function name="mobile_use"><param name="action">click</param>'
    '<param name="coordinate">[499, 500]</param></function>'
)
STRAY = (
    "<tool_call>\n<function=mobile_use>\n<parameter=action>\nclick\n</action>\n"
    "<parameter=coordinate>\n[499, 500]\n</parameter>\n</function>\n</tool_call>\n</tool_call>"
)


PARAMETERS = (
    '<{0}invoke name="mobile_use">\n'
    '<{0}parameter name="action" string="true">click</{0}parameter>\n'
    '<{0}parameter name="coordinate">[499, 500]</{0}parameter>\n</{0}invoke>\n'
)
MINIMAX = f"I tap.\n<minimax:tool_call>\n{PARAMETERS.format('')}</minimax:tool_call>"
DSML = "\uff5cDSML\uff5c"
DEEPSEEK = f"<{DSML}function_calls>\n{PARAMETERS.format(DSML)}</{DSML}function_calls>"
SEED = BY_NAME.join(["<seed:tool_call>", "</seed:tool_call>"])
GLM = (
    "<tool_call>mobile_use\n<arg_key>action</arg_key>\n<arg_value>click</arg_value>\n"
    "<arg_key>coordinate</arg_key>\n<arg_value>[499, 500]</arg_value>\n</tool_call>"
)
UNCLOSED = (
    '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [499, 500]'
)
BRACES = [f"{UNCLOSED}{end}\n</tool_call>" for end in ("", "}", "}}", "}}}")]
OTHERS = [
    *BRACES,
    MINIMAX,
    DEEPSEEK,
    SEED,
    GLM,
    GLM.replace("\n", ""),
    GLM.removesuffix("</tool_call>"),
]


@pytest.mark.parametrize("words", [BY_NAME, STRAY, *OTHERS])
def test_xml_calls_of_other_forms_are_read(words: str) -> None:
    assert Qwen().parse(words, FRAME).actions == (Tap(539, 1201),)


@pytest.mark.parametrize("words", [UNCLOSED, UNCLOSED[:-2], f"{UNCLOSED[:-1]}</tool_call>"])
def test_a_call_that_was_cut_off_is_not_guessed(words: str) -> None:
    with pytest.raises(DialectError):
        Qwen().parse(words, FRAME)


def test_strict_reading_keeps_markers() -> None:
    with pytest.raises(DialectError):
        Qwen().parse_strictly(xml(CLICK, VALUES[0], ENDS[0]), FRAME)
    assert AutoGlm().parse_strictly('do(action="Type", text="ab")</s>', FRAME).actions == (
        Type('ab")</', clear=True),
    )


@pytest.mark.parametrize("words", ["", "<|im_end|>", "</s></s>", "```\n\n```", " \n"])
def test_a_reply_of_markers_only_stays(words: str) -> None:
    assert without_markers(words) == words
