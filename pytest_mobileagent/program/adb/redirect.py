"""Redirects a Python program's connections from the usual adb server to the one of its phone.

A copy of this file becomes the program's `sitecustomize`, under any version of Python. It therefore
imports nothing from this package, and only modules that Python has already loaded by then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's own takes milliseconds to import
if TYPE_CHECKING:
    from typing import Any

_USUAL_PORT = 5037
_LOCAL = ("127.0.0.1", "localhost", "::1", "0.0.0.0", "")  # noqa: S104 - a connection to it is meant for us


class SocketFinder:
    """Finds `socket` like other finders, and patches the module when it is first imported."""

    def __init__(self, port: int) -> None:
        self._port = port

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of `socket`, which patches it when loaded; None for other modules."""
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
    """Make the sockets of the module `socket` connect to `port` instead of adb's usual port."""
    for name in ("connect", "connect_ex"):
        setattr(module.socket, name, _redirected(getattr(module.socket, name), port))


def _redirected(connect: Any, port: int) -> Any:
    def redirected(self: Any, address: Any) -> Any:
        is_place = type(address) is tuple and len(address) >= 2
        if is_place and address[1] == _USUAL_PORT and address[0] in _LOCAL:
            address = (address[0], port, *address[2:])
        return connect(self, address)

    return redirected


def install(port: int, here: str) -> None:
    """Patch `socket`, now or on import; then run the `sitecustomize` that `here` hides."""
    if "socket" in sys.modules:
        change(sys.modules["socket"], port)
    else:
        sys.meta_path.insert(0, SocketFinder(port))
    others = [entry for entry in sys.path if entry != here.rpartition("/")[0]]
    for finder in sys.meta_path:
        if getattr(finder, "__name__", "") == "PathFinder":
            spec = finder.find_spec("sitecustomize", others)
            if spec is not None and spec.loader is not None:
                # Other modules look up its definitions in the module of that name.
                module = type(sys)("sitecustomize")
                module.__spec__, module.__file__ = spec, spec.origin
                sys.modules["sitecustomize"] = module
                spec.loader.exec_module(module)
            return
