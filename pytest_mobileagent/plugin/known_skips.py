"""Why tasks are skipped, as far as this is known before a device is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.needs import PAGES, unmet
from pytest_mobileagent.errors import NoSolutionError
from pytest_mobileagent.plugin.state import Skipped

if TYPE_CHECKING:
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig


def known_skip(case: Case, run: RunConfig) -> Skipped | None:
    """Return why a case is skipped before a device is leased for it; None if it is not.

    Whether its apps are on the devices is not asked here.
    """
    source = run.devices.source
    if source.is_live and PAGES in case.task.needs:
        why_not = (
            f"--mobile-device={source.shown} are phones: name graph:DIR (docs/recorded-pages.md)"
        )
        return Skipped("pages", f"the task is done on recorded pages, and {why_not}")
    if not source.is_live and case.environment is not None:
        return Skipped("pages", "--mobile-env sets up phones, which recorded pages are not")
    if why_not := source.refuses(case.task):
        return Skipped("pages", f"{why_not} (--mobile-device={source.shown})")
    if lacks := unmet(case.task.needs, run.value("mobile-device-has") or ()):
        why: Any = lacks[0].partition(":")[0]
        flag = run.settings["mobile-device-has"].option.flag
        return Skipped(why, f"the task needs {', '.join(lacks)}, which {flag} does not name")
    if run.value("mobile-path") == "single":
        from pytest_mobileagent.run.single_path import check_golden

        try:
            check_golden(case.task)
        except NoSolutionError as error:
            return Skipped("golden", str(error))
    return None
