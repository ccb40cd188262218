"""Text quoted by Python arrives unchanged: no text breaks out of its word."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_mobileagent.virtual.shell.errors import ShellSyntaxError
from pytest_mobileagent.virtual.shell.script import lines

if TYPE_CHECKING:
    from tests.virtual.shell.conftest import Shells

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
