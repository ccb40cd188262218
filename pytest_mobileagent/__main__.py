"""`python -m pytest_mobileagent COMMAND`: what is not a test run."""

from __future__ import annotations

import sys

_USAGE = """usage: python -m pytest_mobileagent COMMAND

commands:
  device     start a virtual phone
  doctor     check a device: what is wrong with it, and how to mend that
  setup-avd  make an AVD by a recipe, with apps and settings in a snapshot

COMMAND --help tells a command's options.
"""


def main(arguments: list[str]) -> int:
    """Run a command and return its exit status."""
    if not arguments:
        sys.stderr.write(_USAGE)
        return 2
    command, *rest = arguments
    if command == "device":
        return _device(rest)
    if command == "doctor":
        from pytest_mobileagent.device.doctor.command import main as doctor  # noqa: PLC0415

        return doctor(rest)
    if command == "setup-avd":
        from pytest_mobileagent.device.setup.command import main as setup  # noqa: PLC0415

        return setup(rest)
    if command in {"-h", "--help"}:
        sys.stdout.write(_USAGE)
        return 0
    sys.stderr.write(f"{_USAGE}\nthere is no command {command!r}\n")
    return 2


def _device(arguments: list[str]) -> int:
    """Start a virtual phone, with the project's apps unless others are named."""
    from pytest_mobileagent.virtual.main import main as device  # noqa: PLC0415 - only what is used

    asks_for_help = {"-h", "--help"} & set(arguments)
    names_apps = any(word.split("=")[0] == "--apps" for word in arguments)
    if not asks_for_help and not names_apps:
        from pytest_mobileagent.plugin.paths import apps_of_project  # noqa: PLC0415

        arguments = [*arguments, *(w for path in apps_of_project() for w in ("--apps", str(path)))]
    return device(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
