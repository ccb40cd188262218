"""The devices of a run: what the options say of them, checked before one starts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.device.options import DeviceOptions
    from pytest_mobileagent.device.sources.source import Source
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.options import OptionValue


def project_sources(config: pytest.Config) -> Mapping[str, type[Source]]:
    """Return the sources of devices that hooks add, by their prefixes.

    Raises:
        pytest.UsageError: two have the same prefix.
    """
    from pytest_mobileagent.device.sources.registry import built_in  # noqa: PLC0415

    found: dict[str, type[Source]] = {}
    for answer in config.hook.pytest_mobileagent_sources(config=config):
        for prefix, source in (answer or {}).items():
            if prefix in found or prefix in built_in() or not prefix.isidentifier():
                taken = "is no word" if not prefix.isidentifier() else "has a source already"
                msg = f"hook pytest_mobileagent_sources names the prefix {prefix!r}, which {taken}"
                raise pytest.UsageError(msg)
            found[prefix] = source
    return found


def read_device(config: pytest.Config, setting: OptionValue) -> OptionValue:
    """Return the value of `--mobile-device` as a source of devices, and what it shows of itself.

    Raises:
        pytest.UsageError: it names none.
    """
    from pytest_mobileagent.device.sources.registry import parse_device  # noqa: PLC0415

    try:
        source = parse_device(setting.value, project_sources(config))
    except ValueError as error:
        raise _usage_error(setting, f" {error}") from None
    return dataclasses.replace(setting, value=source, text=source.shown)


def device_options(run: RunConfig) -> DeviceOptions:
    """Return what the run's options say of devices.

    Raises:
        pytest.UsageError: the file of capabilities cannot be read.
    """
    from pytest_mobileagent.device.options import DeviceOptions  # noqa: PLC0415
    from pytest_mobileagent.plugin.paths import app_folders  # noqa: PLC0415

    driver = run.settings["mobile-driver"]
    return DeviceOptions(
        workers=run.workers,
        apps=tuple(app_folders(run.config)),
        driver=driver.value if driver.is_given else None,
        settle=run.value("mobile-settle"),
        recycle=run.value("mobile-recycle"),
        appium_home=_appium_home(run),
        capabilities=_capabilities(run),
        gpu=run.value("mobile-gpu"),
        emulator_flags=run.value("mobile-emulator-flags") or (),
        boot_limit=run.value("mobile-boot-limit"),
    )


def check_devices(run: RunConfig) -> None:
    """Check what can be known of the devices before one starts.

    Raises:
        pytest.UsageError: they cannot be had, or not driven; the text names the option.
    """
    from pytest_mobileagent.device.drivers.driver import choose_driver  # noqa: PLC0415

    source, options = run.source, device_options(run)
    device, driver = run.settings["mobile-device"], run.settings["mobile-driver"]
    if source.count is not None and run.workers > source.count:
        form = device.text.partition(":")[0] if device.text else ""
        msg = (
            f"-n {run.workers} needs {run.workers} devices, "
            f"{device.option.flag}={form}:… names {source.count}"
        )
        raise pytest.UsageError(msg)
    try:
        chosen = choose_driver(options.driver, source.reached_by)
    except ValueError as error:
        raise _usage_error(driver, f" with {device.option.flag}={device.text}: {error}") from None
    if run.config.option.collectonly:
        return
    try:
        chosen.check(source.reached_by, options)
    except ValueError as error:
        raise _usage_error(driver if driver.is_given else device, f": {error}") from None
    try:
        source.check(options)
    except ValueError as error:
        raise _usage_error(device, f": {error}") from None


def _usage_error(setting: OptionValue, what: str) -> pytest.UsageError:
    where = "" if setting.source.startswith("--") else f" ({setting.source})"
    return pytest.UsageError(f"{setting.option.flag}={setting.text}{where}{what}")


def _appium_home(run: RunConfig) -> Path | None:
    setting = run.settings["mobile-appium-home"]
    default = run.config.rootpath / ".appium"
    if setting.value is None:
        return default if default.is_dir() else None
    return run.path_of(setting)


def _capabilities(run: RunConfig) -> dict[str, Any]:
    from pytest_mobileagent.device.drivers.appium.capabilities import (  # noqa: PLC0415
        parse_capabilities,
    )

    setting = run.settings["mobile-capabilities"]
    if setting.value is None:
        return {}
    try:
        return parse_capabilities(str(run.path_of(setting)))
    except ValueError as error:
        raise _usage_error(setting, f" {error}") from None
