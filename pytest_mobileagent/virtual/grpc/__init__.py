"""gRPC: the emulator's controller, and the accessibility forwarder; requires `[grpc]`."""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # callers report their errors themselves
