"""Contracts about state: probes, logs, crashes, events, permissions, resets, sleep and the app."""

from __future__ import annotations

import time
from contextlib import suppress
from importlib.resources import files as resources

from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.device.certify.bench import PACKAGE, Bench, CannotBe, expect, need
from pytest_mobileagent.device.certify.screen import LAUNCHER, types
from pytest_mobileagent.device.device import (
    LOCK,
    POWER,
    is_locked,
    log_of,
    stored_crashes_of,
    system_of,
    wakefulness,
)
from pytest_mobileagent.device.drivers.adb.console import Console, ReadOnlyError
from pytest_mobileagent.device.drivers.adb.streams import PACKAGE as LISTENER
from pytest_mobileagent.device.logcat import crashes
from pytest_mobileagent.device.probes import since_now
from pytest_mobileagent.device.probes.services import (
    MARK,
    NAMESPACES,
    log,
    packages,
    prop,
    provider,
    setting,
)
from pytest_mobileagent.device.probes.stored import file, files, preferences, sqlite
from pytest_mobileagent.errors import DeviceError

KEY = "mobileagent_contract"  # a setting of our own
FOLDER = "/sdcard/mobileagent-contracts"
PERMISSION = "android.permission.READ_CONTACTS"
_TEXT = "kept 1"
_SNAPSHOT = "mobileagent-contract"


def answers(bench: Bench) -> str:
    """Print lines beyond ASCII, an error and a status: all of it comes back, in order."""
    printed = bench.shell("printf 'ü\\n北 \\n'; ls /mobileagent-none; (exit 3); echo $?")
    lines = printed.split("\n")
    expect(["ü", "北 "], lines[:2], "printf")
    need("No such file" in lines[2], f"ls prints {lines[2]!r} for a file that does not exist")
    expect("3", lines[3], "the exit status")
    return "output, errors and status"


def installs(bench: Bench) -> str:
    """Install the contracts' app: the package manager lists it, and Android finds its activity."""
    bench.shell(f"pm uninstall {PACKAGE}")
    printed = bench.install(resources(__package__).joinpath("contracts.apk").read_bytes())
    need("Success" in printed, f"pm install prints {printed!r}")
    need(_is_installed(bench), f"pm install printed {printed!r}, but nothing is installed")
    bench.has_app = True
    system = system_of(bench.device)
    system.refresh()
    expect("1", system.versions().get(PACKAGE), "the version code of the app")
    expect(f"{PACKAGE}/.Main", bench.resolve(f"{LAUNCHER} {PACKAGE}"), "its activity")
    return "installed"


def _is_installed(bench: Bench) -> bool:
    path, version = f"pm path {PACKAGE}", f"dumpsys package {PACKAGE} | grep versionCode="
    known = [word in bench.shell(ask) for word, ask in (("base.apk", path), ("=1", version))]
    need(known[0] == known[1], f"`{path if known[1] else version}` does not know {PACKAGE}")
    return known[0]


def uninstalls(bench: Bench) -> str:
    """Uninstall the contracts' app: it is gone, with its data."""
    if not bench.has_app:
        raise CannotBe("the contracts' app is not installed")
    printed = bench.shell(f"pm uninstall {PACKAGE}")
    printed = printed.strip()
    need(not _is_installed(bench), f"pm uninstall prints {printed!r}; the app is still there")
    names = bench.read({"names": packages()})["names"]
    need(isinstance(names, list) and PACKAGE not in names, "pm list packages still lists the app")
    bench.has_app = False
    return printed


def settings(bench: Bench) -> str:
    """Put settings of all three namespaces: the probe reads them, then no longer."""
    probes = {space: setting(space, KEY) for space in NAMESPACES}
    for space in NAMESPACES:
        bench.put(space, KEY, f"in_{space}")
    expect({space: f"in_{space}" for space in NAMESPACES}, dict(bench.read(probes)), "settings")
    bench.restore()
    expect(dict.fromkeys(NAMESPACES), dict(bench.read(probes)), "settings after their deletion")
    return "system, secure, global"


def providers(bench: Bench) -> str:
    """Put a setting: the probe of the settings' provider reads its row."""
    bench.put("global", KEY, "row")
    probe = provider("content://settings/global", ["name", "value"], where=f"name='{KEY}'")
    expect([{"name": KEY, "value": "row"}], bench.read({"rows": probe})["rows"], "the rows")
    return "one row"


def properties(bench: Bench) -> str:
    """Read properties: the API level that the app reads, and one that was just set."""
    level = bench.page().facts["sdk"]
    bench.shell("setprop debug.mobileagent contract")
    bench.undo.append("setprop debug.mobileagent ''")
    probes = {"sdk": prop("ro.build.version.sdk"), "own": prop("debug.mobileagent")}
    expect({"sdk": level, "own": "contract"}, dict(bench.read(probes)), "the properties")
    return f"API {level}"


def app_data(bench: Bench) -> str:
    """Save a text in the app: the probes find it in its database and in its preferences."""
    bench.need_root()
    types(bench, _TEXT)
    query = sqlite(f"/data/data/{PACKAGE}/databases/contracts.db", "SELECT text FROM texts")
    text = preferences(PACKAGE, "contracts", "text")
    read = bench.read({"rows": query, "text": text})
    need({"text": _TEXT} in (read["rows"] or ()), f"the database has {read['rows']}")
    expect(_TEXT, read["text"], "the preference")
    return "a row and a preference"


def stored_files(bench: Bench) -> str:
    """Write files in the shared storage: the probes read one of them, and list them."""
    bench.undo.append(f"rm -rf {FOLDER}")
    write = f"printf 'a\\nß 北\\n' > {FOLDER}/one.txt; echo 2 > {FOLDER}/sub/2"
    bench.shell(f"mkdir -p {FOLDER}/sub; {write}")
    probes = {"one": file(f"{FOLDER}/one.txt"), "none": file(f"{FOLDER}/none")}
    wanted = {"one": "a\nß 北\n", "none": None, "all": ["one.txt", "sub/", "sub/2"]}
    expect(wanted, dict(bench.read({**probes, "all": files(FOLDER)})), "the files")
    return "two files"


def listed_packages(bench: Bench) -> str:
    """List packages: the contracts' app is a third party's, Android itself the system's."""
    bench.page()
    both = {PACKAGE, "android"}
    wanted = {"all": both, "third-party": {PACKAGE}, "system": {"android"}, "enabled": both}
    for kind, names in bench.read({kind: packages(kind) for kind in wanted}).items():
        listed = both.intersection(names) if isinstance(names, list) else names
        expect(wanted[kind], listed, f"of {PACKAGE} and android, the list of {kind} packages has")
    return "four lists"


def logs(bench: Bench) -> str:
    """Log a line in the app: the probe finds it, but none from before it was armed."""
    page = bench.tap(bench.page(), "Log")
    probe = log("Log", tag="MobileContracts")
    armed = since_now({"log": probe}, system_of(bench.device))
    marks = bench.shell(f"logcat -d -s {MARK}")
    need(str(getattr(armed["log"], "start", "")) in marks, f"no mark is in the log, but {marks!r}")
    expect([], bench.read(armed)["log"], "lines since the probe was armed")
    now = bench.tap(page, "Log").said
    need(now.endswith("Log 2"), f"the app says {now!r}")
    expect([now], bench.read(armed)["log"], "lines since the probe was armed")
    return "one line"


def log_lines(bench: Bench) -> str:
    """Log a line in the app: it is among the lines that are recorded with a step."""
    page = bench.page()
    if log_of(bench.device) is None:
        printed = bench.shell("logcat -d -t 1 2>&1")
        need("no such" in printed.lower() or not printed, f"no log is read; logcat: {printed!r}")
        raise CannotBe("no log")
    bench.tap(page, "Log")
    lines = log_of(bench.device, late=True) or ()
    need(any(line.text == "tap Log 1" for line in lines), f"the log has {[*map(str, lines[-3:])]}")
    return f"{len(lines)} lines"


def crash(bench: Bench) -> str:
    """Let the app crash: the log and Android's DropBox both report it."""
    page = bench.page()
    log_of(bench.device)
    bench.undo.append(f"am force-stop {PACKAGE}; input keyevent HOME")
    need(not bench.tap(page, "Crash").is_shown, "the app is still shown")
    lines = log_of(bench.device, late=True)
    found = [each.package for each in crashes(lines or ())]
    need(lines is None or PACKAGE in found, f"the log reports crashes of {found}")
    assert page.screen.time is not None
    stored = stored_crashes_of(bench.device, page.screen.time.replace(microsecond=0))
    need(stored is not None, "dumpsys dropbox cannot be read")
    kept = [each.package for _, each in stored or ()]
    need(PACKAGE in kept, f"DropBox reports crashes of {kept}")
    return "in DropBox" if lines is None else "in the log and in DropBox"


def events(bench: Bench) -> str:
    """Tap a button: the listener reports the click, by the app's package."""
    if not bench.device.info.listener:
        system = system_of(bench.device)
        if getattr(system, "address", None) is not None:  # nobody but adb reaches the listener
            need(LISTENER not in system.packages(), "the event listener does not answer")
        raise CannotBe("no event listener")
    page = bench.page()
    bench.device.events()
    bench.tap(page, "One")
    found = [(each.type, each.package) for each in bench.device.events()]
    need(("clicked", PACKAGE) in found, f"the events were {found}")
    return f"{len(found)} events"


def permissions(bench: Bench) -> str:
    """Let the app ask for a permission, allow it, and revoke it: the app and Android know."""
    revoke, ask = f"pm revoke {PACKAGE} {PERMISSION}", f"dumpsys package {PACKAGE}"
    bench.page()
    bench.shell(revoke)  # which ends the app
    dialog = bench.tap(bench.page(), "Ask").screen
    allow = [each for each in dialog.elements if "permission_allow_" in each.resource_id]
    need(allow, f"no dialog with a button to allow; in front: {dialog.package}")
    expect("granted", bench.do(Tap(*allow[0].bounds.center)).said, "the app")
    for script, told in (("true", "granted=true"), (revoke, "granted=false")):
        printed = bench.shell(f"{script}; {ask} | grep {PERMISSION}:").strip()
        need(told in printed, f"dumpsys package prints {printed!r}, not {told}")
    return "granted, then revoked"


def resets(bench: Bench) -> str:
    """Reset the device, to a snapshot of this moment or by clearing the app: a change is gone."""
    system = system_of(bench.device)
    address = getattr(system, "address", None)
    types(bench, _TEXT)
    if names := system.snapshots():
        if address is None:
            raise CannotBe("snapshots cannot be saved here")
        console, name = Console(address), _SNAPSHOT
        try:
            try:
                console.save(name)
            except ReadOnlyError:  # an emulator of this command's own
                name = names[0]
            bench.put("global", KEY, "changed")
            done = system.reset(name, ())
        finally:
            with suppress(DeviceError):
                console.delete(_SNAPSHOT)
        expect("snapshot", done.kind, f"the reset ({done})")
        bench.has_app = _is_installed(bench)
        left = bench.shell(f"settings get global {KEY}").strip()
        expect("null", left, "a setting that was put after the snapshot")
        return str(done)
    kept = f"run-as {PACKAGE} ls shared_prefs"
    need("contracts.xml" in bench.shell(kept), f"`{kept}` prints {bench.shell(kept)!r}")
    done = system.reset("default_boot", (PACKAGE,))
    expect("cleared", done.kind, f"the reset ({done})")
    need("contracts.xml" not in bench.shell(kept), "the preferences are still there")
    return str(done)


def locks(bench: Bench) -> str:
    """Put the phone to sleep and wake it: the app is in front again."""
    if bench.page().facts["locked"] == "true":
        raise CannotBe("a PIN")
    wake = "input keyevent WAKEUP; wm dismiss-keyguard"
    bench.undo.append(wake)
    _becomes(bench, "input keyevent SLEEP", {"Asleep", "Dozing"})
    _becomes(bench, wake, {"Awake"})
    locked = is_locked(bench.shell(LOCK))
    need(bench.look().is_shown, f"the app is not shown; locked: {locked}")
    return "asleep, awake, and unlocked"


def _becomes(bench: Bench, script: str, states: set[str]) -> None:
    """Run a script, and require that the phone is in one of these states within two seconds."""
    bench.shell(script)
    for _ in range(20):
        if (state := wakefulness(bench.shell(POWER))) in states:
            return
        time.sleep(0.1)
    need(False, f"after {script}, the phone is {state!r}")
