"""gRPC: the emulator's controller, and the accessibility forwarder; requires `[grpc]`.

The messages and services of the `.proto` files in this folder are compiled on import.
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # callers report their errors themselves

import grpc

_ROOM = "pytest_mobileagent/virtual/grpc"

control: Any
control_services: Any
forwarding: Any
forwarding_services: Any
control, control_services = grpc.protos_and_services(f"{_ROOM}/controller.proto")
forwarding, forwarding_services = grpc.protos_and_services(f"{_ROOM}/forwarder.proto")
