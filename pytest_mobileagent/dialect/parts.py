"""Functions that find the parts of a reply: named lines, sections, and calls with arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.dialect.errors import DialectError, lacks, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARKUP = "*_` \t"
_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")
# What may follow a string. Preferred: the end of a call that ends the line, or the next argument by
# name. Otherwise: any closing parenthesis or comma.
_AFTER_STRING = (
    re.compile(r"\s*(?:\)\s*(?:\n|#|[A-Za-z_]\w*\(|\Z)|,\s*[A-Za-z_]\w*\s*=|\Z)"),
    re.compile(r"\s*(?:\)|,)"),
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt'\"\\])")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def line_after(words: str, name: str) -> str:
    """Return the text after "NAME: ", up to the end of the line.

    The first occurrence counts, anywhere in a line. If the exact name does not occur, variants that
    models write are accepted: another case, markup around the name, no space, a full-width colon.
    If the rest of the line is empty, the next non-empty line is returned.

    Raises:
        DialectError: if no line has this name.
    """
    found = re.search(rf"{name}: (.*)", words)
    if found is None:
        fallback = rf"^[^\w\n]*{name}[*_`\s]*[:：](.*)"
        found = re.search(fallback, words, re.MULTILINE | re.IGNORECASE)
    if found is None:
        raise lacks(words, f"{name + ':'!r}")
    rest = found.group(1).strip(_MARKUP + "\r")
    return rest or next(
        (line.strip() for line in words[found.end() :].splitlines() if line.strip()), ""
    )


def section(words: str, name: str, *after: str) -> str:
    """Return the text below the last heading "### NAME ###", up to the first heading in `after`.

    A reply without that heading is returned whole, as in the original, which splits at headings.
    """
    text = re.split(_heading(name), words, flags=re.IGNORECASE)[-1]
    for following in after:
        text = re.split(_heading(following), text, maxsplit=1, flags=re.IGNORECASE)[0]
    return text


def argument(call: str) -> str:
    """Return the text in the first parentheses of a call, or the rest if they are not closed.

    Raises:
        DialectError: if the call has no opening parenthesis.
    """
    start = call.find("(")
    if start < 0:
        raise DialectError(f"there are no parentheses in {quoted(call)}", call)
    depth = 0
    for place in range(start, len(call)):
        depth += {"(": 1, ")": -1}.get(call[place], 0)
        if depth == 0:
            return call[start + 1 : place]
    return call[start + 1 :].rpartition(")")[0] or call[start + 1 :]


def without_fences(words: str) -> str:
    """Return the reply without the lines of three backticks that enclose code blocks."""
    return re.sub(r"^\s*```\w*\s*$", "", words, flags=re.MULTILINE).strip()


@dataclass(frozen=True, slots=True)
class Call:
    """A call such as `name(key='value', …)`.

    `arguments` are keyed by name, or by position ("0", "1", …) if they have no name. `end` is the
    index after the call in the text from which it was read.
    """

    name: str
    arguments: Mapping[str, str]
    end: int

    def get(self, *names: str) -> str:
        """Return the first non-empty argument among `names`, or an empty string."""
        return next((self.arguments[name] for name in names if self.arguments.get(name)), "")


def begins_call(words: str, start: int = 0) -> bool:
    """Return whether a call begins at an index, after any white space."""
    return _CALL.match(words, start) is not None


def call(words: str, start: int = 0) -> Call:
    """Read one call. Strings may contain unescaped quotes; the last parenthesis may be missing.

    Raises:
        DialectError: if no call begins at `start`, or a string in the call is never closed.
    """
    head = _CALL.match(words, start)
    if head is None:
        raise DialectError(f"{quoted(words[start:])} is not a call")
    arguments: dict[str, str] = {}
    at = head.end()
    while True:
        while at < len(words) and (words[at].isspace() or words[at] == ","):
            at += 1
        if at >= len(words) or words[at] == ")":
            return Call(head[1], arguments, min(at + 1, len(words)))
        key = _KEY.match(words, at)
        name, at = (key[1], key.end()) if key else (str(len(arguments)), at)
        arguments[name], at = _value(words, at)


def escaped(text: str) -> str:
    r"""Return the text escaped for use in single quotes; the inverse of `unescaped`."""
    safe = text.replace("\\", "\\\\").replace("'", "\\'")
    return safe.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def unescaped(raw: str) -> str:
    """Return the text with the escapes of Python and JSON resolved; others stay unchanged."""
    text = _ESCAPE.sub(_meant, raw)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _heading(name: str) -> str:
    return rf"#{{1,6}}[ \t*_]{{0,9}}{name}[ \t*_]{{0,9}}(?:#{{1,6}}|[:：]|(?=[\r\n]|$))"


def _value(words: str, at: int) -> tuple[str, int]:
    """Return the argument's value that begins at an index, and the index after it."""
    quote = words[at : at + 1]
    if quote not in {"'", '"'}:
        return _bare(words, at)
    ends = [
        match.end()
        for match in re.compile(rf"\\.|{quote}", re.DOTALL).finditer(words, at + 1)
        if match[0] == quote
    ]
    for after in _AFTER_STRING:
        for end in ends:
            if after.match(words, end):
                return unescaped(words[at + 1 : end - 1]), end
    raise DialectError(f"the string {quoted(words[at:])} is never closed")


def _bare(words: str, at: int) -> tuple[str, int]:
    depth = 0
    for place in range(at, len(words)):
        letter = words[place]
        if depth == 0 and letter in ",)":
            return words[at:place].strip(), place
        depth += (letter in "[(") - (letter in "])")
    if depth > 0 or words[at:].strip()[-1:].isalnum():
        raise DialectError(f"{quoted(words[at:])} is cut off")
    return words[at:].strip(), len(words)


def _meant(escape: re.Match[str]) -> str:
    letter = escape[1]
    if letter[0] in "ux" and len(letter) > 1:
        return chr(int(letter[1:], 16))
    return _PLAIN_ESCAPES.get(letter, letter)
