"""Workers on the machines of a Ray cluster; nothing outside of this folder imports Ray.

pytest-xdist is not started: its place is taken by a controller of our own, with the same scheduler
and the hooks that other plugins know. Workers are actors of Ray, and what they and the controller
say goes through one more actor, the relay, on the machine of the controller.

    controller ─orders──▶ relay ──orders──▶ worker, an actor for each phone, on its machine
               ◀─events──      ◀─events, files, heartbeats──
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.sources import leaves_distribution, read_option, usage_error

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster


def use_cluster(config: pytest.Config) -> None:
    """Have a run's tests done on a cluster, and pytest-xdist start nothing.

    Raises:
        pytest.UsageError: there is no such cluster, it has too few phones, or an option asks for
            what pytest-xdist does, or for what does not work on several machines.
    """
    run = config.stash[RUN]
    setting = run.settings["mobile-engine"]
    if not leaves_distribution(config):
        what = (
            ": a cluster's workers get one test at a time: leave --dist and --tx out, and give -n"
        )
        raise usage_error(setting, what)
    cluster = _cluster_of(config)
    from pytest_mobileagent.plugin.engine.ray.cluster import ClusterError, disconnect

    try:
        cluster.check(run.workers)
        if cluster.has_others and (option := _rerunning(config)):
            msg = (
                f"{option} cannot be used with machines other than this: pytest-rerunfailures "
                "counts on this one alone. Leave it out; --mobile-retries repeats what "
                "infrastructure has broken"
            )
            raise ClusterError(msg)  # noqa: TRY301 - as from what is called
    except ClusterError as error:
        disconnect()
        raise usage_error(setting, f": {error}") from None
    from pytest_mobileagent.plugin.engine.ray.controller import Controller

    config.option.dist = "no"  # pytest-xdist, which looks at it later, makes no controller then
    config.pluginmanager.register(Controller(config, cluster), "mobileagent-controller")


def _rerunning(config: pytest.Config) -> str:
    """Return the option by which pytest-rerunfailures is to run all tests again, if any is."""
    given = config.getoption("reruns", None), config.getoption("force_reruns", None)
    flags = [
        flag for flag, times in zip(("--reruns", "--force-reruns"), given, strict=True) if times
    ]
    with suppress(ValueError, KeyError):  # the plugin is not there
        flags += ["reruns (of the ini file)"] if config.getini("reruns") else []
    return flags[0] if flags else ""


def phones(config: pytest.Config) -> int:
    """Return how many phones the cluster has.

    Raises:
        pytest.UsageError: there is no such cluster, or it has none.
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
    """Return the cluster of a session, connected.

    Raises:
        pytest.UsageError: there is none, or Ray is not installed.
    """
    if _CLUSTER in config.stash:
        return config.stash[_CLUSTER]
    setting = read_option("mobile-engine", config)
    try:
        check_extra("ray", "it")
    except HostError as error:
        raise usage_error(setting, f": {error}") from None
    from pytest_mobileagent.plugin.engine.ray.cluster import ClusterError, connect

    try:
        cluster = config.stash[_CLUSTER] = connect(setting.value, len(config.option.tx or ()))
    except ClusterError as error:
        raise usage_error(setting, f": {error}") from None
    return cluster
