"""Where it happens: devices, the drivers behind them, and where they come from."""

from pytest_mobileagent.device.device import Device, DeviceInfo, Observation
from pytest_mobileagent.device.event import Event
from pytest_mobileagent.device.probe import Probe, files, setting, sqlite

__all__ = ["Device", "DeviceInfo", "Event", "Observation", "Probe", "files", "setting", "sqlite"]
