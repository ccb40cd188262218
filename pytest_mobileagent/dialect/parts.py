r"""Functions that find the parts of a reply: named lines, sections, calls, and what is around them.

Around a reply are markers, which servers should have taken off: tokens, fences, XML calls. Every
dialect's `parse` takes them off first. They go where models put them: at both ends of the reply, on
the inside of `<answer>`, `<tool_call>` and quotes, and GLM's box tokens around a value anywhere.
What follows a model's turn, if it was not stopped, goes as well. In the middle of a text, a token
stays, because a goal may ask to type it. XML calls become JSON calls.

What is missing or unknown raises a `DialectError`, whose messages are built here, too.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
        found = re.search(rf"(?im)^[^\w\n]*{name}[*_`\s]*[:：](.*)", words)
    if found is None:
        raise lacks(words, f"{name + ':'!r}")
    rest = found.group(1).strip(_MARKUP + "\r")
    following = (line.strip() for line in words[found.end() :].splitlines())
    return rest or next(filter(None, following), "")


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
    letters = re.compile(rf"\\.|{quote}", re.DOTALL).finditer(words, at + 1)
    ends = [letter.end() for letter in letters if letter[0] == quote]
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


# Qwen, GLM, Llama, Phi, Kimi, gpt-oss <|im_end|>; DeepSeek the same with full-width bars; Mistral,
# Llama 2 </s>, [/INST]; Gemma <end_of_turn>, <unused7>; Seed <seed:eos>; EXAONE [|endofturn|];
# UI-TARS [EOS].
_MARK = (
    r"(?:<\|/?\w[\w.:-]{0,40}\|>|<\uff5c[\w\u2581 ]{1,40}\uff5c>|\[\|\w{1,40}\|\]|</?s>|\[/?INST\]"
    r"|</?(?:eos|bos|pad|unk|eot|sop|eop|end_of_turn|start_of_turn|unused\d{1,5})>|<seed:[be]os>"
    r"|\[(?:EOS|BOS|PAD|gMASK)\])"
)
_ROLE = r"(?:(?<=[>\]])(?:assistant|model)\b)"
_BEFORE = re.compile(rf"\s*(?:(?:{_MARK}|{_ROLE})\s*)+")  # matched at the beginning only
_AFTER = re.compile(rf"{_MARK}\Z")
_LONGEST = 60  # characters of a token, at least
_INSIDE = (
    re.compile(rf"(<(?:answer|tool_call)>)\s{{0,9}}(?:{_MARK}\s{{0,9}}){{1,9}}"),
    re.compile(rf"(?:{_MARK}\s{{0,9}}){{1,9}}(</(?:answer|tool_call)>)"),
)
# At the ends of a value in quotes, unless it is all that stands there; a goal may name others.
_QUOTED = (
    re.compile(r"""((?<=[=:(]["'])|(?<=[=:] ["']))(?:<\|\w{1,40}\|>\s{0,9}){1,9}(?=[^"'\s<\\])"""),
    re.compile(r"""((?<=[^"']))(?:\s{0,9}<\|\w{1,40}\|>){1,9}(?=["']\s{0,9}[),}\]])"""),
)
_BOX = ("<|begin_of_box|>", "<|end_of_box|>")
# The next turn, which a model writes itself if its server does not stop it.
_NEXT_TURN = re.compile(
    rf"(?:{_MARK}|\n)[ \t]{{0,9}}\n{{0,2}}(?:<\|(?:user|observation|system)\|>|<\uff5cUser\uff5c>"
    r"|\[\|user\|\]|\[INST\]"
    r"|(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|start\|>)(?:user|system|tool)\b)"
)
_FINAL = "<|channel|>final<|message|>"  # what gpt-oss says after its analysis
_FENCED = re.compile(r"\s*```\w*[ \t]*\n(.*?)(?:\n[ \t]*```\s*)?", re.DOTALL)
# Qwen3.5: <tool_call><function=NAME><parameter=KEY>…; other models: <function name="NAME"><param …
# MiniMax, DeepSeek: <minimax:tool_call>, then <invoke name="NAME"> and <parameter name="KEY">…
_TO = r"(?:\w{1,20}:|\uff5cDSML\uff5c)?"  # a namespace
_XML_CALLS = rf"{_TO}(?:tool_call|function_call)s?"
_XML_CALL = re.compile(
    rf"""(?:<{_XML_CALLS}>\s{{0,9}}|^[ \t]{{0,9}})"""
    rf"""<{_TO}(?:function|invoke)(?:=|\s+name=)["']?([\w.-]+)["']?\s*>"""
    rf"(.*?)(?:</{_TO}(?:function|invoke)>\s*(?:</{_XML_CALLS}>)?|</{_XML_CALLS}>|(?=<tool_call>)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PARAMETER = re.compile(
    rf"""<{_TO}param(?:eter)?(?:=|\s+name=)["']?([\w.-]+)["']?(?:\s[^<>]{{0,60}})?>"""
    rf"(.*?)(?=</?{_TO}param|</arg_value>|\Z)",
    re.DOTALL,
)
# GLM: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>…
_NAMED = re.compile(r"<tool_call>\s{0,9}([\w.-]+)\s{0,9}(?=<arg_key>)")
_ARG_KEY = re.compile(r"<arg_key>\s{0,9}([\w.-]+)\s{0,9}</arg_key>\s{0,9}<arg_value>")


def without_markers(words: str) -> str:
    """Return a reply without its markers; unchanged if it has none, or nothing else."""
    text = words.rpartition(_FINAL)[2]
    if all(token in text for token in _BOX):
        text = text.replace(_BOX[0], "").replace(_BOX[1], "")
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    if (turn := _NEXT_TURN.search(text)) and text[: turn.start()].strip():
        text = text[: turn.start()]
    text = _without_last_tokens(text)
    for tokens in (*_INSIDE, *_QUOTED):
        text = tokens.sub(r"\1", text)
    if (fenced := _FENCED.fullmatch(text)) and "```" not in fenced[1]:
        text = fenced[1]
    if _NAMED.search(text):
        text = _ARG_KEY.sub(r"<parameter=\1>", _NAMED.sub(r"<tool_call><function=\1>", text))
    return _XML_CALL.sub(_in_json, text) if text.strip() else words


def _without_last_tokens(text: str) -> str:
    while True:
        shorter = text.rstrip()
        last = _AFTER.search(shorter, max(0, len(shorter) - _LONGEST))
        if last is None:
            return text
        text = shorter[: last.start()].rstrip()


def _in_json(call: re.Match[str]) -> str:
    """Return an XML call as JSON; its values stay text, as only the dialect knows their types."""
    arguments = {
        name: value.strip().removesuffix(f"</{name}>").strip()
        for name, value in _PARAMETER.findall(call[2])
    }
    tool = json.dumps({"name": call[1], "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{tool}\n</tool_call>"


# How the original agent handles a reply that it cannot read: it does nothing in that step, asks the
# model again, ends as if the task were done, gives up, or crashes.
OnError = Literal["no action", "ask again", "finish", "give up", "crash"]


class DialectError(ValueError):
    """A reply that a dialect cannot read, or an action that it cannot express.

    The message says what is wrong and quotes the place; `words` is the complete reply. `on_error`
    is how the original agent handles this reply; None if as the dialect's `on_error` says.
    """

    def __init__(self, problem: str, words: str = "", on_error: OnError | None = None) -> None:
        super().__init__(problem)
        self.words, self.on_error = words, on_error


def quoted(value: object, most: int = 120) -> str:
    """Return a value quoted for an error message: on one line, cut to `most` characters."""
    try:
        text = " ".join((value if isinstance(value, str) else repr(value)).split())
    except (ValueError, RecursionError):  # the number is too large, or the list nested too deeply
        return f"a {type(value).__name__}"
    short = text if len(text) <= most else text[: most - 1] + "…"
    return repr(short) if isinstance(value, str) else short


def cannot_say(title: str, what: object) -> DialectError:
    """Return the error for an action that a dialect cannot express."""
    return DialectError(f"{title} cannot express {quoted(what)}")


def lacks(words: str, what: str, on_error: OnError | None = None) -> DialectError:
    """Return the error for a reply that lacks a required part."""
    return DialectError(f"there is no {what} in {quoted(words)}", words, on_error)


def unknown(kind: str, name: object) -> DialectError:
    """Return the error for an unknown name, such as that of an action, a key or a direction."""
    return DialectError(f"there is no {kind} {quoted(name)}")


@contextmanager
def reading(words: str) -> Iterator[None]:
    """Set `words` of any DialectError raised in the block to the complete reply."""
    try:
        yield
    except DialectError as error:
        error.words = words
        raise
