"""The prompts of AndroidArena's agent: the actions, two examples, the task and the steps."""

from __future__ import annotations

from pytest_mobileagent.agent import Message

SYSTEM = """\
You operate a mobile phone for its user, on your own: you answer questions, and carry out what may
take many steps.

You are told the objective, the apps that there are, what was done in the last steps, and the
present observation: an outline of what is on the screen. Each of its lines has, in this order, an
id in brackets, what kind of element it is and how it is called inside the app; then, separated by
";", how it can be used, its state, notes, and the words on it.

Think about the situation. Then end with the next action, in exactly one of these forms.
Actions on apps:
#start [app]#: starts an app. These apps can be started:
{apps}
Actions on elements:
#click [id]#: clicks the element. It needs "click" or "check" among its uses.
#long_click [id]#: clicks it for longer. It needs "long-click" among its uses.
#set_text [id] [text]#: puts the text into a field, which is an EditText.
Actions on the phone:
#swipe_up#, #swipe_down#, #swipe_left#, #swipe_right#: move the finger over the screen that way.
#press_back#: goes back to the view before.
#press_enter#: presses the enter key.
To end:
#finish [answer]#: when the objective is met, with the answer if it asks for one; or with N/A as the
answer if it cannot be met.

Take one action at a time, always between two "#". Finish as soon as the objective is met.
Today is {today}."""

_FIRST = """\
EXAMPLE INPUT: The objective: tell me what time the dentist's appointment is.
Previous Action: none
Observation: This is the home screen:
    [n0000] ScrollView workspace ;scroll ; ;;:
        [n0001] TextView ;click long-click ; ;;Phone :
        [n0002] TextView ;click long-click ; ;;Calendar :
    [n0003] search_box ;click ; ;;Search :
Think:"""

_SECOND = """\
EXAMPLE INPUT: The objective: tell me what time the dentist's appointment is.
Previous Action: launch the app Calendar
Observation: The app in front is calendar:
    [n0000] EditText search_field ;click ; ;;Search events :
    [n0001] RecyclerView days ;scroll ; ;;Today Nothing planned:
    [n0002] Button new_event ;click ; ;;New event :
Think:"""

_START = """\
EXAMPLE OUTPUT: This is the home screen. Appointments are in the calendar, so I start that app
first. #start [Calendar]#"""

_SEARCH = """\
EXAMPLE OUTPUT: The calendar is open, and today has no appointment. The field n0000 searches all
events, so I look for the dentist there. #set_text [n0000] [dentist]#"""

EXAMPLES = (
    Message("user", (_FIRST,)),
    Message("assistant", (_START,)),
    Message("user", (_SECOND,)),
    Message("assistant", (_SEARCH,)),
)


def act_prompt(goal: str, steps: str, instruction: str = "") -> str:
    """Return the last message: the objective, and the steps up to the current page."""
    hint = f"\nThis step has to do this: {instruction}" if instruction else ""
    return f"""\
Think step by step, and give one action between two "#", such as #start [Calendar]# or
#click [n0003]#. If the objective is met by now, give #finish [answer]#.

The objective: {goal}{hint}

{steps}"""
