"""What stands around the data in every page: the template with its style and its script.

The template is given `title`, `css`, `js`, `nonce` and `blocks`; it writes `{{ blocks }}` once,
before its script: there the blocks of data are to stand.
"""

from __future__ import annotations

import secrets
from functools import cache
from importlib.resources import files
from typing import Any

_PAGE = files(__package__) / "page"


def shell(title: str) -> tuple[bytes, bytes]:
    """Return what stands before the blocks of a page, and what stands after them."""
    from markupsafe import Markup  # noqa: PLC0415 - needs what jinja2 brings

    template, css, js = _template()
    mark = f"<!-- {secrets.token_hex(16)} -->"
    nonce = secrets.token_urlsafe(16)
    # The page's own style and script are trusted, and all that is.
    own = {"css": Markup(css), "js": Markup(js), "blocks": Markup(mark)}  # noqa: S704
    whole = template.render(title=title, nonce=nonce, **own)
    before, _, after = whole.partition(mark)
    return before.encode("utf-8", "replace") + b"\n", after.encode("utf-8", "replace")


@cache
def _template() -> tuple[Any, str, str]:
    """Return the template, all style and all script, each in the order of the files' names."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - most processes need none

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    template = environment.from_string((_PAGE / "page.html").read_text("utf-8"))
    return template, _all(".css"), _all(".js")


def _all(suffix: str) -> str:
    found = sorted((each for each in _PAGE.iterdir() if each.name.endswith(suffix)), key=_name)
    return "\n".join(each.read_text("utf-8") for each in found)


def _name(file: Any) -> str:
    return str(file.name)
