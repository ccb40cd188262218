"""`python -m pytest_mobileagent doctor`: examine a device, and print what fits in a bug report."""

from __future__ import annotations

import argparse
import platform
import sys
import textwrap
from contextlib import ExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.checks import findings
from pytest_mobileagent.device.drivers.appium.capabilities import parse_capabilities
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.settle import Settle
from pytest_mobileagent.device.sources.choose import leased_device
from pytest_mobileagent.device.sources.spec import parse_device
from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.doctor.finding import Finding
    from pytest_mobileagent.device.sources.spec import DeviceSpec

_SIGNS = {"ok": "ok     ", "warning": "WARNING", "problem": "PROBLEM"}
_WIDTH = 100


def main(arguments: Sequence[str]) -> int:
    """Examine a device; the exit status is 0 if nothing breaks episodes, 1 if something does."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        spec = _device(options.device)
    except ValueError:
        parser.error(f"--device {_DEVICE}")
    try:
        capabilities = parse_capabilities(options.capabilities) if options.capabilities else {}
    except ValueError as error:
        parser.error(f"--capabilities {error}")
    values = {
        "mobile-device": spec,
        "mobile-driver": options.driver,
        "mobile-appium-home": options.appium_home,
        "mobile-capabilities": capabilities,
        "mobile-settle": Settle(),
        "mobile-recycle": 1,
    }
    with ExitStack() as stack:
        try:
            leased = leased_device(values.__getitem__, lambda: _shared(stack), 1, ())
            stack.callback(leased.close)
            return _examine(leased.get(), act=not options.look_only)
        except MobileAgentError as error:
            appium = spec.kind == "appium" or options.driver == "appium"
            remedy = _NO_APPIUM if appium else _UNREACHABLE
            print(f"PROBLEM  {error}\n         → {remedy}", file=sys.stderr)
            return 1


def _device(text: str) -> DeviceSpec:
    """Read `--device`, with or without the `serial:` that a run's `--mobile-device` has.

    Raises:
        ValueError: it names no device that is there already.
    """
    kind = text.partition(":")[0]
    if kind in ("virtual", "avd"):
        raise ValueError(text)
    spec = parse_device(text if kind in ("serial", "appium") else f"serial:{text}")
    if len(spec.places) > 1:
        raise ValueError(text)
    return spec


def _shared(stack: ExitStack) -> SharedRun:
    shared = SharedRun()
    stack.callback(shared.close)
    return shared


def _examine(device: Device, *, act: bool) -> int:
    for line in _head(device):
        print(line)
    found = []
    for finding in findings(device, act=act):
        found.append(finding)
        print("\n".join(_lines(finding)), flush=True)
    problems = sum(finding.level == "problem" for finding in found)
    warnings = sum(finding.level == "warning" for finding in found)
    counts = f"{_count(problems, 'problem')}, {_count(warnings, 'warning')}"
    print(f"\n{_count(len(found), 'check')}: {counts}")
    return 1 if problems else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


_DEVICE = (
    "has to be one device that runs: SERIAL as `adb devices` lists it, HOST:PORT/SERIAL at another "
    "adb server, or appium:URL"
)
_NO_APPIUM = (
    "Appium has to be installed (see --appium-home) or, for appium:URL, to run; `adb devices` has "
    "to list the device as `device`"
)
_UNREACHABLE = (
    "`adb devices` has to list it as `device`; start the adb server with `adb start-server`, and "
    "allow this machine on the device's screen"
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_mobileagent doctor",
        description="Check a device: whether tasks can run on it, what is wrong, how to remedy it.",
        epilog="Some checks open Settings, type into its search and turn the screen; they end at "
        "the home screen, and nothing is installed or deleted. The exit status is 1 if there is a "
        "problem.",
    )
    parser.add_argument(
        "--device",
        required=True,
        metavar="DEVICE",
        help="SERIAL as `adb devices` lists it, HOST:PORT/SERIAL at another adb server, or "
        "appium:URL for the device that an Appium server gives",
    )
    parser.add_argument(
        "--driver",
        choices=("adb", "appium"),
        default="adb",
        help="what drives the device (default: adb)",
    )
    parser.add_argument(
        "--appium-home", metavar="DIR", help="the folder in which npm has installed Appium"
    )
    parser.add_argument(
        "--capabilities", metavar="FILE", help="a JSON file of capabilities for Appium's session"
    )
    parser.add_argument(
        "--look-only", action="store_true", help="leave out the checks that act on the device"
    )
    return parser


def _head(device: Device) -> Iterator[str]:
    info = device.info
    names = ("pytest", "adbutils", "Appium-Python-Client")
    yield " ".join(
        [
            f"pytest-mobileagent {version('pytest-mobileagent')},",
            f"Python {platform.python_version()} on {platform.system()} {platform.machine()};",
            ", ".join(f"{name} {version(name)}" for name in names),
        ]
    )
    yield (
        f"{info.serial}: {info.model}, Android {info.android} (API {info.sdk}), "
        f"{info.size[0]}x{info.size[1]} at {info.density} dpi, {info.locale}"
    )
    yield system_of(device).shell("getprop ro.build.fingerprint").strip()
    yield ""


def _lines(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{_SIGNS[finding.level]}  {finding.check}: ", finding.seen)
    if finding.remedy:
        yield from _wrapped("         → ", finding.remedy)


def _wrapped(head: str, text: str) -> list[str]:
    lines = textwrap.wrap(
        " ".join(text.split()) or "-", _WIDTH - 11, break_on_hyphens=False, break_long_words=False
    )
    return [head + lines[0], *(" " * 11 + line for line in lines[1:])]
