"""Tests of extracting a draft from a model's reply, and of the reasons for refusing one."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.draft.prompt import EXAMPLE
from pytest_mobileagent.draft.reply import UnreadableDraftError, read_draft

BODY = "def test_it(episode):\n    assert episode.answer\n"


def fenced(code, language="python"):
    return f"```{language}\n{code}```"


@pytest.mark.parametrize(
    "reply",
    [
        BODY,
        fenced(BODY),
        fenced(BODY, "py"),
        fenced(BODY, ""),
        f"Here it is:\r\n\r\n{fenced(BODY)}\n\nIt looks at the answer.".replace("\n", "\r\n"),
        f"First an idea:\n```python\nx = 1\n```\nthen\n{fenced(BODY)}",
    ],
)
def test_the_function_is_found(reply):
    draft = read_draft(reply)
    assert (draft.name, draft.source) == ("test_it", BODY)


@pytest.mark.parametrize(
    "head",
    [
        '"""A check."""',
        "import re",
        "import datetime as dt",
        "from pytest_mobileagent import Tap, Type",
        "from pytest_mobileagent.answers import money",
        "from __future__ import annotations",
        "NAMES = ('Oslo', 'Bergen')",
        "TOTAL: str = '12' + '3'",
        "PRICE = re.compile(r'\\d+', re.I)",
        "LEAST = -1",
    ],
)
def test_imports_and_constants_may_stand_beside_it(head):
    assert read_draft(f"{head}\n\n\n{BODY}").name == "test_it"


def test_our_own_example_is_a_draft():
    assert read_draft(fenced(EXAMPLE)).name == "test_two_apples"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I cannot do that.", "it is not valid Python: line 1"),
        ("", "one function, called test_…, not: none"),
        ("```python\n" + BODY, "its block of code is not closed"),
        (fenced(BODY) + "\n" + fenced(BODY), "more than one block of code"),
        (BODY + BODY, "one function, called test_…, not: test_it, test_it"),
        (f"def helper(): pass\n{BODY}", "not: helper, test_it"),
        ("def check(episode): pass", "not: check"),
        ("def test_it(): pass", "must be test_it(episode)"),
        ("def test_it(episode, device): pass", "must be test_it(episode)"),
        ("def test_it(episode, *more): pass", "must be test_it(episode)"),
        ("def test_it(episode=open('x')): pass", "must be plain names"),
        (f"@task('x')\n{BODY}", "must not be decorated"),
        (f"import os\n{BODY}", "it imports os; there are only pytest_mobileagent, "),
        (f"import pytest_mobileagent.processes\n{BODY}", "it imports pytest_mobileagent.processes"),
        (
            f"from pytest_mobileagent.device import x\n{BODY}",
            "it imports pytest_mobileagent.device",
        ),
        (f"from . import x\n{BODY}", "a relative import"),
        (f"from pytest_mobileagent import *\n{BODY}", "import what is used by its name"),
        (BODY + "    import subprocess\n", "it imports subprocess"),
        (BODY + "    open('x')\n", "line 3: a check must not use open"),
        (BODY + "    episode.__class__\n", "line 3: a check must not use __class__"),
        (BODY + "    eval('1')\n", "must not use eval"),
        (BODY + "test_it(None)\n", "line 3: only imports, constants and the function"),
        (f"X = print('x')\n{BODY}", "line 1: only imports"),
        (f"X = [print(y) for y in 'x']\n{BODY}", "line 1: only imports"),
        (f"X = re.compile(print('x'))\n{BODY}", "line 1: only imports"),
        (f"X = re.compile('', flags=print('x'))\n{BODY}", "line 1: only imports"),
        (f"while True: pass\n{BODY}", "line 1: only imports"),
        (f"class X: pass\n{BODY}", "line 1: only imports"),
        (BODY + "    x = " + "(" * 5000, "it is not "),
        (BODY + "    x = " + "-" * 15_000 + "1", "it is not |"),
        (BODY + "    x = '\0'", "written as escapes"),
        (BODY + "    # \x1b[2J", "written as escapes"),
        (BODY + "    # \u202e", "written as escapes"),
        (BODY + "#" * 20_000, "longer than 20000 characters"),
    ],
)
def test_other_code_is_refused_with_the_reason(reply, why):
    with pytest.raises(UnreadableDraftError) as refused:
        read_draft(reply)
    assert why.rstrip("|") in str(refused.value)


def test_the_parameters_of_a_task_are_asked_for_by_name():
    code = "def test_it(episode, hour):\n    assert hour\n"
    assert read_draft(code, ["hour"]).name == "test_it"
    with pytest.raises(UnreadableDraftError, match=r"must be test_it\(episode, hour\)"):
        read_draft(BODY, ["hour"])


@settings(max_examples=10)
@given(st.text(max_size=50))
def test_any_reply_is_a_draft_or_refused(reply):
    for text in (reply, fenced(reply), BODY + reply):
        with contextlib.suppress(UnreadableDraftError):
            assert read_draft(text).name.startswith("test_")
