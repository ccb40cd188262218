"""Workers on the machines of a Ray cluster; nothing outside of this folder imports Ray.

pytest-xdist's controller stays: it hands out tests, collects reports and notices crashes, by the
hooks that other plugins know. Only its workers are started in another way, as actors of Ray, and
what both say goes through one more actor, the desk, on the machine of the controller.

    controller ─orders──▶ desk ──orders──▶ worker, an actor for each phone, on its machine
               ◀─events──      ◀─events, files, heartbeats──
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.sources import read_option, usage_error

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.engine.ray.cluster import Cluster


def use_cluster(controller: Any) -> None:
    """Replace pytest-xdist's controller, before it starts workers: they run on a cluster instead.

    Raises:
        pytest.UsageError: there is no such cluster, or it has too few phones.
    """
    config = controller.config
    if type(controller).__name__ == "RaySession":
        return
    run = config.stash[RUN]
    cluster = _cluster_of(config)
    from pytest_mobileagent.plugin.engine.ray.cluster import ClusterError, disconnect

    try:
        cluster.check(run.workers)
    except ClusterError as error:
        disconnect()
        raise usage_error(run.settings["mobile-engine"], f": {error}") from None
    from pytest_mobileagent.plugin.engine.ray.session import RaySession

    config.pluginmanager.unregister(controller)
    if config.pluginmanager.has_plugin("terminaldistreporter"):
        config.pluginmanager.unregister(name="terminaldistreporter")
    config.pluginmanager.register(RaySession(config, cluster), "dsession")


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
