"""Asking a model until it says something readable: once, and once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import JudgeError
from pytest_mobileagent.judge.reply import UnreadableError
from pytest_mobileagent.llm.failures import ModelUnavailable, RequestRefusedError
from pytest_mobileagent.llm.message import Message
from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.model import Model, ModelReply

# Models that reason count their thoughts as output, whatever they are asked for.
MOST_TOKENS = 4096
_SHOWN = 200  # characters of an unreadable reply

T = TypeVar("T")


def converse(
    model: Model, messages: Sequence[Message], parse: Callable[[ModelReply], T], repair: str
) -> tuple[T, tuple[ModelCall, ...]]:
    """Ask a model, and return what `parse` makes of its reply, with all calls that it took.

    After a reply that `parse` finds unreadable, `repair` is said in the same conversation, once.
    The temperature is 0, as SPA-Bench's; clients leave it out where a model takes none.

    Raises:
        JudgeError: the model does not answer, refuses the request, or stays unreadable.
        BudgetSpent: no `Exception`: nothing more may be spent.
    """
    first = _reply(model, messages)
    try:
        return parse(first), (first.call,)
    except UnreadableError as error:
        unread = error
    # A provider takes no message without content.
    said = [first.message] if first.text.strip() else []
    try:
        second = _reply(model, [*messages, *said, Message("user", (repair,))])
    except JudgeError as error:
        msg = f"{_unreadable(model, first, unread)}. To mend it: {error}"
        raise JudgeError(msg) from error
    try:
        return parse(second), (first.call, second.call)
    except UnreadableError as error:
        raise JudgeError(_unreadable(model, second, error)) from error


def _unreadable(model: Model, reply: ModelReply, error: UnreadableError) -> str:
    """Say of a reply that it cannot be read, why, and what it ends with."""
    said = printable(redacted(reply.text.strip()))
    shown = said if len(said) <= _SHOWN else f"…{said[-_SHOWN:]}"
    return f"judge {model.name}: its reply cannot be read, as {error}: {shown!r}"


def _reply(model: Model, messages: Sequence[Message]) -> ModelReply:
    try:
        return model.complete(messages, max_tokens=MOST_TOKENS, temperature=0.0)
    except ModelUnavailable as error:
        msg = f"judge {model.name} does not answer: {error}"
        raise JudgeError(msg) from error
    except RequestRefusedError as error:
        msg = f"judge {model.name} does not take the request: {error}"
        raise JudgeError(msg) from error
