"""AutoDroid: the whole scrolled page as simplified HTML, one call per step, no pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent import Finish, Impossible, Open, Swipe, Type
from pytest_mobileagent.agent import Agent, Message, ModelOptions, ask, instead
from pytest_mobileagent.dialect import AutoDroid as Dialect
from pytest_mobileagent.dialect import Frame
from pytest_mobileagent.perception import autodroid_html, is_editable, position

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent import Element, Screen
    from pytest_mobileagent.agent import Briefing, Observation, Phone
    from pytest_mobileagent.dialect import Decision

PROMPT = """\
You help the user of a smartphone to complete tasks in its apps. You are told the task, what has
been done on the screen so far, and what the present page consists of. Decide whether the task is
already complete by what has been done; if it is not, decide which element of the page to use next.

Task: {task}{instruction}

Done so far:
{history}

The present page:
{page}

Answer with nothing but one JSON object of this form:
{{"Steps": "<the steps that such a task usually takes on a smartphone>",
"Analyses": "<how the task, what has been done so far and the present page hang together>",
"Finished": "<Yes or No>",
"Next step": "<what to do next, in general words, or None if it is finished>",
"id": "<the number of the element to use, or -1 if the task is complete>",
"action": "<tap or input>",
"input_text": "<the text to enter, or N/A for a tap>"}}"""

DRAG = 0.3  # of the scroller's height, on each side of its middle
SHORTEST_DRAG = 200  # pixels


class AutoDroid(Agent):
    """AutoDroid (Wen et al. 2024, arXiv 2308.15272), without its memory of the app.

    Before each call, every scrollable area of the page is scrolled to the top and then down, so
    that the model receives the whole page; this only looks around, and is not a step. The chosen
    element is scrolled to again. The model chooses the element; what is done with it follows from
    its kind. The history is one line per action.

    The task's app is opened first if it is not in the foreground, which takes a step. The original
    waits 3 seconds after each event and 1 between events, has no step limit, and uses gpt-3.5-turbo
    with a timeout of 15 seconds.

    This agent differs from it as follows. Scrollable areas too low to be dragged are not explored,
    and the page is not scrolled to the top again before an element further down is used. Text is
    typed there, too (the original's code types a placeholder). The history begins with the app,
    whoever opened it. Further differences are listed in its dialect. The original's optional memory
    (hints about elements, found with a local embedding model), which MobileAgentBench enabled and
    SPA-Bench did not, is not included.

    On a single path, the history contains the golden actions.
    """

    asks = False
    roles: ClassVar[Sequence[str]] = ("actor",)
    sees: ClassVar[Sequence[str]] = ("hierarchy",)

    class Options(ModelOptions):
        """The agent's options.

        - `scrolls`: the maximum number of scrolls in one direction.
        """

        scrolls: int = 7

        # SPA-Bench, appendix F.1: no knowledge of the app. MobileAgentBench: see above.
        PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
            "spa-bench": {"scrolls": 7},
            "mobileagentbench": {"scrolls": 7},
        }

    def run(self, briefing: Briefing, phone: Phone) -> None:
        options: AutoDroid.Options = briefing.options
        model = briefing.model()
        seen = self._app_opened(briefing, phone)
        screen = seen.screen
        history = [f"- launchApp {app}" for app in briefing.apps[:1]]
        for number in count(int(seen.done is not None)):
            page = look_around(phone, screen, options.scrolls)
            scrolls = bool(_scrollers(screen))
            html, marks = autodroid_html([look.screen for look in page], merged=scrolls)
            messages = [Message("user", (prompt(briefing, history, html, number),))]
            decision = ask(model, messages, Dialect(), Frame.of(screen, marks), options)
            label, lines = Dialect.chosen(decision.words), list[str]()
            for mark in marks:
                if mark.label == label and _acts(decision):
                    look = page[position(mark, [look.screen for look in page])]
                    for swipe in look.path:
                        phone.act(swipe, counts=False)
                    lines.append(done(decision, html, label))
            seen = phone.act(decision.actions, said=decision.words)
            if seen.done is not None:
                golden = instead(Dialect(), seen, screen, Frame.of(screen, marks))
                lines = [golden_line(golden, html)]
            history += lines
            screen = seen.screen

    def _app_opened(self, briefing: Briefing, phone: Phone) -> Observation:
        seen = phone.observe()
        if briefing.apps and seen.screen.package not in briefing.apps:
            return phone.act(Open(briefing.apps[0]), said=f"opens {briefing.apps[0]}")
        return seen


@dataclass(frozen=True, slots=True)
class Look:
    """One scroll position of the page, and the path to it from the top."""

    screen: Screen
    path: tuple[Swipe, ...] = ()


def look_around(phone: Phone, screen: Screen, most: int) -> Sequence[Look]:
    """Return the page at every scroll position, and leave it scrolled to the top.

    A scrollable area has reached its end when scrolling shows no new entry, and is close enough to
    it when scrolling has shown fewer than two new entries twice.
    """
    scrollers = _scrollers(screen)
    if not scrollers:
        return [Look(screen)]
    views = []
    for scroller in scrollers:
        screen = _to_top(phone, scroller, screen, most, _entries(screen))
        views.append(Look(screen))
        known = _entries(screen)
        path: tuple[Swipe, ...] = ()
        poor = 0
        for _ in range(most):
            path += (_drag(scroller, screen, -1),)
            screen = phone.act(path[-1], counts=False).screen
            new = _entries(screen) - known
            if not new:
                break
            known |= new
            views.append(Look(screen, path))
            poor += len(new) < 2
            if poor == 2:
                break
        screen = _to_top(phone, scroller, screen, most, set())
    # The top of one area may have been seen together with another; it is listed once.
    return views


def prompt(briefing: Briefing, history: Sequence[str], html: str, step: int) -> str:
    """Return the prompt, with the current step's instruction if the task has one."""
    instruction = briefing.instructions[step : step + 1]
    return PROMPT.format(
        task=briefing.goal,
        instruction="".join(f"\nThe present step of it: {words}" for words in instruction),
        history="\n".join(history) or "nothing",
        page=html,
    )


def done(decision: Decision, html: str, label: str) -> str:
    """Return the line of the history for an action on an entry."""
    found = re.search(rf"^<(\w+) id={label}\b(.*?</\1>)$", html, re.MULTILINE | re.DOTALL)
    line = f"- TapOn: <{found.group(1)}{found.group(2)}" if found else "- TapOn: ?"
    (action,) = decision.actions
    return f"{line} InputText: {action.text}" if isinstance(action, Type) else line


def golden_line(decision: Decision, html: str) -> str:
    """Return the line of the history for a golden action, which may not be on an entry."""
    label = Dialect.chosen(decision.words)
    return done(decision, html, label) if label else f"- {decision.words}"


def _acts(decision: Decision) -> bool:
    actions = decision.actions
    return len(actions) == 1 and not isinstance(actions[0], Finish | Impossible)


def _scrollers(screen: Screen) -> list[Element]:
    """Return the elements that scroll, but cannot be clicked, checked, pressed or edited."""

    def is_used(element: Element) -> bool:
        around = (element, *element.ancestors)
        return is_editable(element) or any(
            each.clickable or each.checkable or each.long_clickable for each in around
        )

    return [
        element
        for element in screen.elements
        if element.scrollable
        and not is_used(element)
        and 2 * DRAG * element.bounds.height >= SHORTEST_DRAG
    ]


def _to_top(phone: Phone, scroller: Element, screen: Screen, most: int, known: set[str]) -> Screen:
    """Scroll up until no entry beyond `known` appears; in the original `known` ends up empty."""
    for _ in range(most):
        screen = phone.act(_drag(scroller, screen, 1), counts=False).screen
        new = _entries(screen) - known
        if not new:
            break
        known |= new
    return screen


def _drag(scroller: Element, screen: Screen, down: int) -> Swipe:
    """Return a finger's path over a scrollable area, down (1) or up (-1), within the screen."""
    x, y = scroller.bounds.center
    half = int(DRAG * scroller.bounds.height) * down
    width, height = screen.size
    x = min(max(x, 0), width - 1)
    start, end = (min(max(each, 0), height - 1) for each in (y - half, y + half))
    return Swipe(x, start, x, end, 0.5)


def _entries(screen: Screen) -> set[str]:
    """Return the lines of one scroll position, without their numbers."""
    html, _ = autodroid_html([screen])
    return {re.sub(r"^(<\w+) id=\d+", r"\1", line) for line in html.split("\n")}
