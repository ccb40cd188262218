"""The media provider: the files in shared storage, by kind."""

from __future__ import annotations

import io
import mimetypes
import posixpath
import zlib
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app.provider import Ask, Provider, ProviderError
from pytest_mobileagent.virtual.kernel.files import SHARED
from pytest_mobileagent.virtual.providers.storage import Storage, tables_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.provider import Table, Uri, Values
    from pytest_mobileagent.virtual.kernel.files import Node

IMAGE, AUDIO, VIDEO, DOCUMENT = 1, 2, 3, 6
_SOUNDS = {
    "is_ringtone": "Ringtones/",
    "is_alarm": "Alarms/",
    "is_notification": "Notifications/",
    "is_podcast": "Podcasts/",
    "is_audiobook": "Audiobooks/",
    "is_recording": "Recordings/",
}
_ROOM = {"images": "Pictures", "video": "Movies", "audio": "Music", "downloads": "Download"}
_DIR = "vnd.android.cursor.dir/"


class Media(Provider):
    """Pictures, videos, sounds and other files; the folders are scanned at every access."""

    authorities = ("media",)
    database_name = "external.db"
    tables = tables_of("media")

    def table(self, uri: Uri) -> tuple[Table, tuple[str, ...]]:
        """Return the table for a URI; "external" and "external_primary" are the same volume."""
        table, found = super().table(uri)
        self.scan()
        volume = "external_primary" if found[0] == "external" else found[0]
        return table, (volume, *found[1:])

    def insert(self, uri: Uri, values: Values) -> str | None:
        """Create an empty file, by path or by folder and name, for the caller to write."""
        path = str(values.get("_data") or "")
        if not path:
            name = str(values.get("_display_name") or int(self.phone.clock.time() * 1000))
            room = _ROOM.get(uri.path[1] if len(uri.path) > 1 else "", "Download")
            path = f"{SHARED}/{str(values.get('relative_path') or room).strip('/')}/{name}"
        path = self.phone.files.resolve(path)
        if not path.startswith(f"{SHARED}/"):
            raise ProviderError("IllegalArgumentException", f"Invalid path: {path}")
        folder = posixpath.dirname(path)
        if not self.phone.files.exists(folder):
            self.phone.files.mkdir(folder, parents=True)
        if not self.phone.files.exists(path):
            self.phone.files.write(path, b"")
        self.table(uri)
        (row,) = self.db.query("SELECT _id FROM files WHERE _data = ?", path)
        return f"{uri}/{row['_id']}"

    def delete(self, uri: Uri, ask: Ask) -> int:
        """Delete files."""
        table, found = self.table(uri)
        rows = self.select(table.source, ask.within(table.where, found))
        for row in rows.dicts():
            if self.phone.files.is_file(row["_data"]):
                self.phone.files.remove(row["_data"])
        self.scan()
        return len(rows.values)

    def call(self, method: str, arg: str | None, extras: Values) -> Values | None:
        """Scan the folders on request."""
        if method not in ("scan_volume", "scan_file"):
            return None
        self.scan()
        return {}

    def type_of(self, uri: Uri) -> str | None:
        """Return the MIME type of a file or of a collection."""
        try:
            table, found = self.table(uri)
        except ProviderError:
            return None
        if len(found) == 1:
            return table.type or f"{_DIR}{uri.path[1].removesuffix('s')}"
        rows = self.select(table.source, Ask(("mime_type",)).within(table.where, found))
        return str(rows.values[0][0]) if rows.values else None

    def scan(self) -> None:
        """Index new files in shared storage, and remove deleted ones from the index."""
        files = self.phone.files
        there = {
            path: node
            for path, node in files.walk(SHARED)
            if node.kind == "file" and "/." not in path and "/Android/" not in path
        }
        rows = self.db.query("SELECT _id, _data, _size, date_modified FROM files")
        known = {row["_data"]: row for row in rows}
        gone = [row["_id"] for path, row in known.items() if path not in there]
        fresh = {
            path: node
            for path, node in there.items()
            if path not in known
            or (len(node.data), int(node.mtime))
            != (known[path]["_size"], known[path]["date_modified"])
        }
        if not gone and not fresh:
            return
        with self.db.batch():
            for number in gone:
                self.run("DELETE FROM files WHERE _id = ?", number)
            for path, node in sorted(fresh.items()):
                columns = describe(path, node)
                if path in known:
                    self.change("files", known[path]["_id"], columns)
                else:
                    self.add("files", {**columns, "date_added": int(self.phone.clock.time())})


def describe(path: str, node: Node) -> Values:
    """Return the metadata of a file."""
    folder, name = posixpath.split(path)
    mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
    general = mime.partition("/")[0]
    kinds = {"image": IMAGE, "audio": AUDIO, "video": VIDEO, "text": DOCUMENT}
    kind = DOCUMENT if mime == "application/pdf" else kinds.get(general, 0)
    inside = folder.removeprefix(SHARED).strip("/")
    relative = f"{inside}/" if inside else "/"
    columns: Values = {
        "_data": path,
        "_size": len(node.data),
        "date_modified": int(node.mtime),
        "mime_type": mime,
        "title": posixpath.splitext(name)[0],
        "_display_name": name,
        "bucket_id": str(zlib.crc32(folder.lower().encode())),
        "bucket_display_name": posixpath.basename(folder),
        "media_type": kind,
        "relative_path": relative,
        "volume_name": "external_primary",
        "is_download": int(relative.startswith("Download/")),
    }
    if kind == IMAGE:
        columns |= {"datetaken": int(node.mtime) * 1000, **_size(node.data)}
    if kind == AUDIO:
        sounds = {name: int(relative.startswith(room)) for name, room in _SOUNDS.items()}
        columns |= {**sounds, "is_music": int(not any(sounds.values()))}
        columns |= {"artist": "<unknown>", "album": posixpath.basename(folder)}
    return columns


def _size(data: bytes) -> Values:
    """Return the dimensions of a picture; empty if the data is not one."""
    from PIL import Image, UnidentifiedImageError  # rarely needed

    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
    except (UnidentifiedImageError, OSError, ValueError):
        return {}
    return {"width": width, "height": height, "resolution": f"{width}\u00d7{height}"}


class MediaStorage(Storage):
    """Stores the index of shared storage."""

    package, label = "com.google.android.providers.media.module", "Media Storage"
    providers = (Media,)
