"""Templates: goals and solutions with placeholders for parameters and dates."""

from __future__ import annotations

import re
import string
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DAYS_FROM = re.compile(r"(today)([+-]\d{1,4})")
_WIDTH = re.compile(r"\d{4,}")
_WIDTH_OF_TIME = re.compile(r"(?<!%)(?:%%)*%[-_^#+]*\d{4,}")


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Replace each `{name}` or `{name:format}` in a template; `{{` and `}}` stand for braces.

    `{today+2:%d %B}` is two days after `today`, `{today-7:%d %B}` seven days before it.

    Raises:
        TaskError: if the template is malformed, a name has no value, or a value does not fit its
            format.
    """
    try:
        return _Names().vformat(template, (), values)
    except Exception as error:  # values may be of any class and raise any error
        known = ", ".join(sorted(values)) or "none"
        msg = f"cannot fill {template!r}: {error} (names with a value: {known})"
        raise TaskError(msg) from error


class Template(str):
    """An official goal with placeholders, which are filled like those of our own goals."""

    __slots__ = ()


def literal(text: str) -> str:
    """Return a template that produces exactly this text, with any braces escaped."""
    return text.replace("{", "{{").replace("}", "}}")


def times(now: datetime) -> dict[str, datetime]:
    """Return the time values available to every template, from the phone's clock.

    `{now:%H:%M}`, `{today:%A}`, `{tomorrow:%d %B}`, `{yesterday:%Y-%m-%d}`, `{today+2:%d %B}`.
    """
    day = timedelta(days=1)
    return {"now": now, "today": now, "tomorrow": now + day, "yesterday": now - day}


class _Names(string.Formatter):
    """A formatter that accepts plain names only, so a template cannot access attributes."""

    def get_field(
        self,
        field_name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> tuple[Any, str]:
        if later := _DAYS_FROM.fullmatch(field_name):
            day, _ = self.get_field(later[1], args, kwargs)
            return day + timedelta(days=int(later[2])), later[1]
        if not field_name.isidentifier():
            raise ValueError(f"{{{field_name}}} is not a plain name")
        if field_name not in kwargs:
            raise ValueError(f"{{{field_name}}} has no value")
        return kwargs[field_name], field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        # In a time format, only digits after "%" are a width: "{now:%H:%M on 2026-05-04}" has none.
        width = _WIDTH_OF_TIME if hasattr(value, "strftime") else _WIDTH
        if width.search(format_spec):
            raise ValueError(f"the format {format_spec!r} has a width or precision above 999")
        return str(super().format_field(value, format_spec))
