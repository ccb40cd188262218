"""The devices of a run, as the options describe them, checked before any of them starts."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import InfrastructureError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.settings import (
    as_usage_error,
    folders,
    project_sources,
    runs_no_test,
    usage_error,
)

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.leases import LeasedDevice
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.sources import Source
    from pytest_mobileagent.plugin.context import RunContext


class RunDevices:
    """The devices of a pytest process, and of its workers if it has any.

    The text of `--mobile-device` is replaced by one that is safe to display.

    Raises:
        pytest.UsageError: if the option's value is not a device.
    """

    def __init__(self, context: RunContext) -> None:
        self._run = context
        self._config, self._settings = context.config, context.settings
        self._are_started = False
        self._given = ""  # the value of --mobile-device as the user wrote it
        if self._settings["mobile-device"].is_given:
            self.source  # an error in it is reported at once

    @cached_property
    def source(self) -> Source:
        """The source of devices that `--mobile-device` names.

        Raises:
            pytest.UsageError: if there is no such source.
        """
        from pytest_mobileagent.device.sources import parse_device

        setting = self._settings["mobile-device"]
        self._given = str(setting.value)
        try:
            source = parse_device(setting.value, project_sources(self._config))
        except ValueError as error:
            raise usage_error(setting, f" {error}") from None
        self._settings["mobile-device"] = dataclasses.replace(setting, text=source.shown)
        return source

    def check(self) -> None:
        """Check the devices, as far as possible before any of them starts.

        Raises:
            pytest.UsageError: if they cannot be used, or not with the chosen driver.
        """
        from pytest_mobileagent.device.drivers import choose_driver

        source, options = self.source, self._options()
        if self._run.is_elsewhere:  # each worker checks the devices of its machine
            return
        device, driver = self._settings["mobile-device"], self._settings["mobile-driver"]
        if source.count is not None and self._run.workers > source.count:
            names = f"{device.option.flag}={source.shown.partition(':')[0]}:… names {source.count}"
            msg = f"-n {self._run.workers} needs {self._run.workers} devices, {names}"
            raise pytest.UsageError(printable(msg))
        clock = self._settings["mobile-device-time"]
        where = f" with {device.option.flag}={device.text}"
        if clock.value is not None and (source.count is not None or not source.is_live):
            why = "only phones that the run starts have their clock set"
            raise usage_error(clock, f"{where}: {why}")
        try:
            chosen = choose_driver(options.driver, source.reached_by)
        except ValueError as error:
            raise usage_error(driver, f"{where}: {error}") from None
        if runs_no_test(self._config):
            return
        with as_usage_error(ValueError, driver if driver.is_given else device):
            chosen.check(source.reached_by, options)
        try:
            source.check(options)
        except ValueError as error:
            raise usage_error(device, f": {error}{self._other_forms()}") from None

    def _other_forms(self) -> str:
        """Return a hint with all forms of DEVICE if a bare word was taken for a serial; else ""."""
        from pytest_mobileagent.device.sources import forms, is_bare

        more = project_sources(self._config)
        hint = f"\nIf this is not a serial, it can be {forms(more)}"
        return hint if is_bare(self._given, more) else ""

    def packages(self) -> Collection[str] | None:
        """Return the packages on the devices; None if they are unknown before one starts."""
        return self.source.packages(self._options(), self._shared)

    def lease(self) -> LeasedDevice:
        """Return a lease of one device, which is connected when it is first needed."""
        from pytest_mobileagent.device.fleet.leases import lease_devices

        return lease_devices(self.source, self._options(), self._shared, 1)[0]

    def start(self) -> None:
        """Start all devices, so they are ready for the first episodes."""
        if self._are_started or self._run.is_elsewhere:
            return
        self._are_started = True
        with suppress(InfrastructureError):  # the test that needs the device reports it
            self.source.open(self._options(), self._shared).prestart()

    def _shared(self) -> SharedRun:
        return self._run.shared

    def _options(self) -> DeviceOptions:
        from pytest_mobileagent.device.device import DeviceOptions

        value = {name: setting.value for name, setting in self._settings.items()}
        driver = self._settings["mobile-driver"]
        return DeviceOptions(
            workers=self._run.workers,
            apps=tuple(folders(self._config, "apps")),
            clock=value["mobile-device-time"],
            driver=driver.value if driver.is_given else None,
            settle=value["mobile-settle"],
            log=value["mobile-log"],
            recycle=value["mobile-recycle"],
            appium_home=self._appium_home(),
            capabilities=self._capabilities(),
            copies_pages=value["mobile-copy-pages"],
            gpu=value["mobile-gpu"],
            emulator_flags=value["mobile-emulator-flags"] or (),
            boot_limit=value["mobile-boot-limit"],
        )

    def _appium_home(self) -> Path | None:
        setting, default = self._settings["mobile-appium-home"], self._config.rootpath / ".appium"
        if setting.value is not None:
            return self._run.path_of(setting)
        return default if default.is_dir() else None

    def _capabilities(self) -> dict[str, Any]:
        from pytest_mobileagent.device.drivers.appium.server import parse_capabilities

        setting = self._settings["mobile-capabilities"]
        if setting.value is None:
            return {}
        try:
            return parse_capabilities(str(self._run.path_of(setting)))
        except ValueError as error:
            raise usage_error(setting, f" {error}") from None
