"""Asking a model for a decision in a dialect, and what to do with words that cannot be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.action.action import Finish, Impossible, Open
from pytest_mobileagent.dialect.dialect import Decision, DialectError
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.llm.message import Message
from pytest_mobileagent.perception.apps import package_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_mobileagent.dialect.dialect import Dialect, Frame
    from pytest_mobileagent.llm.model import Model, ModelReply

_ATTEMPTS = 3
_SETTINGS = ("temperature", "top_p", "max_tokens", "seed")


class ModelOptions:
    """Options that all agents have which ask models.

    - `on_error`: what to do with words that cannot be read; empty for what the original does.
    - `strict`: whether words that the original's code cannot read are such here, too, and those
      that it misreads are misread; `docs/dialects.md` lists them.
    - `temperature`, `max_tokens`: what is sent to models; None for what the original sends.
    """

    on_error: Literal["", "no action", "ask again", "finish", "give up", "crash"] = ""
    strict: bool = False
    temperature: float | None = None
    max_tokens: int | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What the options give to `Model.complete`."""
        given = {name: getattr(self, name, None) for name in _SETTINGS}
        return {name: value for name, value in given.items() if value is not None}


def ask(
    model: Model,
    messages: Sequence[Message],
    dialect: Dialect,
    frame: Frame,
    *,
    on_error: str = "",
    strict: bool = False,
    apps: Iterable[str] = (),
    words_of: Callable[[ModelReply], str] = lambda reply: reply.text,
    **settings: Any,
) -> Decision:
    """Ask a model for its next decision, in a dialect.

    `on_error` overrides the dialect's own policy if it is not empty; `strict` reads as the
    original's code does; `apps` are the packages among which the apps are sought that the model
    names; `words_of` gives what the dialect reads of a reply, if that is not its text; `settings`
    go to `Model.complete`.

    Raises:
        AgentError: the words cannot be read, and the policy is to crash, or asked in vain again.
    """
    read = dialect.parse_strictly if strict else dialect.parse
    conversation = list(messages)
    for _ in range(_ATTEMPTS):
        reply = model.complete(conversation, **settings)
        words = words_of(reply)
        try:
            decision = read(words, frame)
        except DialectError as error:
            problem = _problem(reply, error)
            policy = on_error or error.on_error or dialect.on_error
            if policy != "ask again":
                break
            again = f"That could not be read: {problem}. Answer again, in the format asked for."
            conversation += [reply.message, Message("user", (again,))]
        else:
            return replace(opened(decision, apps), words=words)
    refused = reply.stop == "refusal"
    return replace(given_up(policy, problem), words=words, error=problem, refused=refused)


def given_up(policy: str, problem: str) -> Decision:
    """Return what a policy makes of words that cannot be read.

    Raises:
        AgentError: the policy is to crash, or to ask again, which was in vain.
    """
    match policy:
        case "no action":
            return Decision()
        case "finish":
            return Decision((Finish(),))
        case "give up":
            return Decision((Impossible(problem),))
    msg = f"the model's words cannot be read: {problem}"
    raise AgentError(msg)


def opened(decision: Decision, apps: Iterable[str]) -> Decision:
    """Return a decision in which the apps that are opened are packages, where they can be found."""
    packages = tuple(apps)
    actions = tuple(
        Open(package_of(action.app, packages)) if isinstance(action, Open) else action
        for action in decision.actions
    )
    return replace(decision, actions=actions)


def _problem(reply: ModelReply, error: DialectError) -> str:
    if reply.stop == "refusal":
        return "the model refuses"
    return f"{error} (the reply was cut off)" if reply.stop == "length" else str(error)
