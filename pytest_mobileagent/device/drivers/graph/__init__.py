"""The driver of recorded pages: an action shows the page that its edge leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import PagesAddress

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.drivers.graph.pages import GraphDevice
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Restart


class Driver:
    """Drives graphs of recorded pages (see `drivers.Driver`)."""

    takes = (PagesAddress,)

    def check(self, reached_by: type, options: DeviceOptions) -> None:
        """Do nothing: the source checks the graph."""

    def connect(
        self,
        address: PagesAddress,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
        restart: Restart | None,
    ) -> GraphDevice:
        """Open the graph."""
        from pytest_mobileagent.dataset.graph import Graph
        from pytest_mobileagent.device.drivers.graph.pages import GraphDevice

        return GraphDevice(Graph.open(address.folder))
