"""The language and the filters, compared with the host's own, as far as POSIX specifies them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

HERE = Path(__file__).parent
INPUT = b"""\
root 1 init /sbin
u0_a12 2311 com.example.notes apps
u0_a7 2345 com.example.mail apps
shell 4012 sh tools
shell 4013 ps tools

Last line: Total=42
"""
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/"}


def unfolded(line: str) -> str:
    """Replace \\n by a line feed, except for printf and tr, which interpret it themselves."""
    if "printf" in line or ("tr " in line and "<<" not in line):
        return line
    return line.replace("\\\\\\n", "\\\n").replace("\\n", "\n").replace("\\t", "\t")


def compare(
    script: str, sh: Shells, folder: Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> None:
    expected = subprocess.run(
        ["sh", "-c", script], cwd=folder, capture_output=True, timeout=10, check=False,
        input=stdin, env=env,
    )  # fmt: skip
    out, err, status = sh.raw(script, stdin=stdin)
    assert (out.decode(), status) == (expected.stdout.decode(), expected.returncode), err


@pytest.mark.parametrize("script", (HERE / "language.txt").read_text("utf-8").splitlines())
def test_the_language_is_that_of_sh(script: str, sh: Shells, tmp_path: Path) -> None:
    compare(unfolded(script), sh, tmp_path)


@pytest.mark.parametrize("script", (HERE / "filters.txt").read_text("utf-8").splitlines())
def test_filters_do_what_the_hosts_do(script: str, sh: Shells, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(INPUT)
    sh.device.files.write("/data/local/tmp/in", INPUT, uid=2000)
    compare(script, sh, tmp_path, INPUT, env=ENVIRONMENT)
