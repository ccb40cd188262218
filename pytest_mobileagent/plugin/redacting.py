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
        pytest.UsageError: there is no such file, or it holds no rules.
    """
    setting = run.settings["mobile-redact"]
    try:
        use(run.path_of(setting))
    except ValueError as error:
        raise usage_error(setting, f": {error}") from None
    run.config.add_cleanup(_stop)


def _stop() -> None:
    use(None)
