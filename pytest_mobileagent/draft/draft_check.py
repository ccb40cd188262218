"""`python -m pytest_mobileagent draft-check`: have a model draft checks for recorded tasks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, program_name
from pytest_mobileagent.draft.drafting import ROLE, Drafting, places, recorded_tasks
from pytest_mobileagent.draft.edits import compared, drafted_files, edits_of
from pytest_mobileagent.draft.sandbox import check_sandbox
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.isolation import UnavailableError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.llm.asking import add_model_options, model_of
from pytest_mobileagent.llm.budget import BudgetSpent
from pytest_mobileagent.llm.model import ModelUnavailable
from pytest_mobileagent.llm.models import ModelSettings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.llm.asking import Settings


def main(arguments: Sequence[str], project: Callable[[], Settings]) -> int:
    """Draft checks, or compare drafts with their edited versions; return the exit status.

    The status is 0 if every draft is right on its episodes, 1 if one is not, 2 after an error, 130
    after Ctrl-C. `project` returns the settings of the project, which apply where an option is not
    given.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    paths = [*given.paths, *given.episode]
    if not paths:
        parser.error("no episode is given: name its folder, as in runs/…/episodes/wifi.0")
    try:
        return _compare(paths) if given.compare else _draft(given, paths, project)
    except UnavailableError as error:
        how = "Drafts are run nowhere else; --no-run prints them without running them"
        problem = f"what a model wrote cannot be run here: {error}. {how}"
    except (MobileAgentError, ValueError, ModelUnavailable, BudgetSpent) as error:
        problem = str(error)
    except KeyboardInterrupt:
        return 130
    print(f"error: {printable(str(problem))}", file=sys.stderr)
    return 2


def _draft(given: argparse.Namespace, paths: list[Path], project: Callable[[], Settings]) -> int:
    """Draft a check for each task; inputs are validated before any model is called."""
    tasks = recorded_tasks(paths)
    files = places(given.output, [episodes[0].episode.case.id for episodes in tasks])
    if not given.no_run:
        check_sandbox()
    reference, prices = model_of(given, project, ROLE, "draft")
    drafting = Drafting(reference, ModelSettings(prices=prices), run=not given.no_run)
    for number, (episodes, file) in enumerate(zip(tasks, files, strict=True)):
        print("\n\n" * bool(number) + drafting.draft(episodes, file), end="", flush=True)
    print(f"\n\n{drafting.summary()}", end="")
    return 0 if drafting.all_right else 1


def _compare(paths: list[Path]) -> int:
    files = list(dict.fromkeys(drafted_files(paths)))
    if not files:
        where = ", ".join(map(str, paths))
        raise ValueError(f"no drafts are in {where}: `draft-check EPISODE -o DIR` makes some")
    print("\n".join(compared([edits_of(file) for file in files])))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("draft-check"),
        description="Have a model write a check for a recorded task. The draft is run in a sandbox "
        "on the episode, as it was after each step, to show when it holds. A person should edit "
        "it.",
        epilog="Several episodes of a task make one draft, which is run on all of them. The exit "
        "status is 0 if all drafts are right on their episodes, 1 if one is not, 2 after an error. "
        "Keys are read from the environment (docs/models.md).",
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, metavar="EPISODE", help="the folder of a recorded episode")
    same = "the same as EPISODE"
    add("--episode", action="append", default=[], type=Path, metavar="DIR", help=same)
    output = "a new FILE.py, or a folder, for the drafts; the model's original text is written to "
    output += "FILE.py.draft"
    add("-o", "--output", type=Path, metavar="FILE", help=output)
    add_model_options(
        parser,
        "the model: PROVIDER:NAME, with @URL for an endpoint of your own (default: the project's "
        "MOBILE_MODEL or mobile_model)",
    )
    add("--no-run", action="store_true", help="only print the drafts, if there is no sandbox")
    compare = "instead of drafting, count the unchanged drafts and changed lines in files and "
    compare += "folders, which are given instead of episodes"
    add("--compare", action="store_true", help=compare)
    return parser
