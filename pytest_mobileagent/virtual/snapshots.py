"""Snapshots: the state of every part of the phone, stored as immutable values.

With a folder, they outlive the phone.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Protocol,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)
from urllib.parse import quote, unquote

from pytest_mobileagent.virtual.kernel.files import FileSystem, Node

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


Read = Callable[[Any], Any]


class Kept:
    """Saves the attributes in `KEPT`: plain data and dataclasses, also in containers.

    They are restored with the types in the class's annotations, which have to be resolvable in its
    module.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def save(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {name.lstrip("_"): getattr(self, name) for name in self.KEPT}

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the attributes."""
        owner: Any = type(self)
        for name, read in _readers(owner).items():
            setattr(self, name, read(saved[name.lstrip("_")]))


def to_json(value: Any) -> str:
    """Return data as JSON; dataclasses in it are written as objects."""
    return json.dumps(value, default=_attributes)


def _attributes(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}


@cache
def _readers(owner: type[Any]) -> dict[str, Read]:
    """Return how the kept attributes are read; others may use names imported only for typing."""
    kept = {name: owner.__annotations__[name] for name in owner.KEPT}
    made = type("", (), {"__annotations__": kept, "__module__": owner.__module__})
    return {name: reader(kind) for name, kind in get_type_hints(made).items()}


@cache
def reader(kind: Any) -> Read:
    """Return the function that converts JSON data to a type; it may keep the data."""
    origin, of = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        parts = {name: reader(each) for name, each in get_type_hints(kind).items()}
        parts = {name: read for name, read in parts.items() if read is not _kept}
        return lambda plain: kind(**plain | {name: parts[name](plain[name]) for name in parts})
    if origin is dict:
        key, read = of[0], reader(of[1])
        if key is str and read is _kept:
            return _kept
        return lambda plain: {key(name): read(each) for name, each in plain.items()}
    if origin in (list, tuple):
        read = reader(of[0])
        return _kept if (origin, read) == (list, _kept) else lambda plain: origin(map(read, plain))
    if type(None) in of and (read := reader(of[0])) is not _kept:
        return lambda plain: None if plain is None else read(plain)
    return _kept


def _kept(plain: Any) -> Any:
    return plain


FORMAT = 5
_SUFFIX = ".snapshot"
LARGE = 1 << 16  # bytes from which a file gets a separate entry in an archive


@runtime_checkable
class Part(Protocol):
    """A part of the phone with a state, which it saves, and loads as plain data."""

    def save(self) -> Any:
        """Return the state as plain data and dataclasses, which are serialised immediately."""

    def load(self, saved: Any) -> None:
        """Restore the state from what `save` returned; the part may keep the data."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entire phone at one moment."""

    time: float  # the phone's wall-clock time
    uptime: float
    files: Mapping[str, Node]
    parts: str  # JSON, which is cheap to copy and cannot be modified


class Snapshots(Mapping[str, Snapshot]):
    """Named states to which the phone can return, the oldest first."""

    def __init__(
        self, files: FileSystem, parts: Mapping[str, Part], changed: Callable[[], None]
    ) -> None:
        self._files = files
        self._parts = parts
        self._changed = changed
        self._kept: dict[str, Snapshot] = {}
        self._folder: Path | None = None
        self.loaded = ""  # the name of the last loaded one
        self.on_load: Callable[[], object] = lambda: None

    def __getitem__(self, name: str) -> Snapshot:
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def keep_in(self, folder: Path) -> None:
        """Load the snapshots in a folder, and store a copy of each saved one there."""
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.glob(f"*{_SUFFIX}"), key=lambda file: file.stat().st_mtime):
            self.add(unquote(file.name.removesuffix(_SUFFIX)), file.read_bytes())
        self._folder = folder

    def save(self, name: str) -> None:
        """Save the current state under a name."""
        self._kept[name] = self.current()
        if file := self._file(name):
            draft = file.with_suffix(".draft")
            draft.write_bytes(self.dump(name))
            draft.replace(file)

    def take_over(self, other: Snapshots) -> None:
        """Bring this phone to the present state of another phone with the same apps.

        Parts with a method `take_over` are not loaded: it keeps what is connected to them.
        """
        self._restore(other.current(), "take_over")

    def current(self) -> Snapshot:
        """Return the current state."""
        parts = {key: part.save() for key, part in self._parts.items()}
        clock = parts["clock"]
        return Snapshot(clock["wall"], clock["uptime"], self._files.snapshot(), to_json(parts))

    def load(self, name: str) -> None:
        """Load a snapshot; KeyError if there is none of this name."""
        self._restore(self._kept[name])
        self.loaded = name
        self.on_load()

    def _restore(self, snapshot: Snapshot, way: str = "load") -> None:
        self._files.restore(snapshot.files)
        saved = json.loads(snapshot.parts)
        for key, part in self._parts.items():
            getattr(part, way, part.load)(saved[key])
        self._changed()

    def delete(self, name: str) -> None:
        """Delete a snapshot; KeyError if there is none of this name."""
        del self._kept[name]
        if file := self._file(name):
            file.unlink(missing_ok=True)

    def _file(self, name: str) -> Path | None:
        return self._folder and self._folder / f"{quote(name, safe='')}{_SUFFIX}"

    def dump(self, name: str) -> bytes:
        """Return a snapshot as a zip archive of JSON texts."""
        snapshot = self._kept[name]
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            head = {"format": FORMAT, "time": snapshot.time, "uptime": snapshot.uptime}
            archive.writestr("snapshot.json", json.dumps(head))
            archive.writestr("parts.json", snapshot.parts)
            nodes = {path: _node_to_plain(node) for path, node in snapshot.files.items()}
            large = [path for path, node in snapshot.files.items() if len(node.data) > LARGE]
            for at, path in enumerate(large):  # most are already compressed
                nodes[path][1] = at
                archive.writestr(_place(at), snapshot.files[path].data, zipfile.ZIP_STORED)
            archive.writestr("nodes.json", json.dumps(nodes))
        return buffer.getvalue()

    def add(self, name: str, data: bytes) -> None:
        """Add a snapshot written by `dump`; ValueError if the data is invalid."""
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                head = json.loads(archive.read("snapshot.json"))
                nodes = json.loads(archive.read("nodes.json"))
                parts = archive.read("parts.json").decode()
                for plain in nodes.values():
                    if isinstance(plain[1], int):
                        plain[1] = archive.read(_place(plain[1]))
        except (zipfile.BadZipFile, KeyError) as error:
            raise ValueError(f"snapshot {name!r} cannot be read: {error}") from error
        if head["format"] != FORMAT:
            raise ValueError(f"snapshot {name!r} has format {head['format']}, expected {FORMAT}")
        files = {path: _node_from_plain(plain) for path, plain in nodes.items()}
        self._kept[name] = Snapshot(head["time"], head["uptime"], files, parts)


def _place(number: int) -> str:
    """Return the name of the entry for a large file."""
    return f"data/{number}"


def _node_to_plain(node: Node) -> list[Any]:
    data = "" if len(node.data) > LARGE else base64.b64encode(node.data).decode()
    return [node.kind, data, node.mode, node.uid, node.gid, node.mtime, node.target]


def _node_from_plain(plain: list[Any]) -> Node:
    kind, data, mode, uid, gid, mtime, target = plain
    content = data if isinstance(data, bytes) else base64.b64decode(data)
    return Node(kind, content, mode, uid, gid, mtime, target)
