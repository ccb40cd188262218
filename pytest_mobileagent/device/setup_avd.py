"""`python -m pytest_mobileagent setup-avd FILE`: create an AVD from a recipe.

The AVD is created and booted, the recipe's apps and settings are applied, and a snapshot is saved.
"""

from __future__ import annotations

import contextlib
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.action import Key
from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.device.drivers.adb.adb_device import AdbDevice
from pytest_mobileagent.device.drivers.adb.console import Console
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.recipe import read_recipe
from pytest_mobileagent.device.sources.avd import (
    UNFINISHED,
    Avd,
    AvdSlots,
    avd_folder,
    configure,
    find_sdk,
)
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.processes import without_keys

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.device.recipe import Recipe
    from pytest_mobileagent.device.sources.avd import Sdk


_STEP_SECONDS = 3600.0  # a system image has a gigabyte or more


class SetupError(MobileAgentError):
    """A step failed; the message says which, and quotes the output of its program."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its title, the commands that a dry run prints, and the function that does it."""

    title: str
    commands: tuple[str, ...]
    do: Callable[[], None]


class Build:
    """The steps that follow a recipe; they share the phone that one of them starts."""

    def __init__(self, recipe: Recipe, sdk: Sdk, run: SharedRun, *, force: bool) -> None:
        self.recipe = recipe
        self.sdk = sdk
        self.run = run
        self.force = force
        self._phone: Address | None = None
        self._making = False
        self._replaced = False

    def steps(self) -> Iterator[Step]:
        """Yield all steps, in order."""
        recipe = self.recipe
        yield from self._packages()
        command = self._avdmanager("create", "avd", "-n", recipe.name, "-k", recipe.image)
        self._replaced = self._replaces()
        command += ["-d", recipe.device, *(["--force"] if self._replaced else [])]
        yield self._programs(f"create the AVD {recipe.name}", command, self._mark, self._begin)
        hardware = {
            "hw.ramSize": recipe.ram_mb and f"{recipe.ram_mb}",
            "disk.dataPartition.size": recipe.storage_gb and f"{recipe.storage_gb}G",
        }
        if wanted := {name: value for name, value in hardware.items() if value}:
            rows = ", ".join(f"{name}={value}" for name, value in wanted.items())
            yield Step(
                "set its hardware",
                (f"config.ini: {rows}",),
                lambda: configure(avd_folder(recipe.name) / "config.ini", wanted),
            )
        booted = f"emulator -avd {recipe.name} -no-snapshot {' '.join(self._avd().flags)}".strip()
        yield Step("boot it, which takes minutes the first time", (booted,), self._boot)
        yield from self._contents()
        saved = f"avd snapshot save {recipe.snapshot}"
        yield Step("wait until the screen has settled", ("uiautomator dump",), self._settle)
        yield Step(f"save the snapshot {recipe.snapshot}", (saved,), self._save)
        yield Step("end the emulator", ("emu kill",), self._finish)

    def undo(self) -> str:
        """Delete an unfinished AVD; return a message about that, or "" if there is none."""
        self.run.close()
        with contextlib.suppress(OSError):
            if self._making or (avd_folder(self.recipe.name) / UNFINISHED).is_file():
                command = self._avdmanager("delete", "avd", "-n", self.recipe.name)
                done = subprocess.run(
                    command, capture_output=True, text=True, env=without_keys(), check=False
                )
                if done.returncode != 0:
                    output = (done.stderr or done.stdout).strip()
                    return f"the incomplete AVD {self.recipe.name} could not be deleted: {output}"
                replaced = ", which had replaced an older one," if self._replaced else ""
                return f"the incomplete AVD {self.recipe.name}{replaced} was deleted"
        return ""

    def _packages(self) -> Iterator[Step]:
        names = ("emulator", "platform-tools", self.recipe.image)
        missing = [n for n in names if not self.sdk.root.joinpath(*n.split(";")).is_dir()]
        if not missing:
            return
        tool = str(self.sdk.tool("sdkmanager"))
        command = [tool, f"--sdk_root={self.sdk.root}", "--install", *missing]
        answers = "y\n" * 50 if self.recipe.accept_licenses else ""
        accept = (
            f"accept the licences yourself with `{tool} --sdk_root={self.sdk.root} --licenses`, "
            "or set accept_licenses = true in the recipe"
        )

        def check() -> None:
            for name in missing:
                if not self.sdk.root.joinpath(*name.split(";")).is_dir():
                    raise SetupError(f"sdkmanager did not install {name}: {accept}")

        hint = f"If it asks for licences: {accept}"
        title = f"install {', '.join(missing)}"
        yield self._programs(title, command, check, answers=answers, hint=hint)

    def _contents(self) -> Iterator[Step]:
        for first, *parts in self.recipe.apks:
            how, named = ("install-multiple", first.parent) if parts else ("install", first)
            yield self._adb(f"install {named.name}", how, "-r", "-t", *map(str, (first, *parts)))
        for package, permission in self.recipe.permissions:
            title = f"grant {permission} to {package}"
            yield self._on_phone(title, "pm", "grant", package, permission)
        for namespace, name, value in self.recipe.settings:
            title = f"set {namespace} {name} to {value!r}"
            yield self._on_phone(title, "settings", "put", namespace, name, value)
        for source, target in self.recipe.files:
            yield self._adb(f"push {source.name} to {target}", "push", str(source), target)

    def _avd(self) -> Avd:
        locale = self.recipe.locale
        return Avd(
            program=self.sdk.emulator,
            name=self.recipe.name,
            gpu=self.recipe.gpu,
            flags=("-change-locale", locale) if locale else (),
            boot_limit=1200.0,
            writable=True,
        )

    def _replaces(self) -> bool:
        """Return whether the AVD exists already and will be replaced.

        Raises:
            SetupError: if the AVD exists, and may not be replaced.
        """
        name = self.recipe.name
        if not self.sdk.emulator.exists() or name not in self.sdk.avds():
            return False
        if not self.force and not (avd_folder(name) / UNFINISHED).exists():
            hint = "use --force to replace it, or another --name"
            raise SetupError(f"the AVD {name} already exists: {hint}")
        return True

    def _begin(self) -> None:
        self._making = True

    def _mark(self) -> None:
        (avd_folder(self.recipe.name) / UNFINISHED).touch()

    def _boot(self) -> None:
        self._phone = AvdSlots(self.run, 1, self._avd()).address(0)
        if self.recipe.locale:
            locale = self._ask("getprop persist.sys.locale").strip()
            if locale != self.recipe.locale:
                msg = f"the phone's locale is {locale!r}, not {self.recipe.locale}: the image may "
                raise SetupError(f"{msg}not support `-change-locale`")

    def _ask(self, script: str) -> str:
        assert self._phone is not None
        with contextlib.closing(AdbDevice(self._phone)) as device:
            return device.system.shell(script)

    def _settle(self) -> None:
        assert self._phone is not None
        with contextlib.closing(AdbDevice(self._phone)) as device:
            device.perform(Key("home"))
            device.observe()
            device.system.shell("sync")

    def _save(self) -> None:
        assert self._phone is not None
        console = Console(self._phone)
        console.save(self.recipe.snapshot)
        if self.recipe.snapshot not in console.snapshots():
            what = f"the snapshot {self.recipe.snapshot} that it saved"
            raise SetupError(f"the emulator does not list {what}")

    def _finish(self) -> None:
        self.run.close()
        (avd_folder(self.recipe.name) / UNFINISHED).unlink()
        self._making = False

    def _on_phone(self, title: str, *words: str) -> Step:
        script = shlex.join(words)

        def do() -> None:
            output, _, status = self._ask(f'{script}; echo " $?"').strip().rpartition(" ")
            if status != "0":
                raise SetupError(f"{script} failed on the phone: {output.strip()[:500]}")

        return Step(title, (f"adb shell {script}",), do)

    def _adb(self, title: str, *words: str) -> Step:
        def do() -> None:
            import adbutils  # it takes 50 ms to import

            assert self._phone is not None
            where = ["-P", str(self._phone.adb_port), "-s", self._phone.serial]
            output = _run([adbutils.adb_path(), *where, *words])
            if words[0] == "install" and "Success" not in output:
                raise SetupError(f"adb install: {output.strip()}")

        return Step(title, (f"adb {shlex.join(words)}",), do)

    def _avdmanager(self, *words: str) -> list[str]:
        return [str(self.sdk.tool("avdmanager")), *words]

    def _programs(
        self,
        title: str,
        command: Sequence[str],
        after: Callable[[], None],
        before: Callable[[], None] = lambda: None,
        *,
        answers: str = "no\n",
        hint: str = "",
    ) -> Step:
        def do() -> None:
            before()
            _run(command, answers, hint)
            after()

        return Step(title, (shlex.join(command),), do)


def _run(command: Sequence[str], answers: str = "", hint: str = "") -> str:
    """Run a program with `answers` as its input, and return its output.

    Raises:
        SetupError: if the program failed; the message ends with `hint`.
    """
    try:
        done = subprocess.run(
            command,
            input=answers,
            env=without_keys(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_STEP_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{command[0]}: {error}") from error
    output = f"{done.stdout}{done.stderr}".strip()
    if done.returncode != 0:
        last = "\n".join(f"    {line}" for line in output.splitlines()[-12:])
        name = Path(command[0]).name
        raise SetupError(f"{name} failed with status {done.returncode}:\n{last}\n{hint}".rstrip())
    return output


_INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Create the AVD; the exit status is 0 on success, 1 on failure, and 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        recipe = read_recipe(options.file, options.name)
        sdk = find_sdk(needs="cmdline-tools")
    except MobileAgentError as error:
        return failed(error)
    with contextlib.closing(SharedRun()) as run:
        build = Build(recipe, sdk, run, force=options.force)
        try:
            _follow(build, dry=options.dry_run)
        except (MobileAgentError, OSError) as error:
            return _undo(build, failed(error))
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return _undo(build, _INTERRUPTED)
    if not options.dry_run:
        print(f"ready: pytest … --mobile-device=avd:{recipe.name} -o mobile_gpu={recipe.gpu}")
    return 0


def _follow(build: Build, *, dry: bool) -> None:
    steps = list(build.steps())
    for number, step in enumerate(steps, 1):
        print(f"[{number}/{len(steps)}] {step.title}", flush=True)
        if dry:
            print("".join(f"    {line}\n" for line in step.commands), end="")
            continue
        started = time.monotonic()
        step.do()
        if (seconds := time.monotonic() - started) >= 1:
            print(f"    {seconds:.0f} s", flush=True)


def _undo(build: Build, status: int) -> int:
    with contextlib.suppress(MobileAgentError):  # the AVD had not been created yet
        if left := build.undo():
            print(left, file=sys.stderr)
    return status


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("setup-avd"),
        description="Create an AVD from a recipe, with apps and settings in a snapshot from which "
        "tasks can start. The Android SDK is found by ANDROID_HOME, ANDROID_SDK_ROOT or PATH.",
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="the recipe, in TOML (see docs/devices.md)")
    add("--name", help="the name of the AVD (default: the name in the recipe)")
    add("--force", action="store_true", help="replace an existing AVD of the same name")
    add("--dry-run", action="store_true", help="only print what would be done")
    return parser
