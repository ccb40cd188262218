r"""Redaction: texts and parts of screens that are blacked out before they are written.

The rules are in a TOML file, see docs/redaction.md:

    text = ['\d{4} \d{4} \d{4} \d{4}', 'alice@example\.com']     # Python's regular expressions

    [[region]]
    box = [0.0, 0.0, 1.0, 0.05]      # left, top, right, bottom: fractions of the screen, or pixels
    package = "com.bank"             # optional: only in this app

    [[region]]
    resource_id = "com.bank:id/balance"      # the area of elements with this id

The rules apply to a process and those that it starts, which find the file by an environment
variable: agents in separate processes record, too.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tomllib
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.secrets import found, keys_here, masked, without_secrets
from pytest_mobileagent.errors import HostError, ScreenError
from pytest_mobileagent.fileio import read_bytes
from pytest_mobileagent.patterns import PATIENT, PatternError, SlowPatternError, within
from pytest_mobileagent.patterns import compile as compile_pattern
from pytest_mobileagent.screen.xml import document

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pytest_mobileagent.patterns import Pattern

    Box = tuple[int, int, int, int]

MASK = "█████"
_VARIABLE = "PYTEST_MOBILEAGENT_REDACTION"
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
# Attributes that describe the structure of an element rather than its content.
_STRUCTURE = {"bounds", "class", "package", "resource-id", "index", "rotation", "width", "height"}
# Fields that describe the structure of a record rather than its content.
_UNCHANGED = {
    "record", "case", "device", "reset", "program", "agent", "options", "recorded", "png", "xml",
    "package", "activity", "time", "role", "termination", "when",
    "scorer", "model", "models", "own_models", "mark",
}  # fmt: skip
# The same within the content of a record, at any depth; some are numbers rather than strings.
_UNCHANGED_BELOW = {
    "action", "direction", "class_name", "resource_id", "package", "activity", "where", "sought",
    "scorer", "weight", "first_step", "bounds", "x", "y", "x1", "y1", "x2", "y2", "seconds",
}  # fmt: skip
_AUTHORS = {"where", "sought", "scorer"}  # fields written by the author of a task
_IN_CALLS = {each.name for each in fields(ModelCall)}
_UNCHANGED_IN = {
    **dict.fromkeys(("call", "calls", "unused"), _IN_CALLS),
    "events": _UNCHANGED_BELOW | {"type", "time", "uptime", "sequence"},
    "prompt": set[str](),
    "reply": set[str](),
    "settings": set[str](),
    "probes": set[str](),
}
# The values that such a field may have: a name, a time, or the digest of a picture. An agent may
# write anything there.
_NAME = re.compile(r"[A-Za-z_$*][\w.:/$*+-]*|\d{4}-\d\d-\d\dT[\d:.+Z-]*|[0-9a-f]{32}(\.\w+)?|")
_PLAIN_NAME = re.compile(r"[\w.:/$*+-]*")  # for the record's own fields, which this package writes
_ROLES = {"system", "developer", "user", "assistant", "tool", "function", "model"}
_PICTURE = re.compile(r"[0-9a-f]{32}\.(png|jpg)")


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the screen: a `box` in pixels or in fractions, or the elements of a resource id."""

    box: tuple[float, float, float, float] | None = None
    package: str | None = None
    resource_id: str | None = None

    def pixels(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Return the box in pixels on a screen of this size; without a box, all of it."""
        left, top, right, bottom = self.box or (0.0, 0.0, 1.0, 1.0)
        if max(map(abs, (left, top, right, bottom))) > 1:
            return int(left), int(top), int(right), int(bottom)
        return int(left * width), int(top * height), -int(-right * width), -int(-bottom * height)


@dataclass(frozen=True, slots=True)
class Redaction:
    """Rules for what must not be recorded."""

    patterns: tuple[Pattern, ...] = ()
    regions: tuple[Region, ...] = ()
    digest: str = ""

    def about(self) -> dict[str, Any]:
        """Return a description of the rules for a run's record, without the patterns themselves."""
        patterns, regions = len(self.patterns), len(self.regions)
        return {"sha256": self.digest, "patterns": patterns, "regions": regions}

    def text(self, text: str) -> str:
        """Return the text with the matches of all patterns masked, through any encoding."""
        return masked(text, self._search, MASK)

    def matches(self, text: str) -> bool:
        """Return whether a pattern matches a part of the text, through any encoding."""
        return bool(found(text, self._search))

    def _search(self, text: str) -> list[tuple[int, int]]:
        try:
            with within(PATIENT):
                return [
                    match.span()
                    for pattern in self.patterns
                    for match in pattern.finditer(text, seconds=PATIENT)
                    if match[0]
                ]
        except SlowPatternError:  # the text cannot be searched, so all of it is masked
            return [(0, len(text))]

    def redacted_record(self, value: Any) -> Any:
        """Return a record, as plain data, with matches masked in its content."""
        if isinstance(value, dict):
            return {name: self._field(name, each) for name, each in value.items()}
        return self._content(value, _UNCHANGED_BELOW)

    def _field(self, name: str, value: Any) -> Any:
        is_number = isinstance(value, int | float)
        if is_number or (name in _UNCHANGED and _is_name(value, _PLAIN_NAME)):
            return value
        return self._content(value, _UNCHANGED_IN.get(name, _UNCHANGED_BELOW))

    def _content(self, value: Any, unchanged: Collection[str]) -> Any:
        """Return the content of a record, in which numbers and names may also be secrets.

        `unchanged` names fields that are not redacted.
        """

        def field(name: str, each: Any) -> Any:
            is_known = name in unchanged and (name in _AUTHORS or _is_name(each))
            return each if is_known or _is_structure(name, each) else self._content(each, unchanged)

        match value:
            case str():
                return self.text(value)
            case list() | tuple():
                return [self._content(each, unchanged) for each in value]
            case dict():
                return {self.text(str(name)): field(name, each) for name, each in value.items()}
            case int() | float() if not isinstance(value, bool):
                return MASK if self.matches(str(value)) else value
        return value

    def screen(
        self, xml: bytes, png: bytes, package: str, size: tuple[int, int] | None = None
    ) -> tuple[bytes, bytes]:
        """Return a screen's hierarchy and screenshot, with matches blacked out in both.

        `size` is given for a screen without a screenshot. An unreadable hierarchy is left out, and
        the whole screenshot is then blacked out.
        """
        size = size or _size(png)
        boxes = [
            region.pixels(*size)
            for region in self.regions
            if region.resource_id is None and region.package in {None, package}
        ]
        if xml.strip():
            try:
                xml, found = self._hierarchy(xml, package, boxes)
                boxes += found
            except ScreenError:
                return b"", blackened(png, [(0, 0, *size)])
        return xml, blackened(png, boxes)

    def _hierarchy(
        self, xml: bytes, package: str, hidden: Sequence[Box]
    ) -> tuple[bytes, list[Box]]:
        """Return a masked hierarchy, and the boxes of the elements that contained matches."""
        from lxml import etree  # few runs need it

        root = document(xml.decode("utf-8", "replace"))
        boxes: list[Box] = []
        named = self._named(root, package)
        for element in root.iter(etree.Element):
            box = _box(element.get("bounds", ""))
            secret = element in named or _is_inside(box, hidden)
            element.text, element.tail = MASK if (element.text or "").strip() else None, None
            for name in set(element.keys()) - _STRUCTURE:
                value = element.get(name) or ""
                if value not in {"", "true", "false"} and (secret or self.matches(value)):
                    element.set(name, MASK if secret else self.text(value))
                    boxes += [box] if box is not None else []
            boxes += [box] if secret and box is not None else []
        return etree.tostring(root, encoding="utf-8", xml_declaration=True), boxes

    def _named(self, root: Any, package: str) -> set[Any]:
        """Return the elements with the resource id of a region, and those inside them."""
        ids = {r.resource_id for r in self.regions if r.package in {None, package}} - {None}
        named: set[Any] = set()
        for element in root.iter() if ids else ():
            if element.get("resource-id") in ids or element.getparent() in named:
                named.add(element)
        return named


def _is_name(value: Any, name: re.Pattern[str] = _NAME) -> bool:
    return not isinstance(value, str) or name.fullmatch(value) is not None


def _is_structure(name: str, value: Any) -> bool:
    """Return whether a field is a message's role or a reference to one of the run's pictures."""
    if name == "picture":
        return isinstance(value, str) and _PICTURE.fullmatch(value) is not None
    return name == "role" and isinstance(value, str) and value in _ROLES


def use(path: Path | None) -> Redaction | None:
    """Set the rules for this process and the processes it starts from now on, or remove them.

    Raises:
        ValueError: if the file cannot be read or is invalid; the message says why.
    """
    if path is None:
        os.environ.pop(_VARIABLE, None)
        return None
    rules = rules_of(path)
    os.environ[_VARIABLE] = f"{rules.digest} {path.resolve()}"
    return rules


def current() -> Redaction | None:
    """Return the rules of this process, or None.

    Raises:
        HostError: if the file has changed since the run began, or is missing.
    """
    given = os.environ.get(_VARIABLE)
    return None if given is None else _rules(given)


def redacted(record: Any) -> Any:
    """Return a record, as plain data, with model keys removed and the rules applied.

    Raises:
        HostError: see `current`.
    """
    rules, keys = current(), keys_here()
    record = record if rules is None else rules.redacted_record(record)
    return without_secrets(record, keys)


@lru_cache(2)
def _rules(given: str) -> Redaction:
    digest, _, path = given.partition(" ")
    try:
        rules = rules_of(Path(path))
    except ValueError as error:
        raise HostError(str(error)) from None
    if rules.digest != digest:
        what = f"{path} has changed since the run began"
        raise HostError(f"{what}, so it is not clear what may be recorded")
    return rules


def _box(bounds: str) -> Box | None:
    found = _BOUNDS.fullmatch(bounds)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]), int(found[4]))


def _is_inside(box: Box | None, regions: Sequence[Box]) -> bool:
    if box is None:
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(left <= x < right and top <= y < bottom for left, top, right, bottom in regions)


def _size(picture: bytes) -> tuple[int, int]:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(picture)) as image:
            return image.size
    except OSError:
        return 0, 0


def blackened(picture: bytes, boxes: Sequence[Box] | None = None) -> bytes:
    """Return a picture with black boxes, or all black if `boxes` is None; b"" if unreadable."""
    from PIL import Image, ImageDraw

    if boxes is not None and not boxes:
        return picture
    try:
        with Image.open(io.BytesIO(picture)) as image:
            kind, changed = image.format or "PNG", image.convert("RGB")
    except OSError:
        return b""
    draw = ImageDraw.Draw(changed)
    for left, top, right, bottom in [(0, 0, *changed.size)] if boxes is None else boxes:
        if left < right and top < bottom:
            draw.rectangle((left, top, right - 1, bottom - 1), fill=(0, 0, 0))
    written = io.BytesIO()
    changed.save(written, kind)
    return written.getvalue()


def rules_of(path: Path) -> Redaction:
    """Return the rules of a file, without applying them to this process.

    Raises:
        ValueError: if the file cannot be read or is invalid; the message says why.
    """
    try:
        content = read_bytes(path, follows=True)
        given = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    if unknown := sorted(set(given) - {"text", "region"}):
        raise ValueError(f"{path}: there is no {unknown[0]!r}; it may have `text` and [[region]]")
    words, regions = given.get("text", []), given.get("region", [])
    if not _is_list(words, str) or not _is_list(regions, dict):
        must = "`text` must be a list of regular expressions, and each [[region]] a table"
        raise ValueError(f"{path}: {must}")
    if not words and not regions:
        raise ValueError(f"{path} specifies nothing to black out")
    patterns = tuple(_pattern(path, number, word) for number, word in enumerate(words, 1))
    found = tuple(_region(path, number, each) for number, each in enumerate(regions, 1))
    return Redaction(patterns, found, hashlib.sha256(content).hexdigest())


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _pattern(path: Path, number: int, word: str) -> Pattern:
    which = f"{path}: pattern {number} of `text`"  # not quoted, as it may be a secret
    try:
        pattern = compile_pattern(word)
    except PatternError as error:
        raise ValueError(f"{which} is not a regular expression: {error}") from None
    if not word or pattern.fullmatch(""):
        raise ValueError(f"{which} matches the empty text, and so matches everywhere")
    return pattern


def _region(path: Path, number: int, given: Mapping[str, Any]) -> Region:
    where = f"{path}: [[region]] {number}"
    if unknown := sorted(set(given) - {"box", "package", "resource_id"}):
        known = "it may have `box`, `package`, `resource_id`"
        raise ValueError(f"{where} has no {unknown[0]!r}; {known}")
    if ("box" in given) == ("resource_id" in given):
        raise ValueError(f"{where} needs either a `box` or a `resource_id`")
    for name in ("package", "resource_id"):
        if not isinstance(given.get(name, ""), str):
            raise ValueError(f"{where}: {name} must be a string")
    box = given.get("box")
    numbers = isinstance(box, list) and len(box) == 4 and all(map(_is_number, box))
    if box is not None and not (numbers and 0 <= box[0] < box[2] and 0 <= box[1] < box[3]):
        msg = f"{where}: box must be [left, top, right, bottom], in pixels or fractions up to 1"
        raise ValueError(msg)
    size = None if box is None else (box[0], box[1], box[2], box[3])
    return Region(size, given.get("package"), given.get("resource_id"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
