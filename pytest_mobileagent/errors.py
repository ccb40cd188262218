"""The exceptions of this package, and what is at fault.

    MobileAgentError
    ├── InfrastructureError   the phone, adb or the network failed; the episode is retried
    │   ├── DeviceError       a device does not answer, or answers as Android never would
    │   │   └── NoShellError  the device cannot run shell scripts
    │   ├── HostError         this machine failed, e.g. its disk is full; no other device helps
    │   └── AgentKilledError  somebody killed the agent's process; the episode is repeated
    ├── AgentError            the agent raised, hung, or returned no action
    ├── TaskError             the task itself is broken: its goal, solution or probes
    │   ├── UnfitMoveError    a move of the solution does not fit the screen it meets
    │   ├── NoSolutionError   the task has no solution to play
    │   └── GraphError        recorded pages are missing, damaged or contradictory
    ├── NoEdgeError           no transition was recorded for an action on a recorded page
    ├── JudgeError            a model that acts as a judge is down, or its reply is unreadable
    ├── UndecidedError        a person must decide whether the goal was met
    ├── ScreenError           a view hierarchy or a screenshot cannot be read
    │   └── NoScreenshotError     no screenshot was taken
    └── RecordError           a recorded episode cannot be read

An agent's error is its failure; broken infrastructure or judges never count against it.
"""

from __future__ import annotations

import difflib
import re
import traceback
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AgentError", "AgentKilledError", "DeviceError", "GraphError", "HostError",
    "InfrastructureError", "JudgeError", "MobileAgentError", "NoEdgeError", "NoScreenshotError",
    "NoShellError", "NoSolutionError", "RecordError", "ScreenError", "TaskError", "UndecidedError",
    "UnfitMoveError",
]  # fmt: skip

_MOST_PARTS = 5  # maximum number of a group's exceptions to name


class MobileAgentError(Exception):
    """Base class of this package's errors; `fault` says who is to blame if a case is undecided."""

    fault: ClassVar[str] = "task"


class InfrastructureError(MobileAgentError):
    """The phone, adb or the network failed: the episode says nothing about the agent."""

    fault = "infrastructure"


class DeviceError(InfrastructureError):
    """A device does not answer, or not as Android does."""


class NoShellError(DeviceError):
    """A device such as recorded pages cannot run scripts: retrying does not help."""


class HostError(InfrastructureError):
    """This machine cannot continue, whichever device is used."""


class AgentKilledError(InfrastructureError):
    """Somebody killed the agent's process: it may have been the system, for want of memory."""


class AgentError(MobileAgentError):
    """The agent raised, hung, or returned something that is not an action."""


class TaskError(MobileAgentError):
    """The task is broken: its goal, its solution or its probes."""


class UnfitMoveError(TaskError):
    """A move of the solution does not fit the screen that it meets."""


class NoSolutionError(TaskError):
    """The task has no solution that an agent could play."""


class GraphError(TaskError):
    """Recorded pages are missing, damaged or contradictory: the agent is not to blame."""


class NoEdgeError(MobileAgentError):
    """A recorded page has no transition for an action, so it stays; the agent gets the message."""


class JudgeError(MobileAgentError):
    """A judge does not answer, or its reply stays unreadable: only it must be asked again."""

    fault = "judge"


class UndecidedError(MobileAgentError):
    """The check cannot decide whether the goal was met: a person must decide."""


class ScreenError(MobileAgentError):
    """A view hierarchy or a screenshot cannot be read."""


class NoScreenshotError(ScreenError):
    """No screenshot was taken, because no use was declared (`mobile_screenshots=needed`)."""


class RecordError(MobileAgentError):
    """A recorded episode cannot be read."""


def in_one_line(error: BaseException) -> str:
    """Return an exception's type and message on one line, without the module of our own types.

    For an exception group, return its message and those of its parts, without Python's tree.
    """
    if not isinstance(error, BaseExceptionGroup):
        words = "".join(traceback.format_exception_only(error)).strip()
        return re.sub(r"^pytest_mobileagent\.[\w.]*\.(?=\w+(:|$))", "", words)
    parts = [in_one_line(part) for part in error.exceptions[:_MOST_PARTS]]
    more = len(error.exceptions) - len(parts)
    return f"{error}: {'; '.join([*parts, *([f'and {more} more'] if more else [])])}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'NAME'?" with the most similar known name; "" if none is similar."""
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
