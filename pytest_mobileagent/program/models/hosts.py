"""Which hosts are providers of models, and what they are called."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from pytest_mobileagent.llm.providers import PROVIDERS

# Hosts, and what lies below them, that neither our providers nor genai-prices name.
_MORE = {
    "aiplatform.googleapis.com": "google-vertex",
    "aliyuncs.com": "dashscope",
    "api-inference.modelscope.cn": "modelscope",
    "api.ai21.com": "ai21",
    "api.baichuan-ai.com": "baichuan",
    "api.cloudflare.com": "cloudflare",
    "api.deepinfra.com": "deepinfra",
    "api.hunyuan.cloud.tencent.com": "hunyuan",
    "api.lingyiwanwu.com": "01ai",
    "api.sambanova.ai": "sambanova",
    "api.siliconflow.cn": "siliconflow",
    "api.siliconflow.com": "siliconflow",
    "api.stepfun.com": "stepfun",
    "api.studio.nebius.ai": "nebius",
    "integrate.api.nvidia.com": "nvidia",
    "models.github.ai": "github",
    "models.inference.ai.azure.com": "github",
    "qianfan.baidubce.com": "qianfan",
    "router.huggingface.co": "huggingface",
    "spark-api-open.xf-yun.com": "spark",
    "volces.com": "volces",
}
# genai-prices takes all of Google, and of Alibaba only what is asked for models is of interest.
_ONLY = {
    "googleapis.com": re.compile(r"^(generativelanguage|([\w-]+-)?aiplatform)\."),
    "aliyuncs.com": re.compile(r"^dashscope[\w-]*\."),
}


@lru_cache(maxsize=256)
def provider_at(host: str) -> str:
    """Return what the provider at a host is called; empty if it is none that is known."""
    host = host.lower().rstrip(".")
    for end, pattern in _ONLY.items():
        if _is_below(host, end) and not pattern.match(host):
            return ""
    own = {urlsplit(provider.url).hostname: name for name, provider in reversed(PROVIDERS.items())}
    if host in own and host != "localhost":
        return own[host]
    for end, name in _MORE.items():
        if _is_below(host, end) or (name == "google-vertex" and host.endswith(f"-{end}")):
            return name
    return _of_prices(host)


def seller_of(provider: str) -> str:
    """Return what genai-prices calls a provider; empty if that sells nothing."""
    if provider in PROVIDERS:
        return PROVIDERS[provider].prices
    return "google" if provider == "google-vertex" else provider


def _is_below(host: str, end: str) -> bool:
    return host == end or host.endswith(f".{end}")


def _of_prices(host: str) -> str:
    from genai_prices.data import providers  # loaded by who prices

    for each in providers:
        if re.match(each.api_pattern, f"https://{host}/"):
            return str(each.id)
    return ""
