"""Certifies a device: what a run relies on is tried, one contract after the other."""

from __future__ import annotations

import inspect
import time
from collections import Counter, deque
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.device.certify import screen, state
from pytest_mobileagent.device.certify.bench import PACKAGE, Bench
from pytest_mobileagent.device.device import system_of
from pytest_mobileagent.device.doctor.checks import (
    Doubtful,
    Finding,
    Unwell,
    answers,
    examine,
    storage,
)
from pytest_mobileagent.device.drivers.adb import shell
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.fileio import write_json, write_text
from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

    from pytest_mobileagent.device.device import Device

    Contract = Callable[[Bench], str]

Outcome = Literal["holds", "fails", "cannot be"]
_OUTCOMES: dict[str, Outcome] = {"ok": "holds", "warning": "cannot be", "problem": "fails"}
_HEADINGS = {"fails": "Does not hold", "cannot be": "Cannot be on this device", "holds": "Holds"}
_KEPT = (  # settings that the contracts, or the driver on their behalf, may change
    "secure default_input_method",
    "secure enabled_input_methods",
    "secure enabled_accessibility_services",
    "secure accessibility_enabled",
    "system accelerometer_rotation",
    "system user_rotation",
)
_HEARD = 16  # commands, the last of a contract
_LONGEST = 600  # characters of a command or of what it printed
_BACK_SECONDS = 10.0
_SILENT = "not tried: the device no longer answers"
_ASCII = r"""Wi-Fi & 100 of it; a|b <c> (d) #1 = ~2? 50%s off, %d %% it's "so" `$HOME` \n \ $(id)"""
_CONTACTS = "-a android.intent.action.MAIN -c android.intent.category.APP_CONTACTS"


def _storage(bench: Bench) -> str:
    """Read how much free space the data partition has: enough."""
    try:
        return storage(bench.device)
    except Doubtful as doubt:  # every device has storage
        raise Unwell(str(doubt), doubt.remedy) from doubt


CONTRACTS: dict[str, Contract] = {  # in the order in which they are tried
    "commands": state.answers,
    "root": Bench.need_root,
    "storage": _storage,
    "install": state.installs,
    "facts": screen.device_facts,
    "picture and hierarchy": screen.pictures,
    "hierarchy alone": screen.spares_pictures,
    "focus": screen.focus,
    "clock": screen.clock,
    "tap": screen.taps,
    "double tap": screen.double_taps,
    "long press": screen.long_presses,
    "swipe": screen.swipes,
    "drag": screen.drags,
    "scroll up, down": partial(screen.scrolls, kind="Row"),
    "scroll left, right": partial(screen.scrolls, kind="Column"),
    "wait": screen.waits,
    "open": screen.opens,
    "key home": partial(screen.leaves, key="home"),
    "key back": partial(screen.leaves, key="back"),
    "key overview": partial(screen.leaves, key="overview"),
    "key enter": screen.enters,
    "keys delete, tab": screen.edits,
    "keys volume": screen.changes_volume,
    "type ASCII": partial(screen.types, text=_ASCII),
    "type a new line": partial(screen.types, text="one\ntwo", field="lines"),
    "type, clear": screen.clears,
    "type Latin": partial(screen.types, text="Zürich, año, œuvre, łódź, İstanbul"),
    "type Cyrillic": partial(screen.types, text="Привет, мир"),
    "type Greek": partial(screen.types, text="Καλημέρα κόσμε"),
    "type Arabic": partial(screen.types, text="مرحبا بالعالم"),
    "type Hebrew": partial(screen.types, text="שלום עולם"),
    "type Devanagari": partial(screen.types, text="नमस्ते दुनिया"),
    "type Chinese": partial(screen.types, text="你好,世界 北京"),
    "type emoji": partial(screen.types, text="😀 👍🏽 👨‍👩‍👧"),
    "keyboard afterwards": screen.keeps_keyboard,
    "turned left": partial(screen.turns, rotation=1),
    "turned right": partial(screen.turns, rotation=3),
    "split screen": screen.splits,
    "secure page": screen.secure_page,
    "notification shade": screen.opens_shade,
    "lock and wake": state.locks,
    "app Settings": partial(screen.opens_app, intent="-a android.settings.SETTINGS"),
    "app Clock": partial(screen.opens_app, intent="-a android.intent.action.SHOW_ALARMS"),
    "app Contacts": partial(screen.opens_app, intent=_CONTACTS),
    "app Files": partial(screen.opens_app, intent="-a android.intent.action.VIEW_DOWNLOADS"),
    "probe setting": state.settings,
    "probe provider": state.providers,
    "probe prop": state.properties,
    "probes sqlite, preferences": state.app_data,
    "probes file, files": state.stored_files,
    "probe packages": state.listed_packages,
    "probe log": state.logs,
    "permission dialog": state.permissions,
    "reset": state.resets,
    "log lines": state.log_lines,
    "crash": state.crash,
    "events": state.events,
    "uninstall": state.uninstalls,
}


def about(contract: Contract) -> str:
    """Return what a contract does and what must hold, on one line."""
    function = contract.func if isinstance(contract, partial) else contract
    return (inspect.getdoc(function) or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a contract; `printed` are its last commands with what the device printed."""

    name: str
    about: str
    outcome: Outcome
    seen: str
    printed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """The results on a device, which `about` describes."""

    about: dict[str, str]
    results: tuple[Result, ...]

    @property
    def counts(self) -> Counter[Outcome]:
        """How many contracts have each outcome."""
        return Counter(each.outcome for each in self.results)

    @property
    def summary(self) -> str:
        """One line: how many contracts hold, do not, and cannot be."""
        counts = self.counts
        broken, missing = counts["fails"], counts["cannot be"]
        said = f"{len(self.results)} contracts: {counts['holds']} hold, "
        said += f"{broken or 'none'} {'does' if broken == 1 else 'do'} not"
        why = dict.fromkeys(each.seen for each in self.results if each.outcome == "cannot be")
        return f"{said}, {missing} cannot be ({'; '.join(why)})" if missing else said

    def failures(self) -> Iterator[str]:
        """Yield a line for each contract that does not hold."""
        for each in self.results:
            if each.outcome == "fails":
                yield f"failed  {each.name}: {' '.join(each.seen.split())}"

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write certificate.json and the page certificate.html into a folder; return their paths.

        Raises:
            OSError: if they cannot be written.
        """
        from jinja2 import Environment, StrictUndefined  # seldom needed

        folder.mkdir(parents=True, exist_ok=True)
        data, page = folder / "certificate.json", folder / "certificate.html"
        write_json(data, {**asdict(self), "counts": self.counts})
        template = files(__package__).joinpath("certificate.html").read_text("utf-8")
        environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
        groups: dict[str, list[Result]] = {outcome: [] for outcome in _HEADINGS}
        for each in self.results:
            groups[each.outcome].append(each)
        shown = {"about": self.about, "summary": self.summary, "groups": groups}
        shown["headings"] = _HEADINGS
        write_text(page, environment.from_string(template).render(shown))
        return data, page


def attempts(device: Device, names: Iterable[str]) -> Generator[Finding, None, None]:
    """Try contracts in this order, and leave the device as it was, whatever happens.

    Close the iterator: the device is put back then, if it was not at the end.

    Raises:
        DeviceError: if the device cannot be reached to begin with.
    """
    bench = Bench(device)
    kept = _settings(bench)
    try:
        is_silent = False
        for name in names:
            if is_silent:
                yield Finding(name, "warning", _SILENT)
                continue
            finding = _tried(name, bench)
            bench.restore()
            is_silent = finding.level == "problem" and _is_gone(device)
            yield finding
    finally:
        _put_back(bench, kept)


def _is_gone(device: Device) -> bool:
    """Return whether a device no longer answers, which one whose connection was lost soon does."""
    deadline = time.monotonic() + _BACK_SECONDS
    while examine("", answers, device).level != "ok":
        if time.monotonic() > deadline:
            return True
        time.sleep(0.2)
    return False


def _tried(name: str, bench: Bench) -> Finding:
    try:
        return examine(name, CONTRACTS[name], bench)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError, OSError) as error:
        return Finding(name, "problem", f"what the device printed could not be read: {error!r}")


def certify(device: Device, driver: str | None = None) -> Certificate:
    """Try all contracts on a device (see `attempts`)."""
    about_device = _about(device, driver)
    results: list[Result] = []
    with _heard() as heard, closing(attempts(device, CONTRACTS)) as tried:
        for finding in tried:
            name, outcome = finding.check, _OUTCOMES[finding.level]
            printed = tuple(heard) if outcome == "fails" else ()
            what = about(CONTRACTS[name])
            results.append(Result(name, what, outcome, printable(finding.seen), printed))
            heard.clear()
    return Certificate(about_device, tuple(results))


def _settings(bench: Bench) -> list[str]:
    return bench.shell("; ".join(f"settings get {name}" for name in _KEPT)).splitlines()


def _put_back(bench: Bench, kept: list[str]) -> None:
    """Undo what is left, uninstall the app, put the settings back, and go home."""
    bench.restore()
    try:
        now = _settings(bench)
        if len(kept) == len(now) == len(_KEPT):
            for name, old, new in zip(_KEPT, kept, now, strict=True):
                if old != new:
                    put = f"put {name} '{old}'" if old != "null" else f"delete {name}"
                    bench.shell(f"settings {put}")
        bench.shell(f"pm uninstall {PACKAGE} >/dev/null 2>&1; input keyevent HOME")
    except MobileAgentError:
        return  # it no longer answers, as its results say


@contextmanager
def _heard() -> Iterator[deque[str]]:
    """Yield the last commands of the driver, with what the device printed."""
    heard: deque[str] = deque(maxlen=_HEARD)

    def hear(script: str, output: shell.ScriptOutput) -> None:
        heard.append(printable(f"$ {_cut(script)}\n{_cut(str(output))}"))

    shell.listeners.append(hear)
    try:
        yield heard
    finally:
        shell.listeners.remove(hear)


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … ({len(text)} characters)"


def _about(device: Device, driver: str | None) -> dict[str, str]:
    info: dict[str, Any] = asdict(device.info)
    build = system_of(device).shell("getprop ro.build.fingerprint").strip()
    return {
        "device": f"{info['model']} ({info['serial']})",
        "Android": f"{info['android']} (API {info['sdk']})",
        "build": build,
        "screen": "{}x{}".format(*info["size"]) + f", {info['density']} dpi, {info['locale']}",
        "driver": driver or type(device).__name__.removesuffix("Device").lower(),
        "pytest-mobileagent": version("pytest-mobileagent"),
        "tried": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }
