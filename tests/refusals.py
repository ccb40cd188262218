"""Checks that a server refuses a request, and reads its response."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.error import HTTPError

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Refusal:
    """The response of a server to a refused request; empty until the request has ended."""

    body: bytes = b""


@contextlib.contextmanager
def refused(*statuses: int) -> Iterator[Refusal]:
    """Expect a request to be refused with one of these statuses."""
    refusal = Refusal()
    with pytest.raises(HTTPError) as caught:
        yield refusal
    with caught.value as error:
        assert error.code in statuses
        refusal.body = error.read()
