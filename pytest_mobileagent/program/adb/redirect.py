"""Redirects a Python program's connections from the usual adb server to its phone's.

This file is copied to be the program's `sitecustomize`, whatever Python runs it: it imports
nothing of this package, nor anything that Python has not loaded by then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's own takes milliseconds to import
if TYPE_CHECKING:
    from typing import Any

_USUAL_PORT = 5037
_LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0", "")  # noqa: S104 - a connection to it is meant for us


class SocketFinder:
    """Finds the module `socket` when it is first imported, as others would, and changes it then."""

    def __init__(self, port: int) -> None:
        self._port = port

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return how `socket` is loaded; None for any other module."""
        if name != "socket":
            return None
        sys.meta_path.remove(self)
        spec = next(filter(None, (f.find_spec(name, path, target) for f in sys.meta_path)), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_change(module: Any) -> None:
                load(module)
                change(module, self._port)

            spec.loader.exec_module = load_and_change  # type: ignore[method-assign]
        return spec


def change(module: Any, port: int) -> None:
    """Have the sockets of the module `socket` connect to `port` where they mean adb's."""
    for name in ("connect", "connect_ex"):
        setattr(module.socket, name, _redirected(getattr(module.socket, name), port))


def _redirected(connect: Any, port: int) -> Any:
    def redirected(self: Any, address: Any) -> Any:
        if (
            type(address) is tuple
            and len(address) >= 2
            and address[1] == _USUAL_PORT
            and address[0] in _LOCAL
        ):
            address = (address[0], port, *address[2:])
        return connect(self, address)

    return redirected


def install(port: int, here: str) -> None:
    """Change `socket`, now or when it is imported; then run the `sitecustomize` hidden `here`."""
    if "socket" in sys.modules:
        change(sys.modules["socket"], port)
    else:
        sys.meta_path.insert(0, SocketFinder(port))
    folder = here.rpartition("/")[0]
    others = [entry for entry in sys.path if entry != folder]
    for finder in sys.meta_path:
        if getattr(finder, "__name__", "") == "PathFinder":
            spec = finder.find_spec("sitecustomize", others)
            if spec is not None and spec.loader is not None:
                # What it defines, others look up in the module of that name.
                module = type(sys)("sitecustomize")
                module.__spec__, module.__file__ = spec, spec.origin
                sys.modules["sitecustomize"] = module
                spec.loader.exec_module(module)
            return
