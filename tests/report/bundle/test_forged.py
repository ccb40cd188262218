"""Forged bundles: each is found, and what was forged is named."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.report.bundle.records import FAILED, OPEN
from pytest_mobileagent.report.bundle.verify import verify
from pytest_mobileagent.verdict import Verdict, of_person
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.report.bundle.conftest import Forger

    Forgery = Callable[[Forger], object]


def _swap(one: Path, other: Path) -> None:
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def _screens(forger: Forger, *kinds: str) -> list[Path]:
    found = sorted(path for kind in kinds for path in (forger.run / "screens").glob(f"*{kind}"))
    assert len(found) > 1
    return found


def _swap_in_records(forger: Forger) -> None:
    """Exchange two screens of the two epochs of a task."""
    paths = [forger.episode("Eve", epoch) / "episode.jsonl" for epoch in (0, 1)]
    first, second = (json.loads(paths[0].read_text().splitlines()[line]) for line in (1, 3))
    for kind in ("png", "xml"):
        forger.edit(paths[0], first[kind], second[kind], line=2)
        forger.edit(paths[1], second[kind], first[kind], line=4)


def _add_lines(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text + "\n")


def _swap_lines(path: Path, one: int, other: int) -> None:
    lines = path.read_text("utf-8").splitlines(keepends=True)
    lines[one - 1], lines[other - 1] = lines[other - 1], lines[one - 1]
    path.write_text("".join(lines), "utf-8")


def _another_attempt(forger: Forger, number: int) -> Path:
    """Repeat a decided task: its folder is copied as another attempt."""
    first = forger.episode("Ann")
    other = first.with_name(first.name.replace(".0", f".{number}"))
    shutil.copytree(first, other)
    if number:
        forger.edit(other / "episode.jsonl", '"attempt":0', f'"attempt":{number}', line=1)
    return other


def _renumbered(forger: Forger) -> None:
    """The failure is gone, and the second attempt is said to be the first."""
    second = _another_attempt(forger, 1)
    first = forger.episode("Ann")
    shutil.rmtree(first)
    second.rename(first)


def _dropped(*files: str, epoch: int | None = None) -> Forgery:
    return lambda forger: forger.drop_task("Eve", *files, epoch=epoch)


def _edited(file: str, old: str, new: str, line: int | None = None) -> Forgery:
    """Replace a text in a file of Eve's first attempt."""
    return lambda forger: forger.edit(forger.episode("Eve") / file, old, new, line)


# Edits by somebody who does not know the chain: what is done, and what is said.
EDITS: dict[str, tuple[Forgery, str]] = {
    "an edited action": (
        _edited("episode.jsonl", '"x":1', '"x":7', 3),
        r"episode.jsonl, line 3 \(step\): it was edited",
    ),
    "an edited goal": (
        _edited("episode.jsonl", "Say the name Eve", "Say the name Ann", 1),
        r"line 1 \(episode\): it was edited",
    ),
    "a removed record": (
        lambda it: it.drop_lines(it.episode("Eve") / "episode.jsonl", 8),
        r"episode.jsonl: 1 line removed",
    ),
    "an added record": (
        lambda it: _add_lines(it.episode("Eve") / "episode.jsonl", '{"record":"step"}'),
        r"episode.jsonl, line 9 \(step\): it was added",
    ),
    "an edited prompt": (
        _edited("calls.jsonl", "What now?", "Say Eve!", 1),
        r"calls.jsonl, line 1 \(call\): it was edited",
    ),
    "records in another order": (
        lambda it: _swap_lines(it.episode("Eve") / "episode.jsonl", 2, 4),
        r"episode.jsonl: its lines are in another order",
    ),
    "a removed attempt": (
        lambda it: shutil.rmtree(it.episode("Eve")),
        r"episodes/\S*Eve\S*: this attempt was removed",
    ),
    "a failure dropped everywhere": (
        _dropped("episodes", "run.json", "report.json", "index.jsonl", epoch=1),
        r"episodes/\S*Eve\S*: this attempt was removed",
    ),
    "an attempt of another run": (
        lambda it: _another_attempt(it, 1),
        r"episodes/\S*Ann\S*.1: this run has not recorded it",
    ),
    "an exchanged hierarchy": (
        lambda it: _swap(*_screens(it, ".xml", ".xml.gz")[:2]),
        r"screens/\S+.xml\S*: another screen than the one recorded",
    ),
    "an exchanged picture": (
        lambda it: _swap(*_screens(it, ".png", ".webp")[:2]),
        r"screens/\S+.(png|webp): another screen than the one recorded",
    ),
    "a removed picture": (
        lambda it: _screens(it, ".png", ".webp")[0].unlink(),
        r"its screen \w{32}.png is missing",
    ),
    "screens exchanged between epochs": (
        _swap_in_records,
        r"line 4 \(observation\): it was edited",
    ),
    "a changed verdict": (
        _edited("verdicts.jsonl", '"passed":false', '"passed":true'),
        r"verdicts.jsonl, line 1 \(verdict\): it was edited",
    ),
    "a removed verdict": (
        lambda it: it.drop_lines(it.episode("Eve") / "verdicts.jsonl", 1),
        r"verdicts.jsonl: 1 line removed",
    ),
    "an edited note": (
        _edited("attempt.json", '"played"', '"device broke"'),
        r"attempt.json, line 1 \(note\): it was edited",
    ),
    "an edited report": (
        lambda it: it.change_task(success=True, outcome="passed"),
        "report.json: it was edited",
    ),
    "a removed report": (
        lambda it: (it.run / "report.json").unlink(),
        "report.json: it was removed",
    ),
    "an edited plan": (
        lambda it: it.change("run.json", lambda head: head["run"].update(agent="other")),
        "run.json: it was edited",
    ),
    "an edited index": (
        lambda it: it.edit(it.run / "index.jsonl", '"failed"', '"passed"'),
        r"index.jsonl, line \d \(result\): it was edited",
    ),
    "a shortened index": (
        lambda it: it.drop_lines(it.run / "index.jsonl", 2),
        "index.jsonl: 1 line removed",
    ),
    "an edited link": (
        lambda it: it.edit(it.run / "chain.jsonl", '"begun"', '"began"', 2),
        "chain.jsonl, link 2: it does not follow",
    ),
    "a removed link": (
        lambda it: it.drop_lines(it.run / "chain.jsonl", 4),
        "chain.jsonl, link 4: it does not follow",
    ),
    "a chain without its end": (
        lambda it: it.drop_lines(it.run / "chain.jsonl", *range(20, 200)),
        "this run has not recorded it",
    ),
    "no chain": (
        lambda it: (it.run / "chain.jsonl").unlink(),
        "there is no chain.jsonl",
    ),
    "a chain that was computed again": (
        lambda it: it.compute_chain_again(),
        "the digest is not in it: it was computed again",
    ),
}


def words(path: Path, **given: Any) -> list[str]:
    """Return what is wrong with a bundle, or open."""
    found = verify(path, **given)
    wrong = [each.words for each in found.findings if each.state in {FAILED, OPEN}]
    assert bool(wrong) is (found.status != 0)
    return wrong


@pytest.mark.usefixtures("no_checks")
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_found_by_the_digest_that_was_printed(forger: Forger, name: str) -> None:
    forge, expected = EDITS[name]
    forge(forger)
    found = words(forger.pack(), digests={forger.recorded.digest})
    assert any(re.search(expected, each) for each in found), found


def _person(forger: Forger, who: str) -> None:
    add_verdict(forger.episode("Eve"), of_person(True, who))


def _judged_twice(forger: Forger) -> None:
    for passed in (False, True):
        add_verdict(forger.episode("Eve"), Verdict(passed, "judge", "so it says"))


def _as_not_run(forger: Forger) -> None:
    forger.change_task(outcome="not run", success=None, termination=None, episode=None)


def _as_skipped(forger: Forger) -> None:
    forger.change_task(outcome="skipped", success=None, termination=None, episode=None)
    forger.edit(forger.run / "index.jsonl", '"failed"', '"skipped"')


def _as_broken(forger: Forger) -> None:
    fields: dict[str, Any] = {"outcome": "error", "success": None, "fault": "infrastructure"}
    forger.change_task(**fields, termination="interrupted")
    forger.edit(forger.run / "index.jsonl", '"failed"', '"error"')


def _other_epoch(forger: Forger) -> None:
    forger.change_task("Eve", 0, episode=f"episodes/{forger.episode('Ann', 0).name}")


def _decided_again(forger: Forger) -> None:
    other = _another_attempt(forger, 1)
    lines = (forger.run / "index.jsonl").read_text().splitlines()
    (own,) = (json.loads(each) for each in lines if '[Ann]"' in each)
    again = own | {"attempt": 1, "folder": f"episodes/{other.name}"}
    _add_lines(forger.run / "index.jsonl", json.dumps(again))


def _first_attempt_removed(forger: Forger) -> None:
    _another_attempt(forger, 2)


def _other_agent(forger: Forger) -> None:
    other = forger.add_run("other")
    for file in ("run.json", "report.json"):
        text = (other / file).read_text()
        (other / file).write_text(text.replace('"agent": "counts"', '"agent": "bot"'))


def _head(**fields: Any) -> Forgery:
    def forge(forger: Forger) -> None:
        for file in ("run.json", "report.json"):
            forger.change(file, lambda it: it["run"].update(fields))

    return forge


# Forgeries by somebody who computes the chain again, too.
SCHEMES: dict[str, tuple[Forgery, str]] = {
    "a failure dropped from the report": (
        _dropped("report.json"),
        r"in the plan of the run, but not in its report: 2 tasks: \S*name\[Eve\]",
    ),
    "a failure that is not run": (_as_not_run, r"not run: 1 task: \S*name\[Eve\]"),
    "a failure that is skipped": (
        _as_skipped,
        r"name\[Eve\]: skipped in the report, but decided in its records",
    ),
    "a verdict that the report does not have": (
        _edited("verdicts.jsonl", '"passed":false', '"passed":true'),
        r"name\[Eve\]: its verdict in the report is not that of its records",
    ),
    "a success of another run": (
        lambda it: it.change_task("Ann", attempts=[{"run": "lucky"}]),
        r"name\[Ann\]: from another run, lucky",
    ),
    "another agent's name": (_head(agent="bot"), r"name\[Ann\]: played by counts, in a run of bot"),
    "a failure that is an error": (_as_broken, r"name\[Eve\]: interrupted in the report, self-rep"),
    "a result that the index contradicts": (
        lambda it: it.change_task(success=True, outcome="passed"),
        r"name\[Eve\]: passed in the report, but failed in the index",
    ),
    "a best of three that was merged": (
        _head(merged_from=["one", "two", "three"]),
        r"merged from 3 runs \(one, two, three\)",
    ),
    "a best of two that was rerun": (_decided_again, r"name\[Ann\]: decided 2 times"),
    "a run with --reruns": (
        _head(command=["pytest", "--reruns=2"]),
        "run with --reruns=2, which repeats failures",
    ),
    "a best of two cut down to one attempt": (
        _renumbered,
        r"Ann\S*.0: it was attempt 1, so others are missing",
    ),
    "an attempt whose number is missing": (
        _first_attempt_removed,
        r"Ann\S*: attempts are missing: 1",
    ),
    "two runs of the same tasks": (
        lambda it: it.add_run("second"),
        "decided in more than one of the runs: 6 tasks",
    ),
    "runs of two agents": (_other_agent, "runs of different agents: bot, counts"),
    "a verdict by a person without a name": (
        lambda it: _person(it, " "),
        r"name\[Eve\]: decided by a person without a name",
    ),
    "judges who were asked until they agreed": (
        _judged_twice,
        r"name\[Eve\]: judged 2 times, of which one counts",
    ),
    "the episode of another task": (
        _other_epoch,
        r"name\[Eve\]: the report shows the episode of \S*name\[Ann\]",
    ),
    "a resumed run with another agent": (
        _head(resumed=[{"when": "2026", "command": [], "differs_in": ["agent"]}]),
        "resumed 1 time, after a change of: agent",
    ),
}


@pytest.mark.usefixtures("no_checks")
@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_is_found_although_the_chain_fits(forger: Forger, name: str) -> None:
    forge, expected = SCHEMES[name]
    forge(forger)
    forger.compute_chain_again()
    found = words(forger.pack())
    assert any(re.search(expected, each) for each in found), found
    if len([*forger.folder.glob("*/run.json")]) == 1:
        assert not any("it was edited" in each for each in found)


def _passed_everywhere(forger: Forger) -> None:
    _edited("verdicts.jsonl", '"passed":false', '"passed":true')(forger)
    forger.edit(forger.run / "index.jsonl", '"failed"', '"passed"')
    for epoch in (0, 1):
        forger.change_task(epoch=epoch, success=True, outcome="passed", fault=None)


def _another_goal(forger: Forger) -> None:
    forger.change(
        "run.json", lambda it: [each["task"].update(goal="Say Ann") for each in it["tasks"]]
    )


# What only the checks of this machine can tell.
LIES: dict[str, tuple[Forgery, str]] = {
    "a failure that passed": (
        _passed_everywhere,
        r"name\[Eve\]: the report says outcome 'passed', here 'failed', success True, here False",
    ),
    "fewer tokens": (
        lambda it: it.change_task(input_tokens=1),
        r"name\[Eve\]: the report says input_tokens 1, here",
    ),
    "a summary of other tasks": (
        lambda it: it.change("report.json", lambda own: own["summary"].update(success_rate=1.0)),
        r"not that of its tasks: success_rate 1.0, computed 0.66",
    ),
    "the metrics of another version": (
        lambda it: it.change("report.json", lambda own: own["summary"].pop("success_rate_of_all")),
        "made by another version of pytest-mobileagent: it has no success_rate_of_all",
    ),
    "a task dropped everywhere": (
        _dropped("episodes", "run.json", "report.json", "index.jsonl"),
        r"2 tasks of the same files are not in the run: \S*name\[Eve\]",
    ),
    "other goals": (_another_goal, r"name\[Ann\]: the suite here differs in: goal"),
    "another check": (
        lambda it: it.change(
            "run.json", lambda own: [each.update(check="0") for each in own["digests"].values()]
        ),
        r"name\[Ann\]: the suite here differs in: check",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_found_by_running_the_checks_again(forger: Forger, name: str) -> None:
    forge, expected = LIES[name]
    forge(forger)
    forger.compute_chain_again()
    found = words(forger.pack())
    assert any(re.search(expected, each) for each in found), found
