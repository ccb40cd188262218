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

# For each provider and kind, the errors `STATUS [CODE|CODE] [~WORDS] [*]`, separated by semicolons.
# An error fits if its code and its words do (in lower case); one with neither is told by its
# status, which is `_USUAL` for the kinds that are named so. A code includes its suffixes:
# "Throttling" is also "Throttling.RateQuota". Gateways pass on other providers' errors, so all rows
# are tried for every server. The documentation does not say what is marked with *, which comes from
# public reports, and nothing was found at all for "unknown" kinds.
_USUAL = {"key": 401, "model": 404, "request": 422, "rate": 429, "failure": 500, "overload": 503}
_TABLE = {
    # platform.openai.com/docs/guides/error-codes; error codes of the Responses API
    "openai": """
    money: 429 insufficient_quota; 429 ~exceeded your current quota, please check your plan;
        429 billing_not_active *; 400 billing_hard_limit_reached *
    quota: 429 rate_limit_exceeded ~request too large *
    rate: 429 rate_limit_exceeded
    overload: 503 slow_down; 503
    key: 401 invalid_api_key; 403 unsupported_country_region_territory;
        401 account_deactivated *
    model: 404 model_not_found
    length: 400 context_length_exceeded; 400 string_above_max_length *
    moderation: 400 invalid_prompt|image_content_policy_violation; 400 content_policy_violation|
        cyber_policy_violation *
    failure: 500 server_error""",
    # learn.microsoft.com/azure/ai-foundry/openai: quotas, content filter
    "azure": """
    usual: failure
    unknown: money
    quota: 403 ~out of call volume quota *
    rate: 429 RateLimitReached
    overload: 429 NoCapacity *; 503
    key: 401; 401 PermissionDenied
    model: 404 DeploymentNotFound
    length: 400 context_length_exceeded
    moderation: 400 content_filter|ResponsibleAIPolicyViolation""",
    # docs.anthropic.com/en/api/errors
    "anthropic": """
    money: 402 billing_error; 400 ~credit balance is too low *
    quota: 400 ~reached your specified api usage limits *
    rate: 429 rate_limit_error
    overload: 529 overloaded_error
    key: 401 authentication_error; 403 permission_error; 400 ~organization has been disabled *
    model: 404 not_found_error
    length: 413 request_too_large; 400 ~prompt is too long *
    moderation: 400 ~blocked by content filtering policy *
    failure: 500 api_error; 504 timeout_error""",
    # ai.google.dev/gemini-api/docs/troubleshooting, for both endpoints
    "gemini": """
    unknown: moderation
    money: 400 FAILED_PRECONDITION; 429 RESOURCE_EXHAUSTED ~credits are depleted *;
        403 BILLING_DISABLED *
    quota: 429 RESOURCE_EXHAUSTED ~perday *; 429 RESOURCE_EXHAUSTED ~limit: 0 *
    rate: 429 RESOURCE_EXHAUSTED
    overload: 503 UNAVAILABLE
    key: 403 PERMISSION_DENIED; 400 API_KEY_INVALID *; 400 ~api key not valid *;
        400 ~api key expired *; 401 UNAUTHENTICATED *
    model: 404 NOT_FOUND
    length: 400 ~exceeds the maximum number of tokens *
    failure: 500 INTERNAL; 504 DEADLINE_EXCEEDED""",
    # docs.x.ai/docs/key-information/debugging: little more than statuses
    "xai": """
    usual: rate model
    unknown: quota overload
    money: 429 ~used all available credits *; 403 ~doesn't have any credits *
    key: 401; 400 ~incorrect api key
    length: 400 ~maximum prompt length *
    moderation: 403 ~content violates usage guidelines *
    failure: 500 *""",
    # api-docs.deepseek.com/quick_start/error_codes: statuses
    "deepseek": """
    usual: rate overload key failure request
    unknown: quota
    money: 402 ~insufficient balance
    model: 400 ~model not exist *
    length: 400 ~maximum context length *
    moderation: 400 ~content exists risk *""",
    # help.aliyun.com/en/model-studio/error-code, for both endpoints
    "dashscope": """
    unknown: quota
    money: 400 Arrearage; 403 AllocationQuota.FreeTierOnly; 429 PrepaidBillOverdue *;
        403 Throttling.AllocationQuota ~free allocated quota exceeded;
        429 insufficient_quota ~free allocated quota exceeded; 429 PostpaidBillOverdue|
        CommodityNotPurchased *
    rate: 429 Throttling; 429 insufficient_quota ~allocated quota exceeded;
        429 insufficient_quota ~error-code#token-limit *; 429 limit_requests|limit_burst_rate *
    overload: 503 ModelUnavailable|ModelServingError *
    key: 401 InvalidApiKey|invalid_api_key; 403 AccessDenied|access_denied
    model: 404 ModelNotFound|model_not_found; 403 Model.AccessDenied *
    length: 400 ~range of input length should be
    moderation: 400 DataInspectionFailed|data_inspection_failed
    failure: 500 InternalError; 500 RequestTimeOut|SystemError *
    request: 400 InternalError.Algo.InvalidParameter""",
    # docs.bigmodel.cn/cn/api/api-code and docs.z.ai/api-reference/api-code; most with status 429
    "zhipu": """
    money: 429 1113|1309
    quota: 429 1304|1308|1310
    rate: 429 1302|1303|1313
    overload: 429 1305|1312
    key: 401 1000|1001|1002|1003|1004; 429 1110|1111|1112|1120|1121|1220
    model: 400 1211|1221|1222|1311
    length: 400 1261
    moderation: 400 1300|1301
    failure: 500; 500 1200|1230|1234""",
    # platform.kimi.ai/docs/api/errors
    "moonshot": """
    unknown: quota
    money: 429 exceeded_current_quota_error; 403 ~insufficient balance *
    rate: 429 rate_limit_reached_error
    overload: 429 engine_overloaded_error
    key: 401 invalid_authentication_error|incorrect_api_key_error; 403 permission_denied_error
    model: 404 resource_not_found_error
    length: 400 ~token length too long; 400 ~exceeded model token limit
    moderation: 400 content_filter
    failure: 500 server_error|unexpected_output""",
    # volcengine.com/docs/82379/1299023
    "volcengine": """
    money: 403 AccountOverdueError
    quota: 429 SetLimitExceeded|QuotaExceeded
    rate: 429 RateLimitExceeded|AccountRateLimitExceeded|RequestBurstTooFast|
        ModelAccountRpmRateLimitExceeded|ModelAccountTpmRateLimitExceeded
    overload: 429 ServerOverloaded|InflightBatchsizeExceeded|ModelLoadingError
    key: 401 AuthenticationError; 403 AccessDenied; 401 InvalidAccountStatus *
    model: 404 InvalidEndpointOrModel|InvalidEndpoint|ModelNotOpen|UnsupportedModel
    length: 400 ~exceed max message tokens *
    moderation: 400 SensitiveContentDetected|InputTextRiskDetection|InputImageRiskDetection|
        OutputTextRiskDetection|InputTextSensitiveContentDetected|
        InputImageSensitiveContentDetected|OutputTextSensitiveContentDetected;
        400 ContentSecurityDetectionError *
    failure: 500 InternalServiceError""",
    # openrouter.ai/docs/api/errors; also with status 200, and the status as the code
    "openrouter": """
    usual: overload
    money: 402
    quota: 403 ~key limit exceeded *
    rate: 429; 402 ~openrouter_in_flight_budget
    key: 401; 403
    model: 404 ~no endpoints found *; 400 ~is not a valid model id *
    length: 400 context_length_exceeded
    moderation: 403 ~"reasons"; 403 ~input was flagged; 403 content_policy_violation
    failure: 502; 408""",
    # console.groq.com/docs/errors
    "groq": """
    usual: request
    unknown: moderation
    money: 400 blocked_api_access *
    quota: 413 rate_limit_exceeded ~request too large *
    rate: 429 rate_limit_exceeded
    overload: 498 capacity_exceeded; 503
    key: 401 invalid_api_key; 403
    model: 404 model_not_found; 400 model_decommissioned *
    length: 413; 400 context_length_exceeded *
    failure: 500; 502""",
    # docs.mistral.ai/resources/error-glossary
    "mistral": """
    usual: request
    unknown: quota moderation
    money: 402 *
    rate: 429; 429 rate_limited *
    overload: 503; 429 ~service tier capacity exceeded *
    key: 401; 403
    model: 404; 400 unknown_model; 400 invalid_model *; 400 ~invalid model: *
    length: 400 ~too large for model *
    failure: 500; 502; 504""",
    # docs.together.ai/docs/error-codes
    "together": """
    usual: rate key failure
    unknown: quota moderation
    money: 402
    overload: 503; 529
    model: 404; 400 model_not_available *
    length: 403 ~context length; 400 ~max_new_tokens must be *""",
    # docs.vllm.ai, vllm/entrypoints/openai
    "vllm": """
    usual: key
    unknown: money quota rate moderation
    overload: 503 *
    model: 404 NotFoundError
    length: 400 ~maximum context length
    failure: 500 InternalServerError""",
    # docs.ollama.com/api/errors: statuses
    "ollama": """
    usual: rate model
    unknown: moderation
    money: 403 ~requires a subscription *
    quota: 429 ~usage limit *
    overload: 503 ~maximum pending requests exceeded *
    key: 401 *
    length: 400 ~exceeds the context length *
    failure: 500; 502""",
    # lmstudio.ai/docs: nothing
    "lmstudio": """
    unknown: money quota rate overload moderation
    key: 401 *
    model: 404 model_not_found *; 400 ~no models loaded *; 400 ~failed to load model *
    length: 400 ~greater than the context length *
    failure: 400 ~model has crashed *; 400 ~model unloaded *""",
    # What others say, of whom people report: LiteLLM, New API, SiliconFlow, MiniMax
    "others": """
    unknown: quota rate overload key model length failure
    money: 400 budget_exceeded *; 403 insufficient_user_quota *; 403 ~balance is insufficient *;
        429 ~余额不足 *
    moderation: 400 ~new_sensitive *""",
}


class Row(NamedTuple):
    """One error of the table; `is_documented` unless it comes from public reports."""

    kind: Kind
    status: int
    code: str
    words: str
    is_documented: bool


_ERROR = re.compile(
    r"(?P<status>\d{3})(?: (?P<codes>[\w.|\s]+?))?(?: ~(?P<words>.+?))?(?P<seen> \*)?"
)


def _rows(text: str) -> Iterator[Row]:
    for line in re.split(r"\n\s*(?=\w+: )", text)[1:]:
        kind, _, errors = line.partition(": ")
        if kind == "usual":
            yield from (Row(each, _USUAL[each], "", "", True) for each in errors.split())  # type: ignore[arg-type]
        elif kind != "unknown":
            for error in re.split(r";\s*", errors):
                yield from _errors(kind, error)  # type: ignore[arg-type]


def _errors(kind: Kind, text: str) -> Iterator[Row]:
    error = _ERROR.fullmatch(text)
    assert error is not None, text
    status, codes, words, seen = error.group("status", "codes", "words", "seen")
    for code in re.split(r"\|\s*", codes or ""):
        yield Row(kind, int(status), code, words or "", not seen)


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
    "pause_turn",
    # sensitive: Zhipu. From safety on: Gemini, as reasons to finish or to block a prompt.
    "refusal": "content_filter refusal sensitive safety recitation blocklist prohibited_content "
    "spii image_safety image_prohibited_content image_recitation jailbreak model_armor language "
    "other",
    # network_error: Zhipu. error: OpenRouter, Mistral. insufficient_…: DeepSeek. abort: vLLM.
    "failed": "network_error error insufficient_system_resource abort aborted",
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
    known = (STOPS[part] for part in parts if part in STOPS)
    meant: Stop | Literal["failed"] = next(known, "end")
    return _meaning(native, None) if meant == "end" and native is not None else meant
