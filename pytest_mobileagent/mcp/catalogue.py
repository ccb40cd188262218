"""All tools: those of mobile-mcp, by name and argument, and those that end a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Ask, Finish, Impossible
from pytest_mobileagent.mcp.acting import ACTING
from pytest_mobileagent.mcp.looking import LOOKING
from pytest_mobileagent.mcp.tool import Parameter, Tool

if TYPE_CHECKING:
    from pytest_mobileagent.mcp.control import Control, Result


async def _finish(control: Control, answer: str = "") -> Result:
    with_answer = f", with the answer: {answer}" if answer else ""
    return await control.report(Finish(answer), f"Reported that the task is done{with_answer}")


async def _impossible(control: Control, reason: str = "") -> Result:
    because = f": {reason}" if reason else ""
    return await control.report(
        Impossible(reason), f"Reported that the task cannot be done{because}"
    )


async def _ask_user(control: Control, question: str) -> Result:
    return await control.ask(Ask(question))


_REPORTING = (
    Tool(
        "finish",
        "Finish",
        "Report that the task is done, and stop. If the task is a question, give its answer.",
        _finish,
        (Parameter("answer", "string", "what the task asks for, if it does", required=False),),
    ),
    Tool(
        "impossible",
        "Give Up",
        "Report that the task cannot be done, and stop.",
        _impossible,
        (Parameter("reason", "string", "why it cannot be done", required=False),),
    ),
    Tool(
        "ask_user",
        "Ask User",
        "Ask the phone's user about something that the task leaves open; gives the reply.",
        _ask_user,
        (Parameter("question", "string", "the question"),),
    ),
)

TOOLS = {tool.name: tool for tool in (*LOOKING, *ACTING, *_REPORTING)}
