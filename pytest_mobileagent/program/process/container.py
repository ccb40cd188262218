"""Programs in containers: a command that runs one by docker or podman, and the one that ends it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

PREFIX = "mobileagent-"  # of each container's name: `docker ps --filter name=mobileagent-`
_ENGINES = ("docker", "podman")
_ANSWER_SECONDS = 30.0
# What the image says better than our machine.
_NOT_PASSED = {"HOME", "HOSTNAME", "PATH", "PWD", "SHELL", "TMPDIR", "USER", "LOGNAME", "LANG"}
# The image's own PATH stays, behind ours.
_ENTRY = 'PATH="$MOBILEAGENT_PATH:$PATH"; export PATH; exec "$@"'


@dataclass(frozen=True, slots=True)
class Container:
    """A command that runs a program in a container.

    `words` and `environment` are the command's own: variables pass by name, so that no key shows in
    the list of processes. `after` ends the container, should the command be killed.
    """

    name: str
    words: tuple[str, ...]
    environment: dict[str, str]
    after: tuple[str, ...]


def engine() -> str:
    """Return the path of what runs containers.

    Raises:
        HostError: there is none, or it does not answer.
    """
    found = next(filter(None, map(shutil.which, _ENGINES)), None)
    if found is None:
        msg = f"image = … needs a program that runs containers: install {' or '.join(_ENGINES)}"
        raise HostError(msg)
    try:
        done = subprocess.run(
            [found, "version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        msg = f"image = … needs {found}, which does not answer: {error}"
        raise HostError(msg) from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        msg = f"image = … needs {found}, which does not work: {said[-1] if said else 'no reason'}"
        raise HostError(msg)
    return found


def contained(
    command: Sequence[str],
    image: str,
    folder: Path,
    environment: Mapping[str, str],
    *,
    run: str,
    own: Iterable[str] = (),
    paths: Iterable[Path] = (),
    search: Sequence[str] = (),
    program: str | None = None,
) -> Container:
    """Return the command that runs another in a container of an image, in a folder.

    - `environment`: all variables; the container gets those that `own` names: what was made for the
      program, and the user's keys. What an image has of its own, such as its PATH, stays.
    - `paths`: files and folders beside `folder` that it needs; `search`: those for its PATH.
    - `run`: a word for its name. `program`: docker or podman, by default whichever is there.

    Raises:
        HostError: no program that runs containers is here.
    """
    program = program or engine()
    name = PREFIX + re.sub(r"[^A-Za-z0-9_.-]", "-", run)[:80] + f"-{secrets.token_hex(4)}"
    words = [program, "run", "--rm", "--init", "--interactive", "--network=host", "--name", name]
    words += ["--user", f"{os.getuid()}:{os.getgid()}"]
    for path in dict.fromkeys([folder, *paths]):
        words += ["--mount", _mount(path)]
    words += ["--workdir", str(folder), "--entrypoint", "sh"]
    passed = {each for each in own if each not in _NOT_PASSED and each in environment}
    for each in sorted(passed | {"MOBILEAGENT_PATH"}):
        words += ["--env", each]
    words += [image, "-c", _ENTRY, "sh", *command]
    own_path = os.pathsep.join(search) or "/usr/bin"
    variables = {**environment, "MOBILEAGENT_PATH": own_path}
    return Container(name, tuple(words), variables, (program, "rm", "--force", name))


def _mount(path: Path) -> str:
    """Return a mount of a path under its own name, quoted as the field of a line of CSV."""
    fields = ["type=bind", f"source={path}", f"target={path}"]
    quoted = ['"' + each.replace('"', '""') + '"' if set(each) & set(',"\n') else each
              for each in fields]  # fmt: skip
    return ",".join(quoted)
