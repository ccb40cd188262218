"""`python -m pytest_mobileagent review`: people decide what judges left undecided."""

from __future__ import annotations

import argparse
import getpass
import signal
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, failed, port, program_name
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.report.html.show_command import open_page
from pytest_mobileagent.report.recorded_run import is_run, newest_run
from pytest_mobileagent.review.queue import Queue, Rewriter, Unanswered, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.review.queue import Item
    from pytest_mobileagent.review.server import Reviewable
    from pytest_mobileagent.verdict import Verdict

_WORDS = {"pass": True, "fail": False}
_OF_INSTRUCTIONS = {"keep": "pass", "drop": "fail"}


def main(arguments: Sequence[str], runs: Callable[[], Path]) -> int:
    """Serve the page until Ctrl-C, or only list or decide episodes; return the exit status.

    `runs` returns the folder of the project's runs, for a RUN that is not given, or not a folder.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    who = given.who.strip() or _user()
    if given.run.endswith(".jsonl"):
        return _instructions(parser, given, who)
    run = _run(parser, given.run, runs)
    queue = Queue(run, everything=given.all or bool(given.decide))
    asked = Unanswered(run, given.answers)
    try:
        if given.decide:
            _decide(parser, queue, given, who)
        if given.list:
            _list(queue, asked)
        if given.decide or given.list:
            return 0
        return _serve(queue, asked, who, given.port, browser=not given.no_browser)
    except (OSError, HostError, RecordError) as error:
        return failed(error)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("review"),
        description="Show the undecided episodes of a run on a local page, to pass or fail them "
        "and to write notes. Verdicts are added to the episodes, and the reports are updated.",
    )
    add = parser.add_argument
    run = "the folder of a run, or a folder of runs (default: the newest run); or a FILE.jsonl "
    run += "of instructions that `instruct` wrote, to keep, edit and drop them"
    add("run", nargs="?", default="", metavar="RUN", help=run)
    add("--all", action="store_true", help="also show episodes that checks or judges have decided")
    add("--who", default="", metavar="NAME", help="your name (default: your user name)")
    answers = "the file to which answers to agents' questions are added, for questions(file=…) "
    answers += "(default: answers.jsonl in the run's folder)"
    add("--answers", type=Path, metavar="FILE", help=answers)
    add("--port", type=port, default=0, help="the port of the page (default: a free one)")
    add("--no-browser", action="store_true", help="only print the address")
    add("--list", action="store_true", help="print the undecided episodes, and exit")
    decide = "decide an episode, by its name in --list or the name of its folder, and exit; for "
    decide += "instructions, ID=keep or ID=drop; may be repeated"
    form = "EPISODE=pass|fail"
    add("--decide", metavar=form, action="append", default=[], type=_decision, help=decide)
    add("--note", default="", help="a note for --decide")
    return parser


def _decision(text: str) -> tuple[str, str]:
    episode, _, word = text.rpartition("=")
    if not episode or word not in {*_WORDS, *_OF_INSTRUCTIONS}:
        raise argparse.ArgumentTypeError(f"{text!r} must be EPISODE=pass or EPISODE=fail")
    return episode, word


def _run(parser: argparse.ArgumentParser, given: str, runs: Callable[[], Path]) -> Path:
    """Return the folder of a run, or exit with an error."""
    if given and (named := Path(given) if is_run(Path(given)) else newest_run(Path(given))):
        return named.resolve()
    folder = runs()
    found = folder / given if given else newest_run(folder)
    if found is None or not is_run(found):
        where = f"{given} is not a run, nor is {folder / given}" if given else f"none in {folder}"
        parser.error(f"there is no run: {printable(where)}; name its folder, which holds run.json")
    return found.resolve()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container, the user may have no name
        return "somebody"


def _list(queue: Queue, asked: Unanswered) -> None:
    items = queue.items()
    if queue.problem:
        sys.stderr.write(f"{printable(queue.problem)}\n")
    sys.stdout.write(f"{queue.left()} of {len(items)} left for review in {queue.run}\n")
    if broken := queue.left("error"):
        sys.stdout.write(f"{plural(broken, 'episode')} without a verdict, because a judge broke\n")
    for item, decision in queue.decisions():
        state = _state_of(item, decision)
        sys.stdout.write(f"  {printable(item.name)}   {printable(' '.join(state.split()))}\n")
    questions, known = asked.items(), asked.answers()
    if questions:
        sys.stdout.write(f"{asked.left()} of {len(questions)} questions have no answer\n")
    for each in questions:
        answer = known.get((each.task, each.question), {}).get("answer") or "?"
        words = " ".join(f"{each.question}   {answer}".split())
        sys.stdout.write(f"  {printable(each.task)}   {printable(words)}\n")


def _state_of(item: Item, decision: Verdict | None) -> str:
    if decision is None:
        return f"{item.task.outcome}: {item.task.reason or '?'}"
    word = "passed" if decision.passed else "failed"
    note = f": {decision.reason}" if decision.reason else ""
    return f"{word} by {decision.evidence.get('who') or 'somebody'}{note}"


def _decide(
    parser: argparse.ArgumentParser, queue: Queue, given: argparse.Namespace, who: str
) -> None:
    found = []
    for name, word in given.decide:
        if word not in _WORDS:
            parser.error(f"{printable(name)}={word} is for instructions: episodes pass or fail")
        fitting = [item for item in queue.items() if name in {item.name, item.folder.name}]
        if len(fitting) != 1:
            many = f"{len(fitting)} episodes are" if fitting else "no episode to decide is"
            parser.error(f"{many} called {printable(name)!r}; --all --list prints their names")
        found.append((fitting[0], _WORDS[word]))
    for item, passed in found:
        queue.decide(item, passed, who, given.note)
        sys.stdout.write(f"{'passed' if passed else 'failed'}: {printable(item.name)}\n")
    rewrite(queue.run, queue.files)


def _serve(queue: Queue, asked: Unanswered, who: str, port: int, *, browser: bool) -> int:
    """Serve the page until Ctrl-C or SIGTERM, then update the reports a last time."""
    from pytest_mobileagent.review.server import ReviewService  # lists need no server

    queue.items()
    rewriter = Rewriter(queue.run)
    service = ReviewService(queue, rewriter, who, asked)
    rewriter.ask()  # for decisions made before the run had ended
    with closing(rewriter):
        head = f"{queue.left()} left for review in {queue.run}"
        if questions := asked.left():
            head += f", and {questions} questions without an answer (answers: {asked.path})"
        _until_stopped(service, port, head, browser)
    report = f"; report: {queue.run / 'report.json'}" if queue.has_ended else ""
    sys.stdout.write(f"\n{len(service.decided)} decided, {queue.left()} left{report}\n")
    if rewriter.problem:
        sys.stderr.write(f"error: {printable(rewriter.problem)}\n")
    return 1 if rewriter.problem else 0


def _until_stopped(service: Reviewable, port: int, head: str, browser: bool) -> None:
    from pytest_mobileagent.review.server import ReviewServer

    with ReviewServer(service, port) as server, suppress(KeyboardInterrupt):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        sys.stdout.write(f"{printable(head)}\n{server.url}\nCtrl-C ends it\n")
        sys.stdout.flush()
        if browser:
            open_page(server.invitation())
        threading.Event().wait()


def _instructions(parser: argparse.ArgumentParser, given: argparse.Namespace, who: str) -> int:
    """Serve the page for instructions, or only list or decide instructions."""
    from pytest_mobileagent.review.instructions import InstructionService

    table = Path(given.run)
    try:
        service = InstructionService(table, who)
        names = [draft.id for draft in service.drafts()]
        for name, word in given.decide:
            if word not in _OF_INSTRUCTIONS:
                parser.error(f"{printable(name)}={word}: an instruction is kept or dropped")
            if name not in names:
                parser.error(f"no instruction is called {printable(name)!r}; --list prints them")
        for name, word in given.decide:
            service.decide(names.index(name), _OF_INSTRUCTIONS[word], who, given.note)
            sys.stdout.write(f"{printable(name)}: {word}\n")
        if given.list:
            sys.stdout.write(f"{service.left()} of {len(names)} left for review in {table}\n")
            for draft in service.drafts():
                found = draft.decision
                word = "open" if found is None else "kept" if found.kept else "dropped"
                sys.stdout.write(f"  {printable(f'{draft.id}   {word}: {draft.instruction}')}\n")
        if given.decide or given.list:
            return 0
        head = f"{service.left()} left for review in {table}"
        _until_stopped(service, given.port, head, not given.no_browser)
        kept = sum(bool(draft.decision and draft.decision.kept) for draft in service.drafts())
        left = f"{len(service.decided)} decided, {service.left()} left"
        sys.stdout.write(f"\n{left}; {kept} tasks in {printable(str(table))}\n")
    except (OSError, HostError, RecordError) as error:
        return failed(error)
    return 0
