"""Workers on the machines of a Ray cluster; nothing outside this folder imports Ray.

pytest-xdist is not started. A controller of our own takes its place, with the same scheduler and
the same hooks for other plugins. Workers are Ray actors. They and the controller exchange messages
through another actor, the relay, on the controller's machine.

    controller ─orders──▶ relay ──orders──▶ worker: one actor per phone, on the phone's machine
               ◀─events──       ◀─events, files, heartbeats──
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.settings import (
    as_usage_error,
    leaves_distribution,
    read_option,
    usage_error,
)

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster


def use_cluster(config: pytest.Config) -> None:
    """Run the tests on a cluster, without starting pytest-xdist's workers.

    Raises:
        pytest.UsageError: if there is no such cluster, it has too few phones, or an option needs
            pytest-xdist or does not work across several machines.
    """
    run = config.stash[RUN]
    setting = run.settings["mobile-engine"]
    if not leaves_distribution(config):
        what = "workers on a cluster get one test at a time: leave out --dist and --tx, and give -n"
        raise usage_error(setting, f": {what}")
    cluster = _cluster_of(config)
    from pytest_mobileagent.plugin.engine.ray.cluster import ClusterError, disconnect

    try:
        cluster.check(run.workers)
        if cluster.has_others and (option := _rerunning(config)):
            msg = (
                f"{option} cannot be used with other machines than this one, as "
                "pytest-rerunfailures only counts reruns on one machine. Leave it out; "
                "--mobile-retries repeats tests that infrastructure has broken"
            )
            raise ClusterError(msg)  # noqa: TRY301 - handled like an error of `check`
    except ClusterError as error:
        disconnect()
        raise usage_error(setting, f": {error}") from None
    from pytest_mobileagent.plugin.engine.ray.controller import Controller

    config.option.dist = "no"  # pytest-xdist reads this later, and then makes no controller
    config.pluginmanager.register(Controller(config, cluster), "mobileagent-controller")


def _rerunning(config: pytest.Config) -> str:
    """Return the option that makes pytest-rerunfailures rerun failed tests; empty if none does."""
    flags = [flag for flag in ("--reruns", "--force-reruns") if config.getoption(flag, None)]
    with suppress(ValueError, KeyError):  # the plugin is not installed
        flags += ["reruns (of the ini file)"] if config.getini("reruns") else []
    return flags[0] if flags else ""


def phones(config: pytest.Config) -> int:
    """Return the number of phones in the cluster.

    Raises:
        pytest.UsageError: if there is no such cluster, or it has no phones.
    """
    cluster = _cluster_of(config)
    from pytest_mobileagent.plugin.engine.ray.cluster import ClusterError, disconnect

    try:
        cluster.check(1)
    except ClusterError as error:
        disconnect()
        raise usage_error(read_option("mobile-engine", config), f": {error}") from None
    return cluster.phones


_CLUSTER = pytest.StashKey["Cluster"]()


def _cluster_of(config: pytest.Config) -> Cluster:
    """Return the session's cluster, connecting to it first if necessary."""
    if _CLUSTER in config.stash:
        return config.stash[_CLUSTER]
    setting = read_option("mobile-engine", config)
    with as_usage_error(HostError, setting):
        check_extra("ray", "it")
    from pytest_mobileagent.plugin.engine.ray.cluster import ClusterError, connect

    with as_usage_error(ClusterError, setting):
        cluster = config.stash[_CLUSTER] = connect(setting.value, len(config.option.tx or ()))
    return cluster
