"""The error of dialects, and functions that build its messages."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

# How the original agent handles a reply that it cannot read: it does nothing in that step, asks the
# model again, ends as if the task were done, gives up, or crashes.
OnError = Literal["no action", "ask again", "finish", "give up", "crash"]


class DialectError(ValueError):
    """A reply that a dialect cannot read, or an action that it cannot express.

    The message says what is wrong and quotes the place; `words` is the complete reply. `on_error`
    is how the original agent handles this reply, or None if it does what the dialect's `on_error`
    says.
    """

    def __init__(self, problem: str, words: str = "", on_error: OnError | None = None) -> None:
        super().__init__(problem)
        self.words = words
        self.on_error = on_error


def quoted(value: object, most: int = 120) -> str:
    """Return a value quoted for an error message: on one line, cut to `most` characters."""
    try:
        text = " ".join((value if isinstance(value, str) else repr(value)).split())
    except (ValueError, RecursionError):  # the number is too large, or the list nested too deeply
        return f"a {type(value).__name__}"
    short = text if len(text) <= most else text[: most - 1] + "…"
    return repr(short) if isinstance(value, str) else short


def cannot_say(title: str, what: object) -> DialectError:
    """Return the error for an action that a dialect cannot express."""
    return DialectError(f"{title} cannot express {quoted(what)}")


def lacks(words: str, what: str, on_error: OnError | None = None) -> DialectError:
    """Return the error for a reply that lacks a required part."""
    return DialectError(f"there is no {what} in {quoted(words)}", words, on_error)


def unknown(kind: str, name: object) -> DialectError:
    """Return the error for an unknown name, such as that of an action, a key or a direction."""
    return DialectError(f"there is no {kind} {quoted(name)}")


@contextmanager
def reading(words: str) -> Iterator[None]:
    """Set `words` of any DialectError raised in the block to the complete reply."""
    try:
        yield
    except DialectError as error:
        error.words = words
        raise
