"""What the server answers when it cannot: WebDriver's errors, in Appium's words."""

from __future__ import annotations

from typing import ClassVar


class WebDriverError(Exception):
    """An error with its name in the WebDriver standard and its HTTP status."""

    name: ClassVar[str] = "unknown error"
    status: ClassVar[int] = 500
    words: ClassVar[str] = "An unknown server-side error occurred while processing the command"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.words)


class NoSuchElement(WebDriverError):  # noqa: N818 - these are the standard's names
    """Nothing was found."""

    name, status = "no such element", 404
    words = "An element could not be located on the page using the given search parameters"


class StaleElement(WebDriverError):  # noqa: N818
    """An element that was found is not there any more."""

    name, status = "stale element reference", 404


class InvalidSelector(WebDriverError):  # noqa: N818
    """A locator that nobody understands."""

    name, status = "invalid selector", 400


class InvalidArgument(WebDriverError):  # noqa: N818
    """A value that is missing or wrong."""

    name, status = "invalid argument", 400


class InvalidElementState(WebDriverError):  # noqa: N818
    """An element that cannot do what is asked of it."""

    name, status = "invalid element state", 400


class NoSuchAlert(WebDriverError):  # noqa: N818
    """No dialog is open."""

    name, status = "no such alert", 404
    words = "An attempt was made to operate on a modal dialog when one was not open"


class NoSuchSession(WebDriverError):  # noqa: N818
    """The session has ended, or never was."""

    name, status = "invalid session id", 404
    words = "The session identified by the given id does not exist"


class UnknownCommand(WebDriverError):  # noqa: N818
    """No such route."""

    name, status = "unknown command", 404
    words = (
        "The requested resource could not be found, or a request was received using an HTTP "
        "method that is not supported by the mapped resource"
    )
