"""The page of a run, or of several: what stands around the data, with styles and scripts."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Literal

_STYLES = ("base.css", "overview.css", "episode.css")
# In this order: each may use what those before it define.
_SCRIPTS = (
    "elements.js", "words.js", "marks.js", "opinions.js", "state.js", "blocks.js", "pictures.js",
    "filter.js", "search.js", "list.js", "plots.js", "timeline.js", "verdicts.js", "overview.js",
    "why.js", "strip.js", "tree.js", "exchanges.js", "detail.js", "markdown.js", "episode.js",
    "pair.js", "keys.js", "live.js", "main.js",
)  # fmt: skip
_KINDS = {
    "run": ("page.html", _STYLES, _SCRIPTS),
    "runs": (
        "runs.html",
        ("base.css", "overview.css", "runs.css"),
        ("elements.js", "words.js", "blocks.js", "runs.js"),
    ),
    "leaderboard": (
        "leaderboard.html",
        ("base.css", "overview.css", "leaderboard.css"),
        ("elements.js", "words.js", "blocks.js", "leaderboard.js"),
    ),
    "graph": (
        "graph.html",
        ("base.css", "graph.css"),
        ("elements.js", "words.js", "blocks.js", "graph.js"),
    ),
}
_BLOCKS = "<!-- blocks -->"


def shell(
    title: str, *, live: bool = False, kind: Literal["run", "runs", "leaderboard", "graph"] = "run"
) -> tuple[bytes, bytes]:
    """Return what stands before the blocks of data in a page, and what stands after them.

    A block is `<script type="application/octet-stream;base64" id="…">` with base64 in it. The ids:

    - "index", and "index2" in a page of two runs: JSON, compressed with gzip.
    - "e:" and the "e" of a row: JSON of its episode, likewise. No two rows share one.
    - "w:" and the "e" of a row: the words of its episode, by frame (see `episode.words_of`).
    - "p:" and the name of a picture's file without its suffix: a WebP file, for those pictures
      that are not beside the page.

    The page of all "runs" of a folder has an "index", too, and "r:" and the folder of each run; a
    "leaderboard" an "index", and "t:" and the place of each run for its tasks; that of a "graph" an
    "index", and "p:" and the id of each page for its picture.

    A page that is `live` may ask the server that it comes from. Only the page's own script runs, by
    its digest: nothing in the data can become one.
    """
    from jinja2 import Environment, StrictUndefined  # most processes need none
    from markupsafe import Markup

    file, styles, scripts = _KINDS[kind]
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        _file("head.html") + _file(file)
    )
    style, script = _all(styles), _all(scripts)
    own = {"style": style, "script": script, "blocks": _BLOCKS}  # trusted, and all that is
    whole = template.render(
        title=title,
        policy=_policy(style, script, live=live),
        **{name: Markup(text) for name, text in own.items()},  # noqa: S704
    )
    before, _, after = whole.rpartition(_BLOCKS)
    return before.encode("utf-8", "replace"), after.encode("utf-8")


def script(name: str) -> str:
    """Return a script of the page that other pages share."""
    return _file(name)


def _policy(style: str, script: str, *, live: bool) -> str:
    """Return the content security policy of the page."""
    rules = [
        "default-src 'none'",
        # Browsers differ in whether a page that is a file may show the files beside it as its own
        # ('self'). Which files those are is checked in pictures.js.
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
