"""A certificate authority of this process's own, by which it reads what programs ask models.

Its keys are in memory only. Who is given `bundle` trusts it, and all that this machine trusts.
"""

from __future__ import annotations

import ssl
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import trustme


@cache
def _authority() -> trustme.CA:
    return trustme.CA(organization_name="pytest-mobileagent", organization_unit_name="one run")


@cache
def context_for(host: str) -> ssl.SSLContext:
    """Return what a server needs that answers in the place of a host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    _authority().issue_cert(host).configure_cert(context)
    return context


def bundle() -> bytes:
    """Return the certificates that a program has to trust: this machine's, and the own one."""
    return _trusted() + b"\n" + _authority().cert_pem.bytes()


def _trusted() -> bytes:
    default = ssl.get_default_verify_paths().cafile
    if find_spec("certifi"):
        import certifi  # noqa: PLC0415 - comes with the SDKs

        default = certifi.where()
    return Path(default).read_bytes() if default else b""
