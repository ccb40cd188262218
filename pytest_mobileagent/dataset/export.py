"""`python -m pytest_mobileagent export`: write recorded episodes as a data set for training."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.table import rows
from pytest_mobileagent._task.wording import fill
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.dataset import LeftOutError, Trajectory, TrajectoryStep, trajectory_of
from pytest_mobileagent.dataset.formats import ABOUT, FORMATS, OBSERVATIONS, Format, layout
from pytest_mobileagent.dataset.graph.store import HEAD, TASKS, Graph
from pytest_mobileagent.dialect import dialects
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.errors import HostError, RecordError, ScreenError, TaskError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.jsonable import check, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent.dialect.dialect import Dialect
    from pytest_mobileagent.episode.redaction import Redaction

    Episodes = Callable[[Path], "Iterable[Source]"]  # the finished ones of a run
    Setting = Callable[[str], tuple[str, Path] | None]  # a value, and the folder of paths in it
    Read = Iterator[Trajectory | LeftOutError]

SCHEMA_VERSION = 1
_KINDS = {
    "schema_version": int,
    "format": str,
    "dialect": str,
    "splits": [str],
    "trajectories": [{"goal": str, "origin": dict}],
}
_SPLITS = {1: ("train",), 2: ("train", "test"), 3: ("train", "validation", "test")}


@dataclass(frozen=True, slots=True)
class Source:
    """An episode of a run: its folder, whether its goal was met, and its origin."""

    folder: Path
    succeeded: bool | None
    origin: Mapping[str, Any]


def main(arguments: Sequence[str], episodes: Episodes, setting: Setting) -> int:
    """Export runs, and return the exit status: 1 if a run is unreadable, or writing fails.

    `episodes` returns the finished episodes of a run. `setting` returns a value of the project's
    settings, with the folder to which paths in it are relative.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    chosen = layout(given.format)
    _check(parser, given, chosen)
    dialect = dialects()[given.dialect or chosen.dialect]()
    try:
        rules = rules_given(given.redact, setting("mobile_redact"))
        parts = _parts(_tasks(given.runs, episodes), given.split, given.seed)
        whole = _read_all(given.runs, episodes, given, rules)
        written = _write(whole, parts, given, chosen, dialect)
    except (OSError, HostError, RecordError, ScreenError, TaskError) as error:
        return failed(error)
    sys.stdout.write(printable(written) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("export"),
        description="Write recorded episodes as a data set: screens, goals and actions, in the "
        "format of a trainer or of a paper's release. By default, only episodes whose goal was met "
        "are exported.",
        epilog="RUN is a run's folder, or a folder of runs, of which the newest is exported. "
        f"DATASET is a folder that was exported before (it contains {ABOUT}), or a graph of "
        "recorded pages, of which the golden paths are exported. See docs/export.md.",
    )
    add = parser.add_argument
    add("runs", metavar="RUN|DATASET", nargs="+", type=Path, help="the episodes to export")
    add("--format", choices=FORMATS, required=True, help="the format of the data set")
    add("-o", "--output", metavar="DIR", type=Path, required=True, help="the folder to create")
    names = ", ".join(dialects())
    add("--dialect", metavar="NAME", help=f"for llamafactory: the format of actions: {names}")
    what = f"the parts of each screen to write, with commas between: {', '.join(OBSERVATIONS)}"
    add("--observation", metavar="WHAT", type=_words, help=what)
    add("--failures", action="store_true", help="also export episodes whose goal was not met")
    shares = "shares of the tasks in train,test or train,validation,test: 0.8,0.1,0.1"
    add("--split", metavar="SHARES", type=_shares, default=(1.0,), help=shares)
    add("--seed", metavar="N", type=int, default=0, help="the seed of the split (default: 0)")
    licences = "the licence of a suite, which is recorded with its episodes; may be repeated"
    add("--licence", metavar="SUITE=NAME", action="append", default=[], type=_pair, help=licences)
    hidden = "redaction rules, for runs recorded without them (default: mobile_redact)"
    add("--redact", metavar="FILE", type=Path, help=hidden)
    return parser


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(","))
    if unknown := [word for word in words if word not in OBSERVATIONS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(OBSERVATIONS)}")
    return words


def _shares(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(float(each) for each in text.split(","))
    except ValueError:
        shares = ()
    if len(shares) not in _SPLITS or not all(0 < each <= 1 for each in shares):
        msg = f"{text!r} is not a list of two or three shares, such as 0.8,0.1,0.1"
        raise argparse.ArgumentTypeError(msg)
    if not math.isclose(sum(shares), 1):
        raise argparse.ArgumentTypeError(f"the shares {text} add up to {sum(shares):g}, not 1")
    return shares


def _pair(text: str) -> tuple[str, str]:
    suite, equals, name = text.partition("=")
    if not (suite and equals and name):
        raise argparse.ArgumentTypeError(f"{text!r} must be SUITE=NAME, such as b_moca=Apache-2.0")
    return suite, name


def _check(parser: argparse.ArgumentParser, given: Any, chosen: type[Format]) -> None:
    """Exit with a usage error if options contradict each other."""
    if given.dialect and chosen.is_bound:
        parser.error(f"--format={given.format} has its own format of actions: omit --dialect")
    if given.dialect and given.dialect not in dialects():
        parser.error(f"there is no dialect {given.dialect!r}: {', '.join(dialects())}")
    if missing := set(given.observation or ()) - set(chosen.offers):
        offers = ", ".join(chosen.offers)
        parser.error(f"--format={given.format} can contain {offers}, but not {min(missing)}")
    if given.output.exists() and (not given.output.is_dir() or any(given.output.iterdir())):
        parser.error(f"{given.output} already exists, and is not overwritten: name a new folder")


def rules_given(path: Path | None, setting: tuple[str, Path] | None) -> Redaction | None:
    """Return the redaction rules that an option names, or else those of the project.

    Raises:
        HostError: if the rules cannot be read.
    """
    from pytest_mobileagent.episode.redaction import rules_of  # needed by few exports

    if path is None and setting is not None and setting[0]:
        path = setting[1] / setting[0]
    try:
        return None if path is None else rules_of(path)
    except ValueError as error:
        raise HostError(f"--redact: {error}") from None


def _read_all(
    paths: Sequence[Path], episodes: Episodes, given: Any, rules: Redaction | None
) -> Read:
    """Yield each trajectory to export, or the reason why it is left out."""
    licences = dict(given.licence)
    for path in paths:
        if (path / ABOUT).is_file():
            yield from (t for t in _dataset(path) if t.succeeded or given.failures)
            continue
        if (path / HEAD).is_file():
            yield from _golden_paths(path)
            continue
        for source in episodes(path):
            if source.succeeded is True or given.failures:
                yield _episode(source, licences, rules)


def _episode(
    source: Source, licences: Mapping[str, str], rules: Redaction | None
) -> Trajectory | LeftOutError:
    try:
        episode = read(source.folder, EpisodeRecord)
        case = episode.case
        origin = {
            "suite": case.suite,
            "source": case.task.source,
            "licence": licences.get(case.suite),
            "language": case.task.language,
            "wording": case.task.wording,
            "agent": episode.agent,
            "models": sorted({call.model for call in episode.calls}),
            "device": episode.device.model,
            **source.origin,
        }
        return trajectory_of(episode, source.succeeded, origin, rules)
    except LeftOutError as error:
        return error
    except (RecordError, ScreenError) as error:
        return LeftOutError(f"an episode cannot be read: {type(error).__name__}")


def _dataset(folder: Path) -> Iterator[Trajectory]:
    """Read a data set that was exported before."""
    about = _about(folder)
    try:
        yield from layout(about["format"]).read(folder, about)
    except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
        raise RecordError(f"{folder} is damaged: {type(error).__name__}: {error}") from error


def _golden_paths(folder: Path) -> Read:
    with Graph.open(folder) as graph:
        for row in rows((folder / TASKS).resolve()):
            golden = [*map(golden_from_json, row.columns.get("golden") or ())]
            if not golden or not all(g.page and graph.page(g.page).size == g.size for g in golden):
                yield LeftOutError("a task has no golden path in pixels of its pages")
                continue
            instructions = row.columns.get("instructions") or ()
            words = instructions if len(instructions) == len(golden) else [""] * len(golden)
            steps = tuple(
                TrajectoryStep(graph.screen(g.page), g.action, instruction=word)
                for g, word in zip(golden, words, strict=True)
            )
            origin = {"task": row.id, "suite": graph.name, "source": graph.source,
                      "licence": graph.licence or None, "language": graph.language}  # fmt: skip
            yield Trajectory(fill(row.goal, {}), steps, True, origin)


def _about(folder: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = check(read_json(folder / ABOUT), _KINDS, ABOUT)
    except (LookupError, TypeError, ValueError, OSError) as error:
        msg = f"{folder / ABOUT} is damaged: {type(error).__name__}: {error}"
        raise RecordError(msg) from error
    if about["schema_version"] > SCHEMA_VERSION or about["format"] not in FORMATS:
        msg = f"{folder / ABOUT} has a newer version: install a newer pytest-mobileagent"
        raise RecordError(msg)
    return about


def _write(
    whole: Read, parts: Mapping[str, int], given: Any, chosen: type[Format], dialect: Dialect
) -> str:
    """Write a data set, completely or not at all, and return the summary to print."""
    given.output.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{given.output.name}.", dir=given.output.parent))
    observed = given.observation or chosen.observations
    try:
        names = _SPLITS[len(given.split)]
        known: list[dict[str, Any]] = []
        left = Counter[str]()
        target = chosen(made, dialect, observed)
        for each in whole:
            try:
                if isinstance(each, LeftOutError):
                    raise each
                split = names[parts.get(_task(each.origin), 0)]
                steps = target.add(split, len(known), each)
            except (LeftOutError, ScreenError) as error:
                left[str(error) if isinstance(error, LeftOutError) else "a screen is damaged"] += 1
                continue
            known.append(_known(each, split, steps))
        target.close()
        if not known:
            raise HostError(_nothing(left, given.failures))
        about = {
            "schema_version": SCHEMA_VERSION,
            "format": given.format,
            "dialect": target.words.name,
            "observation": sorted(observed),
            "seed": given.seed,
            "splits": [name for name in names if any(t["split"] == name for t in known)],
            "left_out": dict(left),
            "trajectories": known,
        }
        write_json(made / ABOUT, about)
        made.chmod(0o755)
        os.replace(made, given.output)  # noqa: PTH105 - also replaces an empty folder
    except OSError as error:
        raise HostError(f"{given.output} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return _summary(given.output, about, left)


def _tasks(paths: Sequence[Path], episodes: Episodes) -> Iterator[str]:
    """Return the tasks of all trajectories to export, without reading any episode."""
    for path in paths:
        if (path / ABOUT).is_file():
            yield from (_task(each["origin"]) for each in _about(path)["trajectories"])
        elif (path / HEAD).is_file():
            yield from (row.id for row in rows((path / TASKS).resolve()))
        else:
            yield from (_task(source.origin) for source in episodes(path))


def _task(origin: Mapping[str, Any]) -> str:
    """Return the task of a trajectory, the same in all its environments and epochs."""
    return str(origin["task"]).partition("@")[0]


def _parts(tasks: Iterable[str], shares: Sequence[float], seed: int) -> dict[str, int]:
    """Return the split of each task, drawn by the seed; all its trajectories are in one split."""
    if len(shares) == 1:
        return {}
    drawn = sorted({*tasks}, key=lambda t: hashlib.sha256(f"{seed} {t}".encode()).digest())
    ends = [round(sum(shares[: n + 1]) * len(drawn)) for n in range(len(shares))]
    return {task: sum(place >= end for end in ends) for place, task in enumerate(drawn)}


def _known(trajectory: Trajectory, split: str, steps: int) -> dict[str, Any]:
    return {
        "goal": trajectory.goal,
        "succeeded": trajectory.succeeded,
        "split": split,
        "steps": steps,
        "actions": len(trajectory.steps),
        "origin": dict(trajectory.origin),
    }


def _nothing(left: Counter[str], failures: bool) -> str:
    why = "; ".join(f"{count} × {reason}" for reason, count in left.most_common())
    if why:
        return f"nothing can be exported: {why}"
    hint = "" if failures else ": no goal was met; --failures also exports these episodes"
    return f"there is nothing to export{hint}"


def _summary(output: Path, about: Mapping[str, Any], left: Counter[str]) -> str:
    known = about["trajectories"]
    counts = Counter(each["split"] for each in known)
    parts = ", ".join(f"{name} {counts[name]}" for name in about["splits"])
    steps = sum(each["steps"] for each in known)
    lines = [f"wrote {output}: {len(known)} trajectories, {steps} steps ({parts})"]
    if (more := sum(max(0, each["steps"] - each["actions"]) for each in known)) > 0:
        why = "a field is tapped, then typed into, on one screen"
        lines.append(f"{more} steps more than actions: {why}")
    lines += [f"left out {count}: {reason}" for reason, count in left.most_common()]
    if unlicensed := sorted({str(t["origin"].get("suite")) for t in known
                             if not t["origin"].get("licence")}):  # fmt: skip
        lines.append(f"no licence is stated for: {', '.join(unlicensed)} (--licence SUITE=NAME)")
    return "\n".join(lines)
