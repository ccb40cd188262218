"""What the installed SDKs know of computer use, beside what the agents here know.

A newer tool, member, field or model is a warning, since it breaks nothing until a provider requires
it. A weekly job makes errors of these warnings (`-W "error:The installed SDK knows"`).
"""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pytest

from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.dialect import DialectError, Frame
from pytest_mobileagent.dialect.anthropic_computer_use import AnthropicComputerUse, Version
from pytest_mobileagent.dialect.openai_computer_use import OpenAiComputerUse
from pytest_mobileagent.llm.refusals import STOPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.dialect import Dialect

    # Words, or a function that returns whether a word is known.
    Known = str | Callable[[str], bool]

VERSIONS = get_args(Version)
AS_OF = "2026-11-28"
FRAME = Frame((1080, 2400))


def literals(kind: Any) -> set[str]:
    """Return the strings in a type: those of its literals, and of the types that it is made of."""
    if isinstance(kind, str):
        return {kind}
    fields = get_type_hints(kind).values() if hasattr(kind, "__required_keys__") else ()
    return {each for part in (*get_args(kind), *fields) for each in literals(part)}


def is_read(dialect: Dialect, call: dict[str, Any]) -> bool:
    """Return whether a dialect knows an action, whatever its arguments have to be."""
    try:
        dialect.parse(json.dumps(call), FRAME)
    except DialectError as error:
        return not str(error).startswith("there is no action")
    return True


def is_usable(provider: str, agent: str, name: str) -> bool:
    """Return whether an agent's table lists a model."""
    made = find_agent(agent, (shipped_agents(),)).load()
    try:
        made.check_model(f"{provider}:{name}", made.Options())
    except ValueError:
        return False
    return True


def anthropic_tools() -> set[str]:
    from anthropic.types import ToolUnionParam
    from anthropic.types.beta import BetaToolUnionParam

    every = literals(BetaToolUnionParam) | literals(ToolUnionParam)
    return {each for each in every if re.match(r"computer_(toolset_)?\d", each)}


def anthropic_members() -> set[str]:
    from anthropic.types.beta import BETA_COMPUTER_MEMBER_NAME_VALUES

    return set(BETA_COMPUTER_MEMBER_NAME_VALUES)


def anthropic_fields() -> set[str]:
    from anthropic.types import beta

    inputs = (name for name in dir(beta) if re.fullmatch(r"BetaComputer[A-Z]\w+Input", name))
    models = (getattr(beta, name) for name in inputs)
    return {field for each in models for field in getattr(each, "model_fields", ())}


def anthropic_toolset() -> set[str]:
    from anthropic.types.beta import BetaComputerToolset20260801Param

    return set(BetaComputerToolset20260801Param.__annotations__)


def anthropic_betas() -> set[str]:
    from anthropic.types.anthropic_beta_param import AnthropicBetaParam

    return {each for each in literals(AnthropicBetaParam) if each.startswith("computer-use-")}


def anthropic_models() -> set[str]:
    from anthropic.types import Model

    return literals(Model)


def openai_actions() -> set[str]:
    from openai.types.responses import ComputerAction

    kinds = get_args(get_args(ComputerAction)[0])
    return {each for kind in kinds for each in literals(kind.model_fields["type"].annotation)}


def openai_fields() -> set[str]:
    from openai.types.responses import ComputerAction, ResponseComputerToolCall

    kinds = (*get_args(get_args(ComputerAction)[0]), ResponseComputerToolCall)
    return {field for kind in kinds for field in kind.model_fields}


def openai_tools() -> set[str]:
    from openai.types.responses import ComputerToolParam
    from openai.types.responses.computer_use_preview_tool_param import ComputerUsePreviewToolParam

    tools = (ComputerToolParam, ComputerUsePreviewToolParam)
    return {word for tool in tools for word in (*tool.__annotations__, *literals(tool))}


def openai_choices() -> set[str]:
    from openai.types.responses.tool_choice_types_param import ToolChoiceTypesParam

    return {each for each in literals(ToolChoiceTypesParam) if "computer" in each}


def openai_models() -> set[str]:
    """Return the models since the first one that has the tool `computer`."""
    from openai.types.shared import ResponsesModel

    named = {each: re.match(r"gpt-(\d+)(?:\.(\d+))?", each) for each in literals(ResponsesModel)}
    since = {each for each, at in named.items() if at and (int(at[1]), int(at[2] or 0)) >= (5, 4)}
    return since | {each for each in named if each.startswith("computer")}


def gemini_tool() -> set[str]:
    from google.genai import types

    values = [each.value for kind in (types.Environment, types.SafetyPolicy) for each in kind]
    return {*types.ComputerUse.model_fields, *values}


def gemini_endings() -> set[str]:
    from google.genai import types

    return {each.value for each in (*types.FinishReason, *types.BlockedReason)}


WATCHED: dict[Callable[[], set[str]], Known] = {
    anthropic_tools: " ".join(f"computer_{date} computer_toolset_{date}" for date in VERSIONS),
    anthropic_members: lambda name: is_read(
        AnthropicComputerUse(), {"toolset_name": "computer", "name": name, "input": {}}
    ),
    anthropic_fields: "coordinate duration region repeat scroll_amount scroll_direction "
    "start_coordinate text",
    anthropic_toolset: "cache_control configs type",
    anthropic_betas: " ".join(f"computer-use-{at[:4]}-{at[4:6]}-{at[6:]}" for at in VERSIONS),
    anthropic_models: lambda name: is_usable("anthropic", "anthropic_computer_use", name),
    openai_actions: lambda name: is_read(OpenAiComputerUse(), {"type": name}),
    openai_fields: "action actions button call_id id keys path pending_safety_checks scroll_x "
    "scroll_y status text type x y",
    openai_tools: "browser computer computer_use_preview display_height display_width environment "
    "linux mac type ubuntu windows",
    openai_choices: "computer computer_use computer_use_preview",
    openai_models: lambda name: is_usable("openai-responses", "openai_computer_use", name),
    gemini_tool: "disabled_safety_policies enable_prompt_injection_detection environment "
    "excluded_predefined_functions ENVIRONMENT_BROWSER ENVIRONMENT_DESKTOP ENVIRONMENT_MOBILE "
    "ENVIRONMENT_UNSPECIFIED ACCOUNT_CREATION COMMUNICATION_TOOL DATA_MODIFICATION "
    "FINANCIAL_TRANSACTIONS LEGAL_TERMS_AND_AGREEMENTS SAFETY_POLICY_UNSPECIFIED "
    "SENSITIVE_DATA_MODIFICATION USER_CONSENT_MANAGEMENT",
    gemini_endings: f"{' '.join(STOPS).upper()} BLOCKED_REASON_UNSPECIFIED "
    "FINISH_REASON_UNSPECIFIED IMAGE_OTHER NO_IMAGE STOP",
}


def watch(found: Callable[[], set[str]], known: Known) -> None:
    """Warn of what an SDK knows and the agents do not, or of what it has no more."""
    what = found.__name__.replace("_", "'s ", 1)
    try:
        names = found()
    except (ImportError, AttributeError, LookupError) as error:
        warnings.warn(f"The installed SDK knows {what} elsewhere: {error}", stacklevel=2)
        return
    assert names
    is_known = known if callable(known) else known.split().__contains__
    if new := sorted(name for name in names if not is_known(name)):
        msg = f"The installed SDK knows {what} that the agents of {AS_OF} do not: {', '.join(new)}"
        warnings.warn(msg, stacklevel=2)


@pytest.mark.parametrize("found", WATCHED)
def test_the_agents_know_what_the_sdks_know(found: Callable[[], set[str]]) -> None:
    watch(found, WATCHED[found])


def test_new_parts_of_an_sdk_are_a_warning() -> None:
    def openai_actions() -> set[str]:
        return {"click", "pinch"}

    with pytest.warns(UserWarning, match=r"openai's actions .* do not: pinch$"):
        watch(openai_actions, lambda name: is_read(OpenAiComputerUse(), {"type": name}))


def test_moved_parts_of_an_sdk_are_a_warning() -> None:
    def gemini_tool() -> set[str]:
        raise ImportError("no name 'ComputerUse'")

    with pytest.warns(UserWarning, match="knows gemini's tool elsewhere: no name 'ComputerUse'"):
        watch(gemini_tool, "")
