"""How models say actions: one file for each dialect, each of which parses and prints.

A dialect is imported when it is first asked for: an agent needs one of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError, Frame

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
    from pytest_mobileagent.dialect.mobile_bench_v2 import MobileBenchV2
    from pytest_mobileagent.dialect.mobileagent import MobileAgent
    from pytest_mobileagent.dialect.mobileagent_v2 import MobileAgentV2
    from pytest_mobileagent.dialect.mobileagent_v3 import MobileAgentV3
    from pytest_mobileagent.dialect.odyssey import Odyssey
    from pytest_mobileagent.dialect.openai_computer_use import OpenAiComputerUse
    from pytest_mobileagent.dialect.os_atlas import OsAtlas
    from pytest_mobileagent.dialect.qwen import Qwen
    from pytest_mobileagent.dialect.seeact import SeeAct
    from pytest_mobileagent.dialect.ui_tars import UiTars

# Where each dialect is found.
_HOMES = {
    "A3": "a3",
    "AgentCpm": "agentcpm",
    "Aitw": "aitw",
    "Aitz": "aitz",
    "AndroidArena": "androidarena",
    "AndroidControl": "androidcontrol",
    "AndroidWorld": "androidworld",
    "AnthropicComputerUse": "anthropic_computer_use",
    "AppAgent": "appagent",
    "AppAgentReflection": "appagent",
    "AutoDroid": "autodroid",
    "AutoGlm": "autoglm",
    "BMoca": "bmoca",
    "BMocaDiscrete": "bmoca",
    "BMocaGesture": "bmoca",
    "CogAgent": "cogagent",
    "MobileAgent": "mobileagent",
    "MobileAgentV2": "mobileagent_v2",
    "MobileAgentV3": "mobileagent_v3",
    "MobileBenchV2": "mobile_bench_v2",
    "Odyssey": "odyssey",
    "OpenAiComputerUse": "openai_computer_use",
    "OsAtlas": "os_atlas",
    "Qwen": "qwen",
    "SeeAct": "seeact",
    "UiTars": "ui_tars",
}

__all__ = [
    "A3", "AgentCpm", "Aitw", "Aitz", "AndroidArena", "AndroidControl", "AndroidWorld",
    "AnthropicComputerUse", "AppAgent", "AppAgentReflection", "AutoDroid", "AutoGlm", "BMoca",
    "BMocaDiscrete", "BMocaGesture", "CogAgent", "Decision", "Dialect", "DialectError", "Frame",
    "MobileAgent", "MobileAgentV2", "MobileAgentV3", "MobileBenchV2", "Odyssey",
    "OpenAiComputerUse", "OsAtlas", "Qwen", "SeeAct", "UiTars", "dialects",
]  # fmt: skip


def dialects() -> dict[str, type[Dialect]]:
    """Return every dialect by its name."""
    kinds: list[type[Dialect]] = [__getattr__(name) for name in _HOMES]
    return {kind.name: kind for kind in kinds}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
