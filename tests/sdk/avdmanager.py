"""Android's `avdmanager` command, limited to creating, listing and deleting AVDs."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

DEVICES = {"pixel", "pixel_4", "pixel_6", "pixel_7", "medium_phone"}
SDK = Path(__file__).parents[3]


def avd_home() -> Path:
    given = os.environ.get("ANDROID_AVD_HOME")
    return Path(given) if given else Path.home() / ".android" / "avd"


def fail(text: str) -> int:
    print(f"Error: {text}\nnull", file=sys.stderr)
    return 1


def create(words: list[str]) -> int:
    given = dict(zip(words[::2], words[1::2], strict=False))
    force = "--force" in words or "-f" in words
    name = given.get("-n") or given.get("--name", "")
    image = given.get("-k") or given.get("--package", "")
    device = given.get("-d") or given.get("--device")
    if not re.fullmatch(r"[\w.-]+", name):
        return fail(f'AVD name "{name}" contains invalid characters.')
    if not (SDK / image.replace(";", "/")).is_dir():
        return fail("Package path is not valid. Valid system image paths are:")
    if device and device not in DEVICES:
        return fail(f"No device found matching --device {device}.")
    folder = avd_home() / f"{name}.avd"
    if folder.exists() and not force:
        there = f"Android Virtual Device '{name}' already exists."
        return fail(f"{there}\nUse --force if you want to replace it.")
    if not device:
        print("Do you wish to create a custom hardware profile? [no] ", end="", flush=True)
        sys.stdin.readline()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (avd_home() / f"{name}.ini").write_text(
        f"avd.ini.encoding=UTF-8\npath={folder}\npath.rel=avd/{name}.avd\ntarget=android-34\n"
    )
    (folder / "config.ini").write_text(
        f"AvdId={name}\nabi.type=x86_64\ndisk.dataPartition.size=2G\nhw.device.name={device}\n"
        f"hw.ramSize=1536\nimage.sysdir.1={image.replace(';', '/')}/\n"
    )
    return 0


def main() -> int:
    words = [word for word in sys.argv[1:] if word not in {"-s", "-v"}]
    match words:
        case ["create", "avd", *rest]:
            return create(rest)
        case ["list", *_]:
            print("Available Android Virtual Devices:")
            for file in sorted(avd_home().glob("*.ini")):
                print(f"    Name: {file.stem}")
            return 0
        case ["delete", "avd", "-n", name]:
            if not (avd_home() / f"{name}.ini").exists():
                return fail(f"There is no Android Virtual Device named '{name}'.")
            (avd_home() / f"{name}.ini").unlink()
            shutil.rmtree(avd_home() / f"{name}.avd")
            print(f"AVD '{name}' deleted.")
            return 0
        case _:
            return fail(f"unknown command {' '.join(words)}")


if __name__ == "__main__":
    sys.exit(main())
