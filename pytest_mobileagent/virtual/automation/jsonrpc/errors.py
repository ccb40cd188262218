"""How calls fail."""

from __future__ import annotations

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NO_SUCH_METHOD, INVALID_PARAMETERS = -32601, -32602
CUSTOM = -32001  # an exception of the method's own


class RpcError(Exception):
    """A call that failed: a code of JSON-RPC, and what the client is told."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class JavaThrowable(RpcError):  # noqa: N818 - Java's own name for it
    """An exception that a method has thrown."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(CUSTOM, f"{name}: {message}")


def not_found(what: object) -> JavaThrowable:
    """Make the exception for something that is not on the screen."""
    return JavaThrowable("androidx.test.uiautomator.UiObjectNotFoundException", str(what))
