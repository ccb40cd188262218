"""Where it happens: devices, the drivers behind them, and where they come from."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import Device, DeviceInfo, Observation
    from pytest_mobileagent.device.event import Event
    from pytest_mobileagent.device.probe import Probe, files, setting, sqlite

__all__ = ["Device", "DeviceInfo", "Event", "Observation", "Probe", "files", "setting", "sqlite"]

_MODULES = ("device", "event", "probe")


def __getattr__(name: str) -> Any:
    # Every session of pytest imports this room for its options, but few use what is in it.
    if name in __all__:
        for module in (importlib.import_module(f"{__name__}.{module}") for module in _MODULES):
            if hasattr(module, name):
                return getattr(module, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
