"""The ways in which a call of a model can fail, and the error for each HTTP status."""

from __future__ import annotations

from pytest_mobileagent.errors import AgentError, InfrastructureError


class ProviderError(InfrastructureError):
    """A model's provider does not answer: it is down, knows no such model, or refuses the key."""


class ProviderBusyError(ProviderError):
    """The provider may answer if it is asked again, after `retry_after` seconds if it said so."""

    def __init__(self, problem: str, retry_after: float | None = None) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class RequestRefusedError(AgentError):
    """The provider refuses this request, and would again: it is too long, or malformed."""


class ModelUnavailable(BaseException):
    """No reply is available, for example because a provider stays down: not the agent's failure.

    Not an Exception, so that an agent's loop which goes on after any error ends all the same.
    """


# 413: too long; 422: well-formed, but of the wrong types (vLLM, and all servers of FastAPI).
REFUSED = {400, 413, 422}
# A request that took too long (408) or met a lock (409) may pass the next time: both official SDKs
# repeat these, 429, and all from 500 on; 529 is Anthropic's word for overload.
_BUSY = {408, 409, 429}
# A 429 for which waiting does not help: the account has no money left.
_NO_MONEY = {"insufficient_quota", "billing_hard_limit_reached"}


def failure(
    status: int, problem: str, retry_after: float | None = None, code: str = ""
) -> ProviderError | RequestRefusedError:
    """Return the error that a status stands for; `code` is the provider's own name for it.

    `retry_after` is in seconds. An unreadable body is a refused request; a wrong key or model name
    is an error of the provider.
    """
    if status in REFUSED and code != "model_not_found":
        return RequestRefusedError(problem)
    if (status in _BUSY or status >= 500) and code not in _NO_MONEY:
        return ProviderBusyError(problem, retry_after)
    return ProviderError(problem)
