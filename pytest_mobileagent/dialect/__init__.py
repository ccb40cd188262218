"""Dialects, the formats in which models express actions: each class parses and prints one format.

- The dialects: `parse` turns a model's reply into a `Decision`, given the `Frame` that the reply
  refers to; `print` turns a decision back into a reply. `dialects()` returns all of them by name.
- For writing a new dialect: the base class `Dialect`; functions that read parts of a reply
  (`object_in`, `number`, `point`, `line_after`, `call`, …); and functions that build errors
  (`lacks`, `unknown`, `cannot_say`).
- For models that were trained to use a computer: `PHONE_FUNCTIONS`, which only a phone needs.

Public names are imported on first use, because an agent needs only one dialect. They are named once
here: type checkers need `as` to know that they are public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import imports_for_types, lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.dialect.a3 import A3 as A3
    from pytest_mobileagent.dialect.agentcpm import AgentCpm as AgentCpm
    from pytest_mobileagent.dialect.aitw import Aitw as Aitw
    from pytest_mobileagent.dialect.aitz import Aitz as Aitz
    from pytest_mobileagent.dialect.androidarena import AndroidArena as AndroidArena
    from pytest_mobileagent.dialect.androidcontrol import AndroidControl as AndroidControl
    from pytest_mobileagent.dialect.androidworld import AndroidWorld as AndroidWorld
    from pytest_mobileagent.dialect.anthropic_computer_use import (
        AnthropicComputerUse as AnthropicComputerUse,
    )
    from pytest_mobileagent.dialect.appagent import AppAgent as AppAgent
    from pytest_mobileagent.dialect.appagent import AppAgentReflection as AppAgentReflection
    from pytest_mobileagent.dialect.autodroid import AutoDroid as AutoDroid
    from pytest_mobileagent.dialect.autoglm import AutoGlm as AutoGlm
    from pytest_mobileagent.dialect.bmoca import BMoca as BMoca
    from pytest_mobileagent.dialect.bmoca import BMocaDiscrete as BMocaDiscrete
    from pytest_mobileagent.dialect.bmoca import BMocaGesture as BMocaGesture
    from pytest_mobileagent.dialect.cogagent import CogAgent as CogAgent
    from pytest_mobileagent.dialect.computer import PHONE_FUNCTIONS as PHONE_FUNCTIONS
    from pytest_mobileagent.dialect.computer import function_parameters as function_parameters
    from pytest_mobileagent.dialect.dialect import Decision as Decision
    from pytest_mobileagent.dialect.dialect import Dialect as Dialect
    from pytest_mobileagent.dialect.dialect import Frame as Frame
    from pytest_mobileagent.dialect.dialect import Parts as Parts
    from pytest_mobileagent.dialect.gelab_zero import GelabZero as GelabZero
    from pytest_mobileagent.dialect.gemini_computer_use import (
        GeminiComputerUse as GeminiComputerUse,
    )
    from pytest_mobileagent.dialect.mobile_bench_v2 import MobileBenchV2 as MobileBenchV2
    from pytest_mobileagent.dialect.mobileagent import MobileAgent as MobileAgent
    from pytest_mobileagent.dialect.mobileagent_v2 import MobileAgentV2 as MobileAgentV2
    from pytest_mobileagent.dialect.mobileagent_v3 import MobileAgentV3 as MobileAgentV3
    from pytest_mobileagent.dialect.odyssey import Odyssey as Odyssey
    from pytest_mobileagent.dialect.openai_computer_use import (
        OpenAiComputerUse as OpenAiComputerUse,
    )
    from pytest_mobileagent.dialect.os_atlas import OsAtlas as OsAtlas
    from pytest_mobileagent.dialect.parts import Call as Call
    from pytest_mobileagent.dialect.parts import DialectError as DialectError
    from pytest_mobileagent.dialect.parts import argument as argument
    from pytest_mobileagent.dialect.parts import call as call
    from pytest_mobileagent.dialect.parts import cannot_say as cannot_say
    from pytest_mobileagent.dialect.parts import escaped as escaped
    from pytest_mobileagent.dialect.parts import lacks as lacks
    from pytest_mobileagent.dialect.parts import line_after as line_after
    from pytest_mobileagent.dialect.parts import quoted as quoted
    from pytest_mobileagent.dialect.parts import section as section
    from pytest_mobileagent.dialect.parts import unescaped as unescaped
    from pytest_mobileagent.dialect.parts import unknown as unknown
    from pytest_mobileagent.dialect.parts import without_fences as without_fences
    from pytest_mobileagent.dialect.qwen import Qwen as Qwen
    from pytest_mobileagent.dialect.reading import NUMBER as NUMBER
    from pytest_mobileagent.dialect.reading import OPPOSITE as OPPOSITE
    from pytest_mobileagent.dialect.reading import PAIR as PAIR
    from pytest_mobileagent.dialect.reading import amount as amount
    from pytest_mobileagent.dialect.reading import direction as direction
    from pytest_mobileagent.dialect.reading import key_named as key_named
    from pytest_mobileagent.dialect.reading import name_for as name_for
    from pytest_mobileagent.dialect.reading import number as number
    from pytest_mobileagent.dialect.reading import object_in as object_in
    from pytest_mobileagent.dialect.reading import point as point
    from pytest_mobileagent.dialect.reading import spoken as spoken
    from pytest_mobileagent.dialect.reading import text as text
    from pytest_mobileagent.dialect.seeact import SeeAct as SeeAct
    from pytest_mobileagent.dialect.ui_tars import UiTars as UiTars
    from pytest_mobileagent.dialect.ui_venus import UiVenus as UiVenus

__getattr__ = lazy_names(__name__)
__all__ = [*imports_for_types(__name__), "dialects"]  # noqa: PLE0604 - strings, too


def dialects() -> dict[str, type[Dialect]]:
    """Return all dialects of this package by name."""
    base: type[Dialect] = __getattr__("Dialect")
    public = (__getattr__(name) for name in imports_for_types(__name__))
    kinds = (each for each in public if isinstance(each, type) and issubclass(each, base))
    return {kind.name: kind for kind in kinds if kind is not base}
