"""Android's `emulator` command, with a virtual phone instead of QEMU.

It accepts the flags and prints the messages of the real command. Tests set its behaviour in
manners.json in the SDK's folder: `apps` (folders), `boot_seconds`, `drop_on_load`, `says` (a text),
`dies` (the status with which it exits at once), `hangs` (it never boots), `snapshots` (if false,
none can be loaded at the start).

It is forked from a warm process (see `pytest_mobileagent.device.fleet.programs`).
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import sys
import time
from pathlib import Path

from pytest_mobileagent.virtual.main import main as phone
from pytest_mobileagent.virtual.main import prepare as prepare  # noqa: PLC0414 - what a warm program calls

VERSION = "Android emulator version 34.2.16.0 (build_id 12038310) (CL:N/A)"
WITH_VALUE = {
    "avd", "port", "ports", "gpu", "snapshot", "memory", "cores", "grpc", "timezone",
    "change-locale", "prop", "logcat", "netdelay", "netspeed", "quit-after-boot", "accel",
    "feature", "skin", "dns-server",
}  # fmt: skip
ALONE = {
    "list-avds", "read-only", "no-window", "no-audio", "noaudio", "no-boot-anim", "no-snapshot",
    "no-snapshot-load", "no-snapshot-save", "snapshot-list", "wipe-data", "no-sim", "no-accel",
    "skip-adb-auth", "writable-system", "delay-adb", "verbose", "version", "help",
    "force-snapshot-load",
}  # fmt: skip


def say(level: str, text: str) -> None:
    print(f"{level:<12} | {text}", flush=True)


def parse(words: list[str]) -> dict[str, str]:
    """Return the flags; flags without a value are "1"."""
    flags: dict[str, str] = {}
    words = list(words)
    while words:
        word = words.pop(0)
        name = word.lstrip("-").replace("_", "-")
        if word.startswith("@"):
            flags["avd"] = word[1:]
        elif not word.startswith("-"):
            raise SystemExit(f"invalid command-line parameter: {word}.\nHint: use '@foo' …")
        elif name in WITH_VALUE:
            if not words:
                raise SystemExit(f"option '-{name}' requires a value")
            flags[name] = words.pop(0)
        elif name in ALONE:
            flags[name] = "1"
        else:
            print(f"unknown option: {word}\nplease use -help for a list of valid options")
            raise SystemExit(1)
    return flags


def avd_home() -> Path:
    given = os.environ.get("ANDROID_AVD_HOME")
    return Path(given) if given else Path.home() / ".android" / "avd"


def content(name: str) -> Path:
    """Return the folder of an AVD, as given in its ini file."""
    ini = avd_home() / f"{name}.ini"
    if not ini.is_file():
        say("ERROR", f"Unknown AVD name [{name}], use -list-avds to see valid list.")
        say("ERROR", f"HOME is defined but there is no file {name}.ini in $HOME/.android/avd")
        raise SystemExit(1)
    lines = dict(line.split("=", 1) for line in ini.read_text().splitlines() if "=" in line)
    return Path(lines["path"])


class Said(io.TextIOBase):
    """The phone's standard output; its only line means that the phone has booted."""

    def __init__(self, started: float, seconds: float) -> None:
        self.started = started
        self.seconds = seconds
        self.terminal = sys.stdout

    def write(self, text: str) -> int:
        if text.startswith("{"):
            took = int(1000 * (time.monotonic() - self.started + self.seconds))
            self.terminal.write(f"{'INFO':<12} | Boot completed in {took} ms\n")
            self.terminal.flush()
        return len(text)


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    program, *words = arguments
    flags = parse(words)
    if "version" in flags:
        print(VERSION)
        return 0
    if "help" in flags:
        print("Android Emulator usage: emulator [options] [-qemu args]\n  options:")
        print("\n".join(f"    -{name}" for name in sorted(WITH_VALUE | ALONE)))
        return 0
    if "list-avds" in flags:
        say("INFO", "Storing crashdata in: /tmp/android-unknown/emu-crash.db")
        print("\n".join(sorted(file.stem for file in avd_home().glob("*.ini"))))
        return 0
    say("INFO", VERSION)
    if "avd" not in flags:
        say("ERROR", "No AVD specified. Use '@foo' or '-avd foo' to launch a virtual device")
        return 1
    sdk = Path(program).parents[1]
    with (sdk / "commands.jsonl").open("a") as commands:
        commands.write(json.dumps(words) + "\n")
    return run(flags, sdk, content(flags["avd"]), started)


def run(flags: dict[str, str], sdk: Path, folder: Path, started: float) -> int:
    file = sdk / "manners.json"
    manners = json.loads(file.read_text()) if file.is_file() else {}
    print(manners.get("says", ""))
    if "dies" in manners:
        return int(manners["dies"])
    lock = (folder / "multiinstance.lock").open("w")
    if "read-only" not in flags:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            same = "Running multiple emulators with the same AVD is an experimental feature. "
            say("ERROR", f"{same}Please use -read-only flag to enable this feature.")
            return 1
    port = flags.get("port") or flags.get("ports", "5554").split(",")[0]
    snapshots = folder / "snapshots"
    words = [f"--port={port}", "--avd", flags["avd"], "--keep", "--no-boot-snapshot"]
    words += ["--adb-server-port", os.environ.get("ANDROID_ADB_SERVER_PORT", "5037")]
    words += ["--data", str(snapshots)]
    words += [word for app in manners.get("apps", ()) for word in ("--apps", app)]
    words += ["--locale", flags["change-locale"]] if "change-locale" in flags else []
    if "read-only" in flags:
        words.append("--read-only")
    if "drop_on_load" in manners:
        words.append(f"--drop-on-load={manners['drop_on_load']}")
    name = flags.get("snapshot", "default_boot")
    seconds = manners.get("boot_seconds", 0)
    if not {"no-snapshot", "no-snapshot-load"} & flags.keys():
        say("INFO", f"Loading snapshot '{name}'...")
        if (snapshots / f"{name}.snapshot").is_file() and manners.get("snapshots", True):
            words += ["--snapshot", name]
            seconds = 0
            say("INFO", f"Successfully loaded snapshot '{name}' using 580 ms")
        else:
            say("WARNING", f"Device 'cache' does not have the requested snapshot '{name}'")
            say("WARNING", f"Failed to load snapshot '{name}'")
    if manners.get("hangs"):
        seconds = 3600
    words.append(f"--boot-seconds={seconds}")
    say("INFO", "Started GRPC server at 127.0.0.1:8554, security: Local, auth: none")
    sys.stdout = Said(started, seconds)
    return phone(words)
