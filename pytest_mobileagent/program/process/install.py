"""What a program needs installed: an environment of its own, made once and kept for later runs."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.private import own_folder
from pytest_mobileagent.processes import die_with_parent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_INCLUDES = re.compile(r"\s*(?:-r|-c|--requirement|--constraint)[\s=]*(\S+)")
_LAST_LINES = 15


def install(requirements: Path) -> Path:
    """Return the environment in which all that a requirements file names is installed.

    It is made, however many processes ask for it at once, when there is none yet for such content
    and this version of Python.

    Raises:
        HostError: it cannot be made; the text shows the last lines of pip.
    """
    try:
        link = own_folder("environments") / _digest(requirements)
        with FileLock(f"{link}.lock"):
            if not link.exists():
                _make(link, requirements)
        environment = link.resolve(strict=True)
    except OSError as error:
        msg = f"cannot install {requirements}: {error}"
        raise HostError(msg) from error
    return environment


def variables(environment: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with which programs find an environment first, before the inherited."""
    folders = [str(environment / "bin"), *filter(None, [inherited.get("PATH")])]
    return {"VIRTUAL_ENV": str(environment), "PATH": os.pathsep.join(folders)}


def _digest(requirements: Path) -> str:
    digest = hashlib.sha256(f"{sys.version}\0{sys.executable}\0{sys.platform}\0".encode())
    for path in _files(requirements, set()):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _files(requirements: Path, seen: set[Path]) -> Iterator[Path]:
    """Return a requirements file, and those that it includes, as far as they are files here."""
    if requirements in seen:
        return
    seen.add(requirements)
    yield requirements
    for line in requirements.read_text("utf-8", "replace").splitlines():
        if included := _INCLUDES.match(line):
            path = (requirements.parent / included[1]).resolve()
            if path.is_file():
                yield from _files(path, seen)


def _make(link: Path, requirements: Path) -> None:
    """Make an environment, and link it when it is complete.

    Somebody who was killed may have left others, in which his pip may still be at work.
    """
    for left in link.parent.glob(f"{link.name}-*"):
        shutil.rmtree(left, ignore_errors=True)
    environment = link.with_name(f"{link.name}-{secrets.token_hex(4)}")
    try:
        _run([sys.executable, "-m", "venv", str(environment)], requirements)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--no-input"]
        pip += ["--disable-pip-version-check", "--requirement", str(requirements)]
        _run(pip, requirements)
    except BaseException:
        shutil.rmtree(environment, ignore_errors=True)
        raise
    link.unlink(missing_ok=True)  # one that leads nowhere
    link.symlink_to(environment.name)


def _run(command: list[str], requirements: Path) -> None:
    """Run a command in the folder of the requirements, which may name packages in there."""
    own = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX", "PIP_USER"}
    done = subprocess.run(
        command,
        cwd=requirements.parent,
        env={name: value for name, value in os.environ.items() if name not in own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        preexec_fn=die_with_parent,
    )
    if done.returncode != 0:
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
        said = "\n  ".join(lines) or "nothing was said"
        msg = f"cannot install {requirements} (status {done.returncode}):\n  {said}"
        raise HostError(msg)
