"""`python -m pytest_mobileagent setup-avd FILE`: make an AVD by recipe."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sdk.find import find_sdk
from pytest_mobileagent.device.setup.build import Build
from pytest_mobileagent.device.setup.recipe import read_recipe
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Make the AVD; the exit status is 0 if it is there, 1 if not, and 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        recipe = read_recipe(options.file, options.name)
        sdk = find_sdk(needs="cmdline-tools")
    except MobileAgentError as error:
        return _fail(error)
    with contextlib.closing(SharedRun()) as run:
        build = Build(recipe, sdk, run, force=options.force)
        try:
            _follow(build, dry=options.dry_run)
        except (MobileAgentError, OSError) as error:
            _fail(error)
            return _undo(build, 1)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return _undo(build, _INTERRUPTED)
    if not options.dry_run:
        print(f"ready: pytest … --mobile-device=avd:{recipe.name} --mobile-gpu={recipe.gpu}")
    return 0


def _follow(build: Build, *, dry: bool) -> None:
    steps = list(build.steps())
    for number, step in enumerate(steps, 1):
        print(f"[{number}/{len(steps)}] {step.title}", flush=True)
        if dry:
            print("".join(f"    {line}\n" for line in step.shown), end="")
            continue
        started = time.monotonic()
        step.do()
        if (seconds := time.monotonic() - started) >= 1:
            print(f"    {seconds:.0f} s", flush=True)


def _undo(build: Build, status: int) -> int:
    try:
        left = build.undo()
    except MobileAgentError:  # the AVD had not been made yet
        left = ""
    if left:
        print(left, file=sys.stderr)
    return status


def _fail(error: Exception) -> int:
    print(f"error: {printable(str(error))}", file=sys.stderr)
    return 1


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("setup-avd"),
        description="Make an AVD by a recipe, with apps and settings in a snapshot from which "
        "tasks can start. The Android SDK is found by ANDROID_HOME, ANDROID_SDK_ROOT or PATH.",
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="the recipe, in TOML (see docs/devices.md)")
    add("--name", help="another name for the AVD than the recipe's")
    add("--force", action="store_true", help="replace an AVD that has the name")
    add("--dry-run", action="store_true", help="only say what would be done")
    return parser
