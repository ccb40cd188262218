"""What a program reports through its exit status, its output and its files."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.program import Adapter, ReportPlace
from pytest_mobileagent.program.program_runner import ProgramReport, Traces, reported

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Report = Callable[..., ProgramReport]

ANSWER = ReportPlace("FINAL ANSWER: (.*)")


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """Returns the report of a program with the given adapter fields, status and files."""
    for name in ("folder", "record", "notes"):
        (tmp_path / name).mkdir()

    def report(
        status: int | None = 0,
        files: dict[str, str | bytes] | None = None,
        secrets: tuple[str, ...] = (),
        **adapter: Any,
    ) -> ProgramReport:
        for name, content in (files or {}).items():
            data = content.encode() if isinstance(content, str) else content
            (tmp_path / name).write_bytes(data)
        record = tmp_path / "record"
        traces = Traces(
            status, tmp_path / "folder", record / "stdout", record / "stderr", tmp_path / "notes"
        )
        return reported(Adapter("x", ("x",), **adapter), traces, secrets)

    return report


@pytest.mark.parametrize(
    ("status", "ending", "text"),
    [
        (0, "done", ""),
        (1, "error", "ended with status 1, without any output"),
        (3, "error", "ended with status 3, without any output"),
        (4, "step limit", "reached its own limit, with status 4"),
        (5, "impossible", ""),
        (77, "error", "ended with status 77, without any output"),
        (-11, "error", "was killed by SIGSEGV, without any output"),
        (-35, "error", "was killed by signal 35, without any output"),
        (None, "error", "ended in an unknown way, without any output"),
    ],
)
def test_exit_status_determines_the_ending(report, status, ending, text):
    assert report(status) == ProgramReport(ending, text)  # type: ignore[arg-type]


def test_an_adapter_may_redefine_statuses(report):
    codes = {0: "error", 7: "done"}
    assert report(7, exit_codes=codes).ending == "done"
    assert report(0, exit_codes=codes).ending == "error"
    assert report(5, exit_codes=codes).ending == "error"


@pytest.mark.parametrize(
    ("said", "output", "answer"),
    [
        (ANSWER, "FINAL ANSWER: 1\nx\nFINAL ANSWER:  42 GB \r\nbye\n", "42 GB"),
        (ANSWER, "\x1b[1;32mFINAL ANSWER: 42\x1b[0m\n", "42"),
        (ANSWER, "nothing", ""),
        (ReportPlace(r"^done$"), "x\ndone\n", "done"),
        (ReportPlace(r"a(1)|b(2)"), "b2", "2"),
        (ReportPlace(r"(?s)<a>(.*?)</a>"), "<a>1\n2</a>", "1\n2"),
        (ANSWER, b"\xff\xfe FINAL ANSWER: \xff", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_last_match_in_the_output_is_the_answer(report, said, output, answer):
    assert report(0, {"record/stdout": output}, answer=said) == ProgramReport("done", answer)


def test_standard_error_counts_as_output(report):
    files = {"record/stdout": "", "record/stderr": "INFO FINAL ANSWER: 5"}
    assert report(0, files, answer=ANSWER).text == "5"


def test_file_may_contain_the_answer(report):
    assert report(0, {"folder/a.txt": "42\n"}, answer=ReportPlace(file="a.txt")).text == "42"
    said = ReportPlace("is (.*)", "a.txt")
    assert report(0, {"folder/a.txt": "it is 43"}, answer=said).text == "43"
    assert report(0, answer=ReportPlace(file="none.txt")).text == ""


def test_program_without_adapter_may_write_report_files(report):
    assert report(0, {"notes/answer": " 42 "}) == ProgramReport("done", "42")
    assert report(0, {"notes/impossible": "no such app"}) == ProgramReport(
        "impossible", "no such app"
    )
    assert report(1, {"notes/impossible": "no such app"}).ending == "error"


def test_impossible_takes_precedence_over_an_answer(report):
    rules = {"answer": ANSWER, "impossible": ReportPlace("CANNOT: (.*)")}
    output = {"record/stdout": "CANNOT: no app\nFINAL ANSWER: none\n"}
    assert report(0, output, **rules) == ProgramReport("impossible", "no app")
    assert report(5, {"record/stdout": "FINAL ANSWER: none\n"}, **rules) == ProgramReport(
        "impossible", "none"
    )


def test_an_error_quotes_the_last_line_of_output(report):
    files = {
        "record/stdout": "step 1\n",
        "record/stderr": "Traceback\n\nValueError: \x1b[31mno\n\n",
    }
    assert report(3, files).text == "ended with status 3; its last line of output: ValueError: no"
    files = {"record/stdout": "x" * 5000 + "\x07", "record/stderr": ""}
    assert len(report(3, files).text) < 400
    assert "\x07" not in report(3, files).text


def drawn(error: BaseException) -> str:
    """Return what Python prints for an uncaught exception."""
    with pytest.raises(type(error)) as caught:
        raise error
    return "".join(traceback.format_exception(caught.value))


def test_messages_of_an_exception_group_are_quoted(report):
    chained = ValueError("no such thing")
    chained.__cause__ = OSError(2, "No such file")
    inner = ExceptionGroup("inner", [KeyError("goal"), ValueError("two\nlines")])
    outer = ExceptionGroup("unhandled errors in a TaskGroup", [chained, inner])
    outer.add_note("a note")
    said = "ended with status 1; its last line of output: "
    files = {"record/stderr": f"step 1\n{drawn(ExceptionGroup('first', [inner]))}{drawn(outer)}\n"}
    assert report(1, files).text == (
        f"{said}unhandled errors in a TaskGroup (2 sub-exceptions): ValueError: no such thing; "
        "inner (2 sub-exceptions): KeyError: 'goal'; ValueError: two"
    )
    files = {"record/stderr": drawn(ExceptionGroup("many", [ValueError("x" * 99)] * 30))}
    text = report(1, files).text
    assert text.startswith(f"{said}many (30 sub-exceptions): ValueError: xxx")
    assert len(text) < 400
    files = {"record/stderr": "| 3 apples |\n+----------+\n+---------------\n"}
    assert report(1, files).text == f"{said}+---------------"


def test_report_contains_no_secrets(report):
    files = {"notes/answer": "sk-very-secret"}
    assert report(0, files, ("sk-very-secret",)).text == "…"


def test_something_other_than_a_file_is_not_an_answer(report, tmp_path):
    os.mkfifo(tmp_path / "notes" / "answer")
    (tmp_path / "notes" / "impossible").mkdir()
    assert report(0) == ProgramReport("done", "")


@pytest.mark.parametrize(
    ("printed", "ending", "text"),
    [
        ("Task completed", "done", ""),
        ("Task finished due to reaching max rounds", "step limit", "and reported: max rounds"),
        ("API error: no key", "error", "and reported: API error: no key"),
    ],
)
def test_a_program_without_a_meaningful_status_may_use_its_output(report, printed, ending, text):
    words = {"error": ReportPlace("API error.*"), "step_limit": ReportPlace("max rounds")}
    reported = report(files={"record/stdout": printed}, **words)
    assert reported.ending == ending
    assert text in reported.text


@pytest.mark.parametrize(
    ("printed", "status", "ending", "text"),
    [
        ({"stdout": "Task completed\n"}, 0, "done", ""),
        ({"stdout": "", "stderr": "Task completed\n"}, 0, "done", ""),
        (
            {"stdout": "step 1\n", "stderr": "Traceback\nIndexError: no such element\n"},
            0,
            "error",
            "not report that it is done (^Task completed); its last line of output: IndexError: no",
        ),
        ({"stdout": "I think: Task completed\n"}, 0, "error", "its last line of output: I think"),
        ({}, 0, "error", "without any output"),
        ({"stdout": "Task completed\n"}, 1, "error", "ended with status 1"),
        ({"stdout": "CANNOT: no app\n"}, 0, "impossible", "no app"),
        ({"stdout": "max rounds\n"}, 0, "step limit", "max rounds"),
        ({"stdout": "Task completed\nERROR: but not quite\n"}, 0, "error", "but not quite"),
    ],
)
def test_a_program_with_a_done_pattern_must_print_it(report, printed, status, ending, text):
    words = {
        "done": ReportPlace("^Task completed"),
        "impossible": ReportPlace("CANNOT: (.*)"),
        "step_limit": ReportPlace("max rounds"),
        "error": ReportPlace("^ERROR: .*"),
    }
    files = {f"record/{name}": content for name, content in printed.items()}
    reported = report(status, files, **words)  # type: ignore[arg-type]
    assert reported.ending == ending
    assert text in reported.text


def test_file_may_report_that_a_program_is_done(report):
    done = ReportPlace(file="result.json", pattern='"success": true')
    assert report(0, {"folder/result.json": '{"success": false}'}, done=done).ending == "error"
    assert report(0, {"folder/result.json": '{"success": true}'}, done=done).ending == "done"
