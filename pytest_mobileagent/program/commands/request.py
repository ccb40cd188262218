"""What a program sends on an open stream to the phone: an HTTP request, or the name of a file."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `upgrades` says whether other data than HTTP follows it."""

    method: str
    target: str
    body: bytes = b""
    upgrades: bool = False

    def with_body(self, body: bytes) -> Request:
        """Return the request with its body."""
        return dataclasses.replace(self, body=body)

    @property
    def path(self) -> str:
        """The path of the target, without the query."""
        return self.target.partition("?")[0]

    @property
    def values(self) -> Any:
        """The values in its body: JSON, or a form together with the query."""
        text = self.body.decode("utf-8", "replace").strip()
        try:
            return json.loads(text) if text else dict(parse_qsl(self.target.partition("?")[2]))
        except (ValueError, RecursionError):
            return dict(parse_qsl(text)) | dict(parse_qsl(self.target.partition("?")[2]))


@dataclass(frozen=True, slots=True)
class FileRead:
    """The reading of a file of the phone, as by `adb pull`."""

    path: str
