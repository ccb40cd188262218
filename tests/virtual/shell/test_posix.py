"""The language, its quoting and the filters, compared with the host's own where POSIX has them."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_mobileagent.virtual.shell.errors import ShellSyntaxError
from pytest_mobileagent.virtual.shell.script import lines

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


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
scripts = st.text("ab1 \n\t'\"\\$`(){}[]<>|&;!*?#~=-+:/%@ifdo", max_size=30)
steady = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@steady
@given(words=st.lists(texts, min_size=1, max_size=3))
@example(words=["\\n", "$(id)", "`id`"])
@example(words=["-n", "", "'"])
@example(words=["a\nb\n", "\r\n", "é漢🙂"])
def test_quoted_words_arrive(words: list[str], sh: Shells) -> None:
    quoted = " ".join(map(shlex.quote, words))
    assert sh.raw(f"printf '%s\\0' {quoted}")[0].decode() == "".join(f"{word}\0" for word in words)


@steady
@given(text=texts)
def test_quoted_text_is_echoed(text: str, sh: Shells) -> None:
    assert sh.raw(f"echo -E x{shlex.quote(text)}")[0].decode() == f"x{text}\n"


@steady
@given(text=texts)
def test_a_variable_between_quotes_is_its_value(text: str, sh: Shells) -> None:
    script = f'x={shlex.quote(text)}; y=$x; printf %s "$y"; [ "$x" = "$y" ]'
    out, err, status = sh.raw(script)
    assert (out.decode(), err, status) == (text, b"", 0)


@steady
@given(text=texts)
def test_text_survives_files_and_here_documents(text: str, sh: Shells) -> None:
    script = f'printf %s {shlex.quote(text)} > f; x=$(cat f; echo .); printf %s "${{x%.}}"'
    assert sh.raw(script)[0].decode() == text


@settings(steady, max_examples=200)
@given(text=scripts)
@example(text="${x/")
@example(text="$((")
@example(text="<<")
@example(text="case")
@example(text="[[ a")
def test_no_text_breaks_the_parser(text: str) -> None:
    with suppress(ShellSyntaxError):
        list(lines(text))
