"""The shells of the HTML pages, with styles and scripts, and the blocks of data inside them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.fileio import opened, replacing
from pytest_mobileagent.jsonable import to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

Kind = Literal["run", "runs", "leaderboard", "graph"]


_STYLES = ("base.css", "overview.css", "episode.css")
# The order matters: each script may use the definitions of those before it.
_SCRIPTS = (
    "elements.js", "words.js", "marks.js", "opinions.js", "state.js", "blocks.js", "pictures.js",
    "filter.js", "search.js", "tasks.js", "list.js", "plots.js", "timeline.js", "verdicts.js",
    "overview.js", "why.js", "panes.js", "strip.js", "compare.js", "tree.js", "exchanges.js",
    "detail.js", "markdown.js", "episode.js", "pair.js", "keys.js", "live.js", "main.js",
)  # fmt: skip
_SHARED = ("elements.js", "words.js", "blocks.js")
_KINDS = {
    "run": ("page.html", _STYLES, _SCRIPTS),
    "runs": ("runs.html", (*_STYLES[:2], "runs.css"), (*_SHARED, "runs.js")),
    "leaderboard": (
        "leaderboard.html",
        (*_STYLES[:2], "leaderboard.css"),
        (*_SHARED, "leaderboard.js"),
    ),
    "graph": ("graph.html", ("base.css", "graph.css"), (*_SHARED, "graph.js")),
}
_LEVEL = 6  # of gzip; 9 takes three times as long and saves 2 %
_BEGIN, _END = '<script type="application/octet-stream;base64" id="', b"</script>\n"
_HEAD = re.compile(_BEGIN.encode() + rb'([ewd]:[\w.~-]+)">')
_LONGEST_HEAD = 400  # bytes at the beginning of a line that are searched for a head
_NAME = 10  # bytes of gzip's header before the name (RFC 1952, section 2.3)
_BLOCKS = "<!-- blocks -->"
_ABANDONED = 600.0  # seconds after which a partly written page is abandoned


def write(path: Path, title: str, blocks: Iterable[tuple[str, bytes]], kind: Kind = "run") -> None:
    """Write a page with these blocks (see `shell`), given with their names, to a file.

    Raises:
        OSError: if the page cannot be written; an existing file is left unchanged.
    """
    before, after = shell(title, kind=kind)
    for part in path.parent.glob(f".{path.name}.*"):  # of processes that were killed
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _ABANDONED:
                part.unlink()
    with replacing(path) as file:
        file.write(before + b"\n")  # each block must begin a line
        file.writelines(line(name, packed) for name, packed in blocks)
        file.write(after)


def shell(title: str, *, live: bool = False, kind: Kind = "run") -> tuple[bytes, bytes]:
    """Return the parts of a page before and after its blocks of data.

    A block is `<script type="application/octet-stream;base64" id="…">` with base64 content. The ids
    in the page of a "run" are:

    - "index", and "index2" in a page of two runs: gzip-compressed JSON.
    - "e:" and the "e" of a row: the gzip-compressed JSON of its episode. No two rows share one.
    - "w:" and the "e" of a row: the words of its episode, by frame (see `episode.words_of`).
    - "d:" and the names of two episodes: their differences.
    - "p:" and the name of a picture's file without its suffix: a WebP file, in packed pages.

    The page of all "runs" of a folder has "index", and "r:" and the folder of each run. A
    "leaderboard" has "index", and "t:" and the index of each run for its tasks. The page of a
    "graph" has "index", and "p:" and the id of each page for its picture.

    A `live` page may send requests to its own server. The policy allows only the page's own script,
    by its digest, so nothing in the data can be executed.
    """
    from jinja2 import Environment, StrictUndefined  # most processes write no page
    from markupsafe import Markup

    file, styles, scripts = _KINDS[kind]
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        _file("head.html") + _file(file) + _file("foot.html")
    )
    style, script = _all(styles), _all(scripts)
    own = {"style": style, "script": script, "blocks": _BLOCKS}  # the only trusted strings
    whole = template.render(
        title=title,
        policy=_policy(style, script, live=live),
        **{name: Markup(text) for name, text in own.items()},  # noqa: S704
    )
    before, _, after = whole.rpartition(_BLOCKS)
    return before.encode("utf-8", "replace"), after.encode("utf-8")


def served_page(package: str, shared: Sequence[str], own: Sequence[str]) -> str:
    """Return the page of a command, which is served, with our style and scripts and its own.

    `{nonce}` marks them, the only ones that may be used.
    """
    folder = files(package).joinpath("page")
    text, style, *scripts = (
        folder.joinpath(name).read_text("utf-8") for name in ("page.html", "page.css", *own)
    )
    text = text.replace("{style}", f"{_file('base.css')}\n{style}")
    return text.replace("{script}", "\n".join([*map(_file, shared), *scripts]))


def _policy(style: str, script: str, *, live: bool) -> str:
    rules = [
        "default-src 'none'",
        # Browsers differ in whether 'self' includes the files beside a page that is itself a file.
        # pictures.js checks which files are shown.
        "img-src 'self' file: data: blob:",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    return "; ".join([*rules, *(["connect-src 'self'"] if live else [])])


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _all(names: tuple[str, ...]) -> str:
    return "\n".join(map(_file, names))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def pack(content: Any, of: str = "") -> bytes:
    """Return the bytes of a block; `of` identifies the source that it was made from."""
    text = json.dumps(to_wire(content), ensure_ascii=False, separators=(",", ":"))
    packed = io.BytesIO()
    with gzip.GzipFile(of, "wb", _LEVEL, packed, mtime=0) as file:
        file.write(text.encode("utf-8", "replace"))
    return packed.getvalue()


def line(name: str, packed: bytes) -> bytes:
    """Return a block as a line of a page."""
    return f'{_BEGIN}{escape(name)}">'.encode() + base64.b64encode(packed) + _END


def unpack(packed: bytes) -> Any:
    """Return the content of a block.

    Raises:
        ValueError, OSError, EOFError: if the block is damaged.
    """
    return json.loads(gzip.decompress(packed))


@dataclass(frozen=True, slots=True)
class ExistingPage:
    """The episode blocks of an existing page; empty if the page does not exist."""

    path: Path
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, path: Path) -> ExistingPage:
        """Return the places of the episode blocks in a page."""
        places, at = {}, 0
        try:
            with opened(path) as file:
                for each in file:
                    if (head := _HEAD.match(each[:_LONGEST_HEAD])) and each.endswith(_END):
                        length = len(each) - head.end() - len(_END)
                        places[head[1].decode()] = (at + head.end(), length)
                    at += len(each)
        except OSError:
            return cls(path, {})
        return cls(path, places)

    def get(self, name: str, of: str) -> bytes | None:
        """Return the bytes of a block if it was made from the source `of`; else None."""
        at, length = self.places.get(name, (0, 0))
        if not length:
            return None
        try:
            with opened(self.path) as file:
                file.seek(at)
                packed = base64.b64decode(file.read(length), validate=True)
        except (OSError, ValueError):
            return None
        return packed if packed[_NAME:].startswith(of.encode() + b"\0") else None
