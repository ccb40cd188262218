"""AppAgent's prompts: the functions, the task, and the format of the answer."""

from __future__ import annotations

NOTHING_DONE = "None"  # the summary before the first step

_ELEMENTS = """\
You operate a smartphone for its user. The screenshot shows what is on it now. Each element that
can be used carries a number, from 1 on, drawn over its middle. These functions are at your
disposal:

tap(element: int)
    Taps the element with that number: tap(5).
text(text_input: str)
    Types the text, in double quotes, into the field that has the focus: text("Hello, world!").
    Call it when the keyboard is open in the lower half of the screen.
long_press(element: int)
    Presses the element with that number for a while: long_press(5).
swipe(element: int, direction: str, dist: str)
    Moves the finger from the element, mostly a list or a slider, in the direction "up", "down",
    "left" or "right", as far as "short", "medium" or "long" says: swipe(21, "up", "medium")."""

_CALL_GRID = """
grid()
    Covers the screen with a grid of small areas, so that you can point anywhere. Call it if what
    you need carries no number and no numbered element helps."""

_LETTERED = """\
You operate a smartphone for its user. The screenshot shows what is on it now. Each element that
can be clicked carries a label from c1 on, each one that can be scrolled a label from s1 on, drawn
over its middle. These functions are at your disposal:

click(element: str)
    Clicks the element with that label: click(c5).
input(text_input: str)
    Types the text, in double quotes, into the field that has the focus: input("Hello, world!").
scroll(element: str, direction: str)
    Moves the finger from the element in the direction "up", "down", "left" or "right":
    scroll(s21, "up")."""

_GRID = """\
You operate a smartphone for its user. The screenshot shows what is on it now, covered with a grid
of small square areas; each has its number in the top left corner. Within an area, a subarea says
where exactly: center, top-left, top, top-right, left, right, bottom-left, bottom or bottom-right.
These functions are at your disposal:

tap(area: int, subarea: str)
    Taps there: tap(5, "center").
long_press(area: int, subarea: str)
    Presses there for a while: long_press(7, "top-left").
swipe(start_area: int, start_subarea: str, end_area: int, end_subarea: str)
    Moves the finger from one place to the other: swipe(21, "center", 25, "right")."""

_DOCUMENTS = """\
Of some of these elements it is known what they do. Rely on that when you choose the next one, and
prefer them to others:"""

_FORMAT = """\
Answer in these four lines, and nothing else:
Observation: <what you see in the screenshot>
Thought: <which step comes next to complete the task>
Action: <one call of a function, with its arguments; or FINISH, if the task is complete or nothing
is left to be done>
Summary: <all that you have done so far, with this action, in one or two sentences, without the
numbers of elements or areas>
Only one action can be done at a time."""

_GESTURES = {
    "tap": "tapping",
    "long_press": "long pressing",
    "v_swipe": "swiping",
    "h_swipe": "swiping",
}


def task_prompt(
    goal: str,
    summary: str,
    documents: str = "",
    *,
    grid: bool = False,
    offers_grid: bool = True,
    functions: str = "original",
) -> str:
    """Return the prompt for the next action."""
    if grid:
        parts = [_GRID]
    elif functions == "mobile-bench-v2":
        parts = [_LETTERED]
    else:
        parts = [_ELEMENTS + _CALL_GRID * offers_grid]
    if documents:
        parts.append(f"{_DOCUMENTS}\n\n{documents}")
    parts.append(f"The task: {goal}\nWhat you have done so far: {summary}")
    return "\n\n".join([*parts, _FORMAT])


def instruction_prompt(instruction: str) -> str:
    """Return the current step's instruction for the prompt."""
    return f"What this step has to do: {instruction}"


def reflection_prompt(gesture: str, label: str, summary: str, goal: str) -> str:
    """Return the prompt about the pictures before and after a gesture."""
    action = _GESTURES[gesture]
    return f"""\
Two screenshots show an app before and after {action} the element that carries the number {label} on
the first one. Numbers are drawn over the middle of their elements. The action was meant to do this:
{summary}
It is part of a larger task: {goal}

Compare the screenshots. Has the action done what it was meant to do, and has it brought the task
forward? Decide for one of four cases:

BACK: it led to a page on which the task cannot go on, so that one has to go back.
INEFFECTIVE: nothing has changed on the screen. A cursor that has moved is a change.
CONTINUE: something has changed, but not as it was meant to, and the task has not moved forward.
SUCCESS: it has moved the task forward, even if it is not complete.

In all cases but INEFFECTIVE, also describe what the element is for, in one or two sentences: in
general, without its number and without names or texts that only this example has. Call it "the UI
element".

Answer in these lines, and nothing else:
Decision: <BACK, INEFFECTIVE, CONTINUE or SUCCESS>
Thought: <why>
Documentation: <what the element is for; not if INEFFECTIVE>"""
