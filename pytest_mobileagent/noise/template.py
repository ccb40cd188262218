"""Templates of noise, and how they are read from TOML files.

    language = "en"                # of all templates in the file

    [[noise]]
    name = "garden-week"           # unique among all files
    kind = "popup"
    title = "Garden week"
    text = "A third off everything that grows, until Sunday."
    cross = true                   # a small cross in the corner, which closes it
    buttons = [{ text = "See the offers", does = "open" }]

`Template` documents the other keys.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.fileio import read_text
from pytest_mobileagent.jsonable import expect
from pytest_mobileagent.noise import NAMED, OVERLAYS
from pytest_mobileagent.noise.fonts import undrawable
from pytest_mobileagent.noise.injection import KIND, UNDRAWN, flaw_of_order
from pytest_mobileagent.noise.injection import SHAPES as OF_INJECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

OWN: Final = Path(__file__).with_name("ads")
SHAPES = ("card", "dialog", "sheet", "full", "coach", "toast", *OF_INJECTIONS)
DOES = ("close", "open", "next", "nothing")
# For each kind: its shape, whether the back key closes it, and what a touch on its body does.
_OF_KIND: Mapping[str, tuple[str, bool, str]] = {
    "popup": ("card", True, "nothing"),
    "countdown-ad": ("full", False, "nothing"),
    "late-ad": ("full", True, "nothing"),
    "redirect-ad": ("card", True, "open"),
    "update": ("dialog", True, "nothing"),
    "login": ("sheet", True, "nothing"),
    "vip": ("card", True, "nothing"),
    "permission": ("dialog", True, "nothing"),
    "rating": ("dialog", True, "nothing"),
    "tutorial": ("coach", False, "nothing"),
    "toast": ("toast", False, "nothing"),
    KIND: ("line", False, "nothing"),
}
_TIMED = ("countdown-ad", "late-ad")
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
_NAME = re.compile(r"[\w.-]{1,80}")
_URL = re.compile(r"https?://[\w.-]+(?:/[\w./-]*)?", re.ASCII)
_LONGEST = 600  # the most characters that a text may have
_HEADER = re.compile(r"^\s*\[\[\s*noise\s*\]\]", re.MULTILINE)


class BadNoiseError(ValueError):
    """A template cannot be used; the message names the file and line, and says what to do."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button: its label, and what a tap on it does.

    "close" closes the noise. "open" leads to another page, from which the back key returns. "next"
    turns to the next page of a tutorial, or closes it on the last page. "nothing" does nothing.
    """

    text: str
    does: str = "close"


@dataclass(frozen=True, slots=True)
class Template:
    """One piece of noise.

    - `name`, `kind`, `language`: its identity. `file`: the file and line that define it.
    - `shape`: card, dialog, sheet (at the bottom), full (the whole screen), coach (a bubble beside
      a spotlight) or toast; each kind has a default shape.
    - `title`, `text`: its words, replaced in a tutorial by those of its `pages`: (title, text).
    - `buttons`; `cross`: whether it has a small cross that closes it.
    - `body`: what a touch beside the buttons does: "nothing", or "open" for ads that redirect.
    - `outside`, `back`: whether a touch beside a card, dialog or sheet, or the back key, closes it.
    - `wait`: after how many of the agent's actions an ad closes by itself (`countdown-ad`), or its
      cross appears (`late-ad`). Time is counted in actions, so it is the same on every phone.
    - `badge`: a small label that marks it as an ad. `colours`: the two colours of its picture.
    - `order`: what the text of an injection orders: "type TEXT", "answer TEXT" or "press KEY".
    - `page`: title and text of the page that "open" leads to. `url`: the address of that page,
      which the browser of a live phone opens for a `redirect-ad`.
    """

    name: str
    kind: str
    language: str
    shape: str = "card"
    title: str = ""
    text: str = ""
    pages: tuple[tuple[str, str], ...] = ()
    buttons: tuple[Button, ...] = ()
    cross: bool = False
    body: str = "nothing"
    outside: bool = False
    back: bool = True
    wait: int = 0
    badge: str = ""
    colours: tuple[str, str] = ("#3f6fb5", "#7fb3a6")
    page: tuple[str, str] = ("", "")
    url: str = "https://example.com/"
    order: str = ""
    file: str = field(default="", compare=False)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text of the template that may be drawn."""
        if self.shape in UNDRAWN:
            return ()
        words = (button.text for button in self.buttons)
        pages = (text for page in (*self.pages, self.page) for text in page)
        return tuple(filter(None, (self.title, self.text, *pages, *words, self.badge)))


def load(folders: Iterable[Path] = ()) -> tuple[Template, ...]:
    """Return the templates of this package, and those in TOML files below `folders`.

    Raises:
        BadNoiseError: if a file cannot be read, or a template in it cannot be used.
    """
    paths = [path for each in (OWN, *folders) for path in sorted(each.rglob("*.toml"))]
    found: dict[str, Template] = {}
    for path in paths:
        for template in read(path):
            is_own = path.is_relative_to(OWN)  # the package's own are checked when they are used
            if not is_own and (why := undrawable("".join(template.texts))):
                raise BadNoiseError(f"{template.file} ({template.name!r}): {why}")
            if (other := found.get(template.name)) is not None:
                name = template.name
                msg = f"{template.file}: {other.file} already has a template named {name!r}"
                raise BadNoiseError(msg)
            found[template.name] = template
    return tuple(found.values())


def read(path: Path) -> list[Template]:
    """Return the templates of a TOML file.

    Raises:
        BadNoiseError: if the file cannot be read, or a template in it cannot be used.
    """
    try:
        text = read_text(path, follows=True)
        content = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise BadNoiseError(f"{path} cannot be read: {error}") from None
    lines = [text.count("\n", 0, found.end()) + 1 for found in _HEADER.finditer(text)]
    language, each = content.pop("language", "en"), content.pop("noise", [])
    if content or not isinstance(language, str) or not isinstance(each, list):
        more = f", but not {', '.join(sorted(content))}" if content else ""
        raise BadNoiseError(f'{path}: a file may contain language = "…" and [[noise]] tables{more}')
    found = []
    for number, given in enumerate(each):
        line = f":{lines[number]}" if len(lines) == len(each) else f", template {number + 1}"
        where = f"{path}{line}"
        try:
            table = {"language": language, **expect(given, dict, "a template")}
            found.append(_checked(_template(table, where)))
        except (TypeError, ValueError) as error:
            name = given.get("name") if isinstance(given, dict) else None
            raise BadNoiseError(f"{where} ({name!r}): {error}") from None
    return found


_TYPES: Mapping[str, Any] = {
    "name": str, "kind": str, "language": str, "shape": str, "title": str, "text": str,
    "pages": list, "buttons": list, "cross": bool, "body": str, "outside": bool, "back": bool,
    "wait": int, "badge": str, "colours": list, "page": dict, "url": str, "order": str,
}  # fmt: skip


def _template(table: Mapping[str, Any], where: str) -> Template:
    if unknown := sorted(set(table) - set(_TYPES)):
        msg = f"a template has no key {', '.join(unknown)}; the keys are {', '.join(_TYPES)}"
        raise ValueError(msg)
    given = {name: expect(value, _TYPES[name], name) for name, value in table.items()}
    for name in ("name", "kind"):
        if not given.get(name):
            raise ValueError(f"it has no {name}")
    _one_of("kind", given["kind"], (*OVERLAYS, *NAMED))
    shape, back, body = _OF_KIND[given["kind"]]
    given = {"shape": shape, "back": back, "body": body, **given, "file": where}
    given["buttons"] = tuple(_button(each) for each in given.get("buttons", ()))
    given["pages"] = tuple(_page(each) for each in given.get("pages", ()))
    given["page"] = _page(given.get("page", {}))
    if "colours" in given:
        given["colours"] = tuple(given["colours"])
    return Template(**given)


def _button(given: Any) -> Button:
    table = expect(given, dict, "a button")
    if set(table) - {each.name for each in fields(Button)} or not table.get("text"):
        raise ValueError(f"a button must have a text and may have a does, not {table}")
    return Button(**{name: expect(value, str, name) for name, value in table.items()})


def _page(given: Any) -> tuple[str, str]:
    table = expect(given, dict, "a page")
    if set(table) - {"title", "text"}:
        raise ValueError(f"a page may have a title and a text, not {table}")
    title, text = (expect(table.get(name, ""), str, name) for name in ("title", "text"))
    return title, text


def _one_of(what: str, word: str, words: Sequence[str]) -> None:
    if word not in words:
        raise ValueError(f"{what} cannot be {word!r}; choose from {', '.join(words)}")


def _checked(template: Template) -> Template:
    """Return the template if it can be used.

    Raises:
        ValueError: if it cannot be used; the message says why, and what to do.
    """
    _one_of("shape", template.shape, SHAPES)
    _one_of("body", template.body, ("nothing", "open"))
    for button in template.buttons:
        _one_of("does", button.does, DOES)
    if why := next(filter(None, (check(template) for check in _CHECKS)), ""):
        raise ValueError(why)
    return template


def _flaw_of_words(template: Template) -> str:
    if not _NAME.fullmatch(template.name):
        return "its name may only contain letters, digits, dots, dashes and underscores"
    if not re.fullmatch("[a-z]{2,3}", template.language):
        return f"its language must be a code such as en or zh, not {template.language!r}"
    if not (template.title or template.text or template.pages):
        return "it has neither a title nor a text: add one"
    if any(len(text) > _LONGEST for text in template.texts):
        return f"a text has more than {_LONGEST} characters, too many for any screen"
    return ""


def _flaw_of_look(template: Template) -> str:
    are_fit = all(isinstance(one, str) and _COLOUR.fullmatch(one) for one in template.colours)
    if len(template.colours) != 2 or not are_fit:
        return 'its colours must be a pair, such as ["#3f6fb5", "#7fb3a6"]'
    if len(template.buttons) > 3:
        return "it may have at most three buttons"
    if not _URL.fullmatch(template.url):
        return f"its url must be a plain http or https address, not {template.url!r}"
    for kind, shapes in (("toast", ("toast",)), (KIND, OF_INJECTIONS)):
        is_kind = template.kind == kind
        if is_kind != (template.shape in shapes):
            has = " or ".join(shapes)
            return f"noise of the kind {kind} must have the shape {has}, and no other kind may"
        if is_kind and (template.buttons or template.cross or template.pages):
            return f"noise of the kind {kind} can only have text: no buttons, cross or pages"
    return ""


def _flaw_of_orders(template: Template) -> str:
    if template.kind == KIND:
        return flaw_of_order(template.order) if template.text else "it has no text"
    return f"only noise of the kind {KIND} can have an order" if template.order else ""


def _flaw_of_time(template: Template) -> str:
    if template.kind in _TIMED and not 2 <= template.wait <= 9:
        ends = "closes by itself" if template.kind == "countdown-ad" else "can be closed"
        return f"a {template.kind} needs wait = 2 to 9, the actions until it {ends}"
    if template.kind in _TIMED and template.shape != "full":
        return f"a {template.kind} must have the shape full, which has room for the remaining time"
    if template.kind not in _TIMED and template.wait:
        return f"only {' and '.join(_TIMED)} can have a wait"
    if template.pages and template.kind != "tutorial":
        return "only a tutorial can have pages"
    return ""


def _flaw_of_closing(template: Template) -> str:
    closes = template.cross or any(each.does in {"close", "next"} for each in template.buttons)
    if not closes and template.kind not in {"toast", "countdown-ad", KIND}:
        return 'there is no way to close it: add cross = true, or a button with does = "close"'
    return ""


_CHECKS = (_flaw_of_words, _flaw_of_look, _flaw_of_orders, _flaw_of_time, _flaw_of_closing)
