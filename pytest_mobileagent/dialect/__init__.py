"""Dialects, the formats in which models express actions: each class parses and prints one format.

- The dialects: `parse` turns a model's reply into a `Decision`, given the `Frame` that the reply
  refers to; `print` turns a decision back into a reply. `dialects()` returns all of them by name.
- For writing a new dialect: the base class `Dialect`; functions that read parts of a reply
  (`object_in`, `number`, `point`, `line_after`, `call`, …); and functions that build errors
  (`lacks`, `unknown`, `cannot_say`).
- For models that were trained to use a computer: `PHONE_FUNCTIONS`, the functions that only a
  phone needs.

A new dialect is named twice here: its import and `__all__`. Public names are imported on first use,
because an agent needs only one dialect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import imports_for_types, lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.dialect.a3 import A3
    from pytest_mobileagent.dialect.agentcpm import AgentCpm
    from pytest_mobileagent.dialect.aitw import Aitw
    from pytest_mobileagent.dialect.aitz import Aitz
    from pytest_mobileagent.dialect.androidarena import AndroidArena
    from pytest_mobileagent.dialect.androidcontrol import AndroidControl
    from pytest_mobileagent.dialect.androidworld import AndroidWorld
    from pytest_mobileagent.dialect.anthropic_computer_use import AnthropicComputerUse
    from pytest_mobileagent.dialect.appagent import AppAgent, AppAgentReflection
    from pytest_mobileagent.dialect.autodroid import AutoDroid
    from pytest_mobileagent.dialect.autoglm import AutoGlm
    from pytest_mobileagent.dialect.bmoca import BMoca, BMocaDiscrete, BMocaGesture
    from pytest_mobileagent.dialect.cogagent import CogAgent
    from pytest_mobileagent.dialect.computer import PHONE_FUNCTIONS, function_parameters
    from pytest_mobileagent.dialect.dialect import (
        Decision,
        Dialect,
        DialectError,
        Frame,
        Parts,
        cannot_say,
        lacks,
        quoted,
        unknown,
    )
    from pytest_mobileagent.dialect.gelab_zero import GelabZero
    from pytest_mobileagent.dialect.gemini_computer_use import GeminiComputerUse
    from pytest_mobileagent.dialect.mobile_bench_v2 import MobileBenchV2
    from pytest_mobileagent.dialect.mobileagent import MobileAgent
    from pytest_mobileagent.dialect.mobileagent_v2 import MobileAgentV2
    from pytest_mobileagent.dialect.mobileagent_v3 import MobileAgentV3
    from pytest_mobileagent.dialect.odyssey import Odyssey
    from pytest_mobileagent.dialect.openai_computer_use import OpenAiComputerUse
    from pytest_mobileagent.dialect.os_atlas import OsAtlas
    from pytest_mobileagent.dialect.parts import (
        Call,
        argument,
        call,
        escaped,
        line_after,
        section,
        unescaped,
        without_fences,
    )
    from pytest_mobileagent.dialect.qwen import Qwen
    from pytest_mobileagent.dialect.reading import (
        NUMBER,
        OPPOSITE,
        PAIR,
        amount,
        direction,
        key_named,
        name_for,
        number,
        object_in,
        point,
        spoken,
        text,
    )
    from pytest_mobileagent.dialect.seeact import SeeAct
    from pytest_mobileagent.dialect.ui_tars import UiTars
    from pytest_mobileagent.dialect.ui_venus import UiVenus

__getattr__ = lazy_names(__name__)

__all__ = [
    "A3", "NUMBER", "OPPOSITE", "PAIR", "PHONE_FUNCTIONS", "AgentCpm", "Aitw", "Aitz",
    "AndroidArena", "AndroidControl", "AndroidWorld", "AnthropicComputerUse", "AppAgent",
    "AppAgentReflection", "AutoDroid", "AutoGlm", "BMoca", "BMocaDiscrete", "BMocaGesture", "Call",
    "CogAgent", "Decision", "Dialect", "DialectError", "Frame", "GelabZero", "GeminiComputerUse",
    "MobileAgent", "MobileAgentV2", "MobileAgentV3", "MobileBenchV2", "Odyssey",
    "OpenAiComputerUse", "OsAtlas", "Parts", "Qwen", "SeeAct", "UiTars", "UiVenus", "amount",
    "argument", "call", "cannot_say", "dialects", "direction", "escaped", "function_parameters",
    "key_named", "lacks", "line_after", "name_for", "number", "object_in", "point", "quoted",
    "section", "spoken", "text", "unescaped", "unknown", "without_fences",
]  # fmt: skip


def dialects() -> dict[str, type[Dialect]]:
    """Return all dialects of this package by name."""
    base: type[Dialect] = __getattr__("Dialect")
    public = (__getattr__(name) for name in imports_for_types(__name__))
    kinds = (each for each in public if isinstance(each, type) and issubclass(each, base))
    return {kind.name: kind for kind in kinds if kind is not base}
