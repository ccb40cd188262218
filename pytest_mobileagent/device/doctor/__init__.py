"""The command `doctor`: checks whether tasks can run on a device."""

from __future__ import annotations

import contextlib
import platform
import sys
import textwrap
from collections import Counter
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.device.device import DeviceOptions, PageDevice, PagesAddress, system_of
from pytest_mobileagent.device.doctor import checks
from pytest_mobileagent.device.doctor.checks import Finding, examine
from pytest_mobileagent.device.doctor.tasks import contents, list_tasks
from pytest_mobileagent.device.drivers import TooOldError, driver_names
from pytest_mobileagent.device.drivers.adb.streams import PACKAGE
from pytest_mobileagent.device.drivers.appium.server import parse_capabilities
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.device.fleet.leases import leased_device, source_of
from pytest_mobileagent.device.sources import forms
from pytest_mobileagent.device.sources.graph import GraphSource
from pytest_mobileagent.errors import MobileAgentError, RecordError
from pytest_mobileagent.fileio import writing
from pytest_mobileagent.jsonable import plural, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.doctor.tasks import Selected
    from pytest_mobileagent.device.fleet.leases import Project
    from pytest_mobileagent.device.sources import Source


_SIGNS = {"ok": "ok     ", "warning": "WARNING", "problem": "PROBLEM"}
_WIDTH = 100
_INTERRUPTED = 130  # as a shell reports a program that SIGINT ended


def main(
    arguments: Sequence[str],
    project: Callable[[], Project],
    select: Callable[[Sequence[str]], Selected],
    versions: Callable[[Path], Mapping[str, Collection[str]]],
) -> int:
    """Examine a device, or list which tasks can run on it.

    `project` is called only if the device needs what a project registers. `select` returns the
    tasks that arguments of pytest select; `versions` returns the versions of the apps in a run.

    Returns:
        The exit status: 0 if there is no problem, or if all tasks can run; otherwise 1.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    selected = select(_selection(parser, given)) if given.tasks else None
    if given.run is not None:
        selected = _compared(parser, given.run, selected, versions)
    try:
        named = given.device if given.device is not None else project().device
        source = source_of(named, project)
    except ValueError as error:
        parser.error(f"--device={named} {error}")
    _check_live(parser, given, source)
    try:
        capabilities = parse_capabilities(given.capabilities) if given.capabilities else {}
    except ValueError as error:
        parser.error(f"--capabilities {error}")
    apps, home = tuple(project().apps) if source.is_virtual else (), given.appium_home
    options = DeviceOptions(
        apps=apps, driver=given.driver, appium_home=home, capabilities=capabilities
    )
    try:
        if selected is not None and isinstance(source, GraphSource):  # it need not be free of flaws
            with contextlib.closing(GraphDevice(source.graph)) as pages:
                return _list(selected, pages, source.refuses)
        with leased_device(source, options) as device:
            if given.certify:
                return _certify(device, given.driver, given.output or Path())
            if selected is not None:
                return _list(selected, device, source.refuses)
            return _examine(device, act=not given.look_only, install=given.install_listener)
    except (MobileAgentError, ValueError) as error:
        remedy = "" if isinstance(error, TooOldError) else f"\n         → {_REMEDY}"
        print(printable(f"PROBLEM  {source.shown}: {error}{remedy}"), file=sys.stderr)
        return 1


def _selection(parser: argparse.ArgumentParser, given: argparse.Namespace) -> list[str]:
    """Return the arguments of pytest that select the tasks."""
    words = [str(path) for path in given.tasks]
    if unknown := [word for word in words if not Path(word.partition("::")[0]).exists()]:
        parser.error(f"--tasks: {unknown[0]} does not exist")
    for flag, value in (("-k", given.k), ("-m", given.m)):
        words += [f"{flag}={value}"] if value else []
    return [*words, *([f"--mobile-device-has={given.device_has}"] if given.device_has else [])]


def _compared(
    parser: argparse.ArgumentParser,
    run: Path,
    selected: Selected | None,
    versions: Callable[[Path], Mapping[str, Collection[str]]],
) -> Selected:
    """Return the tasks with the versions that their apps had in a run."""
    if selected is None:
        parser.error("--run compares the apps of --tasks with an earlier run: add --tasks")
    try:
        return replace(selected, versions=versions(run))
    except (OSError, RecordError) as error:
        parser.error(f"--run: {error}")


def _check_live(parser: argparse.ArgumentParser, given: argparse.Namespace, source: Source) -> None:
    """Check the options that need a live device, and create the folder of a certificate."""
    if given.output is not None and not given.certify:
        parser.error("-o names the folder of a certificate: add --certify")
    if given.certify and (given.tasks or given.look_only):
        parser.error("--certify tries the device itself: leave out --tasks and --look-only")
    if given.install_listener and (given.tasks or given.certify):
        parser.error("--install-listener is for checks: leave out --tasks and --certify")
    named = {"--certify": given.certify, "--install-listener": given.install_listener}
    live = [option for option, is_given in named.items() if is_given]
    if live and source.reached_by is PagesAddress:
        why = f"{live[0]} needs a live device, and {source.shown} is of recorded pages"
        parser.exit(2, f"{parser.prog}: {printable(why)}\n")
    if given.output is not None:
        try:
            given.output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"-o {given.output}: {error.strerror}")


def _certify(device: Device, driver: str | None, folder: Path) -> int:
    """Try all contracts, and write the certificate."""
    from pytest_mobileagent.device.certify import certify  # seldom needed

    try:
        certificate = certify(device, driver)
    except KeyboardInterrupt:
        print("interrupted: the device is as it was, and nothing is written", file=sys.stderr)
        return _INTERRUPTED
    with writing(folder):
        paths = certificate.write(folder)
    print(printable(f"{certificate.summary}      {paths[0]}  {paths[1]}"))
    for line in certificate.failures():
        print(printable(line))
    return 1 if certificate.counts["fails"] else 0


def _list(selected: Selected, device: Device, refuses: Callable[[Task], str]) -> int:
    stuck, lines = list_tasks(selected, device, refuses)
    for line in lines:
        print(printable(line))
    return 1 if stuck else 0


def _examine(device: Device, *, act: bool, install: bool) -> int:
    for line in _head(device):
        print(line)
    levels: Counter[str] = Counter()
    for finding in findings(device, act=act, install=install):
        levels[finding.level] += 1
        print("\n".join(_lines(finding)), flush=True)
    counts = ", ".join(plural(levels[level], level) for level in ("problem", "warning"))
    print(f"\n{plural(levels.total(), 'check')}: {counts}")
    return 1 if levels["problem"] else 0


_REMEDY = (
    "`adb devices` must list an attached device as `device`; Appium must be installed (see "
    "--appium-home) or, for appium:URL, running; see docs/devices.md and, for graph:DIR, "
    "docs/recorded-pages.md"
)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("doctor"),
        description="Check whether tasks can run on a device, and print any faults and remedies.",
        epilog="The last checks act: in a small app, which is installed for them and removed "
        "again, they tap, type and rotate the screen. They end at the home screen. The exit status "
        "is 1 if there is a problem.",
    )
    add = parser.add_argument
    what = f"one device, written like a run's --mobile-device, which is the default: {forms()}"
    add("--device", metavar="DEVICE", help=what)
    what = "the driver of the device (default: the first of these that can drive it)"
    add("--driver", choices=driver_names(), help=what)
    what = "the folder in which npm has installed Appium"
    add("--appium-home", metavar="DIR", type=Path, help=what)
    add("--capabilities", metavar="FILE", help="a JSON file of capabilities for Appium's session")
    _add_tasks(parser)
    add("--look-only", action="store_true", help="leave out the checks that act on the device")
    add(
        "--install-listener",
        action="store_true",
        help="install the event listener, an app without a screen that some tasks need "
        "(docs/events.md), before it is checked",
    )
    add(
        "--certify",
        action="store_true",
        help="instead of checking what tasks need, try everything that this package does to a "
        "device, in about five minutes: a small app is installed for it and removed again. It "
        "writes certificate.json and certificate.html. The exit status is 1 if a contract does "
        "not hold",
    )
    what = "the folder for the certificate (default: the current folder)"
    add("-o", metavar="DIR", dest="output", type=Path, help=what)
    return parser


def _add_tasks(parser: argparse.ArgumentParser) -> None:
    """Add the options about the tasks that are to run on the device."""
    add = parser.add_argument
    what = "list which of these tasks can run on it, and what the others lack"
    what = f"instead of checking the device, {what}"
    add("--tasks", metavar="PATH", nargs="+", help=what)
    add("-k", metavar="EXPRESSION", help="only the tasks that pytest's -k selects")
    add("-m", metavar="EXPRESSION", help="only the tasks that pytest's -m selects")
    what = "what the device has that tasks may need, like a run's --mobile-device-has"
    add("--device-has", metavar="WORD,…", help=what)
    what = "an earlier run: also list which apps of the tasks had other versions in it"
    add("--run", metavar="RUN", type=Path, help=what)


def _head(device: Device) -> Iterator[str]:
    info = device.info
    names = [n for n in ("pytest", "adbutils", "Appium-Python-Client") if _is_installed(n)]
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    host = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield f"pytest-mobileagent {version('pytest-mobileagent')}, {host}; {packages}"
    android = f"Android {info.android} (API {info.sdk}), " if info.sdk else ""
    yield (
        f"{info.serial}: {info.model}, {android}"
        f"{info.size[0]}x{info.size[1]} at {info.density} dpi, {info.locale}"
    )
    if not isinstance(device, PageDevice):
        yield system_of(device).shell("getprop ro.build.fingerprint").strip()
    yield ""


def _is_installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def _lines(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{_SIGNS[finding.level]}  {finding.check}: ", finding.seen)
    if finding.remedy:
        yield from _wrapped("         → ", finding.remedy)


def _wrapped(head: str, text: str) -> list[str]:
    words = " ".join(text.split()) or "-"
    lines = textwrap.wrap(words, _WIDTH - 11, break_on_hyphens=False, break_long_words=False)
    return [head + lines[0], *(" " * 11 + line for line in lines[1:])]


OF_PAGES = (checks.snapshots, contents)
LOOKING = (
    *(checks.answers, checks.awake, checks.unlocked, checks.root, checks.storage, checks.clock),
    *(checks.animations, checks.keyboard, checks.events, checks.snapshots, checks.screenshot),
    *(checks.hierarchy, checks.focus),
)
QUICK = ("open", "key home", "tap", "scroll up, down", "type ASCII", "type Chinese", "turned left")


def title(check: Callable[[Device], str]) -> str:
    """Return the name of a check in reports."""
    return check.__name__.replace("_", " ")


def findings(device: Device, *, act: bool = True, install: bool = False) -> Iterator[Finding]:
    """Run the checks in order, and yield their findings; without `act`, only observe.

    With `install`, the event listener is installed where it would be looked for. Acting means some
    contracts, which need an app that is installed and removed again. Only a few checks apply to
    recorded pages, whose graph has been checked before.
    """
    for check in OF_PAGES if isinstance(device, PageDevice) else LOOKING:
        does = install_listener if install and check is checks.events else check
        yield examine(title(check), does, device)
    if act and not isinstance(device, PageDevice):
        yield from _acting(device)


def install_listener(device: Device) -> str:
    """Install the event listener, or replace it, and enable it: it answers.

    Its APK is built from fixtures/listener/ in the repository, by `make listener`.
    """
    from pytest_mobileagent.device.certify.bench import Bench  # seldom used

    bench = Bench(device)
    try:
        printed = bench.install(resources(__package__).joinpath("listener.apk").read_bytes())
    finally:
        bench.restore()
    if "Success" not in printed:
        remedy = "allow apps to be installed by adb"
        if "INSTALL_FAILED_UPDATE_INCOMPATIBLE" in printed:
            remedy = f"remove the one that another key signed: `adb uninstall {PACKAGE}`"
        raise checks.Unwell(f"pm install prints {printed!r}", remedy)
    system_of(device).refresh()
    if not device.info.listener:
        remedy = "try again, then see `adb logcat`; through an Appium hub, there are no events"
        raise checks.Unwell("the event listener was installed, but does not answer", remedy)
    return "the event listener was installed, and answers"


def _acting(device: Device) -> Iterator[Finding]:
    """Yield the findings of some contracts, without that of the installation they need."""
    from pytest_mobileagent.device.certify import attempts  # it imports much

    with contextlib.closing(attempts(device, ("install", *QUICK))) as tried:
        for finding in tried:
            if finding.check != "install":
                yield finding
            elif finding.level != "ok":
                why = f"taps, typing and other actions were not tried: {finding.seen}"
                yield Finding("actions", "warning", why, "allow apps to be installed by adb")
                return
