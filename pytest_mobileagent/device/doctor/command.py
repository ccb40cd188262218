"""`python -m pytest_mobileagent doctor`: examine a device, and print what fits in a bug report."""

from __future__ import annotations

import argparse
import platform
import sys
import textwrap
from contextlib import ExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING

from pytest_mobileagent.device.appium.capabilities import parse_capabilities
from pytest_mobileagent.device.doctor.checks import findings
from pytest_mobileagent.device.provision.choose import leased_device
from pytest_mobileagent.device.provision.run import SharedRun
from pytest_mobileagent.device.provision.spec import parse_device
from pytest_mobileagent.device.settle import Settle
from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.doctor.finding import Finding

_SIGNS = {"ok": "ok     ", "warning": "WARNING", "problem": "PROBLEM"}
_WIDTH = 100


def main(arguments: Sequence[str]) -> int:
    """Examine a device; the exit status is 0 if nothing breaks episodes, 1 if something does."""
    parser = _parser()
    options = parser.parse_args(arguments)
    server = options.device.startswith("appium:")
    what = "--device"
    try:
        spec = parse_device(options.device if server else f"serial:{options.device}")
        what = "--capabilities"
        capabilities = parse_capabilities(options.capabilities) if options.capabilities else {}
    except ValueError as error:
        parser.error(f"{what} {error}")
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
            print(f"PROBLEM  {error}\n         → {_UNREACHABLE}", file=sys.stderr)
            return 1


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
    print(f"\n{len(found)} checks: {problems} problems, {warnings} warnings")
    return 1 if problems else 0


_UNREACHABLE = (
    "`adb devices` has to list it as `device`; start the adb server with `adb start-server`, and "
    "allow this machine on the device's screen"
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_mobileagent doctor",
        description="Check a device: whether tasks can run on it, what is wrong, how to mend it.",
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
    yield device.shell("getprop ro.build.fingerprint").strip()
    yield ""


def _lines(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{_SIGNS[finding.level]}  {finding.check}: ", finding.seen)
    if finding.mend:
        yield from _wrapped("         → ", finding.mend)


def _wrapped(head: str, text: str) -> list[str]:
    lines = textwrap.wrap(
        " ".join(text.split()) or "-", _WIDTH - 11, break_on_hyphens=False, break_long_words=False
    )
    return [head + lines[0], *(" " * 11 + line for line in lines[1:])]
