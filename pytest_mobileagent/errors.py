"""What can go wrong, and whose fault it is.

    MobileAgentError
    ├── InfrastructureError   the phone, adb or the network; the episode is retried
    │   ├── DeviceError       one device: it does not answer, or answers what Android never would
    │   │   └── NoShellError  it runs no scripts, and never will
    │   └── HostError         this machine: its disk is full, say; no other device helps
    ├── AgentError            the agent raised, hung, or returned no action
    ├── TaskError             the task itself is broken: its goal, solution or probes
    │   ├── UnfitMoveError    a move of the solution does not fit the screen that it meets
    │   ├── NoSolutionError   there is no solution to play
    │   └── GraphError        recorded pages that are missing, damaged, or contradict each other
    ├── NoEdgeError           an action of which it is not recorded where it leads
    ├── JudgeError            a model that was asked as a judge is down, or its reply is unreadable
    ├── UndecidedError        whether the goal was met has to be decided by a person
    ├── ScreenError           a view hierarchy or a screenshot that cannot be read
    │   └── NoScreenshotError     none was taken
    └── RecordError           a recorded episode that cannot be read

An error of the agent is its failure; broken infrastructure or judges never count against it.
"""

from __future__ import annotations

import re
import traceback

__all__ = [
    "AgentError", "DeviceError", "GraphError", "HostError", "InfrastructureError", "JudgeError",
    "MobileAgentError", "NoEdgeError", "NoScreenshotError", "NoShellError", "NoSolutionError",
    "RecordError", "ScreenError", "TaskError", "UndecidedError", "UnfitMoveError",
]  # fmt: skip

_MOST_PARTS = 5  # exceptions of a group that are named


class MobileAgentError(Exception):
    """Any error of this package."""


class InfrastructureError(MobileAgentError):
    """The phone, adb or the network broke: the episode says nothing about the agent."""


class DeviceError(InfrastructureError):
    """A device does not answer, or not as Android does."""


class NoShellError(DeviceError):
    """A device runs no scripts, as where pages are recorded: asking again does not help."""


class HostError(InfrastructureError):
    """This machine cannot go on, whichever device is used."""


class AgentError(MobileAgentError):
    """The agent raised, hung, or returned something that is not an action."""


class TaskError(MobileAgentError):
    """The task is broken: its goal, its solution or its probes."""


class UnfitMoveError(TaskError):
    """A move of the solution does not fit the screen that it meets."""


class NoSolutionError(TaskError):
    """The task has no solution that an agent could play."""


class GraphError(TaskError):
    """Recorded pages are missing, damaged, or contradict each other: no agent is to blame."""


class NoEdgeError(MobileAgentError):
    """On a recorded page, nothing is recorded for an action: the page stays, and the agent is told.

    The message is what it is told.
    """


class JudgeError(MobileAgentError):
    """A judge does not answer, or its reply stays unreadable: only it has to be asked again."""


class UndecidedError(MobileAgentError):
    """It cannot be decided whether the goal was met: a person has to decide."""


class ScreenError(MobileAgentError):
    """A view hierarchy or a screenshot that cannot be read."""


class NoScreenshotError(ScreenError):
    """No screenshot was taken, as nobody was known to need one (`--mobile-screenshots=needed`)."""


class RecordError(MobileAgentError):
    """A recorded episode that cannot be read."""


def in_one_line(error: BaseException) -> str:
    """Return an exception's type, without the module if it is one of ours, and its message.

    For a group that is its message and those of its parts, without the tree that Python draws.
    """
    if not isinstance(error, BaseExceptionGroup):
        words = "".join(traceback.format_exception_only(error)).strip()
        return re.sub(r"^pytest_mobileagent\.[\w.]*\.(?=\w+(:|$))", "", words)
    parts = [in_one_line(part) for part in error.exceptions[:_MOST_PARTS]]
    more = len(error.exceptions) - len(parts)
    return f"{error}: {'; '.join([*parts, *([f'and {more} more'] if more else [])])}"
