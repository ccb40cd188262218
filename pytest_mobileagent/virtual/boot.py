"""Boots a phone with its factory image: the image's packages and the shell's commands."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.image.packages import IMAGE
from pytest_mobileagent.virtual.phone import Phone
from pytest_mobileagent.virtual.shell import launch
from pytest_mobileagent.virtual.shell.interpreter import load_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from pytest_mobileagent.virtual.app.app import App


def boot(
    apps: Iterable[type[App]] = (),
    *,
    avd_name: str = "virtual",
    time: datetime | None = None,
    frozen: bool = False,
    size: tuple[int, int] = (1080, 2400),
    density: int = 420,
    props: Mapping[str, str] = MappingProxyType({}),
) -> Phone:
    """Return a phone with additional apps, booted to its home screen."""
    phone = Phone(
        [*IMAGE, *apps],
        avd_name=avd_name,
        time=time,
        frozen=frozen,
        size=size,
        density=density,
        props=props,
    )
    load_commands()
    launch.install(phone.files)
    phone.start()
    return phone
