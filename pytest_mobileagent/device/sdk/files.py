"""The files of an AVD on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import MobileAgentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


UNFINISHED = "mobileagent-unfinished"  # a file in the folder of an AVD that is being made


class NoAvdFilesError(MobileAgentError):
    """There are no files of the AVD where the SDK's tools keep them."""


def avd_folder(name: str) -> Path:
    """Return the folder with an AVD's content, which its ini file names.

    Raises:
        NoAvdFilesError: there is none where the emulator looks for it.
    """
    homes = list(_homes())
    for home in homes:
        ini = home / f"{name}.ini"
        if ini.is_file():
            values = _read(ini)
            return Path(values.get("path", str(home / f"{name}.avd")))
    msg = f"there is no {name}.ini in {' or '.join(str(home) for home in homes)}"
    raise NoAvdFilesError(msg)


def configure(file: Path, wanted: Mapping[str, str]) -> None:
    """Set values in an ini file, and leave the others as they are."""
    lines = file.read_text("utf-8").splitlines()
    kept = [line for line in lines if line.partition("=")[0].strip() not in wanted]
    added = [f"{name}={value}" for name, value in wanted.items()]
    file.write_text("\n".join([*kept, *added]) + "\n", "utf-8")


def _homes() -> Iterator[Path]:
    """Where AVDs are looked for: what is named in the environment comes first."""
    for variable, below in (
        ("ANDROID_AVD_HOME", "."),
        ("ANDROID_USER_HOME", "avd"),
        ("ANDROID_EMULATOR_HOME", "avd"),
        ("ANDROID_SDK_HOME", "avd"),
        ("ANDROID_SDK_HOME", ".android/avd"),
    ):
        if given := os.environ.get(variable):
            yield Path(given, below)
    yield Path.home() / ".android" / "avd"


def _read(file: Path) -> dict[str, str]:
    rows = (line.partition("=") for line in file.read_text("utf-8", "replace").splitlines())
    return {name.strip(): value.strip() for name, equals, value in rows if equals}
