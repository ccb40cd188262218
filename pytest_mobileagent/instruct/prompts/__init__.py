"""The prompts for writing an instruction for a route, in a TOML file for each language.

The stages are those of GIAS (arXiv 2505.11891, Algorithm 1); the wording is our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent.judge import prompts
from pytest_mobileagent.judge.prompts import texts_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.judge.prompts import Verbs

StageName = Literal["describe", "intent", "change", "part", "merge", "simplify", "verify"]
# The role of each stage. In the paper, three models describe pages, summarise changes and write
# instructions (section 3.2).
ROLES: Mapping[StageName, str] = {
    "describe": "describer",
    "intent": "writer",
    "change": "summariser",
    "part": "writer",
    "merge": "writer",
    "simplify": "writer",
    "verify": "verifier",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One kind of request: the `rules` of the system prompt, and a `sample` of a reply.

    The sample shows the format, and is used as the reply in a dry run, which calls no model.
    """

    rules: str
    sample: str


@dataclass(frozen=True, slots=True)
class Wording:
    """All prompts in one language; capitalised words in braces are placeholders.

    - `guard`: the explanation of how data is fenced ({NUMBER}).
    - `repair`: the message after an unreadable reply ({PROBLEM}).
    - `number`: the request for the instruction of a step ({NUMBER}).
    - `labels`: the heading of each kind of data.
    - `example`: the headings of an example and of its reply.
    - `better`: the rules for a judge of two instructions, whose reply ends with `Result: A`,
      `Result: B` or `Result: tie`.
    """

    verbs: Verbs
    guard: str
    repair: str
    number: str
    labels: Mapping[str, str]
    example: tuple[str, str]
    stages: Mapping[StageName, Stage]
    better: str


@cache
def wording_of(language: str) -> Wording:
    """Return the prompts in a language: Chinese for "zh" and "zh-…", English for all others."""
    texts = texts_in(Path(__file__).parent, language)
    stages = {name: Stage(**stage) for name, stage in texts.pop("stages").items()}
    first, second = texts.pop("example")
    return Wording(
        verbs=prompts.wording_of(language).verbs, stages=stages, example=(first, second), **texts
    )
