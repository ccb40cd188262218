"""Run the fast tests with this Python.

With `--virtual=auto`, those of the virtual device are left out if the files that they run are those
of the main branch of `origin`, on which CI runs them, or if they have passed here with the files as
they are now; with `--virtual=only` they are the only ones, the slow ones among them. What
has passed here is known by a digest of these files, of this Python and of what is installed with
it, noted in the folder of git, which worktrees share.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/virtual", "tests/sdk", "tests/fixtures")
# What these tests and the virtual device run, beside the rest of the plugin that starts a phone.
USED = (
    *TESTS, "tests/apps", "tests/*.py", "conftest.py", "pyproject.toml", "fixtures",
    "pytest_mobileagent/virtual", "pytest_mobileagent/device", "pytest_mobileagent/patterns",
    "pytest_mobileagent/*.py",
)  # fmt: skip
PROGRAMS = ("adb", "node", "sqlite3")  # without which some of them skip
_MOST_KNOWN = 100
WORKERS = "3"  # keep two cores busy: tests often wait for the processes that they start


def _git(*words: str) -> str | None:
    """Return what a command of git prints; None if it fails, or there is no git."""
    try:
        done = subprocess.run(
            ["git", *words],  # noqa: S607 - the one on PATH
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _pathspecs() -> list[str]:
    return [f":(glob){path}" if "*" in path else path for path in USED]


def is_as_in_origin() -> bool:
    """Return whether neither commits nor the working tree change what these tests run.

    The base is the last common commit with the main branch of `origin`; without one, as outside of
    git, the answer is no.
    """
    base = _git("merge-base", "HEAD", "origin/HEAD")
    if base is None or _git("diff", "--quiet", base.strip(), "--", *_pathspecs()) is None:
        return False
    return _git("ls-files", "--others", "--exclude-standard", "--", *_pathspecs()) == ""


def digest() -> str:
    """Return a digest of all that the virtual device's tests run; "" if git does not tell.

    Files that are new count, and those that git ignores do not.
    """
    command = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = _git(*command, "--", *_pathspecs())
    if not listed:
        return ""
    there = [str(shutil.which(name)) for name in PROGRAMS]
    there.append(str((ROOT / ".appium" / "node_modules").is_dir()))
    there += sorted({f"{each.name} {each.version}" for each in distributions()})
    whole = hashlib.sha256("\n".join([sys.version, sys.platform, *there]).encode())
    for name in sorted(set(listed.split("\0")) - {""}):
        path = ROOT / name
        content = path.read_bytes() if path.is_file() else b""
        whole.update(f"\0{name}\0{path.is_file()}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def record() -> Path | None:
    """Return the file of digests with which the virtual device's tests have passed."""
    folder = _git("rev-parse", "--git-common-dir")
    return (ROOT / folder.strip() / "mobileagent-virtual-passed") if folder else None


def known() -> list[str]:
    """Return the digests with which the virtual device's tests have passed, the latest last."""
    path = record()
    return path.read_text("ascii").split() if path and path.is_file() else []


def note(passed: str) -> None:
    """Note that the virtual device's tests have passed."""
    path = record()
    if path is not None:
        path.write_text("\n".join([*known(), passed][-_MOST_KNOWN:]) + "\n", "ascii")


def main(virtual: str) -> int:
    """Run the tests, and return pytest's status."""
    before = digest()
    words = ["-n", WORKERS, "-m", "not slow"]
    why = ""
    if virtual == "auto" and is_as_in_origin():
        why = "the files that they run are those of origin's main branch"
    elif virtual == "auto" and before in known():
        why = "they have passed with these files"
    if why:
        print(
            f"The tests of the virtual device ({', '.join(TESTS)}) are left out: {why}. "
            "`make test-virtual` runs them.",
            flush=True,
        )
        words += [f"--ignore={path}" for path in TESTS]
    elif virtual == "only":
        words = ["-n", WORKERS, *TESTS]
    done = subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, check=False)
    # Options of the environment may have left tests out, and files may have changed meanwhile.
    ran_all = not why and "PYTEST_ADDOPTS" not in os.environ
    if done.returncode == 0 and ran_all and before and before == digest():
        note(before)
    return done.returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--virtual", choices=["all", "auto", "only"], default="all")
    sys.exit(main(parser.parse_args().virtual))
