"""A certificate authority of this process's own, by which it reads what programs ask models.

Its keys are in memory only. Who is given `bundle` trusts it, and all that this machine trusts.
"""

from __future__ import annotations

import ssl
from functools import cache
from pathlib import Path

import trustme

from pytest_mobileagent.program.http.upstream import trusted


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
    """Return the certificates that a program has to trust: all that are trusted here, and the own.

    Raises:
        OSError: a file cannot be read.
    """
    files = [Path(file).read_bytes() for file in trusted()]
    return b"\n".join([*files, _authority().cert_pem.bytes()])
