"""Selects a run's tests: a sample of those that pytest's command line chooses, and a shard.

Of these, tasks that are known to be impossible on the devices are skipped.
"""

from __future__ import annotations

import hashlib
import os.path
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent._task.case import missing, without_variant
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.preflight import known_skip
from pytest_mobileagent.plugin.pytest_private import is_overridden
from pytest_mobileagent.plugin.settings import as_usage_error, runs_no_test

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Container,
        Generator,
        Iterable,
        Mapping,
        Sequence,
    )

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.plugin.options import Shard
    from pytest_mobileagent.plugin.settings import OptionValue


# Flags that choose tests, by the attributes of pytest's options.
_FLAGS = {
    "keyword": "-k",
    "markexpr": "-m",
    "deselect": "--deselect",
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "lf": "--last-failed",
    "stepwise": "--stepwise",
}


SHARE = "mobile_share"
_ONE = Fraction(1)
_SKIPPED: pytest.StashKey[set[str]] = pytest.StashKey()  # the node ids of skipped collectors
SAMPLE: pytest.StashKey[Mapping[str, int]] = pytest.StashKey()  # see `selection`


def selection(config: pytest.Config, settings: Mapping[str, OptionValue]) -> dict[str, Any]:
    """Return what selected the tests, for run.json: `paths`, and each flag that was given.

    `skipped` are files and folders that skipped themselves, such as by `pytest.importorskip`. Paths
    are relative to the project, so runs from two checkouts can be compared. `sample` has the
    numbers of tasks of a sample: drawn, selected, of these those that can run on the devices, and
    of the drawn ones those that cannot.
    """
    found = {flag: getattr(config.option, name, None) for name, flag in _FLAGS.items()}
    given: dict[str, Any] = {
        flag: sorted(map(str, value)) if isinstance(value, list | tuple) else value
        for flag, value in found.items()
        if value
    }
    if (sample := settings["mobile-sample"]).value is not None:
        given[sample.option.flag] = f"{sample.value}, seed {settings['mobile-seed'].value}"
        given["sample"] = config.stash.get(SAMPLE, None)
    if environments := settings["mobile-env"].value:
        given["--mobile-env"] = sorted(environments)
    if skipped := config.stash.get(_SKIPPED, None):
        given["skipped"] = sorted(skipped)
    return {"paths": sorted({_relative(config, each) for each in config.args}), **given}


def _relative(config: pytest.Config, argument: str) -> str:
    path, colons, test = argument.partition("::")
    whole = config.invocation_params.dir / path
    try:
        path = os.path.relpath(whole, config.rootpath)
    except ValueError:  # another drive
        path = str(whole)
    return f"{path.replace(os.sep, '/')}{colons}{test}"


class Selection:
    """A plugin that keeps a sample of the selected tests, and a shard of the sample.

    It selects after all other plugins that select tests, including `--last-failed`, whose hook
    wraps all others, but which is registered earlier.
    """

    def __init__(self, run: RunConfig) -> None:
        self._run = run

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note files and folders that skip themselves: nothing else is known of their tests."""
        if report.skipped:
            self._run.config.stash.setdefault(_SKIPPED, set()).add(report.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None]:
        """Keep the sample and the shard that the options ask for."""
        yield
        if (most := self._run.value("mobile-sample")) is not None:
            keep_sample(self._run, items, most)
        if (shard := self._run.value("mobile-shard")) is not None:
            keep_shard(config, items, shard)
        if not runs_no_test(config):
            plan_for = self._run.earlier.plan_for
            cases = [(item, case_of(item)) for item in items]
            needed = [item for item, case in cases if case is None or plan_for(case).is_needed]
            _deselect_others(config, items, needed)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip a task that cannot be run on the devices, before anything is set up for it."""
        case = case_of(item)
        if case is None or not self._run.earlier.plan_for(case).is_played:
            return
        if (skip := known_skip(case, self._run)) is not None:
            raise skip


def keep_sample(run: RunConfig, items: list[pytest.Item], most: int) -> None:
    """Keep the tests of a sample of the tasks in `items`, and report the others as deselected.

    All epochs, environments and variants of a task are kept, or none; other tests are kept.

    Tasks that an earlier run has recorded come first, so that a run which is resumed keeps its
    sample; then those that can run on the devices, as far as this is known. Only if these are
    fewer than `most`, tasks that will be skipped fill the sample.
    """
    can_run = _can_run(run) if run.earlier.makes_episodes else lambda _: True
    ranks: dict[str, tuple[bool, bool]] = {}  # the lowest of a task's tests: new, cannot run
    cases: dict[str, Case] = {}
    for item in items:
        if (case := case_of(item)) is not None:
            name = _name(case)
            rank = (case.key not in run.earlier.tasks, not can_run(item))
            cases[name], ranks[name] = case, min(rank, ranks.get(name, rank))
    chosen: list[str] = []
    for rank in sorted(set(ranks.values())):
        pool = {name: case for name, case in cases.items() if ranks[name] == rank}
        left, seed = most - len(chosen), run.value("mobile-seed")
        chosen += sampled(pool.values(), left, seed, weights_of(items, pool))
    stuck = {name for name, (_, cannot_run) in ranks.items() if cannot_run}
    run.config.stash[SAMPLE] = {
        "tasks": len(chosen),
        "selected": len(cases),
        "can_run": len(cases) - len(stuck),
        "will_be_skipped": len(stuck.intersection(chosen)),
    }
    kept = set(chosen)
    ours = [item for item in items if (case := case_of(item)) is None or _name(case) in kept]
    _deselect_others(run.config, items, ours)


def _can_run(run: RunConfig) -> Callable[[pytest.Item], bool]:
    """Return a function that says whether a test can run, as far as this is known at collection.

    Sources of phones that are already there do not know which apps these have, and no source knows
    whether there is an event listener: tests that lack these are only skipped on the phone.
    """
    with as_usage_error(MobileAgentError, run.settings["mobile-device"]):
        packages = run.devices.packages()

    def can_run(item: pytest.Item) -> bool:
        case = case_of(item)
        if case is None:
            return True
        lacks_app = packages is not None and missing(case.task, packages)
        may_run = not lacks_app or is_overridden(item, "mobile_lease")
        return may_run and known_skip(case, run) is None

    return can_run


_STRATA: tuple[Callable[[Case], str], ...] = (
    lambda case: case.suite,
    lambda case: str(case.task.level),
    lambda case: next(iter(case.task.packages), ""),
)


def weights_of(items: Iterable[pytest.Item], pool: Container[str]) -> dict[str, Fraction]:
    """Return the weights of those tasks in `pool` whose function is marked with `mobile_share`.

    In a sample, such functions of a suite have shares in proportion to their marks, and together as
    many tasks as if they had no marks. All other tasks have the weight 1.
    """
    suites: dict[str, dict[tuple[str, int], set[str]]] = {}
    for item in items:
        mark, case = item.get_closest_marker(SHARE), case_of(item)
        if mark is not None and case is not None and _name(case) in pool:
            function = item.nodeid.partition("[")[0], mark.args[0]
            suites.setdefault(case.suite, {}).setdefault(function, set()).add(_name(case))
    found: dict[str, Fraction] = {}
    for functions in suites.values():
        whole = sum(share for _, share in functions)
        count = sum(map(len, functions.values()))
        for (_, share), names in functions.items():
            found |= dict.fromkeys(names, Fraction(count * share, whole * len(names)))
    return found


def sampled(
    cases: Collection[Case],
    most: int,
    seed: int,
    weights: Mapping[str, Fraction] = MappingProxyType({}),
    by: Sequence[Callable[[Case], str]] = _STRATA,
) -> list[str]:
    """Return the ids of at most `most` tasks: the same for the same seed, on any machine.

    The ids are without variants; `cases` has one variant of each task.

    The sample is stratified `by` suite, level and app: each has a proportional share, rounded to
    whole tasks by the method of largest remainders. A task counts as much as its weight, or 1.
    """
    if most >= len(cases):
        return [_name(case) for case in cases]
    if not by:
        return sorted(map(_name, cases), key=lambda name: (_hash(name, seed), name))[:most]
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(by[0](case), []).append(case)
    sizes = {n: sum(weights.get(_name(each), _ONE) for each in g) for n, g in groups.items()}
    shares = in_proportion(sizes, most, lambda name: _hash(name, seed))
    return [
        each
        for name, group in groups.items()
        for each in sampled(group, shares[name], seed, weights, by[1:])
    ]


def _name(case: Case) -> str:
    return without_variant(case.id, case.task.variant)


def in_proportion(
    sizes: Mapping[str, Fraction | int], most: int, order: Callable[[str], bytes]
) -> dict[str, int]:
    """Return each group's share of `most`, by largest remainders; `order` breaks ties."""
    whole = sum(sizes.values())
    shares = {name: most * size // whole for name, size in sizes.items()}
    rests = sorted(sizes, key=lambda name: (-(most * sizes[name] % whole), order(name)))
    for name in rests[: most - sum(shares.values())]:
        shares[name] += 1
    return shares


WHOLE: pytest.StashKey[Sequence[pytest.Item]] = pytest.StashKey()  # before they were sharded


def keep_shard(config: pytest.Config, items: list[pytest.Item], shard: Shard) -> None:
    """Keep the tests of a shard in `items`, and report the others as deselected.

    All epochs and environments of a task are in one shard. Tests that are not tasks are distributed
    among the shards in the same way, separately from tasks.
    """
    config.stash[WHOLE] = tuple(items)
    cases = [(item, case_of(item)) for item in items]
    part_of_task = parts({case.id for _, case in cases if case is not None}, shard.parts)
    part_of_test = parts({item.nodeid for item, case in cases if case is None}, shard.parts)
    ours = [
        item
        for item, case in cases
        if shard.number == (part_of_test[item.nodeid] if case is None else part_of_task[case.id])
    ]
    _deselect_others(config, items, ours)


def _deselect_others(
    config: pytest.Config, items: list[pytest.Item], ours: Sequence[pytest.Item]
) -> None:
    chosen = {id(item) for item in ours}
    left_out = [item for item in items if id(item) not in chosen]
    items[:] = ours
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def parts(names: Collection[str], count: int) -> dict[str, int]:
    """Return the part of each name, from 1; it is the same on every machine.

    The sizes of parts differ by at most one. Of those with room left, a name goes to the one with
    the highest hash (rendezvous hashing, Thaler and Ravishankar 1998): a new name moves few others.
    """
    each, more = divmod(len(names), count)
    sizes = dict.fromkeys(range(1, count + 1), 0)
    found = {}
    for name in sorted(names, key=lambda name: _hash(name, 0)):
        grown = sum(size > each for size in sizes.values())
        room = [n for n, size in sizes.items() if size < each or (size == each and grown < more)]
        found[name] = max(room, key=lambda part: _hash(name, part))
        sizes[found[name]] += 1
    return found


def _hash(name: str, part: int) -> bytes:
    return hashlib.sha256(f"{part} {name}".encode("utf-8", "surrogatepass")).digest()
