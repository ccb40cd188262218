"""What a user may choose about devices, whichever they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.device.settle import Settle

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class DeviceOptions:
    """The options that concern devices; a source or a driver takes from them what it needs.

    - `workers`: how many processes each need a device.
    - `apps`: the folders of apps for virtual phones.
    - `driver`: what drives the devices, None for whatever can; `settle`: how long it waits.
    - `recycle`: after how many episodes a started device is replaced.
    - `appium_home`, `capabilities`: where Appium is, and what is asked of its sessions.
    - `gpu`, `emulator_flags`, `boot_limit` (seconds): how emulators are started.
    """

    workers: int = 1
    apps: tuple[Path, ...] = ()
    driver: str | None = None
    settle: Settle = field(default_factory=Settle)
    recycle: int = 50
    appium_home: Path | None = None
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    gpu: str = "software"
    emulator_flags: tuple[str, ...] = ()
    boot_limit: float = 300.0
