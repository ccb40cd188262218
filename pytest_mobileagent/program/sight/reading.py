"""Commands of a shell that read files, or what is piped into them, and do nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.program.commands.script import Simple


def files_of(simple: Simple, name: str, arguments: Sequence[str]) -> Sequence[str] | None:
    """Return the arguments of a command that only reads files; None if it may do something else.

    A pattern or a script is left out, if it is quoted as a whole: then the shell expands no files.
    """
    edits = _EDITOR.match(simple.text)
    quoted = edits or _SEARCHER.match(simple.text)
    place = arguments.index(quoted["script"][1:-1]) if quoted else len(arguments)
    rest = arguments[place + 1 :]
    has_options = edits and any(each.startswith("-") for each in rest)
    is_recursive = name.endswith("grep") and any(map(_RECURSIVE.match, arguments))
    if has_options or is_recursive or not (edits or name in _READING):
        return None
    return [*arguments[:place], *rest]


# They show files, which may be the phone's own pictures of the screen.
_READING = {
    "cat", "grep", "egrep", "fgrep", "head", "tail", "wc", "cut", "tr", "sort", "uniq", "base64",
    "xxd", "od",
}  # fmt: skip
_RECURSIVE = re.compile(r"-[a-zA-Z]*[rR]|--\w*rec")  # without a file, these read the folder
_QUOTED = r"""[ \t]+(?P<script>'[^']*'|"[^"$`\\]*")(?=[ \t]|\Z)"""
_SEARCHER = re.compile(r"[ef]?grep(?:[ \t]+(?:-[ABCm][ \t]*\d+|-[EFHLchilnoqsvwxz]+))*" + _QUOTED)
# Scripts of one command that reads and writes no file, and runs no program.
_LINES = r"(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]"
_REPLACE = "|".join(rf"s[{d}](?:(?:\\.|[^\\\n'{d}])*[{d}]){{2}}[gpI\d]*" for d in "/|#,")
_PRINT = r"(?:/[\w .:=-]+/ ?)?\{ ?print(?: \$\w+(?:, ?\$\w+)*)? ?\}"
_EDITOR = re.compile(
    rf"(?:sed(?:[ \t]+-[nEr]+)*(?:[ \t]+-e)?(?=[ \t]+(['\"])(?:{_LINES}|{_REPLACE})\1(?:[ \t]|\Z))"
    rf"|awk(?:[ \t]+-F[ \t]*[^\s'\"])?(?=[ \t]+'{_PRINT}'(?:[ \t]|\Z))){_QUOTED}"
)
