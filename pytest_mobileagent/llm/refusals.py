"""What the refusals of providers mean: whose fault each is, and whether waiting helps.

`TABLE` says how each provider words each kind of refusal, and `STOPS` what finish reasons mean.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_mobileagent.llm.model import ProviderBusyError, ProviderError, RequestRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.llm.model import Stop

Kind = Literal[
    "money", "quota", "rate", "overload", "key", "model", "failure",
    "length", "moderation", "request",
]  # fmt: skip
# What each kind means here. Money, quotas, keys and models need a person, so waiting is no use.
MEANS: dict[Kind, type[ProviderError | RequestRefusedError]] = {
    "money": ProviderError,  # the account has none left
    "quota": ProviderError,  # used up for hours or days, or smaller than a single request
    "key": ProviderError,  # wrong, blocked, or without access
    "model": ProviderError,  # does not exist, or is not enabled
    "rate": ProviderBusyError,
    "overload": ProviderBusyError,
    "failure": ProviderBusyError,  # the provider's own
    "length": RequestRefusedError,  # the prompt is too long
    "moderation": RequestRefusedError,  # a filter withholds the prompt or the reply
    "request": RequestRefusedError,  # malformed
}

# For each provider and kind, the errors `[CODE|CODE] [~WORDS]`, separated by semicolons. An error
# fits if its code and its words do (in lower case). Errors that their status alone tells are not
# listed, nor are the codes of failures, which all other errors are. A code includes its suffixes:
# "Throttling" is also "Throttling.RateQuota". Gateways pass on other providers' errors, so all rows
# are tried for every server. What the documentation does not say is from public reports.
_TABLE = {
    # platform.openai.com/docs/guides/error-codes; error codes of the Responses API
    "openai": """
    money: insufficient_quota; ~exceeded your current quota, please check your plan;
        billing_not_active; billing_hard_limit_reached
    quota: rate_limit_exceeded ~request too large
    rate: rate_limit_exceeded
    overload: slow_down
    key: invalid_api_key; unsupported_country_region_territory; account_deactivated
    model: model_not_found
    length: context_length_exceeded; string_above_max_length
    moderation: invalid_prompt|image_content_policy_violation; content_policy_violation|
        cyber_policy_violation""",
    # learn.microsoft.com/azure/ai-foundry/openai: quotas, content filter
    "azure": """
    quota: ~out of call volume quota
    rate: RateLimitReached
    overload: NoCapacity
    key: PermissionDenied
    model: DeploymentNotFound
    length: context_length_exceeded
    moderation: content_filter|ResponsibleAIPolicyViolation""",
    # docs.anthropic.com/en/api/errors
    "anthropic": """
    money: billing_error; ~credit balance is too low
    quota: ~reached your specified api usage limits
    rate: rate_limit_error
    overload: overloaded_error
    key: authentication_error; permission_error; ~organization has been disabled
    model: not_found_error
    length: request_too_large; ~prompt is too long
    moderation: ~blocked by content filtering policy""",
    # ai.google.dev/gemini-api/docs/troubleshooting, for both endpoints
    "gemini": """
    money: FAILED_PRECONDITION; RESOURCE_EXHAUSTED ~credits are depleted; BILLING_DISABLED
    quota: RESOURCE_EXHAUSTED ~perday; RESOURCE_EXHAUSTED ~limit: 0
    rate: RESOURCE_EXHAUSTED
    overload: UNAVAILABLE
    key: PERMISSION_DENIED; API_KEY_INVALID; ~api key not valid; ~api key expired; UNAUTHENTICATED
    model: NOT_FOUND
    length: ~exceeds the maximum number of tokens""",
    # docs.x.ai/docs/key-information/debugging: little more than statuses
    "xai": """
    money: ~used all available credits; ~doesn't have any credits
    key: ~incorrect api key
    length: ~maximum prompt length
    moderation: ~content violates usage guidelines""",
    # api-docs.deepseek.com/quick_start/error_codes: statuses
    "deepseek": """
    money: ~insufficient balance
    model: ~model not exist
    length: ~maximum context length
    moderation: ~content exists risk""",
    # help.aliyun.com/en/model-studio/error-code, for both endpoints
    "dashscope": """
    money: Arrearage; AllocationQuota.FreeTierOnly; PrepaidBillOverdue;
        Throttling.AllocationQuota ~free allocated quota exceeded;
        insufficient_quota ~free allocated quota exceeded; PostpaidBillOverdue|CommodityNotPurchased
    rate: Throttling; insufficient_quota ~allocated quota exceeded;
        insufficient_quota ~error-code#token-limit; limit_requests|limit_burst_rate
    overload: ModelUnavailable|ModelServingError
    key: InvalidApiKey|invalid_api_key; AccessDenied|access_denied
    model: ModelNotFound|model_not_found; Model.AccessDenied
    length: ~range of input length should be
    moderation: DataInspectionFailed|data_inspection_failed
    request: InternalError.Algo.InvalidParameter""",
    # docs.bigmodel.cn/cn/api/api-code and docs.z.ai/api-reference/api-code; most with status 429
    "zhipu": """
    money: 1113|1309
    quota: 1304|1308|1310
    rate: 1302|1303|1313
    overload: 1305|1312
    key: 1000|1001|1002|1003|1004; 1110|1111|1112|1120|1121|1220
    model: 1211|1221|1222|1311
    length: 1261
    moderation: 1300|1301
    failure: 1200|1230|1234""",
    # platform.kimi.ai/docs/api/errors
    "moonshot": """
    money: exceeded_current_quota_error; ~insufficient balance
    rate: rate_limit_reached_error
    overload: engine_overloaded_error
    key: invalid_authentication_error|incorrect_api_key_error; permission_denied_error
    model: resource_not_found_error
    length: ~token length too long; ~exceeded model token limit
    moderation: content_filter""",
    # volcengine.com/docs/82379/1299023
    "volcengine": """
    money: AccountOverdueError
    quota: SetLimitExceeded|QuotaExceeded
    rate: RateLimitExceeded|AccountRateLimitExceeded|RequestBurstTooFast|
        ModelAccountRpmRateLimitExceeded|ModelAccountTpmRateLimitExceeded
    overload: ServerOverloaded|InflightBatchsizeExceeded|ModelLoadingError
    key: AuthenticationError; AccessDenied; InvalidAccountStatus
    model: InvalidEndpointOrModel|InvalidEndpoint|ModelNotOpen|UnsupportedModel
    length: ~exceed max message tokens
    moderation: SensitiveContentDetected|InputTextRiskDetection|InputImageRiskDetection|
        OutputTextRiskDetection|InputTextSensitiveContentDetected|
        InputImageSensitiveContentDetected|OutputTextSensitiveContentDetected;
        ContentSecurityDetectionError""",
    # openrouter.ai/docs/api/errors; also with status 200, and the status as the code
    "openrouter": """
    quota: ~key limit exceeded
    rate: ~openrouter_in_flight_budget
    model: ~no endpoints found; ~is not a valid model id
    length: context_length_exceeded
    moderation: ~"reasons"; ~input was flagged; content_policy_violation""",
    # console.groq.com/docs/errors
    "groq": """
    money: blocked_api_access
    quota: rate_limit_exceeded ~request too large
    rate: rate_limit_exceeded
    overload: capacity_exceeded
    key: invalid_api_key
    model: model_not_found; model_decommissioned
    length: context_length_exceeded""",
    # docs.mistral.ai/resources/error-glossary
    "mistral": """
    rate: rate_limited
    overload: ~service tier capacity exceeded
    model: unknown_model; invalid_model; ~invalid model:
    length: ~too large for model""",
    # docs.together.ai/docs/error-codes
    "together": """
    model: model_not_available
    length: ~context length; ~max_new_tokens must be""",
    # docs.vllm.ai, vllm/entrypoints/openai
    "vllm": """
    model: NotFoundError
    length: ~maximum context length""",
    # docs.ollama.com/api/errors: statuses
    "ollama": """
    money: ~requires a subscription
    quota: ~usage limit
    overload: ~maximum pending requests exceeded
    length: ~exceeds the context length""",
    # lmstudio.ai/docs: nothing
    "lmstudio": """
    model: model_not_found; ~no models loaded; ~failed to load model
    length: ~greater than the context length
    failure: ~model has crashed; ~model unloaded""",
    # What others say, of whom people report: LiteLLM, New API, SiliconFlow, MiniMax
    "others": """
    money: budget_exceeded; insufficient_user_quota; ~balance is insufficient; ~余额不足
    moderation: ~new_sensitive""",
}


class Row(NamedTuple):
    """One error of the table."""

    kind: Kind
    code: str
    words: str


def _rows(text: str) -> Iterator[Row]:
    for line in re.split(r"\n\s*(?=\w+: )", text)[1:]:
        kind, _, errors = line.partition(": ")
        for error in re.split(r";\s*", errors):
            codes, _, words = error.partition("~")
            for code in re.split(r"\|\s*", codes.strip()):
                yield Row(kind, code, words)  # type: ignore[arg-type]


TABLE = {provider: tuple(_rows(text)) for provider, text in _TABLE.items()}
# What an HTTP status means that comes with nothing else; other ones of 500 and above are failures.
STATUSES: dict[int, Kind] = {
    400: "request", 401: "key", 402: "money", 404: "model", 408: "failure", 409: "overload",
    413: "length", 422: "request", 425: "overload", 429: "rate", 451: "moderation", 498: "overload",
    503: "overload", 529: "overload",
}  # fmt: skip
# Codes that say no more than a status, which counts unless there is none.
GENERAL: dict[str, Kind] = {
    "invalid_request_error": "request", "invalid_argument": "request", "badrequesterror": "request",
    "badrequest": "request", "invalidparameter": "request", "1210": "request", "1214": "request",
}  # fmt: skip

# Finish reasons, in lower case; every other one is an end.
_ENDINGS: dict[Stop | Literal["failed"], str] = {
    "tools": "tool_calls function_call tool_use",
    # pause_turn: Anthropic has paused a long turn. model_length: Mistral.
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded "
    "pause_turn continuation",
    # Gemini, if it cannot read what its own model wrote.
    "malformed": "malformed_function_call unexpected_tool_call too_many_tool_calls",
    # sensitive: Zhipu. From safety on: Gemini, as reasons to finish or to block a prompt.
    "refusal": "content_filter refusal sensitive safety recitation blocklist prohibited_content "
    "spii image_safety image_prohibited_content image_recitation jailbreak model_armor language "
    "other escalation",
    # network_error: Zhipu. error: OpenRouter, Mistral. insufficient_…: DeepSeek. abort: vLLM. The
    # last three: Gemini; the last one is about the account.
    "failed": "network_error error insufficient_system_resource abort aborted malformed_response "
    "missing_thought_signature pup_limited_disabled",
}
STOPS = {reason: stop for stop, reasons in _ENDINGS.items() for reason in reasons.split()}


def stop_of(reason: Any, native: Any = None) -> Stop:
    """Return what a finish reason means; a failure (see `has_failed`) counts as an end.

    `native` is the reason of the model's own provider, according to OpenRouter, which is more exact
    where OpenRouter itself only says that the reply has ended.
    """
    meant = _meaning(reason, native)
    return "end" if meant == "failed" else meant


def has_failed(reason: Any, native: Any = None) -> bool:
    """Return whether a finish reason says that the provider could not complete the reply."""
    return _meaning(reason, native) == "failed"


def _meaning(reason: Any, native: Any) -> Stop | Literal["failed"]:
    parts = re.split(r"[:\s]+", reason.casefold()) if isinstance(reason, str) else []
    meant: Stop | Literal["failed"] = next((STOPS[part] for part in parts if part in STOPS), "end")
    return _meaning(native, None) if meant == "end" and native is not None else meant
