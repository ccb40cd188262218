"""`--mobile-redact`: the rules are read before anything starts, and hold while the run does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.episode.redaction import use
from pytest_mobileagent.plugin.options import usage_error

if TYPE_CHECKING:
    from pytest_mobileagent.plugin.config import RunConfig


def redact(run: RunConfig) -> None:
    """Follow the rules of the file until pytest ends.

    Raises:
        pytest.UsageError: there is no such file, it holds no rules, or others than those by which a
            run that goes on was recorded so far.
    """
    setting = run.settings["mobile-redact"]
    try:
        rules = use(run.path_of(setting))
    except ValueError as error:
        raise usage_error(setting, f": {error}") from None
    run.config.add_cleanup(_stop)
    before = run.earlier.redaction
    if rules is not None and before not in {None, rules.digest}:
        what = f": {run.earlier.path} was recorded by other rules" if before else ""
        raise usage_error(setting, f"{what}: give their file (its SHA-256 is {before})")


def _stop() -> None:
    use(None)
