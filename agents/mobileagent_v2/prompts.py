"""Mobile-Agent-v2's prompts, and the state that they keep from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .perception import Perception

DECIDER = "You are an assistant that operates a mobile phone as its user instructs."
HELPER = "You are an assistant of somebody who operates a mobile phone as its user instructs."
HINT = 'To open an app by its icon, use "Open app"; to leave an app, use "Home".'

_LIST = """\
Besides the picture, here is what was found on it: the place as [x, y], in pixels from the left and
from the top, and the text or the icon there. Not all of it needs to be right; look at the picture,
too."""

_ACTIONS = """\
Open app (name): on the home screen, opens the app that is called so.
Tap (x, y): taps that pixel.
Swipe (x1, y1), (x2, y2): moves the finger from one pixel to the other.
{typing}
Home: goes to the home screen.
Stop: ends your work, as all that was instructed is done."""

_CAN_TYPE = "Type (text): types the text into the field."
_CANNOT_TYPE = """\
You cannot type now, as the keyboard is closed. Tap a field first, which opens it."""


@dataclass(slots=True)
class Progress:
    """The state of the episode so far.

    - `thought`, `operation`, `action`: of the last decision; `failed`: whether it went wrong.
    - `history`: operation, action and thought of all actions that had their intended effect.
    - `completed`: what is complete, in the planner's words; `memory`: what to remember.
    """

    goal: str
    hint: str
    thought: str = ""
    operation: str = ""
    action: str = ""
    failed: bool = False
    history: list[tuple[str, str, str]] = field(default_factory=list)
    completed: str = ""
    memory: str = ""

    def add(self) -> None:
        """Add the last decision to the history."""
        self.history.append((self.operation, self.action, self.thought))

    @property
    def lines(self) -> str:
        """The history, a line for each step."""
        return "\n".join(
            f"Step-{number}: [Operation: {purposeless(operation)}; Action: {action}]"
            for number, (operation, action, _) in enumerate(self.history, 1)
        )


def purposeless(operation: str) -> str:
    """Return an operation without its purpose: "tap Save" for "tap Save to keep it"."""
    return operation.partition(" to ")[0].strip()


def decision_prompt(progress: Progress, seen: Perception, instruction: str = "") -> str:
    """Return the prompt for the next action."""
    width, height = seen.size
    parts = [
        (
            f"### Background ###\nThe picture is a screenshot of a phone, {width} pixels wide and"
            f" {height} pixels high. The user's instruction: {progress.goal}"
        ),
        f"### Screenshot information ###\n{_LIST}\n{seen.listing()}",
        f"### Keyboard status ###\nThe keyboard is {_state(seen)}.",
    ]
    if progress.hint:
        parts.append(f"### Hint ###\n{progress.hint}")
    if progress.history:
        parts.append(f"### History operations ###\nDone until now:\n{progress.lines}")
    if progress.completed:
        parts.append(f"### Progress ###\nWhat is complete: {progress.completed}")
    if progress.memory:
        parts.append(f"### Memory ###\nNoted from earlier screens:\n{progress.memory}")
    if progress.failed:
        parts.append(
            f"### Last operation ###\nOn this page, you wanted this: {progress.operation}\nSo you"
            f" did this: {progress.action}\nIt did not come out as you wanted. Find out why, and do"
            " something better now."
        )
    if instruction:
        parts.append(f"### This step ###\nThis step has to do this: {instruction}")
    actions = _ACTIONS.format(typing=_CAN_TYPE if seen.keyboard else _CANNOT_TYPE)
    parts.append(f"### Response requirements ###\nChoose one action, out of these:\n{actions}")
    parts.append(
        "### Output format ###\nAnswer in these three parts:\n"
        "### Thought ###\nWhat has been done of the instruction, and what comes next.\n"
        "### Action ###\nThe one action, with what it needs in parentheses.\n"
        "### Operation ###\nWhat the action does, in a short sentence."
    )
    return "\n\n".join(parts)


def memory_prompt() -> str:
    """Return the prompt that asks what is worth remembering, in the chat of a decision."""
    return (
        "### Response requirements ###\nIs there anything on this page that belongs closely to the"
        ' user\'s instruction, and will be needed later? If so, say what; if not, say "None".\n\n'
        "### Output format ###\n### Important content ###\nWhat it is, or None. What ### Memory ###"
        " already has is not to be said again."
    )


def reflection_prompt(progress: Progress, before: Perception, after: Perception) -> str:
    """Return the prompt about the pictures before and after an action."""
    width, height = after.size
    operation = f"Operation: {purposeless(progress.operation)}\nAction: {progress.action}"
    return f"""\
The pictures are screenshots of a phone before and after an operation, {width} pixels wide and
{height} pixels high. {_LIST}

### Before the current operation ###
{before.listing()}
The keyboard is {_state(before)}.

### After the current operation ###
{after.listing()}
The keyboard is {_state(after)}.

### Current operation ###
The user's instruction: {progress.goal}
{progress.hint}
{operation}

### Response requirements ###
Has the action done what the operation says?
A: It has.
B: It has led to a wrong page, from which one has to go back.
C: It has changed nothing.

### Output format ###
### Thought ###
What you think about it.
### Answer ###
A or B or C"""


def planning_prompt(progress: Progress) -> str:
    """Return the prompt that asks what is complete; after the first action there is no history."""
    parts = [
        (
            "### Background ###\nYou operate the mobile phone of a user, who has given this"
            f" instruction: {progress.goal}"
        )
    ]
    if progress.hint:
        parts.append(f"### Hint ###\n{progress.hint}")
    if len(progress.history) > 1:
        source = "### History operations ###"
        parts.append(f"{source}\nDone until now:\n{progress.lines}")
        parts.append(f"### Progress thinking ###\nWhat was complete before: {progress.completed}")
    else:
        source = "### Current operation ###"
        operation, _, thought = progress.history[-1]
        parts.append(f"{source}\nThought: {thought}\nOperation: {purposeless(operation)}")
    parts.append(
        "### Response requirements ###\nSum up what of the instruction is complete now. Say only"
        f" what {source} shows to be done, and not what it was done for.\n\n"
        "### Output format ###\n### Completed contents ###\nThe summary, in English."
    )
    return "\n\n".join(parts)


def _state(seen: Perception) -> str:
    return "open: you can type" if seen.keyboard else "closed: you cannot type"
