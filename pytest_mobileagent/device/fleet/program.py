"""Programs of this package, run in processes of their own."""

from __future__ import annotations

import sys


def python_program(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module as `python -m` does, whatever the current folder holds.

    A `calendar.py` there must not take the place of Python's own. What only this process's
    `sys.path` leads to is found too, after all that an isolated Python finds.
    """
    path = [folder for folder in sys.path if folder]
    code = (
        f"import runpy, sys; sys.path += [p for p in {path!r} if p not in sys.path]; "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-P", "-c", code, *arguments]


def warm_program(module: str, *words: str) -> list[str]:
    """Return the command that keeps a module's program warm (see `warm`)."""
    return python_program("pytest_mobileagent.device.fleet.warm", "{socket}", module, *words)
