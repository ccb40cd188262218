"""Reads the values of options from their sources, and what the command line asks for.

An option's value is taken from the command line (its flag, or `-o KEY=VALUE`), otherwise from its
environment variable, otherwise from its ini key, and otherwise from its default.
`--mobile-max-steps` has the ini key `mobile_max_steps` and the environment variable
`MOBILE_MAX_STEPS`; `--agent` has `mobile_agent` and `MOBILE_AGENT`.
"""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin.options import OPTIONS
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.plugin.options import Option


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An option's value and its source; `text` is the value's text, safe to display."""

    option: Option
    value: Any
    text: str | None
    source: str

    @property
    def is_given(self) -> bool:
        """Whether the value is not a default."""
        return self.text is not None and self.source != "default"

    @property
    def is_typed(self) -> bool:
        """Whether the command line has it."""
        return self.source.startswith("-")

    def __str__(self) -> str:
        return f"{self.option.shown}={self.text} ({self.source})"


def read_options(config: pytest.Config) -> dict[str, OptionValue]:
    """Return the value and source of each option, by its flag without the dashes.

    Raises:
        pytest.UsageError: if a value is invalid; the message names its source.
    """
    return {option.flag.removeprefix("--"): _read(option, config) for option in OPTIONS}


def read_option(name: str, config: pytest.Config) -> OptionValue:
    """Return the value and source of one option, named by its flag without the dashes.

    Raises:
        pytest.UsageError: if the value is invalid; the message names its source.
    """
    return _read(next(option for option in OPTIONS if option.flag == f"--{name}"), config)


def _read(option: Option, config: pytest.Config) -> OptionValue:
    overridden = config.getini(option.name) if _is_overridden(option, config) else None
    candidates = (
        (_given(option, config), option.flag),
        (overridden, f"-o {option.name}"),
        (os.environ.get(option.variable), f"environment variable {option.variable}"),
        (config.getini(option.name), f"ini key {option.name}"),
        (option.default, "default"),
    )
    text, source = next(((t, s) for t, s in candidates if t is not None), (None, "default"))
    if text is None:
        return OptionValue(option, None, None, source)
    if not text.strip():
        msg = f"{option.shown} (from {source}) is empty: leave it out, or give it a value"
        raise pytest.UsageError(printable(msg))
    try:
        return OptionValue(option, option.parse(text), redact_urls(text), source)
    except ValueError as error:
        msg = f"{option.shown}={redact_urls(text)} (from {source}) {error}"
        raise pytest.UsageError(printable(msg)) from None


def _given(option: Option, config: pytest.Config) -> str | None:
    given = config.getoption(option.name)
    if option.ini_only and given is not None:
        msg = (
            f"{option.flag} is an ini key: write -o {option.name}={redact_urls(given)}, or set "
            f"{option.name} in the ini file, or {option.variable} in the environment"
        )
        raise pytest.UsageError(printable(msg))
    return shlex.join(given) if option.repeats and given else given


def _is_overridden(option: Option, config: pytest.Config) -> bool:
    given = config.getoption("override_ini") or ()
    return any(each.partition("=")[0] == option.name for each in given)


def path_of(config: pytest.Config, setting: OptionValue) -> Path:
    """Return the path that an option names, resolved against the working folder or the ini file's.

    Raises:
        pytest.UsageError: if it names the home folder of an unknown user.
    """
    given = setting.is_typed or setting.source.startswith("environment")
    base = config.invocation_params.dir if given else config.rootpath
    try:
        return base / Path(setting.value).expanduser()
    except RuntimeError:
        msg = f"{setting} names the home folder of a user that does not exist"
        raise pytest.UsageError(printable(msg)) from None


def usage_error(setting: OptionValue, what: str) -> pytest.UsageError:
    """Return an error about an option's value that names its source."""
    where = "" if setting.is_typed else f" ({setting.source})"
    return pytest.UsageError(printable(f"{setting.option.shown}={setting.text}{where}{what}"))


@contextmanager
def as_usage_error(
    kinds: type[Exception] | tuple[type[Exception], ...],
    setting: OptionValue | None = None,
    about: str = "",
) -> Iterator[None]:
    """Raise errors of these kinds as usage errors, which name the `setting` if there is one."""
    try:
        yield
    except kinds as error:
        if setting is None:
            raise pytest.UsageError(printable(str(error))) from None
        raise usage_error(setting, f":{about} {error}") from None


def runs_no_test(config: pytest.Config) -> bool:
    """Return whether the command line only lists tests or fixtures, without running any test."""
    names = ("collectonly", "showfixtures", "show_fixtures_per_test", "setupplan")
    return any(getattr(config.option, name, False) for name in names)


def leaves_distribution(config: pytest.Config) -> bool:
    """Return whether the plugin may hand out the tests: the user gave `-n`, but no `--dist`."""
    given = config.known_args_namespace  # as given, before -n has set it to "load"
    chosen = getattr(given, "dist", "no") != "no" or getattr(given, "distload", False)
    return not chosen and config.getoption("dist") == "load"
